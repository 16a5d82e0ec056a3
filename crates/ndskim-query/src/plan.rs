//! Plans: a question's expressions and conditions, compiled so that a record is read once for all of them.
//!
//! The paths become one projection; an expression becomes a [`Node`] that knows its field's place in it. A plan also counts the
//! values that a function could not be applied to, so that nothing is left out silently. It knows nothing of groups.

use std::borrow::Cow;

use ndskim::{Kind, Pointer, Projection, Record, Value, ValueError};

use crate::decimal::{Decimal, Number};
use crate::expression::{Expression, Function, Unit};
use crate::item::Item;
use crate::path::Path;
use crate::question::QuestionError;
use crate::time::Moment;

type Result<T> = std::result::Result<T, ValueError>;

/// What is counted: a record, or one element of an array of it.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'r> {
    pub(crate) record: Record<'r>,
    pub(crate) element: Option<Value<'r>>,
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// A field of the projection.
    Field(usize),
    /// A value in the element.
    Element(Pointer),
    File,
    /// A function, and its place among those that count what they leave out.
    Call(Function, Box<Node>, usize),
}

/// What the compiled expressions of a question share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    fields: Vec<Pointer>,
    /// The array whose elements are counted, and its field.
    array: Option<(Pointer, usize)>,
    /// The calls of functions, as they are printed.
    pub(crate) calls: Vec<String>,
}

impl Plan {
    pub(crate) fn projection(&self) -> Projection {
        Projection::from(self.fields.clone())
    }

    /// The field with the array whose elements are counted.
    pub(crate) fn array(&self) -> Option<usize> {
        self.array.as_ref().map(|(_, field)| *field)
    }

    fn field(&mut self, pointer: Pointer) -> usize {
        self.fields.iter().position(|known| *known == pointer).unwrap_or_else(|| {
            self.fields.push(pointer);
            self.fields.len() - 1
        })
    }

    /// Compiles an expression.
    ///
    /// # Errors
    /// It goes through another array than those before.
    pub(crate) fn compile(&mut self, expression: &Expression) -> std::result::Result<Node, QuestionError> {
        Ok(match expression {
            Expression::Path(path) => self.path(path)?,
            Expression::File => Node::File,
            Expression::Call(function, inner) => {
                let inner = self.compile(inner)?;
                let label = expression.to_string();
                let place = self.calls.iter().position(|known| *known == label).unwrap_or_else(|| {
                    self.calls.push(label);
                    self.calls.len() - 1
                });
                Node::Call(function.clone(), Box::new(inner), place)
            }
        })
    }

    fn path(&mut self, path: &Path) -> std::result::Result<Node, QuestionError> {
        let Some(array) = path.array() else { return Ok(Node::Field(self.field(path.pointer()))) };
        match &self.array {
            Some((known, _)) if *known != array => {
                return Err(QuestionError::TwoArrays { first: known.to_string(), second: array.to_string() });
            }
            Some(_) => {}
            None => {
                let field = self.field(array.clone());
                self.array = Some((array, field));
            }
        }
        Ok(Node::Element(path.pointer()))
    }
}

impl Node {
    /// The value for one subject. `left_out` counts, by call, the values that a function could not be applied to.
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    pub(crate) fn value<'r>(&self, subject: &Subject<'r>, left_out: &mut [u64]) -> Result<Item<'r>> {
        Ok(match self {
            Node::Field(field) => Item::of(subject.record.field(*field)),
            Node::Element(pointer) => match subject.element {
                Some(element) => Item::of(element.pointer(pointer)?),
                None => Item::Missing,
            },
            Node::File => Item::Text(Cow::Borrowed(subject.record.input())),
            Node::Call(function, inner, place) => {
                let argument = inner.value(subject, left_out)?;
                if *function == Function::Kind {
                    return Ok(argument.kind().map_or(Item::Missing, |kind| Item::Text(Cow::Borrowed(kind.name()))));
                }
                if argument.is_void() {
                    return Ok(argument);
                }
                apply(function, argument)?.unwrap_or_else(|| {
                    left_out[*place] += 1;
                    Item::Missing
                })
            }
        })
    }
}

/// A function of a value that is there and not null; `None` if it cannot be applied to it.
fn apply<'r>(function: &Function, argument: Item<'r>) -> Result<Option<Item<'r>>> {
    Ok(match function {
        Function::Part(part, unit) => moment(&argument, *unit)?.and_then(|moment| moment.part(*part)).map(Item::Int),
        Function::Trunc(span, unit) => {
            moment(&argument, *unit)?.and_then(|moment| moment.trunc(*span)).map(Item::Stamp)
        }
        Function::Len => length(&argument)?.map(|length| Item::Int(length as i64)),
        Function::Lower => argument.into_text()?.map(|text| Item::Text(lower(text))),
        Function::Prefix(count) => argument.into_text()?.map(|text| Item::Text(prefix(text, *count))),
        Function::Host => argument.into_text()?.and_then(|url| host(&url).map(|host| Item::Text(Cow::Owned(host)))),
        Function::Bucket(width) => bucket(&argument, *width)?,
        Function::Kind => None,
    })
}

fn moment(item: &Item<'_>, unit: Unit) -> Result<Option<Moment>> {
    if unit != Unit::Text {
        return Ok(item.number()?.and_then(|number| Moment::of_epoch(number, unit)));
    }
    Ok(item.text()?.and_then(|text| Moment::parse(text.as_bytes())))
}

fn length(item: &Item<'_>) -> Result<Option<usize>> {
    if let Some(text) = item.text()? {
        return Ok(Some(text.chars().count()));
    }
    let Item::Json(value) = item else { return Ok(None) };
    if let Some(mut elements) = value.elements() {
        return elements.try_fold(0, |count, element| element.map(|_| count + 1)).map(Some);
    }
    let Some(members) = value.members() else { return Ok(None) };
    // Equal keys are one member.
    let mut keys = members.map(|member| member?.0.to_str_lossy()).collect::<Result<Vec<_>>>()?;
    keys.sort_unstable();
    keys.dedup();
    Ok(Some(keys.len()))
}

fn lower(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_lower = text.chars().all(|c| c.is_ascii() && !c.is_ascii_uppercase());
    if is_lower { text } else { Cow::Owned(text.to_lowercase()) }
}

fn prefix(text: Cow<'_, str>, count: u32) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(count as usize) else { return text };
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    }
}

/// The host of an absolute URL (RFC 3986, section 3.2), in lower case, without user and port.
fn host(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(address) => &host[..address.find(']')? + 2],
        None => host.split_once(':').map_or(host, |(host, _)| host),
    };
    (is_scheme && !host.is_empty()).then(|| host.to_lowercase())
}

fn bucket<'r>(item: &Item<'_>, width: Decimal) -> Result<Option<Item<'r>>> {
    if item.kind() != Some(Kind::Number) {
        return Ok(None);
    }
    // The usual case: both are integers.
    if let (Some(width), Some(Number::Int(value))) = (width.to_integer(), item.number()?)
        && let Some(low) = value.checked_div_euclid(width).and_then(|count| count.checked_mul(width))
        && let Ok(low) = i64::try_from(low)
    {
        return Ok(Some(Item::Int(low)));
    }
    let low = item.number_text()?.and_then(|text| Decimal::parse(&text)?.bucket(width));
    Ok(low.map(|low| Item::Number(low.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_those_of_urls() {
        let rows = [
            ("https://GitHub.com/a/b?x=http://c", Some("github.com")),
            ("http://user:secret@example.org:8080", Some("example.org")),
            ("ftp://[2001:DB8::1]:21/x", Some("[2001:db8::1]")),
            ("https://例え.jp#top", Some("例え.jp")),
            ("https://", None),
            ("https:///path", None),
            ("mailto:a@b.c", None),
            ("/relative", None),
            ("1http://a", None),
            ("http://[broken", None),
        ];
        for (url, expected) in rows {
            assert_eq!(host(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn prefixes_are_of_characters() {
        assert_eq!(prefix("日本語".into(), 2), "日本");
        assert_eq!(prefix("日本語".to_owned().into(), 9), "日本語");
        assert_eq!(prefix("x".into(), 0), "");
        assert_eq!(lower("ÄB".into()), "äb");
    }
}
