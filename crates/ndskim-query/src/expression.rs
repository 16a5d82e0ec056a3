//! Expressions: a path, or a function of one, as a person writes it: `/type`, `hour(created_at)`, `prefix(lower(name), 3)`.
//!
//! Here they are read and printed; `plan` evaluates them.

use std::fmt;
use std::str::FromStr;

use crate::cursor::{Cursor, Result, is_word};
use crate::decimal::Decimal;
use crate::error::SyntaxError;
use crate::path::Path;

/// A path, or a function of another expression.
///
/// ```
/// use ndskim_query::Expression;
/// let expression: Expression = "trunc( created_at , hour )".parse().unwrap();
/// assert_eq!(expression.to_string(), "trunc(created_at, hour)");
/// assert!(Expression::parse("uear(created_at)").unwrap_err().to_string().contains("did you mean `year`?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expression {
    /// The value at a path.
    Path(Path),
    /// A function of a value.
    Call(Function, Box<Expression>),
    /// The name of the record's input.
    File,
}

/// A function of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Function {
    /// A part of a time, in UTC.
    Part(TimePart, Unit),
    /// The start of the hour, day, week or month that a time lies in, as RFC 3339 text in UTC.
    Trunc(Span, Unit),
    /// Characters of a string, elements of an array, members of an object.
    Len,
    /// A string in lower case.
    Lower,
    /// The first characters of a string.
    Prefix(u32),
    /// The largest multiple of a width that is not above the number.
    Bucket(Decimal),
    /// The host of a URL.
    Host,
    /// The kind of a value, for instance `string`.
    Kind,
}

/// Parts of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TimePart {
    Year,
    Month,
    Day,
    Hour,
    /// 1 for Monday to 7 for Sunday.
    Weekday,
}

/// Spans of time that times are cut down to. A week begins on Monday.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Span {
    Hour,
    Day,
    Week,
    Month,
}

/// How times are written: as RFC 3339 text, or as numbers of some unit since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Unit {
    Text,
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

/// The functions, with what stands in their brackets.
const FUNCTIONS: [(&str, &str); 12] = [
    ("year", "year(PATH) or year(PATH, s|ms|us|ns)"),
    ("month", "month(PATH) or month(PATH, s|ms|us|ns)"),
    ("day", "day(PATH) or day(PATH, s|ms|us|ns)"),
    ("hour", "hour(PATH) or hour(PATH, s|ms|us|ns)"),
    ("weekday", "weekday(PATH) or weekday(PATH, s|ms|us|ns)"),
    ("trunc", "trunc(PATH, hour|day|week|month) or trunc(PATH, hour|day|week|month, s|ms|us|ns)"),
    ("len", "len(PATH)"),
    ("lower", "lower(PATH)"),
    ("prefix", "prefix(PATH, N)"),
    ("bucket", "bucket(PATH, WIDTH)"),
    ("host", "host(PATH)"),
    ("kind", "kind(PATH)"),
];

const UNITS: [(&str, Unit); 4] =
    [("s", Unit::Seconds), ("ms", Unit::Milliseconds), ("us", Unit::Microseconds), ("ns", Unit::Nanoseconds)];
const SPANS: [(&str, Span); 4] =
    [("hour", Span::Hour), ("day", Span::Day), ("week", Span::Week), ("month", Span::Month)];

impl Expression {
    /// Reads an expression. A text that begins with `/` is a JSON Pointer, nothing more.
    ///
    /// # Errors
    /// [`SyntaxError`].
    pub fn parse(text: &str) -> Result<Self> {
        if text.is_empty() || text.starts_with('/') {
            return Path::parse(text).map(Expression::Path);
        }
        let mut cursor = Cursor::new(text);
        let expression = Self::read(&mut cursor)?;
        cursor.space();
        let comma = cursor.peek() == Some(',');
        cursor.end().map_err(|error| match comma {
            true => error.advice("give each path its own flag, as in: --by type --by actor.login"),
            false => error,
        })?;
        Ok(expression)
    }

    /// Reads an expression within a longer text.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        Self::read_nested(cursor, 0)
    }

    fn read_nested(cursor: &mut Cursor<'_>, depth: usize) -> Result<Self> {
        cursor.space();
        let start = cursor.at();
        let name = cursor.take_while(is_word);
        let is_call = !name.is_empty() && cursor.eat("(");
        if !is_call {
            cursor.back_to(start);
            return Path::read(cursor).map(Expression::Path);
        }
        let name_span = start..start + name.len();
        if name == "file" {
            cursor.expect(")", "`)`: file() has nothing in its brackets")?;
            return Ok(Expression::File);
        }
        let Some((_, usage)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            let names: Vec<_> = FUNCTIONS.iter().map(|(name, _)| *name).chain(["file"]).collect();
            let advice = match closest(name, &names) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are {}", names.join(", ")),
            };
            return Err(cursor.error(name_span, "there is no such function").advice(advice));
        };
        if depth > 30 {
            return Err(cursor.error(name_span, "functions of functions of functions: this is too deep"));
        }
        let inner = Self::read_nested(cursor, depth + 1)?;
        let function = read_function(cursor, name).map_err(|error| error.advice(format!("write {usage}")))?;
        cursor.expect(")", "`)`").map_err(|error| error.advice(format!("write {usage}")))?;
        Ok(Expression::Call(function, Box::new(inner)))
    }

    /// The path that the expression begins with; none for `file()`.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Expression::Path(path) => Some(path),
            Expression::Call(_, inner) => inner.path(),
            Expression::File => None,
        }
    }
}

/// Reads what stands behind the first argument of a function.
fn read_function(cursor: &mut Cursor<'_>, name: &str) -> Result<Function> {
    Ok(match name {
        "year" => Function::Part(TimePart::Year, unit(cursor)?),
        "month" => Function::Part(TimePart::Month, unit(cursor)?),
        "day" => Function::Part(TimePart::Day, unit(cursor)?),
        "hour" => Function::Part(TimePart::Hour, unit(cursor)?),
        "weekday" => Function::Part(TimePart::Weekday, unit(cursor)?),
        "trunc" => {
            cursor.expect(",", "`,` and a span of time")?;
            Function::Trunc(choice(cursor, &SPANS, "hour, day, week or month")?, unit(cursor)?)
        }
        "len" => Function::Len,
        "lower" => Function::Lower,
        "prefix" => {
            cursor.expect(",", "`,` and a number of characters")?;
            cursor.space();
            let span = cursor.next_token();
            let count = cursor.number().and_then(|number| number.parse().ok());
            Function::Prefix(count.ok_or_else(|| cursor.error(span, "expected a number of characters"))?)
        }
        "bucket" => {
            cursor.expect(",", "`,` and a width")?;
            cursor.space();
            let span = cursor.next_token();
            let width = cursor.number().and_then(Decimal::parse).filter(Decimal::is_positive);
            Function::Bucket(width.ok_or_else(|| cursor.error(span, "expected a width: a number above 0"))?)
        }
        "host" => Function::Host,
        _ => Function::Kind,
    })
}

/// The unit of a time, if one is named.
fn unit(cursor: &mut Cursor<'_>) -> Result<Unit> {
    cursor.space();
    if cursor.eat(",") { choice(cursor, &UNITS, "a unit: s, ms, us or ns") } else { Ok(Unit::Text) }
}

fn choice<T: Copy>(cursor: &mut Cursor<'_>, choices: &[(&str, T)], what: &str) -> Result<T> {
    cursor.space();
    let word = cursor.peek_word();
    let Some((_, chosen)) = choices.iter().find(|(name, _)| *name == word) else { return Err(cursor.expected(what)) };
    cursor.advance(word.len());
    Ok(*chosen)
}

/// The known word that differs from `word` in two places at most.
pub(crate) fn closest<'n>(word: &str, known: &[&'n str]) -> Option<&'n str> {
    let best = known.iter().map(|name| (distance(word, name), *name)).min_by_key(|(distance, _)| *distance)?;
    (best.0 <= 2 && best.0 < best.1.len()).then_some(best.1)
}

/// Levenshtein's distance: insertions, deletions and substitutions that turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

impl FromStr for Expression {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Path(path) => path.fmt(f),
            Expression::File => f.write_str("file()"),
            Expression::Call(function, inner) => {
                write!(f, "{}({inner}", function.name())?;
                match function {
                    Function::Part(_, unit) => write!(f, "{})", unit.suffix()),
                    Function::Trunc(span, unit) => write!(f, ", {}{})", name_of(&SPANS, *span), unit.suffix()),
                    Function::Prefix(count) => write!(f, ", {count})"),
                    Function::Bucket(width) => write!(f, ", {width})"),
                    _ => f.write_str(")"),
                }
            }
        }
    }
}

fn name_of<T: PartialEq>(choices: &[(&'static str, T)], value: T) -> &'static str {
    choices.iter().find(|(_, known)| *known == value).map_or("", |(name, _)| name)
}

impl Unit {
    fn suffix(self) -> String {
        if self == Unit::Text { String::new() } else { format!(", {}", name_of(&UNITS, self)) }
    }
}

impl Function {
    /// The name of the function.
    pub fn name(&self) -> &'static str {
        match self {
            Function::Part(TimePart::Year, _) => "year",
            Function::Part(TimePart::Month, _) => "month",
            Function::Part(TimePart::Day, _) => "day",
            Function::Part(TimePart::Hour, _) => "hour",
            Function::Part(TimePart::Weekday, _) => "weekday",
            Function::Trunc(..) => "trunc",
            Function::Len => "len",
            Function::Lower => "lower",
            Function::Prefix(_) => "prefix",
            Function::Bucket(_) => "bucket",
            Function::Host => "host",
            Function::Kind => "kind",
        }
    }
}
