//! Dropping white space: the way for text with more of it than the variants of pass 1 know.
//!
//! What goes in: some whole records, with any white space between tokens. What comes out: a copy of them with none, a
//! newline behind each record, that the passes read like any lines; and what is needed to find the places of its bytes in
//! the text again. It must never glue two tokens to one: `1 2` is not `12`.

use super::window::{SPAN, Window};
use crate::kernel::strings::{add_with_carry, escaped};
use crate::kernel::tables::{HIGH_NIBBLE_BIT, Table16, by_low_nibble, byte_set};
use crate::kernel::{Simd, VECTOR};

/// How the records are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Between {
    /// By newlines, which stay.
    Newlines,
    /// They are not: newlines are white space, and the text is one record.
    Nothing,
    /// By their brackets; newlines are white space.
    Brackets,
}

/// A copy without white space.
pub(super) struct Squeezed {
    /// The copy, from [`Squeezed::FRONT`] on; newlines around it.
    text: Box<[u8]>,
    len: usize,
    /// Runs of up to 64 bytes of the text: where each starts, and which bytes were kept.
    steps: Vec<(u16, u64)>,
    /// With [`Between::Brackets`], behind the last whole record: the lengths of copy, steps and text.
    whole: (usize, usize, usize),
    /// Places of entries in the copy, a bit for each.
    marks: Box<[u64]>,
}

impl Squeezed {
    const FRONT: usize = VECTOR;

    pub(super) fn new() -> Self {
        Self {
            text: vec![b'\n'; Self::FRONT + SPAN + 6 * VECTOR].into(),
            len: 0,
            steps: Vec::new(),
            whole: (0, 0, 0),
            marks: vec![0; SPAN / VECTOR + 4].into(),
        }
    }

    /// The copy.
    pub(super) fn text(&self) -> &[u8] {
        &self.text[Self::FRONT..Self::FRONT + self.len]
    }

    /// How much of the text has been copied: all, or up to the end of the last whole record.
    pub(super) fn source_len(&self) -> usize {
        self.whole.2
    }
}

/// White space by low nibble.
static SPACE: Table16 = by_low_nibble(b" \t\r");
static SPACE_AND_NEWLINE: Table16 = by_low_nibble(b" \t\r\n");

/// Bytes outside strings that are no part of a number or literal, besides white space.
static PUNCTUATION: Table16 = byte_set(b"{}[],:\"\n");

/// The most text that is squeezed at once.
pub(super) const MOST: usize = SPAN - 2 * VECTOR;

/// Squeezes `len` bytes from `from` on, at least one and at most [`MOST`]; false if tokens would be glued, or if brackets do
/// not tell the records apart.
///
/// # Safety
/// `len` bytes and a vector behind them must be readable.
#[inline(always)]
pub(super) unsafe fn squeeze<K: Simd>(
    k: K,
    squeezed: &mut Squeezed,
    from: *const u8,
    len: usize,
    between: Between,
) -> bool {
    debug_assert!(len > 0 && len <= MOST);
    let spaces = if between == Between::Newlines { &SPACE } else { &SPACE_AND_NEWLINE };
    let out = squeezed.text.as_mut_ptr().wrapping_add(Squeezed::FRONT);
    squeezed.steps.clear();
    squeezed.whole = (0, 0, 0);
    let (mut copied, mut fault) = (0, 0);
    let (mut in_string, mut escape, mut depth) = (0u64, 0, 0u32);
    // Whether the last byte was of a scalar, and whether white space behind one goes on.
    let (mut scalar_before, mut space_before) = (0, 0);
    let mut at = 0;
    // A vector adds at most its own bytes and a newline for every two of them.
    while at < len && copied + 2 * VECTOR <= SPAN {
        // SAFETY: a vector behind the text is readable, says the caller.
        let bytes = unsafe { k.load(from.wrapping_add(at)) };
        let lanes = super::depths::lanes(len - at);
        let backslashes = k.eq(bytes, k.splat(b'\\')) & lanes;
        let mut quotes = k.eq(bytes, k.splat(b'"')) & lanes;
        if backslashes | escape != 0 {
            quotes &= !escaped(backslashes, &mut escape);
        }
        let inside = k.prefix_xor(quotes) ^ in_string;
        in_string = ((inside as i64) >> 63) as u64;
        let outside = !(inside ^ quotes) & lanes;

        let low = k.and(bytes, k.splat(15));
        let space = outside & k.eq(bytes, k.lookup16(spaces, low));
        let punctuation =
            k.shares_bits(k.lookup16(&PUNCTUATION, low), k.lookup16(&HIGH_NIBBLE_BIT, k.high_nibble(bytes)));
        let scalar = outside & !space & !punctuation;
        let (landed, overflow) = add_with_carry(space, (scalar << 1 | scalar_before) & space, space_before);
        fault |= landed & !space & scalar;
        (scalar_before, space_before) = (scalar >> 63, overflow);

        let keep = lanes & !space;
        let mut done = 0;
        if between == Between::Brackets {
            let folded = k.or(bytes, k.splat(0x20));
            let closes = k.eq(folded, k.splat(b'}')) & outside;
            let opens = k.eq(folded, k.splat(b'{')) & outside;
            if depth > closes.count_ones() {
                depth = depth + opens.count_ones() - closes.count_ones();
            } else {
                // A record may end here: from bracket to bracket.
                let mut brackets = opens | closes;
                while brackets != 0 {
                    let place = brackets.trailing_zeros();
                    let bit = 1u64 << place;
                    brackets &= brackets - 1;
                    if depth == 0 && (opens & bit == 0 || keep & !done & (bit - 1) != 0) {
                        return false;
                    }
                    depth = if opens & bit == 0 { depth - 1 } else { depth + 1 };
                    if depth == 0 {
                        let upto = bit | (bit - 1);
                        let piece = keep & upto & !done;
                        // SAFETY: there is room for two vectors more than are counted.
                        unsafe {
                            k.compress(bytes, piece, out.add(copied));
                            copied += piece.count_ones() as usize;
                            *out.add(copied) = b'\n';
                        }
                        copied += 1;
                        squeezed.steps.push((at as u16, piece));
                        squeezed.steps.push(((at + place as usize + 1) as u16, 1));
                        squeezed.whole = (copied, squeezed.steps.len(), at + place as usize + 1);
                        done = upto;
                    }
                }
                if depth == 0 && keep & !done != 0 {
                    return false;
                }
            }
        }
        let piece = keep & !done;
        // SAFETY: behind what is counted there is room for more than this vector.
        unsafe { k.compress(bytes, piece, out.add(copied)) };
        copied += piece.count_ones() as usize;
        squeezed.steps.push((at as u16, piece));
        at += VECTOR;
    }
    if between == Between::Brackets {
        squeezed.steps.truncate(squeezed.whole.1);
        squeezed.len = squeezed.whole.0;
    } else {
        // SAFETY: the text is readable, says the caller.
        let ends_line = between == Between::Newlines && unsafe { *from.wrapping_add(len - 1) } == b'\n';
        if !ends_line {
            // SAFETY: behind what is counted there is room for vectors, and this is one byte.
            unsafe { *out.add(copied) = b'\n' };
            copied += 1;
            squeezed.steps.push((len as u16, 1));
        }
        squeezed.len = copied;
        squeezed.whole = (copied, squeezed.steps.len(), len);
    }
    let end = Squeezed::FRONT + squeezed.len;
    squeezed.text[end..end + 5 * VECTOR].fill(b'\n');
    fault == 0 && squeezed.len > 0
}

/// Gives the window's entries, which are of the copy, their places in the text.
///
/// # Safety
/// The entries must be of this copy.
#[inline(always)]
pub(super) unsafe fn unsqueeze<K: Simd>(k: K, squeezed: &mut Squeezed, window: &mut Window) {
    let marks = &mut squeezed.marks[..squeezed.len / VECTOR + 2];
    marks.fill(0);
    for &place in &window.places[..window.len] {
        marks[usize::from(place) / VECTOR] |= 1 << (place % VECTOR as u16);
    }
    let (mut copied, mut mapped) = (0, 0);
    for &(from, keep) in &squeezed.steps {
        let (word, shift) = (copied / VECTOR, copied % VECTOR);
        let high = if shift == 0 { 0 } else { marks[word + 1] << (VECTOR - shift) };
        let count = keep.count_ones();
        let entries = (marks[word] >> shift | high) & super::depths::lanes(count as usize);
        let entries = k.deposit(entries, keep);
        // SAFETY: there are as many entries as there were, and room for a store more.
        unsafe { k.store_places::<true>(entries, from, window.places.as_mut_ptr().add(mapped)) };
        mapped += entries.count_ones() as usize;
        copied += count as usize;
    }
    debug_assert_eq!(mapped, window.len);
}
