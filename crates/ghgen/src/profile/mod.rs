//! What a file is made of, in the measures that decide how fast it can be read: so that a
//! generated file can be held against a real one. In goes a file with a record a line, out come
//! measures, of one file as it is ([`Profile::measures`]) or of two side by side
//! ([`Comparison`]).
//!
//! Two files are compared by event type and first key. A file from another time has another mix
//! of types, and events from before 2015 have another key order: what differs because of those
//! is not the shape of an event. So each measure is taken over the types (with the same first
//! key) that both files hold, and both are weighted by one mix, that of GH Archive in 2024.

mod report;
mod scan;

pub use report::{Comparison, Row};

use scan::{FIELDS, Shape, scan};
use std::collections::BTreeMap;
use std::io::{self, BufRead};

/// Sums over records of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    records: u64,
    bytes: u64,
    structural: u64,
    strings: u64,
    string_bytes: u64,
    escapes: u64,
    non_ascii: u64,
    brackets: u64,
    deepest: u64,
    depths: u64,
    /// Per field, the sum of its places and the records that have it.
    places: [(u64, u64); FIELDS.len()],
}

impl Sums {
    fn add(&mut self, record: &[u8], shape: &Shape<'_>) {
        self.records += 1;
        self.bytes += record.len() as u64;
        self.structural += shape.structural;
        self.strings += shape.strings;
        self.string_bytes += shape.string_bytes;
        self.escapes += shape.escapes;
        self.non_ascii += shape.non_ascii;
        self.brackets += shape.brackets;
        self.deepest += shape.deepest;
        self.depths += shape.depths;
        for (sum, place) in self.places.iter_mut().zip(shape.places) {
            if let Some(place) = place {
                sum.0 += place;
                sum.1 += 1;
            }
        }
    }
}

/// What two records must share to be compared: event type (if they have one) and first key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    event_type: Option<String>,
    first_key: String,
}

/// The measures of a file.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    kinds: BTreeMap<Kind, Sums>,
    /// The deepest nesting of any record.
    deepest: u64,
}

impl Profile {
    /// Measures a file with a record a line. Blank lines are passed over.
    ///
    /// # Errors
    ///
    /// Those of `input`, and [`io::ErrorKind::InvalidData`] with the line's number if one is not
    /// a JSON object.
    ///
    /// ```
    /// use ghgen::profile::Profile;
    ///
    /// let profile = Profile::read(&br#"{"type":"PushEvent","payload":{"size":1}}"#[..])?;
    /// let per_string = profile.measures().into_iter().find(|row| row.name == "bytes per string");
    /// assert_eq!(per_string.unwrap().values, [41.0 / 4.0]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read(mut input: impl BufRead) -> io::Result<Self> {
        let mut profile = Self::default();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let record = line.trim_ascii();
            if record.is_empty() {
                continue;
            }
            let shape = scan(record).map_err(|reason| {
                io::Error::new(io::ErrorKind::InvalidData, format!("line {number} is no JSON record: {reason}"))
            })?;
            profile.add(record, &shape);
        }
        Ok(profile)
    }

    fn add(&mut self, record: &[u8], shape: &Shape<'_>) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let kind = Kind { event_type: shape.event_type.map(text), first_key: text(shape.first_key) };
        self.kinds.entry(kind).or_default().add(record, shape);
        self.deepest = self.deepest.max(shape.deepest);
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.kinds.values().map(|sums| sums.records).sum()
    }
}
