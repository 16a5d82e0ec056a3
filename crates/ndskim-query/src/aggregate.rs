//! Aggregates: what is computed beside the count of a group, and the accumulators for it.
//!
//! Every accumulator gives the same result for any order of the values and any way to split them. Missing values and `null` are
//! never part of an aggregate; values of a kind that it has no use for are left out and counted.

use std::cmp::Ordering;
use std::fmt;

use ndskim::{Kind, ValueError};

use crate::decimal::Number;
use crate::distinct;
use crate::expression::Expression;
use crate::item::Item;
use crate::quantile;
use crate::room::Room;
use crate::sum::{Sum, Total};

/// Something computed of the values of an expression in each group.
///
/// ```
/// use ndskim_query::{Aggregate, Expression, Measure};
/// let aggregate = Aggregate::new(Measure::Sum, Expression::parse("/payload/size").unwrap());
/// assert_eq!(aggregate.columns(), ["sum(/payload/size)"]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    pub(crate) measure: Measure,
    pub(crate) of: Expression,
    approx: bool,
}

/// What is computed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Measure {
    /// The sum of the numbers: an exact integer if all are integers, else the double nearest to the exact sum.
    Sum,
    /// The double nearest to the exact mean of the numbers.
    Average,
    /// The smallest number; where there are none, the first string by code point.
    Minimum,
    /// The largest number; where there are none, the last string by code point.
    Maximum,
    /// How many different values there are, of any kind.
    Distinct,
    /// For each share, the smallest number that at least this share of the numbers does not exceed.
    Quantiles(Vec<f64>),
}

/// What an aggregate comes to in one group.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scalar {
    /// There were no values.
    Nothing,
    /// An integer.
    Int(i128),
    /// A double, which is finite.
    Real(f64),
    /// Text.
    Text(String),
    /// A sum that does not fit: an integer beyond 128 bits, or a number beyond the range of doubles.
    Overflow,
}

impl Aggregate {
    /// A measure of the values of an expression, exact.
    pub fn new(measure: Measure, of: Expression) -> Self {
        Self { measure, of, approx: false }
    }

    /// The same in little memory for any number of values, where there is such a way: for [`Measure::Distinct`] and
    /// [`Measure::Quantiles`]. The others stay exact.
    pub fn approx(mut self) -> Self {
        self.approx = true;
        self
    }

    /// The names of its results, for instance `sum(/payload/size)`. What is not exact says so.
    pub fn columns(&self) -> Vec<String> {
        let Self { of, .. } = self;
        let approx = if self.sketch().is_some() { "approx_" } else { "" };
        match &self.measure {
            Measure::Quantiles(shares) => {
                shares.iter().map(|share| format!("{approx}quantile({of}, {share})")).collect()
            }
            measure => vec![format!("{approx}{measure}({of})")],
        }
    }

    /// The sketch that stands for the exact values, if there is one.
    pub fn sketch(&self) -> Option<&'static str> {
        match self.measure {
            Measure::Distinct if self.approx => Some(distinct::SKETCH),
            Measure::Quantiles(_) if self.approx => Some(quantile::SKETCH),
            _ => None,
        }
    }

    pub(crate) fn start(&self) -> State {
        match (&self.measure, self.approx) {
            (Measure::Sum, _) => State::Sum(Sum::default()),
            (Measure::Average, _) => State::Average(Sum::default()),
            (Measure::Minimum, _) => State::Minimum(Extreme::default()),
            (Measure::Maximum, _) => State::Maximum(Extreme::default()),
            (Measure::Distinct, false) => State::Distinct(distinct::Exact::default()),
            (Measure::Distinct, true) => State::DistinctSketch(distinct::Sketch::default()),
            (Measure::Quantiles(_), false) => State::Quantiles(quantile::Exact::default()),
            (Measure::Quantiles(_), true) => State::QuantileSketch(quantile::Sketch::default()),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::Sum => "sum",
            Measure::Average => "avg",
            Measure::Minimum => "min",
            Measure::Maximum => "max",
            Measure::Distinct => "distinct",
            Measure::Quantiles(_) => "quantile",
        })
    }
}

/// The accumulator of an aggregate in one group.
#[derive(Clone, Debug)]
pub(crate) enum State {
    Sum(Sum),
    Average(Sum),
    Minimum(Extreme),
    Maximum(Extreme),
    Distinct(distinct::Exact),
    DistinctSketch(distinct::Sketch),
    Quantiles(quantile::Exact),
    QuantileSketch(quantile::Sketch),
}

/// The most extreme number and string.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extreme {
    number: Option<Number>,
    text: Option<Box<str>>,
    texts: u64,
}

impl State {
    /// Takes a value that is there and not null; false if it is of no use here.
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    pub(crate) fn add<'r>(&mut self, item: &Item<'r>, room: &'r Room) -> Result<bool, ValueError> {
        match self {
            State::Distinct(_) | State::DistinctSketch(_) => {
                return room.with_scratch(|key| {
                    item.encode(key)?;
                    if let State::DistinctSketch(sketch) = self {
                        sketch.add(key);
                    } else if let State::Distinct(values) = self
                        && !values.contains(&**key)
                    {
                        values.insert(key.as_slice().into());
                    }
                    Ok(true)
                });
            }
            State::Minimum(extreme) if item.kind() == Some(Kind::String) => {
                return extreme.add_text(item, room, |new, old| new < old);
            }
            State::Maximum(extreme) if item.kind() == Some(Kind::String) => {
                return extreme.add_text(item, room, |new, old| new > old);
            }
            _ => {}
        }
        let Some(number) = item.number(room)? else { return Ok(false) };
        match self {
            State::Sum(sum) | State::Average(sum) => sum.add(number),
            State::Minimum(extreme) => extreme.add_number(number, |new, old| new.beats(old, Ordering::Less)),
            State::Maximum(extreme) => extreme.add_number(number, |new, old| new.beats(old, Ordering::Greater)),
            State::Quantiles(values) => values.add(number),
            State::QuantileSketch(sketch) => sketch.add(number),
            State::Distinct(_) | State::DistinctSketch(_) => {}
        }
        Ok(true)
    }

    /// Adds what another accumulator of the same aggregate has.
    pub(crate) fn merge(&mut self, other: Self) {
        match (self, other) {
            (State::Sum(mine), State::Sum(other)) | (State::Average(mine), State::Average(other)) => mine.merge(other),
            (State::Minimum(mine), State::Minimum(other)) => {
                mine.merge(other, |new, old| new.beats(old, Ordering::Less), |new, old| new < old);
            }
            (State::Maximum(mine), State::Maximum(other)) => {
                mine.merge(other, |new, old| new.beats(old, Ordering::Greater), |new, old| new > old);
            }
            (State::Distinct(mine), State::Distinct(other)) => mine.extend(other),
            (State::DistinctSketch(mine), State::DistinctSketch(other)) => mine.merge(other),
            (State::Quantiles(mine), State::Quantiles(other)) => mine.merge(other),
            (State::QuantileSketch(mine), State::QuantileSketch(other)) => mine.merge(other),
            (mine, other) => debug_assert!(false, "{mine:?} and {other:?} are of different aggregates"),
        }
    }

    /// The results, one for each column of the aggregate.
    pub(crate) fn results(&self, measure: &Measure) -> Vec<Scalar> {
        let shares = if let Measure::Quantiles(shares) = measure { &**shares } else { &[] };
        match self {
            State::Sum(sum) => vec![sum.total().into()],
            State::Average(sum) => vec![sum.mean().into()],
            State::Minimum(extreme) | State::Maximum(extreme) => vec![extreme.result()],
            State::Distinct(values) => vec![Scalar::Int(values.len() as i128)],
            State::DistinctSketch(sketch) => vec![Scalar::Int(sketch.estimate().into())],
            State::Quantiles(values) => values.clone().quantiles(shares).into_iter().map(Scalar::from).collect(),
            State::QuantileSketch(sketch) => shares.iter().map(|share| sketch.quantile(*share).into()).collect(),
        }
    }

    /// How many values were taken in vain: strings where there are numbers as well.
    pub(crate) fn left_out(&self) -> u64 {
        match self {
            State::Minimum(extreme) | State::Maximum(extreme) if extreme.number.is_some() => extreme.texts,
            _ => 0,
        }
    }
}

impl Extreme {
    fn add_number(&mut self, number: Number, better: impl Fn(Number, Number) -> bool) {
        if self.number.is_none_or(|known| better(number, known)) {
            self.number = Some(number);
        }
    }

    fn add_text<'r>(
        &mut self,
        item: &Item<'r>,
        room: &'r Room,
        better: impl Fn(&str, &str) -> bool,
    ) -> Result<bool, ValueError> {
        let Some(text) = item.text(room)? else { return Ok(false) };
        self.texts += 1;
        if self.text.as_deref().is_none_or(|known| better(text, known)) {
            self.text = Some(text.into());
        }
        Ok(true)
    }

    fn merge(
        &mut self,
        other: Self,
        better: impl Fn(Number, Number) -> bool,
        better_text: impl Fn(&str, &str) -> bool,
    ) {
        self.texts += other.texts;
        if let Some(number) = other.number {
            self.add_number(number, better);
        }
        if let Some(text) = other.text
            && self.text.as_deref().is_none_or(|known| better_text(&text, known))
        {
            self.text = Some(text);
        }
    }

    fn result(&self) -> Scalar {
        match (self.number, &self.text) {
            (None, Some(text)) => Scalar::Text(text.to_string()),
            (number, _) => number.into(),
        }
    }
}

impl From<Number> for Scalar {
    fn from(number: Number) -> Self {
        match number {
            Number::Int(integer) => Scalar::Int(integer),
            // There is one zero.
            Number::Real(real) => Scalar::Real(real + 0.0),
        }
    }
}

impl From<Option<Number>> for Scalar {
    fn from(number: Option<Number>) -> Self {
        number.map_or(Scalar::Nothing, Scalar::from)
    }
}

impl From<Total> for Scalar {
    fn from(total: Total) -> Self {
        match total {
            Total::Number(number) => number.into(),
            Total::Nothing => Scalar::Nothing,
            Total::Overflow => Scalar::Overflow,
        }
    }
}

impl Scalar {
    /// The order of results: numbers by value, then text, then what is not there.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let parts = |scalar: &Self| match scalar {
            Scalar::Int(integer) => (0, Some(Number::Int(*integer)), None),
            Scalar::Real(real) => (0, Some(Number::Real(*real)), None),
            Scalar::Overflow => (1, None, None),
            Scalar::Text(text) => (2, None, Some(text.clone())),
            Scalar::Nothing => (3, None, None),
        };
        let ((rank, number, text), (other_rank, other_number, other_text)) = (parts(self), parts(other));
        let numbers = || number.zip(other_number).map_or(Ordering::Equal, |(a, b)| a.compare(b));
        rank.cmp(&other_rank).then_with(numbers).then_with(|| text.cmp(&other_text))
    }
}
