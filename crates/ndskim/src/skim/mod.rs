//! Skimming: going through JSON text for what was asked, leaving the rest unread as far as that can be.
//!
//! In goes text that may or may not have been validated; out come offsets of values. On valid text the answers are those of a
//! full parser. On any other text skimming stays inside the text and ends: either with offsets, or with [`Malformed`] where
//! what had to be read breaks the grammar. It never promises to notice faults in what it skips.
//!
//! Text is read a vector at a time. [`vector`] says what stands in the next bytes (where a string, a container, or the members
//! of an object with certain keys are), [`walk`] goes from token to token, and [`fields`] drives both along a projection. What
//! is generic over the kernel there is compiled here, once for each.

mod fields;
mod vector;
mod walk;

use crate::kernel::{Kernel, Simd, for_each_kernel};
use crate::padded::Text;

pub(crate) use fields::{Frames, NoWatch, Watch, find_fields};
pub(crate) use vector::{Hit, PackedHit, Position, Probe, skip_scalar};
#[cfg(feature = "serde")]
pub(crate) use walk::next_with_key;
pub(crate) use walk::{Member, Walk};

/// The bytes that had to be read are not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

pub(crate) type Result<T> = std::result::Result<T, Malformed>;

for_each_kernel! {
    /// The offset behind the value that begins at `at`.
    fn skip_value(text: Text<'_>, at: usize) -> Result<usize> = vector::skip_value;

    /// The offset behind the string whose opening quote is at `at`.
    fn skip_string(text: Text<'_>, at: usize) -> Result<usize> = vector::skip_string;

    /// The offset of an element of the array at `at`.
    fn find_element(text: Text<'_>, at: usize, index: u64) -> Result<Option<usize>> = walk::find_element;

    /// The next member of an object that has a certain key.
    fn next_of_one(text: Text<'_>, from: Position, probes: &[Probe<'_>; 1]) -> PackedHit = vector::next_packed;

    /// The next member of an object that has one of two keys.
    fn next_of_two(text: Text<'_>, from: Position, probes: &[Probe<'_>; 2]) -> PackedHit = vector::next_packed;

    /// The next member of an object that has one of four keys.
    fn next_of_four(text: Text<'_>, from: Position, probes: &[Probe<'_>; 4]) -> PackedHit = vector::next_packed;

    /// Goes on to the next member; `None` at the end of the object.
    fn next_member(walk: &mut Walk, text: Text<'_>) -> Result<Option<Member>> = walk::next_member;

    /// Goes on to the next element and tells its offset; `None` at the end of the array.
    fn next_element(walk: &mut Walk, text: Text<'_>) -> Result<Option<usize>> = walk::next_element;

    /// The length of the content of the string at the start of a text, if one look tells that it is plain: short, ASCII, with
    /// neither escapes nor control characters. Such a string is valid and stands for its bytes.
    fn plain_content(text: Text<'_>) -> Option<usize> = vector::plain_content;
}

/// The offset of the value of the first member with this key, of the object at `at`.
pub(crate) fn find_member(kernel: Kernel, text: Text<'_>, at: usize, key: &[u8]) -> Result<Option<usize>> {
    Ok(match next_of_one(kernel, text, Position::inside(at), &[Probe::new(key)]).unpack()? {
        Hit::Member { value, .. } => Some(value),
        Hit::End(_) => None,
    })
}

/// The content of the string at the start of a text, if it is plain; see [`plain_content`].
#[inline]
pub(crate) fn plain_str<'a>(kernel: Kernel, text: Text<'a>) -> Option<&'a str> {
    let length = plain_content(kernel, text)?;
    let content = text.bytes().get(1..1 + length)?;
    // SAFETY: each byte of the content was found to be ASCII.
    Some(unsafe { std::str::from_utf8_unchecked(content) })
}

/// Whether a value can begin with this byte.
pub(crate) fn begins_value(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'))
}

#[cfg(test)]
mod tests;
