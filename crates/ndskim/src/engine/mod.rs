//! Engines: from the text of a block to records.
//!
//! An engine is handed a whole block with its format and drives its records itself: it may find their boundaries on its own,
//! many at a time, and calls the [`Sink`] for each record, good or bad, in order. It never decides what happens to a bad
//! record, never sees an input or a thread, and keeps its scratch from block to block. A new engine is a new file here and a
//! line in [`EngineState`]; nothing in `run`, `input` or the commands knows which one works.

mod exact;
mod found;
pub(crate) mod full;
pub(crate) mod simd_json;
mod visited;

use std::ops::{ControlFlow, Range};

use crate::block::{BlockPlace, Padded};
use crate::fault::{FaultKind, Found, Reason, Refusal};
use crate::filter::{Filter, Gate};
use crate::format::Format;
use crate::kernel::Kernel;
use crate::padded::Text;
use crate::pointer::Projection;
use crate::record::Record;
use crate::value::Value;

/// How much of each record is checked. Either way only what is asked for is ever decoded.
///
/// ```
/// use ndskim::{Scan, Validation};
/// let scan = || Scan::bytes(b"{\"type\":\"PushEvent\",\"rest\":oops}\n");
/// let kind = |record: ndskim::Record<'_>| record.get("type").unwrap().is_some();
/// assert!(scan().map(kind).is_err());
/// assert_eq!(scan().validation(Validation::Visited).map(kind).unwrap().value, [true]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Validation {
    /// Every byte obeys RFC 8259 and is UTF-8 before a closure sees the record.
    #[default]
    Full,
    /// Only what was visited on the way to what was asked for is checked. Whatever `Full` accepts gets the same answers;
    /// records that `Full` rejects may be counted.
    Visited,
}

/// What reads the records.
///
/// ```
/// use ndskim::{Engine, Scan};
/// let records = |engine| Scan::bytes(b"{}\n[1]\n").engine(engine).for_each(|_| ()).unwrap().stats.records;
/// assert_eq!([Engine::Auto, Engine::Exact, Engine::SimdJson].map(records), [2, 2, 2]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// The fastest way to read for the validation mode and the machine.
    #[default]
    Auto,
    /// The exact reader for each record: byte by byte, slow, with no cleverness to be wrong in. Records that are not validated
    /// are read as with `Auto`.
    Exact,
    /// simd-json's tape, a record at a time: an independent second opinion, and a baseline. It always validates in full; a
    /// valid record that simd-json refuses (a lone surrogate escape, an overflowing number) is read by the exact reader.
    SimdJson,
}

/// What a scan asks of its engine: the same for all blocks and threads.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) engine: Engine,
    pub(crate) validation: Validation,
    pub(crate) format: Format,
    /// The fields that the caller asked for; once the job is ready, also those that only its filter needs.
    pub(crate) projection: Projection,
    /// How many fields the caller asked for.
    pub(crate) projected: usize,
    pub(crate) filter: Option<Filter>,
    /// The filter over the projection's slots.
    pub(crate) gate: Option<Gate>,
    pub(crate) max_depth: u32,
    /// The kernel that was asked for; if none was, the environment or the machine decides.
    pub(crate) kernel: Option<Kernel>,
}

impl Job {
    /// Makes a job ready to be run: what only the filter needs joins the projection.
    pub(crate) fn ready(mut self) -> Self {
        self.projected = self.projection.len();
        self.gate = self.filter.take().map(|filter| Gate::new(&filter, &mut self.projection));
        self
    }

    /// The kernel asked for, if this machine has it; else the fastest that it has.
    pub(crate) fn usable_kernel(&self) -> Kernel {
        self.kernel.filter(|kernel| kernel.is_available()).unwrap_or_else(Kernel::detect)
    }
}

/// Whether an engine should go on to the next record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Continue,
    Stop,
}

impl From<ControlFlow<()>> for Next {
    fn from(flow: ControlFlow<()>) -> Self {
        if flow.is_continue() { Next::Continue } else { Next::Stop }
    }
}

/// Where an engine's records go.
pub(crate) trait Sink {
    /// Whether anybody looks at the records. If not, an engine may count them instead of handing them over.
    fn looks(&self) -> bool {
        true
    }

    /// Valid records that were counted, not handed over.
    fn unseen(&mut self, records: u64);

    /// A record that is valid, in visited mode as far as it was read.
    fn record(&mut self, record: &Record<'_>) -> Next;

    /// A record that was refused.
    fn fault(&mut self, bad: BadRecord) -> Next;
}

/// A record that was refused, in terms of the text of its block.
#[derive(Clone, Debug)]
pub(crate) struct BadRecord {
    pub(crate) span: Range<usize>,
    /// Newlines in the block before the record.
    pub(crate) line: u64,
    /// Its offset is relative to the start of the record.
    pub(crate) refusal: Refusal,
}

/// What an engine says of a block beside its records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// Newlines in the block.
    pub(crate) lines: u64,
    /// Lines of white space only.
    pub(crate) blank: u64,
    /// Valid records that the engine had to leave to the exact reader.
    pub(crate) exact: u64,
    /// Valid records that the filter did not let through, in visited mode as far as they were read.
    pub(crate) unmatched: u64,
    /// Whether the sink stopped the engine before the end; the other figures then cover a part of the block.
    pub(crate) stopped: bool,
}

/// An engine with its scratch: one for each worker, reused from block to block.
pub(crate) enum EngineState {
    Exact(exact::ExactEngine),
    Full(Box<full::FullEngine>),
    SimdJson(Box<simd_json::SimdJsonEngine>),
    Visited(visited::VisitedEngine),
}

impl EngineState {
    pub(crate) fn new(job: &Job) -> Self {
        match (job.engine, job.validation) {
            (Engine::Auto, Validation::Full) => Self::Full(Box::new(full::FullEngine::new(job, job.usable_kernel()))),
            (Engine::Auto | Engine::Exact, Validation::Visited) => Self::Visited(visited::VisitedEngine::default()),
            (Engine::Exact, Validation::Full) => Self::Exact(exact::ExactEngine::default()),
            (Engine::SimdJson, _) => Self::SimdJson(Box::default()),
        }
    }

    /// Drives the records of a block into `sink`, in order, until it says stop.
    ///
    /// The sink is behind a pointer so that the engines are compiled once, not once for each closure.
    pub(crate) fn run(&mut self, text: Padded<'_>, place: &BlockPlace, job: &Job, sink: &mut dyn Sink) -> Summary {
        let gate = if matches!(self, Self::Visited(_)) { None } else { job.gate.as_ref() };
        let mut filtered = Filtered { gate, projected: job.projected, unmatched: 0, sink };
        let summary = self.drive(text, place, job, &mut filtered);
        Summary { unmatched: summary.unmatched + filtered.unmatched, ..summary }
    }

    fn drive(&mut self, text: Padded<'_>, place: &BlockPlace, job: &Job, sink: &mut impl Sink) -> Summary {
        match self {
            Self::Exact(engine) => engine.run(text, place, job, sink),
            Self::Full(engine) => engine.run(text, place, job, sink),
            Self::SimdJson(engine) => engine.run(text, place, job, sink),
            Self::Visited(engine) => engine.run(text, place, job, sink),
        }
    }
}

/// The sink behind the filter: what the filter lets through, with the fields that the caller asked for.
struct Filtered<'x> {
    /// The filter, unless the engine has applied it.
    gate: Option<&'x Gate>,
    projected: usize,
    unmatched: u64,
    sink: &'x mut dyn Sink,
}

impl Sink for Filtered<'_> {
    fn looks(&self) -> bool {
        self.sink.looks()
    }

    fn unseen(&mut self, records: u64) {
        self.sink.unseen(records);
    }

    #[inline]
    fn record(&mut self, record: &Record<'_>) -> Next {
        if let Some(gate) = self.gate {
            match gate.admits(record.fields) {
                Ok(true) => {}
                Ok(false) => {
                    self.unmatched += 1;
                    return Next::Continue;
                }
                Err(_) => {
                    let bad = record.take_malformed().unwrap_or_else(|| record.unexplained());
                    return self.sink.fault(bad);
                }
            }
        }
        if record.fields.len() == self.projected {
            return self.sink.record(record);
        }
        self.sink.record(&Record { fields: &record.fields[..self.projected], ..*record })
    }

    fn fault(&mut self, bad: BadRecord) -> Next {
        self.sink.fault(bad)
    }
}

/// The values of a projection's fields, in an allocation that outlives the records they belong to.
#[derive(Default)]
struct FieldBuffer(Vec<Option<Value<'static>>>);

impl FieldBuffer {
    /// Lends the allocation for values of any lifetime; [`keep`](Self::keep) takes it back.
    fn lend<'a>(&mut self) -> Vec<Option<Value<'a>>> {
        recycle(std::mem::take(&mut self.0))
    }

    fn keep(&mut self, fields: Vec<Option<Value<'_>>>) {
        self.0 = recycle(fields);
    }
}

/// Empties a vector and changes the lifetime of what it can hold. The standard library collects in place here, so that the
/// allocation goes on; were it to stop doing so, only speed would suffer.
fn recycle<'b>(mut fields: Vec<Option<Value<'_>>>) -> Vec<Option<Value<'b>>> {
    fields.clear();
    fields.into_iter().map(|_| None).collect()
}

/// The offset of a record's value, behind white space, if a value can begin there.
fn value_start(record: Text<'_>) -> Option<usize> {
    let start = match record.first() {
        Some(b'!'..) => 0,
        _ => crate::exact::skip_white_space(record.bytes(), 0),
    };
    crate::skim::begins_value(record.get(start)).then_some(start)
}

/// Why the exact reader refuses a record that a faster reader stumbled over.
#[cold]
fn explain(record: &[u8], max_depth: u32) -> Refusal {
    crate::exact::validate_record(record, max_depth).err().unwrap_or_else(unexplained)
}

/// For a record that one reader refuses and the exact reader accepts. The tests say that there is none; if there is, it is
/// still reported as a fault, never counted.
#[cold]
pub(crate) fn unexplained() -> Refusal {
    debug_assert!(false, "a record was refused that the exact reader accepts");
    Refusal { offset: 0, reason: Reason::new(FaultKind::Syntax, "a record that all readers accept", Found::End) }
}
