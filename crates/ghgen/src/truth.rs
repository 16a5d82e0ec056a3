//! The truth about a file: what a counter must report about it. In go the facts that layouts
//! state, out comes the report of `ghcount` as JSON. Nothing here ever reads a record.

use crate::layout::{Facts, Language};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Counts of records, event types and languages.
///
/// ```
/// use ghgen::{Generator, Options, Truth};
///
/// let mut generator = Generator::new(&Options::default());
/// let (mut text, mut truth) = (Vec::new(), Truth::default());
/// let facts = generator.record(&mut text);
/// truth.count(&facts);
/// assert_eq!(truth.records, 1);
/// assert!(truth.to_json().starts_with(r#"{"records":1,"bytes":0,"#));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// Valid records.
    pub records: u64,
    /// Bytes of JSON text after decompression, line ends and damage included.
    pub bytes: u64,
    /// Blank lines.
    pub blank: u64,
    /// Lines that are not a valid record.
    pub rejected: u64,
    types: HashMap<Option<&'static str>, u64>,
    languages: HashMap<Language, u64>,
}

impl Truth {
    /// Counts one record.
    pub fn count(&mut self, facts: &Facts) {
        self.records += 1;
        *self.types.entry(facts.event_type).or_default() += 1;
        if let Some(language) = facts.opened {
            *self.languages.entry(language).or_default() += 1;
        }
    }

    /// Pull requests opened.
    pub fn opened(&self) -> u64 {
        self.languages.values().sum()
    }

    /// The report, on one line without a line end: members in the order of `ghcount`, lists by
    /// descending count, then by key in code point order, `null` after strings, absent last.
    pub fn to_json(&self) -> String {
        let types = self.types.iter().map(|(&key, &count)| (key.map_or(Language::Absent, Language::Named), count));
        let languages = self.languages.iter().map(|(&key, &count)| (key, count));
        format!(
            r#"{{"records":{},"bytes":{},"blank":{},"rejected":{},"types":{},"opened_pull_requests":{{"total":{},"languages":{}}}}}"#,
            self.records,
            self.bytes,
            self.blank,
            self.rejected,
            list(types),
            self.opened(),
            list(languages)
        )
    }
}

/// A sorted list of keys with their counts.
fn list(counts: impl Iterator<Item = (Language, u64)>) -> String {
    let rank = |key: &Language| match *key {
        Language::Named(name) => (0, name),
        Language::Null => (1, ""),
        Language::Absent => (2, ""),
    };
    let mut rows: Vec<_> = counts.collect();
    rows.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| rank(a).cmp(&rank(b))));
    let mut out = String::from("[");
    for (n, (key, count)) in rows.iter().enumerate() {
        out.push_str(if n > 0 { "," } else { "" });
        match key {
            Language::Named(name) => out.push_str(&format!(r#"{{"key":{},"#, serde_json::Value::from(*name))),
            Language::Null => out.push_str(r#"{"key":null,"#),
            Language::Absent => out.push_str(r#"{"absent":true,"#),
        }
        write!(out, r#""count":{count}}}"#).expect("a String takes any text");
    }
    out.push(']');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_counts_are_ordered_by_key() {
        let mut truth = Truth::default();
        for opened in
            [Language::Absent, Language::Null, Language::Named("b"), Language::Named("a"), Language::Named("b")]
        {
            truth.count(&Facts { event_type: Some("PullRequestEvent"), opened: Some(opened) });
        }
        truth.count(&Facts { event_type: None, opened: None });
        assert_eq!(
            truth.to_json(),
            concat!(
                r#"{"records":6,"bytes":0,"blank":0,"rejected":0,"#,
                r#""types":[{"key":"PullRequestEvent","count":5},{"absent":true,"count":1}],"#,
                r#""opened_pull_requests":{"total":5,"languages":[{"key":"b","count":2},{"key":"a","count":1},"#,
                r#"{"key":null,"count":1},{"absent":true,"count":1}]}}"#
            )
        );
    }
}
