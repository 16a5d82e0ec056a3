//! Plans: a question's expressions and conditions, compiled so that a record is read once for all of them.
//!
//! The paths become one projection; an expression becomes a [`Node`] that knows its field's place in it. A plan also counts the
//! values that a function could not be applied to, so that nothing is left out silently. It knows nothing of groups.

use ndskim::{Kind, Pointer, Projection, Record, Value, ValueError};

use crate::decimal::{Decimal, Number};
use crate::expression::{Expression, Function, Unit};
use crate::item::Item;
use crate::path::Path;
use crate::question::QuestionError;
use crate::room::Room;
use crate::time::Moment;

type Result<T> = std::result::Result<T, ValueError>;

/// What is counted: a record, or one element of an array of it.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'r> {
    pub(crate) record: Record<'r>,
    pub(crate) element: Option<Value<'r>>,
    pub(crate) room: &'r Room,
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
            Node::File => Item::Text(subject.record.input()),
            Node::Call(function, inner, place) => {
                let argument = inner.value(subject, left_out)?;
                if *function == Function::Kind {
                    return Ok(argument.kind().map_or(Item::Missing, |kind| Item::Text(kind.name())));
                }
                if argument.is_void() {
                    return Ok(argument);
                }
                apply(function, argument, subject.room)?.unwrap_or_else(|| {
                    left_out[*place] += 1;
                    Item::Missing
                })
            }
        })
    }
}

/// A function of a value that is there and not null; `None` if it cannot be applied to it.
fn apply<'r>(function: &Function, argument: Item<'r>, room: &'r Room) -> Result<Option<Item<'r>>> {
    Ok(match function {
        Function::Part(part, unit) => {
            moment(&argument, *unit, room)?.and_then(|moment| moment.part(*part)).map(Item::Int)
        }
        Function::Trunc(span, unit) => {
            moment(&argument, *unit, room)?.and_then(|moment| moment.trunc(*span)).map(Item::Stamp)
        }
        Function::Len => length(&argument, room)?.map(|length| Item::Int(length as i64)),
        Function::Lower => argument.text(room)?.map(|text| Item::Text(lower(text, room))),
        Function::Prefix(count) => argument.text(room)?.map(|text| Item::Text(prefix(text, *count))),
        Function::Host => argument.text(room)?.and_then(host).map(|host| Item::Text(lower(host, room))),
        Function::Bucket(width) => bucket(&argument, *width, room)?,
        Function::Kind => None,
    })
}

fn moment<'r>(item: &Item<'r>, unit: Unit, room: &'r Room) -> Result<Option<Moment>> {
    if unit != Unit::Text {
        return Ok(item.number(room)?.and_then(|number| Moment::of_epoch(number, unit)));
    }
    Ok(item.text(room)?.and_then(|text| Moment::parse(text.as_bytes())))
}

fn length<'r>(item: &Item<'r>, room: &'r Room) -> Result<Option<usize>> {
    if let Some(text) = item.text(room)? {
        return Ok(Some(text.chars().count()));
    }
    let Item::Json(value) = item else { return Ok(None) };
    if let Some(mut elements) = value.elements() {
        return elements.try_fold(0, |count, element| element.map(|_| count + 1)).map(Some);
    }
    let Some(members) = value.members() else { return Ok(None) };
    // Equal keys are one member.
    let mut keys = room.list();
    for member in members {
        keys.push(Item::Json(member?.0).text(room)?);
    }
    keys.sort_unstable();
    keys.dedup();
    Ok(Some(keys.len()))
}

fn lower<'r>(text: &'r str, room: &'r Room) -> &'r str {
    let is_lower = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_lower { text } else { room.lower(text) }
}

fn prefix(text: &str, count: u32) -> &str {
    text.char_indices().nth(count as usize).map_or(text, |(end, _)| &text[..end])
}

/// The host of an absolute URL (RFC 3986, section 3.2), without user and port.
fn host(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(address) => &host[..address.find(']')? + 2],
        None => host.split_once(':').map_or(host, |(host, _)| host),
    };
    (is_scheme && !host.is_empty()).then_some(host)
}

fn bucket<'r>(item: &Item<'r>, width: Decimal, room: &'r Room) -> Result<Option<Item<'r>>> {
    if item.kind() != Some(Kind::Number) {
        return Ok(None);
    }
    // The usual case: both are integers.
    if let (Some(width), Some(Number::Int(value))) = (width.to_integer(), item.number(room)?)
        && let Some(low) = value.checked_div_euclid(width).and_then(|count| count.checked_mul(width))
        && let Ok(low) = i64::try_from(low)
    {
        return Ok(Some(Item::Int(low)));
    }
    let low = item.number_text(room)?.and_then(|text| Decimal::parse(text)?.bucket(width));
    Ok(low.map(|low| Item::Number(room.format(format_args!("{low}")))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_those_of_urls() {
        let rows = [
            ("https://GitHub.com/a/b?x=http://c", Some("GitHub.com")),
            ("http://user:secret@example.org:8080", Some("example.org")),
            ("ftp://[2001:DB8::1]:21/x", Some("[2001:DB8::1]")),
            ("https://例え.jp#top", Some("例え.jp")),
            ("https://", None),
            ("https:///path", None),
            ("mailto:a@b.c", None),
            ("/relative", None),
            ("1http://a", None),
            ("http://[broken", None),
        ];
        for (url, expected) in rows {
            assert_eq!(host(url), expected, "{url}");
        }
    }

    #[test]
    fn prefixes_are_of_characters() {
        assert_eq!(prefix("日本語", 2), "日本");
        assert_eq!(prefix("日本語", 9), "日本語");
        assert_eq!(prefix("x", 0), "");
        assert_eq!(lower("ÄB", &Room::default()), "äb");
    }
}
