//! Random draws. In goes a seed and the number of a record (or of an entity), out comes a
//! stream of integers that is the same on every machine and in every release: the generator is
//! xoshiro256++ seeded by SplitMix64, both fixed by their authors, and the ranges are cut here
//! rather than by a crate whose sampling may change. No floating-point function is called
//! whose last bit could differ between platforms.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};

/// What a stream is for, so that record 7 and repository 7 do not share one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Record,
    User,
    Repo,
    Damage,
}

/// A stream of random integers.
#[derive(Debug)]
pub(crate) struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// The stream of `index` among those of one kind under `seed`.
    pub(crate) fn new(seed: u64, stream: Stream, index: u64) -> Self {
        let tag = stream as u64 + 1;
        let mixed = finish(finish(seed ^ tag.wrapping_mul(0x9e37_79b9_7f4a_7c15)) ^ index);
        Self(Xoshiro256PlusPlus::seed_from_u64(mixed))
    }

    /// 64 random bits.
    #[inline]
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// An integer in `0..n`; `n` must not be 0. The multiply-and-shift reduction is biased by
    /// at most n / 2^32, which no use here can notice.
    #[inline]
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// An integer in `low..=high`.
    #[inline]
    pub(crate) fn range(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// True `ppm` times in a million.
    #[inline]
    pub(crate) fn chance(&mut self, ppm: u32) -> bool {
        self.below(1_000_000) < ppm
    }

    /// An integer in `0..n` whose square root is uniform: small ones are much more frequent,
    /// as popular users and repositories are.
    #[inline]
    pub(crate) fn skewed(&mut self, n: u32) -> u32 {
        let x = self.bits() >> 32;
        ((((x * x) >> 32) * u64::from(n)) >> 32) as u32
    }

    /// An integer below a random power of two, from `2^low` to `2^high`: each order of magnitude
    /// is as likely as the next, as with numbers of issues, counts of stars, and ages.
    #[inline]
    pub(crate) fn magnitude(&mut self, low: u32, high: u32) -> u32 {
        let limit = 1 << self.range(low, high);
        self.below(limit)
    }

    /// A length with a long tail: uniform below `scale`, then doubled while a fair coin falls
    /// heads, five times at most. Its mean is 1.75 times `scale`.
    #[inline]
    pub(crate) fn long_tailed(&mut self, scale: u32) -> u32 {
        let doublings = self.bits().trailing_zeros().min(5);
        self.below(scale.max(1)) << doublings
    }

    /// One of `items`, each as likely.
    #[inline]
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len() as u32) as usize]
    }
}

/// The finishing step of SplitMix64 (Steele, Lea and Flood, 2014): spreads close seeds apart.
fn finish(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_fixed() {
        // The first outputs of xoshiro256++ from the state that SplitMix64 makes of a seed are
        // part of the file format here: if they change, every published file changes.
        let mut a = Rng::new(1, Stream::Record, 0);
        let mut b = Rng::new(1, Stream::Record, 0);
        let mut c = Rng::new(1, Stream::Repo, 0);
        let first = a.bits();
        assert_eq!(first, b.bits());
        assert_ne!(first, c.bits());
    }

    #[test]
    fn draws_stay_in_range() {
        let mut rng = Rng::new(3, Stream::Record, 9);
        for n in 1..2_000 {
            assert!(rng.below(n) < n);
            assert!(rng.skewed(n) < n);
            assert!((5..=5 + n).contains(&rng.range(5, 5 + n)));
        }
    }
}
