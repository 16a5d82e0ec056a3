//! Generates files shaped like those of GH Archive, whose counts are known without parsing them.
//!
//! A file's text is a function of [`Options`]: size, seed, layout, style, separator, damage. The
//! generator states what each record counts for while it writes it, and [`Truth`] adds that up
//! to the report that a counter must give; so a test that compares the two compares independent
//! work. [`generate`] writes a file anywhere, in memory too; [`Generator`] makes single records;
//! [`generate_into`] writes through a [`Sink`]: [`Members`] for several gzip members or
//! Zstandard frames, [`Parts`] for several files.
//!
//! The text is the same on every machine and for every release that does not say otherwise in
//! its change log. It must never be read back to find the truth.

mod damage;
mod entity;
mod generator;
mod layout;
mod mix;
mod options;
mod output;
pub mod profile;
mod put;
mod rng;
mod style;
mod text;
mod truth;
mod words;

pub use damage::{DamageReport, DamagedLine, Kept, Way};
pub use generator::{Generator, Report, generate, generate_into};
pub use layout::{Facts, Language, Layout};
pub use options::{Options, Separator, Style, parse_bytes};
pub use output::{Compression, Members, Parts, Sink};
pub use truth::Truth;
