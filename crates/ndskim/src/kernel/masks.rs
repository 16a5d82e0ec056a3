//! How bytes stand to the bytes before them, by masks of what kind each byte is: for kernels without tables of 128 entries,
//! where numbers are checked in the masks.

use super::tables::{KINDS, Pair16, kind};
use super::{Classes, Simd};

/// Which of a pair's rectangles each byte is in.
#[inline(always)]
pub(super) fn rectangles_of<K: Simd>(k: K, bytes: K::Bytes, pair: &Pair16) -> K::Bytes {
    let low = k.lookup16(&pair[0], k.and(bytes, k.splat(15)));
    k.and(low, k.lookup16(&pair[1], k.high_nibble(bytes)))
}

/// Where a byte has one of `kinds`.
#[inline(always)]
fn has<K: Simd>(k: K, of: K::Bytes, kinds: u8) -> u64 {
    k.shares_bits(of, k.splat(kinds))
}

/// Fills in the masks of the variant with floats, by the rules of [`super::tables::class`] and [`super::tables::follow`].
#[inline(always)]
pub(super) fn classify_floats<K: Simd>(k: K, bytes: K::Bytes, before: K::Bytes, spaces: bool, classes: &mut Classes) {
    let this = rectangles_of(k, bytes, &KINDS[usize::from(spaces)]);
    let last = rectangles_of(k, before, &KINDS[0]);
    let behind_value = has(k, last, kind::BEFORE_VALUE);
    let behind_number = has(k, last, kind::DIGIT | kind::SIGN | kind::DOT | kind::EXPONENT);
    classes.digit = has(k, this, kind::DIGIT) & (behind_value | behind_number);
    classes.point = has(k, this, kind::DOT | kind::EXPONENT) & has(k, last, kind::DIGIT);
    classes.zero = k.eq(bytes, k.splat(b'0')) & (behind_value | has(k, last, kind::SIGN));
    classes.fine = (has(k, this, kind::QUOTE) & has(k, last, kind::BEFORE_STRING))
        | (k.eq(bytes, k.splat(b'-')) & behind_value)
        | (has(k, this, kind::LETTER) & has(k, last, kind::LETTER))
        | classes.digit
        | classes.point;
}

/// Where there is a space or carriage return.
#[inline(always)]
pub(super) fn blanks<K: Simd>(k: K, bytes: K::Bytes) -> u64 {
    k.eq(bytes, k.splat(b' ')) | k.eq(bytes, k.splat(b'\r'))
}
