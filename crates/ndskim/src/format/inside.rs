//! The inside of a container, a vector at a time: for [`super::concatenated`], which looks for the container's end.
//!
//! In goes text from somewhere inside a container; out comes how far it can be passed without a look at each byte. Wherever
//! the record may end, or the text is not what it is in valid records, whoever asked looks for himself.

use crate::kernel::strings::{add_with_carry, escaped};
use crate::kernel::tables::{HIGH_NIBBLE_BIT, Table16, byte_set};
use crate::kernel::{Simd, VECTOR, for_each_kernel};

/// A place inside a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inside {
    pub(crate) at: usize,
    /// How many containers are open.
    pub(crate) depth: u64,
    pub(crate) in_string: bool,
    /// In a string: the byte at `at` is escaped.
    pub(crate) escaped: bool,
    /// Outside strings: whether a bracket may open here, by what stands before.
    pub(crate) may_open: bool,
}

for_each_kernel! {
    /// Goes on by whole vectors, for as long as no container of depth 1 ends in them, every bracket opens where one may, no
    /// string holds a raw newline, and all backslashes are in strings.
    fn pass_vectors(text: &[u8], from: Inside) -> Inside = pass;
}

/// White space, and what a bracket may stand behind.
static SPACE: Table16 = byte_set(b" \t\r\n");
static BEFORE_BRACKET: Table16 = byte_set(b"{[,:");

#[inline(always)]
fn pass<S: Simd>(simd: S, text: &[u8], from: Inside) -> Inside {
    let mut here = from;
    let mut in_string = if from.in_string { u64::MAX } else { 0 };
    let (mut escape, mut may_open, mut space_goes_on) = (u64::from(from.escaped), u64::from(from.may_open), 0);
    while let Some(vector) = text.get(here.at..).and_then(|rest| rest.first_chunk::<VECTOR>()) {
        // SAFETY: the chunk is as long as a vector.
        let bytes = unsafe { simd.load(vector.as_ptr()) };
        let backslashes = simd.eq(bytes, simd.splat(b'\\'));
        let mut quotes = simd.eq(bytes, simd.splat(b'"'));
        let mut next_escape = escape;
        if backslashes | escape != 0 {
            quotes &= !escaped(backslashes, &mut next_escape);
        }
        let inside = simd.prefix_xor(quotes) ^ in_string;
        let outside = !(inside ^ quotes);

        let folded = simd.or(bytes, simd.splat(0x20));
        let opens = simd.eq(folded, simd.splat(b'{')) & outside;
        let closes = simd.eq(folded, simd.splat(b'}')) & outside;
        let space = set(simd, bytes, &SPACE) & outside;
        let before = set(simd, bytes, &BEFORE_BRACKET) & outside;
        let behind = before << 1 | may_open;
        let (landed, overflow) = add_with_carry(space, behind & space, space_goes_on);
        let misplaced = opens & !(behind | landed);
        let newlines = simd.eq(bytes, simd.splat(b'\n')) & inside;
        if misplaced | newlines | (backslashes & outside) != 0 || here.depth <= u64::from(closes.count_ones()) {
            break;
        }
        here.at += VECTOR;
        here.depth = here.depth + u64::from(opens.count_ones()) - u64::from(closes.count_ones());
        in_string = ((inside as i64) >> 63) as u64;
        (escape, may_open, space_goes_on) = (next_escape, before >> 63, overflow);
    }
    Inside { in_string: in_string != 0, escaped: escape != 0, may_open: may_open | space_goes_on != 0, ..here }
}

/// Where a byte is in a set.
#[inline(always)]
fn set<S: Simd>(simd: S, bytes: S::Bytes, set: &Table16) -> u64 {
    let low = simd.lookup16(set, simd.and(bytes, simd.splat(15)));
    simd.shares_bits(low, simd.lookup16(&HIGH_NIBBLE_BIT, simd.high_nibble(bytes)))
}
