//! Numbers as they stand in the text: exact integers, nearest doubles, and the canonical form by which equal values are one.
//!
//! Nothing is rounded silently. An integer is exact or not given at all; a fraction becomes the nearest double, as in every
//! reader of JSON. The text must be a number by RFC 8259's grammar; the caller has seen to that.

use std::cmp::Ordering;
use std::io::Write;

use crate::error::ValueError;

type Result<T> = std::result::Result<T, ValueError>;

/// The exact value, if it is an integer in the range of `i64`, however it is written (`1`, `1.0`, `10e-1`).
pub(crate) fn as_i64(text: &[u8]) -> Result<i64> {
    let (negative, magnitude) = integer(text)?;
    let value = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
    i64::try_from(value).map_err(|_| ValueError::Unrepresentable)
}

/// The exact value, if it is an integer in the range of `u64`, however it is written; `-0` is 0.
pub(crate) fn as_u64(text: &[u8]) -> Result<u64> {
    match integer(text)? {
        (true, 1..) => Err(ValueError::Unrepresentable),
        (_, magnitude) => Ok(magnitude),
    }
}

/// The nearest double of a number with a fraction or exponent; the exact double of an integer, if there is one.
pub(crate) fn as_f64(text: &[u8]) -> Result<f64> {
    let literal = std::str::from_utf8(text).map_err(|_| ValueError::Malformed)?;
    let value: f64 = literal.parse().map_err(|_| ValueError::Malformed)?;
    if value.is_infinite() {
        return Err(ValueError::Unrepresentable);
    }
    // Up to 15 digits every integer is exact. Rust writes all digits of a double, so beyond that the text decides.
    let digits = literal.strip_prefix('-').unwrap_or(literal);
    if is_integer_literal(text) && digits.len() > 15 && format!("{:.0}", value.abs()) != digits {
        return Err(ValueError::Unrepresentable);
    }
    Ok(value)
}

/// As [`as_f64`], for single precision.
#[cfg(feature = "serde")]
pub(crate) fn as_f32(text: &[u8]) -> Result<f32> {
    let literal = std::str::from_utf8(text).map_err(|_| ValueError::Malformed)?;
    let value: f32 = literal.parse().map_err(|_| ValueError::Malformed)?;
    if value.is_infinite() {
        return Err(ValueError::Unrepresentable);
    }
    // Up to 7 digits every integer is exact.
    let digits = literal.strip_prefix('-').unwrap_or(literal);
    if is_integer_literal(text) && digits.len() > 7 && format!("{:.0}", value.abs()) != digits {
        return Err(ValueError::Unrepresentable);
    }
    Ok(value)
}

/// Whether the number is written without fraction and exponent.
pub(crate) fn is_integer_literal(text: &[u8]) -> bool {
    !text.iter().any(|b| matches!(b, b'.' | b'e' | b'E'))
}

/// Sign and magnitude of an integer within 64 bits.
fn integer(text: &[u8]) -> Result<(bool, u64)> {
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let plain = digits.iter().try_fold(0_u64, |value, &byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { value.checked_mul(10)?.checked_add(digit.into()) }
    });
    match plain {
        Some(magnitude) => Ok((negative, magnitude)),
        None => Decimal::read(text).integer().map(|magnitude| (negative, magnitude)).ok_or(ValueError::Unrepresentable),
    }
}

/// How two numbers compare, by exact decimal value. Nothing is allocated but for exponents beyond reason.
pub(crate) fn compare_numbers(a: &[u8], b: &[u8]) -> Ordering {
    if let (Some(a), Some(b)) = (small_integer(a), small_integer(b)) {
        return a.cmp(&b);
    }
    match (Scientific::read(a), Scientific::read(b)) {
        (Some(a), Some(b)) => a.compare(&b),
        _ => Decimal::read(a).compare(&Decimal::read(b)),
    }
}

/// The value of an integer of at most 18 digits.
fn small_integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.len() > 18 {
        return None;
    }
    let magnitude = digits.iter().try_fold(0, |value: i64, &byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then(|| value * 10 + i64::from(digit))
    })?;
    Some(if digits.len() < text.len() { -magnitude } else { magnitude })
}

/// A number where it stands: its sign, its digits before and behind the point from the first that is not zero on, and the
/// power of ten of that first digit.
struct Scientific<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    power: i128,
}

impl<'a> Scientific<'a> {
    /// `None` if the exponent does not fit.
    fn read(text: &'a [u8]) -> Option<Self> {
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        let (mantissa, written) = match digits.iter().position(|b| matches!(b, b'e' | b'E')) {
            Some(e) => (&digits[..e], &digits[e + 1..]),
            None => (digits, &b"0"[..]),
        };
        let zeros = |digits: &[u8]| digits.iter().take_while(|&&b| b == b'0').count();
        let magnitude = |digits: &[u8]| small_integer(&digits[zeros(digits)..]).map(i128::from);
        let exponent = match written {
            [b'-', digits @ ..] => -magnitude(digits)?,
            [b'+', digits @ ..] | digits => magnitude(digits)?,
        };
        let point = mantissa.iter().position(|&b| b == b'.').unwrap_or(mantissa.len());
        let (whole, fraction) = (&mantissa[..point], mantissa.get(point + 1..).unwrap_or_default());
        let skipped = zeros(whole);
        let (whole, fraction, power) = match whole.len() - skipped {
            0 => (&[][..], &fraction[zeros(fraction)..], -(zeros(fraction) as i128) - 1),
            left => (&whole[skipped..], fraction, left as i128 - 1),
        };
        Some(Self { negative: digits.len() < text.len(), whole, fraction, power: power + exponent })
    }

    /// The digits up to the last that is not zero.
    fn significant(&self) -> impl Iterator<Item = &u8> {
        let digits = self.whole.iter().chain(self.fraction);
        let zeros = digits.clone().rev().take_while(|&&b| b == b'0').count();
        digits.take(self.whole.len() + self.fraction.len() - zeros)
    }

    fn sign(&self) -> i8 {
        match (self.negative, self.whole.is_empty() && self.fraction.is_empty()) {
            (_, true) => 0,
            (true, _) => -1,
            (false, _) => 1,
        }
    }

    /// Writes the canonical text of the number; see [`canonical`].
    fn write(&self, out: &mut Vec<u8>) {
        let count = self.significant().count() as i128;
        if count == 0 {
            return out.push(b'0');
        }
        if self.negative {
            out.push(b'-');
        }
        let digits = || self.significant().copied();
        // The power of ten of the last digit.
        match self.power - (count - 1) {
            zeros if (0..=21 - count).contains(&zeros) => {
                out.extend(digits());
                out.resize(out.len() + zeros as usize, b'0');
            }
            last if last < 0 && self.power >= 0 => {
                let whole = self.power as usize + 1;
                out.extend(digits().take(whole));
                out.push(b'.');
                out.extend(digits().skip(whole));
            }
            last if last < 0 && self.power >= -6 => {
                out.extend_from_slice(b"0.");
                out.resize(out.len() + (-1 - self.power) as usize, b'0');
                out.extend(digits());
            }
            _ => {
                out.extend(digits().take(1));
                if count > 1 {
                    out.push(b'.');
                    out.extend(digits().skip(1));
                }
                // Writing to a vector cannot fail.
                _ = write!(out, "e{}", self.power);
            }
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_sign = self.sign().cmp(&other.sign());
        if by_sign.is_ne() || self.sign() == 0 {
            return by_sign;
        }
        let magnitude = self.power.cmp(&other.power).then_with(|| self.significant().cmp(other.significant()));
        if self.negative { magnitude.reverse() } else { magnitude }
    }
}

/// A number as a sign, its significant digits (neither the first nor the last is a zero; none at all for zero) and the
/// power of ten of the last digit.
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: Exponent,
}

/// A power of ten. JSON sets no bound to what may be written, so beyond 128 bits it is kept as digits.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Exponent {
    Small(i128),
    Huge { negative: bool, digits: Vec<u8> },
}

impl Decimal {
    fn read(text: &[u8]) -> Self {
        let (negative, text) = match text.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, written) = match text.iter().position(|b| matches!(b, b'e' | b'E')) {
            Some(e) => (&text[..e], &text[e + 1..]),
            None => (text, &b"0"[..]),
        };
        let point = mantissa.iter().position(|&b| b == b'.').unwrap_or(mantissa.len());
        let fraction = mantissa.get(point + 1..).unwrap_or_default();
        let mut digits: Vec<u8> =
            mantissa[..point].iter().chain(fraction).copied().skip_while(|&b| b == b'0').collect();
        let significant = digits.iter().rposition(|&b| b != b'0').map_or(0, |last| last + 1);
        let shift = (digits.len() - significant) as i64 - fraction.len() as i64;
        digits.truncate(significant);
        if digits.is_empty() {
            return Self { negative: false, digits, exponent: Exponent::Small(0) };
        }
        Self { negative, digits, exponent: Exponent::read(written).plus(shift) }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let by_sign = sign(self).cmp(&sign(other));
        if by_sign.is_ne() || sign(self) == 0 {
            return by_sign;
        }
        let power = |number: &Self| number.exponent.clone().plus(number.digits.len() as i64 - 1);
        let magnitude = power(self).compare(&power(other)).then_with(|| self.digits.cmp(&other.digits));
        if self.negative { magnitude.reverse() } else { magnitude }
    }

    /// The magnitude, if it is an integer within 64 bits.
    fn integer(&self) -> Option<u64> {
        if self.digits.is_empty() {
            return Some(0);
        }
        let Exponent::Small(zeros @ 0..20) = self.exponent else { return None };
        let value = self.digits.iter().try_fold(0_u64, |v, &d| v.checked_mul(10)?.checked_add((d - b'0').into()))?;
        value.checked_mul(10_u64.checked_pow(zeros as u32)?)
    }
}

impl Exponent {
    fn read(text: &[u8]) -> Self {
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let digits = &digits[digits.iter().take_while(|&&b| b == b'0').count()..];
        if digits.len() > 30 {
            return Exponent::Huge { negative, digits: digits.to_vec() };
        }
        let magnitude = digits.iter().fold(0_i128, |value, &digit| value * 10 + i128::from(digit - b'0'));
        Exponent::Small(if negative { -magnitude } else { magnitude })
    }

    fn compare(&self, other: &Self) -> Ordering {
        let parts = |exponent: &Self| match exponent {
            Exponent::Small(value) => (*value < 0, value.unsigned_abs().to_string().into_bytes()),
            Exponent::Huge { negative, digits } => (*negative, digits.clone()),
        };
        let ((negative, a), (other_negative, b)) = (parts(self), parts(other));
        let magnitude = a.len().cmp(&b.len()).then_with(|| a.cmp(&b));
        match (negative, other_negative) {
            (false, false) => magnitude,
            (true, true) => magnitude.reverse(),
            _ => other_negative.cmp(&negative),
        }
    }

    /// Adds a shift by at most the length of a text. A huge exponent keeps its sign under it: 10^30 is longer than any text.
    fn plus(self, shift: i64) -> Self {
        match self {
            Exponent::Small(value) => Exponent::Small(value + i128::from(shift)),
            Exponent::Huge { negative, mut digits } => {
                let mut carry = i128::from(if negative { -shift } else { shift });
                for digit in digits.iter_mut().rev() {
                    let sum = i128::from(*digit - b'0') + carry;
                    *digit = b'0' + sum.rem_euclid(10) as u8;
                    carry = sum.div_euclid(10);
                }
                if carry > 0 {
                    digits.insert(0, b'0' + carry as u8);
                }
                let zeros = digits.iter().take_while(|&&b| b == b'0').count();
                digits.drain(..zeros);
                Exponent::Huge { negative, digits }
            }
        }
    }
}

/// The canonical text of a number: equal for numbers of equal value, different for others, itself a JSON number.
///
/// Plain digits where that stays short, else scientific (`1.5e400`). `-0` is `0`.
pub(crate) fn canonical(text: &[u8], out: &mut Vec<u8>) {
    // The common case, an integer of few digits, is canonical as it stands.
    if text.len() <= 16 && is_integer_literal(text) {
        return out.extend_from_slice(if text == b"-0" { b"0" } else { text });
    }
    if let Some(number) = Scientific::read(text) {
        return number.write(out);
    }
    let number = Decimal::read(text);
    if number.digits.is_empty() {
        return out.push(b'0');
    }
    if number.negative {
        out.push(b'-');
    }
    // The exponent has 19 digits at least, so that no text is long enough to bring a digit near the point.
    let digits = &number.digits;
    out.push(digits[0]);
    if digits.len() > 1 {
        out.push(b'.');
        out.extend_from_slice(&digits[1..]);
    }
    out.push(b'e');
    match number.exponent.plus(digits.len() as i64 - 1) {
        Exponent::Small(value) => out.extend_from_slice(value.to_string().as_bytes()),
        Exponent::Huge { negative, digits } => {
            out.extend_from_slice(if negative { b"-" } else { b"" });
            out.extend_from_slice(&digits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO: ValueError = ValueError::Unrepresentable;

    #[test]
    fn the_documented_table_holds() {
        type Row = (&'static str, Result<i64>, Result<u64>, Result<f64>);
        let rows: [Row; 14] = [
            ("1", Ok(1), Ok(1), Ok(1.0)),
            ("1.0", Ok(1), Ok(1), Ok(1.0)),
            ("1e2", Ok(100), Ok(100), Ok(100.0)),
            ("1.5", Err(NO), Err(NO), Ok(1.5)),
            ("1e400", Err(NO), Err(NO), Err(NO)),
            ("1e-400", Err(NO), Err(NO), Ok(0.0)),
            ("9007199254740993", Ok((1 << 53) + 1), Ok((1 << 53) + 1), Err(NO)),
            ("9007199254740992", Ok(1 << 53), Ok(1 << 53), Ok(9007199254740992.0)),
            ("18446744073709551616", Err(NO), Err(NO), Ok(18446744073709551616.0)),
            ("18446744073709551615", Err(NO), Ok(u64::MAX), Err(NO)),
            ("-9223372036854775808", Ok(i64::MIN), Err(NO), Ok(i64::MIN as f64)),
            ("-1", Ok(-1), Err(NO), Ok(-1.0)),
            ("-0", Ok(0), Ok(0), Ok(-0.0)),
            ("0.1", Err(NO), Err(NO), Ok(0.1)),
        ];
        for (text, signed, unsigned, float) in rows {
            assert_eq!(as_i64(text.as_bytes()), signed, "{text}");
            assert_eq!(as_u64(text.as_bytes()), unsigned, "{text}");
            assert_eq!(as_f64(text.as_bytes()).map(f64::to_bits), float.map(f64::to_bits), "{text}");
        }
    }

    #[test]
    fn equal_values_have_one_canonical_text() {
        let groups: [&[&str]; 14] = [
            &["1", "1.0", "1e0", "10e-1", "0.1e1", "1.000", "100E-2", "0.0001e+4"],
            &["0", "-0", "0.0", "-0e5", "0e-99999999999999999999999999999999999999999"],
            &["-1.5", "-15e-1", "-0.15E1"],
            &["100", "1e2", "1E+02", "100.0", "1e0000000000000000000000000000000000002", "1e+00000000000000000002"],
            &["0.001", "1e-3", "0.1e-2", "1e-0000000000000000000000000000000000003"],
            &["1e400", "10e399", "0.1e401"],
            &["1e-400", "0.1e-399"],
            &["123456789012345678901", "123456789012345678901.0"],
            &["1234567890123456789012", "1.234567890123456789012e21"],
            &["1e99999999999999999999999999999999999999999999", "10e99999999999999999999999999999999999999999998"],
            &["1e100000000000000000000000000000000000000000", "10e99999999999999999999999999999999999999999"],
            &["1e-100000000000000000000000000000000000000000", "0.1e-99999999999999999999999999999999999999999"],
            &["9007199254740993"],
            &["9007199254740992", "9007199254740992.0"],
        ];
        let mut seen = Vec::new();
        for group in groups {
            let texts: Vec<_> = group
                .iter()
                .map(|text| {
                    let mut out = Vec::new();
                    canonical(text.as_bytes(), &mut out);
                    assert_eq!(crate::exact::number(&out, 0).ok(), Some(out.len()), "{text}");
                    out
                })
                .collect();
            assert!(texts.iter().all(|text| *text == texts[0]), "{group:?}");
            assert!(!seen.contains(&texts[0]), "{group:?}");
            seen.push(texts[0].clone());
        }
    }

    #[test]
    fn numbers_compare_by_exact_value() {
        let ascending = [
            "-1e1000000000000000000000000000000",
            "-1e999999999999999999999999999999",
            "-1e400",
            "-12.5",
            "-12.25e0",
            "-0.0000001",
            "0",
            "1e-999999999999999999999999999999999",
            "0.1e-10",
            "0.09999999999999999999999999",
            "0.1",
            "1",
            "9007199254740992",
            "9007199254740993.0",
            "999999999999999999",
            "1000000000000000000",
            "18446744073709551615",
            "18446744073709551616",
            "18446744073709551616.5",
            "1e400",
            "1e999999999999999999999999999999",
            "0.0002e1000000000000000000000000000003",
            "1e1000000000000000000000000000000",
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(compare_numbers(a.as_bytes(), b.as_bytes()), i.cmp(&j), "{a} {b}");
            }
        }
        let equal = ["15", "15.0", "1.5e1", "150e-1", "0.0015E+4", "15.000e00"];
        for (a, b) in equal.iter().flat_map(|a| equal.iter().map(move |b| (a, b))) {
            assert_eq!(compare_numbers(a.as_bytes(), b.as_bytes()), Ordering::Equal, "{a} {b}");
        }
        assert_eq!(compare_numbers(b"-0", b"0.0e7"), Ordering::Equal);
    }

    #[test]
    fn a_canonical_text_has_the_same_value() {
        for text in
            ["1.5", "-0.25", "1e21", "1e-6", "123.456", "0.000001234", "1e22", "5e-324", "1.7976931348623157e308"]
        {
            let mut out = Vec::new();
            canonical(text.as_bytes(), &mut out);
            assert_eq!(as_f64(&out), as_f64(text.as_bytes()), "{text}");
        }
    }
}
