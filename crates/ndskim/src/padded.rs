//! Text of a record, or of a part of it up to the record's end, with readable bytes behind it.
//!
//! A [`Text`] is what values hold on to: it reads as its bytes, and it can be loaded a vector at a time from any place in it
//! without a look at how much is left. What stands behind the end is anything; nothing may depend on it.

use std::ops::{Deref, Range};

use crate::kernel::{Simd, VECTOR};

/// Bytes that can be read behind a [`Text`].
pub(crate) const TEXT_PAD: usize = 2 * VECTOR;

/// Bytes that a short look takes in.
pub(crate) const SHORT: usize = 16;

/// Text with at least [`TEXT_PAD`] readable bytes behind it.
///
/// The slice holds the text and `TEXT_PAD` bytes more, always.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a>(&'a [u8]);

/// The bytes from some place in a text on: a vector, and as much again behind it.
#[derive(Clone, Copy)]
pub(crate) struct Chunk<'a>(&'a [u8; TEXT_PAD]);

impl<'a> Text<'a> {
    /// The first `length` bytes of `padded`; `None` if there are not enough behind them.
    pub(crate) fn new(padded: &'a [u8], length: usize) -> Option<Self> {
        padded.get(..length.checked_add(TEXT_PAD)?).map(Self)
    }

    /// No text.
    pub(crate) fn empty() -> Self {
        Self(&[0; TEXT_PAD])
    }

    /// The text without its first `at` bytes; empty, if there are not so many.
    #[inline]
    pub(crate) fn from(self, at: usize) -> Self {
        match self.0.get(at..) {
            Some(rest) if rest.len() >= TEXT_PAD => Self(rest),
            _ => Self::empty(),
        }
    }

    /// A part of the text.
    ///
    /// # Panics
    /// If it is not within the text.
    #[inline]
    pub(crate) fn part(self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len());
        Self(&self.0[range.start..range.end + TEXT_PAD])
    }

    /// The bytes of the text.
    #[inline]
    pub(crate) fn bytes(self) -> &'a [u8] {
        // SAFETY: the slice is `TEXT_PAD` bytes longer than the text.
        unsafe { self.0.get_unchecked(..self.0.len().unchecked_sub(TEXT_PAD)) }
    }

    /// The first bytes of the text, or of what is behind it.
    #[inline(always)]
    pub(crate) fn first_bytes(self) -> &'a [u8; SHORT] {
        // Never empty: there is more padding than that.
        self.0.first_chunk().unwrap_or(&[0; SHORT])
    }

    /// The bytes from `at` on; `None` if that is behind the end of the text.
    #[inline(always)]
    pub(crate) fn chunk(self, at: usize) -> Option<Chunk<'a>> {
        self.0.get(at..)?.first_chunk().map(Chunk)
    }
}

impl Chunk<'_> {
    /// The vector that begins `shift` bytes on, which may be at most a vector's length.
    #[inline(always)]
    pub(crate) fn load<S: Simd>(self, simd: S, shift: usize) -> S::Bytes {
        debug_assert!(shift <= VECTOR);
        // SAFETY: the chunk has twice as many bytes as a vector, so that one fits behind a shift by at most its length.
        unsafe { simd.load(self.0.as_ptr().add(shift.min(VECTOR))) }
    }
}

impl Deref for Text<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes()
    }
}
