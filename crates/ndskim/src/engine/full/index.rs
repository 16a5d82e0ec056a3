//! Pass 1: from text to a dense index of what is structural or not plainly fine.
//!
//! What goes in: a piece of text, the carries, and the entries so far. What comes out: an entry (code and place) for
//! every byte outside strings that is structural or that its left neighbour does not explain; for each vector the mask
//! of what is outside strings; lists of the few vectors and places that [`super::text`] has to look at. It must never
//! decide from a byte alone: what the byte before does not settle becomes an entry, and a later pass settles it.
//!
//! Four variants, chosen window by window: with `FLOATS` numbers are checked here, in the masks, instead of one by one
//! later; with `SPACES` single spaces after `{ [ , :` and a carriage return before a newline are plainly fine. Text with
//! other white space is indexed by [`super::dense`]. All write codes that the later passes read in the same way.

use super::window::{MANY_NUMBERS, NumberCarries, Piece, Spacing, StringCarries, Window};
use crate::kernel::strings::{add_with_carry, escaped, strings_with};
use crate::kernel::tables::ESCAPE_LETTERS;
use crate::kernel::{Classes, Simd, VECTOR};

/// How far ahead of the vector in hand the text is asked for.
pub(super) const PREFETCH: usize = 3072;

/// Indexes a piece; entries are appended to the window's.
///
/// Afterwards, if neither a fault nor crowding was found: every byte of the piece outside strings either shares a bit
/// with the follow set of the byte before it, or is an entry (or, with `SPACES`, a carriage return).
///
/// # Safety
/// 64 bytes before the piece and two vectors behind it must be readable, and the piece's places must be below
/// [`super::window::SPAN`] plus a vector.
#[inline(always)]
pub(super) unsafe fn index<K: Simd, const FLOATS: bool, const SPACES: bool, const MANY: bool>(
    k: K,
    window: &mut Window,
    piece: Piece,
) {
    window.unicode_len = 0;
    let (outside_masks, listed) = (window.outside.as_mut_ptr(), window.listed.as_mut_ptr());
    let (codes, places) = (window.codes.as_mut_ptr(), window.places.as_mut_ptr());
    let carries = window.carries;
    let mut strings = StringStep {
        carries: carries.strings,
        outside: outside_masks,
        listed,
        listed_len: 0,
        fault: 0,
        escaped_keys: 0,
    };
    let mut entries =
        EntryStep { carries: carries.numbers, codes, places, len: window.len, most: 0, fault: 0, points: 0, blanks: 0 };
    // SAFETY: the vectors are the piece's, and where a mask is read the loop before has left one.
    unsafe {
        if K::SHUFFLES {
            for vector in 0..piece.vectors {
                let (outside, odd) = strings.take(k, window, piece, vector);
                entries.take::<_, FLOATS, SPACES, MANY>(k, piece, vector, outside);
                strings.keep(vector, outside, odd);
            }
        } else {
            // How often a loop over set bits goes round is not to be foreseen: a wrong guess is found out the sooner the
            // longer its mask has been there.
            for vector in 0..piece.vectors {
                let (outside, odd) = strings.take(k, window, piece, vector);
                strings.keep(vector, outside, odd);
            }
            for vector in 0..piece.vectors {
                let outside = *outside_masks.add(vector);
                entries.take::<_, FLOATS, SPACES, MANY>(k, piece, vector, outside);
            }
        }
    }
    (window.len, window.listed_len) = (entries.len, strings.listed_len);
    (window.carries.strings, window.carries.numbers) = (strings.carries, entries.carries);
    window.findings.fault |= strings.fault | entries.fault;
    window.findings.crowded |= !MANY && entries.most > 32;
    window.findings.escaped_keys |= strings.escaped_keys != 0;
    window.findings.floats |= entries.points > MANY_NUMBERS;
    if entries.blanks != 0 {
        window.findings.spacing = window.findings.spacing.max(Spacing::Single);
    }
}

/// What of a vector's text is outside strings.
struct StringStep {
    carries: StringCarries,
    outside: *mut u64,
    listed: *mut u16,
    listed_len: usize,
    fault: u64,
    escaped_keys: u64,
}

impl StringStep {
    /// Goes over the next vector: what is outside strings, and whether there is more to look at.
    ///
    /// # Safety
    /// As for [`index`]; the vector must be one of the piece's.
    #[inline(always)]
    unsafe fn take<K: Simd>(&mut self, k: K, window: &mut Window, piece: Piece, vector: usize) -> (u64, bool) {
        let from = piece.text.wrapping_add(vector * VECTOR);
        k.prefetch(from.wrapping_add(PREFETCH));
        // SAFETY: the vector is readable and within the window, says the caller.
        let (bytes, strings) = unsafe {
            let bytes = k.load(from);
            (bytes, strings(k, window, bytes, vector, &mut self.carries))
        };
        self.fault |= strings.fault;
        if strings.escaped != 0 {
            // SAFETY: behind the vector more is readable.
            let behind = unsafe { k.load(from.wrapping_add(1)) };
            self.escaped_keys |= strings.escaped & k.eq(behind, k.splat(b':'));
        }
        let odd = k.below_signed(bytes, k.splat(0x20)) != 0;
        (strings.outside, odd)
    }

    /// Keeps what [`Self::take`] has found. A step of its own: where entries are stored in between, a store before them would
    /// have the vector loaded anew.
    ///
    /// # Safety
    /// As for it.
    #[inline(always)]
    unsafe fn keep(&mut self, vector: usize, outside: u64, odd: bool) {
        // SAFETY: there is one mask and at most one listing a vector.
        unsafe {
            *self.outside.add(vector) = outside;
            *self.listed.add(self.listed_len) = vector as u16;
        }
        self.listed_len += usize::from(odd);
    }
}

/// The entries of what is outside strings.
struct EntryStep {
    carries: NumberCarries,
    codes: *mut u8,
    places: *mut u16,
    len: usize,
    /// The most entries of a vector.
    most: usize,
    fault: u64,
    points: usize,
    blanks: u64,
}

impl EntryStep {
    /// Stores the entries of the next vector.
    ///
    /// # Safety
    /// As for [`index`]; the vector must be one of the piece's.
    #[inline(always)]
    unsafe fn take<K: Simd, const FLOATS: bool, const SPACES: bool, const MANY: bool>(
        &mut self,
        k: K,
        piece: Piece,
        vector: usize,
        outside: u64,
    ) {
        let from = piece.text.wrapping_add(vector * VECTOR);
        // SAFETY: the vector and 64 bytes before it are readable, says the caller.
        let (bytes, (classes, entry_codes)) = unsafe { (k.load(from), k.classify::<FLOATS, SPACES>(from)) };
        let mut entries = outside & !classes.fine;
        if FLOATS {
            let checked = numbers(k, bytes, &classes, outside, 0, &mut self.carries);
            self.fault |= checked.fault;
            self.points += (classes.point & outside).count_ones() as usize;
            entries &= !checked.exponent_signs;
        }
        if SPACES {
            self.fault |= classes.blank & classes.after_blank & outside;
            self.blanks |= classes.blank & outside;
            if FLOATS {
                // Without floats the tables say so.
                entries &= !k.eq(bytes, k.splat(b'\r'));
            }
        }
        // SAFETY: entries are no more than bytes, and the arrays have room for a store behind the last.
        let count = unsafe {
            let first = (piece.place + vector * VECTOR) as u16;
            let (codes, places) = (self.codes.add(self.len), self.places.add(self.len));
            k.store_entries::<MANY, FLOATS, SPACES>(entry_codes, entries, first, codes, places)
        };
        self.len += count;
        self.most = self.most.max(count);
    }
}

/// Where the strings of a vector are.
pub(super) struct Strings {
    /// Bytes outside strings; opening quotes too, closing quotes not.
    pub(super) outside: u64,
    /// Closing quotes of strings that hold a backslash.
    pub(super) escaped: u64,
    /// Escaped bytes that may not be.
    pub(super) fault: u64,
}

/// Tells what is in strings, and lists the vector's `\u`.
///
/// # Safety
/// `vector` must be within the window.
#[inline(always)]
pub(super) unsafe fn strings<K: Simd>(
    k: K,
    window: &mut Window,
    bytes: K::Bytes,
    vector: usize,
    carries: &mut StringCarries,
) -> Strings {
    let mut found = Strings { outside: 0, escaped: 0, fault: 0 };
    let mut quotes = k.eq(bytes, k.splat(b'"'));
    let backslashes = k.eq(bytes, k.splat(b'\\'));
    let has_escapes = backslashes | carries.escape | carries.escaped_string != 0;
    if has_escapes {
        let escaped = escaped(backslashes, &mut carries.escape);
        quotes &= !escaped;
        // SAFETY: the list has room for all `\u` of a window.
        found.fault = unsafe { note_escapes(k, window, bytes, escaped, vector) };
    }
    let in_string = k.prefix_xor(quotes) ^ carries.in_string;
    carries.in_string = ((in_string as i64) >> 63) as u64;
    found.outside = !(in_string ^ quotes);
    if has_escapes {
        found.escaped = strings_with(backslashes, quotes & !in_string, &mut carries.escaped_string);
    }
    found
}

/// Lists the places of `\u`; gives the escaped bytes that may not be.
///
/// # Safety
/// `vector` must be within the window.
#[inline(always)]
unsafe fn note_escapes<K: Simd>(k: K, window: &mut Window, bytes: K::Bytes, escaped: u64, vector: usize) -> u64 {
    let unicode = k.eq(bytes, k.splat(b'u')) & escaped;
    // SAFETY: no more `\u` than half the bytes.
    unsafe {
        let to = window.unicode.as_mut_ptr().add(window.unicode_len);
        k.store_places::<false>(unicode, (vector * VECTOR) as u16, to);
    }
    window.unicode_len += unicode.count_ones() as usize;
    escaped & !k.in_set(bytes, escaped, &ESCAPE_LETTERS)
}

pub(super) struct Numbers {
    pub(super) fault: u64,
    /// Signs of exponents: no entries.
    pub(super) exponent_signs: u64,
}

/// Checks what the byte before cannot tell of a number: no digit behind a leading zero, one point, one exponent, and
/// digits in the exponent. Runs of digits are crossed by adding a bit at their start: it lands behind their end.
///
/// Where text goes on in another vector behind its first `64 - skipped` bytes, bits are moved up, so that the last is the last.
#[inline(always)]
pub(super) fn numbers<K: Simd>(
    k: K,
    bytes: K::Bytes,
    classes: &Classes,
    outside: u64,
    skipped: u32,
    carries: &mut NumberCarries,
) -> Numbers {
    let digit = (classes.digit & outside) << skipped;
    let point = (classes.point & outside) << skipped;
    let mut zero = (classes.zero & outside) << skipped;
    let mut fault = 0;
    let mut exponent_signs = 0;

    let dot = if point == 0 { 0 } else { point & k.eq(bytes, k.splat(b'.')) << skipped };
    let exponent = point & !dot;
    if exponent | carries.exponent | carries.exponent_sign | carries.exponent_digits != 0 {
        let after = exponent << 1 | carries.exponent << skipped;
        let signs = (k.eq(bytes, k.splat(b'+')) | k.eq(bytes, k.splat(b'-'))) & outside;
        exponent_signs = after & signs << skipped;
        let behind_sign = exponent_signs << 1 | carries.exponent_sign << skipped;
        let first_digit = (after & !exponent_signs) | behind_sign;
        fault |= first_digit & !digit;
        zero &= !behind_sign;
        let (landed, overflow) = add_with_carry(digit, first_digit & digit, carries.exponent_digits << skipped);
        fault |= landed & !digit & point;
        carries.exponent = exponent >> 63;
        carries.exponent_sign = exponent_signs >> 63;
        carries.exponent_digits = overflow;
    }

    fault |= (zero << 1 | carries.zero << skipped) & digit;
    carries.zero = zero >> 63;

    let (landed, overflow) = add_with_carry(digit, dot << 1, carries.point << skipped);
    fault |= landed & !digit & dot;
    carries.point = overflow | dot >> 63;
    Numbers { fault, exponent_signs: exponent_signs >> skipped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_alternate_from_the_start_of_each_run() {
        let mut random = 88172645463325252u64;
        for _ in 0..200_000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let backslashes = random & random.rotate_left(random as u32 & 63) | random.rotate_left(9) & random;
            for carry_in in [0, 1] {
                let (mut expected, mut escape) = (0, carry_in == 1);
                for bit in 0..64 {
                    let is_escaped = escape;
                    expected |= u64::from(is_escaped) << bit;
                    escape = !is_escaped && backslashes >> bit & 1 == 1;
                }
                let mut carry = carry_in;
                assert_eq!(escaped(backslashes, &mut carry), expected);
                assert_eq!(carry, u64::from(escape));
            }
        }
    }
}
