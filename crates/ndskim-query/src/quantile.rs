//! Quantiles: the smallest value that at least the asked share of the values does not exceed, exactly or by a histogram.
//!
//! That is the nearest-rank quantile, which is always one of the values (type 1 of Hyndman and Fan, 1996). Both ways give the
//! same answer for any order of the values and any way to split them.

use std::collections::BTreeMap;

use crate::decimal::Number;

/// How the histogram is named in answers.
pub(crate) const SKETCH: &str =
    "histogram of 128 bins for each power of two (a DDSketch): relative error at most 0.39 %";

/// All values: 8 bytes each, and 16 for integers that no double equals.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exact {
    doubles: Vec<f64>,
    integers: Vec<i128>,
}

impl Exact {
    pub(crate) fn add(&mut self, number: Number) {
        match number {
            Number::Real(real) => self.doubles.push(real),
            // Below 2^53 every integer is a double.
            Number::Int(integer) if integer.unsigned_abs() <= 1 << 53 => self.doubles.push(integer as f64),
            Number::Int(integer) => self.integers.push(integer),
        }
    }

    pub(crate) fn merge(&mut self, mut other: Self) {
        self.doubles.append(&mut other.doubles);
        self.integers.append(&mut other.integers);
    }

    /// The quantiles, in the order asked for.
    pub(crate) fn quantiles(mut self, shares: &[f64]) -> Vec<Option<Number>> {
        if self.integers.is_empty() {
            return shares
                .iter()
                .map(|share| {
                    let rank = rank(*share, self.doubles.len() as u64)? as usize;
                    let (_, value, _) = self.doubles.select_nth_unstable_by(rank, f64::total_cmp);
                    Some(whole(*value))
                })
                .collect();
        }
        let mut values: Vec<_> = self.doubles.into_iter().map(whole).collect();
        values.extend(self.integers.into_iter().map(Number::Int));
        // Of an integer and a double that are equal, the integer goes first: nothing depends on the order of the records.
        values.sort_unstable_by(|a, b| a.compare(*b).then(b.is_integer().cmp(&a.is_integer())));
        shares.iter().map(|share| rank(*share, values.len() as u64).map(|rank| values[rank as usize])).collect()
    }
}

/// A double as the integer that it was before, if it is one.
fn whole(real: f64) -> Number {
    if real.fract() == 0.0 && real.abs() <= (1_u64 << 53) as f64 {
        Number::Int(real as i128)
    } else {
        Number::Real(real)
    }
}

/// The place of a quantile among so many sorted values, from 0.
///
/// The share is a double, and its product with a count is not exact; a product that is within the rounding of an integer is
/// taken as that integer, so that 0.1 of 10 values is the first.
fn rank(share: f64, count: u64) -> Option<u64> {
    let product = share * count as f64;
    let near = product.round();
    let at_least = if (product - near).abs() <= product * f64::EPSILON { near } else { product.ceil() };
    (count > 0).then(|| (at_least as u64).clamp(1, count) - 1)
}

/// Counts of values by sign, exponent and the first 7 bits of the mantissa. This is a DDSketch (Masson, Rim and Lee, 2019)
/// whose logarithm is linear between powers of two, so that the bin of a value takes no arithmetic that could differ between
/// machines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sketch {
    bins: BTreeMap<i64, u64>,
}

const BIN_BITS: u32 = 52 - 7;

impl Sketch {
    pub(crate) fn add(&mut self, number: Number) {
        let real = number.to_f64();
        let bin = (real.abs().to_bits() >> BIN_BITS) as i64;
        // Negative values mirror the others, with -1 as the counterpart of 0.
        *self.bins.entry(if real < 0.0 { -1 - bin } else { bin }).or_default() += 1;
    }

    pub(crate) fn merge(&mut self, other: Self) {
        other.bins.into_iter().for_each(|(bin, count)| *self.bins.entry(bin).or_default() += count);
    }

    pub(crate) fn quantile(&self, share: f64) -> Option<Number> {
        let mut rank = rank(share, self.bins.values().sum())?;
        for (bin, count) in &self.bins {
            if rank < *count {
                let magnitude = middle(if *bin < 0 { -1 - bin } else { *bin });
                return Some(whole_or_real(if *bin < 0 { -magnitude } else { magnitude }));
            }
            rank -= count;
        }
        None
    }
}

fn whole_or_real(real: f64) -> Number {
    if real == 0.0 { Number::Int(0) } else { Number::Real(real) }
}

/// The middle of a bin; its lower end where it begins with zero, so that zero is exact.
fn middle(bin: i64) -> f64 {
    let low = f64::from_bits((bin as u64) << BIN_BITS);
    if bin == 0 { 0.0 } else { f64::from_bits((bin as u64) << BIN_BITS | 1 << (BIN_BITS - 1)).max(low) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_nearest_rank_is_a_value() {
        let of = |values: &[f64], share: f64| {
            let mut exact = Exact::default();
            values.iter().for_each(|value| exact.add(Number::Real(*value)));
            exact.quantiles(&[share])[0].map(Number::to_f64)
        };
        // The ordinal ranks of the textbook example 15, 20, 35, 40, 50.
        let values = [50.0, 15.0, 40.0, 20.0, 35.0];
        let answers = [0.05, 0.3, 0.4, 0.5, 1.0, 0.0].map(|share| of(&values, share).unwrap());
        assert_eq!(answers, [15.0, 20.0, 20.0, 35.0, 50.0, 15.0]);
        assert_eq!(of(&[], 0.5), None);
    }

    #[test]
    fn shares_of_tenths_meet_their_rank() {
        for count in [10_u64, 20, 30, 70, 1000] {
            for tenth in 1..=10 {
                assert_eq!(rank(tenth as f64 / 10.0, count), Some(tenth * count / 10 - 1), "{tenth} {count}");
            }
        }
        assert_eq!(rank(0.99, 100), Some(98));
        assert_eq!(rank(0.999, 1000), Some(998));
    }

    #[test]
    fn large_integers_stay_exact() {
        let mut exact = Exact::default();
        let odd = (1_i128 << 53) + 1;
        [odd, 1, odd + 2, 1 << 53].into_iter().for_each(|integer| exact.add(Number::Int(integer)));
        exact.add(Number::Real(1e17));
        let answers = exact.quantiles(&[0.2, 0.4, 0.6, 0.8, 1.0]);
        let expected =
            [Number::Int(1), Number::Int(1 << 53), Number::Int(odd), Number::Int(odd + 2), Number::Real(1e17)];
        assert_eq!(answers, expected.map(Some));
    }

    proptest! {
        #[test]
        fn the_histogram_is_within_its_error(values in prop::collection::vec(-1e12_f64..1e12, 1..200), share in 0.0_f64..=1.0) {
            let (mut exact, mut sketch) = (Exact::default(), Sketch::default());
            for value in &values {
                exact.add(Number::Real(*value));
                sketch.add(Number::Real(*value));
            }
            let exact = exact.quantiles(&[share])[0].unwrap().to_f64();
            let near = sketch.quantile(share).unwrap().to_f64();
            prop_assert!((near - exact).abs() <= exact.abs() * 0.0039 + f64::MIN_POSITIVE, "{near} for {exact}");
        }
    }
}
