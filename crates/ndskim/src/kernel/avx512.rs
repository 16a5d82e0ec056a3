//! The AVX-512 kernel: one register a vector, masks in mask registers, byte tables of 128 entries in one instruction.
//!
//! Needs BW, VL, VBMI (byte permutes), VBMI2 (compress) and carry-less multiply, which came together with Ice Lake and
//! Zen 4.

use super::tables::{BLANKS, ByteTables, FLOAT_DIGIT, FLOAT_POINT, FLOAT_START, Table16, Table128};
use super::{Classes, Simd};
use std::arch::x86_64::*;

/// Whether this machine has all that the kernel uses.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// Proof that the machine has the instructions.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// # Safety
    /// [`is_available`] must have said yes.
    #[inline(always)]
    pub(crate) unsafe fn new() -> Self {
        Self(())
    }

    /// Where there is a space or carriage return: the byte that its own low nibble looks up. (The shuffle gives 0 for bytes
    /// beyond ASCII.)
    #[inline(always)]
    fn blanks(self, bytes: __m512i) -> u64 {
        self.eq(bytes, self.lookup16(&BLANKS, bytes))
    }
}

/// 0, 1, 2, ... 63.
static PLACES: [u8; 64] = {
    let mut places = [0; 64];
    let mut i = 0;
    while i < 64 {
        places[i] = i as u8;
        i += 1;
    }
    places
};

impl Simd for Avx512 {
    const SHUFFLES: bool = true;
    type Bytes = __m512i;
    /// `class | follow` of each byte.
    type Codes = __m512i;

    #[inline(always)]
    unsafe fn load(self, from: *const u8) -> __m512i {
        // SAFETY: 64 bytes are readable, says the caller.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, bytes: __m512i, to: *mut u8) {
        // SAFETY: 64 bytes are writable, says the caller.
        unsafe { _mm512_storeu_si512(to.cast(), bytes) }
    }

    #[inline(always)]
    fn prefetch(self, from: *const u8) {
        // SAFETY: a prefetch never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(from.cast()) }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> __m512i {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_set1_epi8(byte as i8) }
    }

    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_xor_si512(a, b) }
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_add_epi8(a, b) }
    }

    #[inline(always)]
    fn saturating_sub(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_subs_epu8(a, b) }
    }

    #[inline(always)]
    fn high_nibble(self, a: __m512i) -> __m512i {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_and_si512(_mm512_srli_epi16::<4>(a), _mm512_set1_epi8(15)) }
    }

    #[inline(always)]
    fn prefix_sum(self, a: __m512i) -> __m512i {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe {
            // Within each 16 bytes by doubling, then the totals of the 16s before, by doubling again.
            let a = _mm512_add_epi8(a, _mm512_bslli_epi128::<1>(a));
            let a = _mm512_add_epi8(a, _mm512_bslli_epi128::<2>(a));
            let a = _mm512_add_epi8(a, _mm512_bslli_epi128::<4>(a));
            let a = _mm512_add_epi8(a, _mm512_bslli_epi128::<8>(a));
            let last_of_each = _mm512_shuffle_epi8(a, _mm512_set1_epi8(15));
            let one_before = _mm512_maskz_shuffle_i64x2::<0b10_01_00_00>(0b1111_1100, last_of_each, last_of_each);
            let a = _mm512_add_epi8(a, one_before);
            let last_of_each = _mm512_shuffle_epi8(a, _mm512_set1_epi8(15));
            let two_before = _mm512_maskz_shuffle_i64x2::<0b01_00_00_00>(0b1111_0000, last_of_each, last_of_each);
            _mm512_add_epi8(a, two_before)
        }
    }

    #[inline(always)]
    fn select(self, mask: u64, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_mask_blend_epi8(mask, b, a) }
    }

    #[inline(always)]
    fn eq(self, a: __m512i, b: __m512i) -> u64 {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_cmpeq_epi8_mask(a, b) }
    }

    #[inline(always)]
    fn above(self, a: __m512i, b: __m512i) -> u64 {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_cmpgt_epu8_mask(a, b) }
    }

    #[inline(always)]
    fn below_signed(self, a: __m512i, b: __m512i) -> u64 {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_cmplt_epi8_mask(a, b) }
    }

    #[inline(always)]
    fn shares_bits(self, a: __m512i, b: __m512i) -> u64 {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe { _mm512_test_epi8_mask(a, b) }
    }

    #[inline(always)]
    fn lookup16(self, table: &Table16, index: __m512i) -> __m512i {
        // SAFETY: a table has 16 bytes.
        unsafe {
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast()));
            _mm512_shuffle_epi8(table, index)
        }
    }

    #[inline(always)]
    fn lookup128(self, table: &Table128, index: __m512i) -> __m512i {
        // SAFETY: a table has 128 bytes.
        unsafe {
            let low = _mm512_loadu_si512(table.as_ptr().cast());
            let high = _mm512_loadu_si512(table.as_ptr().add(64).cast());
            _mm512_permutex2var_epi8(low, index, high)
        }
    }

    #[inline(always)]
    unsafe fn compress(self, bytes: __m512i, mask: u64, to: *mut u8) {
        // SAFETY: 64 bytes are writable, says the caller. (To a register first: the form that stores is slow on Zen 4.)
        unsafe { _mm512_storeu_si512(to.cast(), _mm512_maskz_compress_epi8(mask, bytes)) }
    }

    #[inline(always)]
    unsafe fn store_places<const MANY: bool>(self, mask: u64, first: u16, to: *mut u16) {
        // SAFETY: `PLACES` has 64 bytes; 64 places are writable, says the caller.
        unsafe {
            let places = _mm512_maskz_compress_epi8(mask, self.load(PLACES.as_ptr()));
            store_wide::<MANY>(places, first, to);
        }
    }

    #[inline(always)]
    unsafe fn places_apart(self, places: *const u16, distance: u16) -> u64 {
        // SAFETY: the places are readable, says the caller.
        unsafe {
            let wanted = _mm512_set1_epi16(distance as i16);
            let low = _mm512_sub_epi16(_mm512_loadu_si512(places.cast()), _mm512_loadu_si512(places.sub(1).cast()));
            let places = places.add(32);
            let high = _mm512_sub_epi16(_mm512_loadu_si512(places.cast()), _mm512_loadu_si512(places.sub(1).cast()));
            u64::from(_mm512_cmpeq_epi16_mask(low, wanted)) | u64::from(_mm512_cmpeq_epi16_mask(high, wanted)) << 32
        }
    }

    #[inline(always)]
    fn prefix_xor(self, mask: u64) -> u64 {
        // SAFETY: the instructions exist, since an `Avx512` does.
        unsafe {
            let product = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(mask as i64), _mm_set1_epi8(-1));
            _mm_cvtsi128_si64(product) as u64
        }
    }

    #[inline(always)]
    unsafe fn classify<const FLOATS: bool, const SPACES: bool>(self, from: *const u8) -> (Classes, __m512i) {
        let tables = ByteTables::of(FLOATS, SPACES);
        let mut classes = Classes::default();
        // SAFETY: 64 bytes before and from here on are readable, says the caller.
        let (bytes, mut before) = unsafe { (self.load(from), self.load(from.sub(1))) };
        if SPACES {
            classes.blank = self.blanks(bytes);
            classes.after_blank = self.blanks(before);
            // SAFETY: of the 64 bytes before the vector, which are readable, this takes in two.
            let two_before = unsafe { self.load(from.sub(2)) };
            before = self.select(classes.after_blank, two_before, before);
        }
        let class = self.lookup128(&tables.class, bytes);
        let follow = self.lookup128(&tables.follow, before);
        classes.fine = self.shares_bits(class, follow);
        if FLOATS {
            let both = self.and(class, follow);
            classes.digit = self.shares_bits(both, self.splat(FLOAT_DIGIT));
            classes.point = self.shares_bits(both, self.splat(FLOAT_POINT));
            classes.zero = self.shares_bits(both, self.splat(FLOAT_START));
        }
        (classes, self.or(class, follow))
    }

    #[inline(always)]
    unsafe fn store_entries<const MANY: bool, const FLOATS: bool, const SPACES: bool>(
        self,
        codes: __m512i,
        mask: u64,
        first: u16,
        to_codes: *mut u8,
        to_places: *mut u16,
    ) -> usize {
        // SAFETY: `PLACES` has 64 bytes; 64 codes and places are writable, says the caller.
        unsafe {
            let places = _mm512_maskz_compress_epi8(mask, self.load(PLACES.as_ptr()));
            self.store(_mm512_permutexvar_epi8(places, codes), to_codes);
            store_wide::<MANY>(places, first, to_places);
        }
        mask.count_ones() as usize
    }

    #[inline(always)]
    unsafe fn store_moved_entries<const FLOATS: bool>(
        self,
        codes: __m512i,
        mask: u64,
        places: *const u16,
        to_codes: *mut u8,
        to_places: *mut u16,
    ) -> usize {
        // SAFETY: 64 places are readable, and 64 codes and places writable, says the caller. (To registers first, as above.)
        unsafe {
            let low = _mm512_maskz_compress_epi16(mask as u32, _mm512_loadu_si512(places.cast()));
            let high = _mm512_maskz_compress_epi16((mask >> 32) as u32, _mm512_loadu_si512(places.add(32).cast()));
            self.compress(codes, mask, to_codes);
            _mm512_storeu_si512(to_places.cast(), low);
            _mm512_storeu_si512(to_places.add((mask as u32).count_ones() as usize).cast(), high);
        }
        mask.count_ones() as usize
    }
}

/// Stores bytes as `u16`, `first` added: 32 of them, or all 64.
///
/// # Safety
/// The machine must have the kernel's instructions; 64 places must be writable at `to`.
#[inline(always)]
unsafe fn store_wide<const MANY: bool>(places: __m512i, first: u16, to: *mut u16) {
    // SAFETY: as the caller says.
    unsafe {
        let first = _mm512_set1_epi16(first as i16);
        let low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(places));
        _mm512_storeu_si512(to.cast(), _mm512_add_epi16(low, first));
        if MANY {
            let high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(places));
            _mm512_storeu_si512(to.add(32).cast(), _mm512_add_epi16(high, first));
        }
    }
}
