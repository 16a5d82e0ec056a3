//! What happens to bad records: the policy, and how many are too many.

use std::fmt;

/// What happens to a record that is refused.
///
/// A fault is a record that is not valid JSON. A valid one that is not of the type that a closure wants is none: an error of
/// the closure ends the scan whatever the policy. Keep the `Result` of each record to go on.
///
/// ```
/// # #[cfg(feature = "serde")] {
/// use ndskim::{DeserializeError, OnFault, Scan};
/// let scan = || Scan::bytes(b"1\n\"two\"\n3\n").on_fault(OnFault::Skip);
/// assert!(scan().try_map(|record| record.deserialize::<u32>()).is_err());
/// let results: Vec<Result<u32, DeserializeError>> = scan().map(|record| record.deserialize()).unwrap().value;
/// assert_eq!(results.iter().flatten().sum::<u32>(), 4);
/// # }
/// ```
///
/// ```
/// use ndskim::{OnFault, Scan};
/// let scan = || Scan::bytes(b"{}\n{\n{}\n");
/// assert!(scan().for_each(|_| ()).is_err());
/// let stats = scan().on_fault(OnFault::Skip).for_each(|_| ()).unwrap().stats;
/// assert_eq!((stats.records, stats.rejected), (2, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnFault {
    /// The scan ends with the first fault in input order.
    #[default]
    Fail,
    /// The record is left out and counted; the first few faults are kept in the [`Outcome`](crate::Outcome).
    Skip,
    /// As [`Skip`](Self::Skip), but of a bad line the complete records that can still be told apart go to the closure.
    ///
    /// A candidate starts at the line's start, or with the same first key as the last good record before the line (such as
    /// `{"id":`, as it is written there; without such a record, as the line itself begins). It runs to the line's end, to a NUL
    /// byte or to the next candidate, and it must be valid. What was nested in a record, whole or cut, is never taken for one.
    ///
    /// This is for lines that are validated in full; a scan of another [`Format`](crate::Format), or with
    /// [`Validation::Visited`](crate::Validation::Visited), ends with [`Error::Unsupported`](crate::Error::Unsupported). Input
    /// is read front to back, by one thread at a time, because what may be kept depends on what came before.
    ///
    /// ```
    /// use ndskim::{OnFault, Scan};
    /// let input = b"{\"id\":1}\n{\"id\":2}{\"id\":3}\n{\"id\":4,\"name\":\"x{\"id\":5}\n";
    /// let outcome = Scan::bytes(input)
    ///     .on_fault(OnFault::Salvage)
    ///     .map(|record| record.get("id").unwrap().unwrap().as_i64().unwrap().unwrap())
    ///     .unwrap();
    /// assert_eq!(outcome.value, [1, 2, 3, 5]);
    /// assert_eq!((outcome.stats.records, outcome.stats.salvaged, outcome.stats.rejected), (4, 3, 2));
    /// ```
    Salvage,
}

/// How many bad records are too many.
///
/// ```
/// use ndskim::{Error, FaultLimit, OnFault, Scan};
/// let scan = || Scan::bytes(b"1\n2\nx\ny\n").on_fault(OnFault::Skip);
/// assert_eq!(scan().max_faults(2).for_each(|_| ()).unwrap().stats.rejected, 2);
/// let error = scan().max_faults(FaultLimit::Percent(25.0)).for_each(|_| ()).unwrap_err();
/// assert!(error.to_string().starts_with("2 of 4 records are not valid, which is more than 25 %; the first: <bytes>:3:1"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FaultLimit {
    /// More than so many. The scan ends as soon as that is known.
    Count(u64),
    /// More than so many of a hundred records, which is known at the end.
    Percent(f64),
}

impl From<u64> for FaultLimit {
    fn from(count: u64) -> Self {
        FaultLimit::Count(count)
    }
}

impl FaultLimit {
    /// Whether `rejected` bad ones of `all` records are too many.
    pub(super) fn is_exceeded(self, rejected: u64, all: u64) -> bool {
        match self {
            FaultLimit::Count(most) => rejected > most,
            FaultLimit::Percent(most) => rejected as f64 * 100.0 > most * all as f64,
        }
    }
}

impl fmt::Display for FaultLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultLimit::Count(count) => count.fmt(f),
            FaultLimit::Percent(percent) => write!(f, "{percent} %"),
        }
    }
}
