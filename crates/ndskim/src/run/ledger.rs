//! The ledger of a scan: what the workers found, put into input order.
//!
//! Blocks end in any order. A block's line number is known once all blocks of its input before it have ended, so faults wait
//! here until then. The first reason to stop, in input order, is the one that counts; blocks behind it count for nothing.

use std::collections::BTreeMap;

use super::policy::FaultLimit;
use super::rejects::PackedRejects;
use super::scan::{Progress, Stats};
use crate::block::Order;
use crate::error::{BoxError, Error};
use crate::fault::{Fault, Place};

/// What a worker says at the end of a block.
#[derive(Debug, Default)]
pub(super) struct BlockEnd {
    pub(super) records: u64,
    /// Of these, the records that the filter let through.
    pub(super) matched: u64,
    pub(super) blank: u64,
    pub(super) rejected: u64,
    pub(super) rejected_bytes: u64,
    pub(super) salvaged: u64,
    pub(super) salvaged_bytes: u64,
    pub(super) exact: u64,
    pub(super) lines: u64,
    pub(super) bytes: u64,
    /// The first faults of the block, in order, where they are left out of the result.
    pub(super) skipped: Vec<Fault>,
    /// All rejects of the block, if somebody wants them.
    pub(super) rejects: PackedRejects,
    pub(super) stop: Option<Stop>,
}

/// Why the scan must not go on behind some place.
#[derive(Debug)]
pub(super) enum Stop {
    /// A closure wants no more.
    Break,
    Fault(Box<Fault>),
    Closure(Place, BoxError),
    /// More records are bad than are allowed.
    TooManyFaults,
    /// It stands in the place of a block that could not be read.
    Error(Error),
}

/// The ledger of a scan.
pub(super) struct Ledger {
    keep: usize,
    max_faults: Option<FaultLimit>,
    /// How many records each block has rejected, where they are held against a count.
    rejected: BTreeMap<Order, u64>,
    inputs: Vec<InputLedger>,
    totals: Stats,
    faults: BTreeMap<(Order, usize), Fault>,
    stop: Option<(Order, Stop)>,
    /// Newlines before the blocks whose line numbers are wanted.
    lines: BTreeMap<Order, u64>,
}

/// The blocks of one input that have ended.
#[derive(Default)]
struct InputLedger {
    /// The first block that has not ended.
    next: u64,
    /// Newlines in the blocks before it.
    lines: u64,
    /// Blocks behind it that have ended: their newlines, and whether their line number is wanted.
    ended: BTreeMap<u64, (u64, bool)>,
}

impl Ledger {
    /// A ledger that keeps the first `keep` faults and allows `max_faults`.
    pub(super) fn new(inputs: usize, keep: usize, max_faults: Option<FaultLimit>) -> Self {
        Self {
            // The error about too many shows the first.
            keep: if max_faults.is_some() { keep.max(1) } else { keep },
            max_faults,
            rejected: BTreeMap::new(),
            inputs: std::iter::repeat_with(InputLedger::default).take(inputs).collect(),
            totals: Stats::default(),
            faults: BTreeMap::new(),
            stop: None,
            lines: BTreeMap::new(),
        }
    }

    /// The block from which on nothing is wanted any more.
    pub(super) fn limit(&self) -> Option<Order> {
        self.stop.as_ref().map(|(order, _)| *order)
    }

    /// Newlines before a block, if all blocks of its input before it have ended.
    pub(super) fn lines_before(&self, order: Order) -> Option<u64> {
        let input = &self.inputs[order.input];
        (input.next == order.block).then_some(input.lines)
    }

    /// How far the scan has come, so many bytes having been read.
    pub(super) fn progress(&self, read: u64) -> Progress {
        let Stats { bytes, records, rejected, .. } = self.totals;
        Progress { bytes, read, records, rejected }
    }

    /// Enters a block that has ended.
    pub(super) fn end(&mut self, order: Order, end: BlockEnd) {
        if self.limit().is_some_and(|limit| order > limit) {
            return;
        }
        self.totals.records += end.records;
        self.totals.matched += end.matched;
        self.totals.blank += end.blank;
        self.totals.rejected += end.rejected;
        self.totals.rejected_bytes += end.rejected_bytes;
        self.totals.salvaged += end.salvaged;
        self.totals.salvaged_bytes += end.salvaged_bytes;
        self.totals.exact += end.exact;
        self.totals.bytes += end.bytes;
        let wanted = end.rejected > 0 || end.stop.is_some();
        for (number, fault) in end.skipped.into_iter().enumerate() {
            self.faults.insert((order, number), fault);
            if self.faults.len() > self.keep {
                self.faults.pop_last();
            }
        }
        if let Some(stop) = end.stop {
            self.stop(order, stop);
        }
        if let Some(FaultLimit::Count(most)) = self.max_faults
            && end.rejected > 0
        {
            self.rejected.insert(order, end.rejected);
            self.count_rejected(most);
        }
        self.advance(order, end.lines, wanted);
    }

    /// Enters a reason to stop in the place of a block.
    pub(super) fn stop(&mut self, order: Order, stop: Stop) {
        if self.limit().is_none_or(|limit| order < limit) {
            self.stop = Some((order, stop));
        }
    }

    /// Stops at the block in which the rejected records become more than `most`, as far as blocks have ended.
    fn count_rejected(&mut self, most: u64) {
        if self.totals.rejected <= most {
            return;
        }
        let mut sum = 0;
        let exceeds = |(_, rejected): &(&Order, &u64)| {
            sum += **rejected;
            sum > most
        };
        let Some((&order, _)) = self.rejected.iter().find(exceeds) else { return };
        // Another reason in the same block stands behind the records that were rejected there.
        if self.limit().is_none_or(|limit| order <= limit) {
            self.stop = Some((order, Stop::TooManyFaults));
        }
    }

    /// Newlines before a block, if nothing of what comes before it in its input is missing, and it counts.
    pub(super) fn lines_before_ended(&self, order: Order) -> Option<u64> {
        let ended = order.block < self.inputs[order.input].next && self.limit().is_none_or(|limit| order <= limit);
        ended.then(|| self.lines.get(&order).copied().unwrap_or_default())
    }

    /// Whether the first `blocks` blocks of an input have ended.
    pub(super) fn has_ended(&self, input: usize, blocks: u64) -> bool {
        self.inputs[input].next >= blocks
    }

    /// Counts the lines of an input as far as its blocks have ended without a gap.
    fn advance(&mut self, order: Order, lines: u64, wanted: bool) {
        let input = &mut self.inputs[order.input];
        input.ended.insert(order.block, (lines, wanted));
        while let Some((lines, wanted)) = input.ended.remove(&input.next) {
            if wanted {
                self.lines.insert(Order { block: input.next, ..order }, input.lines);
            }
            input.next += 1;
            input.lines += lines;
        }
    }

    /// The end of the scan: figures and kept faults, or the error that counts.
    pub(super) fn finish(mut self) -> Result<(Stats, Vec<Fault>), Error> {
        let limit = self.limit();
        let lines = std::mem::take(&mut self.lines);
        let lines_before = |order: Order| lines.get(&order).copied().unwrap_or_default();
        let kept = std::mem::take(&mut self.faults);
        let kept = kept.into_iter().filter(|((order, _), _)| limit.is_none_or(|limit| *order <= limit));
        let faults: Vec<_> = kept.map(|((order, _), fault)| fault.after_lines(lines_before(order))).collect();
        let too_many = match self.stop {
            Some((_, Stop::Error(error))) => return Err(error),
            Some((order, Stop::Fault(fault))) => return Err(Error::Fault(fault.after_lines(lines_before(order)))),
            Some((order, Stop::Closure(place, source))) => {
                return Err(Error::Closure { place: place.after_lines(lines_before(order)), source });
            }
            Some((_, Stop::TooManyFaults)) => true,
            Some((_, Stop::Break)) => {
                self.totals.stopped = true;
                false
            }
            None => false,
        };
        let Stats { rejected, records, salvaged, .. } = self.totals;
        let all = rejected + records - salvaged;
        let (limit, rejected, records) = match self.max_faults {
            Some(limit @ FaultLimit::Count(most)) if too_many => (limit, most + 1, None),
            Some(limit @ FaultLimit::Percent(_)) if limit.is_exceeded(rejected, all) => (limit, rejected, Some(all)),
            _ => return Ok((self.totals, faults)),
        };
        match faults.into_iter().next() {
            Some(first) => Err(Error::TooManyFaults { limit, rejected, records, first: Box::new(first) }),
            None => Ok((self.totals, Vec::new())),
        }
    }
}
