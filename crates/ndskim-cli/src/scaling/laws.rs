//! Two laws of scaling, fitted to measured throughput.
//!
//! In go pairs of threads and throughput, out come a law's parameters and how well they fit. Amdahl's law (G. Amdahl, 1967)
//! says X(N) = λN / (1 + σ(N−1)): a share σ of the work is done by one thread at a time. The Universal Scalability Law (N.
//! Gunther, 1993) adds a cost of every thread for every other: X(N) = λN / (1 + σ(N−1) + κN(N−1)). Nothing here knows what
//! was measured, and nothing is fitted to fewer thread counts than the law has parameters.

/// Throughput over threads: X(N) = λN / (1 + σ(N−1) + κN(N−1)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Curve {
    /// λ, the throughput of one thread.
    pub(crate) lambda: f64,
    /// σ, the share of the work that threads do one after the other (contention), from 0 to 1.
    pub(crate) sigma: f64,
    /// κ, what keeping one thread in step with another costs (coherence), 0 or more.
    pub(crate) kappa: f64,
}

/// A law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Law {
    Amdahl,
    Usl,
}

/// A law with the parameters that fit best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fit {
    pub(crate) law: Law,
    pub(crate) curve: Curve,
    /// Thread counts that it was fitted to.
    pub(crate) points: usize,
    /// The share of the variance of throughput that it explains; `None` if there are no points to spare that could tell.
    pub(crate) r_squared: Option<f64>,
    /// The largest deviation of a point, as a share of what was measured there.
    pub(crate) deviation: f64,
}

/// A point: threads, and throughput in any unit.
pub(crate) type Point = (f64, f64);

impl Law {
    pub(crate) const ALL: [Self; 2] = [Self::Amdahl, Self::Usl];

    /// The name that programs know it by.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Amdahl => "amdahl",
            Self::Usl => "usl",
        }
    }

    /// The name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Amdahl => "Amdahl's law",
            Self::Usl => "Universal Scalability Law",
        }
    }

    /// How many parameters it has: as many thread counts are needed at least.
    pub(crate) fn parameters(self) -> usize {
        match self {
            Self::Amdahl => 2,
            Self::Usl => 3,
        }
    }

    /// The parameters that fit best; `None` if there are fewer thread counts than parameters.
    ///
    /// N / X(N) = a + b(N−1) + cN(N−1) is linear in a = 1/λ, b = σ/λ and c = κ/λ. Each point is weighted by X/N, so that what
    /// is made small is the sum of the squares of relative deviations, whatever the size of a point. The limits a > 0, 0 ≤ b
    /// ≤ a, c ≥ 0 are kept by trying every face of that region: the problem is convex, so the best point that lies within is
    /// the best.
    pub(crate) fn fit(self, points: &[Point]) -> Option<Fit> {
        let mut counts: Vec<_> = points.iter().map(|point| point.0).collect();
        counts.sort_by(f64::total_cmp);
        counts.dedup();
        if counts.len() < self.parameters() {
            return None;
        }
        let candidates = self.faces().iter().filter_map(|face| face.solve(points));
        let curve = candidates.min_by(|a, b| squares(a, points).total_cmp(&squares(b, points)))?;
        let deviation = points.iter().map(|&(n, x)| (curve.at(n) / x - 1.0).abs()).fold(0.0, f64::max);
        let r_squared = (counts.len() > self.parameters()).then(|| r_squared(&curve, points)).flatten();
        Some(Fit { law: self, curve, points: counts.len(), r_squared, deviation })
    }

    fn faces(self) -> &'static [Face] {
        const AMDAHL: [Face; 3] =
            [Face(&[Term::One, Term::Contention]), Face(&[Term::One]), Face(&[Term::AllContention])];
        const USL: [Face; 6] = [
            Face(&[Term::One, Term::Contention, Term::Coherence]),
            Face(&[Term::One, Term::Contention]),
            Face(&[Term::One, Term::Coherence]),
            Face(&[Term::One]),
            Face(&[Term::AllContention, Term::Coherence]),
            Face(&[Term::AllContention]),
        ];
        match self {
            Self::Amdahl => &AMDAHL,
            Self::Usl => &USL,
        }
    }
}

impl Curve {
    /// The throughput of `n` threads.
    pub(crate) fn at(&self, n: f64) -> f64 {
        self.lambda * n / (1.0 + self.sigma * (n - 1.0) + self.kappa * n * (n - 1.0))
    }

    /// The thread count with the highest throughput, if there is one.
    pub(crate) fn peak(&self) -> Option<f64> {
        (self.kappa > 0.0).then(|| ((1.0 - self.sigma) / self.kappa).sqrt().max(1.0))
    }

    /// What throughput comes to with any number of threads, if it stays below some figure.
    pub(crate) fn limit(&self) -> Option<f64> {
        match self.peak() {
            Some(peak) => Some(self.at(peak)),
            None if self.sigma > 0.0 => Some(self.lambda / self.sigma),
            None => None,
        }
    }
}

impl Fit {
    /// Whether there are more thread counts than parameters, so that the fit says something of the law.
    pub(crate) fn is_judged(&self) -> bool {
        self.points > self.law.parameters()
    }
}

/// A term of N / X(N).
#[derive(Clone, Copy)]
enum Term {
    /// a.
    One,
    /// b(N−1).
    Contention,
    /// cN(N−1).
    Coherence,
    /// aN, which is a + b(N−1) with b at its limit, a.
    AllContention,
}

impl Term {
    fn at(self, n: f64) -> f64 {
        match self {
            Self::One => 1.0,
            Self::Contention => n - 1.0,
            Self::Coherence => n * (n - 1.0),
            Self::AllContention => n,
        }
    }
}

/// The terms that are not zero on a face of the region of possible parameters.
#[derive(Clone, Copy)]
struct Face(&'static [Term]);

impl Face {
    /// The best curve with these terms; `None` if it is outside of the region or not determined.
    fn solve(self, points: &[Point]) -> Option<Curve> {
        let size = self.0.len();
        // Normal equations, with the right side as the last column.
        let mut rows = [[0.0; 4]; 3];
        for &(n, x) in points {
            let weight = x / n;
            let terms: Vec<f64> = self.0.iter().map(|term| term.at(n) * weight).collect();
            for (row, term) in rows.iter_mut().zip(&terms) {
                terms.iter().zip(row.iter_mut()).for_each(|(other, sum)| *sum += term * other);
                row[3] += term;
            }
        }
        let solution = eliminate(&mut rows, size)?;
        let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
        for (term, value) in self.0.iter().zip(solution) {
            match term {
                Term::One => a = value,
                Term::Contention => b = value,
                Term::Coherence => c = value,
                Term::AllContention => (a, b) = (value, value),
            }
        }
        let possible = a > 0.0 && (0.0..=a).contains(&b) && c >= 0.0;
        possible.then(|| Curve { lambda: 1.0 / a, sigma: b / a, kappa: c / a })
    }
}

/// Solves `size` linear equations by elimination with pivoting; `None` if they do not determine the unknowns.
fn eliminate(rows: &mut [[f64; 4]; 3], size: usize) -> Option<[f64; 3]> {
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        let [pivot_row, scale] = [rows[column], [rows[column][column]; 4]];
        if scale[0].abs() <= f64::MIN_POSITIVE {
            return None;
        }
        for (number, row) in rows.iter_mut().enumerate().take(size) {
            if number != column {
                let factor = row[column] / scale[0];
                row.iter_mut().zip(pivot_row).for_each(|(value, pivot)| *value -= factor * pivot);
            }
        }
    }
    let mut solution = [0.0; 3];
    for (number, value) in solution.iter_mut().enumerate().take(size) {
        *value = rows[number][3] / rows[number][number];
    }
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}

/// The sum of squares that a fit makes small: of N / X(N), relative to what was measured.
fn squares(curve: &Curve, points: &[Point]) -> f64 {
    points.iter().map(|&(n, x)| (1.0 - x / curve.at(n)).powi(2)).sum()
}

/// The share of the variance of throughput that a curve explains; `None` if there is none to explain.
fn r_squared(curve: &Curve, points: &[Point]) -> Option<f64> {
    let mean = points.iter().map(|point| point.1).sum::<f64>() / points.len() as f64;
    let total: f64 = points.iter().map(|&(_, x)| (x - mean).powi(2)).sum();
    let rest: f64 = points.iter().map(|&(n, x)| (x - curve.at(n)).powi(2)).sum();
    (total > 0.0).then(|| 1.0 - rest / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs().max(1e-3)
    }

    /// Points of a curve, worked out here from its formula.
    fn points(lambda: f64, sigma: f64, kappa: f64, counts: &[f64]) -> Vec<Point> {
        let at = |n: f64| lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0));
        counts.iter().map(|&n| (n, at(n))).collect()
    }

    #[test]
    fn known_parameters_are_found_again() {
        for (lambda, sigma, kappa) in [(2.1, 0.016, 0.0), (6.7, 0.02, 0.0003), (1.0, 0.0, 0.001), (3.0, 0.0, 0.0)] {
            let fit = Law::Usl.fit(&points(lambda, sigma, kappa, &COUNTS)).unwrap();
            let Curve { lambda: l, sigma: s, kappa: k } = fit.curve;
            assert!(near(l, lambda) && near(s, sigma) && near(k, kappa), "{:?}", fit.curve);
            assert!(fit.is_judged() && fit.r_squared.unwrap() > 1.0 - 1e-12 && fit.deviation < 1e-9);
            if kappa == 0.0 {
                let fit = Law::Amdahl.fit(&points(lambda, sigma, kappa, &COUNTS)).unwrap();
                assert!(near(fit.curve.lambda, lambda) && near(fit.curve.sigma, sigma) && fit.curve.kappa == 0.0);
            }
        }
    }

    #[test]
    fn values_worked_out_by_hand() {
        // X(1) = 10, X(2) = 16: 2/16 = 0.1 + b, so b = 0.025 and σ = 0.25. Then X(4) = 40 / 1.75, and at most 10 / 0.25.
        let fit = Law::Amdahl.fit(&[(1.0, 10.0), (2.0, 16.0)]).unwrap();
        assert!(near(fit.curve.lambda, 10.0) && near(fit.curve.sigma, 0.25), "{:?}", fit.curve);
        assert!(near(fit.curve.at(4.0), 40.0 / 1.75) && near(fit.curve.limit().unwrap(), 40.0));
        // X(1) = 10, X(2) = 16, X(4) = 20: 0.2 = 0.1 + 3b + 12c and 0.125 = 0.1 + b + 2c, so c = 1/240 and b = 1/60.
        let fit = Law::Usl.fit(&[(1.0, 10.0), (2.0, 16.0), (4.0, 20.0)]).unwrap();
        assert!(near(fit.curve.sigma, 1.0 / 6.0) && near(fit.curve.kappa, 1.0 / 24.0), "{:?}", fit.curve);
        // (5/6) / (1/24) = 20.
        assert!(near(fit.curve.peak().unwrap(), 20.0_f64.sqrt()));
    }

    #[test]
    fn deviations_are_what_they_are() {
        // Both points at each count differ by 2 in 10 from a curve that cannot tell them apart: y = N/X is 0.1 for all, weights
        // 9 and 11. The best a is Σw / Σw² = 40 / 404, so X = 10.1 N.
        let fit = Law::Amdahl.fit(&[(1.0, 9.0), (1.0, 11.0), (2.0, 18.0), (2.0, 22.0)]).unwrap();
        assert!(near(fit.curve.lambda, 10.1) && fit.curve.sigma < 1e-12, "{:?}", fit.curve);
        assert!(near(fit.deviation, 1.1 / 9.0));
        // Faster than ideal, so a alone is left: 1/λ = Σw / Σw² = 31 / 321. The mean is 21, the squares about it 121, 1 and
        // 144.
        let fit = Law::Amdahl.fit(&[(1.0, 10.0), (2.0, 20.0), (3.0, 33.0)]).unwrap();
        let lambda = 321.0_f64 / 31.0;
        let rest = (10.0 - lambda).powi(2) + (20.0 - 2.0 * lambda).powi(2) + (33.0 - 3.0 * lambda).powi(2);
        assert!(near(fit.curve.lambda, lambda) && fit.curve.sigma == 0.0);
        assert!(near(fit.r_squared.unwrap(), 1.0 - rest / (121.0 + 1.0 + 144.0)), "{:?}", fit.r_squared);
    }

    #[test]
    fn parameters_stay_possible() {
        // Faster than ideal: no contention, rather than a negative one.
        let fit = Law::Usl.fit(&[(1.0, 10.0), (2.0, 21.0), (4.0, 44.0), (8.0, 90.0)]).unwrap();
        assert_eq!((fit.curve.sigma, fit.curve.kappa), (0.0, 0.0));
        assert_eq!((fit.curve.peak(), fit.curve.limit()), (None, None));
        // Slower with every thread: Amdahl's law knows nothing worse than no gain at all.
        let fit = Law::Amdahl.fit(&[(1.0, 10.0), (2.0, 8.0), (4.0, 5.0)]).unwrap();
        assert!(near(fit.curve.sigma, 1.0), "{:?}", fit.curve);
        let usl = Law::Usl.fit(&[(1.0, 10.0), (2.0, 8.0), (4.0, 5.0)]).unwrap();
        assert!(usl.curve.kappa > 0.0 && usl.deviation < fit.deviation);
        assert_eq!(usl.curve.peak().map(f64::round), Some(1.0));
    }

    #[test]
    fn too_few_thread_counts_are_no_fit_or_one_that_is_not_judged() {
        assert_eq!(Law::Amdahl.fit(&[(1.0, 5.0)]), None);
        assert_eq!(Law::Amdahl.fit(&[(2.0, 5.0), (2.0, 6.0), (2.0, 7.0)]), None);
        assert_eq!(Law::Usl.fit(&[(1.0, 5.0), (2.0, 9.0)]), None);
        let fit = Law::Amdahl.fit(&[(1.0, 5.0), (2.0, 9.0)]).unwrap();
        assert!(!fit.is_judged() && fit.r_squared.is_none() && fit.deviation < 1e-12);
        assert!(Law::Amdahl.fit(&points(2.0, 0.1, 0.0, &COUNTS[..3])).unwrap().is_judged());
    }
}
