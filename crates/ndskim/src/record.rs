//! Records: what a closure is handed, once for each value of the input.

use std::fmt;

use crate::engine::BadRecord;
use crate::error::ValueError;
use crate::fault::{Place, Refusal};
use crate::padded::Text;
use crate::pointer::Pointer;
use crate::value::Value;
use crate::{engine, exact};

/// One record of the input: a borrowed, lazy view that lives as long as the call of the closure.
///
/// The record's own value is [`value`](Self::value); the fields of the scan's [`Projection`](crate::Projection) are at hand in
/// [`fields`](Self::fields), found and checked before the closure is called.
///
/// ```
/// use ndskim::{Projection, Scan};
/// let scan = Scan::bytes(b"{\"id\":7,\"actor\":{\"login\":\"octocat\"}}\n").threads(1);
/// scan.project(Projection::new(["/actor/login", "/repo"]).unwrap()).for_each(|record| {
///     let [login, repo] = record.field_array();
///     assert!(login.unwrap().is_str("octocat").unwrap() && repo.is_none());
///     assert_eq!(record.get("id").unwrap().unwrap().as_i64(), Ok(Some(7)));
///     assert_eq!((record.line(), record.offset(), record.input()), (Some(1), 0, "<bytes>"));
/// }).unwrap();
/// ```
#[derive(Clone, Copy)]
pub struct Record<'a> {
    pub(crate) value: Value<'a>,
    pub(crate) fields: &'a [Option<Value<'a>>],
    pub(crate) text: Text<'a>,
    pub(crate) span: Span,
}

/// Where a record stands in its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Offset in the block's text.
    pub(crate) start: usize,
    /// Newlines in the block before `start`.
    pub(crate) line: u64,
    /// Bytes from the start of the record's line, where the block's text tells.
    pub(crate) column: u64,
}

impl<'a> Record<'a> {
    /// The value of the record.
    pub fn value(&self) -> Value<'a> {
        self.value
    }

    /// The fields of the scan's projection, in its order; `None` for a field that the record does not have.
    pub fn fields(&self) -> &'a [Option<Value<'a>>] {
        self.fields
    }

    /// One field of the scan's projection; `None` if the record does not have it, or if there is no such field.
    pub fn field(&self, slot: usize) -> Option<Value<'a>> {
        self.fields.get(slot).copied().flatten()
    }

    /// The fields as an array, for a pattern such as `let [kind, action] = record.field_array();`. Where the projection has
    /// fewer fields than the array, the rest is `None`.
    pub fn field_array<const N: usize>(&self) -> [Option<Value<'a>>; N] {
        std::array::from_fn(|slot| self.field(slot))
    }

    /// The value of the member with this key; see [`Value::get`].
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    pub fn get(&self, key: &str) -> Result<Option<Value<'a>>, ValueError> {
        self.value.get(key)
    }

    /// The value that a JSON Pointer leads to; see [`Value::pointer`].
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    pub fn pointer(&self, pointer: &Pointer) -> Result<Option<Value<'a>>, ValueError> {
        self.value.pointer(pointer)
    }

    /// The text of the record as it stands in the input; for lines the whole line without its newline. Not validated in
    /// visited mode: [`Value::raw`] is.
    pub fn text(&self) -> &'a [u8] {
        self.text.bytes()
    }

    /// Decodes the record; see [`Value::deserialize`].
    ///
    /// # Errors
    /// [`DeserializeError`](crate::DeserializeError).
    ///
    /// ```
    /// use ndskim::Scan;
    /// #[derive(serde::Deserialize)]
    /// struct Event { r#type: String }
    /// let types = Scan::bytes(b"{\"id\":1,\"type\":\"PushEvent\"}\n").try_map(|record| {
    ///     record.deserialize::<Event>().map(|event| event.r#type)
    /// }).unwrap();
    /// assert_eq!(types.value, ["PushEvent"]);
    /// ```
    #[cfg(feature = "serde")]
    pub fn deserialize<T: serde::Deserialize<'a>>(&self) -> Result<T, crate::DeserializeError> {
        self.value.deserialize()
    }

    /// Owned JSON of the record; see [`Value::to_value`].
    ///
    /// # Errors
    /// As [`Value::to_value`].
    #[cfg(feature = "serde")]
    pub fn to_value(&self) -> Result<serde_json::Value, ValueError> {
        self.value.to_value()
    }

    /// The name of the record's input.
    pub fn input(&self) -> &'a str {
        &self.value.context.place.input
    }

    /// Bytes from the start of the (decompressed) input to the record's text.
    pub fn offset(&self) -> u64 {
        self.value.context.place.offset + self.span.start as u64
    }

    /// The record's line, counted from 1, where it is known: in the first block of an input, and when one thread reads alone.
    pub fn line(&self) -> Option<u64> {
        self.value.context.place.lines_before.map(|lines| lines + self.span.line + 1)
    }

    /// The place of the record.
    pub fn place(&self) -> Place {
        self.value.context.place.place(self.span.line, self.span.column + 1, self.span.start)
    }

    /// If an accessor met malformed text in this record: the record as a bad one, explained by the exact reader.
    pub(crate) fn take_malformed(&self) -> Option<BadRecord> {
        let context = self.value.context;
        if !context.take_malformed() {
            return None;
        }
        let refusal = match exact::validate_record(&self.text, context.max_depth) {
            Err(refusal) => refusal,
            Ok(()) => engine::unexplained(),
        };
        Some(self.bad(refusal))
    }

    /// The record as a bad one that nothing explains.
    #[cold]
    pub(crate) fn unexplained(&self) -> BadRecord {
        self.bad(engine::unexplained())
    }

    fn bad(&self, refusal: Refusal) -> BadRecord {
        BadRecord { span: self.span.start..self.span.start + self.text.len(), line: self.span.line, refusal }
    }
}

impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("place", &self.place().to_string()).field("value", &self.value).finish()
    }
}
