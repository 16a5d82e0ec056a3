//! What an expression gives for one record: a value of the record, or one that a function made of it.
//!
//! Nothing is allocated for a value that stands in the record, and little for others.

use std::borrow::Cow;

use ndskim::{Key, Kind, Value, ValueError};

use crate::decimal::Number;
use crate::time::Stamp;

type Result<T> = std::result::Result<T, ValueError>;

/// The value of an expression.
#[derive(Clone)]
pub(crate) enum Item<'r> {
    Missing,
    Json(Value<'r>),
    Text(Cow<'r, str>),
    Stamp(Stamp),
    Int(i64),
    /// A number that is no small integer, in canonical form.
    Number(String),
}

impl<'r> Item<'r> {
    pub(crate) fn of(value: Option<Value<'r>>) -> Self {
        value.map_or(Item::Missing, Item::Json)
    }

    /// The kind of the value; `None` if it is missing.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self {
            Item::Missing => None,
            Item::Json(value) => Some(value.kind()),
            Item::Text(_) | Item::Stamp(_) => Some(Kind::String),
            Item::Int(_) | Item::Number(_) => Some(Kind::Number),
        }
    }

    /// Whether there is nothing that an aggregate could take: no value, or `null`.
    pub(crate) fn is_void(&self) -> bool {
        matches!(self.kind(), None | Some(Kind::Null))
    }

    /// The text of a string, with U+FFFD for lone surrogates; `None` for another kind.
    pub(crate) fn text(&self) -> Result<Option<Cow<'_, str>>> {
        match self {
            Item::Json(value) => value.to_str_lossy(),
            Item::Text(text) => Ok(Some(Cow::Borrowed(text))),
            Item::Stamp(stamp) => Ok(std::str::from_utf8(stamp.as_bytes()).ok().map(Cow::Borrowed)),
            _ => Ok(None),
        }
    }

    /// As [`text`](Self::text), borrowed from the record where it can be.
    pub(crate) fn into_text(self) -> Result<Option<Cow<'r, str>>> {
        match self {
            Item::Json(value) => value.to_str_lossy(),
            Item::Text(text) => Ok(Some(text)),
            other => Ok(other.text()?.map(|text| Cow::Owned(text.into_owned()))),
        }
    }

    /// The text of a number as it is written; `None` for another kind.
    pub(crate) fn number_text(&self) -> Result<Option<Cow<'_, str>>> {
        Ok(match self {
            Item::Json(value) if value.kind() == Kind::Number => {
                Some(Cow::Borrowed(std::str::from_utf8(value.raw()?).map_err(|_| ValueError::Malformed)?))
            }
            Item::Int(integer) => Some(Cow::Owned(integer.to_string())),
            Item::Number(text) => Some(Cow::Borrowed(text)),
            _ => None,
        })
    }

    /// The value of a number; `None` for another kind and beyond the range of doubles.
    pub(crate) fn number(&self) -> Result<Option<Number>> {
        if let Item::Int(integer) = self {
            return Ok(Some(Number::Int((*integer).into())));
        }
        Ok(self.number_text()?.and_then(|text| Number::parse(&text)))
    }

    /// Appends the key of the value, as [`Key::encode`] does.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Item::Missing => {}
            Item::Json(value) => return Key::encode(Some(*value), out),
            Item::Int(integer) => {
                use std::io::Write;
                // Writing to memory cannot fail.
                let _ = write!(out, "{integer}");
            }
            Item::Number(text) => out.extend_from_slice(text.as_bytes()),
            Item::Text(text) => {
                out.push(b'"');
                out.extend_from_slice(text.as_bytes());
            }
            Item::Stamp(stamp) => {
                out.push(b'"');
                out.extend_from_slice(stamp.as_bytes());
            }
        }
        Ok(())
    }
}
