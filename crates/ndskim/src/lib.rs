//! ndskim: parallel, lazy analytics over newline-delimited JSON.
//!
//! Every record of a file goes through your closure, on all cores; only the fields that you ask for are ever decoded.
//!
//! ```
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path().join("events.json");
//! # std::fs::write(&path, "{\"type\":\"PushEvent\",\"payload\":{\"size\":3}}\n").unwrap();
//! let sizes = ndskim::map_many(&path, |record| {
//!     let payload = record.get("payload").ok()??;
//!     payload.get("size").ok()??.as_i64().ok()?
//! })?;
//! assert_eq!(sizes, [Some(3)]);
//! # Ok::<(), ndskim::Error>(())
//! ```
//!
//! [`map_many`] is the short form of [`Scan`], which can do more: choose threads, inputs, formats, a [`Projection`] of fields
//! that are found before the closure is called, and what happens to faults.
//!
//! Each type and each end of a scan is shown in an example, its own or that of what gives it; a method that only reads or sets
//! one thing is shown in the example of its type, or its comment says all there is.
//!
//! # What is promised
//!
//! * The same answer for any number of threads, block size, way of reading and engine, and on valid input for either
//!   [`Validation`] mode.
//! * A [`Fault`] names the input, line, column, byte and reason. With several, the first in input order is reported.
//! * Absent is not null is not malformed; nothing is rounded silently (see [`Value`]).
//!
//! # Choices that are fixed
//!
//! * The first of two equal keys counts, everywhere; keys are compared after unescaping.
//! * A record may be any JSON value. Lines of spaces, tabs and carriage returns only are no records.
//! * Input that is compressed with gzip (all members) or zstd (all frames) is recognised by its first bytes and decompressed.
//! * A byte order mark at the start of an input is skipped. CRLF line ends are fine. The last line needs no newline.
//! * A file's length is fixed when it is opened: growth, renaming and removal during the scan do no harm; a file that has
//!   become shorter is an error.

mod block;
mod count;
#[cfg(feature = "serde")]
mod de;
mod engine;
mod error;
mod exact;
mod fault;
mod filter;
mod format;
mod input;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod kernel;
mod number;
mod padded;
mod pointer;
mod recent;
mod record;
mod run;
mod salvage;
mod skim;
#[cfg(test)]
mod testing;
mod text;
mod value;

pub use block::{Block, BlockStats};
pub use count::{CountTable, Key};
#[cfg(feature = "serde")]
pub use de::DeserializeError;
pub use engine::{Engine, Validation};
pub use error::{BoxError, Error, ValueError};
pub use fault::{Fault, FaultKind, Found, Place, Reason};
pub use filter::{Comparison, Filter, Literal};
pub use format::Format;
pub use input::{Input, Inputs, Notice, NoticeKind, Reading, load};
pub use kernel::Kernel;
pub use pointer::{Pointer, PointerError, Projection};
pub use record::Record;
pub use run::{
    Blocks, Cancel, FaultLimit, OnFault, Outcome, Progress, Reject, Scan, Stats, Step, map_many, with_fields,
};
pub use value::{Elements, Kind, Members, Value};

/// The README's example must compile.
#[cfg(all(doctest, feature = "serde"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
