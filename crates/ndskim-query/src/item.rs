//! What an expression gives for one record: a value of the record, or one that a function made of it.
//!
//! Text that does not stand in the record as it is lies in the [`Room`] for it, so that nothing is allocated for each record.

use std::borrow::Cow;

use ndskim::{Key, Kind, Value, ValueError};

use crate::decimal::Number;
use crate::room::Room;
use crate::time::Stamp;

type Result<T> = std::result::Result<T, ValueError>;

/// The value of an expression.
#[derive(Clone)]
pub(crate) enum Item<'r> {
    Missing,
    Json(Value<'r>),
    Text(&'r str),
    Stamp(Stamp),
    Int(i64),
    /// A number that is no small integer, in canonical form.
    Number(&'r str),
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
    pub(crate) fn text(&self, room: &'r Room) -> Result<Option<&'r str>> {
        match self {
            Item::Json(value) => text(*value, room),
            Item::Text(text) => Ok(Some(text)),
            Item::Stamp(stamp) => Ok(std::str::from_utf8(stamp.as_bytes()).ok().map(|text| room.text(text))),
            _ => Ok(None),
        }
    }

    /// The text of a number as it is written; `None` for another kind.
    pub(crate) fn number_text(&self, room: &'r Room) -> Result<Option<&'r str>> {
        Ok(match self {
            Item::Json(value) if value.kind() == Kind::Number => {
                Some(std::str::from_utf8(value.raw()?).map_err(|_| ValueError::Malformed)?)
            }
            Item::Int(integer) => Some(room.format(format_args!("{integer}"))),
            Item::Number(text) => Some(text),
            _ => None,
        })
    }

    /// The value of a number; `None` for another kind and beyond the range of doubles.
    pub(crate) fn number(&self, room: &'r Room) -> Result<Option<Number>> {
        if let Item::Int(integer) = self {
            return Ok(Some(Number::Int((*integer).into())));
        }
        Ok(self.number_text(room)?.and_then(Number::parse))
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

fn text<'r>(value: Value<'r>, room: &'r Room) -> Result<Option<&'r str>> {
    if value.kind() != Kind::String {
        return Ok(None);
    }
    if value.raw()?.contains(&b'\\') {
        let decoded = room.with_scratch(|scratch| {
            Key::encode(Some(value), scratch)?;
            // Behind the quote; a lone surrogate is no UTF-8.
            Ok(std::str::from_utf8(&scratch[1..]).ok().map(|text| room.text(text)))
        })?;
        if decoded.is_some() {
            return Ok(decoded);
        }
    }
    Ok(value.to_str_lossy()?.map(|text| match text {
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => room.text(&text),
    }))
}
