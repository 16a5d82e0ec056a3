//! The portable kernel: plain loops over 64 bytes, which compilers turn into what vectors a machine always has.

use super::masks::{self, Kinds};
use super::tables::{ByteSet, Table16, Table128};
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

/// One bit for each byte that passes a test.
#[inline(always)]
fn is(bytes: Bytes, test: impl Fn(u8) -> bool) -> u64 {
    gather(bytes.map(|byte| if test(byte) { 0xff } else { 0 }))
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

/// Bytes of a vector beyond which a look at each is quicker, which never branches, than a loop over those that are asked for.
const MANY_BYTES: u32 = 24;

/// All ones in each byte whose bit is set.
#[inline(always)]
fn spread_bits(mask: u64) -> Bytes {
    const OWN: u64 = 0x8040_2010_0804_0201;
    const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut bytes = [0; VECTOR];
    for (eight, bits) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(mask.to_le_bytes()) {
        // Each byte keeps its own bit, which is then moved to the top; what is added to the low bits never leaves a byte.
        let own = u64::from_le_bytes([bits; 8]) & OWN;
        let top = ((own & LOW_BITS).wrapping_add(LOW_BITS) | own) & !LOW_BITS;
        *eight = ((top >> 7).wrapping_mul(0xff)).to_le_bytes();
    }
    bytes
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

impl masks::TellKinds for Portable {
    #[inline(always)]
    fn kinds(self, bytes: Bytes) -> Kinds {
        Kinds {
            quote: is(bytes, |byte| byte == b'"'),
            minus: is(bytes, |byte| byte == b'-'),
            zero: is(bytes, |byte| byte == b'0'),
            digit: is(bytes, |byte| byte.is_ascii_digit()),
            dot: is(bytes, |byte| byte == b'.'),
            exponent: is(bytes, |byte| byte | 0x20 == b'e'),
            sign: is(bytes, |byte| (byte == b'+') | (byte == b'-')),
            // Other letters fall in by accident: they are told from these where literals are read.
            letter: is(bytes, |byte| (byte | 0x20).is_ascii_lowercase()),
            before_string: is(bytes, |byte| (byte | 0x20 == b'{') | (byte == b',') | (byte == b':') | (byte == b'\n')),
            before_value: is(bytes, |byte| (byte == b'[') | (byte == b',') | (byte == b':') | (byte == b'\n')),
        }
    }
}

impl Simd for Portable {
    const SHUFFLES: bool = false;
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
    fn prefix_sum(self, mut a: Bytes) -> Bytes {
        // Within each 16 bytes by doubling, which compilers make a few instructions of.
        let mut before = 0u8;
        for quarter in a.as_chunks_mut::<16>().0 {
            for step in [1, 2, 4, 8] {
                let mut moved = [0; 16];
                moved[step..].copy_from_slice(&quarter[..16 - step]);
                *quarter = std::array::from_fn(|i| quarter[i].wrapping_add(moved[i]));
            }
            *quarter = quarter.map(|sum| sum.wrapping_add(before));
            before = quarter[15];
        }
        a
    }

    #[inline(always)]
    fn select(self, mask: u64, a: Bytes, b: Bytes) -> Bytes {
        let chosen = spread_bits(mask);
        std::array::from_fn(|i| (a[i] & chosen[i]) | (b[i] & !chosen[i]))
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
    fn in_set(self, bytes: Bytes, mut among: u64, set: &ByteSet) -> u64 {
        if among.count_ones() > MANY_BYTES {
            return super::in_set_by_nibbles(self, bytes, set) & among;
        }
        let mut found = 0;
        while among != 0 {
            let at = among.trailing_zeros();
            found |= u64::from(set.has[usize::from(bytes[at as usize])]) << at;
            among &= among - 1;
        }
        found
    }

    #[inline(always)]
    fn lookup16(self, table: &Table16, index: Bytes) -> Bytes {
        // Entry by entry, which is done to many bytes at once; most tables are known here, and most of their entries are 0.
        let mut found = [0; VECTOR];
        for (place, &entry) in table.iter().enumerate() {
            if entry != 0 {
                found = map(found, index, |found, index| found | if index == place as u8 { entry } else { 0 });
            }
        }
        found
    }

    #[inline(always)]
    fn lookup128(self, table: &Table128, index: Bytes) -> Bytes {
        index.map(|byte| table[usize::from(byte & 127)])
    }

    #[inline(always)]
    unsafe fn compress(self, bytes: Bytes, mut mask: u64, to: *mut u8) {
        let mut len = 0;
        if mask.count_ones() > MANY_BYTES {
            for (i, byte) in bytes.into_iter().enumerate() {
                // SAFETY: no more bytes than 64 are written.
                unsafe { *to.add(len) = byte };
                len += (mask >> i & 1) as usize;
            }
            return;
        }
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
    fn prefix_xor(self, mask: u64) -> u64 {
        let mask = mask ^ mask << 1;
        let mask = mask ^ mask << 2;
        let mask = mask ^ mask << 4;
        let mask = mask ^ mask << 8;
        let mask = mask ^ mask << 16;
        mask ^ mask << 32
    }

    #[inline(always)]
    unsafe fn classify<const FLOATS: bool, const SPACES: bool>(self, from: *const u8) -> (Classes, *const u8) {
        if FLOATS {
            // SAFETY: as the caller says.
            return (unsafe { masks::classify::<_, SPACES>(self, from) }, from);
        }
        // What is fine is seen where entries are stored: few bytes are outside strings.
        let mut classes = Classes::default();
        if SPACES {
            // SAFETY: 64 bytes before and from here on are readable, says the caller.
            let (bytes, before) = unsafe { (self.load(from), *from.sub(1)) };
            classes.blank = masks::blanks(self, bytes);
            classes.after_blank = classes.blank << 1 | u64::from(matches!(before, b' ' | b'\r'));
        }
        (classes, from)
    }

    #[inline(always)]
    unsafe fn store_entries<const MANY: bool, const FLOATS: bool, const SPACES: bool>(
        self,
        text: *const u8,
        mask: u64,
        first: u16,
        to_codes: *mut u8,
        to_places: *mut u16,
    ) -> usize {
        let place_of = |at| first.wrapping_add(at as u16);
        // SAFETY: as the caller says.
        unsafe { masks::store_one_by_one::<FLOATS, SPACES>(text, mask, place_of, to_codes, to_places) }
    }

    #[inline(always)]
    unsafe fn store_moved_entries<const FLOATS: bool>(
        self,
        text: *const u8,
        mask: u64,
        places: *const u16,
        to_codes: *mut u8,
        to_places: *mut u16,
    ) -> usize {
        // SAFETY: 64 places are readable, and all else as the caller says.
        unsafe {
            let place_of = |at| *places.add(at);
            masks::store_one_by_one::<FLOATS, false>(text, mask, place_of, to_codes, to_places)
        }
    }
}
