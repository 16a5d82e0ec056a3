//! What stands in the bytes ahead, by masks of a vector: the ends of strings and containers, and the members of an object that
//! have certain keys.
//!
//! Everything here is generic over the kernel and inlined into the functions that [`super`] compiles for each.

use super::{Malformed, Result, Simd, begins_value};
use crate::exact::skip_white_space;
use crate::kernel::VECTOR;
use crate::kernel::strings::{escaped, strings_with};
use crate::padded::{Chunk, Text};
use crate::text::content_is;

/// The offset behind the value that begins at `at`.
#[inline(always)]
pub(super) fn skip_value<S: Simd>(simd: S, text: Text<'_>, at: usize) -> Result<usize> {
    match text.get(at) {
        Some(b'"') => skip_string(simd, text, at),
        Some(&open @ (b'{' | b'[')) => skip_rest(simd, text, at + 1, open),
        _ => skip_scalar(text.bytes(), at),
    }
}

/// The offset behind the string whose opening quote is at `at`.
#[inline(always)]
pub(super) fn skip_string<S: Simd>(simd: S, text: Text<'_>, at: usize) -> Result<usize> {
    let mut at = at + 1;
    let mut carry = 0;
    loop {
        let vector = text.chunk(at).ok_or(Malformed)?.load(simd, 0);
        let mut quotes = simd.eq(vector, simd.splat(b'"'));
        let backslashes = simd.eq(vector, simd.splat(b'\\'));
        if backslashes | carry != 0 {
            quotes &= !escaped(backslashes, &mut carry);
        }
        if quotes != 0 {
            return within(text, at + quotes.trailing_zeros() as usize + 1);
        }
        at += VECTOR;
    }
}

/// The length of the content of the string at the start of a text, if one look tells that it is plain.
#[inline(always)]
pub(super) fn plain_content<S: Simd>(simd: S, text: Text<'_>) -> Option<usize> {
    if text.first() != Some(&b'"') {
        return None;
    }
    let vector = text.chunk(1)?.load(simd, 0);
    let quotes = simd.eq(vector, simd.splat(b'"'));
    // Bytes from 0x80 on are negative.
    let special = simd.below_signed(vector, simd.splat(b' ')) | simd.eq(vector, simd.splat(b'\\'));
    let inside = !quotes & quotes.wrapping_sub(1);
    let length = quotes.trailing_zeros() as usize;
    (quotes != 0 && special & inside == 0 && length + 2 <= text.len()).then_some(length)
}

/// The offset behind the container opened by `open`, seen from inside it, outside strings.
///
/// Only brackets of the container's own kind are counted: in valid text the others are balanced in between.
#[inline(always)]
fn skip_rest<S: Simd>(simd: S, text: Text<'_>, at: usize, open: u8) -> Result<usize> {
    let mut at = at;
    let mut depth = 1;
    let mut strings = Strings::default();
    loop {
        let chunk = text.chunk(at).ok_or(Malformed)?;
        let brackets = strings.advance(simd, chunk).brackets(simd, chunk, open);
        if brackets.closes.count_ones() < depth {
            depth = brackets.depth_after(depth);
            at += VECTOR;
            continue;
        }
        let mut closes = brackets.closes;
        while closes != 0 {
            let bit = closes.trailing_zeros();
            if brackets.depth_before(depth, bit) == 1 {
                return within(text, at + bit as usize + 1);
            }
            closes &= closes - 1;
        }
        depth = brackets.depth_after(depth);
        at += VECTOR;
    }
}

/// The offset behind the number or literal that begins at `at`; its spelling is not checked.
#[inline]
pub(crate) fn skip_scalar(text: &[u8], at: usize) -> Result<usize> {
    let token = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    match text.get(at..).unwrap_or_default().iter().take_while(|b| token(b)).count() {
        0 => Err(Malformed),
        length => Ok(at + length),
    }
}

/// A place outside strings inside an object, or inside what is nested in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(super) at: usize,
    /// The objects that are open inside the object. Arrays do not count: no key stands right inside one.
    pub(super) depth: u32,
}

impl Position {
    /// The first place inside the container at `at`.
    pub(super) fn inside(at: usize) -> Self {
        Self { at: at + 1, depth: 0 }
    }
}

/// A key to look for, and two bytes by which most others are told from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe<'k> {
    key: &'k [u8],
    /// The byte behind the opening quote.
    first: u8,
    /// The byte that stands `shift` behind the opening quote: the closing quote, or a byte of a long key.
    other: u8,
    shift: usize,
}

impl<'k> Probe<'k> {
    pub(super) fn new(key: &'k [u8]) -> Self {
        let shift = (key.len() + 1).min(VECTOR / 2);
        let byte = |at: usize| key.get(at).copied().unwrap_or(b'"');
        Self { key, first: byte(0), other: byte(shift - 1), shift }
    }
}

/// What [`next_hit`] came upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    /// A member that has the key of a probe; the offset of its value.
    Member { probe: usize, value: usize },
    /// The end of the object: the offset behind its bracket.
    End(usize),
}

/// What [`next_hit`] came upon, in two words: calls across kernels return it in registers.
#[derive(Clone, Copy)]
pub(crate) struct PackedHit {
    /// The number of a probe, or one of the constants.
    what: usize,
    at: usize,
}

impl PackedHit {
    const END: usize = usize::MAX;
    const MALFORMED: usize = usize::MAX - 1;

    #[inline(always)]
    fn pack(hit: Result<Hit>) -> Self {
        match hit {
            Ok(Hit::Member { probe, value }) => Self { what: probe, at: value },
            Ok(Hit::End(at)) => Self { what: Self::END, at },
            Err(Malformed) => Self { what: Self::MALFORMED, at: 0 },
        }
    }

    #[inline(always)]
    pub(super) fn unpack(self) -> Result<Hit> {
        match self.what {
            Self::END => Ok(Hit::End(self.at)),
            Self::MALFORMED => Err(Malformed),
            probe => Ok(Hit::Member { probe, value: self.at }),
        }
    }
}

/// As [`next_hit`], packed.
#[inline(always)]
pub(super) fn next_packed<S: Simd, const N: usize>(
    simd: S,
    text: Text<'_>,
    from: Position,
    probes: &[Probe<'_>; N],
) -> PackedHit {
    PackedHit::pack(next_hit(simd, text, from, probes))
}

/// The next member of an object whose key is one of those looked for.
///
/// This does not go from member to member: it looks for the keys themselves, in all strings at once, and only where one stands
/// asks whether it is a key, and of this object. So what is between costs as much as a container that is skipped, however many
/// members there are.
#[inline(always)]
fn next_hit<S: Simd, const N: usize>(simd: S, text: Text<'_>, from: Position, probes: &[Probe<'_>; N]) -> Result<Hit> {
    let Position { mut at, mut depth } = from;
    let mut strings = Strings::default();
    let mut escaped_string = 0;
    loop {
        let chunk = text.chunk(at).ok_or(Malformed)?;
        let vector = strings.advance(simd, chunk);
        let brackets = vector.brackets(simd, chunk, b'{');
        if brackets.closes.count_ones() < depth {
            // The object is not come back to in this vector.
            depth = brackets.depth_after(depth);
            escaped_string = 0;
            at += VECTOR;
            continue;
        }
        let mut keys = [0; N];
        let mut marks = 0;
        for (keys, probe) in keys.iter_mut().zip(probes) {
            let first = simd.eq(chunk.load(simd, 1), simd.splat(probe.first));
            let other = simd.eq(chunk.load(simd, probe.shift), simd.splat(probe.other));
            *keys = vector.opening & first & other;
            marks |= *keys;
        }
        // A key with escapes looks unlike itself, so every string with escapes is a candidate, at its closing quote.
        if vector.backslashes | escaped_string != 0 {
            marks |= strings_with(vector.backslashes, vector.closing, &mut escaped_string);
        }
        if marks == 0 && brackets.closes == 0 {
            depth = brackets.depth_after(depth);
            at += VECTOR;
            continue;
        }
        let mut events = marks | brackets.closes;
        while events != 0 {
            let bit = events.trailing_zeros();
            events &= events - 1;
            if brackets.depth_before(depth, bit) != 0 {
                continue;
            }
            let place = at + bit as usize;
            if brackets.closes >> bit & 1 == 1 {
                return within(text, place + 1).map(Hit::End);
            }
            let hit = if vector.opening >> bit & 1 == 1 {
                let probe = |&i: &usize| keys[i] >> bit & 1 == 1 && key_at(text, place, probes[i].key);
                (0..N).find(probe).map(|probe| (probe, place + probes[probe].key.len() + 1))
            } else {
                escaped_key(text, place, probes).map(|probe| (probe, place))
            };
            if let Some((probe, closing_quote)) = hit
                && let Some(value) = behind_colon(text, closing_quote + 1)
            {
                return if begins_value(text.get(value)) { Ok(Hit::Member { probe, value }) } else { Err(Malformed) };
            }
        }
        depth = brackets.depth_after(depth);
        at += VECTOR;
    }
}

/// Whether the string at `at` is this key, as it stands.
#[inline(always)]
fn key_at(text: Text<'_>, at: usize, key: &[u8]) -> bool {
    let end = at + 1 + key.len();
    let content = text.get(at + 1..end);
    text.get(end) == Some(&b'"') && content.is_some_and(|content| same(content, key)) && !key.contains(&b'\\')
}

/// Whether bytes of equal number are equal. Keys are short: this stays in line, where a call would cost more than it saves.
#[inline(always)]
fn same(a: &[u8], b: &[u8]) -> bool {
    let ((a_words, a_rest), (b_words, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let word = |bytes: &[u8; 8]| u64::from_ne_bytes(*bytes);
    a_words.iter().zip(b_words).all(|(a, b)| word(a) == word(b)) && a_rest.iter().zip(b_rest).all(|(a, b)| a == b)
}

/// The probe whose key a string with escapes is, if any; `end` is its closing quote.
#[cold]
fn escaped_key(text: Text<'_>, end: usize, probes: &[Probe<'_>]) -> Option<usize> {
    behind_colon(text, end + 1)?;
    // Inside a string a quote stands behind an odd number of backslashes, and no backslash stands before a string.
    let mut open = end;
    loop {
        open = memchr::memrchr(b'"', text.get(..open)?)?;
        let backslashes = text[..open].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if backslashes % 2 == 0 {
            break;
        }
    }
    probes.iter().position(|probe| content_is(&text[open + 1..end], probe.key))
}

/// The offset of the value behind a colon, if there is a colon at `at` or behind white space.
#[inline(always)]
pub(super) fn behind_colon(text: Text<'_>, at: usize) -> Option<usize> {
    let colon = over_white_space(text, at);
    (text.get(colon) == Some(&b':')).then(|| over_white_space(text, colon + 1))
}

/// The first offset from `at` on that holds no white space, of which there is mostly none.
#[inline(always)]
pub(super) fn over_white_space(text: Text<'_>, at: usize) -> usize {
    match text.get(at) {
        Some(b'!'..) => at,
        Some(b' ') if text.get(at + 1).is_some_and(|&byte| byte > b' ') => at + 1,
        _ => skip_white_space(text.bytes(), at),
    }
}

#[inline(always)]
fn within(text: Text<'_>, end: usize) -> Result<usize> {
    if end <= text.len() { Ok(end) } else { Err(Malformed) }
}

/// What must be known of the vectors before to tell what is inside strings.
#[derive(Default)]
struct Strings {
    /// All ones inside a string.
    inside: u64,
    /// 1 behind a backslash that escapes.
    escape: u64,
}

/// Masks of a vector: a bit for each byte.
#[derive(Clone, Copy)]
struct Quoted {
    opening: u64,
    closing: u64,
    backslashes: u64,
    /// Inside strings, with the opening quotes and without the closing ones.
    strings: u64,
}

impl Strings {
    /// Goes on to the next vector.
    #[inline(always)]
    fn advance<S: Simd>(&mut self, simd: S, chunk: Chunk<'_>) -> Quoted {
        let vector = chunk.load(simd, 0);
        let mut quotes = simd.eq(vector, simd.splat(b'"'));
        let backslashes = simd.eq(vector, simd.splat(b'\\'));
        if backslashes | self.escape != 0 {
            quotes &= !escaped(backslashes, &mut self.escape);
        }
        let strings = simd.prefix_xor(quotes) ^ self.inside;
        self.inside = ((strings as i64) >> 63) as u64;
        Quoted { opening: quotes & strings, closing: quotes & !strings, backslashes, strings }
    }
}

impl Quoted {
    /// The brackets outside strings, of the kind that `open` is.
    #[inline(always)]
    fn brackets<S: Simd>(self, simd: S, chunk: Chunk<'_>, open: u8) -> Brackets {
        let vector = chunk.load(simd, 0);
        let of = |byte| simd.eq(vector, simd.splat(byte)) & !self.strings;
        Brackets { opens: of(open), closes: of(open + 2) }
    }
}

/// Brackets of one kind outside strings, a bit for each byte of a vector.
#[derive(Clone, Copy)]
struct Brackets {
    opens: u64,
    closes: u64,
}

impl Brackets {
    /// The depth behind the vector; in malformed text it can be anything.
    #[inline(always)]
    fn depth_after(self, depth: u32) -> u32 {
        depth.wrapping_add(self.opens.count_ones()).wrapping_sub(self.closes.count_ones())
    }

    /// The depth at a byte.
    #[inline(always)]
    fn depth_before(self, depth: u32, bit: u32) -> u32 {
        let below = (1 << bit) - 1;
        depth.wrapping_add((self.opens & below).count_ones()).wrapping_sub((self.closes & below).count_ones())
    }
}
