//! Filters: which records a scan is for, as an expression over fields.
//!
//! In goes an expression that a caller builds; out comes, for each record, yes or no. While some fields of a record are not
//! read yet, the answer may be open; as soon as what is read decides it, reading can stop. An expression is data, not a
//! closure, so that an engine knows which fields it needs and when it has enough. It never decides on a value that is
//! malformed.

use std::cmp::Ordering;
use std::ops::Not;

use crate::error::ValueError;
use crate::number::compare_numbers;
use crate::pointer::{Pointer, Projection};
use crate::text::compare_content;
use crate::value::{Kind, Value};
use crate::{exact, skim};

/// An expression over fields that decides which records a scan is for; see [`Scan::filter`](crate::Scan::filter).
///
/// A comparison is between a field and a constant of kind string, number, boolean or null. Values of different kinds are never
/// equal and have no order, and nothing is converted. Strings are compared after unescaping, by code point; numbers by exact
/// decimal value, so that `1`, `1.0` and `1e0` are equal.
///
/// | the field is | `=` | `!=` | `<` `<=` `>` `>=` | in a set | exists | is of kind |
/// |---|---|---|---|---|---|---|
/// | of the constant's kind, string or number | by value | not `=` | by value | any is `=` | true | by kind |
/// | of the constant's kind, boolean or null | by value | not `=` | false | any is `=` | true | by kind |
/// | of another kind, `null` too | false | true | false | false | true | by kind |
/// | not there | false | false | false | false | false | false |
///
/// `and`, `or` and `not` are those of two-valued logic over these: `!Filter::eq(p, 1)` also lets records through that do not
/// have the field, which `!=` does not.
///
/// ```
/// use ndskim::{Filter, Pointer, Scan};
/// let kind = Pointer::parse("/type").unwrap();
/// let size = Pointer::parse("/size").unwrap();
/// let outcome = Scan::bytes(b"{\"type\":\"a\",\"size\":1}\n{\"type\":\"a\",\"size\":5e0}\n{\"type\":\"b\",\"size\":9}\n{}\n")
///     .filter(Filter::eq(kind, "a").and(Filter::compare(size, ndskim::Comparison::Greater, 2)))
///     .map(|record| record.text().len())
///     .unwrap();
/// assert_eq!(outcome.value, [23]);
/// assert_eq!((outcome.stats.records, outcome.stats.matched), (4, 1));
/// ```
#[derive(Clone, Debug)]
pub struct Filter(Expression);

#[derive(Clone, Debug)]
enum Expression {
    Test(Pointer, Test),
    All(Vec<Filter>),
    Any(Vec<Filter>),
    Not(Box<Filter>),
}

/// What is asked of one field.
#[derive(Clone, Debug)]
enum Test {
    Compare(Comparison, Literal),
    OneOf(Vec<Literal>),
    Exists,
    Kind(Kind),
}

/// How a [`Filter`] compares a field with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// Whether a value that is there satisfies the comparison with a constant, by how it compares with it: what
    /// [`Literal::compare`] and its like give, `None` for a value of another kind. Only strings and numbers are less or more.
    ///
    /// ```
    /// use std::cmp::Ordering;
    /// use ndskim::{Comparison, Literal};
    /// assert!(Comparison::Less.admits(&Literal::from(5), Some(Ordering::Less)));
    /// assert!(!Comparison::Less.admits(&Literal::from(true), Some(Ordering::Less)));
    /// assert!(Comparison::NotEqual.admits(&Literal::from(5), None));
    /// ```
    pub fn admits(self, literal: &Literal, ordering: Option<Ordering>) -> bool {
        let has_order = matches!(literal.kind(), Kind::String | Kind::Number);
        let ordered = |test: fn(Ordering) -> bool| has_order && ordering.is_some_and(test);
        match self {
            Comparison::Equal => ordering == Some(Ordering::Equal),
            Comparison::NotEqual => ordering != Some(Ordering::Equal),
            Comparison::Less => ordered(Ordering::is_lt),
            Comparison::LessOrEqual => ordered(Ordering::is_le),
            Comparison::Greater => ordered(Ordering::is_gt),
            Comparison::GreaterOrEqual => ordered(Ordering::is_ge),
        }
    }
}

/// A constant that a [`Filter`] compares fields with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Literal(Constant);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Constant {
    String(String),
    /// A number as JSON text.
    Number(Box<[u8]>),
    Bool(bool),
    Null,
}

impl Literal {
    /// `null`.
    pub const NULL: Self = Self(Constant::Null);

    /// A number of any size and precision, written as in JSON; `None` for any other text.
    ///
    /// ```
    /// use ndskim::Literal;
    /// assert!(Literal::number("-1.5e400").is_some());
    /// assert!(Literal::number("01").is_none());
    /// ```
    pub fn number(text: &str) -> Option<Self> {
        let is_number = exact::number(text.as_bytes(), 0).is_ok_and(|end| end == text.len());
        is_number.then(|| Self(Constant::Number(text.as_bytes().into())))
    }

    fn kind(&self) -> Kind {
        match self.0 {
            Constant::String(_) => Kind::String,
            Constant::Number(_) => Kind::Number,
            Constant::Bool(_) => Kind::Bool,
            Constant::Null => Kind::Null,
        }
    }

    /// How a value compares with the constant; `None` if they are of different kinds. Booleans have an order here: `false` is
    /// less than `true`.
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    ///
    /// ```
    /// use std::cmp::Ordering;
    /// use ndskim::{Literal, Scan};
    /// let orders = Scan::bytes(b"1\n5e0\n\"5\"\n").map(|record| Literal::from(5).compare(record.value()).unwrap());
    /// assert_eq!(orders.unwrap().value, [Some(Ordering::Less), Some(Ordering::Equal), None]);
    /// ```
    pub fn compare(&self, value: Value<'_>) -> Result<Option<Ordering>, ValueError> {
        if value.kind() != self.kind() {
            return Ok(None);
        }
        Ok(Some(match &self.0 {
            Constant::String(text) => match value.plain_str().or_else(|| value.decoded()) {
                Some(decoded) => decoded.as_bytes().cmp(text.as_bytes()),
                None => {
                    let string = value.raw()?;
                    compare_content(&string[1..string.len() - 1], text.as_bytes())
                }
            },
            Constant::Number(number) => compare_numbers(value.scalar()?, number),
            Constant::Bool(boolean) => (value.scalar()? == b"true").cmp(boolean),
            Constant::Null => {
                value.scalar()?;
                Ordering::Equal
            }
        }))
    }

    /// As [`compare`](Self::compare), of a string that stands in no record.
    ///
    /// ```
    /// use std::cmp::Ordering;
    /// use ndskim::Literal;
    /// assert_eq!(Literal::from("b").compare_text("a"), Some(Ordering::Less));
    /// assert_eq!(Literal::from(1).compare_text("1"), None);
    /// ```
    pub fn compare_text(&self, text: &str) -> Option<Ordering> {
        match &self.0 {
            Constant::String(constant) => Some(text.cmp(constant.as_str())),
            _ => None,
        }
    }

    /// As [`compare`](Self::compare), of the text of a JSON number that stands in no record; `None` too if it is none.
    ///
    /// ```
    /// use std::cmp::Ordering;
    /// use ndskim::Literal;
    /// assert_eq!(Literal::from(100).compare_number("1e2"), Some(Ordering::Equal));
    /// assert_eq!(Literal::from("100").compare_number("1e2"), None);
    /// assert_eq!(Literal::from(100).compare_number("hundred"), None);
    /// ```
    pub fn compare_number(&self, number: &str) -> Option<Ordering> {
        let is_number = exact::number(number.as_bytes(), 0).is_ok_and(|end| end == number.len());
        match &self.0 {
            Constant::Number(constant) if is_number => Some(compare_numbers(number.as_bytes(), constant)),
            _ => None,
        }
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Self(Constant::String(text.to_owned()))
    }
}

impl From<String> for Literal {
    fn from(text: String) -> Self {
        Self(Constant::String(text))
    }
}

impl From<bool> for Literal {
    fn from(boolean: bool) -> Self {
        Self(Constant::Bool(boolean))
    }
}

macro_rules! from_integers {
    ($($type:ty)*) => {$(
        impl From<$type> for Literal {
            fn from(integer: $type) -> Self {
                Self(Constant::Number(integer.to_string().into_bytes().into()))
            }
        }
    )*};
}

from_integers! { i32 i64 u32 u64 }

impl Filter {
    /// Compares a field with a constant.
    pub fn compare(pointer: Pointer, comparison: Comparison, literal: impl Into<Literal>) -> Self {
        Self(Expression::Test(pointer, Test::Compare(comparison, literal.into())))
    }

    /// Whether a field is equal to a constant.
    pub fn eq(pointer: Pointer, literal: impl Into<Literal>) -> Self {
        Self::compare(pointer, Comparison::Equal, literal)
    }

    /// Whether a field is equal to one of some constants.
    ///
    /// ```
    /// use ndskim::{Filter, Literal, Pointer, Scan};
    /// let filter = Filter::one_of(Pointer::parse("").unwrap(), [1.into(), "a".into(), Literal::NULL]);
    /// let outcome = Scan::bytes(b"1.0\n\"a\"\n2\nnull\n").filter(filter).for_each(|_| ()).unwrap();
    /// assert_eq!(outcome.stats.matched, 3);
    /// ```
    pub fn one_of(pointer: Pointer, literals: impl IntoIterator<Item = Literal>) -> Self {
        Self(Expression::Test(pointer, Test::OneOf(literals.into_iter().collect())))
    }

    /// Whether a field is there, `null` or not.
    pub fn exists(pointer: Pointer) -> Self {
        Self(Expression::Test(pointer, Test::Exists))
    }

    /// Whether a field is there and of some kind.
    pub fn is_kind(pointer: Pointer, kind: Kind) -> Self {
        Self(Expression::Test(pointer, Test::Kind(kind)))
    }

    /// Whether both filters let a record through.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match self.0 {
            Expression::All(mut filters) => {
                filters.push(other);
                Self(Expression::All(filters))
            }
            _ => Self(Expression::All(vec![self, other])),
        }
    }

    /// Whether at least one of the filters lets a record through.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self.0 {
            Expression::Any(mut filters) => {
                filters.push(other);
                Self(Expression::Any(filters))
            }
            _ => Self(Expression::Any(vec![self, other])),
        }
    }

    /// The filter over the slots of a projection, to which the pointers that it does not have are added.
    fn plan(&self, pointers: &mut Vec<Pointer>, tests: &mut Vec<(usize, Test)>) -> Plan {
        let plan = |filters: &[Filter], pointers: &mut Vec<Pointer>, tests: &mut Vec<(usize, Test)>| {
            filters.iter().map(|filter| filter.plan(pointers, tests)).collect()
        };
        match &self.0 {
            Expression::Test(pointer, test) => {
                let slot = pointers.iter().position(|known| known == pointer).unwrap_or_else(|| {
                    pointers.push(pointer.clone());
                    pointers.len() - 1
                });
                tests.push((slot, test.clone()));
                Plan::Test(tests.len() - 1)
            }
            Expression::All(filters) => Plan::All(plan(filters, pointers, tests)),
            Expression::Any(filters) => Plan::Any(plan(filters, pointers, tests)),
            Expression::Not(filter) => Plan::Not(Box::new(filter.plan(pointers, tests))),
        }
    }
}

impl Not for Filter {
    type Output = Self;

    fn not(self) -> Self {
        Self(Expression::Not(Box::new(self)))
    }
}

/// A filter made ready for a scan: its tests ask for slots of the scan's projection.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    tests: Vec<(usize, Test)>,
    plan: Plan,
}

#[derive(Clone, Debug)]
enum Plan {
    Test(usize),
    All(Vec<Plan>),
    Any(Vec<Plan>),
    Not(Box<Plan>),
}

impl Gate {
    /// Makes a filter ready; the projection gets the fields that it lacks for it, behind its own.
    pub(crate) fn new(filter: &Filter, projection: &mut Projection) -> Self {
        let mut pointers = projection.pointers().to_vec();
        let mut tests = Vec::new();
        let plan = filter.plan(&mut pointers, &mut tests);
        *projection = Projection::from(pointers);
        Self { tests, plan }
    }

    /// Whether a record of which all fields are known is let through.
    ///
    /// # Errors
    /// [`ValueError::Malformed`], for a value that had to be looked at.
    pub(crate) fn admits(&self, fields: &[Option<Value<'_>>]) -> Result<bool, ValueError> {
        let verdict = self.plan.verdict(&mut |test| {
            let (slot, test) = &self.tests[test];
            test.holds(fields.get(*slot).copied().flatten()).map(Some)
        })?;
        Ok(verdict == Some(true))
    }
}

impl Plan {
    /// The answer of the expression, as far as the answers of its tests are known.
    fn verdict<E>(&self, test: &mut impl FnMut(usize) -> Result<Option<bool>, E>) -> Result<Option<bool>, E> {
        let (parts, decisive) = match self {
            Plan::Test(number) => return test(*number),
            Plan::Not(plan) => return Ok(plan.verdict(test)?.map(|verdict| !verdict)),
            Plan::All(parts) => (parts, false),
            Plan::Any(parts) => (parts, true),
        };
        let mut verdict = Some(!decisive);
        for part in parts {
            match part.verdict(test)? {
                Some(answer) if answer == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => verdict = None,
            }
        }
        Ok(verdict)
    }
}

impl Test {
    /// Whether a field passes the test.
    fn holds(&self, field: Option<Value<'_>>) -> Result<bool, ValueError> {
        let Some(value) = field else { return Ok(false) };
        match self {
            Test::Exists => Ok(true),
            Test::Kind(kind) => Ok(value.kind() == *kind),
            Test::OneOf(literals) => {
                for literal in literals {
                    if literal.compare(value)? == Some(Ordering::Equal) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::Compare(comparison, literal) => Ok(comparison.admits(literal, literal.compare(value)?)),
        }
    }
}

/// A filter's view of one record whose fields are found one after the other.
pub(crate) struct Watcher<'x, F> {
    gate: &'x Gate,
    /// The answers of the tests, by number; scratch.
    answers: &'x mut Vec<Option<bool>>,
    /// The slots from here on are the filter's own.
    projected: usize,
    /// The slots before that which are still to be found or missed.
    open: usize,
    /// The value at an offset of the record.
    value: F,
    verdict: Option<bool>,
}

impl<'x, 'a, F: Fn(usize) -> Value<'a>> Watcher<'x, F> {
    pub(crate) fn new(gate: &'x Gate, answers: &'x mut Vec<Option<bool>>, projected: usize, value: F) -> Self {
        answers.clear();
        answers.resize(gate.tests.len(), None);
        Self { gate, answers, projected, open: projected, value, verdict: None }
    }

    /// Whether the record is let through, when everything has been found that was to be found.
    pub(crate) fn admits(&mut self) -> bool {
        if self.verdict.is_none() {
            for slot in 0..self.gate.tests.len() {
                self.answers[slot].get_or_insert(false);
            }
            self.decide();
        }
        self.verdict == Some(true)
    }

    fn decide(&mut self) {
        let answers = &*self.answers;
        let Ok(verdict) = self.gate.plan.verdict(&mut |test| Ok::<_, std::convert::Infallible>(answers[test]));
        self.verdict = verdict;
    }
}

impl<'a, F: Fn(usize) -> Value<'a>> skim::Watch for Watcher<'_, F> {
    const WATCHES: bool = true;

    fn slot(&mut self, slot: usize, at: Option<usize>) -> skim::Result<bool> {
        if slot < self.projected {
            self.open -= 1;
        }
        if self.verdict.is_none() {
            let mut is_new = false;
            for (number, (_, test)) in self.gate.tests.iter().enumerate().filter(|(_, (of, _))| *of == slot) {
                let answer = test.holds(at.map(&self.value)).map_err(|_| skim::Malformed)?;
                self.answers[number] = Some(answer);
                is_new = true;
            }
            if is_new {
                self.decide();
            }
        }
        Ok(match self.verdict {
            Some(true) => self.open > 0,
            Some(false) => false,
            None => true,
        })
    }
}

#[cfg(test)]
mod tests;
