//! Instruction sets behind one trait: a vector of 64 bytes and the few operations that the engine's passes need.
//!
//! What goes in: bytes and masks. What comes out: bytes and masks, the same for every kernel. A kernel is one file; it
//! knows nothing of JSON except how to hold each byte against the byte before it (see [`tables`]), which is worth an
//! instruction set's own tricks. A kernel must never be used on a machine that lacks its instructions: its value can
//! only be made by an `unsafe` constructor, after detection, so to hold one is the proof.
//!
//! A pass is written once, generic over [`Simd`], and compiled for each kernel inside a function that switches the
//! instructions on (see [`with_features`]); everything it calls is inlined into that function.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
mod masks;
pub(crate) mod portable;
pub(crate) mod strings;
pub(crate) mod tables;
#[cfg(test)]
mod tests;

use crate::error::Error;
use std::sync::OnceLock;
use tables::{ByteSet, Table16, Table128};

/// Bytes in a vector.
pub(crate) const VECTOR: usize = 64;

/// Places or codes that a store of one vector's may write.
pub(crate) const ROOM: usize = VECTOR + 8;

/// An instruction set that the full engine can use. Answers are the same with any.
///
/// ```
/// use ndskim::{Kernel, Scan};
/// for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
///     assert_eq!(Scan::bytes(b"1\n[2]\n").kernel(kernel).validate().unwrap().stats.records, 2);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kernel {
    /// AVX-512 with BW, VBMI, VBMI2 and carry-less multiply.
    Avx512,
    /// AVX2 with carry-less multiply.
    Avx2,
    /// Any machine.
    Portable,
}

impl Kernel {
    /// Every kernel, the fastest first.
    pub const ALL: [Self; 3] = [Self::Avx512, Self::Avx2, Self::Portable];

    /// The name under which the environment variable `NDSKIM_KERNEL` forces a kernel.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Portable => "portable",
        }
    }

    /// Whether this machine has the instructions.
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => avx512::is_available(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => avx2::is_available(),
            Self::Portable => true,
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The fastest kernel that this machine has. Looked for once.
    pub fn detect() -> Self {
        static FOUND: OnceLock<Kernel> = OnceLock::new();
        *FOUND.get_or_init(|| Self::ALL.into_iter().find(|kernel| kernel.is_available()).unwrap_or(Self::Portable))
    }

    /// The kernel asked for, or the one that the environment names (read once), or the fastest.
    ///
    /// # Errors
    /// [`Error::Kernel`], if there is none of that name or the machine does not have it.
    pub(crate) fn choose(asked: Option<Self>) -> Result<Self, Error> {
        static NAMED: OnceLock<Option<String>> = OnceLock::new();
        let named =
            || NAMED.get_or_init(|| std::env::var_os("NDSKIM_KERNEL").map(|name| name.to_string_lossy().into()));
        match (asked, asked.map_or_else(named, |_| &None)) {
            (Some(kernel), _) if kernel.is_available() => Ok(kernel),
            (Some(kernel), _) => Err(Error::Kernel(kernel.name().to_owned())),
            (None, None) => Ok(Self::detect()),
            (None, Some(name)) => {
                let mut known = Self::ALL.into_iter().filter(|kernel| kernel.is_available());
                known.find(|kernel| kernel.name() == name).ok_or_else(|| Error::Kernel(name.clone()))
            }
        }
    }

    /// The kernel that the environment names, or the fastest: for what is the same with any and has no scan to ask.
    pub(crate) fn chosen() -> Self {
        Self::choose(None).unwrap_or_else(|_| Self::detect())
    }

    /// The names of the kernels that this machine has.
    pub(crate) fn available_names() -> String {
        let names: Vec<_> = Self::ALL.into_iter().filter(|kernel| kernel.is_available()).map(Self::name).collect();
        names.join(", ")
    }
}

/// How the 64 bytes of a vector stand to the bytes before them: masks, a bit for each byte.
///
/// Only what the variant of pass 1 asks for is filled in, and only bits outside strings count: a kernel may give any bits
/// inside, and the caller takes them out.
#[derive(Clone, Copy, Default)]
pub(crate) struct Classes {
    /// Plainly fine after the byte before. A kernel that leaves bytes out here leaves their entries out when it stores them.
    pub(crate) fine: u64,
    /// With floats: a digit, fine after the byte before.
    pub(crate) digit: u64,
    /// With floats: a `.` or exponent letter, fine after the byte before.
    pub(crate) point: u64,
    /// With floats: a zero where a number may start.
    pub(crate) zero: u64,
    /// With spaces: space or carriage return.
    pub(crate) blank: u64,
    /// With spaces: the byte before is a space or carriage return.
    pub(crate) after_blank: u64,
}

/// A kernel: vectors of 64 bytes. Masks have one bit for each byte, the first byte in bit 0.
///
/// Methods that take a pointer say how much must be readable or writable there. All else is safe: the value itself
/// proves that the instructions exist.
pub(crate) trait Simd: Copy {
    /// Whether bytes are looked up, and moved together, many at a time. Where they are not, loops over set bits and entries do
    /// better than what takes the place of such instructions.
    const SHUFFLES: bool;
    /// 64 bytes.
    type Bytes: Copy;
    /// What [`Simd::classify`] keeps for [`Simd::store_entries`].
    type Codes: Copy;

    /// # Safety
    /// 64 bytes must be readable at `from`.
    unsafe fn load(self, from: *const u8) -> Self::Bytes;
    /// # Safety
    /// 64 bytes must be writable at `to`.
    unsafe fn store(self, bytes: Self::Bytes, to: *mut u8);
    /// Asks for the cache line at `from` early; any address will do.
    fn prefetch(self, from: *const u8);

    fn splat(self, byte: u8) -> Self::Bytes;
    fn and(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    fn or(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    fn xor(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Wrapping addition.
    fn add(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Subtraction that stops at 0.
    fn saturating_sub(self, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;
    /// Each byte shifted right by four.
    fn high_nibble(self, a: Self::Bytes) -> Self::Bytes;
    /// Each byte replaced by the sum of itself and all before it, wrapping.
    fn prefix_sum(self, a: Self::Bytes) -> Self::Bytes;
    /// Bytes of `a` where the mask is 1, of `b` elsewhere.
    fn select(self, mask: u64, a: Self::Bytes, b: Self::Bytes) -> Self::Bytes;

    fn eq(self, a: Self::Bytes, b: Self::Bytes) -> u64;
    /// Where `a > b`, unsigned.
    fn above(self, a: Self::Bytes, b: Self::Bytes) -> u64;
    /// Where `a < b`, signed.
    fn below_signed(self, a: Self::Bytes, b: Self::Bytes) -> u64;
    /// Where `a & b` is not 0.
    fn shares_bits(self, a: Self::Bytes, b: Self::Bytes) -> u64;

    /// Which of the bytes of `among` are in a set.
    #[inline(always)]
    fn in_set(self, bytes: Self::Bytes, among: u64, set: &ByteSet) -> u64 {
        in_set_by_nibbles(self, bytes, set) & among
    }

    /// Each byte, which must be below 16, looked up.
    fn lookup16(self, table: &Table16, index: Self::Bytes) -> Self::Bytes;
    /// The low seven bits of each byte looked up.
    fn lookup128(self, table: &Table128, index: Self::Bytes) -> Self::Bytes;

    /// The bytes where the mask is 1, moved together; what is stored behind them is anything.
    /// # Safety
    /// 64 bytes must be writable at `to`.
    unsafe fn compress(self, bytes: Self::Bytes, mask: u64, to: *mut u8);
    /// The places of the mask's 1 bits, `first` added. Without `MANY` no more than the first 32 are right.
    /// # Safety
    /// [`ROOM`] places must be writable at `to`.
    unsafe fn store_places<const MANY: bool>(self, mask: u64, first: u16, to: *mut u16);
    /// Where a place is `distance` behind the place before it.
    /// # Safety
    /// 64 places from `places` on, and one before, must be readable.
    unsafe fn places_apart(self, places: *const u16, distance: u16) -> u64;
    /// Each bit replaced by the parity of itself and all before it.
    fn prefix_xor(self, mask: u64) -> u64;

    /// How each of the 64 bytes at `from` stands to the byte before it; `FLOATS` and `SPACES` are the variant.
    /// # Safety
    /// 64 bytes before `from` and 64 bytes from it on must be readable.
    unsafe fn classify<const FLOATS: bool, const SPACES: bool>(self, from: *const u8) -> (Classes, Self::Codes);
    /// The entries of one vector: of each 1 bit the code and the place, as in [`Simd::store_places`], but none of a byte that
    /// is plainly fine. Gives how many there are.
    /// # Safety
    /// [`ROOM`] codes and places must be writable, and the text that was classified readable still, with one byte behind it.
    unsafe fn store_entries<const MANY: bool, const FLOATS: bool, const SPACES: bool>(
        self,
        codes: Self::Codes,
        mask: u64,
        first: u16,
        to_codes: *mut u8,
        to_places: *mut u16,
    ) -> usize;
    /// The same for text whose bytes are not where they were: `places` has the place of each.
    /// # Safety
    /// [`ROOM`] codes and places must be writable, 64 places readable, and the text that was classified readable still.
    unsafe fn store_moved_entries<const FLOATS: bool>(
        self,
        codes: Self::Codes,
        mask: u64,
        places: *const u16,
        to_codes: *mut u8,
        to_places: *mut u16,
    ) -> usize;
}

/// Where a byte is in a set.
#[inline(always)]
fn in_set_by_nibbles<K: Simd>(k: K, bytes: K::Bytes, set: &ByteSet) -> u64 {
    let low = k.lookup16(&set.by_low_nibble, k.and(bytes, k.splat(15)));
    k.shares_bits(low, k.lookup16(&tables::HIGH_NIBBLE_BIT, k.high_nibble(bytes)))
}

/// Compiles functions with a kernel's instructions switched on. The one place that names them.
macro_rules! with_features {
    (Avx512, $($item:tt)*) => {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
        #[target_feature(enable = "pclmulqdq,avx2,bmi1,bmi2,lzcnt,popcnt")]
        $($item)*
    };
    (Avx2, $($item:tt)*) => {
        #[target_feature(enable = "avx2,pclmulqdq,bmi1,bmi2,lzcnt,popcnt")]
        $($item)*
    };
    (Portable, $($item:tt)*) => { $($item)* };
}
pub(crate) use with_features;

/// Makes a function that takes a kernel out of one that is generic over it.
macro_rules! for_each_kernel {
    ($($(#[$meta:meta])* fn $name:ident($($arg:ident: $type:ty),*) -> $out:ty = $generic:path;)*) => {$(
        $(#[$meta])*
        #[inline]
        pub(crate) fn $name(kernel: $crate::kernel::Kernel, $($arg: $type),*) -> $out {
            #[cfg(target_arch = "x86_64")]
            $crate::kernel::with_features! { Avx512, fn avx512($($arg: $type),*) -> $out {
                // SAFETY: whoever switches the instructions on knows that the machine has them.
                $generic(unsafe { $crate::kernel::avx512::Avx512::new() }, $($arg),*)
            } }
            #[cfg(target_arch = "x86_64")]
            $crate::kernel::with_features! { Avx2, fn avx2($($arg: $type),*) -> $out {
                // SAFETY: whoever switches the instructions on knows that the machine has them.
                $generic(unsafe { $crate::kernel::avx2::Avx2::new() }, $($arg),*)
            } }
            match kernel {
                // SAFETY: only kernels that the machine has get into a job.
                #[cfg(target_arch = "x86_64")]
                $crate::kernel::Kernel::Avx512 => unsafe { avx512($($arg),*) },
                // SAFETY: only kernels that the machine has get into a job.
                #[cfg(target_arch = "x86_64")]
                $crate::kernel::Kernel::Avx2 => unsafe { avx2($($arg),*) },
                _ => $generic($crate::kernel::portable::Portable, $($arg),*),
            }
        }
    )*};
}
pub(crate) use for_each_kernel;
