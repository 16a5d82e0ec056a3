//! Values: borrowed, lazy views of one value of a record.
//!
//! A [`Value`] is a place in a record; nothing is decoded until an accessor asks for it. It has three forms behind one face: a
//! slice of the text, which is skimmed; a place on the full engine's tape, which hops over what is not asked for; and a node
//! of simd-json's tape, for the engine that is a second opinion. Whoever adds a form adds it here, and to the walks in
//! `inside`, and nowhere else.

mod inside;

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::block::BlockPlace;
use crate::engine::Job;
use crate::engine::full::tape::Spot;
use crate::engine::simd_json::tape::Node;
use crate::error::ValueError;
use crate::kernel::Kernel;
use crate::padded::Text;
use crate::pointer::{Pointer, array_index};
use crate::recent::ShortKey;
use crate::text::{LoneSurrogates, content_is, unescape};
use crate::{exact, number, skim};

use self::inside::Steps;
pub use self::inside::{Elements, Members};

type Result<T> = std::result::Result<T, ValueError>;

/// What all values of the records of one block share.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) place: &'a BlockPlace,
    /// Whether the text was validated before; else what is handed out is checked first.
    pub(crate) verified: bool,
    pub(crate) max_depth: u32,
    pub(crate) kernel: Kernel,
    /// Set when an accessor met malformed text in the current record. Atomic, so that values can cross into a closure's own
    /// threads; never written on the way of good records.
    malformed: AtomicBool,
}

impl<'a> Context<'a> {
    pub(crate) fn new(place: &'a BlockPlace, job: &Job, verified: bool) -> Self {
        let malformed = AtomicBool::new(false);
        Self { place, verified, max_depth: job.max_depth, kernel: job.usable_kernel(), malformed }
    }

    #[cold]
    pub(crate) fn mark_malformed(&self) {
        self.malformed.store(true, Ordering::Relaxed);
    }

    /// Whether the current record was marked; forgets it.
    pub(crate) fn take_malformed(&self) -> bool {
        self.malformed.load(Ordering::Relaxed) && self.malformed.swap(false, Ordering::Relaxed)
    }
}

/// The kind of a JSON value.
///
/// ```
/// use ndskim::{Kind, Scan};
/// let kinds = Scan::bytes(b"1\n{}\n").map(|record| record.value().kind()).unwrap().value;
/// assert_eq!((kinds, Kind::Bool.name()), (vec![Kind::Number, Kind::Object], "boolean"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number, of any size and precision.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The name of the kind in the words of RFC 8259, for instance `object`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool => "boolean",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }

    pub(crate) fn of(first: u8) -> Self {
        match first {
            b'"' => Kind::String,
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b't' | b'f' => Kind::Bool,
            b'n' => Kind::Null,
            _ => Kind::Number,
        }
    }
}

/// A value of a record: borrowed, lazy, a few words to copy around.
///
/// Accessors answer `Ok(None)` for what is not there or is of another kind, so that absent, `null` and malformed stay apart:
///
/// | text | `as_i64` | `as_u64` | `as_f64` | `as_str` | `to_str_lossy` |
/// |---|---|---|---|---|---|
/// | `1` | 1 | 1 | 1.0 | none | none |
/// | `1.0`, `1e0` | 1 | 1 | 1.0 | none | none |
/// | `1.5` | unrepresentable | unrepresentable | 1.5 | none | none |
/// | `-0` | 0 | 0 | -0.0 | none | none |
/// | 2^53 + 1 | exact | exact | unrepresentable | none | none |
/// | 2^64 | unrepresentable | unrepresentable | exact | none | none |
/// | `1e400` | unrepresentable | unrepresentable | unrepresentable | none | none |
/// | `0.1` | unrepresentable | unrepresentable | nearest double | none | none |
/// | `"a"` | none | none | none | `a` | `a` |
/// | `"\ud800"` | none | none | none | unrepresentable | U+FFFD |
/// | `null` | none | none | none | none | none |
///
/// An integer is exact or not given; only a number written with a fraction or exponent becomes the nearest double.
///
/// ```
/// use ndskim::{Kind, Scan};
/// Scan::bytes(br#"{"actor":{"login":"octocat","id":1.0},"tags":["a","b"]}"#).for_each(|record| {
///     let actor = record.get("actor").unwrap().unwrap();
///     assert_eq!(actor.get("login").unwrap().unwrap().as_str().unwrap().as_deref(), Some("octocat"));
///     assert_eq!(actor.get("id").unwrap().unwrap().as_i64(), Ok(Some(1)));
///     assert!(actor.get("email").unwrap().is_none());
///     assert_eq!(record.get("tags").unwrap().unwrap().kind(), Kind::Array);
/// }).unwrap();
/// ```
#[derive(Clone, Copy)]
pub struct Value<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) repr: Repr<'a>,
}

/// The forms of a value.
#[derive(Clone, Copy)]
pub(crate) enum Repr<'a> {
    /// The text from the value's first byte to the end of the record.
    Text(Text<'a>),
    /// A place on the full engine's tape, in text that was validated.
    Tape(Spot<'a>),
    /// A node of simd-json's tape.
    Node(Node<'a>),
}

impl<'a> Value<'a> {
    pub(crate) fn text(context: &'a Context<'a>, text: Text<'a>) -> Self {
        Self { context, repr: Repr::Text(text) }
    }

    #[inline]
    fn with(&self, repr: Repr<'a>) -> Self {
        Self { context: self.context, repr }
    }

    /// Turns what skimming says into what accessors say, and marks the record.
    fn checked<T>(&self, result: skim::Result<T>) -> Result<T> {
        result.map_err(|_| self.malformed())
    }

    #[cold]
    fn malformed(&self) -> ValueError {
        self.context.mark_malformed();
        ValueError::Malformed
    }

    /// The kind of the value.
    ///
    /// ```
    /// use ndskim::{Kind, Scan};
    /// let kinds = Scan::bytes(b"1\n\"a\"\nnull\n[]\n").map(|record| record.value().kind()).unwrap().value;
    /// assert_eq!(kinds, [Kind::Number, Kind::String, Kind::Null, Kind::Array]);
    /// ```
    #[inline]
    pub fn kind(&self) -> Kind {
        match self.repr {
            Repr::Text(text) => Kind::of(text[0]),
            Repr::Tape(spot) => Kind::of(spot.first_byte()),
            Repr::Node(node) => node.kind(),
        }
    }

    /// Whether the value is `null`.
    ///
    /// # Errors
    /// [`ValueError::Malformed`], if it only begins like it.
    #[inline]
    pub fn is_null(&self) -> Result<bool> {
        Ok(self.kind() == Kind::Null && self.scalar()? == b"null")
    }

    /// The value of `true` or `false`; `None` for another kind.
    ///
    /// # Errors
    /// [`ValueError::Malformed`], if it only begins like them.
    pub fn as_bool(&self) -> Result<Option<bool>> {
        if self.kind() != Kind::Bool {
            return Ok(None);
        }
        Ok(Some(self.scalar()? == b"true"))
    }

    /// The exact integer; `None` for another kind. See the table above for how numbers can be written.
    ///
    /// # Errors
    /// [`ValueError::Unrepresentable`] for a fraction or a number out of range, [`ValueError::Malformed`].
    pub fn as_i64(&self) -> Result<Option<i64>> {
        if let Repr::Node(node) = self.repr
            && let Some(integer) = node.small_integer()
        {
            return Ok(Some(integer));
        }
        self.number(number::as_i64)
    }

    /// The exact integer; `None` for another kind. See the table above for how numbers can be written.
    ///
    /// # Errors
    /// [`ValueError::Unrepresentable`] for a fraction or a number out of range, [`ValueError::Malformed`].
    pub fn as_u64(&self) -> Result<Option<u64>> {
        self.number(number::as_u64)
    }

    /// The exact double of an integer, the nearest double of other numbers; `None` for another kind.
    ///
    /// # Errors
    /// [`ValueError::Unrepresentable`] for a number beyond the range of doubles and for an integer that would be rounded,
    /// [`ValueError::Malformed`].
    pub fn as_f64(&self) -> Result<Option<f64>> {
        self.number(number::as_f64)
    }

    fn number<T>(&self, read: impl Fn(&[u8]) -> Result<T>) -> Result<Option<T>> {
        if self.kind() != Kind::Number {
            return Ok(None);
        }
        read(self.scalar()?).map(Some)
    }

    /// The text of a number or literal, checked.
    pub(crate) fn scalar(&self) -> Result<&'a [u8]> {
        if let Repr::Tape(spot) = self.repr {
            return Ok(spot.raw());
        }
        let text = self.to_text();
        let token = &text.bytes()[..self.checked(skim::skip_scalar(&text, 0))?];
        if self.context.verified || exact::validate_value(token, 0, 0) == Ok(token.len()) {
            return Ok(token);
        }
        Err(self.malformed())
    }

    /// The text of a string, borrowed where it has no escapes; `None` for another kind.
    ///
    /// # Errors
    /// [`ValueError::Unrepresentable`] for a lone surrogate escape (see [`to_str_lossy`](Self::to_str_lossy)),
    /// [`ValueError::Malformed`].
    #[inline]
    pub fn as_str(&self) -> Result<Option<Cow<'a, str>>> {
        self.string(LoneSurrogates::Refuse)
    }

    /// The text of a string with U+FFFD in place of lone surrogate escapes; `None` for another kind.
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    pub fn to_str_lossy(&self) -> Result<Option<Cow<'a, str>>> {
        self.string(LoneSurrogates::Replace)
    }

    fn string(&self, surrogates: LoneSurrogates) -> Result<Option<Cow<'a, str>>> {
        if let Some(string) = self.plain_str() {
            return Ok(Some(Cow::Borrowed(string)));
        }
        match self.repr {
            Repr::Node(node) => Ok(node.string().map(Cow::Borrowed)),
            Repr::Tape(spot) if spot.first_byte() == b'"' => unescape(content(spot.raw()), surrogates).map(Some),
            Repr::Text(text) if text[0] == b'"' => {
                let end = self.checked(skim::skip_string(self.context.kernel, text, 0))?;
                unescape(&text.bytes()[1..end - 1], surrogates).map(Some).inspect_err(|error| {
                    if *error == ValueError::Malformed {
                        self.context.mark_malformed();
                    }
                })
            }
            Repr::Text(_) | Repr::Tape(_) => Ok(None),
        }
    }

    /// Whether the value is a string with this text. Nothing is decoded unless the string has escapes.
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    ///
    /// ```
    /// use ndskim::Scan;
    /// let hits = Scan::bytes(b"\"opened\"\n\"op\\u0065ned\"\n\"closed\"\n1\n").map(|record| record.value().is_str("opened").unwrap());
    /// assert_eq!(hits.unwrap().value, [true, true, false, false]);
    /// ```
    pub fn is_str(&self, text: &str) -> Result<bool> {
        if let Some(string) = self.plain_str() {
            return Ok(string == text);
        }
        match self.repr {
            Repr::Node(node) => Ok(node.string() == Some(text)),
            Repr::Tape(spot) => Ok(spot.first_byte() == b'"' && content_is(content(spot.raw()), text.as_bytes())),
            Repr::Text(value) if value[0] == b'"' => {
                let end = self.checked(skim::skip_string(self.context.kernel, value, 0))?;
                Ok(content_is(&value[1..end - 1], text.as_bytes()))
            }
            Repr::Text(_) => Ok(false),
        }
    }

    /// The value of the member with this key, after unescaping; the first, if there are several. `None` if there is none, or
    /// if the value is no object.
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    #[inline]
    pub fn get(&self, key: &str) -> Result<Option<Value<'a>>> {
        match self.repr {
            Repr::Node(node) => Ok(node.get(key).map(|n| self.with(Repr::Node(n)))),
            Repr::Tape(spot) => Ok(spot.get(self.context.kernel, key).map(|spot| self.with(Repr::Tape(spot)))),
            Repr::Text(text) if text[0] == b'{' => Ok(self
                .checked(skim::find_member(self.context.kernel, text, 0, key.as_bytes()))?
                .map(|at| self.with(Repr::Text(text.from(at))))),
            Repr::Text(_) => Ok(None),
        }
    }

    /// The element with this index, from 0. `None` if there is none, or if the value is no array.
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    pub fn index(&self, index: u64) -> Result<Option<Value<'a>>> {
        match self.repr {
            Repr::Node(node) => Ok(node.index(index).map(|n| self.with(Repr::Node(n)))),
            Repr::Tape(spot) => Ok(spot.index(index).map(|spot| self.with(Repr::Tape(spot)))),
            Repr::Text(text) if text[0] == b'[' => Ok(self
                .checked(skim::find_element(self.context.kernel, text, 0, index))?
                .map(|at| self.with(Repr::Text(text.from(at))))),
            Repr::Text(_) => Ok(None),
        }
    }

    /// The value that a JSON Pointer leads to from here; `None` if there is none.
    ///
    /// # Errors
    /// [`ValueError::Malformed`].
    pub fn pointer(&self, pointer: &Pointer) -> Result<Option<Value<'a>>> {
        if !pointer.can_lead() {
            return Ok(None);
        }
        let mut value = *self;
        for token in pointer.tokens() {
            let next = match value.kind() {
                Kind::Object => value.get(token)?,
                Kind::Array => array_index(token).map_or(Ok(None), |index| value.index(index))?,
                _ => None,
            };
            let Some(next) = next else { return Ok(None) };
            value = next;
        }
        Ok(Some(value))
    }

    /// The elements of an array, in order; `None` for another kind.
    ///
    /// ```
    /// use ndskim::Scan;
    /// let sums = Scan::bytes(b"[1,2,3]\n[]\n").try_map(|record| {
    ///     let elements = record.value().elements().into_iter().flatten();
    ///     elements.map(|element| element?.as_i64().map(Option::unwrap_or_default)).sum::<Result<i64, _>>()
    /// }).unwrap();
    /// assert_eq!(sums.value, [6, 0]);
    /// ```
    pub fn elements(&self) -> Option<Elements<'a>> {
        let steps = match self.repr {
            Repr::Text(text) if text[0] == b'[' => Some(Steps::Text(text, skim::Walk::new(0, text[0]))),
            Repr::Node(node) if node.kind() == Kind::Array => Some(Steps::Nodes(node.children())),
            Repr::Tape(spot) if spot.first_byte() == b'[' => Some(Steps::Elements(spot.elements())),
            _ => None,
        };
        steps.map(|steps| Elements::new(*self, steps))
    }

    /// The members of an object as keys and values, in order; equal keys all appear. `None` for another kind.
    ///
    /// The key is a [`Value`] of kind string: [`as_str`](Self::as_str) gives its text.
    ///
    /// ```
    /// use ndskim::Scan;
    /// Scan::bytes(br#"{"a":1,"b":2}"#).for_each(|record| {
    ///     let keys: Vec<_> = record.value().members().unwrap().map(|member| member.unwrap().0.as_str().unwrap().unwrap()).collect();
    ///     assert_eq!(keys, ["a", "b"]);
    /// }).unwrap();
    /// ```
    #[inline]
    pub fn members(&self) -> Option<Members<'a>> {
        let steps = match self.repr {
            Repr::Text(text) if text[0] == b'{' => Some(Steps::Text(text, skim::Walk::new(0, text[0]))),
            Repr::Node(node) if node.kind() == Kind::Object => Some(Steps::Nodes(node.children())),
            Repr::Tape(spot) if spot.first_byte() == b'{' => Some(Steps::Members(spot.members())),
            _ => None,
        };
        steps.map(|steps| Members::new(*self, steps))
    }

    /// The text of the value as it stands in the input, without white space around it.
    ///
    /// # Errors
    /// [`ValueError::Malformed`]: text that was not validated before is validated now, since it is handed out whole.
    pub fn raw(&self) -> Result<&'a [u8]> {
        if let Repr::Tape(spot) = self.repr {
            return Ok(spot.raw());
        }
        let text = self.to_text();
        if self.context.verified {
            return Ok(&text.bytes()[..self.checked(skim::skip_value(self.context.kernel, text, 0))?]);
        }
        match exact::validate_value(&text, 0, self.context.max_depth) {
            Ok(end) if !matches!(text[0], b'{' | b'[' | b'"') => {
                self.scalar().inspect(|token| debug_assert_eq!(token.len(), end))
            }
            Ok(end) => Ok(&text.bytes()[..end]),
            Err(_) => Err(self.malformed()),
        }
    }

    /// The text of a string that is short, ASCII and without escapes, as one look tells. It is valid then.
    #[inline]
    pub(crate) fn plain_str(&self) -> Option<&'a str> {
        let text = match self.repr {
            Repr::Text(text) => text,
            Repr::Tape(spot) => spot.text_on(),
            Repr::Node(_) => return None,
        };
        skim::plain_str(self.context.kernel, text)
    }

    /// As [`plain_str`](Self::plain_str), with the opening quote.
    #[inline]
    pub(crate) fn plain_quoted(&self) -> Option<&'a [u8]> {
        let text = match self.repr {
            Repr::Text(text) => text,
            Repr::Tape(spot) => spot.text_on(),
            Repr::Node(_) => return None,
        };
        skim::plain_content(self.context.kernel, text).and_then(|length| text.bytes().get(..1 + length))
    }

    /// The key of the value, if one look tells.
    #[inline]
    pub(crate) fn short_key(&self) -> Option<ShortKey> {
        match self.repr {
            Repr::Text(text) => ShortKey::of(text),
            Repr::Tape(spot) => ShortKey::of(spot.text_on()),
            Repr::Node(_) => None,
        }
    }

    /// The text of a string, where it is at hand already decoded.
    pub(crate) fn decoded(&self) -> Option<&'a str> {
        match self.repr {
            Repr::Node(node) => node.string(),
            Repr::Text(_) | Repr::Tape(_) => None,
        }
    }

    /// The text from the value's first byte on, at least to its end.
    pub(crate) fn to_text(self) -> Text<'a> {
        match self.repr {
            Repr::Text(text) => text,
            Repr::Tape(spot) => spot.text(),
            Repr::Node(node) => node.to_text(),
        }
    }

    /// Owned JSON of the value. The first of equal keys counts.
    ///
    /// # Errors
    /// [`ValueError::Unrepresentable`] for an integer outside `i64` and `u64`, a number beyond the range of doubles, a lone
    /// surrogate escape, or nesting over 256 levels; [`ValueError::Malformed`].
    ///
    /// ```
    /// use ndskim::Scan;
    /// let values = Scan::bytes(br#"{"a":[1,2.5,null]}"#).map(|record| record.value().to_value().unwrap()).unwrap().value;
    /// assert_eq!(values, [serde_json::json!({"a": [1, 2.5, null]})]);
    /// ```
    #[cfg(feature = "serde")]
    pub fn to_value(&self) -> Result<serde_json::Value> {
        crate::de::to_value(*self, crate::de::MAX_LEVELS)
    }

    /// Decodes the value into a type that implements serde's `Deserialize`. Members that the type does not name are passed
    /// over without being decoded; strings without escapes can be borrowed. The first of equal keys counts.
    ///
    /// # Errors
    /// [`DeserializeError`](crate::DeserializeError): the value is not of the type's shape, cannot be represented in it (an
    /// integer is exact or not given, also where the type is a float), has more than 256 levels, or is malformed.
    ///
    /// ```
    /// use ndskim::Scan;
    /// #[derive(serde::Deserialize)]
    /// struct Repo<'a> { name: &'a str }
    /// Scan::bytes(br#"{"repo":{"id":1,"name":"a/b"}}"#).for_each(|record| {
    ///     let repo: Repo = record.get("repo").unwrap().unwrap().deserialize().unwrap();
    ///     assert_eq!(repo.name, "a/b");
    /// }).unwrap();
    /// ```
    #[cfg(feature = "serde")]
    pub fn deserialize<T: serde::Deserialize<'a>>(&self) -> std::result::Result<T, crate::DeserializeError> {
        T::deserialize(crate::de::ValueDeserializer::new(*self))
    }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = self.to_text();
        let end = skim::skip_value(self.context.kernel, text, 0).unwrap_or(text.len());
        write!(f, "Value({})", crate::fault::excerpt(&text[..end], 0))
    }
}

/// What stands between the quotes of a string.
fn content(string: &[u8]) -> &[u8] {
    &string[1..string.len() - 1]
}
