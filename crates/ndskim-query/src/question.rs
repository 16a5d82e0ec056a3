//! Questions: what to count, by what, under which conditions, and what to compute beside. A question is prepared once, and then
//! asked of scans.

use ahash::RandomState;
use ndskim::{Error, Fault, Filter, Notice, Record, Scan, Stats, ValueError};

use crate::aggregate::Aggregate;
use crate::condition::Condition;
use crate::expression::Expression;
use crate::groups::{Groups, Table};
use crate::plan::{Node, Plan, Subject};
use crate::predicate::{Predicate, split};
use crate::room::Room;

/// A question to newline-delimited JSON.
///
/// ```
/// use ndskim::Scan;
/// use ndskim_query::{Aggregate, Condition, Expression, Measure, Order, Question, Scalar};
/// let answer = Question::new()
///     .by(Expression::parse("type")?)
///     .filter(Condition::parse("size > 0")?)
///     .aggregate(Aggregate::new(Measure::Sum, Expression::parse("size")?))
///     .prepare()?
///     .ask(Scan::bytes(b"{\"type\":\"a\",\"size\":2}\n{\"type\":\"a\",\"size\":3}\n{\"type\":\"b\",\"size\":0}\n"))?
///     .sorted(Order::Count, None);
/// assert_eq!((answer.stats.records, answer.matched), (3, 2));
/// assert_eq!(answer.rows[0].key[0].as_str().as_deref(), Some("a"));
/// assert_eq!((answer.rows[0].count, &answer.rows[0].results[..]), (2, &[Scalar::Int(5)][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Question {
    by: Vec<Expression>,
    conditions: Vec<Condition>,
    aggregates: Vec<Aggregate>,
    limit: Option<u64>,
}

/// Why a question cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// The paths go through the elements of two arrays.
    #[error("a question can go through one array with [], and this one goes through {first} and {second}")]
    TwoArrays {
        /// The one that came first.
        first: String,
        /// The other.
        second: String,
    },
}

impl Question {
    /// How many records there are.
    pub fn new() -> Self {
        Self::default()
    }

    /// Groups by the values of an expression; by the tuple of the values of several.
    pub fn by(mut self, expression: Expression) -> Self {
        self.by.push(expression);
        self
    }

    /// Counts only where a condition holds; where all of several do.
    pub fn filter(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// Computes an aggregate beside the count of each group.
    pub fn aggregate(mut self, aggregate: Aggregate) -> Self {
        self.aggregates.push(aggregate);
        self
    }

    /// Reads only the first records of the input; see [`Scan::limit`].
    pub fn limit(mut self, records: u64) -> Self {
        self.limit = Some(records);
        self
    }

    /// Compiles the question.
    ///
    /// # Errors
    /// [`QuestionError`].
    pub fn prepare(self) -> Result<Prepared, QuestionError> {
        let mut plan = Plan::default();
        let by = self.by.iter().map(|expression| plan.compile(expression)).collect::<Result<_, _>>()?;
        let of = self.aggregates.iter().map(|aggregate| plan.compile(&aggregate.of)).collect::<Result<_, _>>()?;
        // A limit is on the records that are read, and a filter hides some of them.
        let (filter, rest) = match self.limit {
            None => split(&self.conditions),
            Some(_) => (None, self.conditions.iter().collect()),
        };
        let predicates = rest.into_iter().map(|condition| Predicate::compile(condition, &mut plan));
        let predicates = predicates.collect::<Result<_, _>>()?;
        Ok(Prepared { question: self, plan, by, filter, predicates, of })
    }
}

/// A question that can be asked.
#[derive(Clone, Debug)]
pub struct Prepared {
    question: Question,
    plan: Plan,
    by: Vec<Node>,
    /// The conditions that the scan itself can decide.
    filter: Option<Filter>,
    /// The others.
    predicates: Vec<Predicate>,
    /// What the aggregates are of.
    of: Vec<Node>,
}

/// What one worker has counted.
struct Counted {
    table: Table,
    matched: u64,
    /// Values that were of no use, by function and then by aggregate.
    left_out: Vec<u64>,
    key: Vec<u8>,
    room: Room,
}

/// The groups of a question, before they are put in order.
pub struct Reply {
    pub(crate) prepared: Prepared,
    pub(crate) groups: Groups,
    pub(crate) matched: u64,
    pub(crate) left_out: Vec<u64>,
    pub(crate) stats: Stats,
    pub(crate) faults: Vec<Fault>,
    pub(crate) notices: Vec<Notice>,
}

impl Prepared {
    /// Asks the question of a scan, whose projection, filter and limit are set here.
    ///
    /// # Errors
    /// The scan's.
    pub fn ask(self, scan: Scan<'_>) -> Result<Reply, Error> {
        let scan = match &self.filter {
            Some(filter) => scan.filter(filter.clone()),
            None => scan,
        };
        let scan = match self.question.limit {
            Some(records) => scan.limit(records),
            None => scan,
        };
        let hasher = RandomState::new();
        let outcome = scan.project(self.plan.projection()).try_fold(
            || self.start(&hasher),
            |counted, record| self.take(counted, record),
            Counted::merged,
        )?;
        let counted = outcome.value;
        let groups = counted.table.into_groups(self.by.len(), || self.states());
        Ok(Reply {
            groups,
            matched: counted.matched,
            left_out: counted.left_out,
            stats: outcome.stats,
            faults: outcome.faults,
            notices: outcome.notices,
            prepared: self,
        })
    }

    /// The expressions that it groups by.
    pub fn by(&self) -> &[Expression] {
        &self.question.by
    }

    /// The aggregates.
    pub fn aggregates(&self) -> &[Aggregate] {
        &self.question.aggregates
    }

    /// Whether the elements of an array are counted, and not records.
    pub fn counts_elements(&self) -> bool {
        self.plan.array().is_some()
    }

    /// What values can be left out by, in the order of [`Counted::left_out`].
    pub(crate) fn reasons(&self) -> impl Iterator<Item = String> {
        let aggregates = self.aggregates().iter().map(|aggregate| format!("{}({})", aggregate.measure, aggregate.of));
        self.plan.calls.iter().cloned().chain(aggregates)
    }

    fn states(&self) -> Vec<crate::aggregate::State> {
        self.aggregates().iter().map(Aggregate::start).collect()
    }

    fn start(&self, hasher: &RandomState) -> Counted {
        let plain = self.by.len() == 1 && matches!(self.by[0], Node::Field(_)) && self.of.is_empty();
        Counted {
            table: Table::new(plain && !self.counts_elements(), hasher),
            matched: 0,
            left_out: vec![0; self.plan.calls.len() + self.of.len()],
            key: Vec::new(),
            room: Room::default(),
        }
    }

    fn take(&self, counted: &mut Counted, record: Record<'_>) -> Result<(), ValueError> {
        if let (Table::Plain(counts), [Node::Field(field)], []) = (&mut counted.table, &*self.by, &*self.predicates) {
            counted.matched += 1;
            return counts.add(record.field(*field));
        }
        let mut room = std::mem::take(&mut counted.room);
        let taken = self.take_in(&room, counted, record);
        room.clear();
        counted.room = room;
        taken
    }

    fn take_in(&self, room: &Room, counted: &mut Counted, record: Record<'_>) -> Result<(), ValueError> {
        let subject = Subject { record, element: None, room };
        let Some(array) = self.plan.array() else { return self.count(counted, subject) };
        let Some(elements) = record.field(array).and_then(|value| value.elements()) else { return Ok(()) };
        for element in elements {
            self.count(counted, Subject { element: Some(element?), ..subject })?;
        }
        Ok(())
    }

    fn count(&self, counted: &mut Counted, subject: Subject<'_>) -> Result<(), ValueError> {
        for predicate in &self.predicates {
            if !predicate.holds(&subject, &mut counted.left_out)? {
                return Ok(());
            }
        }
        counted.matched += 1;
        let (groups, key) = match (&mut counted.table, &*self.by) {
            (Table::Plain(counts), [Node::Field(field)]) => return counts.add(subject.record.field(*field)),
            (Table::Plain(_), _) => return Ok(()),
            (Table::Groups(groups), _) => (groups, &mut counted.key),
        };
        key.clear();
        for node in &self.by {
            let item = node.value(&subject, &mut counted.left_out)?;
            groups.encode(key, self.by.len(), |key| item.encode(key))?;
        }
        let group = groups.count(key, || self.states());
        for (number, node) in self.of.iter().enumerate() {
            let item = node.value(&subject, &mut counted.left_out)?;
            if !item.is_void() && !groups.state(group, number).add(&item, subject.room)? {
                counted.left_out[self.plan.calls.len() + number] += 1;
            }
        }
        Ok(())
    }
}

impl Counted {
    fn merged(mut self, other: Self) -> Self {
        self.table = self.table.merged(other.table);
        self.matched += other.matched;
        self.left_out.iter_mut().zip(other.left_out).for_each(|(mine, other)| *mine += other);
        self
    }
}
