//! How many different values there were: exactly, or by HyperLogLog.
//!
//! Values are different as JSON values are (see [`ndskim::Key`]). Both ways give the same answer for any order of the values
//! and any way to split them.

use std::collections::HashSet;

use ahash::RandomState;
use xxhash_rust::xxh3::xxh3_64;

/// The values themselves; memory grows with their number and length.
pub(crate) type Exact = HashSet<Box<[u8]>, RandomState>;

/// Registers are 2 to this power, so that the standard error is 1.04 / 2^7 = 0.81 %.
const PRECISION: u32 = 14;
const REGISTERS: usize = 1 << PRECISION;
/// So many hashes take less room than the registers.
const SPARSE: usize = 1024;

/// How the sketch is named in answers.
pub(crate) const SKETCH: &str = "HyperLogLog of 16,384 registers: standard error 0.81 %";

/// HyperLogLog (Flajolet et al., 2007), with the estimator of Ertl ("New cardinality estimation algorithms for HyperLogLog
/// sketches", 2017), which needs no correction by tables. As long as there are few values it keeps their hashes, and is exact
/// but for collisions of 64-bit hashes.
///
/// Whether it has gone over to registers depends only on the set of values, and the hash is the same on every machine; so the
/// estimate is as well.
#[derive(Clone, Debug)]
pub(crate) enum Sketch {
    Hashes(HashSet<u64, RandomState>),
    Registers(Box<[u8; REGISTERS]>),
}

impl Default for Sketch {
    fn default() -> Self {
        Sketch::Hashes(HashSet::default())
    }
}

impl Sketch {
    pub(crate) fn add(&mut self, value: &[u8]) {
        self.add_hash(xxh3_64(value));
    }

    fn add_hash(&mut self, hash: u64) {
        match self {
            Sketch::Registers(registers) => register(registers, hash),
            Sketch::Hashes(hashes) => {
                hashes.insert(hash);
                if hashes.len() > SPARSE {
                    let mut registers = Box::new([0; REGISTERS]);
                    hashes.iter().for_each(|hash| register(&mut registers, *hash));
                    *self = Sketch::Registers(registers);
                }
            }
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        match (&mut *self, other) {
            (_, Sketch::Hashes(hashes)) => hashes.into_iter().for_each(|hash| self.add_hash(hash)),
            (Sketch::Registers(mine), Sketch::Registers(other)) => {
                mine.iter_mut().zip(other.iter()).for_each(|(mine, other)| *mine = (*mine).max(*other));
            }
            (Sketch::Hashes(hashes), Sketch::Registers(mut registers)) => {
                hashes.iter().for_each(|hash| register(&mut registers, *hash));
                *self = Sketch::Registers(registers);
            }
        }
    }

    pub(crate) fn estimate(&self) -> u64 {
        match self {
            Sketch::Hashes(hashes) => hashes.len() as u64,
            Sketch::Registers(registers) => estimate(registers),
        }
    }
}

/// Notes the position of the first 1 in the hash, behind the bits that choose the register.
fn register(registers: &mut [u8; REGISTERS], hash: u64) {
    let rank = (hash << PRECISION | 1 << (PRECISION - 1)).leading_zeros() + 1;
    let register = &mut registers[(hash >> (64 - PRECISION)) as usize];
    *register = (*register).max(rank as u8);
}

/// Ertl's improved raw estimator (algorithm 6). Only additions, multiplications and square roots, whose results IEEE 754 fixes.
fn estimate(registers: &[u8; REGISTERS]) -> u64 {
    const Q: usize = 64 - PRECISION as usize;
    let mut counts = [0_u32; Q + 2];
    registers.iter().for_each(|rank| counts[usize::from(*rank)] += 1);
    let m = REGISTERS as f64;
    let mut z = m * tau(1.0 - f64::from(counts[Q + 1]) / m);
    for count in counts[1..=Q].iter().rev() {
        z = 0.5 * (z + f64::from(*count));
    }
    z += m * sigma(f64::from(counts[0]) / m);
    (m * m / (2.0 * std::f64::consts::LN_2 * z)).round() as u64
}

fn sigma(mut x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z == before {
            return z;
        }
    }
}

fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z == before {
            return z / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl Iterator<Item = u64>) -> Sketch {
        let mut sketch = Sketch::default();
        values.for_each(|value| sketch.add(value.to_string().as_bytes()));
        sketch
    }

    #[test]
    fn estimates_are_within_four_standard_errors() {
        for count in [0, 1, 1000, 1024] {
            assert_eq!(of(0..count).estimate(), count);
        }
        for count in [1025, 5_000, 20_000, 100_000, 1_000_000] {
            let error = of(0..count).estimate() as f64 / count as f64 - 1.0;
            assert!(error.abs() < 4.0 * 0.0081, "{count}: {error}");
        }
    }

    #[test]
    fn the_estimate_depends_on_the_set_alone() {
        for (a, b) in [(10, 900), (900, 900), (30, 5_000), (5_000, 30), (4_000, 5_000)] {
            let whole = of((0..a + b).rev()).estimate();
            let (mut first, mut second) = (of(0..a), of(a / 2..a + b));
            let swapped = {
                second.merge(first.clone());
                second.estimate()
            };
            first.merge(of(a / 2..a + b));
            assert_eq!((first.estimate(), swapped), (whole, whole), "{a} {b}");
        }
    }
}
