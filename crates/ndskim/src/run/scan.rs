//! The builder of a scan, and what a scan gives back.

use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::policy::{FaultLimit, OnFault};
use super::rejects::{Reject, RejectSink};
use crate::engine::{Engine, Job, Validation};
use crate::error::Error;
use crate::fault::Fault;
use crate::filter::Filter;
use crate::format::Format;
use crate::input::source::{Source, SourceSettings};
use crate::input::{Input, Inputs, MAX_RECORD, Notice, Reading};
use crate::kernel::Kernel;
use crate::pointer::Projection;
use crate::record::Record;

/// How far a scan has come, as its progress callback hears after each block.
///
/// ```
/// use std::sync::Mutex;
/// use ndskim::Scan;
/// let heard = Mutex::new(Vec::new());
/// let scan = Scan::bytes(b"{}\n{}\n").threads(1).progress(|progress| heard.lock().unwrap().push(progress));
/// scan.for_each(|_| ()).unwrap();
/// let last = *heard.lock().unwrap().last().unwrap();
/// assert_eq!((last.bytes, last.read, last.records, last.rejected), (6, 6, 2, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of JSON worked through, after decompression.
    pub bytes: u64,
    /// Bytes of the inputs as they are stored that were read, or are being read: of a compressed file the position in it, to be
    /// held against its length.
    pub read: u64,
    /// Records read and not refused.
    pub records: u64,
    /// Records refused.
    pub rejected: u64,
}

/// A flag that ends a scan from outside, from any thread or a signal handler: within a block the scan returns
/// [`Error::Cancelled`].
///
/// ```
/// use ndskim::{Cancel, Error, Scan};
/// let cancel = Cancel::new();
/// cancel.cancel();
/// let ended = Scan::bytes(b"{}\n").cancel_with(&cancel).for_each(|_| ());
/// assert!(matches!(ended, Err(Error::Cancelled)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Figures of a scan.
///
/// ```
/// use ndskim::Scan;
/// let stats = Scan::bytes(b"{}\n\n{}\n").threads(2).for_each(|_| ()).unwrap().stats;
/// assert_eq!((stats.records, stats.blank, stats.rejected, stats.bytes, stats.threads), (2, 1, 0, 7, 2));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Records read and not refused, salvaged ones included.
    pub records: u64,
    /// Of these, the records that the [filter](Scan::filter) let through to the closure; all of them without a filter.
    pub matched: u64,
    /// Lines of spaces, tabs and carriage returns only, which are no records.
    pub blank: u64,
    /// Records refused. A line of which something was salvaged is one of them.
    pub rejected: u64,
    /// Bytes of the refused records.
    pub rejected_bytes: u64,
    /// Records that were salvaged out of refused ones.
    pub salvaged: u64,
    /// Bytes of the salvaged records. The rest of the bytes refused is lost.
    pub salvaged_bytes: u64,
    /// Bytes of input, after decompression.
    pub bytes: u64,
    /// Valid records that the engine left to the exact reader.
    pub exact: u64,
    /// Wall time from the first read to the last result, in seconds.
    pub seconds: f64,
    /// Threads that the scan could use.
    pub threads: usize,
    /// Whether a closure ended the scan before the end of the input; the figures then cover what was read.
    pub stopped: bool,
}

/// What a scan gives back.
///
/// ```
/// use ndskim::{OnFault, Scan};
/// let outcome = Scan::bytes(b"1\nx\n3\n").on_fault(OnFault::Skip).map(|record| record.offset()).unwrap();
/// assert_eq!((outcome.value, outcome.stats.records, outcome.faults.len()), (vec![0, 4], 2, 1));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome<T> {
    /// The result of the closures.
    pub value: T,
    /// Figures of the scan.
    pub stats: Stats,
    /// The first faults in input order, unless the policy is [`OnFault::Fail`]; at most [`Scan::keep_faults`] of them.
    pub faults: Vec<Fault>,
    /// What there is to know of the inputs, in their order: formats that were taken, bytes that were left out.
    pub notices: Vec<Notice>,
}

impl<T> Outcome<T> {
    /// The same with another result.
    pub(super) fn with<U>(self, value: U) -> Outcome<U> {
        let Outcome { stats, faults, notices, .. } = self;
        Outcome { value, stats, faults, notices }
    }
}

/// A scan of one or many inputs: what to read, how, and with how many threads. It runs when one of its ends is called
/// ([`map`](Self::map), [`for_each`](Self::for_each), [`fold`](Self::fold), [`count_by`](Self::count_by) and the like).
///
/// ```
/// use ndskim::{OnFault, Scan};
/// let outcome = Scan::bytes(b"{\"n\":1}\n{\"n\":\n{\"n\":3}\n")
///     .threads(2)
///     .on_fault(OnFault::Skip)
///     .map(|record| record.get("n").unwrap().unwrap().as_i64().unwrap())
///     .unwrap();
/// assert_eq!(outcome.value, [Some(1), Some(3)]);
/// assert_eq!((outcome.stats.records, outcome.stats.rejected), (2, 1));
/// ```
#[must_use = "a scan does nothing until one of its ends is called"]
pub struct Scan<'s> {
    pub(super) inputs: Vec<Input<'s>>,
    pub(super) job: Job,
    pub(super) settings: Settings,
    pub(super) progress: Option<Box<dyn Fn(Progress) + Send + Sync + 's>>,
    pub(super) rejects: Option<RejectSink<'s>>,
    pub(super) notices: Option<NoticeSink<'s>>,
}

/// What hears of the notices.
pub(super) type NoticeSink<'s> = Box<dyn FnMut(&Notice) + Send + 's>;

/// The settings of a scan that are not the engine's.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) threads: Option<usize>,
    pub(super) on_fault: OnFault,
    pub(super) keep_faults: usize,
    pub(super) max_faults: Option<FaultLimit>,
    pub(super) reading: Reading,
    pub(super) block_size: usize,
    pub(super) cancel: Cancel,
    pub(super) limit: Option<u64>,
}

/// Bytes of a block, if nothing else is asked for. See `docs/performance.md` for what was measured.
const BLOCK_SIZE: usize = 1 << 20;

/// The most bytes of a block that can be asked for.
const LARGEST_BLOCK: usize = 1 << 30;

impl<'s> Scan<'s> {
    /// A scan of one or many files or other inputs.
    pub fn new(inputs: impl Inputs<'s>) -> Self {
        Self {
            inputs: inputs.into_inputs(),
            job: Job {
                engine: Engine::Auto,
                validation: Validation::Full,
                format: Format::Lines,
                projection: Projection::default(),
                projected: 0,
                filter: None,
                gate: None,
                max_depth: 1024,
                kernel: None,
            },
            settings: Settings {
                threads: None,
                on_fault: OnFault::Fail,
                keep_faults: 10,
                max_faults: None,
                reading: Reading::auto(),
                block_size: BLOCK_SIZE,
                cancel: Cancel::new(),
                limit: None,
            },
            progress: None,
            rejects: None,
            notices: None,
        }
    }

    /// A scan of bytes in memory, which are read where they are.
    pub fn bytes(bytes: &'s [u8]) -> Self {
        Self::new(Input::bytes(bytes))
    }

    /// A scan of a reader; see [`Input::reader`].
    pub fn reader(reader: impl Read + Send + 's) -> Self {
        Self::new(Input::reader(reader))
    }

    /// The most threads that [`Scan::threads`] starts: far more than any machine has cores for, and few enough that every
    /// system can start them.
    pub const MOST_THREADS: usize = 1024;

    /// The number of threads that work, reading and decompression included; 0 for one a core. It is at most
    /// [`Scan::MOST_THREADS`], whatever is asked for. Without this, the scan runs on
    /// the current rayon pool; with it, on a pool of its own, or for 1 on the calling thread.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads.min(Self::MOST_THREADS));
        self
    }

    /// How much of each record is checked. [`Validation::Full`] if not said.
    pub fn validation(mut self, validation: Validation) -> Self {
        self.job.validation = validation;
        self
    }

    /// What happens to a record that is refused. [`OnFault::Fail`] if not said.
    pub fn on_fault(mut self, on_fault: OnFault) -> Self {
        self.settings.on_fault = on_fault;
        self
    }

    /// How many faults the [`Outcome`] keeps, the first in input order. 10 if not said.
    pub fn keep_faults(mut self, faults: usize) -> Self {
        self.settings.keep_faults = faults;
        self
    }

    /// How many bad records are too many: with more, the scan ends with [`Error::TooManyFaults`]. Without this, none are.
    ///
    /// This is for policies that go on behind a bad record; [`OnFault::Fail`] ends with the first.
    pub fn max_faults(mut self, limit: impl Into<FaultLimit>) -> Self {
        self.settings.max_faults = Some(limit.into());
        self
    }

    /// A callback that gets every refused record, with its text, in input order, from one thread at a time.
    ///
    /// It is called while the scan goes on, as soon as all records before are known. What waits for that takes at most some MiB
    /// of memory, and beyond it room in an unnamed temporary file; the scan never waits for the callback. With
    /// [`Scan::max_faults`] and a scan that ends early, it hears of one more record than are allowed. With [`OnFault::Fail`],
    /// and from [`blocks`](Self::blocks) and [`map_blocks`](Self::map_blocks), it hears nothing.
    ///
    /// ```
    /// use ndskim::{OnFault, Scan};
    /// let mut rejects = Vec::new();
    /// Scan::bytes(b"1\n2,\n3\n{\n")
    ///     .on_fault(OnFault::Skip)
    ///     .rejects(|reject| rejects.push((reject.offset(), reject.text().to_vec())))
    ///     .for_each(|_| ())
    ///     .unwrap();
    /// assert_eq!(rejects, [(2, b"2,".to_vec()), (7, b"{".to_vec())]);
    /// ```
    pub fn rejects(mut self, callback: impl FnMut(&Reject<'_>) + Send + 's) -> Self {
        self.rejects = Some(Box::new(callback));
        self
    }

    /// How files are read. [`Reading::auto`] if not said.
    pub fn reading(mut self, reading: Reading) -> Self {
        self.settings.reading = reading;
        self
    }

    /// What reads the records. [`Engine::Auto`] if not said.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.job.engine = engine;
        self
    }

    /// The fields to find in each record before the closure is called; see [`Record::fields`].
    ///
    /// With [`Validation::Visited`], fields that are strings, numbers or literals are checked before the closure is called, so
    /// that a record with a malformed one never reaches it; arrays and objects are checked as they are entered.
    pub fn project(mut self, projection: Projection) -> Self {
        self.job.projection = projection;
        self
    }

    /// Which records the scan is for; the others are read and counted, but no closure sees them. If there is a filter already,
    /// both must let a record through.
    ///
    /// With [`Validation::Visited`], a record is read only until the filter is decided; if it is refused then, what stands
    /// behind is not looked at. Fields that only the filter asks for are not among the record's
    /// [`fields`](Record::fields). A malformed value that the filter had to look at is a fault of the record.
    pub fn filter(mut self, filter: Filter) -> Self {
        self.job.filter = Some(match self.job.filter.take() {
            Some(before) => before.and(filter),
            None => filter,
        });
        self
    }

    /// How records stand in the input. [`Format::Lines`] if not said.
    pub fn format(mut self, format: Format) -> Self {
        self.job.format = format;
        self
    }

    /// About how many bytes a block has, from 1 to 1 GiB. A record may be longer. Each thread has a buffer of that size. 1
    /// MiB if not said.
    pub fn block_size(mut self, bytes: usize) -> Self {
        self.settings.block_size = bytes.clamp(1, LARGEST_BLOCK);
        self
    }

    /// The most levels that arrays and objects may be nested. 1,024 if not said.
    pub fn max_depth(mut self, levels: u32) -> Self {
        self.job.max_depth = levels;
        self
    }

    /// The instruction set that the engine uses. If not said, the environment variable `NDSKIM_KERNEL` (`avx512`, `avx2` or
    /// `portable`), and without it the best that the machine has. Answers are the same with any.
    pub fn kernel(mut self, kernel: Kernel) -> Self {
        self.job.kernel = Some(kernel);
        self
    }

    /// With the kernel that will be used.
    ///
    /// # Errors
    /// [`Error::Kernel`], if the machine does not have the one asked for.
    pub(super) fn with_kernel(mut self) -> Result<Self, Error> {
        self.job.kernel = Some(Kernel::choose(self.job.kernel)?);
        Ok(self)
    }

    /// Only the first records in input order, for any number of threads; what is behind them is not looked at, and the figures
    /// of the [`Outcome`] end with the last of them. With a [`filter`](Self::filter), those that it lets through. Such a scan
    /// works on one block after the other, on one thread.
    ///
    /// [`blocks`](Self::blocks) and [`map_blocks`](Self::map_blocks), which know of no records, go on to the end.
    ///
    /// ```
    /// use ndskim::Scan;
    /// let outcome = Scan::bytes(b"1\n2\n3 and what is no JSON\n").limit(2).map(|record| record.value().as_i64().unwrap()).unwrap();
    /// assert_eq!(outcome.value, [Some(1), Some(2)]);
    /// ```
    pub fn limit(mut self, records: u64) -> Self {
        self.settings.limit = Some(records);
        self
    }

    /// A callback that hears how far the scan has come, after each block, from whichever thread was there; of two threads that
    /// call at once, the one that is behind may come second. [`Scan::blocks`] does not call it.
    pub fn progress(mut self, callback: impl Fn(Progress) + Send + Sync + 's) -> Self {
        self.progress = Some(Box::new(callback));
        self
    }

    /// A callback that hears what there is to know of the inputs, in their order, at the end of the scan: also of one that ends
    /// in an error, and then no further than the error. The [`Outcome`] has the same notices. [`Scan::blocks`] does not call
    /// it.
    ///
    /// ```
    /// use ndskim::{Format, Scan};
    /// let mut heard = Vec::new();
    /// let scan = Scan::bytes(b"[{\"a\":1},\n{\"a\":}]").format(Format::Auto).notices(|notice| heard.push(notice.to_string()));
    /// assert!(scan.for_each(|_| ()).is_err());
    /// assert_eq!(heard, ["<bytes>: read as array"]);
    /// ```
    pub fn notices(mut self, callback: impl FnMut(&Notice) + Send + 's) -> Self {
        self.notices = Some(Box::new(callback));
        self
    }

    /// A flag that ends the scan from outside.
    pub fn cancel_with(mut self, cancel: &Cancel) -> Self {
        self.settings.cancel = cancel.clone();
        self
    }

    /// Whether what the scan is asked for can be done together.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.settings.on_fault != OnFault::Salvage {
            return Ok(());
        }
        if self.job.validation != Validation::Full {
            return Err(Error::Unsupported("records can only be salvaged where all are validated in full"));
        }
        if self.job.format != Format::Lines {
            return Err(Error::Unsupported("records can only be salvaged from lines"));
        }
        Ok(())
    }

    /// The source of the scan's blocks, for so many workers.
    pub(super) fn source(inputs: Vec<Input<'s>>, job: &Job, settings: &Settings, workers: usize) -> Source<'s> {
        Source::new(
            inputs,
            SourceSettings {
                format: job.format,
                reading: settings.reading,
                block_size: settings.block_size,
                max_record: MAX_RECORD,
                open: workers.max(1),
                max_depth: job.max_depth,
                ends_with_fault: settings.on_fault == OnFault::Fail,
                salvage: (settings.on_fault == OnFault::Salvage).then_some(job.max_depth),
            },
        )
    }
}

impl fmt::Debug for Scan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan").field("inputs", &self.inputs).field("job", &self.job).finish_non_exhaustive()
    }
}

/// Every record of one or many inputs through a closure, on all cores; the results in input order.
///
/// This is [`Scan::new`] and [`Scan::map`] with nothing else said.
///
/// # Errors
/// [`Error::Fault`] for the first record that is not valid JSON, [`Error::Read`] for an input that cannot be read.
///
/// ```
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("events.json");
/// # std::fs::write(&path, "{\"type\":\"PushEvent\"}\n{\"type\":\"WatchEvent\"}\n").unwrap();
/// let types = ndskim::map_many(&path, |record| {
///     record.get("type").ok().flatten().and_then(|value| value.as_str().ok().flatten().map(|text| text.into_owned()))
/// })?;
/// assert_eq!(types, [Some("PushEvent".to_owned()), Some("WatchEvent".to_owned())]);
/// # Ok::<(), ndskim::Error>(())
/// ```
pub fn map_many<'s, F, R>(inputs: impl Inputs<'s>, closure: F) -> Result<Vec<R>, Error>
where
    F: Fn(Record<'_>) -> R + Sync,
    R: Send,
{
    Ok(Scan::new(inputs).map(closure)?.value)
}
