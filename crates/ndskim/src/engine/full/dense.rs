//! Pass 1 for text with any white space between its tokens, and for values that are not lines.
//!
//! What goes in and comes out: as for [`super::index`]. The bytes outside strings that are no white space are moved together
//! first, and then held against each other, so that each is judged by the last such byte before it. Of values back to back no
//! newline tells the end: behind each bracket that closes a record stands one here, in the bracket's place. It must never glue
//! two tokens to one: `1 2` is not `12`.

use super::index::{PREFETCH, numbers, strings};
use super::window::{MANY_NUMBERS, Piece, STREAM_FRONT, Spacing, Window};
use crate::kernel::strings::add_with_carry;
use crate::kernel::tables::{ByteSet, Table16, by_low_nibble};
use crate::kernel::{Simd, VECTOR};

/// White space, by low nibble: of lines, and of values.
static SPACE: Table16 = by_low_nibble(b" \t\r");
static SPACE_AND_NEWLINE: Table16 = by_low_nibble(b" \t\r\n");

/// Bytes that begin and end a token by themselves.
static STRUCTURAL: ByteSet = ByteSet::new(b"{}[],:\n");

/// Where there is white space.
#[inline(always)]
fn spaces_of<K: Simd, const VALUES: bool>(k: K, bytes: K::Bytes) -> u64 {
    let by_nibble = k.lookup16(if VALUES { &SPACE_AND_NEWLINE } else { &SPACE }, k.and(bytes, k.splat(15)));
    k.eq(bytes, by_nibble)
}

/// Moves what is outside strings and no white space in a piece of lines, or with `VALUES` of values, to the window's dense
/// text. Of a string this is the opening quote.
///
/// Afterwards, if no fault was found: with `VALUES`, every record is a container, and a newline stands behind its closing
/// bracket.
///
/// # Safety
/// Two vectors behind the piece must be readable, and the piece's places must be below [`super::window::SPAN`] plus a vector.
#[inline(always)]
pub(super) unsafe fn condense<K: Simd, const VALUES: bool>(k: K, window: &mut Window, piece: Piece) {
    let mut carries = window.carries;
    let mut dense_len = 0;
    let mut listed_len = 0;
    let (mut fault, mut spaces, mut escaped_keys) = (0, 0, 0);
    let dense = window.dense.as_mut_ptr().wrapping_add(STREAM_FRONT);
    let places = window.dense_places.as_mut_ptr().wrapping_add(STREAM_FRONT);
    let outside_masks = window.outside.as_mut_ptr();
    let listed = window.listed.as_mut_ptr();
    window.unicode_len = 0;
    // What is before the piece is next to its first byte, or further away.
    window.dense_places[STREAM_FRONT - 1] = (piece.place as u16).wrapping_sub(1 + carries.apart);

    for vector in 0..piece.vectors {
        let from = piece.text.wrapping_add(vector * VECTOR);
        k.prefetch(from.wrapping_add(PREFETCH));
        // SAFETY: the vector is readable, says the caller, and within the window.
        let (bytes, strings) = unsafe {
            let bytes = k.load(from);
            (bytes, strings(k, window, bytes, vector, &mut carries.strings))
        };
        fault |= strings.fault;
        let space = spaces_of::<_, VALUES>(k, bytes) & strings.outside;
        let kept = strings.outside & !space;
        let depth = carries.depth;
        if strings.escaped | carries.behind_escaped != 0 {
            // A key that holds an escape: white space may stand between it and its colon.
            let behind = strings.escaped << 1 | carries.behind_escaped;
            let (landed, overflow) = add_with_carry(space, behind & space, 0);
            escaped_keys |= (behind | landed) & kept & k.eq(bytes, k.splat(b':'));
            carries.behind_escaped = overflow | strings.escaped >> 63;
        }
        let mut ends =
            if VALUES { record_ends(k, bytes, strings.outside, kept, &mut carries.depth, &mut fault) } else { 0 };

        spaces |= if VALUES && (depth == 0 || ends != 0) { space_within(space, ends, depth) } else { space };
        let first = (piece.place + vector * VECTOR) as u16;
        let odd = k.below_signed(bytes, k.splat(0x20)) & !space;
        // SAFETY: there is one mask and at most one listing a vector; what is kept is no more than the bytes and a newline for
        // every two, and the arrays have room for a store behind that.
        unsafe {
            *outside_masks.add(vector) = strings.outside;
            *listed.add(listed_len) = vector as u16;
            let mut rest = kept;
            while VALUES && ends != 0 {
                let end = ends & ends.wrapping_neg();
                let upto = rest & (end | (end - 1));
                k.compress(bytes, upto, dense.add(dense_len));
                k.store_places::<true>(upto, first, places.add(dense_len));
                dense_len += upto.count_ones() as usize;
                *dense.add(dense_len) = b'\n';
                *places.add(dense_len) = first.wrapping_add(end.trailing_zeros() as u16);
                dense_len += 1;
                rest &= !upto;
                ends ^= end;
            }
            let count = rest.count_ones() as usize;
            k.compress(bytes, rest, dense.add(dense_len));
            if count > 32 {
                k.store_places::<true>(rest, first, places.add(dense_len));
            } else {
                k.store_places::<false>(rest, first, places.add(dense_len));
            }
            dense_len += count;
        }
        listed_len += usize::from(odd != 0);
        carries.apart = (!kept >> 63) as u16;
    }

    window.dense_len = dense_len;
    window.listed_len = listed_len;
    window.carries = carries;
    window.findings.fault |= fault;
    window.findings.escaped_keys |= escaped_keys != 0;
    if spaces != 0 {
        window.findings.spacing = Spacing::Any;
    }
}

/// Indexes the dense text; entries are appended to the window's. `FLOATS` is what it is to [`super::index::index`].
///
/// Afterwards, if no fault was found: every dense byte either shares a bit with the follow set of the one before it, or is an
/// entry; and wherever white space was between two of them, one is structural.
///
/// # Safety
/// The dense text must be what [`condense`] has left.
#[inline(always)]
pub(super) unsafe fn index_dense<K: Simd, const FLOATS: bool>(k: K, window: &mut Window) {
    let mut carries = window.carries;
    let mut len = window.len;
    let (mut fault, mut points) = (0, 0);
    let codes = window.codes.as_mut_ptr();
    let entry_places = window.places.as_mut_ptr();
    let dense = window.dense.as_ptr().wrapping_add(STREAM_FRONT);
    let places = window.dense_places.as_ptr().wrapping_add(STREAM_FRONT);
    let mut structural_before =
        u64::from(matches!(window.dense[STREAM_FRONT - 1], b'{' | b'}' | b'[' | b']' | b',' | b':' | b'\n'));
    let mut first = 0;
    while first < window.dense_len {
        let count = (window.dense_len - first).min(VECTOR);
        let lanes = super::depths::lanes(count);
        let from = dense.wrapping_add(first);
        // SAFETY: the arrays go on for a vector behind the dense text, and there is one before it.
        let (bytes, (classes, entry_codes), apart) = unsafe {
            let classified = k.classify::<FLOATS, false>(from);
            (k.load(from), classified, !k.places_apart(places.wrapping_add(first), 1))
        };
        let mut entries = lanes & !classes.fine;
        let structural = k.in_set(bytes, lanes, &STRUCTURAL);
        // Behind a string this is so without white space too, where a structural byte must follow all the same.
        fault |= apart & lanes & !(structural | structural << 1 | structural_before);
        structural_before = structural >> 63;
        if FLOATS {
            let checked = numbers(k, bytes, &classes, lanes, (VECTOR - count) as u32, &mut carries.numbers);
            fault |= checked.fault;
            points += (classes.point & lanes).count_ones() as usize;
            entries &= !checked.exponent_signs;
        }
        // SAFETY: all entries, those left over too, are of the bytes that a span covers, three for every two of them at most,
        // and the arrays have room for a store behind the last.
        len += unsafe {
            k.store_moved_entries::<FLOATS>(
                entry_codes,
                entries,
                places.wrapping_add(first),
                codes.add(len),
                entry_places.add(len),
            )
        };
        first += VECTOR;
    }
    if let Some(last) = window.dense_len.checked_sub(1) {
        window.dense[STREAM_FRONT - 1] = window.dense[STREAM_FRONT + last];
    }
    window.len = len;
    window.carries = carries;
    window.findings.fault |= fault;
    window.findings.floats |= points > MANY_NUMBERS;
}

/// The brackets that close a record; a fault if there is anything between records but white space.
#[inline(always)]
fn record_ends<K: Simd>(k: K, bytes: K::Bytes, outside: u64, kept: u64, depth: &mut u64, fault: &mut u64) -> u64 {
    // Square brackets and braces differ in this bit alone.
    let folded = k.or(bytes, k.splat(0x20));
    let closes = k.eq(folded, k.splat(b'}')) & outside;
    let opens = k.eq(folded, k.splat(b'{')) & outside;
    let closed = u64::from(closes.count_ones());
    if *depth > closed {
        *depth = *depth + u64::from(opens.count_ones()) - closed;
        return 0;
    }
    one_by_one(opens, closes, kept, depth, fault)
}

/// The same, bracket by bracket.
#[inline(never)]
fn one_by_one(opens: u64, closes: u64, kept: u64, depth: &mut u64, fault: &mut u64) -> u64 {
    let (mut brackets, mut ends, mut done) = (opens | closes, 0, 0);
    while brackets != 0 {
        let bit = brackets & brackets.wrapping_neg();
        brackets ^= bit;
        if *depth == 0 && (opens & bit == 0 || kept & !done & (bit - 1) != 0) {
            *fault = 1;
            return 0;
        }
        *depth = if opens & bit == 0 { *depth - 1 } else { *depth + 1 };
        if *depth == 0 {
            ends |= bit;
            done = bit | (bit - 1);
        }
    }
    if *depth == 0 && kept & !done != 0 {
        *fault = 1;
    }
    ends
}

/// White space that is not between two records. A bit added where it begins behind a record clears all of it.
fn space_within(space: u64, ends: u64, depth: u64) -> u64 {
    let between = (ends << 1 | u64::from(depth == 0)) & space;
    space & space.wrapping_add(between)
}

impl Window {
    /// Gets ready for any white space, in lines of which other variants have read `before`.
    pub(super) fn meet_any_space(&mut self, before: &[u8]) {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let outside = self.carries.strings.in_string == 0;
        let last = before.iter().rev().copied().find(|byte| !is_space(byte)).unwrap_or(b'\n');
        let byte = if outside { last } else { b'"' };
        self.dense[STREAM_FRONT - 1] = byte;
        self.carries.apart = u16::from(!outside || before.last().is_some_and(is_space));
        // Whether the string has held an escape is not known any more.
        self.carries.behind_escaped = u64::from(outside && byte == b'"');
    }
}
