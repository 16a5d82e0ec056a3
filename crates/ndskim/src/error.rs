//! The errors of a scan and of the accessors of a value.
//!
//! [`Error`] is what a scan ends with; [`ValueError`] is what an accessor says of one value. Both are plain values: nothing
//! here prints, and nothing here decides a policy.

use std::sync::Arc;
use std::{fmt, io};

use crate::fault::{Fault, Place};
use crate::kernel::Kernel;
use crate::run::FaultLimit;

/// An error of a closure, of any type.
pub type BoxError = Box<dyn std::error::Error + Send + Sync + 'static>;

/// Why a scan ended without a result.
///
/// With several reasons, the first in input order is returned, for any number of threads.
///
/// ```
/// use ndskim::{Error, map_many};
/// let error = map_many("no-such-file.json", |_| ()).unwrap_err();
/// assert!(matches!(error, Error::Read { .. }));
/// assert!(error.to_string().starts_with("no-such-file.json: cannot open"));
/// // What a `main` that returns the error prints.
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A record is not valid JSON.
    #[error("{0}")]
    Fault(Fault),

    /// More records are not valid than [`Scan::max_faults`](crate::Scan::max_faults) allows.
    #[error("{}; the first: {first}", too_many(*.limit, *.rejected, *.records))]
    TooManyFaults {
        /// How many are allowed.
        limit: FaultLimit,
        /// How many are not valid: all of them for a limit in percent, one more than are allowed for a count.
        rejected: u64,
        /// How many there are, valid or not, where that is known.
        records: Option<u64>,
        /// The first of them in input order.
        first: Box<Fault>,
    },

    /// An input could not be opened or read.
    #[error("{input}: cannot {action}{}: {source}", .offset.map(|o| format!(" at byte {o}")).unwrap_or_default())]
    Read {
        /// The name of the input.
        input: Arc<str>,
        /// What failed: `open` or `read`.
        action: &'static str,
        /// Bytes of the (decompressed) input that had been read, where that is known.
        offset: Option<u64>,
        /// The reason that the system or the decompressor gave.
        source: io::Error,
    },

    /// The caller's closure returned an error.
    #[error("{place}: {source}")]
    Closure {
        /// The record for which the closure failed.
        place: Place,
        /// The closure's error; [`downcast_ref`](std::error::Error) tells its type.
        source: BoxError,
    },

    /// The scan was cancelled through its [`Cancel`](crate::Cancel) flag.
    #[error("cancelled")]
    Cancelled,

    /// The kernel that was asked for is not known, or this machine does not have it.
    #[error("kernel `{0}` cannot be used here; there are: {available}", available = Kernel::available_names())]
    Kernel(String),

    /// What the scan is asked for cannot be done together.
    #[error("{0}")]
    Unsupported(&'static str),

    /// Refused records could not be kept in a temporary file until those before them were known.
    #[error("cannot keep refused records in a temporary file: {0}")]
    Rejects(io::Error),

    /// The threads of the scan's own pool could not be started.
    #[error("cannot start the threads of the scan: {0}")]
    Threads(String),
}

impl fmt::Debug for Error {
    /// The message, as `main` shows an error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// The place of the error, where it has one within an input.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Error::Fault(fault) => Some(fault.place()),
            Error::TooManyFaults { first, .. } => Some(first.place()),
            Error::Closure { place, .. } => Some(place),
            _ => None,
        }
    }
}

fn too_many(limit: FaultLimit, rejected: u64, records: Option<u64>) -> String {
    match records {
        Some(records) => format!("{rejected} of {records} records are not valid, which is more than {limit}"),
        None => format!("more than {limit} records are not valid"),
    }
}

/// What an accessor says of a value that it cannot give.
///
/// ```
/// use ndskim::{Scan, ValueError};
/// Scan::bytes(b"{\"n\":1e400}").for_each(|record| {
///     let n = record.get("n").unwrap().unwrap();
///     assert_eq!(n.as_f64(), Err(ValueError::Unrepresentable));
/// }).unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The bytes that had to be read are not valid JSON. This is a fault of the input: it also marks the record, and after the
    /// closure returns, the scan's policy applies to that record. Only possible with
    /// [`Validation::Visited`](crate::Validation::Visited).
    #[error("the record is not valid JSON")]
    Malformed,
    /// The value is valid but cannot be represented exactly in the type asked for: a number out of range or that would be
    /// rounded, or a lone surrogate escape where exact text is asked for.
    #[error("the value cannot be represented in the type asked for")]
    Unrepresentable,
}
