//! The source of a scan: opens its inputs in order and hands their blocks to workers.
//!
//! Workers pull, so nothing is read before somebody is there to work on it, and memory is one buffer a worker. A regular file
//! of lines, and lines in memory, are shared: workers claim ranges and read them side by side. Values in memory are cut one
//! block behind the other, and read side by side then. Everything else is a stream, read by one worker at a time; a worker
//! that finds a stream busy goes on to the next input, and waits only where there is none. No lock is held while records are
//! worked on.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::counted::BytesRead;
use super::encoding::Trailing;
use super::open::{Look, Memory, Open, OpenError, Opened, open};
use super::{Buffer, Input, InputKind, Notice, NoticeKind, Reading, file, memory};
use crate::block::{BlockPlace, Order, Padded};
use crate::error::Error;
use crate::fault::{Fault, FaultKind, Found, Reason, excerpt};
use crate::format::Format;
use crate::format::detect::BYTE_ORDER_MARK;

/// The inputs of a scan, and how far each has been handed out.
pub(crate) struct Source<'s> {
    slots: Vec<Slot<'s>>,
    settings: SourceSettings,
    /// The first input that is not done.
    first: AtomicUsize,
    notices: Mutex<Vec<(Order, Notice)>>,
    read: BytesRead,
}

/// What a source has to know of a scan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceSettings {
    pub(crate) format: Format,
    pub(crate) reading: Reading,
    pub(crate) block_size: usize,
    /// The most bytes that a record may have.
    pub(crate) max_record: u64,
    /// The most inputs that are open at a time.
    pub(crate) open: usize,
    /// Whether blocks come with the first key of the record before them: the limit on depth that the record obeys.
    pub(crate) salvage: Option<u32>,
    /// Whether the first fault ends the scan.
    pub(crate) ends_with_fault: bool,
    /// The most levels that arrays and objects may be nested.
    pub(crate) max_depth: u32,
}

struct Slot<'s> {
    name: Arc<str>,
    done: AtomicBool,
    /// How many blocks the input has had, once it is done.
    blocks: AtomicU64,
    state: Mutex<State<'s>>,
}

/// How far one input is.
struct State<'s> {
    /// The number of the next block.
    next: u64,
    input: Stage<'s>,
}

enum Stage<'s> {
    Closed(InputKind<'s>),
    Open(Opened<'s>, Format),
    Done,
}

/// A block that a worker has claimed. [`text`](Self::text) is its text.
pub(crate) struct Claim<'s> {
    pub(crate) place: BlockPlace,
    pub(crate) format: Format,
    /// Why the input could not be read on behind this block, in the place of the next one.
    pub(crate) failed: Option<Failure>,
    body: Body<'s>,
}

enum Body<'s> {
    /// The worker's buffer, from an offset on.
    Buffer(usize),
    /// The lines that begin in a range of bytes in memory.
    Memory { bytes: Memory<'s>, start: usize, end: usize },
    /// Bytes in memory.
    Values { bytes: Memory<'s>, range: Range<usize> },
}

/// An error, and the block in whose place it stands.
pub(crate) type Failure = Box<(Order, Error)>;

impl<'s> Source<'s> {
    pub(crate) fn new(inputs: Vec<Input<'s>>, settings: SourceSettings) -> Self {
        let slot = |input: Input<'s>| Slot {
            name: input.name,
            done: AtomicBool::new(false),
            blocks: AtomicU64::new(0),
            state: Mutex::new(State { next: 0, input: Stage::Closed(input.kind) }),
        };
        Self {
            slots: inputs.into_iter().map(slot).collect(),
            settings,
            first: AtomicUsize::new(0),
            notices: Mutex::default(),
            read: BytesRead::default(),
        }
    }

    /// The number of inputs.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Bytes of the inputs that were read or are being read, as they are stored.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.read.get()
    }

    /// The names of the inputs.
    pub(crate) fn names(&self) -> Vec<Arc<str>> {
        self.slots.iter().map(|slot| Arc::clone(&slot.name)).collect()
    }

    /// Claims and reads the next block, of those before `limit` if there is one. `None` when there is nothing left to claim.
    ///
    /// Blocks of one input are claimed in order, so that whoever waits for an earlier one waits for a worker that has it. The
    /// limit is asked for again after waiting for a stream, so that nobody reads on when the scan has ended meanwhile.
    ///
    /// # Errors
    /// The input could not be opened or read; a stream has no more blocks then.
    pub(crate) fn next(
        &self,
        buffer: &mut Buffer,
        limit: impl Fn() -> Option<Order>,
    ) -> Result<Option<Claim<'s>>, Failure> {
        loop {
            let limit = limit();
            let first = self.first.load(Ordering::SeqCst);
            let mut busy = None;
            for input in first..self.slots.len().min(first + self.settings.open) {
                let state = match self.slots[input].state.try_lock() {
                    _ if limit.is_some_and(|limit| input > limit.input) => break,
                    Ok(state) => state,
                    Err(TryLockError::Poisoned(state)) => {
                        // A reader has panicked, and nobody knows how far it came: nothing more is read of it.
                        let mut state = state.into_inner();
                        state.input = Stage::Done;
                        state
                    }
                    Err(TryLockError::WouldBlock) => {
                        busy.get_or_insert(input);
                        continue;
                    }
                };
                if let Some(claim) = self.claim(input, state, buffer, limit)? {
                    return Ok(Some(claim));
                }
            }
            match busy {
                // Every open input is being read by somebody: wait for the first.
                Some(input) => drop(self.slots[input].state.lock().unwrap_or_else(PoisonError::into_inner)),
                None if self.first.load(Ordering::SeqCst) == first => return Ok(None),
                None => {}
            }
        }
    }

    /// Claims the next block of one input and reads it; `None` if there is none.
    fn claim(
        &self,
        input: usize,
        mut state: MutexGuard<'_, State<'s>>,
        buffer: &mut Buffer,
        limit: Option<Order>,
    ) -> Result<Option<Claim<'s>>, Failure> {
        let order = Order { input, block: state.next };
        if limit.is_some_and(|limit| order >= limit) {
            return Ok(None);
        }
        state.next += 1;
        buffer.clear(self.settings.block_size);
        let fail = |order, action, offset: Option<u64>, source| {
            Box::new((order, Error::Read { input: Arc::clone(&self.slots[input].name), action, offset, source }))
        };
        if let Stage::Closed(_) = state.input {
            let Stage::Closed(kind) = std::mem::replace(&mut state.input, Stage::Done) else { return Ok(None) };
            match open(kind, &self.settings, &self.read) {
                Ok(Open { opened, look: Look { format, several_lines } }) => {
                    state.input = Stage::Open(opened, format);
                    if self.settings.format == Format::Auto {
                        self.notice(order, NoticeKind::Format(format));
                    }
                    if several_lines {
                        self.notice(order, NoticeKind::SeveralLines);
                    }
                }
                Err(OpenError::Io(error)) => {
                    self.finish(order);
                    return Err(fail(order, "open", None, error));
                }
                Err(OpenError::SeveralLines(text)) => {
                    self.finish(order);
                    return Err(Box::new((order, Error::Fault(self.several_lines(order, &text)))));
                }
            }
        }
        let Stage::Open(opened, format) = &mut state.input else { return Ok(None) };
        let format = *format;
        match opened {
            Opened::File { file, length, ranges } => {
                if let Some((start, end)) = ranges.get(order.block) {
                    let (file, length) = (Arc::clone(file), *length);
                    drop(state);
                    self.read.add(end - start);
                    let lines = file::read(&file, length, (start, end), self.settings.max_record, buffer);
                    let mut claim = self.block(order, format, lines.offset, 0, Body::Buffer(lines.skip));
                    let next = Order { block: order.block + 1, ..order };
                    claim.failed = lines.failed.map(|(offset, error)| fail(next, "read", Some(offset), error));
                    return Ok(Some(claim));
                }
            }
            Opened::Memory { bytes, ranges } => {
                if let Some((start, end)) = ranges.get(order.block) {
                    self.read.add(end - start);
                    let body = Body::Memory { bytes: bytes.clone(), start: start as usize, end: end as usize };
                    return Ok(Some(self.block(order, format, start, 0, body)));
                }
            }
            Opened::Values { bytes, slices } => {
                let SourceSettings { block_size, max_record, .. } = self.settings;
                match slices.next(bytes.as_slice(), block_size, max_record) {
                    Ok(Some((range, column))) => {
                        self.read.add(range.len() as u64);
                        let offset = range.start as u64;
                        let body = Body::Values { bytes: bytes.clone(), range };
                        return Ok(Some(self.block(order, format, offset, column, body)));
                    }
                    Ok(None) => {}
                    Err(error) => {
                        let offset = slices.at as u64;
                        state.input = Stage::Done;
                        self.finish(order);
                        return Err(fail(order, "read", Some(offset), error));
                    }
                }
            }
            Opened::Stream(stream, trailing) => match stream.read(self.settings.block_size, buffer) {
                Ok(true) => {
                    let (offset, column, key) = (stream.offset, stream.column, stream.key.clone());
                    stream.advance(buffer.text());
                    let mut claim = self.block(order, format, offset, column, Body::Buffer(0));
                    claim.place.first_key = key;
                    claim.place.elements = stream.elements;
                    return Ok(Some(claim));
                }
                Ok(false) => {
                    if let Some(kind) = trailing.as_ref().and_then(Trailing::notice) {
                        self.notice(order, kind);
                    }
                }
                Err(error) => {
                    let offset = stream.bytes_read(buffer);
                    state.input = Stage::Done;
                    self.finish(order);
                    return Err(fail(order, "read", Some(offset), error));
                }
            },
        }
        state.input = Stage::Done;
        self.finish(order);
        Ok(None)
    }

    /// Notes what is to be known of an input where a block is claimed.
    fn notice(&self, order: Order, kind: NoticeKind) {
        let notice = Notice::new(Arc::clone(&self.slots[order.input].name), kind);
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push((order, notice));
    }

    /// What there is to be known of the inputs, in their order, as far as the block with which the scan ended, if it did not
    /// go on to the end.
    pub(crate) fn take_notices(&self, last: Option<Order>) -> Vec<Notice> {
        let mut notices = std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner));
        notices.retain(|(order, _)| last.is_none_or(|last| *order <= last));
        notices.sort_by_key(|(order, _)| *order);
        notices.into_iter().map(|(_, notice)| notice).collect()
    }

    /// The fault of an input that is read as lines and whose first value goes on behind its first line, which is `text`.
    fn several_lines(&self, order: Order, text: &[u8]) -> Fault {
        let place = self.block(order, Format::Lines, 0, 0, Body::Buffer(0)).place;
        let expected = "the whole value on one line, but this input looks pretty-printed";
        let reason = Reason::new(FaultKind::SeveralLines, expected, Found::End);
        let at = text.len();
        let start = memchr::memrchr(b'\n', text).map_or(0, |newline| newline + 1);
        Fault::new(place.locate(text, 0, 0, at).after_lines(0), reason, excerpt(&text[start..], at - start))
    }

    fn block(&self, order: Order, format: Format, offset: u64, column: u64, body: Body<'s>) -> Claim<'s> {
        let input = Arc::clone(&self.slots[order.input].name);
        let (first_key, elements) = (None, None);
        let place = BlockPlace { input, order, offset, column, lines_before: None, mark: 0, first_key, elements };
        Claim { place, format, failed: None, body }
    }

    /// How many blocks an input has, if it is done.
    pub(crate) fn blocks_in(&self, input: usize) -> Option<u64> {
        let slot = self.slots.get(input)?;
        slot.done.load(Ordering::SeqCst).then(|| slot.blocks.load(Ordering::Relaxed))
    }

    /// Notes that an input is done after so many blocks, and goes on to the first that is not.
    ///
    /// Sequentially consistent: of two workers that finish two inputs at once, at least one must see both as done, or `first`
    /// would stay on an input that nobody finishes any more.
    fn finish(&self, Order { input, block }: Order) {
        self.slots[input].blocks.store(block, Ordering::Relaxed);
        self.slots[input].done.store(true, Ordering::SeqCst);
        let mut first = self.first.load(Ordering::SeqCst);
        while self.slots.get(first).is_some_and(|slot| slot.done.load(Ordering::SeqCst)) {
            first += 1;
        }
        self.first.fetch_max(first, Ordering::SeqCst);
    }
}

impl<'s> Claim<'s> {
    /// The text of the block, where it is or in `buffer`, without a byte order mark at the start of the input; the place is
    /// that of the text.
    pub(crate) fn text<'x>(&'x mut self, buffer: &'x mut Buffer) -> (Padded<'x>, &'x mut BlockPlace) {
        let text = match &self.body {
            Body::Buffer(start) => {
                let end = buffer.len();
                buffer.padded(*start, end)
            }
            Body::Memory { bytes, start, end } => {
                let (text, first) = memory::read(bytes.as_slice(), *start, *end, buffer);
                self.place.offset = first as u64;
                text
            }
            Body::Values { bytes, range } => memory::padded(bytes.as_slice(), range.clone(), buffer),
        };
        let marked = self.place.offset == 0 && text.starts_with(BYTE_ORDER_MARK);
        let mark = if marked { BYTE_ORDER_MARK.len() } else { 0 };
        self.place.mark = mark as u64;
        self.place.offset += mark as u64;
        self.place.column += mark as u64;
        (text.skip(mark), &mut self.place)
    }
}
