//! What the driver hands out: views of records and places of bad lines, before they are the library's records.

use super::tape::{Tape, TapeValue};
use crate::fault::Refusal;
use std::ops::ControlFlow;

/// Receives a block's records and bad lines, in order.
pub(super) trait Output {
    /// Whether records are to be handed over. If not, they are counted only, which is faster.
    fn looks(&self) -> bool;

    /// Valid records that are only counted.
    fn unseen(&mut self, records: u64);

    /// A valid record.
    fn record(&mut self, record: &RecordView<'_>) -> ControlFlow<()>;

    /// A line that is no record.
    fn fault(&mut self, fault: BadLine) -> ControlFlow<()>;
}

/// A valid record.
pub(super) struct RecordView<'a> {
    /// Offset of the record's first byte in the block: of the line's, where records are lines.
    pub(super) start: usize,
    /// Offset behind the record's last byte, or the line's, without the newline.
    pub(super) end: usize,
    /// Newlines before the record in the block.
    pub(super) line: u64,
    /// Bytes from the start of the record's line, or of the block if that is nearer.
    pub(super) column: usize,
    /// The record's value on the tape; none for records that are too long or too deep for a tape.
    pub(super) tape: Option<(&'a Tape<'a>, TapeValue)>,
    /// With a tape: by slot of the projection, the field's value.
    pub(super) fields: &'a [Option<TapeValue>],
}

/// A line that is no valid record.
#[derive(Clone, Copy, Debug)]
pub(super) struct BadLine {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) line: u64,
    pub(super) refusal: Refusal,
}
