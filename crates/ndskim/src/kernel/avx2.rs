//! The AVX2 kernel: two registers a vector, byte tables of 16 entries, masks moved to general registers.
//!
//! Byte tables of 128 entries would take eight look-ups here, so how a byte stands to the byte before is asked otherwise: see
//! [`Fine`]. Codes are looked up one by one, for entries only.

use std::arch::x86_64::*;

use super::masks::{self, Kinds, blanks};
use super::tables::{Fine, KINDS, Pair16, PairTables, Table16, Table128, kind};
use super::{Classes, Simd};

/// Whether this machine has all that the kernel uses.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Proof that the machine has the instructions.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// # Safety
    /// [`is_available`] must have said yes.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        Self(())
    }
}

/// 64 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Halves(__m256i, __m256i);

/// An instruction on both halves. (A macro: a closure would be compiled without the instructions.)
macro_rules! both {
    ($op:ident, $a:expr, $b:expr) => {
        // SAFETY: the instructions exist, since an `Avx2` does.
        unsafe { Halves($op($a.0, $b.0), $op($a.1, $b.1)) }
    };
}

/// For each set of eight bits, the places of its members in order: where [`Simd::compress`] takes bytes from.
static GATHER: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut bit, mut len) = (0, 0);
        while bit < 8 {
            if set >> bit & 1 == 1 {
                table[set][len] = bit;
                len += 1;
            }
            bit += 1;
        }
        set += 1;
    }
    table
};

/// How many entries are stored without asking whether there are so many.
const AT_ONCE: usize = 6;

impl Avx2 {
    /// The high bit of each byte.
    #[inline(always)]
    fn high_bits(self, a: Halves) -> u64 {
        // SAFETY: the instructions exist, since an `Avx2` does.
        unsafe { u64::from(_mm256_movemask_epi8(a.0) as u32) | u64::from(_mm256_movemask_epi8(a.1) as u32) << 32 }
    }
}

/// Prefix sums within 32 bytes.
///
/// # Safety
/// The machine must have the kernel's instructions.
#[inline(always)]
unsafe fn prefix_sum_of_half(a: __m256i) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        // Within each 16 bytes by doubling; then the upper 16 take the last sum of the lower.
        let a = _mm256_add_epi8(a, _mm256_bslli_epi128::<1>(a));
        let a = _mm256_add_epi8(a, _mm256_bslli_epi128::<2>(a));
        let a = _mm256_add_epi8(a, _mm256_bslli_epi128::<4>(a));
        let a = _mm256_add_epi8(a, _mm256_bslli_epi128::<8>(a));
        let last_of_each = _mm256_shuffle_epi8(a, _mm256_set1_epi8(15));
        _mm256_add_epi8(a, _mm256_permute2x128_si256::<0x08>(last_of_each, last_of_each))
    }
}

/// All ones in each byte whose bit is set.
///
/// # Safety
/// As for [`prefix_sum_of_half`].
#[inline(always)]
unsafe fn spread_bits(mask: u32) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        // Each byte of the mask goes to eight bytes, of which each keeps its own bit.
        let own = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let to_eight = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(mask as i32), to_eight);
        _mm256_cmpeq_epi8(_mm256_and_si256(bytes, own), own)
    }
}

/// All ones in each byte whose place is `distance` behind the place before it; 32 places.
///
/// # Safety
/// As for [`prefix_sum_of_half`]; 32 places, and one before, must be readable.
#[inline(always)]
unsafe fn apart(places: *const u16, distance: __m256i) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        let next = places.add(16);
        let a = _mm256_sub_epi16(_mm256_loadu_si256(places.cast()), _mm256_loadu_si256(places.sub(1).cast()));
        let b = _mm256_sub_epi16(_mm256_loadu_si256(next.cast()), _mm256_loadu_si256(next.sub(1).cast()));
        let packed = _mm256_packs_epi16(_mm256_cmpeq_epi16(a, distance), _mm256_cmpeq_epi16(b, distance));
        // Packing takes turns between the lanes; the permutation puts them in order again.
        _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
    }
}

impl Avx2 {
    /// Which of a pair's rectangles each byte is in.
    #[inline(always)]
    fn in_rectangles(self, bytes: Halves, pair: &Pair16) -> Halves {
        let low = self.lookup16(&pair[0], self.and(bytes, self.splat(15)));
        self.and(low, self.lookup16(&pair[1], self.high_nibble(bytes)))
    }
}

impl masks::TellKinds for Avx2 {
    #[inline(always)]
    fn kinds(self, bytes: Halves) -> Kinds {
        let all = self.in_rectangles(bytes, &KINDS);
        let has = |kinds| self.shares_bits(all, self.splat(kinds));
        Kinds {
            quote: has(kind::QUOTE),
            minus: self.eq(bytes, self.splat(b'-')),
            zero: self.eq(bytes, self.splat(b'0')),
            digit: has(kind::DIGIT),
            dot: has(kind::DOT),
            exponent: has(kind::EXPONENT),
            sign: has(kind::SIGN),
            letter: has(kind::LETTER),
            before_string: has(kind::BEFORE_STRING),
            before_value: has(kind::BEFORE_VALUE),
        }
    }
}

impl Simd for Avx2 {
    const SHUFFLES: bool = true;
    type Bytes = Halves;
    /// Where the vector's text is.
    type Codes = *const u8;

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> Halves {
        // SAFETY: 64 bytes are readable, says the caller.
        unsafe { Halves(_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(32).cast())) }
    }

    #[inline(always)]
    unsafe fn store(self, bytes: Halves, to: *mut u8) {
        // SAFETY: 64 bytes are writable, says the caller.
        unsafe {
            _mm256_storeu_si256(to.cast(), bytes.0);
            _mm256_storeu_si256(to.add(32).cast(), bytes.1);
        }
    }

    #[inline(always)]
    fn prefetch(self, from: *const u8) {
        // SAFETY: a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.cast()) }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Halves {
        // SAFETY: the instructions exist, since an `Avx2` does.
        let half = unsafe { _mm256_set1_epi8(byte as i8) };
        Halves(half, half)
    }

    #[inline(always)]
    fn and(self, a: Halves, b: Halves) -> Halves {
        both!(_mm256_and_si256, a, b)
    }

    #[inline(always)]
    fn or(self, a: Halves, b: Halves) -> Halves {
        both!(_mm256_or_si256, a, b)
    }

    #[inline(always)]
    fn xor(self, a: Halves, b: Halves) -> Halves {
        both!(_mm256_xor_si256, a, b)
    }

    #[inline(always)]
    fn add(self, a: Halves, b: Halves) -> Halves {
        both!(_mm256_add_epi8, a, b)
    }

    #[inline(always)]
    fn saturating_sub(self, a: Halves, b: Halves) -> Halves {
        both!(_mm256_subs_epu8, a, b)
    }

    #[inline(always)]
    fn high_nibble(self, a: Halves) -> Halves {
        // SAFETY: the instructions exist, since an `Avx2` does.
        let shifted = unsafe { Halves(_mm256_srli_epi16::<4>(a.0), _mm256_srli_epi16::<4>(a.1)) };
        self.and(shifted, self.splat(15))
    }

    #[inline(always)]
    fn prefix_sum(self, a: Halves) -> Halves {
        // SAFETY: the instructions exist, since an `Avx2` does.
        unsafe {
            let lanes = Halves(prefix_sum_of_half(a.0), prefix_sum_of_half(a.1));
            let last = _mm256_set1_epi8(_mm256_extract_epi8::<31>(lanes.0) as i8);
            Halves(lanes.0, _mm256_add_epi8(lanes.1, last))
        }
    }

    #[inline(always)]
    fn select(self, mask: u64, a: Halves, b: Halves) -> Halves {
        // SAFETY: the instructions exist, since an `Avx2` does.
        unsafe {
            let chosen = Halves(spread_bits(mask as u32), spread_bits((mask >> 32) as u32));
            Halves(_mm256_blendv_epi8(b.0, a.0, chosen.0), _mm256_blendv_epi8(b.1, a.1, chosen.1))
        }
    }

    #[inline(always)]
    fn eq(self, a: Halves, b: Halves) -> u64 {
        self.high_bits(both!(_mm256_cmpeq_epi8, a, b))
    }

    #[inline(always)]
    fn above(self, a: Halves, b: Halves) -> u64 {
        !self.eq(both!(_mm256_max_epu8, a, b), b)
    }

    #[inline(always)]
    fn below_signed(self, a: Halves, b: Halves) -> u64 {
        self.high_bits(both!(_mm256_cmpgt_epi8, b, a))
    }

    #[inline(always)]
    fn shares_bits(self, a: Halves, b: Halves) -> u64 {
        !self.eq(self.and(a, b), self.splat(0))
    }

    #[inline(always)]
    fn lookup16(self, table: &Table16, index: Halves) -> Halves {
        // SAFETY: a table has 16 bytes.
        unsafe {
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            Halves(_mm256_shuffle_epi8(table, index.0), _mm256_shuffle_epi8(table, index.1))
        }
    }

    #[inline(always)]
    fn lookup128(self, table: &Table128, index: Halves) -> Halves {
        let low = self.and(index, self.splat(15));
        let high = self.and(self.high_nibble(index), self.splat(7));
        let mut found = self.splat(0);
        let (rows, _) = table.as_chunks::<16>();
        for (number, row) in rows.iter().enumerate() {
            let is_row = both!(_mm256_cmpeq_epi8, high, self.splat(number as u8));
            found = self.or(found, self.and(is_row, self.lookup16(row, low)));
        }
        found
    }

    #[inline(always)]
    unsafe fn compress(self, bytes: Halves, mask: u64, to: *mut u8) {
        let mut from = [0u8; 64];
        let mut len = 0;
        for (eight, set) in mask.to_le_bytes().into_iter().enumerate() {
            // SAFETY: eight bytes are read within the 64; eight are written behind at most 56.
            unsafe {
                if eight == 0 {
                    self.store(bytes, from.as_mut_ptr());
                }
                let source = _mm_loadl_epi64(from.as_ptr().add(8 * eight).cast());
                let places = _mm_loadl_epi64(GATHER[usize::from(set)].as_ptr().cast());
                _mm_storel_epi64(to.add(len).cast(), _mm_shuffle_epi8(source, places));
            }
            len += set.count_ones() as usize;
        }
    }

    #[inline(always)]
    unsafe fn store_places<const MANY: bool>(self, mut mask: u64, first: u16, to: *mut u16) {
        let count = mask.count_ones() as usize;
        let mut done = 0;
        while done < count {
            for index in done..done + AT_ONCE {
                // SAFETY: no more than the multiple of `AT_ONCE` above 64 is written; the caller has as much room.
                unsafe { *to.add(index) = first.wrapping_add(mask.trailing_zeros() as u16) };
                mask &= mask.wrapping_sub(1);
            }
            done += AT_ONCE;
        }
    }

    #[inline(always)]
    unsafe fn places_apart(self, places: *const u16, distance: u16) -> u64 {
        // SAFETY: the places are readable, says the caller.
        unsafe {
            let wanted = _mm256_set1_epi16(distance as i16);
            self.high_bits(Halves(apart(places, wanted), apart(places.add(32), wanted)))
        }
    }

    #[inline(always)]
    fn prefix_xor(self, mask: u64) -> u64 {
        // SAFETY: the instructions exist, since an `Avx2` does.
        unsafe {
            let product = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(mask as i64), _mm_set1_epi8(-1));
            _mm_cvtsi128_si64(product) as u64
        }
    }

    #[inline(always)]
    unsafe fn classify<const FLOATS: bool, const SPACES: bool>(self, from: *const u8) -> (Classes, *const u8) {
        if FLOATS {
            // SAFETY: as the caller says.
            return (unsafe { masks::classify::<_, SPACES>(self, from) }, from);
        }
        // SAFETY: 64 bytes before and from here on are readable, says the caller.
        let (bytes, mut before) = unsafe { (self.load(from), self.load(from.sub(1))) };
        let mut classes = Classes::default();
        if SPACES {
            classes.blank = blanks(self, bytes);
            classes.after_blank = blanks(self, before);
            // SAFETY: of the 64 bytes before the vector, which are readable, this takes in two.
            let two_before = unsafe { self.load(from.sub(2)) };
            before = self.select(classes.after_blank, two_before, before);
        }
        let pairs = Fine::of(SPACES);
        classes.fine =
            self.shares_bits(self.in_rectangles(bytes, &pairs.this), self.in_rectangles(before, &pairs.before));
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
        let tables = PairTables::of(FLOATS, SPACES);
        let mut left = mask;
        let count = mask.count_ones() as usize;
        let mut done = 0;
        loop {
            for index in done..done + AT_ONCE {
                let place = left.trailing_zeros() as usize;
                // SAFETY: the vector, the bytes before it and one behind it (for a place of 64) are readable; the arrays have
                // the room that `store_places` needs.
                unsafe {
                    let at = text.add(place);
                    *to_codes.add(index) = tables.code::<SPACES>(at);
                    *to_places.add(index) = first.wrapping_add(place as u16);
                }
                left &= left.wrapping_sub(1);
            }
            done += AT_ONCE;
            if done >= count {
                return count;
            }
        }
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
