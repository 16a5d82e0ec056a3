//! Answers: the groups of a question in order, cut to the first few if that is asked for.

use std::cmp::Ordering;

use ndskim::{Fault, Key, Notice, Stats};

use crate::aggregate::Scalar;
use crate::groups::{Group, Groups};
use crate::question::{Prepared, Reply};

/// The order of groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// The largest count first; equal counts by key.
    #[default]
    Count,
    /// By key: strings by code point, then numbers, `false`, `true`, `null`, arrays and objects, absent last.
    Key,
    /// The largest result of a column first, text and missing results behind; equal results by key.
    Column(usize),
}

/// The answer to a question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// What it groups by, as it is printed.
    pub by: Vec<String>,
    /// The names of the results beside the count.
    pub columns: Vec<String>,
    /// The groups in order.
    pub rows: Vec<Row>,
    /// The groups that are not among the first so many, as one.
    pub other: Option<Other>,
    /// How many records, or elements, were counted: those for which all conditions hold.
    pub matched: u64,
    /// Whether elements of an array were counted, and not records.
    pub elements: bool,
    /// How many values were left out, by the function or aggregate that had no use for their kind; only those that had any.
    pub left_out: Vec<(String, u64)>,
    /// The sketches that stand for exact results, by column.
    pub sketches: Vec<(String, &'static str)>,
    /// Figures of the scan.
    pub stats: Stats,
    /// The first records that were skipped.
    pub faults: Vec<Fault>,
    /// What there is to know of the inputs.
    pub notices: Vec<Notice>,
}

/// One group of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The values that it has in common.
    pub key: Vec<Key>,
    /// How many records, or elements, there are.
    pub count: u64,
    /// The results, by column.
    pub results: Vec<Scalar>,
}

/// Groups taken together.
#[derive(Clone, Debug, PartialEq)]
pub struct Other {
    /// How many groups they are.
    pub groups: u64,
    /// How many records, or elements, there are in them.
    pub count: u64,
    /// The results over all of them, by column.
    pub results: Vec<Scalar>,
}

impl Reply {
    /// The names of the results beside the count, which [`Order::Column`] is an index of.
    pub fn columns(&self) -> Vec<String> {
        self.prepared.columns()
    }

    /// The answer: the groups in order, only the first `top` of them if that is said, with the rest as [`Answer::other`].
    pub fn sorted(mut self, order: Order, top: Option<usize>) -> Answer {
        let prepared = &self.prepared;
        let values: Vec<Scalar> = match order {
            Order::Column(column) => self.groups.iter().map(|group| prepared.result(group, column)).collect(),
            _ => Vec::new(),
        };
        let (first, rest) = split(self.groups, &values, order, top);
        let mut left_out = std::mem::take(&mut self.left_out);
        let functions = left_out.len() - prepared.aggregates().len();
        for group in first.iter().chain(&rest) {
            group.states.iter().zip(&mut left_out[functions..]).for_each(|(state, count)| *count += state.left_out());
        }
        let columns = prepared.columns();
        let sketches = prepared.aggregates().iter().flat_map(|aggregate| {
            let sketch = aggregate.sketch();
            aggregate.columns().into_iter().filter_map(move |column| Some((column, sketch?)))
        });
        Answer {
            by: prepared.by().iter().map(ToString::to_string).collect(),
            other: (!rest.is_empty()).then(|| prepared.other(rest)),
            rows: first.into_iter().map(|group| prepared.row(group)).collect(),
            sketches: sketches.collect(),
            columns,
            matched: self.matched,
            elements: prepared.counts_elements(),
            left_out: prepared.reasons().zip(left_out).filter(|(_, count)| *count > 0).collect(),
            stats: self.stats,
            faults: self.faults,
            notices: self.notices,
        }
    }
}

impl Answer {
    /// The first result that does not fit: its column.
    pub fn overflow(&self) -> Option<&str> {
        let results = self.rows.iter().map(|row| &row.results).chain(self.other.iter().map(|other| &other.results));
        let column =
            results.filter_map(|results| results.iter().position(|result| *result == Scalar::Overflow)).min()?;
        self.columns.get(column).map(String::as_str)
    }
}

impl Prepared {
    /// The names of the results beside the count.
    pub fn columns(&self) -> Vec<String> {
        self.aggregates().iter().flat_map(|aggregate| aggregate.columns()).collect()
    }

    fn results(&self, group: &Group) -> Vec<Scalar> {
        let states = group.states.iter().zip(self.aggregates());
        states.flat_map(|(state, aggregate)| state.results(&aggregate.measure)).collect()
    }

    fn result(&self, group: &Group, column: usize) -> Scalar {
        self.results(group).into_iter().nth(column).unwrap_or(Scalar::Nothing)
    }

    fn row(&self, group: Group) -> Row {
        Row { results: self.results(&group), key: group.key, count: group.count }
    }

    fn other(&self, rest: Groups) -> Other {
        let groups = rest.len() as u64;
        let all = rest.into_iter().reduce(|mut all, group| {
            all.count += group.count;
            all.states.iter_mut().zip(group.states).for_each(|(mine, other)| mine.merge(other));
            all
        });
        let (count, results) = all.map_or((0, Vec::new()), |all| (all.count, self.results(&all)));
        Other { groups, count, results }
    }
}

/// The first so many groups, in order, and the rest, in none. `values` are what they are ordered by, if neither count nor key.
fn split(groups: Groups, values: &[Scalar], order: Order, top: Option<usize>) -> (Groups, Groups) {
    let compare = |a: &usize, b: &usize| -> Ordering {
        let (x, y) = (&groups[*a], &groups[*b]);
        let first = match order {
            Order::Count => y.count.cmp(&x.count),
            Order::Key => Ordering::Equal,
            Order::Column(_) => descending(&values[*a], &values[*b]),
        };
        first.then_with(|| x.key.cmp(&y.key))
    };
    let mut places: Vec<usize> = (0..groups.len()).collect();
    let top = top.unwrap_or(usize::MAX).min(places.len());
    if (1..places.len()).contains(&top) {
        places.select_nth_unstable_by(top, compare);
    }
    places[..top].sort_unstable_by(compare);
    let mut groups: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
    let first = places[..top].iter().filter_map(|place| groups[*place].take()).collect();
    (first, groups.into_iter().flatten().collect())
}

/// The largest number first; what is no number keeps its place behind.
fn descending(a: &Scalar, b: &Scalar) -> Ordering {
    match (a, b) {
        (Scalar::Int(_) | Scalar::Real(_), Scalar::Int(_) | Scalar::Real(_)) | (Scalar::Text(_), Scalar::Text(_)) => {
            b.compare(a)
        }
        _ => a.compare(b),
    }
}
