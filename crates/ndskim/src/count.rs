//! Counting by value: tables whose keys are JSON values, equal as JSON.
//!
//! Keys are equal when the values are: strings after unescaping (`"\u00e9"` and `"é"` are one key), numbers by exact decimal
//! value (`1`, `1.0` and `1e0` are one key), arrays and objects by their text without white space between tokens. A missing
//! value is a key of its own, and so is `null`. Looking a key up allocates nothing; only a new key does. The hash is seeded at
//! random, so that keys made to collide do not.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::sync::OnceLock;

use ahash::RandomState;
use hashbrown::HashTable;

use crate::error::ValueError;
use crate::number;
use crate::padded::SHORT;
use crate::recent::{Recent, ShortKey};
use crate::text::unescape_into;
use crate::value::{Kind, Value};

/// A key of a [`CountTable`]: a JSON value in canonical form, or the absence of one.
///
/// Keys are ordered: strings by code point, then numbers, `false`, `true`, `null`, arrays and objects by their text, absent
/// last.
///
/// The form behind it is one run of bytes: nothing for absent; a quote and the decoded text for a string; else JSON text.
///
/// ```
/// use ndskim::{Key, Kind, Pointer, Scan};
/// let counts = Scan::bytes(b"{\"a\":\"x\"}\n{}\n").count_by(Pointer::parse("/a").unwrap()).unwrap().value;
/// let keys: Vec<Key> = counts.sorted().into_iter().map(|(key, _)| key.clone()).collect();
/// assert_eq!((keys[0].as_str().as_deref(), keys[0].kind()), (Some("x"), Some(Kind::String)));
/// assert!(keys[1].is_absent());
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key(Box<[u8]>);

impl Key {
    /// Whether this is the key for records that do not have the value.
    pub fn is_absent(&self) -> bool {
        self.0.is_empty()
    }

    /// The kind of the value; `None` if it is absent.
    pub fn kind(&self) -> Option<Kind> {
        self.0.first().map(|&first| Kind::of(first))
    }

    /// The text of a string, with U+FFFD for lone surrogates; `None` for another key.
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        let decoded = self.0.strip_prefix(b"\"")?;
        Some(match std::str::from_utf8(decoded) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Units::of(decoded).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect(),
        })
    }

    /// The key as JSON text; `None` if it is absent. Equal keys have equal text.
    ///
    /// ```
    /// use ndskim::{CountTable, Scan};
    /// let counts = Scan::bytes(b"\"\\u00e9\"\n1.50\n[1, 2]\n").try_fold(
    ///     CountTable::new, |counts, record| counts.add(Some(record.value())), CountTable::merged
    /// ).unwrap().value;
    /// let keys: Vec<_> = counts.sorted().into_iter().filter_map(|(key, _)| key.to_json()).collect();
    /// assert_eq!(keys, ["\"é\"", "1.5", "[1,2]"]);
    /// ```
    pub fn to_json(&self) -> Option<Cow<'_, str>> {
        if self.is_absent() {
            return None;
        }
        let Some(decoded) = self.0.strip_prefix(b"\"") else { return Some(String::from_utf8_lossy(&self.0)) };
        let mut json = String::with_capacity(decoded.len() + 2);
        json.push('"');
        for unit in Units::of(decoded) {
            match unit {
                Ok(c @ ('"' | '\\')) => json.extend(['\\', c]),
                Ok('\n') => json.push_str("\\n"),
                Ok('\r') => json.push_str("\\r"),
                Ok('\t') => json.push_str("\\t"),
                Ok(c) if c < ' ' => json.push_str(&format!("\\u{:04x}", c as u32)),
                Ok(c) => json.push(c),
                Err(surrogate) => json.push_str(&format!("\\u{surrogate:04x}")),
            }
        }
        json.push('"');
        Some(Cow::Owned(json))
    }

    /// The key of a value, or of the absence of one.
    ///
    /// # Errors
    /// [`ValueError::Malformed`], which only text that was not validated can cause.
    ///
    /// ```
    /// use ndskim::{Key, Scan};
    /// let keys = Scan::bytes(b"1.50\n").map(|record| Key::of(Some(record.value())).unwrap()).unwrap().value;
    /// assert_eq!(keys[0].to_json().as_deref(), Some("1.5"));
    /// ```
    pub fn of(value: Option<Value<'_>>) -> Result<Self, ValueError> {
        let mut encoded = Vec::new();
        Self::encode(value, &mut encoded)?;
        Ok(Self(encoded.into()))
    }

    /// Appends the key of a value to `out` in the form behind it, which is equal for equal keys; for tables that are keyed by
    /// more than one value. [`from_encoded`](Self::from_encoded) makes a key of it.
    ///
    /// # Errors
    /// [`ValueError::Malformed`], which only text that was not validated can cause.
    ///
    /// ```
    /// use ndskim::{Key, Scan};
    /// let encoded = Scan::bytes(b"\"caf\\u00e9\"\n").map(|record| {
    ///     let mut out = Vec::new();
    ///     Key::encode(Some(record.value()), &mut out).unwrap();
    ///     out
    /// });
    /// let key = Key::from_encoded(&encoded.unwrap().value[0]);
    /// assert_eq!(key.as_str().as_deref(), Some("caf\u{e9}"));
    /// ```
    pub fn encode(value: Option<Value<'_>>, out: &mut Vec<u8>) -> Result<(), ValueError> {
        let Some(value) = value else { return Ok(()) };
        match plain_string(value)? {
            Some(key) => {
                out.extend_from_slice(key);
                Ok(())
            }
            None => canonical(value, out),
        }
    }

    /// The key of what [`encode`](Self::encode) appended; or of nothing for absent, of a quote and decoded text for a string,
    /// of canonical JSON text for the rest.
    pub fn from_encoded(encoded: &[u8]) -> Self {
        Self(encoded.into())
    }

    /// The form behind the key; see [`encode`](Self::encode).
    pub fn encoded(&self) -> &[u8] {
        &self.0
    }

    fn rank(&self) -> u8 {
        match self.0.first() {
            Some(b'"') => 0,
            Some(b'-' | b'0'..=b'9') => 1,
            Some(b'f') => 2,
            Some(b't') => 3,
            Some(b'n') => 4,
            Some(_) => 5,
            None => 6,
        }
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = || match (self.rank(), as_f64(&self.0), as_f64(&other.0)) {
            (1, Some(a), Some(b)) => a.total_cmp(&b),
            _ => Ordering::Equal,
        };
        self.rank().cmp(&other.rank()).then_with(numbers).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The nearest double, infinite beyond their range, for sorting only.
fn as_f64(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_json().as_deref().unwrap_or("(absent)"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// The characters of decoded text, in which a lone surrogate stands as the three bytes that UTF-8 would give it.
struct Units<'a>(&'a [u8]);

impl<'a> Units<'a> {
    fn of(decoded: &'a [u8]) -> Self {
        Self(decoded)
    }
}

impl Iterator for Units<'_> {
    type Item = Result<char, u16>;

    fn next(&mut self) -> Option<Self::Item> {
        let (unit, length) = match *self.0 {
            [] => return None,
            [byte @ ..0x80, ..] => (Ok(byte as char), 1),
            [0xed, high @ 0xa0..=0xbf, low, ..] => {
                (Err(0xd000 | u16::from(high & 0x3f) << 6 | u16::from(low & 0x3f)), 3)
            }
            ref rest => {
                let length = crate::exact::utf8_length(rest).unwrap_or(1);
                let text = std::str::from_utf8(&rest[..length]).unwrap_or("\u{fffd}");
                (Ok(text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)), length)
            }
        };
        self.0 = &self.0[length..];
        Some(unit)
    }
}

/// Counts by key. See the [`count_by`](crate::Scan::count_by) end for the simple case; tables of one's own go into a
/// [`fold`](crate::Scan::fold).
///
/// Keys are equal as JSON: strings after unescaping, numbers by exact decimal value, containers by their text without white
/// space between tokens.
///
/// ```
/// use ndskim::{CountTable, Scan};
/// let counts = Scan::bytes(b"1\n1.0\n1e0\n\"1\"\nnull\n").try_fold(
///     CountTable::new, |counts, record| counts.add(Some(record.value())), CountTable::merged
/// ).unwrap().value;
/// assert_eq!((counts.len(), counts.total()), (3, 5));
/// ```
#[derive(Clone, Debug)]
pub struct CountTable {
    rows: HashTable<Row>,
    /// The buckets of some rows.
    recent: Recent,
    /// Where a key is put together that does not stand in the text as it is.
    scratch: Vec<u8>,
}

/// A key with its count.
#[derive(Clone, Debug)]
struct Row {
    /// The hash of the key, kept so that neither growth nor a merge has to read the keys again.
    hash: u64,
    key: Key,
    count: u64,
}

/// The hash of a key: the same in all tables of a process, so that tables can be merged by it; seeded at random once a process.
fn hash(key: &[u8]) -> u64 {
    static HASHER: OnceLock<RandomState> = OnceLock::new();
    HASHER.get_or_init(RandomState::new).hash_one(key)
}

impl Default for CountTable {
    fn default() -> Self {
        Self::new()
    }
}

impl CountTable {
    /// An empty table.
    pub fn new() -> Self {
        Self { rows: HashTable::new(), recent: Recent::default(), scratch: Vec::new() }
    }

    /// Counts one record under a value, or under its absence.
    ///
    /// # Errors
    /// [`ValueError::Malformed`], which only text that was not validated can cause.
    #[inline]
    pub fn add(&mut self, value: Option<Value<'_>>) -> Result<(), ValueError> {
        match value {
            None => {
                self.count(&[]);
                Ok(())
            }
            Some(value) => match value.short_key() {
                Some(key) => {
                    self.count_short(key);
                    Ok(())
                }
                None => self.add_long(value),
            },
        }
    }

    /// Counts one record under a value that is not plain and short.
    #[inline(never)]
    fn add_long(&mut self, value: Value<'_>) -> Result<(), ValueError> {
        if let Some(key) = value.plain_quoted() {
            self.count(key);
            return Ok(());
        }
        if let Some(key) = plain_string(value)? {
            self.count(key);
            return Ok(());
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let canonical = canonical(value, &mut scratch);
        if canonical.is_ok() {
            self.count(&scratch);
        }
        self.scratch = scratch;
        canonical
    }

    /// Adds the counts of another table.
    pub fn merge(&mut self, other: Self) {
        // Rows come in the order of their hashes. With room for all of them they do not crowd where a smaller table would put
        // them.
        self.rows.reserve(other.rows.len(), |row| row.hash);
        self.recent.clear();
        for row in other.rows {
            match self.rows.find_mut(row.hash, |known| known.hash == row.hash && known.key == row.key) {
                Some(known) => known.count += row.count,
                None => {
                    self.rows.insert_unique(row.hash, row, |row| row.hash);
                }
            }
        }
    }

    /// This table with the counts of another: the merge of a [`fold`](crate::Scan::fold).
    pub fn merged(mut self, other: Self) -> Self {
        if self.rows.len() < other.rows.len() {
            return other.merged(self);
        }
        self.merge(other);
        self
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The sum of all counts.
    pub fn total(&self) -> u64 {
        self.rows.iter().map(|row| row.count).sum()
    }

    /// Keys and counts, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, u64)> {
        self.rows.iter().map(|row| (&row.key, row.count))
    }

    /// Keys and counts, the largest count first, equal counts by key.
    pub fn sorted(&self) -> Vec<(&Key, u64)> {
        let mut rows: Vec<_> = self.iter().collect();
        rows.sort_unstable_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
        rows
    }

    /// Counts a key that may have been counted a moment ago.
    #[inline]
    fn count_short(&mut self, key: ShortKey) {
        match self.recent.get(key).and_then(|bucket| self.rows.get_bucket_mut(bucket)) {
            Some(row) => row.count += 1,
            None => {
                let bucket = self.count(key.bytes(&mut [0; SHORT]));
                self.recent.note(key, bucket);
            }
        }
    }

    /// Counts a key; gives the bucket of its row, which stays until the table grows.
    #[inline(never)]
    fn count(&mut self, key: &[u8]) -> usize {
        let hash = hash(key);
        if let Some(bucket) = self.rows.find_bucket_index(hash, |row| row.hash == hash && *row.key.0 == *key)
            && let Some(row) = self.rows.get_bucket_mut(bucket)
        {
            row.count += 1;
            return bucket;
        }
        let buckets = self.rows.num_buckets();
        let row = Row { hash, key: Key(key.into()), count: 1 };
        let bucket = self.rows.insert_unique(hash, row, |row| row.hash).bucket_index();
        if self.rows.num_buckets() != buckets {
            self.recent.clear();
        }
        bucket
    }
}

/// The key of a string that stands in the text as it is: its text from the opening quote to the closing quote, without that.
fn plain_string(value: Value<'_>) -> Result<Option<&[u8]>, ValueError> {
    if value.kind() != Kind::String || value.decoded().is_some() {
        return Ok(None);
    }
    let string = value.raw()?;
    Ok(if memchr::memchr(b'\\', string).is_none() { string.strip_suffix(b"\"") } else { None })
}

/// Appends the key of a value in canonical form.
fn canonical(value: Value<'_>, out: &mut Vec<u8>) -> Result<(), ValueError> {
    if let Some(decoded) = value.decoded() {
        out.push(b'"');
        out.extend_from_slice(decoded.as_bytes());
        return Ok(());
    }
    let text = value.raw()?;
    match value.kind() {
        Kind::String => {
            out.push(b'"');
            unescape_into(&text[1..text.len() - 1], out)
        }
        Kind::Number => {
            number::canonical(text, out);
            Ok(())
        }
        Kind::Null | Kind::Bool => {
            out.extend_from_slice(text);
            Ok(())
        }
        Kind::Array | Kind::Object => {
            without_white_space(text, out);
            Ok(())
        }
    }
}

/// Appends valid text without the white space between its tokens.
fn without_white_space(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte == b'"' {
            let end = crate::exact::string(text, at).unwrap_or(text.len());
            out.extend_from_slice(&text[at..end]);
            at = end;
        } else {
            if !crate::exact::is_white_space(byte) {
                out.push(byte);
            }
            at += 1;
        }
    }
}
