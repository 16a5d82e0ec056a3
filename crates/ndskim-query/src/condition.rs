//! Conditions: what `--where` is given. Read and printed here, evaluated by `plan`.
//!
//! A path or a function of one stands on the left of an operator and a value on its right, so that neither can be taken for the
//! other. A condition is always true or false, never unknown: see `docs/query.md` for what each operator says of values that
//! are missing, null, or of another kind.

use std::fmt;
use std::str::FromStr;

use ndskim::Comparison;
use regex::Regex;

use crate::cursor::{Cursor, RESERVED, Result};
use crate::decimal::canonical;
use crate::error::SyntaxError;
use crate::expression::Expression;
use crate::path::quoted;

/// A condition on a record.
///
/// ```
/// use ndskim_query::Condition;
/// let condition: Condition = "not (type in ('a',\"b\") or size>=1e3) and login ~ '\\[bot\\]$'".parse().unwrap();
/// assert_eq!(condition.to_string(), "not (type in (\"a\", \"b\") or size >= 1000) and login ~ \"\\\\[bot\\\\]$\"");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Condition {
    /// All of these hold.
    And(Vec<Condition>),
    /// One of these holds.
    Or(Vec<Condition>),
    /// The other does not hold.
    Not(Box<Condition>),
    /// The value compares like this with a literal.
    Compare(Expression, Comparison, Literal),
    /// The value is a string in which the pattern is found.
    Matches(Expression, Pattern),
    /// There is a value, and it is no string in which the pattern is found.
    Mismatches(Expression, Pattern),
    /// The value is one of these.
    In(Expression, Vec<Literal>),
    /// There is a value, `null` or any other.
    Exists(Expression),
}

/// A value in a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Literal {
    /// Text.
    Text(String),
    /// A number, as canonical JSON text.
    Number(String),
    /// A boolean.
    Bool(bool),
    /// `null`.
    Null,
}

/// A regular expression, in the syntax of the crate `regex`.
#[derive(Clone, Debug)]
pub struct Pattern(pub(crate) Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// The levels that conditions may be nested.
const MAX_DEPTH: usize = 100;

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// [`SyntaxError`].
    pub fn parse(text: &str) -> Result<Self> {
        let mut cursor = Cursor::new(text);
        let condition = either(&mut cursor, 0)?;
        cursor.space();
        for (wrong, right) in [("&&", "and"), ("||", "or"), ("&", "and"), ("|", "or")] {
            if cursor.rest().starts_with(wrong) {
                let span = cursor.at()..cursor.at() + wrong.len();
                return Err(cursor
                    .error(span, format!("there is no operator `{wrong}`"))
                    .advice(format!("write `{right}`")));
            }
        }
        let word = cursor.peek_word();
        let advice = match RESERVED.iter().find(|reserved| reserved.eq_ignore_ascii_case(word)) {
            Some(reserved) => format!("write `{reserved}` in small letters"),
            None => "join conditions with `and` or `or`".to_owned(),
        };
        cursor.end().map_err(|error| error.advice(advice))?;
        Ok(condition)
    }
}

fn either(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition> {
    joined(cursor, "or", depth, both).map(|parts| one_or(parts, Condition::Or))
}

fn both(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition> {
    joined(cursor, "and", depth, negated).map(|parts| one_or(parts, Condition::And))
}

fn joined(
    cursor: &mut Cursor<'_>,
    word: &str,
    depth: usize,
    part: impl Fn(&mut Cursor<'_>, usize) -> Result<Condition>,
) -> Result<Vec<Condition>> {
    let mut parts = vec![part(cursor, depth)?];
    loop {
        cursor.space();
        if !cursor.eat_word(word) {
            return Ok(parts);
        }
        parts.push(part(cursor, depth)?);
    }
}

fn one_or(mut parts: Vec<Condition>, many: impl Fn(Vec<Condition>) -> Condition) -> Condition {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, last) => many(parts.into_iter().chain(last).collect()),
    }
}

fn negated(cursor: &mut Cursor<'_>, depth: usize) -> Result<Condition> {
    cursor.space();
    if depth > MAX_DEPTH {
        return Err(cursor.error(cursor.next_token(), format!("more than {MAX_DEPTH} levels")));
    }
    if cursor.eat_word("not") {
        return Ok(Condition::Not(Box::new(negated(cursor, depth + 1)?)));
    }
    if cursor.peek() == Some('!') {
        return Err(cursor.expected("a condition").advice("write `not`"));
    }
    let open = cursor.at();
    if cursor.eat("(") {
        let inner = either(cursor, depth + 1)?;
        cursor.space();
        if !cursor.eat(")") {
            let error = cursor.expected("`)`, `and` or `or`");
            return Err(error.advice(format!("a bracket was opened at character {}", open + 1)));
        }
        return Ok(inner);
    }
    predicate(cursor)
}

/// An expression and what is said of it.
fn predicate(cursor: &mut Cursor<'_>) -> Result<Condition> {
    cursor.space();
    let first = cursor.at();
    let subject = Expression::read(cursor)?;
    cursor.space();
    if cursor.eat_word("exists") {
        return Ok(Condition::Exists(subject));
    }
    let start = cursor.at();
    let not = cursor.eat_word("not");
    cursor.space();
    if cursor.eat_word("in") {
        let list = Condition::In(subject, list(cursor)?);
        return Ok(if not { Condition::Not(Box::new(list)) } else { list });
    }
    if not {
        return Err(cursor.expected("`in` behind `not`"));
    }
    let operator = cursor.take_while(|c| "=!<>~".contains(c));
    let span = start..cursor.at().max(cursor.next_token().end.min(start + operator.len().max(1)));
    let comparison = match operator {
        "=" => Comparison::Equal,
        "!=" => Comparison::NotEqual,
        "<" => Comparison::Less,
        "<=" => Comparison::LessOrEqual,
        ">" => Comparison::Greater,
        ">=" => Comparison::GreaterOrEqual,
        "~" | "!~" => {
            let pattern = pattern(cursor)?;
            return Ok(if operator == "~" {
                Condition::Matches(subject, pattern)
            } else {
                Condition::Mismatches(subject, pattern)
            });
        }
        "" => {
            let what = "expected =, !=, <, <=, >, >=, ~, !~, in or exists behind the path";
            let error = cursor.error(cursor.next_token(), what);
            return Err(match advice_on(cursor.peek_word()) {
                Some(advice) => error.advice(advice),
                None => error,
            });
        }
        _ => {
            let right = match operator {
                "==" | "===" => "write a single `=`",
                "<>" | "!==" => "write `!=`",
                "=~" => "write `~`",
                "=<" => "write `<=`",
                "=>" => "write `>=`",
                _ => "there are =, !=, <, <=, >, >=, ~ and !~",
            };
            return Err(cursor.error(span, format!("there is no operator `{operator}`")).advice(right));
        }
    };
    cursor.space();
    let value = cursor.at();
    let literal = literal(cursor).map_err(|error| match subject.path() {
        Some(path) if cursor.text_at(first, value).starts_with('"') => {
            error.advice(format!("a path stands on the left, a value on the right; {path} on the left is a path"))
        }
        _ => error,
    })?;
    let has_order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    if has_order && !matches!(literal, Literal::Text(_) | Literal::Number(_)) {
        return Err(cursor.error(value..cursor.at(), "only text and numbers are more or less than others"));
    }
    Ok(Condition::Compare(subject, comparison, literal))
}

/// What to write for an operator that other languages have.
fn advice_on(word: &str) -> Option<&'static str> {
    Some(match &*word.to_ascii_lowercase() {
        "is" => "write `= null` or `!= null`; `PATH exists` holds for null too",
        "eq" | "equals" => "write `=`",
        "ne" => "write `!=`",
        "like" | "contains" | "matches" | "startswith" | "endswith" => {
            "write `~` and a regular expression, as in: login ~ '^a' or login ~ '\\[bot\\]$'"
        }
        "between" => "write PATH >= LOW and PATH <= HIGH",
        "in" | "exists" | "not" => "write it in small letters",
        _ => return None,
    })
}

fn list(cursor: &mut Cursor<'_>) -> Result<Vec<Literal>> {
    cursor.expect("(", "`(` and values, as in: PATH in ('a', 'b')")?;
    let mut literals = Vec::new();
    loop {
        literals.push(literal(cursor)?);
        cursor.space();
        if cursor.eat(")") {
            return Ok(literals);
        }
        cursor.expect(",", "`,` or `)`")?;
    }
}

fn literal(cursor: &mut Cursor<'_>) -> Result<Literal> {
    cursor.space();
    if let Some('"' | '\'') = cursor.peek() {
        return cursor.string().map(Literal::Text);
    }
    if let Some(number) = cursor.number() {
        return Ok(Literal::Number(canonical(number)));
    }
    for (word, literal) in [("true", Literal::Bool(true)), ("false", Literal::Bool(false)), ("null", Literal::Null)] {
        if cursor.eat_word(word) {
            return Ok(literal);
        }
    }
    let error = cursor.expected("a value: text in quotes, a number, true, false or null");
    let word = cursor.peek_word();
    let small = word.to_ascii_lowercase();
    Err(match &*small {
        "" => error,
        "true" | "false" | "null" => error.advice(format!("write {small}")),
        "none" | "nil" => error.advice("write null"),
        _ => error.advice(format!("write '{word}'")),
    })
}

fn pattern(cursor: &mut Cursor<'_>) -> Result<Pattern> {
    cursor.space();
    let start = cursor.at();
    if !matches!(cursor.peek(), Some('"' | '\'')) {
        return Err(cursor.expected("a regular expression in quotes").advice("as in: login ~ '\\[bot\\]$'"));
    }
    let text = cursor.string()?;
    Regex::new(&text).map(Pattern).map_err(|error| {
        let reason = error.to_string();
        let last = reason.lines().last().unwrap_or_default();
        let reason = last.strip_prefix("error: ").unwrap_or(last).to_owned();
        cursor.error(start..cursor.at(), format!("this is no regular expression: {reason}"))
    })
}

impl FromStr for Condition {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::And(parts) => {
                join(f, parts, " and ", |part| matches!(part, Condition::Or(_) | Condition::And(_)))
            }
            Condition::Or(parts) => join(f, parts, " or ", |part| matches!(part, Condition::Or(_))),
            Condition::Not(inner) => match &**inner {
                Condition::And(_) | Condition::Or(_) => write!(f, "not ({inner})"),
                _ => write!(f, "not {inner}"),
            },
            Condition::Compare(subject, comparison, literal) => {
                write!(f, "{subject} {} {literal}", symbol(*comparison))
            }
            Condition::Matches(subject, pattern) => write!(f, "{subject} ~ {pattern}"),
            Condition::Mismatches(subject, pattern) => write!(f, "{subject} !~ {pattern}"),
            Condition::In(subject, literals) => {
                let literals: Vec<_> = literals.iter().map(Literal::to_string).collect();
                write!(f, "{subject} in ({})", literals.join(", "))
            }
            Condition::Exists(subject) => write!(f, "{subject} exists"),
        }
    }
}

fn join(
    f: &mut fmt::Formatter<'_>,
    parts: &[Condition],
    word: &str,
    needs_brackets: impl Fn(&Condition) -> bool,
) -> fmt::Result {
    for (number, part) in parts.iter().enumerate() {
        f.write_str(if number > 0 { word } else { "" })?;
        if needs_brackets(part) { write!(f, "({part})")? } else { write!(f, "{part}")? }
    }
    Ok(())
}

fn symbol(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "!=",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Text(text) => f.write_str(&quoted(text)),
            Literal::Number(number) => f.write_str(number),
            Literal::Bool(value) => value.fmt(f),
            Literal::Null => f.write_str("null"),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quoted(self.0.as_str()))
    }
}
