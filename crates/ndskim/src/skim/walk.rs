//! The walk over the members or elements of one container, in order, from token to token.

use std::ops::Range;

use super::vector::{behind_colon, over_white_space, skip_string, skip_value};
#[cfg(feature = "serde")]
use super::{Hit, Position, Probe};
use super::{Malformed, Result, Simd, begins_value};
#[cfg(feature = "serde")]
use crate::kernel::Kernel;
use crate::padded::Text;
#[cfg(feature = "serde")]
use crate::text::content_is;

/// How far a walk has come; the text is handed to each step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    at: usize,
    open: u8,
    /// Where the value handed out last begins, while its end has not been needed.
    pending: Option<usize>,
    first: bool,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// The offset of the key's opening quote.
    pub(crate) key: usize,
    /// The key as it is written, between its quotes.
    pub(crate) content: Range<usize>,
    /// The offset of the value.
    pub(crate) value: usize,
}

impl Walk {
    /// A walk through the container at `at`, whose bracket is `open`.
    pub(crate) fn new(at: usize, open: u8) -> Self {
        Self { at: at + 1, open, pending: None, first: true }
    }

    /// Where the search for keys goes on.
    #[cfg(feature = "serde")]
    fn position(&self) -> Position {
        Position { at: self.pending.unwrap_or(self.at), depth: 0 }
    }

    /// Where the walk is: once it is over, at the closing bracket.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn hand_out(&mut self, text: Text<'_>, value: usize) -> Result<()> {
        if !begins_value(text.get(value)) {
            return Err(Malformed);
        }
        self.pending = Some(value);
        Ok(())
    }

    /// Moves to the next member or element; false at the container's end, which a further call does not pass.
    #[inline(always)]
    fn advance<S: Simd>(&mut self, simd: S, text: Text<'_>) -> Result<bool> {
        if let Some(value) = self.pending.take() {
            self.at = skip_value(simd, text, value)?;
        }
        self.at = over_white_space(text, self.at);
        let first = std::mem::take(&mut self.first);
        match text.get(self.at) {
            Some(&byte) if byte == self.open + 2 => Ok(false),
            Some(b',') if !first => {
                self.at = over_white_space(text, self.at + 1);
                Ok(true)
            }
            Some(_) if first => Ok(true),
            _ => Err(Malformed),
        }
    }
}

/// Goes on to the next member; `None` at the end of the object.
#[inline(always)]
pub(super) fn next_member<S: Simd>(simd: S, walk: &mut Walk, text: Text<'_>) -> Result<Option<Member>> {
    if !walk.advance(simd, text)? {
        return Ok(None);
    }
    let key = walk.at;
    if text.get(key) != Some(&b'"') {
        return Err(Malformed);
    }
    let end = skip_string(simd, text, key)?;
    let value = behind_colon(text, end).ok_or(Malformed)?;
    walk.hand_out(text, value)?;
    Ok(Some(Member { key, content: key + 1..end - 1, value }))
}

/// Goes on to the next member that has one of these keys: which key it has, and the offset of its value. What is passed over
/// is read no more than it takes to find it.
#[cfg(feature = "serde")]
pub(crate) fn next_with_key(
    kernel: Kernel,
    walk: &mut Walk,
    text: Text<'_>,
    keys: &[&str],
) -> Result<Option<(usize, usize)>> {
    let probe = |key: usize| Probe::new(keys.get(key).or(keys.first()).map_or(&[], |key| key.as_bytes()));
    let position = walk.position();
    let hit = match keys.len() {
        1 => super::next_of_one(kernel, text, position, &[probe(0)]).unpack()?,
        2 => super::next_of_two(kernel, text, position, &[probe(0), probe(1)]).unpack()?,
        3 | 4 => super::next_of_four(kernel, text, position, &[probe(0), probe(1), probe(2), probe(3)]).unpack()?,
        _ => loop {
            let Some(member) = super::next_member(kernel, walk, text)? else { return Ok(None) };
            let content = &text[member.content];
            if let Some(key) = keys.iter().position(|key| content_is(content, key.as_bytes())) {
                return Ok(Some((key, member.value)));
            }
        },
    };
    Ok(match hit {
        Hit::Member { probe, value } => {
            walk.pending = Some(value);
            walk.first = false;
            Some((if probe < keys.len() { probe } else { 0 }, value))
        }
        Hit::End(_) => None,
    })
}

/// Goes on to the next element and tells its offset; `None` at the end of the array.
#[inline(always)]
pub(super) fn next_element<S: Simd>(simd: S, walk: &mut Walk, text: Text<'_>) -> Result<Option<usize>> {
    if !walk.advance(simd, text)? {
        return Ok(None);
    }
    walk.hand_out(text, walk.at)?;
    Ok(Some(walk.at))
}

/// The offset of an element of the array at `at`.
#[inline(always)]
pub(super) fn find_element<S: Simd>(simd: S, text: Text<'_>, at: usize, index: u64) -> Result<Option<usize>> {
    let mut walk = Walk::new(at, b'[');
    let mut left = index;
    while let Some(element) = next_element(simd, &mut walk, text)? {
        if left == 0 {
            return Ok(Some(element));
        }
        left -= 1;
    }
    Ok(None)
}
