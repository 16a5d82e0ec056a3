//! Blocks as they are: the primitive beneath the ends of a scan.
//!
//! [`Blocks`] is an ordered stream that one thread pulls; [`Scan::map_blocks`] works on blocks on all threads and hands the
//! results on in input order. Both hold back the reading while nobody takes what was read: the first because it is pulled, the
//! second because a worker that is too far ahead of the last result handed on ends, and is started anew when that has moved.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::Step;
use super::ledger::{BlockEnd, Stop};
use super::scan::{Outcome, Scan, Settings};
use super::worker::{Shared, in_pool};
use crate::block::{Block, Order};
use crate::engine::{EngineState, Job};
use crate::error::Error;
use crate::input::Buffer;
use crate::input::source::{Claim, Source};
use crate::kernel::Kernel;

/// The blocks of a scan, in input order, pulled by one thread; see [`Scan::blocks`].
pub struct Blocks<'s> {
    source: Source<'s>,
    job: Job,
    settings: Settings,
    buffer: Buffer,
    engine: EngineState,
    claim: Option<Claim<'s>>,
    /// Why there are no more blocks; said at the next call.
    failed: Option<Error>,
    ended: bool,
    /// The input of the last block, and the lines in it so far.
    lines: (usize, u64),
}

impl Blocks<'_> {
    /// Reads the next block; `None` at the end, and after an error. The block lends the stream's buffer, so it must be done
    /// with before the next.
    ///
    /// # Errors
    /// [`Error::Read`] for an input that cannot be opened or read, [`Error::Kernel`], [`Error::Cancelled`]; with
    /// [`OnFault::Fail`](crate::OnFault), [`Error::Fault`] for a pretty-printed document that is to be read as lines.
    #[expect(
        clippy::should_implement_trait,
        reason = "a block borrows from the stream, which an iterator's items cannot"
    )]
    pub fn next(&mut self) -> Result<Option<Block<'_>>, Error> {
        if self.settings.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if std::mem::replace(&mut self.ended, true) {
            return Ok(None);
        }
        let Some(claim) = self.source.next(&mut self.buffer, || None).map_err(|failure| failure.1)? else {
            return Ok(None);
        };
        let claim = self.claim.insert(claim);
        self.failed = claim.failed.take().map(|failure| failure.1);
        self.ended = self.failed.is_some();
        self.job.format = claim.format;
        let (text, place) = claim.text(&mut self.buffer);
        if self.lines.0 != place.order.input {
            self.lines = (place.order.input, 0);
        }
        place.lines_before = Some(self.lines.1);
        self.lines.1 += bytecount::count(&text, b'\n') as u64;
        Ok(Some(Block::new(text, place, &self.job, &mut self.engine)))
    }
}

impl<'s> Scan<'s> {
    /// The blocks of the scan, in input order, for one thread to pull: nothing is read before it is asked for.
    ///
    /// ```
    /// use ndskim::Scan;
    /// let mut blocks = Scan::bytes(b"{}\n{}\n").blocks();
    /// let mut bytes = 0;
    /// while let Some(block) = blocks.next().unwrap() {
    ///     bytes += block.bytes().len();
    /// }
    /// assert_eq!(bytes, 6);
    /// ```
    pub fn blocks(self) -> Blocks<'s> {
        let Scan { inputs, mut job, settings, .. } = self;
        let failed = match Kernel::choose(job.kernel) {
            Ok(kernel) => {
                job.kernel = Some(kernel);
                None
            }
            Err(error) => Some(error),
        };
        let source = Scan::source(inputs, &job, &settings, 1);
        let job = job.ready();
        let engine = EngineState::new(&job);
        Blocks {
            source,
            job,
            settings,
            buffer: Buffer::default(),
            engine,
            claim: None,
            ended: failed.is_some(),
            failed,
            lines: (0, 0),
        }
    }

    /// Every block through `map`, on all threads, and the results into `sink`, one at a time and in input order, with the
    /// number of lines before the block in its input. This is what ordered converters are made of.
    ///
    /// While `sink` takes its time, no more than four blocks a thread are under way. It runs on whichever thread has just
    /// finished a block, and may return a [`ControlFlow`] to end the scan. Faults are the closures' own business here
    /// ([`Block::for_each`]); the scan's policy does not apply.
    ///
    /// # Errors
    /// As [`Blocks::next`]; the blocks before the error were handed on.
    ///
    /// ```
    /// use ndskim::Scan;
    /// let mut first = Vec::new();
    /// Scan::bytes(b"{\"n\":1}\n{\"n\":2}\n").block_size(8).map_blocks(
    ///     |block| {
    ///         let mut numbers = Vec::new();
    ///         block.for_each(|record| numbers.push(record.get("n").unwrap().unwrap().as_i64().unwrap()), |_| ());
    ///         numbers
    ///     },
    ///     |numbers, _| first.extend(numbers),
    /// ).unwrap();
    /// assert_eq!(first, [Some(1), Some(2)]);
    /// ```
    pub fn map_blocks<T, F, S, R>(self, map: F, sink: S) -> Result<Outcome<()>, Error>
    where
        T: Send,
        F: Fn(&Block<'_>) -> T + Sync,
        S: FnMut(T, u64) -> R + Send,
        R: Step,
    {
        let started = Instant::now();
        let map = &map;
        let scan = self.with_kernel()?;
        scan.check()?;
        in_pool(scan.settings.threads, |workers| {
            let shared = Shared::new(scan, workers);
            let ordered =
                Ordered { shared, map, sink: Mutex::new(sink), ahead: 4 * workers, delivery: Mutex::default() };
            rayon::scope(|scope| (0..workers).for_each(|_| ordered.start(scope)));
            ordered.shared.finish(started, workers)
        })?
    }
}

/// What the workers of [`Scan::map_blocks`] share.
struct Ordered<'s, T, F, S> {
    shared: Shared<'s>,
    map: F,
    sink: Mutex<S>,
    /// The most blocks that may be under way.
    ahead: usize,
    delivery: Mutex<Delivery<T>>,
}

/// How far the results have been handed on.
struct Delivery<T> {
    /// Results that wait for one before them, each with the lines of its block.
    waiting: BTreeMap<Order, (T, u64)>,
    /// The block whose result is handed on next, and the lines before it.
    next: Order,
    lines: u64,
    /// Blocks that were claimed, or are about to be, and whose result was not handed on.
    under_way: usize,
    /// Workers that ended because too much was under way.
    parked: usize,
    /// Whether somebody is handing results on.
    busy: bool,
}

impl<T> Default for Delivery<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), next: Order::default(), lines: 0, under_way: 0, parked: 0, busy: false }
    }
}

impl<T, F, S, R> Ordered<'_, T, F, S>
where
    T: Send,
    F: Fn(&Block<'_>) -> T + Sync,
    S: FnMut(T, u64) -> R + Send,
    R: Step,
{
    fn start<'scope>(&'scope self, scope: &rayon::Scope<'scope>) {
        scope.spawn(|scope| self.work(scope));
    }

    fn work<'scope>(&'scope self, scope: &rayon::Scope<'scope>) {
        let left_over = self.shared.each_block(
            || self.may_claim(),
            |block| {
                let value = (self.map)(block);
                let lines = bytecount::count(block.bytes(), b'\n') as u64;
                self.delivery().waiting.insert(block.place().order, (value, lines));
                self.deliver(scope);
                let stats = block.stats();
                BlockEnd {
                    bytes: block.bytes().len() as u64,
                    records: stats.records,
                    matched: stats.matched,
                    rejected: stats.rejected,
                    blank: stats.blank,
                    lines,
                    ..BlockEnd::default()
                }
            },
        );
        if left_over {
            self.delivery().under_way -= 1;
        }
        // An input may have turned out to be at its end, which lets results of the next be handed on.
        self.deliver(scope);
    }

    fn delivery(&self) -> MutexGuard<'_, Delivery<T>> {
        self.delivery.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether another block may be claimed; if not, the worker must end, and is started again later.
    fn may_claim(&self) -> bool {
        let mut delivery = self.delivery();
        let may = delivery.under_way < self.ahead;
        if may {
            delivery.under_way += 1
        } else {
            delivery.parked += 1
        }
        may
    }

    /// Hands on all results that are next, unless somebody else is at it, who will then see these too.
    fn deliver<'scope>(&'scope self, scope: &rayon::Scope<'scope>) {
        let mut delivery = self.delivery();
        if std::mem::replace(&mut delivery.busy, true) {
            return;
        }
        while let Some((order, value, lines)) = self.next(&mut delivery) {
            drop(delivery);
            let flow = (self.sink.lock().unwrap_or_else(PoisonError::into_inner))(value, lines).into_flow();
            if flow == ControlFlow::Break(()) {
                self.shared.stop(order, Stop::Break);
            }
            delivery = self.delivery();
            delivery.under_way -= 1;
            for _ in 0..std::mem::take(&mut delivery.parked) {
                self.start(scope);
            }
        }
        delivery.busy = false;
    }

    /// Takes the result that is next, with the lines before it; `None` while it is not there.
    fn next(&self, delivery: &mut Delivery<T>) -> Option<(Order, T, u64)> {
        while self.shared.source.blocks_in(delivery.next.input) == Some(delivery.next.block) {
            delivery.next = Order { input: delivery.next.input + 1, block: 0 };
            delivery.lines = 0;
        }
        let order = delivery.next;
        if self.shared.limit().is_some_and(|limit| order >= limit) {
            return None;
        }
        let (value, lines) = delivery.waiting.remove(&order)?;
        let before = delivery.lines;
        delivery.next.block += 1;
        delivery.lines += lines;
        Some((order, value, before))
    }
}
