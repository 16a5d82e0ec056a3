//! Workers: each pulls blocks, runs the engine over them into a consumer, and enters the end of each block into the ledger.
//!
//! Workers are tasks of a rayon pool. None of them waits for another with a record in hand, so a closure may itself use the
//! pool, or run a scan of its own: a task that rayon lets begin inside a closure has its own scratch and ends by itself.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::ledger::{BlockEnd, Ledger, Stop};
use super::policy::{FaultLimit, OnFault};
use super::rejects::RejectQueue;
use super::salvager::Salvager;
use super::scan::{NoticeSink, Outcome, Progress, Scan, Settings, Stats};
use super::{Consumer, Taken};
use crate::block::{Block, Order};
use crate::engine::{BadRecord, EngineState, Job, Next, Sink};
use crate::error::Error;
use crate::input::Buffer;
use crate::input::source::Source;
use crate::record::Record;

/// What all workers of a scan share.
pub(super) struct Shared<'s> {
    pub(super) job: Job,
    pub(super) settings: Settings,
    pub(super) source: Source<'s>,
    progress: Option<Box<dyn Fn(Progress) + Send + Sync + 's>>,
    ledger: Mutex<Ledger>,
    rejects: Option<RejectQueue<'s>>,
    /// Touched at the end only.
    notices: Mutex<Option<NoticeSink<'s>>>,
    /// Whether the ledger has a limit; spares a look at it.
    limited: AtomicBool,
    /// Whether a closure has panicked, so that nobody needs to go on.
    panicked: AtomicBool,
}

/// Runs a scan into a consumer: on the calling thread, if there is to be no other.
///
/// # Errors
/// The first reason in input order why there is no result.
pub(super) fn run<C: Consumer>(scan: Scan<'_>, consumer: &C) -> Result<Outcome<()>, Error> {
    let started = Instant::now();
    let threads = scan.settings.threads;
    let scan = scan.with_kernel()?;
    scan.check()?;
    // Which records are the first is only known to whoever has seen all those before.
    if threads == Some(1) || scan.settings.limit.is_some() {
        let shared = Shared::new(scan, 1);
        shared.work(consumer);
        return shared.finish(started, 1);
    }
    in_pool(threads, |workers| {
        let shared = Shared::new(scan, workers);
        rayon::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(|_| shared.work(consumer));
            }
            shared.work(consumer);
        });
        shared.finish(started, workers)
    })?
}

/// Runs `op` in the current rayon pool, or in one of so many threads, and tells it how many there are.
pub(super) fn in_pool<R: Send>(threads: Option<usize>, op: impl FnOnce(usize) -> R + Send) -> Result<R, Error> {
    match threads {
        None => Ok(op(rayon::current_num_threads())),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(|number| format!("ndskim-{number}"))
                .build()
                .map_err(|error| Error::Threads(error.to_string()))?;
            let workers = pool.current_num_threads();
            Ok(pool.install(|| op(workers)))
        }
    }
}

impl<'s> Shared<'s> {
    pub(super) fn new(scan: Scan<'s>, workers: usize) -> Self {
        let Scan { inputs, job, settings, progress, rejects, notices } = scan;
        let job = job.ready();
        let source = Scan::source(inputs, &job, &settings, workers);
        let ledger = Mutex::new(Ledger::new(source.len(), settings.keep_faults, settings.max_faults));
        let most = match settings.max_faults {
            Some(FaultLimit::Count(most)) => most.saturating_add(1),
            _ => u64::MAX,
        };
        let rejects = rejects.map(|callback| RejectQueue::new(callback, source.names(), most));
        let (limited, panicked) = (AtomicBool::new(false), AtomicBool::new(false));
        let notices = Mutex::new(notices);
        Self { job, settings, source, progress, ledger, rejects, notices, limited, panicked }
    }

    /// Works on blocks until there are none left.
    fn work<C: Consumer>(&self, consumer: &C) {
        let mut local = consumer.start();
        let mut salvager = Salvager::new(&self.job);
        let mut left = self.settings.limit;
        if left == Some(0) {
            self.stop(Order::default(), Stop::Break);
        }
        let drive = |block: &Block<'_>| {
            salvager.start_block(block.place());
            let mut sink = ConsumerSink {
                shared: self,
                block,
                consumer,
                local: &mut local,
                salvager: &mut salvager,
                end: BlockEnd { bytes: block.bytes().len() as u64, ..BlockEnd::default() },
                left: left.as_mut(),
            };
            let summary = block.drive(&mut sink);
            let mut end = sink.end;
            end.lines = summary.lines;
            end.blank = summary.blank;
            end.exact = summary.exact;
            end.matched = end.records;
            end.records += summary.unmatched;
            consumer.end_block(&mut local, block.place().order);
            end
        };
        self.each_block(|| true, drive);
        consumer.finish(local);
    }

    /// Hands blocks to `work`, as long as `may_claim` allows and there are any; what it says of each goes into the ledger.
    /// Tells whether a claim that was allowed came to nothing.
    pub(super) fn each_block(
        &self,
        may_claim: impl Fn() -> bool,
        mut work: impl FnMut(&Block<'_>) -> BlockEnd,
    ) -> bool {
        let _on_panic = PanicGuard(&self.panicked);
        let mut buffer = Buffer::default();
        let mut engine = EngineState::new(&self.job);
        // The job with another format, where each input has its own.
        let mut own: Option<Job> = None;
        while may_claim() {
            let mut claim = match self.source.next(&mut buffer, || self.limit()) {
                Ok(Some(claim)) => claim,
                Ok(None) => return true,
                Err(failure) => {
                    let (order, error) = *failure;
                    self.stop(order, Stop::Error(error));
                    // Blocks before this one may be left.
                    continue;
                }
            };
            if let Some(failure) = claim.failed.take() {
                let (order, error) = *failure;
                self.stop(order, Stop::Error(error));
            }
            let format = claim.format;
            let (text, place) = claim.text(&mut buffer);
            place.lines_before = self.ledger().lines_before(place.order);
            let job = match &mut own {
                _ if format == self.job.format => &self.job,
                Some(job) => {
                    job.format = format;
                    &*job
                }
                None => own.insert(Job { format, ..self.job.clone() }),
            };
            let block = Block::new(text, place, job, &mut engine);
            let mut end = work(&block);
            end.bytes += place.mark;
            self.end(place.order, end);
        }
        false
    }

    /// The block from which on nothing is wanted any more: none at all after a panic or a cancellation.
    pub(super) fn limit(&self) -> Option<Order> {
        if self.panicked.load(Ordering::Relaxed) || self.settings.cancel.is_cancelled() {
            return Some(Order::default());
        }
        if self.limited.load(Ordering::Acquire) { self.ledger().limit() } else { None }
    }

    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        // The ledger is never left half written: no closure runs under its lock.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stop(&self, order: Order, stop: Stop) {
        self.ledger().stop(order, stop);
        self.limited.store(true, Ordering::Release);
    }

    fn end(&self, order: Order, mut end: BlockEnd) {
        let rejects = std::mem::take(&mut end.rejects);
        if let Some(queue) = &self.rejects
            && !rejects.is_empty()
        {
            queue.push(order, rejects);
        }
        let (progress, limited) = {
            let mut ledger = self.ledger();
            ledger.end(order, end);
            (ledger.progress(self.source.bytes_read()), ledger.limit().is_some())
        };
        if limited {
            self.limited.store(true, Ordering::Release);
        }
        self.hand_out_rejects();
        if let Some(callback) = &self.progress {
            callback(progress);
        }
    }

    /// Hands out the rejects before which nothing is missing any more.
    fn hand_out_rejects(&self) {
        let Some(queue) = &self.rejects else { return };
        queue.hand_out(|order| {
            let ledger = self.ledger();
            let complete = |input| self.source.blocks_in(input).is_some_and(|blocks| ledger.has_ended(input, blocks));
            ledger.lines_before_ended(order).filter(|_| (0..order.input).all(complete))
        });
    }

    /// The end of the scan.
    pub(super) fn finish(self, started: Instant, threads: usize) -> Result<Outcome<()>, Error> {
        if self.settings.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        self.hand_out_rejects();
        if let Some(error) = self.rejects.as_ref().and_then(RejectQueue::failure) {
            return Err(Error::Rejects(error));
        }
        let ledger = self.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        let notices = self.source.take_notices(ledger.limit());
        if let Some(mut callback) = self.notices.into_inner().unwrap_or_else(PoisonError::into_inner) {
            notices.iter().for_each(&mut *callback);
        }
        let (stats, faults) = ledger.finish()?;
        let stats = Stats { seconds: started.elapsed().as_secs_f64(), threads, ..stats };
        Ok(Outcome { value: (), stats, faults, notices })
    }
}

/// Sets a flag when its scope is left by a panic.
struct PanicGuard<'a>(&'a AtomicBool);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The sink of one block: applies the policy on faults and hands the records to the consumer.
struct ConsumerSink<'x, 's, 'b, C: Consumer> {
    shared: &'x Shared<'s>,
    block: &'x Block<'b>,
    consumer: &'x C,
    local: &'x mut C::Local,
    salvager: &'x mut Salvager,
    end: BlockEnd,
    /// How many records may still be taken, if there is a limit.
    left: Option<&'x mut u64>,
}

impl<C: Consumer> ConsumerSink<'_, '_, '_, C> {
    fn stop(&mut self, stop: Stop) -> Next {
        self.end.stop = Some(stop);
        Next::Stop
    }

    /// Counts a record against the limit; true if no more may be taken.
    fn was_last(&mut self) -> bool {
        let Some(left) = self.left.as_deref_mut() else { return false };
        *left -= 1;
        *left == 0
    }

    fn refuse(&mut self, bad: &BadRecord, policy: OnFault) -> Next {
        match policy {
            OnFault::Fail => self.stop(Stop::Fault(Box::new(self.block.fault(bad)))),
            OnFault::Skip => {
                self.reject(bad, &[]);
                Next::Continue
            }
            OnFault::Salvage => self.salvage(bad),
        }
    }

    /// Counts a bad record, keeps its fault and its text as far as somebody wants them.
    fn reject(&mut self, bad: &BadRecord, salvaged: &[Range<usize>]) {
        self.end.rejected += 1;
        self.end.rejected_bytes += bad.span.len() as u64;
        let keep = self.end.skipped.len() < self.shared.settings.keep_faults.max(1);
        if !keep && self.shared.rejects.is_none() {
            return;
        }
        let fault = self.block.fault(bad);
        if let Some(queue) = &self.shared.rejects {
            let offset = self.block.offset() + bad.span.start as u64;
            self.end.rejects.push(queue, &fault, offset, &self.block.bytes()[bad.span.clone()], salvaged);
        }
        if keep {
            self.end.skipped.push(fault);
        }
    }

    /// Hands on what can be kept of a bad line.
    fn salvage(&mut self, bad: &BadRecord) -> Next {
        let kept = self.salvager.find(self.block, bad);
        self.reject(bad, &kept);
        let from = bad.span.start;
        let mut engine = self.salvager.take_engine();
        let mut next = Next::Continue;
        for span in kept {
            self.end.salvaged += 1;
            self.end.salvaged_bytes += span.len() as u64;
            self.block.drive_part(&mut engine, from + span.start..from + span.end, bad, &mut *self);
            if self.end.stop.is_some() {
                next = Next::Stop;
                break;
            }
        }
        self.salvager.give_back(engine);
        next
    }
}

impl<C: Consumer> Sink for ConsumerSink<'_, '_, '_, C> {
    fn looks(&self) -> bool {
        C::LOOKS
    }

    fn unseen(&mut self, records: u64) {
        self.end.records += records;
    }

    fn record(&mut self, record: &Record<'_>) -> Next {
        let taken = self.consumer.record(self.local, record);
        if let Some(bad) = record.take_malformed() {
            // What the closure said of a malformed record counts for nothing.
            let policy =
                if self.consumer.retract(self.local, &taken) { self.shared.settings.on_fault } else { OnFault::Fail };
            return self.refuse(&bad, policy);
        }
        self.end.records += 1;
        match taken {
            Taken::Continue if self.was_last() => {
                self.end.bytes = (record.offset() + record.text().len() as u64).saturating_sub(self.block.offset());
                self.stop(Stop::Break)
            }
            Taken::Continue => Next::Continue,
            Taken::Break => self.stop(Stop::Break),
            Taken::Failed(error) => self.stop(Stop::Closure(record.place(), error)),
        }
    }

    fn fault(&mut self, bad: BadRecord) -> Next {
        self.refuse(&bad, self.shared.settings.on_fault)
    }
}

impl super::Taken {
    /// A closure's step as what a consumer says.
    pub(super) fn from_flow(flow: ControlFlow<()>) -> Self {
        match flow {
            ControlFlow::Continue(()) => Taken::Continue,
            ControlFlow::Break(()) => Taken::Break,
        }
    }
}
