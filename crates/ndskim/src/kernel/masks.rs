//! How bytes stand to the bytes before them, by masks of what kind each byte is: for kernels without tables of 128 entries,
//! where numbers are checked in the masks.

use super::tables::{KINDS, kind};
use super::{Classes, Simd};

/// Looks up what kinds the bytes are.
#[inline(always)]
fn kinds_of<K: Simd>(k: K, bytes: K::Bytes, spaces: bool) -> K::Bytes {
    let tables = &KINDS[usize::from(spaces)];
    let low = k.lookup16(&tables[0], k.and(bytes, k.splat(15)));
    k.and(low, k.lookup16(&tables[1], k.high_nibble(bytes)))
}

/// Fills in the masks of the variant with floats, by the rules of [`super::tables::class`] and [`super::tables::follow`].
#[inline(always)]
pub(super) fn classify_floats<K: Simd>(k: K, bytes: K::Bytes, before: K::Bytes, spaces: bool, classes: &mut Classes) {
    let (this, last) = (kinds_of(k, bytes, spaces), kinds_of(k, before, false));
    let is = |kinds: u8| k.shares_bits(this, k.splat(kinds));
    let behind = |kinds: u8| k.shares_bits(last, k.splat(kinds));
    let value = behind(kind::BEFORE_VALUE);
    let minus = k.eq(bytes, k.splat(b'-'));
    classes.digit = is(kind::DIGIT) & (value | behind(kind::DIGIT | kind::SIGN | kind::DOT | kind::EXPONENT));
    classes.point = is(kind::DOT | kind::EXPONENT) & behind(kind::DIGIT);
    classes.zero = k.eq(bytes, k.splat(b'0')) & (value | behind(kind::SIGN));
    classes.fine = (is(kind::QUOTE) & behind(kind::BEFORE_STRING))
        | (minus & value)
        | (is(kind::LETTER) & behind(kind::LETTER))
        | classes.digit
        | classes.point;
}
