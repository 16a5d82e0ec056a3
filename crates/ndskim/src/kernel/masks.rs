//! How bytes stand to the bytes before them, by masks of what kind each byte is: for kernels without tables of 128 entries.
//!
//! What goes in: the kinds of the bytes of a vector. What comes out: which of them are plainly fine behind the one before, by
//! the rules of [`super::tables::class`] and [`super::tables::follow`]. Kinds may hold some bytes by accident, as in
//! [`super::tables::Fine`], and for the same reason without harm.

use super::tables::{PairTables, kind, kinds_of};
use super::{Classes, Simd};

/// What the bytes of a vector are, where numbers are checked in the masks: a bit for each byte.
#[derive(Clone, Copy)]
pub(super) struct Kinds {
    pub(super) quote: u64,
    pub(super) minus: u64,
    pub(super) zero: u64,
    pub(super) digit: u64,
    pub(super) dot: u64,
    pub(super) exponent: u64,
    pub(super) sign: u64,
    /// A letter of a literal.
    pub(super) letter: u64,
    /// A string may start behind it.
    pub(super) before_string: u64,
    /// Any value may start behind it.
    pub(super) before_value: u64,
}

/// A kernel that tells kinds.
pub(super) trait TellKinds: Simd {
    /// The kinds of a vector's bytes.
    fn kinds(self, bytes: Self::Bytes) -> Kinds;

    /// The same, as far as it matters where numbers are not checked in the masks.
    #[inline(always)]
    fn words(self, bytes: Self::Bytes) -> Words {
        let Kinds { quote, digit, zero, before_string, letter, exponent, sign, dot, .. } = self.kinds(bytes);
        Words { quote, digit, zero, word: digit | letter | exponent | sign | dot, before_string }
    }
}

/// Where there is a space or carriage return.
#[inline(always)]
pub(super) fn blanks<K: Simd>(k: K, bytes: K::Bytes) -> u64 {
    k.eq(bytes, k.splat(b' ')) | k.eq(bytes, k.splat(b'\r'))
}

/// What the bytes of a vector are, where numbers are not checked in the masks.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub(super) quote: u64,
    pub(super) digit: u64,
    pub(super) zero: u64,
    /// A byte of a number or literal.
    pub(super) word: u64,
    /// A string may start behind it, and, unless it is an opening brace, any value.
    pub(super) before_string: u64,
}

impl Words {
    /// What is plainly fine. A digit behind `{` is taken for it too, without harm: whatever follows, a colon or closing brace
    /// that stands behind a digit there, is refused.
    #[inline(always)]
    fn fine(&self, behind: &Behind) -> u64 {
        let behind_string = behind.has(self.before_string, kind::BEFORE_STRING);
        let behind_digit = behind.has(self.digit, kind::DIGIT);
        let behind_word = behind.has(self.word, kind::DIGIT | kind::LETTER | kind::EXPONENT | kind::SIGN | kind::DOT);
        (self.quote & behind_string)
            | (self.digit & !self.zero & behind_string)
            | (self.word & behind_word & !(behind_digit & !self.digit))
    }
}

/// The bytes before each, for pass 1 without white space or with single blanks.
struct Behind {
    /// Blank bytes before, over which the look goes back.
    after_blank: u64,
    /// Kinds of the last byte before the vector, and of the one before that.
    one: u8,
    two: u8,
}

impl Behind {
    /// Where the byte before is one of `mask`, or before the vector of `kinds`.
    #[inline(always)]
    fn has(&self, mask: u64, kinds: u8) -> u64 {
        let (one, two) = (u64::from(self.one & kinds != 0), u64::from(self.two & kinds != 0));
        let before = mask << 1 | one;
        (before & !self.after_blank) | ((mask << 2 | one << 1 | two) & self.after_blank)
    }
}

/// The masks of [`Simd::classify`], by kinds.
///
/// # Safety
/// As for [`Simd::classify`].
#[inline(always)]
pub(super) unsafe fn classify<K: TellKinds, const FLOATS: bool, const SPACES: bool>(k: K, from: *const u8) -> Classes {
    // SAFETY: 64 bytes before and from here on are readable, says the caller.
    let (bytes, one, two) = unsafe { (k.load(from), *from.sub(1), *from.sub(2)) };
    let (mut blank, mut after_blank, mut spaces) = (0, 0, 0);
    if SPACES {
        blank = blanks(k, bytes);
        after_blank = blank << 1 | u64::from(matches!(one, b' ' | b'\r'));
        spaces = k.eq(bytes, k.splat(b' '));
    }
    let behind = Behind { after_blank, one: kinds_of(one), two: kinds_of(two) };
    // A space may stand where a quote may.
    let mut classes = if FLOATS {
        let kinds = k.kinds(bytes);
        floats(&Kinds { quote: kinds.quote | spaces, ..kinds }, &behind)
    } else {
        let words = k.words(bytes);
        let mut fine = Words { quote: words.quote | spaces, ..words }.fine(&behind);
        if SPACES {
            fine |= k.eq(bytes, k.splat(b'\r'));
        }
        Classes { fine, ..Classes::default() }
    };
    (classes.blank, classes.after_blank) = (blank, after_blank);
    classes
}

/// What is plainly fine, and the masks of numbers.
#[inline(always)]
fn floats(kinds: &Kinds, behind: &Behind) -> Classes {
    const NUMBER: u8 = kind::DIGIT | kind::SIGN | kind::DOT | kind::EXPONENT;
    let behind_value = behind.has(kinds.before_value, kind::BEFORE_VALUE);
    let behind_number = behind.has(kinds.digit | kinds.sign | kinds.dot | kinds.exponent, NUMBER);
    let digit = kinds.digit & (behind_value | behind_number);
    let point = (kinds.dot | kinds.exponent) & behind.has(kinds.digit, kind::DIGIT);
    let zero = kinds.zero & (behind_value | behind.has(kinds.sign, kind::SIGN));
    let fine = (kinds.quote & behind.has(kinds.before_string, kind::BEFORE_STRING))
        | (kinds.minus & behind_value)
        | (kinds.letter & behind.has(kinds.letter, kind::LETTER))
        | digit
        | point;
    Classes { fine, digit, point, zero, ..Classes::default() }
}

/// Entries one by one, for kernels that keep where the text is: of each 1 bit the code, and what `place_of` makes of the bit.
///
/// # Safety
/// As for [`Simd::store_entries`].
#[inline(always)]
pub(super) unsafe fn store_one_by_one<const FLOATS: bool, const SPACES: bool>(
    text: *const u8,
    mut mask: u64,
    place_of: impl Fn(usize) -> u16,
    to_codes: *mut u8,
    to_places: *mut u16,
) {
    let tables = PairTables::of(FLOATS, SPACES);
    let mut len = 0;
    while mask != 0 {
        let at = mask.trailing_zeros() as usize;
        // SAFETY: the vector and the bytes before it are readable, and no more than 64 entries are written.
        unsafe {
            *to_codes.add(len) = tables.code::<SPACES>(text.add(at));
            *to_places.add(len) = place_of(at);
        }
        mask &= mask - 1;
        len += 1;
    }
}
