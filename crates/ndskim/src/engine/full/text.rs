//! What pass 1 has listed: control bytes, UTF-8 and the digits of `\u`.
//!
//! What goes in: a piece of text just indexed, its masks and lists. What comes out: whether any of it is a fault. It
//! must never look at a vector that is not listed.

use super::window::{Piece, Window};
use crate::kernel::tables::Table16;
use crate::kernel::{Simd, VECTOR};

/// Looks at the listed vectors of a piece, and at its `\u` escapes.
///
/// Afterwards, if no fault was found: no control byte is in a string, no byte outside strings is beyond ASCII, each
/// carriage return outside strings stands before a newline (anywhere with `DENSE`), all text is UTF-8 and each `\u` has four
/// digits.
///
/// # Safety
/// As for [`super::index::index`], which must have indexed this same piece last.
#[inline(always)]
pub(super) unsafe fn check_text<K: Simd, const DENSE: bool>(k: K, window: &mut Window, piece: Piece) {
    let mut fault = 0;
    let listed = &window.listed[..window.listed_len];
    let (zero, cr, newline, space) = (k.splat(0), k.splat(b'\r'), k.splat(b'\n'), k.splat(0x20));
    for &vector in listed {
        let from = piece.text.wrapping_add(usize::from(vector) * VECTOR);
        // SAFETY: a listed vector is within the piece, behind which two vectors are readable.
        let (bytes, next) = unsafe { (k.load(from), k.load(from.add(1))) };
        let outside = window.outside[usize::from(vector)];
        let beyond_ascii = k.below_signed(bytes, zero);
        let control = k.below_signed(bytes, space) & !beyond_ascii;
        fault |= (control & !outside) | (beyond_ascii & outside);
        if !DENSE {
            fault |= k.eq(bytes, cr) & !k.eq(next, newline);
        }
        if beyond_ascii != 0 {
            // SAFETY: 64 bytes before the piece and two vectors behind it are readable, which takes in the vector behind a
            // listed one.
            unsafe {
                fault |= utf8_faults(k, from);
                // A sequence that this vector leaves unfinished shows in the first bytes of the next.
                if beyond_ascii >> 61 != 0 {
                    fault |= utf8_faults(k, from.add(VECTOR)) & 0b111;
                }
            }
        }
    }
    for &place in &window.unicode[..window.unicode_len] {
        // SAFETY: behind the piece two vectors are readable.
        let digits = unsafe { piece.text.add(usize::from(place) + 1).cast::<[u8; 4]>().read_unaligned() };
        fault |= u64::from(digits.iter().fold(0, |not, &digit| not | NOT_HEX[usize::from(digit)]));
    }
    window.findings.fault |= fault;
}

/// 0 for hexadecimal digits, 1 for all else.
static NOT_HEX: [u8; 256] = {
    let mut table = [1; 256];
    let mut byte = 0;
    while byte < 256 {
        if (byte as u8).is_ascii_hexdigit() {
            table[byte] = 0;
        }
        byte += 1;
    }
    table
};

/// Bytes of a vector that cannot be where they are in UTF-8, seen from the three bytes before each.
///
/// The method is that of Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte" (2021): every
/// ill-formed pair of bytes is a combination of a first byte's high nibble, its low nibble and the second byte's high
/// nibble, so three tables with a bit for each kind of fault decide. What two bytes cannot tell is whether a third or
/// fourth byte must be a continuation: that is compared with where two continuations stand in a row.
///
/// # Safety
/// 64 bytes from `from` and three before it must be readable.
#[inline(always)]
unsafe fn utf8_faults<K: Simd>(k: K, from: *const u8) -> u64 {
    // SAFETY: as the caller says.
    let (bytes, one, two, three) =
        unsafe { (k.load(from), k.load(from.sub(1)), k.load(from.sub(2)), k.load(from.sub(3))) };
    let pairs = k.and(
        k.and(k.lookup16(&UTF8.first_high, k.high_nibble(one)), k.lookup16(&UTF8.first_low, k.and(one, k.splat(15)))),
        k.lookup16(&UTF8.second_high, k.high_nibble(bytes)),
    );
    // The high bit is left where the byte is at least 0xe0 (0xf0).
    let third = k.saturating_sub(two, k.splat(0xe0 - 0x80));
    let fourth = k.saturating_sub(three, k.splat(0xf0 - 0x80));
    let continues = k.and(k.or(third, fourth), k.splat(TWO_CONTINUATIONS));
    k.shares_bits(k.xor(continues, pairs), k.splat(0xff))
}

/// The kind of pair that is a fault only where a sequence has no third or fourth byte.
const TWO_CONTINUATIONS: u8 = 0x80;

struct Utf8Tables {
    first_high: Table16,
    first_low: Table16,
    second_high: Table16,
}

/// One kind of ill-formed pair: sets of nibbles, a bit for each.
struct Pair {
    first_high: u16,
    first_low: u16,
    second_high: u16,
}

/// The nibbles from `a` to `b`, as a set.
const fn nibbles(a: u32, b: u32) -> u16 {
    let mut set = 0;
    let mut nibble = a;
    while nibble <= b {
        set |= 1 << nibble;
        nibble += 1;
    }
    set
}

const CONTINUATION: u16 = nibbles(8, 0xb);
const ANY: u16 = nibbles(0, 0xf);

/// The ill-formed pairs; the last is [`TWO_CONTINUATIONS`].
const PAIRS: [Pair; 8] = [
    // A lead byte without its continuation.
    Pair { first_high: nibbles(0xc, 0xf), first_low: ANY, second_high: !CONTINUATION },
    // A continuation behind ASCII.
    Pair { first_high: nibbles(0, 7), first_low: ANY, second_high: CONTINUATION },
    // Too long for what it says: two bytes, three bytes.
    Pair { first_high: nibbles(0xc, 0xc), first_low: nibbles(0, 1), second_high: CONTINUATION },
    Pair { first_high: nibbles(0xe, 0xe), first_low: nibbles(0, 0), second_high: nibbles(8, 9) },
    // A surrogate.
    Pair { first_high: nibbles(0xe, 0xe), first_low: nibbles(0xd, 0xd), second_high: nibbles(0xa, 0xb) },
    // Beyond U+10FFFF.
    Pair { first_high: nibbles(0xf, 0xf), first_low: nibbles(4, 0xf), second_high: nibbles(9, 0xb) },
    // Four bytes, too long for what it says; or beyond U+10FFFF.
    Pair { first_high: nibbles(0xf, 0xf), first_low: 1 | nibbles(5, 0xf), second_high: nibbles(8, 8) },
    Pair { first_high: CONTINUATION, first_low: ANY, second_high: CONTINUATION },
];

static UTF8: Utf8Tables = {
    let mut tables = Utf8Tables { first_high: [0; 16], first_low: [0; 16], second_high: [0; 16] };
    let mut nibble = 0;
    while nibble < 16 {
        let mut kind = 0;
        while kind < 8 {
            let pair = &PAIRS[kind];
            tables.first_high[nibble] |= ((pair.first_high >> nibble & 1) as u8) << kind;
            tables.first_low[nibble] |= ((pair.first_low >> nibble & 1) as u8) << kind;
            tables.second_high[nibble] |= ((pair.second_high >> nibble & 1) as u8) << kind;
            kind += 1;
        }
        nibble += 1;
    }
    tables
};
