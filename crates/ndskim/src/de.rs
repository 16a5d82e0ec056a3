//! From values to Rust types, by serde, and to owned JSON.
//!
//! Values are walked as the type asks: what it does not name is passed over, not decoded. Where serde would let the last of two
//! equal keys win, or refuse them, the first counts here as it does everywhere.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{self, DeserializeSeed, Error as _, Visitor};

use crate::error::ValueError;
use crate::number::{as_f32, is_integer_literal};
use crate::value::{Elements, Kind, Members, Value};

/// The most levels of nesting that are decoded, since types are decoded by recursion. Reading knows no such limit.
pub(crate) const MAX_LEVELS: u32 = 256;

/// Why a value could not be decoded into a type.
///
/// ```
/// use ndskim::Scan;
/// Scan::bytes(b"{\"repo\":{\"stars\":\"many\"}}\n").for_each(|record| {
///     #[derive(Debug, serde::Deserialize)]
///     struct Repo { stars: u32 }
///     #[derive(Debug, serde::Deserialize)]
///     struct Row { repo: Repo }
///     let error = record.deserialize::<Row>().unwrap_err();
///     assert_eq!(error.to_string(), "at /repo/stars: invalid type: string \"many\", expected u32");
/// }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeserializeError(Box<Details>);

/// What there is to say of an error; in a box, so that results stay small where all goes well.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    /// The way to the value, outermost last.
    path: Vec<String>,
    message: String,
    cause: Option<ValueError>,
}

impl DeserializeError {
    /// The accessor's error that stopped the decoding, if one did; [`ValueError::Malformed`] is a fault of the record.
    pub fn value_error(&self) -> Option<ValueError> {
        self.0.cause
    }

    fn inside(mut self, token: impl fmt::Display) -> Self {
        self.0.path.push(token.to_string());
        self
    }
}

impl fmt::Display for DeserializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.path.is_empty() {
            f.write_str("at ")?;
            self.0.path.iter().rev().try_for_each(|token| write!(f, "/{token}"))?;
            f.write_str(": ")?;
        }
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for DeserializeError {}

impl de::Error for DeserializeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(Box::new(Details { path: Vec::new(), message: message.to_string(), cause: None }))
    }
}

impl From<ValueError> for DeserializeError {
    fn from(error: ValueError) -> Self {
        Self(Box::new(Details { path: Vec::new(), message: error.to_string(), cause: Some(error) }))
    }
}

/// A value as serde reads it.
pub(crate) struct ValueDeserializer<'a> {
    value: Value<'a>,
    levels: u32,
}

impl<'a> ValueDeserializer<'a> {
    #[inline]
    pub(crate) fn new(value: Value<'a>) -> Self {
        Self { value, levels: MAX_LEVELS }
    }

    #[inline]
    fn deeper(&self, value: Value<'a>) -> Result<Self, DeserializeError> {
        match self.levels.checked_sub(1) {
            Some(levels) => Ok(Self { value, levels }),
            None => Err(too_deep()),
        }
    }

    fn string<V: Visitor<'a>>(&self, visitor: V) -> Result<V::Value, DeserializeError> {
        if let Some(text) = self.value.plain_str() {
            return visitor.visit_borrowed_str(text);
        }
        match self.value.as_str()? {
            Some(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Some(Cow::Owned(text)) => visitor.visit_string(text),
            None => Err(self.mismatch(&visitor)),
        }
    }

    fn number<V: Visitor<'a>>(&self, visitor: V) -> Result<V::Value, DeserializeError> {
        if is_integer_literal(self.value.scalar()?) {
            if let Ok(Some(integer)) = self.value.as_u64() {
                return visitor.visit_u64(integer);
            }
            if let Ok(Some(integer)) = self.value.as_i64() {
                return visitor.visit_i64(integer);
            }
        }
        match self.value.as_f64()? {
            Some(number) => visitor.visit_f64(number),
            None => Err(self.mismatch(&visitor)),
        }
    }

    fn map<V: Visitor<'a>>(
        &self,
        fields: Option<&'static [&'static str]>,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        match self.value.members() {
            Some(members) => {
                visitor.visit_map(MapAccess { of: self, members, value: None, seen: Seen::new(fields), key: None })
            }
            None => Err(self.mismatch(&visitor)),
        }
    }

    fn seq<V: Visitor<'a>>(&self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.value.elements() {
            Some(elements) => {
                let mut access = SeqAccess { of: self, elements, next: 0 };
                let value = visitor.visit_seq(&mut access)?;
                match access.elements.next() {
                    None => Ok(value),
                    Some(_) => Err(de::Error::custom(format!("expected no more than {} elements", access.next))),
                }
            }
            None => Err(self.mismatch(&visitor)),
        }
    }

    #[cold]
    fn mismatch<V: Visitor<'a>>(&self, expected: &V) -> DeserializeError {
        let text;
        let found = match self.value.kind() {
            Kind::Null => de::Unexpected::Unit,
            Kind::Bool => de::Unexpected::Bool(self.value.as_bool() == Ok(Some(true))),
            Kind::Array => de::Unexpected::Seq,
            Kind::Object => de::Unexpected::Map,
            Kind::Number => de::Unexpected::Other("number"),
            Kind::String => {
                text = self.value.to_str_lossy().ok().flatten().unwrap_or_default();
                de::Unexpected::Str(&text)
            }
        };
        de::Error::invalid_type(found, expected)
    }
}

/// An integer with a sign that no integer has: where its type is not asked for, it is a double.
const MINUS_ZERO: &[u8] = b"-0";

/// A type of integer takes any number that is one.
macro_rules! deserialize_integer {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
            match self.value.kind() {
                Kind::Number => self.number(visitor),
                _ => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'a> de::Deserializer<'a> for ValueDeserializer<'a> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.value.kind() {
            Kind::Null if self.value.is_null()? => visitor.visit_unit(),
            Kind::Bool => match self.value.as_bool()? {
                Some(boolean) => visitor.visit_bool(boolean),
                None => Err(self.mismatch(&visitor)),
            },
            Kind::String => self.string(visitor),
            Kind::Array => self.seq(visitor),
            Kind::Object => self.map(None, visitor),
            Kind::Number if self.value.scalar()? == MINUS_ZERO => visitor.visit_f64(-0.0),
            Kind::Null | Kind::Number => self.number(visitor),
        }
    }

    deserialize_integer! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    /// serde would round an integer here that no double holds.
    fn deserialize_f64<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.value.as_f64()? {
            Some(number) => visitor.visit_f64(number),
            None => Err(self.mismatch(&visitor)),
        }
    }

    /// serde would round twice, and make what is too large infinite.
    fn deserialize_f32<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.value.kind() {
            Kind::Number => visitor.visit_f32(as_f32(self.value.scalar()?)?),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        if self.value.is_null()? { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        match self.value.kind() {
            Kind::Array => self.seq(visitor),
            _ => self.map(Some(fields), visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        let single = || de::Error::custom("expected an object with one member, the name of a variant");
        match self.value.kind() {
            Kind::Object => {
                let mut members = self.value.members().into_iter().flatten();
                let (name, value) = members.next().ok_or_else(single)??;
                // The first of equal keys counts.
                for other in members {
                    if other?.0.as_str()? != name.as_str()? {
                        return Err(single());
                    }
                }
                visitor.visit_enum(EnumAccess { name: self.deeper(name)?, value: Some(self.deeper(value)?) })
            }
            _ => visitor.visit_enum(EnumAccess { name: self, value: None }),
        }
    }

    /// Values that a type does not name are passed over here.
    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map identifier
    }
}

#[cold]
fn too_deep() -> DeserializeError {
    de::Error::custom(format!("nested deeper than the {MAX_LEVELS} levels that can be decoded"))
}

/// The keys of an object that were met before.
enum Seen {
    /// Of a struct, its named fields as they were met: others do not matter.
    Fields(Fields),
    Keys(HashSet<String>),
}

impl Seen {
    fn new(fields: Option<&'static [&'static str]>) -> Self {
        match fields {
            // Types of more fields are rare, and a set does for them too.
            Some(names) if names.len() <= 64 => Seen::Fields(Fields { names, met: 0, hops: false }),
            _ => Seen::Keys(HashSet::new()),
        }
    }

    /// The text of a key; `None` if it is to be passed over. A key that is no text, since it has a lone surrogate, is none of
    /// the fields of a struct, and matters no more to it than others.
    fn name<'a>(&self, key: Value<'a>) -> Result<Option<Cow<'a, str>>, ValueError> {
        if let Some(name) = key.plain_str() {
            return Ok(Some(Cow::Borrowed(name)));
        }
        match (key.as_str(), self) {
            (Err(ValueError::Unrepresentable), Seen::Fields(fields)) => {
                Ok(key.to_str_lossy()?.filter(|name| !fields.names.contains(&&**name)))
            }
            (name, _) => Ok(Some(name?.unwrap_or_default())),
        }
    }
}

/// The fields of a struct.
struct Fields {
    names: &'static [&'static str],
    /// Those that were met, a bit for each.
    met: u64,
    /// Whether the type has passed over a member that it does not name. Then it does so with others, which need not be shown
    /// to it any more; before that it may be one that refuses such members.
    hops: bool,
}

impl Fields {
    /// Notes a field; false if it was met before.
    fn meet(&mut self, field: usize) -> bool {
        let is_new = self.met >> field & 1 == 0;
        self.met |= 1 << field;
        is_new
    }

    /// Goes on to the next member that is a field and was not met before.
    #[inline(always)]
    fn next<'a>(&mut self, members: &mut Members<'a>) -> Result<Option<(&'static str, Value<'a>)>, ValueError> {
        if self.names.len() <= 8 { self.next_of::<8>(members) } else { self.next_of::<64>(members) }
    }

    /// As [`next`](Self::next), of at most `N` fields.
    #[inline(always)]
    fn next_of<'a, const N: usize>(
        &mut self,
        members: &mut Members<'a>,
    ) -> Result<Option<(&'static str, Value<'a>)>, ValueError> {
        let (mut left, mut numbers, mut count) = ([""; N], [0_u8; N], 0);
        for (number, name) in self.names.iter().enumerate() {
            if self.met >> number & 1 == 0 && count < N {
                (left[count], numbers[count]) = (*name, number as u8);
                count += 1;
            }
        }
        if count == 0 {
            return Ok(None);
        }
        let Some((which, value)) = members.next_with_key(&left[..count])? else { return Ok(None) };
        self.meet(usize::from(numbers[which]));
        Ok(Some((left[which], value)))
    }
}

struct MapAccess<'x, 'a> {
    of: &'x ValueDeserializer<'a>,
    members: Members<'a>,
    value: Option<Value<'a>>,
    key: Option<Cow<'a, str>>,
    seen: Seen,
}

impl<'a> de::MapAccess<'a> for MapAccess<'_, 'a> {
    type Error = DeserializeError;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, DeserializeError> {
        if let Seen::Fields(fields) = &mut self.seen
            && fields.hops
        {
            let Some((name, value)) = fields.next(&mut self.members)? else { return Ok(None) };
            (self.key, self.value) = (Some(Cow::Borrowed(name)), Some(value));
            return seed.deserialize(KeyDeserializer(Cow::Borrowed(name))).map(Some);
        }
        for member in self.members.by_ref() {
            let (key, value) = member?;
            let Some(name) = self.seen.name(key)? else { continue };
            let mut is_named = true;
            let is_new = match &mut self.seen {
                Seen::Keys(keys) => keys.insert(name.clone().into_owned()),
                Seen::Fields(fields) => match fields.names.iter().position(|field| *field == name) {
                    Some(field) => fields.meet(field),
                    None => {
                        is_named = false;
                        true
                    }
                },
            };
            if is_new {
                (self.key, self.value) = (Some(name.clone()), Some(value));
                let key = seed.deserialize(KeyDeserializer(name))?;
                if let Seen::Fields(fields) = &mut self.seen {
                    fields.hops = !is_named;
                }
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, DeserializeError> {
        let value =
            self.value.take().ok_or_else(|| DeserializeError::custom("a value was asked for before its key"))?;
        seed.deserialize(self.of.deeper(value)?)
            .map_err(|error: DeserializeError| error.inside(self.key.take().unwrap_or_default()))
    }
}

/// A key as serde reads it: text, or for maps with such keys a number or boolean in quotes.
struct KeyDeserializer<'a>(Cow<'a, str>);

/// Reads a key as a type that its text spells.
macro_rules! key_as {
    ($($method:ident $visit:ident $type:ty),*) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
            match self.0.parse::<$type>() {
                Ok(key) => visitor.$visit(key),
                Err(_) => Err(de::Error::invalid_type(de::Unexpected::Str(&self.0), &visitor)),
            }
        }
    )*};
}

impl<'a> de::Deserializer<'a> for KeyDeserializer<'a> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_enum(de::value::CowStrDeserializer::new(self.0))
    }

    key_as! {
        deserialize_bool visit_bool bool,
        deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32, deserialize_i64 visit_i64 i64,
        deserialize_u8 visit_u8 u8, deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'a>>
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

struct SeqAccess<'x, 'a> {
    of: &'x ValueDeserializer<'a>,
    elements: Elements<'a>,
    next: usize,
}

impl<'a> de::SeqAccess<'a> for SeqAccess<'_, 'a> {
    type Error = DeserializeError;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, DeserializeError> {
        let Some(element) = self.elements.next() else { return Ok(None) };
        self.next += 1;
        seed.deserialize(self.of.deeper(element?)?)
            .map(Some)
            .map_err(|error: DeserializeError| error.inside(self.next - 1))
    }
}

struct EnumAccess<'a> {
    name: ValueDeserializer<'a>,
    value: Option<ValueDeserializer<'a>>,
}

impl<'a> de::EnumAccess<'a> for EnumAccess<'a> {
    type Error = DeserializeError;
    type Variant = VariantAccess<'a>;

    fn variant_seed<V: DeserializeSeed<'a>>(self, seed: V) -> Result<(V::Value, VariantAccess<'a>), DeserializeError> {
        Ok((seed.deserialize(self.name)?, VariantAccess(self.value)))
    }
}

struct VariantAccess<'a>(Option<ValueDeserializer<'a>>);

impl<'a> VariantAccess<'a> {
    fn content(self) -> Result<ValueDeserializer<'a>, DeserializeError> {
        self.0.ok_or_else(|| de::Error::invalid_type(de::Unexpected::UnitVariant, &"a variant with content"))
    }
}

impl<'a> de::VariantAccess<'a> for VariantAccess<'a> {
    type Error = DeserializeError;

    fn unit_variant(self) -> Result<(), DeserializeError> {
        match self.0 {
            None => Ok(()),
            Some(content) => de::Deserialize::deserialize(content),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, DeserializeError> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'a>>(self, _: usize, visitor: V) -> Result<V::Value, DeserializeError> {
        self.content()?.seq(visitor)
    }

    fn struct_variant<V: Visitor<'a>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.content()?.map(Some(fields), visitor)
    }
}

/// Owned JSON of a value; see [`Value::to_value`].
pub(crate) fn to_value(value: Value<'_>, levels: u32) -> Result<serde_json::Value, ValueError> {
    use serde_json::Value as Owned;
    let deeper = || levels.checked_sub(1).ok_or(ValueError::Unrepresentable);
    Ok(match value.kind() {
        Kind::Null => {
            value.scalar()?;
            Owned::Null
        }
        Kind::Bool => Owned::Bool(value.as_bool()? == Some(true)),
        Kind::Number => Owned::Number(number(value)?),
        Kind::String => Owned::String(value.as_str()?.unwrap_or_default().into_owned()),
        Kind::Array => {
            let elements = value.elements().into_iter().flatten();
            Owned::Array(elements.map(|element| to_value(element?, deeper()?)).collect::<Result<_, _>>()?)
        }
        Kind::Object => {
            let mut map = serde_json::Map::new();
            for member in value.members().into_iter().flatten() {
                let (key, member) = member?;
                let key = key.as_str()?.unwrap_or_default().into_owned();
                if !map.contains_key(&key) {
                    map.insert(key, to_value(member, deeper()?)?);
                }
            }
            Owned::Object(map)
        }
    })
}

fn number(value: Value<'_>) -> Result<serde_json::Number, ValueError> {
    let text = value.scalar()?;
    if text == MINUS_ZERO || !is_integer_literal(text) {
        let float = value.as_f64()?.and_then(serde_json::Number::from_f64);
        return float.ok_or(ValueError::Unrepresentable);
    }
    match value.as_u64() {
        Ok(Some(integer)) => Ok(integer.into()),
        _ => value.as_i64()?.map(Into::into).ok_or(ValueError::Unrepresentable),
    }
}
