//! Running a scan: workers that pull blocks from the source, run the engine over them, and keep the ledger.
//!
//! [`Scan`] is the builder, [`ends`] turns what a caller asks for into a [`Consumer`], [`worker`] drives any consumer, and the
//! [`ledger`] puts what the workers found into input order. Results never depend on the number of threads; this is the place
//! that sees to it.

mod blocks;
mod ends;
mod ledger;
mod policy;
mod rejects;
mod salvager;
mod scan;
mod worker;

pub use blocks::Blocks;
pub use ends::with_fields;
pub use policy::{FaultLimit, OnFault};
pub use rejects::Reject;
pub use scan::{Cancel, Outcome, Progress, Scan, Stats, map_many};

use std::ops::ControlFlow;

use crate::block::Order;
use crate::error::BoxError;
use crate::record::Record;

/// What a closure can return to say whether the scan goes on: nothing, or a [`ControlFlow`].
///
/// ```
/// use std::ops::ControlFlow;
/// use ndskim::Scan;
/// let outcome = Scan::bytes(b"1\n2\n3\n").threads(1).for_each(|record| {
///     if record.value().as_i64() == Ok(Some(2)) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// }).unwrap();
/// assert!(outcome.stats.stopped);
/// ```
pub trait Step {
    /// The same as a [`ControlFlow`].
    fn into_flow(self) -> ControlFlow<()>;
}

impl Step for () {
    fn into_flow(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Step for ControlFlow<()> {
    fn into_flow(self) -> ControlFlow<()> {
        self
    }
}

/// What an end of a scan does with the records: the closures of the caller and where their results go.
pub(crate) trait Consumer: Sync {
    /// What one worker gathers.
    type Local;

    /// Whether the closures look at the records; if not, records may be counted without being handed over.
    const LOOKS: bool = true;

    /// Begins a worker.
    fn start(&self) -> Self::Local;

    /// Takes a record.
    fn record(&self, local: &mut Self::Local, record: &Record<'_>) -> Taken;

    /// Takes the last record back, of which `taken` was said, since it turned out to be malformed; false if that cannot be
    /// done.
    fn retract(&self, local: &mut Self::Local, taken: &Taken) -> bool;

    /// Ends a block.
    fn end_block(&self, local: &mut Self::Local, order: Order);

    /// Ends a worker.
    fn finish(&self, local: Self::Local);
}

/// What a consumer says of a record that it took.
pub(crate) enum Taken {
    Continue,
    /// The closure wants no more records.
    Break,
    /// The closure failed.
    Failed(BoxError),
}
