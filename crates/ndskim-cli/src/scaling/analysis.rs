//! What a sweep says: speed-up and efficiency of each thread count, the laws fitted to them, and predictions.
//!
//! In go the runs, out come figures and the sentences that say what they are worth. Thread counts above the number of cores are
//! shown, but no law is fitted to them: threads that share a core are no measure of how the work scales.

use super::laws::{Curve, Fit, Law, Point};
use super::measure::{Measured, Series, Times, gb_per_s, name};
use crate::args::ValidateArg;
use crate::timing::three_digits;

/// A thread count, in figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) validate: ValidateArg,
    pub(super) threads: usize,
    /// GB/s of the best run.
    pub(super) best: f64,
    pub(super) median: f64,
    /// How many times faster than one thread.
    pub(super) speed_up: f64,
    /// The speed-up as a share of the ideal.
    pub(super) efficiency: f64,
    /// GB/s of the plain read.
    pub(super) ceiling: Option<f64>,
}

/// A law and a validation mode, with a fit if there are thread counts enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fitted {
    pub(super) validate: ValidateArg,
    pub(super) law: Law,
    /// Thread counts that it could be fitted to.
    pub(super) points: usize,
    pub(super) fit: Option<Fit>,
}

/// What a law says of a thread count that was not measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Prediction {
    pub(super) validate: ValidateArg,
    pub(super) law: Law,
    pub(super) threads: usize,
    /// GB/s, at most the highest ceiling that was measured.
    pub(super) gb_per_s: f64,
    /// GB/s of the law alone.
    pub(super) uncapped: f64,
    /// The lowest and the highest prediction of the law alone from one round of runs, if there were several.
    pub(super) rounds: Option<(f64, f64)>,
}

/// Everything that a sweep says.
pub(super) struct Analysis {
    pub(super) rows: Vec<Row>,
    pub(super) fits: Vec<Fitted>,
    pub(super) predictions: Vec<Prediction>,
    /// The highest throughput of the plain read, in GB/s.
    pub(super) cap: Option<f64>,
}

impl Analysis {
    /// Works the runs out, for a machine of so many cores.
    pub(super) fn of(measured: &Measured, cores: usize, predict: &[usize]) -> Self {
        let bytes = measured.bytes;
        let ceiling = |number: usize| measured.ceiling.as_ref().map(|times| times[number].best(bytes));
        let rows = measured.series.iter().flat_map(|series| rows(series, bytes, ceiling)).collect();
        let cap = measured.ceiling.iter().flatten().map(|times| times.best(bytes)).reduce(f64::max);
        let mut analysis = Self { rows, fits: Vec::new(), predictions: Vec::new(), cap };
        for series in &measured.series {
            let times: Vec<_> = series.times.iter().filter(|times| times.threads <= cores).collect();
            for law in Law::ALL {
                analysis.fit(series.validate, law, &times, bytes, predict);
            }
        }
        analysis
    }

    fn fit(&mut self, validate: ValidateArg, law: Law, times: &[&Times], bytes: u64, predict: &[usize]) {
        let points: Vec<Point> = times.iter().map(|times| (times.threads as f64, times.best(bytes))).collect();
        let fit = law.fit(&points);
        self.fits.push(Fitted { validate, law, points: points.len(), fit });
        let Some(fit) = fit else { return };
        let rounds = rounds(law, times, bytes);
        for &threads in predict {
            let at = |curve: &Curve| curve.at(threads as f64);
            let uncapped = at(&fit.curve);
            let low = rounds.iter().map(at).reduce(f64::min);
            let high = rounds.iter().map(at).reduce(f64::max);
            let gb_per_s = self.cap.map_or(uncapped, |cap| cap.min(uncapped));
            let rounds = low.zip(high).filter(|_| rounds.len() > 1);
            self.predictions.push(Prediction { validate, law, threads, gb_per_s, uncapped, rounds });
        }
    }
}

/// The law fitted to each round of runs by itself.
fn rounds(law: Law, times: &[&Times], bytes: u64) -> Vec<Curve> {
    let count = times.iter().map(|times| times.seconds.len()).min().unwrap_or(0);
    let round = |number: usize| -> Vec<Point> {
        times.iter().map(|times| (times.threads as f64, gb_per_s(bytes, times.seconds[number]))).collect()
    };
    (0..count).filter_map(|number| law.fit(&round(number))).map(|fit| fit.curve).collect()
}

/// Speed-up is over one thread; if that was not measured, over the smallest count as if it had scaled ideally.
fn rows(series: &Series, bytes: u64, ceiling: impl Fn(usize) -> Option<f64>) -> Vec<Row> {
    let one = series.times.first().map_or(1.0, |times| times.best(bytes) / times.threads as f64);
    let row = |(number, times): (usize, &Times)| {
        let best = times.best(bytes);
        Row {
            validate: series.validate,
            threads: times.threads,
            best,
            median: times.median(bytes),
            speed_up: best / one,
            efficiency: best / one / times.threads as f64,
            ceiling: ceiling(number),
        }
    };
    series.times.iter().enumerate().map(row).collect()
}

impl Fitted {
    /// What the fit is worth, in words.
    pub(super) fn verdict(&self) -> String {
        let (points, needed) = (self.points, self.law.parameters());
        let Some(fit) = &self.fit else {
            let counts = plural(points, "thread count");
            return format!("not fitted: it has {needed} parameters, for which {counts} cannot be enough");
        };
        if !fit.is_judged() {
            let why = if fit.deviation < 1e-6 {
                format!("with {needed} parameters the curve passes through them whatever they are")
            } else {
                format!("though this law misses them by up to {:.1} %", fit.deviation * 100.0)
            };
            return format!("{points} points cannot judge a fit: {why}");
        }
        let deviation = format!("largest deviation {:.1} %", fit.deviation * 100.0);
        let r_squared = fit.r_squared.map_or("R² is not defined".to_owned(), |r| format!("R² {r:.4}"));
        let worth = match (fit.points - needed, fit.deviation) {
            (_, deviation) if deviation > 0.1 => "; it fits badly, and what it predicts is worth little",
            (1, _) => "; one point more than parameters is a weak test",
            _ => "",
        };
        format!("fitted to {points} thread counts: {r_squared}, {deviation}{worth}")
    }

    /// The curve with its figures.
    pub(super) fn formula(&self) -> String {
        let Some(Fit { curve, .. }) = &self.fit else { return String::new() };
        let mut text = match self.law {
            Law::Amdahl => "X(N) = λN / (1 + σ(N−1))",
            Law::Usl => "X(N) = λN / (1 + σ(N−1) + κN(N−1))",
        }
        .to_owned();
        text.push_str(&format!(", λ = {} GB/s, σ = {:.4}", three_digits(curve.lambda), curve.sigma));
        if self.law == Law::Usl {
            text.push_str(&format!(", κ = {:.6}", curve.kappa));
        }
        match (curve.peak(), curve.limit()) {
            (Some(peak), Some(limit)) => {
                text.push_str(&format!("; highest with {peak:.0} threads, {} GB/s", three_digits(limit)));
            }
            (None, Some(limit)) => {
                text.push_str(&format!("; below {} GB/s with any number of threads", three_digits(limit)))
            }
            _ => text.push_str("; without a limit of its own"),
        }
        text
    }

    /// What it is of, for people.
    pub(super) fn title(&self) -> String {
        format!("{}, {}", self.law.name(), name(self.validate))
    }
}

impl Prediction {
    /// Whether the law says more than the plain read can be.
    pub(super) fn is_capped(&self) -> bool {
        self.gb_per_s < self.uncapped
    }

    /// The prediction in words.
    pub(super) fn sentence(&self) -> String {
        let (mode, said) = (name(self.validate), three_digits(self.gb_per_s));
        let threads = plural(self.threads, "thread");
        let rounds = match self.rounds {
            Some((low, high)) => format!(" (single rounds: {} to {})", three_digits(low), three_digits(high)),
            None => String::new(),
        };
        let law = format!("{} alone says {} GB/s{rounds}", self.law.name(), three_digits(self.uncapped));
        if self.is_capped() {
            format!("{mode}, {threads}: {said} GB/s, capped: {law}, which is more than the plain read reached here")
        } else {
            format!("{mode}, {threads}: {said} GB/s: {law}")
        }
    }
}

/// A number with what it counts.
pub(super) fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::answer::Answer;

    /// 1 GB, read in so many seconds.
    fn measured(seconds: &[(usize, &[f64])], ceiling: &[f64]) -> Measured {
        let times = |(threads, seconds): &(usize, &[f64])| Times { threads: *threads, seconds: seconds.to_vec() };
        let ceiling =
            seconds.iter().zip(ceiling).map(|((threads, _), s)| Times { threads: *threads, seconds: vec![*s] });
        Measured {
            bytes: 1_000_000_000,
            answer: Answer::records(1),
            ceiling: Some(ceiling.collect()),
            series: vec![Series { validate: ValidateArg::Full, times: seconds.iter().map(times).collect() }],
        }
    }

    #[test]
    fn speed_up_is_over_one_thread() {
        let analysis = Analysis::of(&measured(&[(1, &[0.5, 0.25, 1.0]), (2, &[0.2, 0.16])], &[0.05, 0.04]), 2, &[]);
        let [one, two] = analysis.rows[..] else { panic!() };
        assert_eq!((one.best, one.median, one.speed_up, one.efficiency), (4.0, 2.0, 1.0, 1.0));
        assert_eq!((two.best, two.speed_up, two.efficiency, two.ceiling), (6.25, 1.5625, 0.78125, Some(25.0)));
        assert_eq!(analysis.cap, Some(25.0));
        // Without one thread, the smallest count is taken for ideal.
        let analysis = Analysis::of(&measured(&[(2, &[0.25]), (4, &[0.125])], &[0.1, 0.1]), 4, &[]);
        assert_eq!((analysis.rows[0].speed_up, analysis.rows[1].speed_up), (2.0, 4.0));
    }

    #[test]
    fn two_points_cannot_judge_a_fit() {
        let analysis = Analysis::of(&measured(&[(1, &[0.1]), (2, &[0.0625])], &[0.05, 0.04]), 2, &[]);
        let [amdahl, usl] = &analysis.fits[..] else { panic!() };
        assert!(amdahl.verdict().starts_with("2 points cannot judge a fit"), "{}", amdahl.verdict());
        assert!(usl.fit.is_none() && usl.verdict().contains("2 thread counts cannot be enough"), "{}", usl.verdict());
        // X(1) = 10, X(2) = 16: σ = 0.25 (see `laws`), so at most 40.
        assert!(amdahl.formula().contains("σ = 0.2500; below 40.0 GB/s"), "{}", amdahl.formula());
    }

    #[test]
    fn predictions_are_capped_by_what_reading_reached() {
        let runs: &[(usize, &[f64])] = &[(1, &[0.1, 0.2]), (2, &[0.0625, 0.1])];
        let low = Analysis::of(&measured(runs, &[0.04, 0.04]), 2, &[64]).predictions[0];
        // 640 / (1 + 0.25 · 63) = 38.2; the second round has 5 and 10 GB/s, which is ideal.
        assert!((low.uncapped - 640.0 / 16.75).abs() < 1e-9 && low.gb_per_s == 25.0 && low.is_capped(), "{low:?}");
        let (from, to) = low.rounds.unwrap();
        assert!((from - 640.0 / 16.75).abs() < 1e-9 && (to - 320.0).abs() < 1e-6, "{from} {to}");
        assert!(low.sentence().contains("25.0 GB/s, capped"), "{}", low.sentence());
        let high = Analysis::of(&measured(runs, &[0.01, 0.01]), 2, &[64]).predictions[0];
        assert!(!high.is_capped() && high.gb_per_s == high.uncapped);
    }

    #[test]
    fn threads_that_share_a_core_are_shown_but_not_fitted() {
        let runs: &[(usize, &[f64])] = &[(1, &[0.1]), (2, &[0.05]), (4, &[0.05])];
        let analysis = Analysis::of(&measured(runs, &[0.01; 3]), 2, &[]);
        assert_eq!((analysis.rows.len(), analysis.fits[0].points), (3, 2));
    }

    #[test]
    fn what_a_fit_is_worth_is_said() {
        let verdict = |x: [f64; 3]| {
            let seconds = x.map(|x| [1.0 / x]);
            let runs: Vec<(usize, &[f64])> = [1, 2, 4].into_iter().zip(seconds.iter().map(|s| &s[..])).collect();
            Analysis::of(&measured(&runs, &[0.01; 3]), 4, &[]).fits[0].verdict()
        };
        assert!(
            verdict([10.0, 16.0, 40.0 / 1.75])
                .ends_with("largest deviation 0.0 %; one point more than parameters is a weak test")
        );
        assert!(verdict([10.0, 30.0, 12.0]).ends_with("worth little"));
    }
}
