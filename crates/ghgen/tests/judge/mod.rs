//! The independent judge: counts a text with serde_json, by the definition of the report and
//! with no help from the generator.
#![allow(dead_code)] // Each test file uses its own part of this.

use ghgen::{Layout, Options, Report, generate};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(crate) const LAYOUTS: [Layout; 5] =
    [Layout::Gh, Layout::GhTrimmed, Layout::Gh2014, Layout::Weblog, Layout::Geojson];

/// A file's text and what the generator says about it.
pub(crate) fn make(options: &Options) -> (Vec<u8>, Report) {
    let mut text = Vec::new();
    let report = generate(options, &mut text).unwrap();
    (text, report)
}

/// Counts by key; `None` is an absent one, and a present one stands as JSON text.
type Counts = BTreeMap<Option<String>, u64>;

/// The report of a counter.
#[derive(Default)]
pub(crate) struct Judge {
    pub(crate) records: u64,
    pub(crate) rejected: u64,
    types: Counts,
    languages: Counts,
}

impl Judge {
    /// Counts a record.
    pub(crate) fn count(&mut self, record: &Value) {
        self.records += 1;
        let key = |pointer| record.pointer(pointer).map(Value::to_string);
        *self.types.entry(key("/type")).or_default() += 1;
        if record.pointer("/type") == Some(&json!("PullRequestEvent"))
            && record.pointer("/payload/action") == Some(&json!("opened"))
        {
            let language = key("/payload/pull_request/base/repo/language");
            *self.languages.entry(language).or_default() += 1;
        }
    }

    /// Counts the lines of a text, rejecting bad ones whole.
    pub(crate) fn lines(text: &[u8]) -> Self {
        let mut judge = Self::default();
        for line in text.split_inclusive(|&b| b == b'\n') {
            match serde_json::from_slice(line) {
                Ok(record) => judge.count(&record),
                Err(_) => judge.rejected += 1,
            }
        }
        judge
    }

    /// Counts the values of a text, whatever stands between them.
    pub(crate) fn values(text: &[u8]) -> Self {
        let mut judge = Self::default();
        for record in serde_json::Deserializer::from_slice(text).into_iter() {
            judge.count(&record.unwrap());
        }
        judge
    }

    /// The report on a text of `bytes` bytes.
    pub(crate) fn report(&self, bytes: usize) -> Value {
        json!({
            "records": self.records, "bytes": bytes, "blank": 0, "rejected": self.rejected,
            "types": list(&self.types),
            "opened_pull_requests": {
                "total": self.languages.values().sum::<u64>(),
                "languages": list(&self.languages),
            },
        })
    }
}

/// By descending count, then strings, null, absent.
fn list(counts: &Counts) -> Value {
    let mut rows: Vec<_> = counts.iter().collect();
    let rank = |key: &Option<String>| match key.as_deref() {
        None => (2, String::new()),
        Some("null") => (1, String::new()),
        Some(text) => (0, serde_json::from_str(text).unwrap()),
    };
    rows.sort_by_key(|(key, count)| (u64::MAX - **count, rank(key)));
    let row = |(key, count): (&Option<String>, &u64)| match key {
        None => json!({ "absent": true, "count": count }),
        Some(text) => {
            json!({ "key": serde_json::from_str::<Value>(text).unwrap(), "count": count })
        }
    };
    rows.into_iter().map(row).collect()
}
