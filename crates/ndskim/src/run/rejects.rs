//! Rejects: the text of refused records, handed to the caller in input order.
//!
//! Workers meet bad records in any order. In go the rejects of a block, packed into bytes by the worker that met them; out they
//! come through the caller's callback, one at a time, once all blocks before theirs have ended. What must wait is held in
//! memory up to a limit and in an unnamed temporary file beyond it, so that a slow block, or a callback that is slower than the
//! workers, costs neither memory nor anybody's waiting. Nothing here is touched on the way of a good record.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::block::Order;
use crate::fault::{Fault, FaultKind, Found, Place, Reason, excerpt};

/// A record that was refused: its fault and its text, as [`Scan::rejects`](crate::Scan::rejects) hands them out.
#[derive(Debug)]
pub struct Reject<'a> {
    fault: Fault,
    offset: u64,
    text: &'a [u8],
    salvaged: Vec<Range<usize>>,
}

impl<'a> Reject<'a> {
    /// What is wrong with the record, and where.
    pub fn fault(&self) -> &Fault {
        &self.fault
    }

    /// Bytes from the start of the (decompressed) input to the text.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The text of the record, as it stands in the input; of lines the whole line without its newline.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// The records that [`OnFault::Salvage`](crate::OnFault::Salvage) kept, as places in the text; none with other policies.
    pub fn salvaged(&self) -> &[Range<usize>] {
        &self.salvaged
    }

    /// What is lost of the text, as places in it: all that was not salvaged.
    ///
    /// ```
    /// use ndskim::{OnFault, Scan};
    /// let mut lost = Vec::new();
    /// Scan::bytes(b"{\"id\":1}\n{\"id\":2,\"name\":\"x{\"id\":3}\n")
    ///     .on_fault(OnFault::Salvage)
    ///     .rejects(|reject| lost.extend(reject.lost().map(|span| reject.text()[span].to_vec())))
    ///     .for_each(|_| ())
    ///     .unwrap();
    /// assert_eq!(lost, [b"{\"id\":2,\"name\":\"x"]);
    /// ```
    pub fn lost(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let ends = self.salvaged.iter().map(|span| span.start).chain([self.text.len()]);
        let starts = [0].into_iter().chain(self.salvaged.iter().map(|span| span.end));
        starts.zip(ends).filter(|(start, end)| start < end).map(|(start, end)| start..end)
    }
}

/// The callback that hears of rejects.
pub(super) type RejectSink<'s> = Box<dyn FnMut(&Reject<'_>) + Send + 's>;

/// The rejects of one block, packed.
#[derive(Debug, Default)]
pub(super) struct PackedRejects(Vec<u8>);

impl PackedRejects {
    /// Appends a reject: its fault, where its text begins in the input and in its record the fault, and what was salvaged.
    pub(super) fn push(
        &mut self,
        queue: &RejectQueue<'_>,
        fault: &Fault,
        offset: u64,
        text: &[u8],
        salvaged: &[Range<usize>],
    ) {
        let place = fault.place();
        let reason = fault.reason();
        self.number(place.line.map_or(0, |line| line + 1));
        self.number(place.line_in_block);
        self.number(place.column);
        self.number(offset);
        self.number(place.offset - offset);
        self.number(queue.reason_number(reason.kind(), reason.expected()));
        self.number(match reason.found() {
            Found::End => 0,
            Found::Byte(byte) => 1 + u64::from(byte),
            Found::Char(c) => 1 + 256 + u64::from(c),
        });
        self.number(salvaged.len() as u64);
        for span in salvaged {
            self.number(span.start as u64);
            self.number(span.len() as u64);
        }
        self.number(text.len() as u64);
        self.0.extend_from_slice(text);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Seven bits a byte, the lowest first.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

/// Takes packed rejects apart.
struct Unpack<'p>(&'p [u8]);

impl<'p> Unpack<'p> {
    fn next(&mut self, queue: &RejectQueue<'_>, input: &Arc<str>, lines_before: u64) -> Option<Reject<'p>> {
        if self.0.is_empty() {
            return None;
        }
        let line = self.number().checked_sub(1);
        let (line_in_block, column) = (self.number(), self.number());
        let (offset, into) = (self.number(), self.number());
        let place = Place { input: Arc::clone(input), line, line_in_block, column, offset: offset + into };
        let (kind, expected) = queue.reason(self.number());
        let found = match self.number() {
            0 => Found::End,
            byte @ 1..=256 => Found::Byte((byte - 1) as u8),
            c => Found::Char(char::from_u32((c - 257) as u32).unwrap_or(char::REPLACEMENT_CHARACTER)),
        };
        let salvaged = (0..self.number())
            .map(|_| {
                let start = self.number() as usize;
                start..start + self.number() as usize
            })
            .collect();
        let length = self.number() as usize;
        let (text, rest) = self.0.split_at_checked(length).unwrap_or((self.0, &[]));
        self.0 = rest;
        let reason = Reason::new(kind, expected, found);
        let fault = Fault::new(place.after_lines(lines_before), reason, excerpt(text, into as usize));
        Some(Reject { fault, offset, text, salvaged })
    }

    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((&byte, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        number
    }
}

/// Rejects that wait for their turn.
pub(super) struct RejectQueue<'s> {
    state: Mutex<State>,
    /// The callback, and how often it was called.
    sink: Mutex<(RejectSink<'s>, u64)>,
    /// The kinds and expectations of all reasons met, which packed rejects name by number.
    reasons: Mutex<Vec<(FaultKind, &'static str)>>,
    inputs: Vec<Arc<str>>,
    /// The most that are handed out.
    most: u64,
    memory_limit: usize,
}

#[derive(Default)]
struct State {
    held: BTreeMap<Order, Held>,
    /// Bytes held in memory.
    memory: usize,
    spill: Option<Arc<File>>,
    /// Where the next block goes in the temporary file, and how many blocks are there or on their way.
    spill_end: u64,
    spilled: usize,
    /// Whether somebody is handing rejects out.
    busy: bool,
    failed: Option<io::Error>,
}

enum Held {
    Memory(Vec<u8>),
    File { file: Arc<File>, offset: u64, length: usize },
}

/// Bytes of rejects that may wait in memory.
const MEMORY_LIMIT: usize = 16 << 20;

impl<'s> RejectQueue<'s> {
    /// A queue in front of `sink`, which hears of no more than `most` rejects.
    pub(super) fn new(sink: RejectSink<'s>, inputs: Vec<Arc<str>>, most: u64) -> Self {
        Self {
            state: Mutex::default(),
            sink: Mutex::new((sink, 0)),
            reasons: Mutex::default(),
            inputs,
            most,
            memory_limit: MEMORY_LIMIT,
        }
    }

    /// Takes the rejects of a block, before the block is entered into the ledger.
    pub(super) fn push(&self, order: Order, packed: PackedRejects) {
        let bytes = packed.0;
        let mut state = self.state();
        if state.memory + bytes.len() <= self.memory_limit {
            state.memory += bytes.len();
            state.held.insert(order, Held::Memory(bytes));
            return;
        }
        let spilled = state.spill(bytes.len());
        drop(state);
        let written = spilled.and_then(|(file, offset)| {
            file.write_all_at(&bytes, offset)?;
            Ok(Held::File { file, offset, length: bytes.len() })
        });
        let mut state = self.state();
        match written {
            Ok(held) => _ = state.held.insert(order, held),
            Err(error) => _ = state.failed.get_or_insert(error),
        }
    }

    /// Hands out all rejects that are next, unless somebody else is at it, who will then see these too. `lines_before` tells
    /// the newlines before a block of which nothing that comes before is missing, and `None` for others.
    pub(super) fn hand_out(&self, lines_before: impl Fn(Order) -> Option<u64>) {
        let mut state = self.state();
        if state.busy {
            return;
        }
        while state.failed.is_none()
            && let Some((&order, _)) = state.held.first_key_value()
            && let Some(lines) = lines_before(order)
            && let Some(held) = state.held.remove(&order)
        {
            state.busy = true;
            drop(state);
            let called = held.load().map(|bytes| self.call(order, lines, &bytes));
            state = self.state();
            state.busy = false;
            state.failed = state.failed.take().or(called.err());
            match held {
                Held::Memory(bytes) => state.memory -= bytes.len(),
                Held::File { .. } => state.loaded(),
            }
        }
    }

    /// Why rejects could not be kept until their turn, if so.
    pub(super) fn failure(&self) -> Option<io::Error> {
        self.state().failed.take()
    }

    fn call(&self, order: Order, lines_before: u64, packed: &[u8]) {
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unpack = Unpack(packed);
        while let Some(reject) = unpack.next(self, &self.inputs[order.input], lines_before) {
            if sink.1 >= self.most {
                return;
            }
            sink.1 += 1;
            (sink.0)(&reject);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reason_number(&self, kind: FaultKind, expected: &'static str) -> u64 {
        let mut reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
        let known = reasons.iter().position(|reason| *reason == (kind, expected));
        let number = known.unwrap_or_else(|| {
            reasons.push((kind, expected));
            reasons.len() - 1
        });
        number as u64
    }

    fn reason(&self, number: u64) -> (FaultKind, &'static str) {
        let reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
        reasons.get(number as usize).copied().unwrap_or((FaultKind::Syntax, "JSON"))
    }
}

impl State {
    /// Room for so many bytes in the temporary file.
    fn spill(&mut self, length: usize) -> io::Result<(Arc<File>, u64)> {
        let file = match &self.spill {
            Some(file) => Arc::clone(file),
            None => Arc::clone(self.spill.insert(Arc::new(tempfile::tempfile()?))),
        };
        let offset = self.spill_end;
        self.spill_end += length as u64;
        self.spilled += 1;
        Ok((file, offset))
    }

    /// Notes that a block was read back from the temporary file, which begins anew once it holds none.
    fn loaded(&mut self) {
        self.spilled -= 1;
        if self.spilled == 0 {
            self.spill_end = 0;
        }
    }
}

impl Held {
    fn load(&self) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Held::Memory(bytes) => Ok(bytes.into()),
            Held::File { file, offset, length } => {
                let mut bytes = vec![0; *length];
                file.read_exact_at(&mut bytes, *offset)?;
                Ok(bytes.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(queue: &RejectQueue<'_>, text: &[u8]) -> PackedRejects {
        let mut packed = PackedRejects::default();
        for (n, found) in [Found::Byte(0xff), Found::Char('é'), Found::End].into_iter().enumerate() {
            let line = if n == 0 { Some(7) } else { None };
            let place = Place { input: "x".into(), line, line_in_block: 2, column: 300, offset: 1 << 40 };
            let reason = Reason::new(FaultKind::Utf8, "something", found);
            let fault = Fault::new(place, reason, String::new());
            packed.push(queue, &fault, (1 << 40) - n as u64, text, &[1..3, 200..201][..n]);
        }
        packed
    }

    #[test]
    fn rejects_come_out_as_they_went_in_from_memory_and_from_the_temporary_file() {
        for memory_limit in [0, 2000, 1 << 20] {
            let mut seen = Vec::new();
            let text = vec![b'x'; 500];
            {
                let sink = |reject: &Reject<'_>| {
                    assert_eq!(reject.text(), text);
                    let fault = reject.fault();
                    let place = fault.place();
                    assert_eq!((place.column(), place.offset()), (300, 1 << 40));
                    seen.push((place.line(), fault.reason().to_string(), reject.offset(), reject.salvaged().to_vec()));
                };
                let mut queue = RejectQueue::new(Box::new(sink), vec!["x".into()], u64::MAX);
                queue.memory_limit = memory_limit;
                // The blocks arrive from the last to the first, twice, so that the temporary file begins anew.
                for round in 0..2 {
                    for block in (0..10).rev() {
                        queue.push(Order { input: 0, block: round * 10 + block }, packed(&queue, &text));
                        queue.hand_out(|order| (order.block == round * 10).then_some(0));
                    }
                    queue.hand_out(|_| Some(10));
                    assert!(queue.failure().is_none());
                    let state = queue.state();
                    assert_eq!((state.memory, state.spilled, state.spill_end, state.held.len()), (0, 0, 0, 0));
                }
            }
            assert_eq!(seen.len(), 60);
            let first = [
                (Some(7), "expected something, found byte 0xff".to_owned(), 1 << 40, vec![]),
                (Some(3), "expected something, found `é`".to_owned(), (1 << 40) - 1, std::iter::once(1..3).collect()),
                (
                    Some(3),
                    "expected something, found the end of the record".to_owned(),
                    (1 << 40) - 2,
                    vec![1..3, 200..201],
                ),
            ];
            assert_eq!(seen[..3], first);
            assert_eq!(seen[4].0, Some(13));
        }
    }
}
