//! The portable kernel: plain loops over 64 bytes, which compilers turn into what vectors a machine always has.

use super::tables::{CodeTables, FLOAT_DIGIT, FLOAT_POINT, FLOAT_START, Table16, Table128};
use super::{Classes, Simd, VECTOR};

/// The portable kernel; it needs no proof.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

type Bytes = [u8; VECTOR];

#[inline(always)]
fn map(a: Bytes, b: Bytes, op: impl Fn(u8, u8) -> u8) -> Bytes {
    let mut out = [0; VECTOR];
    for i in 0..VECTOR {
        out[i] = op(a[i], b[i]);
    }
    out
}

/// One bit for each byte pair that passes a test.
#[inline(always)]
fn mask(a: Bytes, b: Bytes, test: impl Fn(u8, u8) -> bool) -> u64 {
    gather(map(a, b, |a, b| if test(a, b) { 0xff } else { 0 }))
}

/// The high bits of all bytes: what every x86-64 has an instruction for.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn gather(flags: Bytes) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8};
    let mut mask = 0;
    for (i, quarter) in flags.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: 16 bytes are readable, and SSE2 is part of x86-64.
        let bits = unsafe { _mm_movemask_epi8(_mm_loadu_si128(quarter.as_ptr().cast::<__m128i>())) };
        mask |= u64::from(bits as u32) << (16 * i);
    }
    mask
}

/// The high bits of all bytes.
///
/// Eight of them in a word are gathered into its top byte by one multiplication: the bit of byte `i` meets the factor's bit
/// that moves it to bit `56 + i`, and no two products meet.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn gather(flags: Bytes) -> u64 {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    const GATHER: u64 = 0x0002_0408_1020_4081;
    let mut mask = 0;
    for (i, word) in flags.as_chunks::<8>().0.iter().enumerate() {
        mask |= ((u64::from_le_bytes(*word) & HIGH_BITS).wrapping_mul(GATHER) >> 56) << (8 * i);
    }
    mask
}

impl Simd for Portable {
    type Bytes = Bytes;
    /// Where the vector's text is.
    type Codes = *const u8;

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> Bytes {
        // SAFETY: 64 bytes are readable, says the caller.
        unsafe { from.cast::<Bytes>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, bytes: Bytes, to: *mut u8) {
        // SAFETY: 64 bytes are writable, says the caller.
        unsafe { to.cast::<Bytes>().write_unaligned(bytes) }
    }

    #[inline(always)]
    fn prefetch(self, _: *const u8) {}

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes {
        [byte; VECTOR]
    }

    #[inline(always)]
    fn and(self, a: Bytes, b: Bytes) -> Bytes {
        map(a, b, |a, b| a & b)
    }

    #[inline(always)]
    fn or(self, a: Bytes, b: Bytes) -> Bytes {
        map(a, b, |a, b| a | b)
    }

    #[inline(always)]
    fn xor(self, a: Bytes, b: Bytes) -> Bytes {
        map(a, b, |a, b| a ^ b)
    }

    #[inline(always)]
    fn add(self, a: Bytes, b: Bytes) -> Bytes {
        map(a, b, u8::wrapping_add)
    }

    #[inline(always)]
    fn saturating_sub(self, a: Bytes, b: Bytes) -> Bytes {
        map(a, b, u8::saturating_sub)
    }

    #[inline(always)]
    fn high_nibble(self, a: Bytes) -> Bytes {
        a.map(|byte| byte >> 4)
    }

    #[inline(always)]
    fn prefix_sum(self, a: Bytes) -> Bytes {
        let mut sum = 0u8;
        a.map(|byte| {
            sum = sum.wrapping_add(byte);
            sum
        })
    }

    #[inline(always)]
    fn select(self, mask: u64, a: Bytes, b: Bytes) -> Bytes {
        let mut out = b;
        for i in 0..VECTOR {
            if mask >> i & 1 == 1 {
                out[i] = a[i];
            }
        }
        out
    }

    #[inline(always)]
    fn eq(self, a: Bytes, b: Bytes) -> u64 {
        mask(a, b, |a, b| a == b)
    }

    #[inline(always)]
    fn above(self, a: Bytes, b: Bytes) -> u64 {
        mask(a, b, |a, b| a > b)
    }

    #[inline(always)]
    fn below_signed(self, a: Bytes, b: Bytes) -> u64 {
        mask(a, b, |a, b| (a as i8) < b as i8)
    }

    #[inline(always)]
    fn shares_bits(self, a: Bytes, b: Bytes) -> u64 {
        mask(a, b, |a, b| a & b != 0)
    }

    #[inline(always)]
    fn lookup16(self, table: &Table16, index: Bytes) -> Bytes {
        index.map(|byte| table[usize::from(byte & 15)])
    }

    #[inline(always)]
    fn lookup128(self, table: &Table128, index: Bytes) -> Bytes {
        index.map(|byte| table[usize::from(byte & 127)])
    }

    #[inline(always)]
    unsafe fn compress(self, bytes: Bytes, mut mask: u64, to: *mut u8) {
        let mut len = 0;
        while mask != 0 {
            // SAFETY: no more bytes than 64 are written.
            unsafe { *to.add(len) = bytes[mask.trailing_zeros() as usize] };
            mask &= mask - 1;
            len += 1;
        }
    }

    #[inline(always)]
    unsafe fn store_places<const MANY: bool>(self, mut mask: u64, first: u16, to: *mut u16) {
        let mut len = 0;
        while mask != 0 {
            // SAFETY: no more places than 64 are written.
            unsafe { *to.add(len) = first.wrapping_add(mask.trailing_zeros() as u16) };
            mask &= mask - 1;
            len += 1;
        }
    }

    #[inline(always)]
    unsafe fn places_apart(self, places: *const u16, distance: u16) -> u64 {
        let mut mask = 0;
        for i in 0..VECTOR {
            // SAFETY: the places are readable, says the caller.
            let step = unsafe { (*places.add(i)).wrapping_sub(*places.add(i).sub(1)) };
            mask |= u64::from(step == distance) << i;
        }
        mask
    }

    #[inline(always)]
    fn deposit(self, mut bits: u64, mut mask: u64) -> u64 {
        let mut deposited = 0;
        while bits != 0 && mask != 0 {
            let lowest = mask & mask.wrapping_neg();
            deposited |= if bits & 1 == 1 { lowest } else { 0 };
            mask ^= lowest;
            bits >>= 1;
        }
        deposited
    }

    #[inline(always)]
    fn prefix_xor(self, mask: u64) -> u64 {
        let mask = mask ^ mask << 1;
        let mask = mask ^ mask << 2;
        let mask = mask ^ mask << 4;
        let mask = mask ^ mask << 8;
        let mask = mask ^ mask << 16;
        mask ^ mask << 32
    }

    #[inline(always)]
    unsafe fn classify<const FLOATS: bool, const SPACES: bool>(
        self,
        from: *const u8,
        mut outside: u64,
    ) -> (Classes, *const u8) {
        let tables = CodeTables::of(FLOATS, SPACES);
        let mut classes = Classes::default();
        // Most bytes are in strings, so one at a time is quick enough.
        while outside != 0 {
            let at = outside.trailing_zeros() as usize;
            let bit = |is: bool| u64::from(is) << at;
            // SAFETY: 64 bytes before and from here on are readable, says the caller.
            let (byte, before, (class, follow)) = unsafe {
                let byte = from.add(at);
                (*byte, *byte.sub(1), tables.class_and_follow::<SPACES>(byte))
            };
            let both = class & follow;
            classes.fine |= bit(both != 0);
            if FLOATS {
                classes.digit |= bit(both & FLOAT_DIGIT != 0);
                classes.point |= bit(both & FLOAT_POINT != 0);
                classes.zero |= bit(both & FLOAT_START != 0);
            }
            if SPACES {
                classes.blank |= bit(byte == b' ' || byte == b'\r');
                classes.after_blank |= bit(before == b' ' || before == b'\r');
            }
            outside &= outside - 1;
        }
        (classes, from)
    }

    #[inline(always)]
    unsafe fn store_entries<const MANY: bool, const FLOATS: bool, const SPACES: bool>(
        self,
        text: *const u8,
        mut mask: u64,
        first: u16,
        to_codes: *mut u8,
        to_places: *mut u16,
    ) {
        let tables = CodeTables::of(FLOATS, SPACES);
        let mut len = 0;
        while mask != 0 {
            let at = mask.trailing_zeros() as usize;
            // SAFETY: the vector and the bytes before it are readable, and no more than 64 entries are written.
            unsafe {
                let (class, follow) = tables.class_and_follow::<SPACES>(text.add(at));
                *to_codes.add(len) = class | follow;
                *to_places.add(len) = first.wrapping_add(at as u16);
            }
            mask &= mask - 1;
            len += 1;
        }
    }
}
