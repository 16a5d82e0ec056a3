//! The contracts of the library, through its public API: what callers may rely on, for any number of threads, block size, way
//! of reading and engine.
//!
//! One binary, since each costs the time to link it. Nothing here depends on time, except that a scan that does not end is
//! caught by a watchdog.

mod blocks;
mod choices;
mod concatenated;
#[cfg(feature = "serde")]
mod decode;
mod faults;
mod nested;
mod order;
mod reads;
#[cfg(feature = "serde")]
mod reference;
mod sizes;
mod skip;
mod stop;
mod support;
