//! The ends of a scan: what becomes of the records.
//!
//! Each end is a [`Consumer`] around the caller's closures. Ends that give one result a record keep them by block, so that
//! input order costs nothing per record.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use super::scan::{Outcome, Scan};
use super::worker::run;
use super::{Consumer, Step, Taken};
use crate::block::Order;
use crate::count::CountTable;
use crate::error::{BoxError, Error};
use crate::pointer::{Pointer, Projection};
use crate::record::Record;
use crate::value::Value;

impl Scan<'_> {
    /// The closure's result for every record, in input order.
    ///
    /// With [`OnFault::Skip`](crate::OnFault::Skip), refused records have no result.
    ///
    /// # Errors
    /// The first, in input order, of a fault (unless skipped) and a failed read; cancellation.
    ///
    /// ```
    /// use ndskim::Scan;
    /// let kinds = Scan::bytes(b"1\n{}\n").map(|record| record.value().kind().name()).unwrap();
    /// assert_eq!(kinds.value, ["number", "object"]);
    /// ```
    pub fn map<F, R>(self, closure: F) -> Result<Outcome<Vec<R>>, Error>
    where
        F: Fn(Record<'_>) -> R + Sync,
        R: Send,
    {
        self.collect(|record| Ok(closure(record)))
    }

    /// As [`map`](Self::map), with a closure that can fail.
    ///
    /// # Errors
    /// As [`map`](Self::map), and [`Error::Closure`] for the first record in input order for which the closure fails.
    ///
    /// ```
    /// use ndskim::{Error, Scan};
    /// let error = Scan::bytes(b"1\n2.5\n\"x\"\n").try_map(|record| record.value().as_i64()).unwrap_err();
    /// assert!(matches!(&error, Error::Closure { place, .. } if place.line() == Some(2)));
    /// ```
    pub fn try_map<F, R, E>(self, closure: F) -> Result<Outcome<Vec<R>>, Error>
    where
        F: Fn(Record<'_>) -> Result<R, E> + Sync,
        R: Send,
        E: Into<BoxError>,
    {
        self.collect(|record| closure(record).map_err(Into::into))
    }

    fn collect<F, R>(self, closure: F) -> Result<Outcome<Vec<R>>, Error>
    where
        F: Fn(Record<'_>) -> Result<R, BoxError> + Sync,
        R: Send,
    {
        let map = Map { closure, blocks: Mutex::new(Vec::new()) };
        let outcome = run(self, &map)?;
        let mut blocks = map.blocks.into_inner().unwrap_or_else(PoisonError::into_inner);
        blocks.sort_unstable_by_key(|(order, _)| *order);
        let mut value = Vec::with_capacity(blocks.iter().map(|(_, results)| results.len()).sum());
        blocks.into_iter().for_each(|(_, results)| value.extend(results));
        Ok(outcome.with(value))
    }

    /// Every record through a closure, in no particular order. The closure may return a [`ControlFlow`] to end the scan early.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use ndskim::Scan;
    /// let sum = AtomicU64::new(0);
    /// Scan::bytes(b"1\n2\n3\n").for_each(|record| {
    ///     sum.fetch_add(record.value().as_u64().unwrap().unwrap(), Ordering::Relaxed);
    /// }).unwrap();
    /// assert_eq!(sum.into_inner(), 6);
    /// ```
    pub fn for_each<F, S>(self, closure: F) -> Result<Outcome<()>, Error>
    where
        F: Fn(Record<'_>) -> S + Sync,
        S: Step,
    {
        self.visit(|record| Ok(closure(record).into_flow()))
    }

    /// As [`for_each`](Self::for_each), with a closure that can fail.
    ///
    /// # Errors
    /// As [`try_map`](Self::try_map).
    ///
    /// ```
    /// use ndskim::{Scan, ValueError};
    /// Scan::bytes(b"{\"n\":1}\n").try_for_each(|record| {
    ///     assert_eq!(record.get("n")?.unwrap().as_i64()?, Some(1));
    ///     Ok::<_, ValueError>(())
    /// })?;
    /// # Ok::<(), ndskim::Error>(())
    /// ```
    pub fn try_for_each<F, S, E>(self, closure: F) -> Result<Outcome<()>, Error>
    where
        F: Fn(Record<'_>) -> Result<S, E> + Sync,
        S: Step,
        E: Into<BoxError>,
    {
        self.visit(|record| closure(record).map(Step::into_flow).map_err(Into::into))
    }

    fn visit<F>(self, closure: F) -> Result<Outcome<()>, Error>
    where
        F: Fn(Record<'_>) -> Result<ControlFlow<()>, BoxError> + Sync,
    {
        run(self, &Visit { closure })
    }

    /// Reads every record and looks at none: what [`Validation`](crate::Validation) promises is checked, and the records
    /// are counted. Faster than an end with an empty closure.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    ///
    /// ```
    /// use ndskim::Scan;
    /// assert_eq!(Scan::bytes(b"{\"n\":1}\n[]\n").validate().unwrap().stats.records, 2);
    /// assert!(Scan::bytes(b"{\"n\":01}\n").validate().is_err());
    /// ```
    pub fn validate(self) -> Result<Outcome<()>, Error> {
        if self.settings.limit.is_some() {
            // Records are counted one by one then.
            return self.for_each(|_| ());
        }
        run(self, &Validate)
    }

    /// Folds all records: each worker into an accumulator of its own, which are merged at the end, in no particular order. So
    /// the result does not depend on threads if `merge` is commutative and associative and an accumulator that `init` has just
    /// made changes nothing when it is merged.
    ///
    /// An accumulator cannot be taken back: a value that turns out to be malformed inside the closure, which only
    /// [`Validation::Visited`](crate::Validation::Visited) allows, ends the scan under every policy.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    ///
    /// ```
    /// use ndskim::Scan;
    /// let longest = Scan::bytes(b"\"a\"\n\"abc\"\n").fold(
    ///     || 0,
    ///     |longest, record| *longest = (*longest).max(record.text().len()),
    ///     |a, b| a.max(b),
    /// ).unwrap();
    /// assert_eq!(longest.value, 5);
    /// ```
    pub fn fold<A, I, F, S, M>(self, init: I, closure: F, merge: M) -> Result<Outcome<A>, Error>
    where
        A: Send,
        I: Fn() -> A + Sync,
        F: Fn(&mut A, Record<'_>) -> S + Sync,
        S: Step,
        M: Fn(A, A) -> A,
    {
        self.accumulate(init, |accumulator, record| Ok(closure(accumulator, record).into_flow()), merge)
    }

    /// As [`fold`](Self::fold), with a closure that can fail.
    ///
    /// # Errors
    /// As [`try_map`](Self::try_map).
    ///
    /// ```
    /// use ndskim::{Scan, ValueError};
    /// let sum = Scan::bytes(b"1\n2\n").try_fold(
    ///     || 0,
    ///     |sum, record| { *sum += record.value().as_i64()?.unwrap_or(0); Ok::<_, ValueError>(()) },
    ///     |a, b| a + b,
    /// )?;
    /// assert_eq!(sum.value, 3);
    /// # Ok::<(), ndskim::Error>(())
    /// ```
    pub fn try_fold<A, I, F, S, E, M>(self, init: I, closure: F, merge: M) -> Result<Outcome<A>, Error>
    where
        A: Send,
        I: Fn() -> A + Sync,
        F: Fn(&mut A, Record<'_>) -> Result<S, E> + Sync,
        S: Step,
        E: Into<BoxError>,
        M: Fn(A, A) -> A,
    {
        let closure = |accumulator: &mut A, record: Record<'_>| {
            closure(accumulator, record).map(Step::into_flow).map_err(Into::into)
        };
        self.accumulate(init, closure, merge)
    }

    fn accumulate<A, I, F, M>(self, init: I, closure: F, merge: M) -> Result<Outcome<A>, Error>
    where
        A: Send,
        I: Fn() -> A + Sync,
        F: Fn(&mut A, Record<'_>) -> Result<ControlFlow<()>, BoxError> + Sync,
        M: Fn(A, A) -> A,
    {
        let fold = Fold { init, closure, accumulators: Mutex::new(Vec::new()) };
        let outcome = run(self, &fold)?;
        let accumulators = fold.accumulators.into_inner().unwrap_or_else(PoisonError::into_inner);
        let value = accumulators.into_iter().reduce(merge).unwrap_or_else(&fold.init);
        Ok(outcome.with(value))
    }

    /// Counts the records by the value that a pointer leads to; the scan's own projection is not used.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    ///
    /// ```
    /// use ndskim::{Pointer, Scan};
    /// let counts = Scan::bytes(b"{\"type\":\"a\"}\n{\"type\":\"b\"}\n{\"type\":\"a\"}\n{}\n")
    ///     .count_by(Pointer::parse("/type").unwrap())
    ///     .unwrap()
    ///     .value;
    /// let rows: Vec<_> = counts.sorted().into_iter().map(|(key, count)| (key.to_string(), count)).collect();
    /// assert_eq!(rows, [("\"a\"".to_owned(), 2), ("\"b\"".to_owned(), 1), ("(absent)".to_owned(), 1)]);
    /// ```
    pub fn count_by(self, pointer: Pointer) -> Result<Outcome<CountTable>, Error> {
        let projection = Projection::from(vec![pointer]);
        self.project(projection).try_fold(
            CountTable::new,
            |counts, record| counts.add(record.field(0)),
            CountTable::merged,
        )
    }
}

/// Turns a closure over a record and an array of fields into one over a record, as the ends of a scan take it.
///
/// Where the scan's projection has fewer fields than the array, the rest is `None`.
///
/// ```
/// use ndskim::{Projection, Scan, with_fields};
/// let outcome = Scan::bytes(b"{\"a\":1,\"b\":2}\n")
///     .project(Projection::new(["/b", "/a"]).unwrap())
///     .map(with_fields(|_, [b, a]| (b.unwrap().as_i64().unwrap(), a.unwrap().as_i64().unwrap())))
///     .unwrap();
/// assert_eq!(outcome.value, [(Some(2), Some(1))]);
/// ```
pub fn with_fields<const N: usize, F, R>(closure: F) -> impl Fn(Record<'_>) -> R
where
    F: for<'r> Fn(Record<'r>, [Option<Value<'r>>; N]) -> R,
{
    move |record| closure(record, record.field_array())
}

/// Results by record, kept by block.
struct Map<F, R> {
    closure: F,
    blocks: Mutex<Vec<(Order, Vec<R>)>>,
}

impl<F, R> Consumer for Map<F, R>
where
    F: Fn(Record<'_>) -> Result<R, BoxError> + Sync,
    R: Send,
{
    type Local = Vec<R>;

    fn start(&self) -> Vec<R> {
        Vec::new()
    }

    fn record(&self, local: &mut Vec<R>, record: &Record<'_>) -> Taken {
        match (self.closure)(*record) {
            Ok(result) => {
                local.push(result);
                Taken::Continue
            }
            Err(error) => Taken::Failed(error),
        }
    }

    fn retract(&self, local: &mut Vec<R>, taken: &Taken) -> bool {
        if !matches!(taken, Taken::Failed(_)) {
            local.pop();
        }
        true
    }

    fn end_block(&self, local: &mut Vec<R>, order: Order) {
        // The next block of this worker is likely to have about as many records.
        let next = Vec::with_capacity(local.len());
        let results = std::mem::replace(local, next);
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner).push((order, results));
    }

    fn finish(&self, _local: Vec<R>) {}
}

/// No results.
struct Visit<F> {
    closure: F,
}

impl<F> Consumer for Visit<F>
where
    F: Fn(Record<'_>) -> Result<ControlFlow<()>, BoxError> + Sync,
{
    type Local = ();

    fn start(&self) {}

    fn record(&self, _local: &mut (), record: &Record<'_>) -> Taken {
        (self.closure)(*record).map_or_else(Taken::Failed, Taken::from_flow)
    }

    fn retract(&self, _local: &mut (), _taken: &Taken) -> bool {
        true
    }

    fn end_block(&self, _local: &mut (), _order: Order) {}

    fn finish(&self, _local: ()) {}
}

/// No closure.
struct Validate;

impl Consumer for Validate {
    type Local = ();

    const LOOKS: bool = false;

    fn start(&self) {}

    fn record(&self, _local: &mut (), _record: &Record<'_>) -> Taken {
        Taken::Continue
    }

    fn retract(&self, _local: &mut (), _taken: &Taken) -> bool {
        true
    }

    fn end_block(&self, _local: &mut (), _order: Order) {}

    fn finish(&self, _local: ()) {}
}

/// An accumulator for each worker.
struct Fold<I, F, A> {
    init: I,
    closure: F,
    accumulators: Mutex<Vec<A>>,
}

impl<I, F, A> Consumer for Fold<I, F, A>
where
    A: Send,
    I: Fn() -> A + Sync,
    F: Fn(&mut A, Record<'_>) -> Result<ControlFlow<()>, BoxError> + Sync,
{
    type Local = A;

    fn start(&self) -> A {
        (self.init)()
    }

    fn record(&self, local: &mut A, record: &Record<'_>) -> Taken {
        (self.closure)(local, *record).map_or_else(Taken::Failed, Taken::from_flow)
    }

    fn retract(&self, _local: &mut A, _taken: &Taken) -> bool {
        false
    }

    fn end_block(&self, _local: &mut A, _order: Order) {}

    fn finish(&self, local: A) {
        self.accumulators.lock().unwrap_or_else(PoisonError::into_inner).push(local);
    }
}
