//! Surveys: which paths an unknown file has, with what kinds of values, and some of them.
//!
//! Each worker grows a tree of what it has seen; trees are merged at the end. Nothing depends on the order of the records:
//! members are shown by name, and examples are those with the smallest hashes. Memory grows with the number of different
//! paths.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use ahash::RandomState;
use ndskim::{Error, Fault, Key, Kind, Notice, Record, Scan, Stats, Value, ValueError};
use xxhash_rust::xxh3::xxh3_64;

use crate::aggregate::Scalar;
use crate::cursor::{RESERVED, is_word};
use crate::decimal::Number;
use crate::path::quoted;

/// How a survey is made.
#[derive(Clone, Copy, Debug)]
pub struct SurveyOptions {
    /// The levels that are looked into; the record itself is at level 0.
    pub depth: usize,
    /// Objects with more different members than this are taken for maps: their members are shown as one, called `*`.
    pub wide: usize,
}

impl Default for SurveyOptions {
    fn default() -> Self {
        Self { depth: 1024, wide: 100 }
    }
}

/// What is in a file.
///
/// ```
/// use ndskim::Scan;
/// use ndskim_query::{Survey, SurveyOptions};
/// let survey = Survey::of(Scan::bytes(b"{\"a\":[{\"b\":1},{\"b\":2.5}]}\n{\"a\":null}\n"), SurveyOptions::default())?;
/// let paths: Vec<_> = survey.paths.iter().map(|path| (&*path.path, path.records)).collect();
/// assert_eq!(paths, [(".", Some(2)), ("a", Some(2)), ("a[]", Some(1)), ("a[].b", Some(1))]);
/// # Ok::<(), ndskim::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Survey {
    /// The paths, each before those inside it, members by name.
    pub paths: Vec<PathSurvey>,
    /// Figures of the scan.
    pub stats: Stats,
    /// The first records that were skipped.
    pub faults: Vec<Fault>,
    /// What there is to know of the inputs.
    pub notices: Vec<Notice>,
}

/// What is at one path.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathSurvey {
    /// The path, as a question can have it; `*` stands for the members of a wide object, which no question can.
    pub path: String,
    /// How many records have it; not known inside `*`.
    pub records: Option<u64>,
    /// How many values of each kind there are; only kinds that there are.
    pub kinds: Vec<(Kind, u64)>,
    /// The smallest and the largest number.
    pub range: Option<(Scalar, Scalar)>,
    /// The fewest and the most elements of an array.
    pub elements: Option<(u64, u64)>,
    /// How many different members the objects have.
    pub members: u64,
    /// Some of the strings.
    pub examples: Vec<String>,
}

const KINDS: [Kind; 6] = [Kind::Null, Kind::Bool, Kind::Number, Kind::String, Kind::Array, Kind::Object];
const EXAMPLES: usize = 3;
/// Bytes of an example.
const EXAMPLE_LENGTH: usize = 60;

/// The tree of a worker.
struct Tree {
    root: Box<Branch>,
    record: u64,
    /// Counts the objects, so that the second of two equal keys is known.
    object: u64,
    depth: usize,
}

/// A path.
#[derive(Default)]
struct Branch {
    kinds: [u64; KINDS.len()],
    records: u64,
    last_record: u64,
    last_object: u64,
    range: Option<(Number, Number)>,
    elements: Option<(u64, u64)>,
    examples: Vec<(u64, Box<str>)>,
    /// By decoded name, in which a lone surrogate stands as the three bytes that UTF-8 would give it.
    members: HashMap<Box<[u8]>, Box<Branch>, RandomState>,
    element: Option<Box<Branch>>,
    /// Whether it stands for the members of a wide object.
    merged: bool,
}

impl Survey {
    /// Looks through all records of a scan.
    ///
    /// # Errors
    /// The scan's.
    pub fn of(scan: Scan<'_>, options: SurveyOptions) -> Result<Self, Error> {
        let start = || Tree { root: Box::default(), record: 0, object: 0, depth: options.depth };
        let outcome = scan.try_fold(start, Tree::add, |mut a, b| {
            a.root.merge(*b.root);
            a
        })?;
        let mut paths = Vec::new();
        let mut root = outcome.value.root;
        root.collapse(options.wide);
        root.list("", &mut paths);
        Ok(Self { paths, stats: outcome.stats, faults: outcome.faults, notices: outcome.notices })
    }
}

impl Tree {
    fn add(&mut self, record: Record<'_>) -> Result<(), ValueError> {
        self.record += 1;
        let Self { root, record: number, object, depth } = self;
        root.add(record.value(), *number, object, *depth)
    }
}

impl Branch {
    fn add(&mut self, value: Value<'_>, record: u64, object: &mut u64, depth: usize) -> Result<(), ValueError> {
        let kind = value.kind();
        self.kinds[KINDS.iter().position(|known| *known == kind).unwrap_or_default()] += 1;
        if self.last_record != record {
            self.last_record = record;
            self.records += 1;
        }
        match kind {
            Kind::Number => {
                let number = std::str::from_utf8(value.raw()?).ok().and_then(Number::parse);
                self.range = widened(self.range, number.map(|number| (number, number)));
            }
            Kind::String => {
                let text = value.to_str_lossy()?.unwrap_or_default();
                self.example(xxh3_64(text.as_bytes()), || shortened(&text).into());
            }
            Kind::Array => {
                let mut count = 0;
                for element in value.elements().into_iter().flatten() {
                    let element = element?;
                    count += 1;
                    if depth > 0 {
                        self.element.get_or_insert_default().add(element, record, object, depth - 1)?;
                    }
                }
                self.elements = Some(self.elements.map_or((count, count), |(a, b)| (a.min(count), b.max(count))));
            }
            Kind::Object if depth > 0 => {
                *object += 1;
                let this = *object;
                for member in value.members().into_iter().flatten() {
                    let (key, value) = member?;
                    let key = decoded(key)?;
                    if !self.members.contains_key(&*key) {
                        self.members.insert((&*key).into(), Box::default());
                    }
                    let Some(branch) = self.members.get_mut(&*key) else { continue };
                    if std::mem::replace(&mut branch.last_object, this) != this {
                        branch.add(value, record, object, depth - 1)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Keeps an example if its hash is among the smallest.
    fn example(&mut self, hash: u64, text: impl FnOnce() -> Box<str>) {
        let place = self.examples.partition_point(|(known, _)| *known < hash);
        let known = self.examples.get(place).is_some_and(|(known, _)| *known == hash);
        if place < EXAMPLES && !known {
            self.examples.insert(place, (hash, text()));
            self.examples.truncate(EXAMPLES);
        }
    }

    fn merge(&mut self, other: Self) {
        self.kinds.iter_mut().zip(other.kinds).for_each(|(mine, other)| *mine += other);
        self.records += other.records;
        self.merged |= other.merged;
        self.range = widened(self.range, other.range);
        self.elements = match (self.elements, other.elements) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (mine, other) => mine.or(other),
        };
        for (hash, text) in other.examples {
            self.example(hash, || text);
        }
        for (key, branch) in other.members {
            match self.members.get_mut(&key) {
                Some(mine) => mine.merge(*branch),
                None => drop(self.members.insert(key, branch)),
            }
        }
        if let Some(element) = other.element {
            self.element.get_or_insert_default().merge(*element);
        }
    }

    /// Makes one of the members of objects that have too many different ones.
    fn collapse(&mut self, wide: usize) {
        if self.members.len() > wide {
            let mut all = Box::<Branch>::default();
            std::mem::take(&mut self.members).into_values().for_each(|branch| all.merge(*branch));
            all.mark_merged();
            self.members.insert((*b"*").into(), all);
        }
        self.members.values_mut().chain(&mut self.element).for_each(|branch| branch.collapse(wide));
    }

    fn mark_merged(&mut self) {
        self.merged = true;
        self.members.values_mut().chain(&mut self.element).for_each(|branch| branch.mark_merged());
    }

    fn list(&self, path: &str, out: &mut Vec<PathSurvey>) {
        let kinds = KINDS.into_iter().zip(self.kinds).filter(|(_, count)| *count > 0);
        out.push(PathSurvey {
            path: if path.is_empty() { ".".to_owned() } else { path.to_owned() },
            records: (!self.merged).then_some(self.records),
            kinds: kinds.collect(),
            range: self.range.map(|(low, high)| (low.into(), high.into())),
            elements: self.elements,
            members: self.members.len() as u64,
            examples: self.examples.iter().map(|(_, text)| text.to_string()).collect(),
        });
        let mut members: Vec<_> = self.members.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        for (name, branch) in members {
            branch.list(&joined(path, name, branch.merged && !self.merged), out);
        }
        if let Some(element) = &self.element {
            element.list(&format!("{path}[]"), out);
        }
    }
}

/// The decoded name of a member.
fn decoded(name: Value<'_>) -> Result<Cow<'_, [u8]>, ValueError> {
    match name.as_str() {
        Ok(Some(Cow::Borrowed(name))) => Ok(Cow::Borrowed(name.as_bytes())),
        Ok(name) => Ok(Cow::Owned(name.unwrap_or_default().into_owned().into_bytes())),
        Err(ValueError::Unrepresentable) => {
            let mut key = Vec::new();
            Key::encode(Some(name), &mut key)?;
            // It begins with a quote.
            Ok(Cow::Owned(key.split_off(1)))
        }
        Err(error) => Err(error),
    }
}

/// A path with another member; `star` is written as it is.
fn joined(path: &str, name: &[u8], star: bool) -> String {
    let is_bare = |name: &&str| {
        let word = !name.is_empty() && name.chars().all(is_word) && !(path.is_empty() && RESERVED.contains(name));
        star || word && *name != "*"
    };
    let name = match std::str::from_utf8(name).ok().filter(is_bare) {
        Some(name) => name.to_owned(),
        None => quoted(name),
    };
    if path.is_empty() { name } else { format!("{path}.{name}") }
}

fn widened(a: Option<(Number, Number)>, b: Option<(Number, Number)>) -> Option<(Number, Number)> {
    let (Some((low, high)), Some((lower, higher))) = (a, b) else { return a.or(b) };
    Some((
        if lower.beats(low, Ordering::Less) { lower } else { low },
        if higher.beats(high, Ordering::Greater) { higher } else { high },
    ))
}

fn shortened(text: &str) -> String {
    if text.len() <= EXAMPLE_LENGTH {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(EXAMPLE_LENGTH)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_different_lone_surrogates_are_different_paths() {
        let records = b"{\"\\ud800\":1,\"\\udc00\":2}\n{\"\\ufffd\":3,\"\\u0061\":4}\n{\"a\":5,\"\\ud800\\udc00\":6}\n";
        let survey = Survey::of(Scan::bytes(records), SurveyOptions::default()).unwrap();
        let paths: Vec<_> = survey.paths.iter().map(|path| (&*path.path, path.records)).collect();
        let expected = [
            (".", Some(3)),
            ("a", Some(2)),
            ("\"\\ud800\"", Some(1)),
            ("\"\\udc00\"", Some(1)),
            ("\u{fffd}", Some(1)),
            ("\u{10000}", Some(1)),
        ];
        assert_eq!(paths, expected);
        let values = survey.paths[1..].iter().map(|path| path.kinds.iter().map(|(_, count)| count).sum::<u64>());
        assert_eq!(values.sum::<u64>(), 6);
    }
}
