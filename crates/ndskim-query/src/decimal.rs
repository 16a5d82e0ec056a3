//! Numbers: what a JSON number is worth in a sum, a comparison or a bucket.
//!
//! [`Number`] is the model of all arithmetic here: the exact integer where the value is one within 128 bits, else the nearest
//! double. [`Decimal`] is exact, for buckets.

use std::cmp::Ordering;
use std::fmt;

use ndskim::{Key, Scan};

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i128),
    /// Finite.
    Real(f64),
}

impl Number {
    /// The value of JSON's number text; `None` beyond the range of doubles.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if let Some(integer) = plain_integer(text) {
            return Some(Number::Int(integer));
        }
        let real: f64 = text.parse().ok()?;
        if real.fract() == 0.0 {
            let integer = Decimal::parse(text).and_then(Decimal::to_integer);
            if let Some(integer) = integer {
                return Some(Number::Int(integer));
            }
        }
        real.is_finite().then_some(Number::Real(real))
    }

    /// Whether this goes before another number where what goes before others is `order`; of an integer and a double that are
    /// equal (which may have been rounded) it is the integer, so that the choice among many does not depend on their order.
    pub(crate) fn beats(self, other: Self, order: Ordering) -> bool {
        let found = self.compare(other);
        found == order || found.is_eq() && self.is_integer() && !other.is_integer()
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Number::Int(_))
    }

    /// The order by value.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(&b),
            (Number::Real(a), Number::Real(b)) => a.total_cmp(&b),
            (Number::Int(a), Number::Real(b)) => compare_mixed(a, b),
            (Number::Real(a), Number::Int(b)) => compare_mixed(b, a).reverse(),
        }
    }

    /// The nearest double.
    pub(crate) fn to_f64(self) -> f64 {
        match self {
            Number::Int(integer) => integer as f64,
            Number::Real(real) => real,
        }
    }
}

/// An integer against a finite double, exactly.
fn compare_mixed(integer: i128, real: f64) -> Ordering {
    const LIMIT: f64 = 170141183460469231731687303715884105728.0; // 2^127
    if real >= LIMIT {
        return Ordering::Less;
    }
    if real < -LIMIT {
        return Ordering::Greater;
    }
    let whole = real.floor();
    integer.cmp(&(whole as i128)).then(if real > whole { Ordering::Less } else { Ordering::Equal })
}

/// Digits with at most a sign before them, if they fit.
fn plain_integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let magnitude = match digits.len() {
        0..=18 => digits.iter().try_fold(0_u64, |value, byte| {
            let digit = byte.wrapping_sub(b'0');
            (digit <= 9).then(|| value * 10 + u64::from(digit))
        })? as i128,
        _ => return signed(negative, digits.iter().copied()),
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// The integer of these digits, if they are digits and it fits.
fn signed(negative: bool, mut digits: impl Iterator<Item = u8>) -> Option<i128> {
    digits.try_fold(0_i128, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        let value = value.checked_mul(10)?;
        // There is one more integer below zero than above.
        match (digit <= 9, negative) {
            (false, _) => None,
            (true, false) => value.checked_add(digit.into()),
            (true, true) => value.checked_sub(digit.into()),
        }
    })
}

/// An exact decimal fraction of up to 38 digits: `mantissa` times ten to the power of minus `scale`.
///
/// The mantissa ends in no zero, so equal values are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    mantissa: i128,
    scale: i32,
}

/// Exponents from here on are too large.
const MAX_EXPONENT: u32 = 1_000_000_000;

impl Decimal {
    /// Reads a JSON number; `None` for one of too many digits or too large an exponent.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let significant = if fraction.is_empty() { whole.trim_end_matches('0') } else { whole };
        let digits = significant.bytes().chain(fraction.bytes()).filter(|byte| *byte != b'-');
        let mantissa = signed(whole.starts_with('-'), digits)?;
        if mantissa == 0 {
            return Some(Self { mantissa, scale: 0 });
        }
        let exponent = exponent.parse::<i32>().ok().filter(|exponent| exponent.unsigned_abs() < MAX_EXPONENT)?;
        let zeros = i32::try_from(whole.len() - significant.len()).ok()?;
        let scale = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?.checked_sub(zeros)?;
        Some(Self { mantissa, scale }.normal())
    }

    fn normal(mut self) -> Self {
        if self.mantissa == 0 {
            return Self { mantissa: 0, scale: 0 };
        }
        while self.mantissa % 10 == 0 {
            self.mantissa /= 10;
            self.scale -= 1;
        }
        self
    }

    pub(crate) fn is_positive(&self) -> bool {
        self.mantissa > 0
    }

    /// The integer that this is, if it is one within 128 bits.
    pub(crate) fn to_integer(self) -> Option<i128> {
        if self.scale > 0 { None } else { self.mantissa.checked_mul(10_i128.checked_pow(self.scale.unsigned_abs())?) }
    }

    /// The largest integer whose product with ten to the power of minus `scale` is not above this.
    fn floor_at(self, scale: i32) -> Option<i128> {
        let power = 10_i128.checked_pow(scale.abs_diff(self.scale));
        match (scale < self.scale, power) {
            (false, power) => self.mantissa.checked_mul(power?),
            (true, Some(power)) => Some(self.mantissa.div_euclid(power)),
            // More places than the mantissa has digits: nothing is left but the sign.
            (true, None) => Some(if self.mantissa < 0 { -1 } else { 0 }),
        }
    }

    /// The largest multiple of `width` that is not above this; `None` if that takes more than 128 bits.
    pub(crate) fn bucket(self, width: Self) -> Option<Self> {
        // Digits behind the last of the width have no part in the answer: floor(x / n) is floor(floor(x) / n) for an integer n.
        let scale = width.scale;
        let value = self.floor_at(scale)?;
        Some(Self { mantissa: value.checked_div_euclid(width.mantissa)?.checked_mul(width.mantissa)?, scale }.normal())
    }
}

impl fmt::Display for Decimal {
    /// The canonical text of the number, as that of an [`ndskim::Key`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = [0; 39];
        let digits = digits(self.mantissa.unsigned_abs(), &mut buffer);
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let (count, scale) = (digits.len() as i32, self.scale);
        if scale <= 0 && count - scale <= 21 {
            write!(f, "{sign}{digits}{:0<width$}", "", width = -scale as usize)
        } else if scale > 0 && scale < count {
            let (whole, fraction) = digits.split_at((count - scale) as usize);
            write!(f, "{sign}{whole}.{fraction}")
        } else if scale > 0 && scale <= count + 5 {
            write!(f, "{sign}0.{:0<width$}{digits}", "", width = (scale - count) as usize)
        } else {
            let (first, fraction) = digits.split_at(1);
            let point = if fraction.is_empty() { "" } else { "." };
            write!(f, "{sign}{first}{point}{fraction}e{}", count - 1 - scale)
        }
    }
}

/// The digits of a number, at the end of the buffer.
fn digits(mut number: u128, buffer: &mut [u8; 39]) -> &str {
    let mut start = buffer.len();
    loop {
        start -= 1;
        buffer[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return std::str::from_utf8(&buffer[start..]).unwrap_or_default();
        }
    }
}

/// The canonical text of a JSON number: that of an [`ndskim::Key`].
pub(crate) fn canonical(number: &str) -> String {
    let mut text = number.to_owned();
    let mut blocks = Scan::bytes(number.as_bytes()).blocks();
    while let Ok(Some(block)) = blocks.next() {
        block.for_each(
            |record| {
                if let Ok(key) = Key::of(Some(record.value())) {
                    text = key.to_string();
                }
            },
            |_| (),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_rational::BigRational;
    use proptest::prelude::*;

    use super::*;

    /// The exact value, by other means.
    fn rational(text: &str) -> BigRational {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
        let power = exponent.parse::<i32>().unwrap() - fraction.len() as i32;
        let ten = BigRational::from_integer(10.into());
        BigRational::from_integer(digits) * ten.pow(power)
    }

    #[test]
    fn integers_are_exact_and_the_rest_is_the_nearest_double() {
        let rows = [
            ("0", Some(Number::Int(0))),
            ("-0.0", Some(Number::Int(0))),
            ("12.50e1", Some(Number::Int(125))),
            ("1.5", Some(Number::Real(1.5))),
            ("9007199254740993", Some(Number::Int(9007199254740993))),
            ("9007199254740993.0", Some(Number::Int(9007199254740993))),
            ("170141183460469231731687303715884105727", Some(Number::Int(i128::MAX))),
            ("170141183460469231731687303715884105728", Some(Number::Real(170141183460469231731687303715884105728.0))),
            ("-170141183460469231731687303715884105728", Some(Number::Int(i128::MIN))),
            ("-1.70141183460469231731687303715884105728e38", Some(Number::Int(i128::MIN))),
            (
                "-170141183460469231731687303715884105729",
                Some(Number::Real(-170141183460469231731687303715884105728.0)),
            ),
            ("0e99999", Some(Number::Int(0))),
            ("-0.000e-99999999999999999999", Some(Number::Int(0))),
            ("10000000000000000000000000000000000000000000000e-40", Some(Number::Int(1_000_000))),
            ("1.0000000000000000000000001", Some(Number::Real(1.0))),
            ("1e400", None),
            ("1e-400", Some(Number::Real(0.0))),
            ("10e-2147483648", Some(Number::Real(0.0))),
        ];
        for (text, number) in rows {
            assert_eq!(Number::parse(text), number, "{text}");
        }
    }

    #[test]
    fn buckets_are_exact() {
        let rows = [
            ("0.3", "0.1", "0.3"),
            ("0.35", "0.1", "0.3"),
            ("-0.35", "0.1", "-0.4"),
            ("7", "5", "5"),
            ("-7", "5", "-10"),
            ("1e3", "0.25", "1000"),
            ("12345678901234567890123", "1000", "1.2345678901234567890e22"),
            ("1.2345678901234567e-30", "0.1", "0"),
            ("-1.2345678901234567e-30", "0.1", "-0.1"),
            ("1e-99999", "0.25", "0"),
            ("-1e-99999", "0.25", "-0.25"),
            ("7.00000000000000000000000000000000001", "3", "6"),
            ("-6.00000000000000000000000000000000001", "3", "-9"),
        ];
        for (value, width, bucket) in rows {
            let of = Decimal::parse(value).unwrap().bucket(Decimal::parse(width).unwrap()).unwrap();
            assert_eq!(rational(&of.to_string()), rational(bucket), "{value} by {width}");
        }
    }

    fn number() -> impl Strategy<Value = String> {
        prop_oneof![
            "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?",
            "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?(e-?[0-9]{1,2})?",
            "-?[1-9](\\.00[0-9])?e-?[34][0-9]{2}",
        ]
    }

    proptest! {
        #[test]
        fn a_decimal_prints_canonically(text in "-?(0|[1-9][0-9]{0,12})(\\.[0-9]{1,12})?(e-?[0-9]{1,2})?") {
            prop_assert_eq!(Decimal::parse(&text).unwrap().to_string(), canonical(&text));
        }

        #[test]
        fn canonical_numbers_compare_by_value(a in number(), b in number()) {
            let literal = ndskim::Literal::number(&canonical(&b)).unwrap();
            prop_assert_eq!(literal.compare_number(&canonical(&a)), Some(rational(&a).cmp(&rational(&b))), "{} {}", a, b);
        }

        #[test]
        fn a_bucket_is_the_multiple_below(value in "-?[0-9]{1,9}(\\.[0-9]{1,6})?", width in "[1-9][0-9]{0,4}(\\.[0-9]{1,4})?") {
            let value = value.trim_start_matches('0').to_owned();
            prop_assume!(value.starts_with(|c: char| c.is_ascii_digit()));
            let bucket = Decimal::parse(&value).unwrap().bucket(Decimal::parse(&width).unwrap()).unwrap();
            let expected = (rational(&value) / rational(&width)).floor() * rational(&width);
            prop_assert_eq!(rational(&bucket.to_string()), expected);
        }

        #[test]
        fn mixed_numbers_compare_by_value(a in any::<i64>(), b in any::<f64>()) {
            prop_assume!(b.is_finite());
            let order = Number::Int(a.into()).compare(Number::Real(b));
            prop_assert_eq!(order, BigRational::from_integer(a.into()).cmp(&BigRational::from_float(b).unwrap()));
        }
    }
}
