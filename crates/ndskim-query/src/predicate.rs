//! Conditions, made ready: as a filter of the scan where that can express them, so that a record is left as soon as it is
//! decided, and as predicates for the rest. Each is true or false of a subject; `docs/query.md` has the table of what they
//! say of missing values, null, and values of another kind.

use std::cmp::Ordering;

use ndskim::{Comparison, Filter, Literal as Constant, ValueError};
use regex::Regex;

use crate::condition::{Condition, Literal};
use crate::expression::Expression;
use crate::item::Item;
use crate::path::Path;
use crate::plan::{Node, Plan, Subject};
use crate::question::QuestionError;
use crate::room::Room;

type Result<T> = std::result::Result<T, ValueError>;

/// A compiled condition.
#[derive(Clone, Debug)]
pub(crate) enum Predicate {
    And(Vec<Predicate>),
    Or(Vec<Predicate>),
    Not(Box<Predicate>),
    Compare(Node, Comparison, Constant),
    Matches(Node, Regex),
    Mismatches(Node, Regex),
    In(Node, Vec<Constant>),
    Exists(Node),
}

/// The conditions as one filter, as far as a filter can express them, and the rest.
pub(crate) fn split(conditions: &[Condition]) -> (Option<Filter>, Vec<&Condition>) {
    let mut filter: Option<Filter> = None;
    let mut rest = Vec::new();
    let mut left: Vec<_> = conditions.iter().rev().collect();
    while let Some(condition) = left.pop() {
        match (lower(condition), condition) {
            (Some(lowered), _) => filter = Some(filter.map_or(lowered.clone(), |filter| filter.and(lowered))),
            (None, Condition::And(parts)) => left.extend(parts.iter().rev()),
            (None, _) => rest.push(condition),
        }
    }
    (filter, rest)
}

/// The condition as a filter; `None` if it is about more than fields of the record.
fn lower(condition: &Condition) -> Option<Filter> {
    let field = |expression: &Expression| match expression {
        Expression::Path(path) if path.array().is_none() => Some(Path::pointer(path)),
        _ => None,
    };
    match condition {
        Condition::And(parts) => parts.iter().map(lower).reduce(|a, b| Some(a?.and(b?)))?,
        Condition::Or(parts) => parts.iter().map(lower).reduce(|a, b| Some(a?.or(b?)))?,
        Condition::Not(inner) => lower(inner).map(|filter| !filter),
        Condition::Compare(subject, comparison, literal) => {
            Some(Filter::compare(field(subject)?, *comparison, constant(literal)))
        }
        Condition::In(subject, literals) => Some(Filter::one_of(field(subject)?, literals.iter().map(constant))),
        Condition::Exists(subject) => Some(Filter::exists(field(subject)?)),
        Condition::Matches(..) | Condition::Mismatches(..) => None,
    }
}

impl Predicate {
    /// Compiles a condition.
    ///
    /// # Errors
    /// As [`Plan::compile`].
    pub(crate) fn compile(condition: &Condition, plan: &mut Plan) -> std::result::Result<Self, QuestionError> {
        let mut all = |parts: &[Condition]| -> std::result::Result<Vec<_>, _> {
            parts.iter().map(|part| Self::compile(part, plan)).collect()
        };
        Ok(match condition {
            Condition::And(parts) => Predicate::And(all(parts)?),
            Condition::Or(parts) => Predicate::Or(all(parts)?),
            Condition::Not(inner) => Predicate::Not(Box::new(Self::compile(inner, plan)?)),
            Condition::Compare(subject, comparison, literal) => {
                Predicate::Compare(plan.compile(subject)?, *comparison, constant(literal))
            }
            Condition::Matches(subject, pattern) => Predicate::Matches(plan.compile(subject)?, pattern.0.clone()),
            Condition::Mismatches(subject, pattern) => Predicate::Mismatches(plan.compile(subject)?, pattern.0.clone()),
            Condition::In(subject, literals) => {
                Predicate::In(plan.compile(subject)?, literals.iter().map(constant).collect())
            }
            Condition::Exists(subject) => Predicate::Exists(plan.compile(subject)?),
        })
    }

    /// Whether the condition holds.
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    pub(crate) fn holds(&self, subject: &Subject<'_>, left_out: &mut [u64]) -> Result<bool> {
        Ok(match self {
            Predicate::And(parts) => !any(parts, |part| Ok(!part.holds(subject, left_out)?))?,
            Predicate::Or(parts) => any(parts, |part| part.holds(subject, left_out))?,
            Predicate::Not(inner) => !inner.holds(subject, left_out)?,
            Predicate::Compare(node, comparison, constant) => {
                let item = node.value(subject, left_out)?;
                item.kind().is_some() && comparison.admits(constant, order(&item, constant, subject.room)?)
            }
            Predicate::Matches(node, pattern) => matches(pattern, &node.value(subject, left_out)?, subject.room)?,
            Predicate::Mismatches(node, pattern) => {
                let item = node.value(subject, left_out)?;
                item.kind().is_some() && !matches(pattern, &item, subject.room)?
            }
            Predicate::In(node, constants) => {
                let item = node.value(subject, left_out)?;
                any(constants, |constant| Ok(order(&item, constant, subject.room)? == Some(Ordering::Equal)))?
            }
            Predicate::Exists(node) => node.value(subject, left_out)?.kind().is_some(),
        })
    }
}

fn any<T>(parts: &[T], mut test: impl FnMut(&T) -> Result<bool>) -> Result<bool> {
    for part in parts {
        if test(part)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn matches<'r>(pattern: &Regex, item: &Item<'r>, room: &'r Room) -> Result<bool> {
    Ok(item.text(room)?.is_some_and(|text| pattern.is_match(text)))
}

/// The literal as values of a record are compared with it.
fn constant(literal: &Literal) -> Constant {
    match literal {
        Literal::Text(text) => text.as_str().into(),
        // It was read as a number.
        Literal::Number(text) => Constant::number(text).unwrap_or(Constant::NULL),
        Literal::Bool(value) => (*value).into(),
        Literal::Null => Constant::NULL,
    }
}

/// How an item compares with a constant; `None` if it is of another kind, or missing.
fn order<'r>(item: &Item<'r>, constant: &Constant, room: &'r Room) -> Result<Option<Ordering>> {
    Ok(match item {
        Item::Json(value) => constant.compare(*value)?,
        Item::Text(_) | Item::Stamp(_) => item.text(room)?.and_then(|text| constant.compare_text(text)),
        Item::Int(_) | Item::Number(_) => item.number_text(room)?.and_then(|number| constant.compare_number(number)),
        Item::Missing => None,
    })
}

#[cfg(test)]
mod tests {
    use ndskim::Scan;

    use super::*;
    use crate::question::Question;

    #[test]
    fn a_comparison_is_the_same_as_a_filter_and_as_a_predicate() {
        let comparisons = [
            (Comparison::Equal, 1),
            (Comparison::NotEqual, 3),
            (Comparison::Less, 0),
            (Comparison::LessOrEqual, 0),
            (Comparison::Greater, 0),
            (Comparison::GreaterOrEqual, 0),
        ];
        let records = b"{\"x\":false}\n{\"x\":true}\n{\"x\":1}\n{\"x\":null}\n{}\n";
        for (comparison, matched) in comparisons {
            for literal in [Literal::Bool(true), Literal::Bool(false), Literal::Null] {
                let condition = Condition::Compare(Expression::parse("x").unwrap(), comparison, literal.clone());
                let ask = |question: Question| {
                    let answer =
                        question.filter(condition.clone()).prepare().unwrap().ask(Scan::bytes(records)).unwrap();
                    answer.matched
                };
                let case = format!("{comparison:?} {literal:?}");
                assert_eq!(ask(Question::new()), matched, "as a filter: {case}");
                // With a limit, conditions are predicates.
                assert_eq!(ask(Question::new().limit(9)), matched, "as a predicate: {case}");
            }
        }
    }
}
