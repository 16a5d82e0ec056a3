//! For kernels without tables of 128 entries: how bytes stand to the bytes before them, by masks of what kind each byte is,
//! where numbers are checked in the masks; and entries one by one.
//!
//! What goes in: the kinds of the bytes of a vector. What comes out: which of them are plainly fine behind the one before, by
//! the rules of [`super::tables::class`] and [`super::tables::follow`]. Kinds may hold some bytes by accident, as in
//! [`super::tables::Fine`], and for the same reason without harm. What goes in besides: which bytes may be entries. What comes
//! out: the entries of those that are not plainly fine, by a table of every two bytes.

use super::tables::{PLAINLY_FINE, PairTables, kind, kinds_of};
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
}

/// Where there is a space or carriage return.
#[inline(always)]
pub(super) fn blanks<K: Simd>(k: K, bytes: K::Bytes) -> u64 {
    k.eq(bytes, k.splat(b' ')) | k.eq(bytes, k.splat(b'\r'))
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

/// The masks of [`Simd::classify`] with floats, by kinds.
///
/// # Safety
/// As for [`Simd::classify`].
#[inline(always)]
pub(super) unsafe fn classify<K: TellKinds, const SPACES: bool>(k: K, from: *const u8) -> Classes {
    // SAFETY: 64 bytes before and from here on are readable, says the caller.
    let (bytes, one, two) = unsafe { (k.load(from), *from.sub(1), *from.sub(2)) };
    let mut kinds = k.kinds(bytes);
    let (mut blank, mut after_blank) = (0, 0);
    if SPACES {
        blank = blanks(k, bytes);
        after_blank = blank << 1 | u64::from(matches!(one, b' ' | b'\r'));
        // A space may stand where a quote may.
        kinds.quote |= k.eq(bytes, k.splat(b' '));
    }
    let mut classes = floats(&kinds, &Behind { after_blank, one: kinds_of(one), two: kinds_of(two) });
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

/// Entries one by one, for kernels that keep where the text is: of each 1 bit the code, and what `place_of` makes of the bit,
/// but none of a byte that is plainly fine. Gives how many there are.
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
) -> usize {
    let tables = PairTables::of(FLOATS, SPACES);
    let mut len = 0;
    while mask != 0 {
        let at = mask.trailing_zeros() as usize;
        // SAFETY: the vector and the bytes before it are readable, and no more than 64 entries are written.
        let code = unsafe {
            let code = tables.code::<SPACES>(text.add(at));
            *to_codes.add(len) = code;
            *to_places.add(len) = place_of(at);
            code
        };
        len += usize::from(code & PLAINLY_FINE == 0);
        mask &= mask - 1;
    }
    len
}
