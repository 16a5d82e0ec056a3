//! Exact sums: the same for any order of the numbers and any way to split them, rounded once at the end.
//!
//! Integers are added in 192 bits. Doubles are added in a fixed-point number that is wide enough for every double (Kulisch's
//! long accumulator, with the lazy carries of Neal, "Fast exact summation using small and large superaccumulators", 2015). It
//! is made when the first double comes, so that groups of integers stay small.

use crate::decimal::Number;

/// Digits of the wide accumulator, of 32 bits each: 2,098 bits for doubles, and 64 for how many there may be.
const LIMBS: usize = 70;
/// The weight of the lowest bit of the wide accumulator, that of the smallest double: 2^-1074.
const LOWEST: i32 = -1074;
/// So many additions of 32 bits to a digit of 64 cannot overflow it.
const BEFORE_CARRY: u32 = 1 << 30;

/// A sum of numbers, and how many there were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    count: u64,
    /// The sum of the integers is `low` + `high` times 2^128.
    low: i128,
    high: i64,
    wide: Option<Box<Wide>>,
}

/// What a sum or mean comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Total {
    Number(Number),
    /// There were no numbers.
    Nothing,
    /// It does not fit: integers beyond 128 bits, or a double beyond their range.
    Overflow,
}

impl Sum {
    pub(crate) fn add(&mut self, number: Number) {
        self.count += 1;
        match number {
            Number::Int(integer) => self.add_integer(integer, 0),
            Number::Real(real) => self.wide.get_or_insert_default().add(real),
        }
    }

    fn add_integer(&mut self, low: i128, high: i64) {
        let (sum, overflow) = self.low.overflowing_add(low);
        self.low = sum;
        self.high += high;
        if overflow {
            self.high += if low < 0 { -1 } else { 1 };
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.add_integer(other.low, other.high);
        match (&mut self.wide, other.wide) {
            (Some(wide), Some(other)) => wide.merge(&other),
            (mine @ None, other) => *mine = other,
            _ => {}
        }
    }

    /// The sum: an integer if all numbers were integers, else the double nearest to the exact sum.
    pub(crate) fn total(&self) -> Total {
        match &self.wide {
            _ if self.count == 0 => Total::Nothing,
            None if self.high == 0 => Total::Number(Number::Int(self.low)),
            None => Total::Overflow,
            Some(_) => self.rounded(1),
        }
    }

    /// The double nearest to the exact mean.
    pub(crate) fn mean(&self) -> Total {
        if self.count == 0 { Total::Nothing } else { self.rounded(self.count) }
    }

    /// The exact sum, divided, as the nearest double.
    fn rounded(&self, divisor: u64) -> Total {
        let mut wide = self.wide.clone().unwrap_or_default();
        wide.add_scaled(self.low.unsigned_abs(), 0, self.low < 0);
        wide.add_scaled(self.high.unsigned_abs().into(), 128, self.high < 0);
        let real = wide.divided(divisor);
        if real.is_finite() { Total::Number(Number::Real(real)) } else { Total::Overflow }
    }
}

/// A signed fixed-point number. Digits hold 32 bits once carries are done, and more on the way there.
#[derive(Clone, Debug)]
struct Wide {
    limbs: [i64; LIMBS],
    /// Additions since the last carries.
    added: u32,
}

impl Default for Wide {
    fn default() -> Self {
        Self { limbs: [0; LIMBS], added: 0 }
    }
}

impl Wide {
    fn add(&mut self, real: f64) {
        let bits = real.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        // A double is mantissa times 2 to the power of max(exponent, 1) - 1075.
        self.add_scaled(mantissa.into(), exponent.max(1) - 1075, real.is_sign_negative());
    }

    /// Adds a magnitude times 2 to the power of `exponent`, which is not below [`LOWEST`].
    fn add_scaled(&mut self, mut magnitude: u128, exponent: i32, negative: bool) {
        let shift = (exponent - LOWEST) as usize;
        let (mut limb, offset) = (shift / 32, shift % 32);
        // The first digit takes what is left of it, so that the rest falls on whole digits.
        let mut room = 32 - offset;
        let mut offset = offset;
        while magnitude != 0 {
            let part = ((magnitude & ((1 << room) - 1)) as i64) << offset;
            self.limbs[limb] += if negative { -part } else { part };
            magnitude >>= room;
            (limb, room, offset) = (limb + 1, 32, 0);
        }
        self.added += 1;
        if self.added == BEFORE_CARRY {
            self.carry();
        }
    }

    fn merge(&mut self, other: &Self) {
        let mut other = other.clone();
        other.carry();
        self.carry();
        for (mine, other) in self.limbs.iter_mut().zip(other.limbs) {
            *mine += other;
        }
        self.carry();
    }

    /// Brings all digits but the last, which has the sign, to 0..2^32.
    fn carry(&mut self) {
        let mut carry = 0;
        let last = LIMBS - 1;
        for limb in &mut self.limbs[..last] {
            let sum = *limb + carry;
            *limb = sum & 0xffff_ffff;
            carry = sum >> 32;
        }
        self.limbs[last] += carry;
        self.added = 0;
    }

    /// The double nearest to the quotient, ties to even; infinite beyond their range.
    fn divided(mut self, divisor: u64) -> f64 {
        self.carry();
        let negative = self.limbs[LIMBS - 1] < 0;
        if negative {
            self.limbs.iter_mut().for_each(|limb| *limb = -*limb);
            self.carry();
        }
        // Three digits more below, so that the quotient has bits enough to be rounded right, however large the divisor.
        let mut quotient = [0_u32; LIMBS + 3];
        let mut rest: u128 = 0;
        for at in (0..quotient.len()).rev() {
            let limb = if at >= 3 { self.limbs[at - 3] as u64 } else { 0 };
            rest = rest << 32 | u128::from(limb);
            quotient[at] = (rest / u128::from(divisor)) as u32;
            rest %= u128::from(divisor);
        }
        let real = round(&quotient, LOWEST - 96, rest != 0);
        if negative { -real } else { real }
    }
}

/// The double nearest to an integer times 2 to the power of `exponent`, and a little more if there is `more`.
fn round(integer: &[u32], exponent: i32, more: bool) -> f64 {
    let bit = |at: i32| at >= 0 && integer[at as usize / 32] >> (at % 32) & 1 == 1;
    let Some(top) = (0..integer.len() as i32 * 32).rev().find(|&at| bit(at)) else { return 0.0 };
    // The place of the last bit that a double of this size keeps.
    let last = (top - 52).max(LOWEST - exponent);
    let mut mantissa = (last..=top).rev().fold(0_u64, |value, at| value << 1 | u64::from(bit(at)));
    let sticky = more || (0..last - 1).any(bit);
    if bit(last - 1) && (sticky || mantissa & 1 == 1) {
        mantissa += 1;
    }
    // Adding the mantissa's leading bit to the exponent field carries rounding up into the next power of two.
    let biased = (last + exponent - LOWEST) as u64;
    if biased >= 0x7ff {
        return f64::INFINITY;
    }
    f64::from_bits((biased << 52) + mantissa)
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use num_traits::{Signed, ToPrimitive};
    use proptest::prelude::*;

    use super::*;

    fn sum(numbers: &[Number]) -> Sum {
        let mut sum = Sum::default();
        numbers.iter().for_each(|number| sum.add(*number));
        sum
    }

    fn exact(number: Number) -> BigRational {
        match number {
            Number::Int(integer) => BigRational::from_integer(integer.into()),
            Number::Real(real) => BigRational::from_float(real).unwrap(),
        }
    }

    /// Whether no other double is nearer, and of two that are as near the even one was taken.
    fn is_nearest(real: f64, to: &BigRational) -> bool {
        let error = |real: f64| (BigRational::from_float(real).unwrap() - to).abs();
        [real.next_up(), real.next_down()]
            .into_iter()
            .filter(|other| other.is_finite())
            .all(|other| error(real) < error(other) || error(real) == error(other) && real.to_bits() & 1 == 0)
    }

    fn number() -> impl Strategy<Value = Number> {
        let finite = any::<f64>().prop_filter("finite", |real| real.is_finite() && real.abs() < 1e300);
        prop_oneof![
            any::<i64>().prop_map(|integer| Number::Int(integer.into())),
            any::<i128>().prop_map(Number::Int),
            finite.prop_map(Number::Real),
            (-1000_i32..1000).prop_map(|cents| Number::Real(f64::from(cents) / 100.0)),
            prop_oneof![
                Just(5e-324),
                Just(-5e-324),
                Just(1.0 + f64::EPSILON),
                Just(2f64.powi(53)),
                Just(-2f64.powi(-60))
            ]
            .prop_map(Number::Real),
        ]
    }

    proptest! {
        #[test]
        fn sums_and_means_are_those_of_exact_arithmetic(mut numbers in prop::collection::vec(number(), 1..40), cut in 0_usize..40) {
            let total: BigRational = numbers.iter().map(|number| exact(*number)).sum();
            let mut whole = sum(&numbers);
            if numbers.iter().all(|number| matches!(number, Number::Int(_))) {
                let expected = total.to_integer().to_i128().map_or(Total::Overflow, |sum| Total::Number(Number::Int(sum)));
                prop_assert_eq!(whole.total(), expected);
            } else {
                let Total::Number(Number::Real(real)) = whole.total() else { panic!("{:?}", whole.total()) };
                prop_assert!(is_nearest(real, &total), "{real:e} for {numbers:?}");
            }
            let Total::Number(Number::Real(mean)) = whole.mean() else { panic!("{:?}", whole.mean()) };
            let exact_mean = &total / BigRational::from_integer(BigInt::from(numbers.len()));
            prop_assert!(is_nearest(mean, &exact_mean), "{mean:e} for {numbers:?}");

            numbers.reverse();
            let (a, b) = numbers.split_at(cut.min(numbers.len()));
            let mut merged = sum(a);
            merged.merge(sum(b));
            prop_assert_eq!(merged.total(), whole.total());
            prop_assert_eq!(merged.mean(), whole.mean());
            whole.merge(Sum::default());
            prop_assert_eq!(merged.total(), whole.total());
        }
    }

    #[test]
    fn what_does_not_fit_is_noticed_only_at_the_end() {
        let (most, one) = (Number::Int(i128::MAX), Number::Int(1));
        assert_eq!(sum(&[most, one]).total(), Total::Overflow);
        assert_eq!(sum(&[most, one, one, Number::Int(-2)]).total(), Total::Number(most));
        let huge = Number::Real(f64::MAX);
        assert_eq!(sum(&[huge, huge]).total(), Total::Overflow);
        assert_eq!(sum(&[huge, huge, Number::Real(-f64::MAX)]).total(), Total::Number(huge));
        assert_eq!(sum(&[huge, huge]).mean(), Total::Number(huge));
        assert_eq!(sum(&[]).total(), Total::Nothing);
    }

    #[test]
    fn tenths_are_rounded_once() {
        let tenths = vec![Number::Real(0.1); 10];
        assert_eq!(sum(&tenths).total(), Total::Number(Number::Real(1.0)));
        let cancel = [1e100, 1.0, -1e100].map(Number::Real);
        assert_eq!(sum(&cancel).total(), Total::Number(Number::Real(1.0)));
    }

    #[test]
    fn carries_come_in_time() {
        let mut wide = Wide { added: BEFORE_CARRY - 2, ..Wide::default() };
        wide.limbs[34] = (i64::from(BEFORE_CARRY) - 2) << 32;
        let before = wide.clone().divided(1);
        wide.add(1.0);
        wide.add(1.0);
        assert_eq!(wide.added, 0);
        assert!(wide.limbs[..LIMBS - 1].iter().all(|limb| (0..1 << 32).contains(limb)));
        assert!(wide.divided(1) >= before);
    }
}
