//! From sums to measures, and measures as a table or as JSON.

use super::{FIELDS, Kind, Profile, Sums};
use crate::mix;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// A measure, of one file or of two.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// Its value in each file; NaN where there is nothing to divide by.
    pub values: Vec<f64>,
}

impl Row {
    /// The first file's value as a multiple of the second's; NaN for one file.
    pub fn ratio(&self) -> f64 {
        match self.values[..] {
            [a, b] if a == b => 1.0,
            [a, b] => a / b,
            _ => f64::NAN,
        }
    }
}

/// Sums of one kind of record, and how much that kind weighs.
type Weighted<'a> = Vec<(f64, &'a Sums)>;

/// A quotient of two sums over records, each weighted.
fn quotient(kinds: &Weighted<'_>, part: impl Fn(&Sums) -> u64, whole: impl Fn(&Sums) -> u64) -> f64 {
    let sum = |of: &dyn Fn(&Sums) -> u64| -> f64 {
        kinds.iter().map(|(weight, sums)| weight * of(sums) as f64 / sums.records as f64).sum()
    };
    sum(&part) / sum(&whole)
}

/// The measures of weighted kinds.
fn measure(kinds: &Weighted<'_>) -> Vec<(String, f64)> {
    let per = |whole: fn(&Sums) -> u64| quotient(kinds, |s| s.bytes, whole);
    let of_bytes = |part: fn(&Sums) -> u64| quotient(kinds, part, |s| s.bytes);
    let mut rows = vec![
        ("bytes per record".into(), per(|s| s.records)),
        ("bytes per structural character".into(), per(|s| s.structural)),
        ("bytes per string".into(), per(|s| s.strings)),
        ("share of bytes in strings".into(), of_bytes(|s| s.string_bytes)),
        ("escapes per kB".into(), 1e3 * of_bytes(|s| s.escapes)),
        ("non-ASCII bytes per kB".into(), 1e3 * of_bytes(|s| s.non_ascii)),
        ("brackets per kB".into(), 1e3 * of_bytes(|s| s.brackets)),
        ("deepest nesting in a record, mean".into(), quotient(kinds, |s| s.deepest, |s| s.records)),
        ("depth of a structural character, mean".into(), quotient(kinds, |s| s.depths, |s| s.structural)),
    ];
    for (n, field) in FIELDS.iter().enumerate() {
        let place = quotient(kinds, |s| s.places[n].0, |s| s.places[n].1);
        rows.push((format!("position of {field}"), place));
    }
    rows
}

/// A kind's name in a table.
fn title(kind: &Kind) -> String {
    match &kind.event_type {
        Some(event_type) => format!("bytes per {event_type}"),
        None => format!("bytes per record that begins with `{}`", kind.first_key),
    }
}

impl Profile {
    /// The measures of the file as it is, then the mean length of each kind of record.
    pub fn measures(&self) -> Vec<Row> {
        let all: Weighted<'_> = self.kinds.values().map(|sums| (sums.records as f64, sums)).collect();
        let kinds = self.kinds.iter().map(|(kind, sums)| (title(kind), sums.bytes as f64 / sums.records as f64));
        let deepest = ("deepest nesting".to_owned(), self.deepest as f64);
        let rows = measure(&all).into_iter().chain([deepest]).chain(kinds);
        rows.map(|(name, value)| Row { name, values: vec![value] }).collect()
    }

    /// The measures as JSON.
    pub fn to_json(&self) -> Value {
        json!({ "records": self.records(), "measures": self.measures().iter().map(row_json).collect::<Vec<_>>() })
    }
}

/// The measures as a table.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} records", self.records())?;
        self.measures().iter().try_for_each(|row| writeln!(f, "{:<58}{:>12.3}", row.name, row.values[0]))
    }
}

fn row_json(row: &Row) -> Value {
    match row.values[..] {
        [value] => json!({ "name": row.name, "value": value }),
        _ => json!({ "name": row.name, "values": row.values, "ratio": row.ratio() }),
    }
}

/// Two files side by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The measures over what both files hold, weighted alike.
    pub measures: Vec<Row>,
    /// The mean length of each kind of record that both hold.
    pub kinds: Vec<Row>,
    /// Records compared, of how many, in each file.
    pub compared: [(u64, u64); 2],
}

impl Comparison {
    /// Compares two files; ratios are the first to the second.
    ///
    /// ```
    /// use ghgen::{Options, generate, profile::{Comparison, Profile}};
    ///
    /// let profile = |seed| {
    ///     let mut text = Vec::new();
    ///     generate(&Options { bytes: 300_000, seed, ..Options::default() }, &mut text).unwrap();
    ///     Profile::read(&text[..]).unwrap()
    /// };
    /// let comparison = Comparison::new(&profile(1), &profile(2));
    /// assert!((comparison.measures[1].ratio() - 1.0).abs() < 0.1);
    /// ```
    pub fn new(first: &Profile, second: &Profile) -> Self {
        let common: Vec<&Kind> = first.kinds.keys().filter(|kind| second.kinds.contains_key(kind)).collect();
        let mut records_of_type = BTreeMap::new();
        for kind in &common {
            *records_of_type.entry(&kind.event_type).or_insert(0) += first.kinds[*kind].records;
        }
        // The weight of a type is its share in the mix, or else in the first file; where a type
        // has several first keys, the first file says how it is divided.
        let weight = |kind: &Kind| {
            let share = kind
                .event_type
                .as_deref()
                .and_then(mix::share)
                .map_or_else(|| 1e6 * records_of_type[&kind.event_type] as f64 / first.records() as f64, f64::from);
            share * first.kinds[kind].records as f64 / records_of_type[&kind.event_type] as f64
        };
        let sides = [first, second].map(|profile| {
            let weighted: Weighted<'_> = common.iter().map(|kind| (weight(kind), &profile.kinds[*kind])).collect();
            (measure(&weighted), (weighted.iter().map(|(_, s)| s.records).sum(), profile.records()))
        });
        let [(a, compared_a), (b, compared_b)] = sides;
        let pair = |((name, a), (_, b))| Row { name, values: vec![a, b] };
        let mean =
            |profile: &Profile, kind: &Kind| profile.kinds[kind].bytes as f64 / profile.kinds[kind].records as f64;
        let kinds =
            common.iter().map(|kind| Row { name: title(kind), values: vec![mean(first, kind), mean(second, kind)] });
        Self {
            measures: a.into_iter().zip(b).map(pair).collect(),
            kinds: kinds.collect(),
            compared: [compared_a, compared_b],
        }
    }

    /// The comparison as JSON.
    pub fn to_json(&self) -> Value {
        let rows = |rows: &[Row]| rows.iter().map(row_json).collect::<Vec<_>>();
        json!({
            "compared_records": self.compared.map(|(compared, _)| compared),
            "records": self.compared.map(|(_, all)| all),
            "measures": rows(&self.measures),
            "kinds": rows(&self.kinds),
        })
    }
}

/// The comparison as a table.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [(a, all_a), (b, all_b)] = self.compared;
        writeln!(f, "records compared: {a} of {all_a}, and {b} of {all_b}")?;
        writeln!(f, "{:<58}{:>12}{:>12}{:>8}", "", "first", "second", "ratio")?;
        let mut line = String::new();
        for row in self.measures.iter().chain(&self.kinds) {
            line.clear();
            write!(line, "{:<58}", row.name)?;
            row.values.iter().try_for_each(|value| write!(line, "{value:>12.3}"))?;
            writeln!(f, "{line}{:>8.3}", row.ratio())?;
        }
        Ok(())
    }
}
