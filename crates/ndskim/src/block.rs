//! Blocks: about a MiB of whole records with their place, the unit of work of a scan.
//!
//! A block comes from `input`, cut by `format`, and goes to an engine, which drives its records. Its text is [`Padded`], so
//! that vector code may read a little past either end; nothing may rely on what stands there.

use std::cell::{Cell, RefCell};
use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::engine::{BadRecord, EngineState, Job, Next, Sink, Summary};
use crate::fault::{Fault, Place, excerpt};
use crate::format::elements::ElementState;
use crate::padded::{TEXT_PAD, Text};
use crate::record::Record;
use crate::run::Step;

/// Bytes that can be read before the text of a block.
pub(crate) const PAD_BEFORE: usize = 64;
/// Bytes that can be read after the text of a block.
pub(crate) const PAD_AFTER: usize = 256;

/// Text with readable bytes around it: at least [`PAD_BEFORE`] before and [`PAD_AFTER`] after.
///
/// What the padding holds is not promised: it may be newlines, or the neighbouring records.
///
/// The slice holds the text and both paddings, always.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Padded<'a>(&'a [u8]);

const _: () = assert!(PAD_AFTER >= TEXT_PAD, "a record at the end of a block needs its padding too");

impl<'a> Padded<'a> {
    /// The part of `whole` between `PAD_BEFORE` and `end`.
    ///
    /// The padding is checked here once, so that what reads it has nothing to prove about its length.
    pub(crate) fn within(whole: &'a [u8], start: usize, end: usize) -> Option<Self> {
        let padded = start >= PAD_BEFORE && start <= end && whole.len().checked_sub(PAD_AFTER)? >= end;
        padded.then(|| Self(&whole[start - PAD_BEFORE..end + PAD_AFTER]))
    }

    /// No text at all.
    pub(crate) fn empty() -> Self {
        Self(&[b'\n'; PAD_BEFORE + PAD_AFTER])
    }

    /// The text without its first `bytes`, which become padding.
    pub(crate) fn skip(self, bytes: usize) -> Self {
        Self(&self.0[bytes.min(self.text().len())..])
    }

    /// A part of the text as a text of its own; what is around it becomes its padding.
    ///
    /// # Panics
    /// If it is not within the text.
    pub(crate) fn within_text(self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.text().len());
        Self(&self.0[range.start..range.end + PAD_BEFORE + PAD_AFTER])
    }

    /// The text itself.
    pub(crate) fn text(self) -> &'a [u8] {
        &self.0[PAD_BEFORE..self.0.len() - PAD_AFTER]
    }

    /// The whole text, with the padding behind it.
    pub(crate) fn whole(self) -> Text<'a> {
        self.part(0..self.text().len())
    }

    /// A part of the text, with what stands behind it as its padding.
    ///
    /// # Panics
    /// If it is not within the text.
    #[inline]
    pub(crate) fn part(self, range: Range<usize>) -> Text<'a> {
        assert!(range.start <= range.end && range.end <= self.0.len() - (PAD_BEFORE + PAD_AFTER));
        let from = &self.0[PAD_BEFORE + range.start..];
        Text::new(from, range.len()).unwrap_or(Text::empty())
    }
}

impl Deref for Padded<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.text()
    }
}

/// Where a block stands in its input.
#[derive(Clone, Debug)]
pub(crate) struct BlockPlace {
    pub(crate) input: Arc<str>,
    /// Which input and which block of it: the order of results.
    pub(crate) order: Order,
    /// Bytes from the start of the (decompressed) input.
    pub(crate) offset: u64,
    /// Bytes from the start of the block's first line, which may have begun in an earlier block.
    pub(crate) column: u64,
    /// Lines before the block, where that is known already.
    pub(crate) lines_before: Option<u64>,
    /// Bytes of the input before the block that belong to no block: a byte order mark.
    pub(crate) mark: u64,
    /// The first key of the last good record before the block, where records are salvaged.
    pub(crate) first_key: Option<Arc<[u8]>>,
    /// Of formats with elements, what is known at the start of the block, and whether it is the last of its input.
    pub(crate) elements: Option<(ElementState, bool)>,
}

/// The order of blocks in the whole input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Order {
    pub(crate) input: usize,
    pub(crate) block: u64,
}

impl BlockPlace {
    /// The place of `at` in the text of the block; `line` newlines stand before `from`, which is at or before `at`.
    pub(crate) fn locate(&self, text: &[u8], from: usize, line: u64, at: usize) -> Place {
        let line = line + bytecount::count(&text[from..at], b'\n') as u64;
        let column = match memchr::memrchr(b'\n', &text[..at]) {
            Some(newline) => (at - newline) as u64,
            None => self.column + at as u64 + 1,
        };
        self.place(line, column, at)
    }

    /// The place of a line (newlines before it in the block), column (from 1) and offset in the block's text.
    pub(crate) fn place(&self, line: u64, column: u64, at: usize) -> Place {
        let place = Place {
            input: Arc::clone(&self.input),
            line: None,
            line_in_block: line,
            column,
            offset: self.offset + at as u64,
        };
        match self.lines_before {
            Some(lines) => place.after_lines(lines),
            None => place,
        }
    }

    /// A bad record of the block, as a fault; its line may not be known yet.
    pub(crate) fn fault(&self, text: &[u8], bad: &BadRecord) -> Fault {
        let at = bad.span.start + bad.refusal.offset;
        Fault {
            place: self.locate(text, bad.span.start, bad.line, at),
            reason: bad.refusal.reason,
            excerpt: excerpt(&text[bad.span.clone()], bad.refusal.offset),
        }
    }
}

/// Some whole records of one input, in order: what [`Scan::map_blocks`](crate::Scan::map_blocks) and
/// [`Blocks`](crate::Blocks) hand out.
///
/// A block is made of whole records, except that a record longer than the block size is a block of its own. Its bytes, with
/// those of its neighbours, are the input: nothing is left out between blocks. Only a byte order mark at an input's start is
/// in none.
///
/// ```
/// use ndskim::Scan;
/// let mut blocks = Scan::bytes(b"{}\n{}\n{}\n").blocks();
/// let block = blocks.next().unwrap().unwrap();
/// assert_eq!((block.input(), block.offset(), block.bytes()), ("<bytes>", 0, &b"{}\n{}\n{}\n"[..]));
/// ```
pub struct Block<'b> {
    text: Padded<'b>,
    place: &'b BlockPlace,
    job: &'b Job,
    engine: RefCell<&'b mut EngineState>,
    stats: Cell<BlockStats>,
}

/// What was in a block.
///
/// ```
/// use ndskim::Scan;
/// let mut blocks = Scan::bytes(b"{}\n\n]\n").blocks();
/// let stats = blocks.next().unwrap().unwrap().for_each(|_| (), |_| ());
/// assert_eq!((stats.records, stats.rejected, stats.blank), (1, 1, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockStats {
    /// Records read and not refused.
    pub records: u64,
    /// Of these, the records that the scan's filter let through to the closure; all of them without a filter.
    pub matched: u64,
    /// Records that were refused.
    pub rejected: u64,
    /// Lines of white space only.
    pub blank: u64,
}

impl<'b> Block<'b> {
    pub(crate) fn new(text: Padded<'b>, place: &'b BlockPlace, job: &'b Job, engine: &'b mut EngineState) -> Self {
        Self { text, place, job, engine: RefCell::new(engine), stats: Cell::default() }
    }

    /// The text of the block.
    pub fn bytes(&self) -> &[u8] {
        self.text.text()
    }

    /// The name of the block's input.
    pub fn input(&self) -> &str {
        &self.place.input
    }

    /// Bytes from the start of the (decompressed) input to the block.
    pub fn offset(&self) -> u64 {
        self.place.offset
    }

    /// Hands every record of the block to `record`, and every fault to `fault`, in order, until one of them breaks off.
    ///
    /// The line of a fault may not be known yet; [`Fault::after_lines`] adds it.
    ///
    /// ```
    /// use ndskim::Scan;
    /// let mut blocks = Scan::bytes(b"{\"n\":1}\n{\"n\":2}\n").blocks();
    /// let mut sum = 0;
    /// while let Some(block) = blocks.next().unwrap() {
    ///     let stats = block.for_each(
    ///         |record| sum += record.get("n").unwrap().unwrap().as_i64().unwrap().unwrap(),
    ///         |fault| eprintln!("{fault}"),
    ///     );
    ///     assert_eq!(stats.records, 2);
    /// }
    /// assert_eq!(sum, 3);
    /// ```
    pub fn for_each<S: Step, T: Step>(
        &self,
        record: impl FnMut(Record<'_>) -> S,
        fault: impl FnMut(Fault) -> T,
    ) -> BlockStats {
        let mut sink = BlockSink { block: self, record, fault, stats: BlockStats::default() };
        let summary = self.drive(&mut sink);
        let handed = sink.stats.records;
        let stats =
            BlockStats { records: handed + summary.unmatched, matched: handed, blank: summary.blank, ..sink.stats };
        self.stats.set(stats);
        stats
    }

    /// Runs the scan's engine over the block.
    pub(crate) fn drive(&self, sink: &mut dyn Sink) -> Summary {
        // A closure that got hold of its own block again would run the engine inside itself; it gets one of its own.
        match self.engine.try_borrow_mut() {
            Ok(mut engine) => engine.run(self.text, self.place, self.job, sink),
            Err(_) => EngineState::new(self.job).run(self.text, self.place, self.job, sink),
        }
    }

    /// Runs another engine over a record that stands within a bad one.
    pub(crate) fn drive_part(
        &self,
        engine: &mut EngineState,
        span: Range<usize>,
        bad: &BadRecord,
        sink: &mut dyn Sink,
    ) {
        let part = self.place.locate(&self.text, bad.span.start, bad.line, span.start);
        let mut place = self.place.clone();
        place.offset = part.offset;
        place.column = part.column - 1;
        place.mark = 0;
        engine.run(self.text.within_text(span), &place, self.job, &mut PartSink { sink, line: bad.line });
    }

    /// See [`crate::internals::index`].
    #[cfg(feature = "internals")]
    pub(crate) fn index_entries(&self, kernel: crate::kernel::Kernel) -> Option<usize> {
        let job = Job { kernel: Some(kernel), ..self.job.clone() };
        crate::engine::full::FullEngine::new(&job, job.usable_kernel()).index_entries(self.text)
    }

    /// What the last [`for_each`](Self::for_each) found.
    pub(crate) fn stats(&self) -> BlockStats {
        self.stats.get()
    }

    pub(crate) fn place(&self) -> &'b BlockPlace {
        self.place
    }

    /// A bad record of this block, as a fault.
    pub(crate) fn fault(&self, bad: &BadRecord) -> Fault {
        self.place.fault(&self.text, bad)
    }
}

/// The sink of a part of a block: adds the lines before it.
struct PartSink<'x> {
    sink: &'x mut dyn Sink,
    line: u64,
}

impl Sink for PartSink<'_> {
    fn record(&mut self, record: &Record<'_>) -> Next {
        let mut record = *record;
        record.span.line += self.line;
        self.sink.record(&record)
    }

    fn unseen(&mut self, records: u64) {
        self.sink.unseen(records);
    }

    fn fault(&mut self, mut bad: BadRecord) -> Next {
        bad.line += self.line;
        self.sink.fault(bad)
    }
}

struct BlockSink<'x, 'b, F, G> {
    block: &'x Block<'b>,
    record: F,
    fault: G,
    stats: BlockStats,
}

impl<S: Step, T: Step, F: FnMut(Record<'_>) -> S, G: FnMut(Fault) -> T> Sink for BlockSink<'_, '_, F, G> {
    fn unseen(&mut self, records: u64) {
        self.stats.records += records;
    }

    fn record(&mut self, record: &Record<'_>) -> Next {
        let flow = (self.record)(*record).into_flow();
        if let Some(bad) = record.take_malformed() {
            return self.fault(bad);
        }
        self.stats.records += 1;
        flow.into()
    }

    fn fault(&mut self, bad: BadRecord) -> Next {
        self.stats.rejected += 1;
        (self.fault)(self.block.fault(&bad)).into_flow().into()
    }
}
