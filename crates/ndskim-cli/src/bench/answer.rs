//! What a row of a benchmark finds, in a form in which the answers of different readers can be compared.

use std::collections::BTreeMap;
use std::io::{self, Write};

use ndskim::CountTable;

/// Counts by key as JSON text; `None` for records that do not have the value.
pub(crate) type Counts = BTreeMap<Option<String>, u64>;

/// The answer of a row. Parts that it cannot tell are not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) records: u64,
    /// Events by type.
    pub(crate) types: Option<Counts>,
    /// Opened pull requests by language.
    pub(crate) languages: Option<Counts>,
    /// Records by the value of a field.
    pub(crate) groups: Option<Counts>,
}

impl Answer {
    /// Whether types were asked for, and no record has one.
    pub(crate) fn has_no_types(&self) -> bool {
        self.types.as_ref().is_some_and(|types| types.keys().all(Option::is_none))
    }

    /// Nothing but the number of records.
    pub(crate) fn records(records: u64) -> Self {
        Self { records, ..Self::default() }
    }

    /// The name of a part that differs, if one does. Parts that either does not have are not compared.
    pub(crate) fn difference(&self, other: &Self, merge_missing: bool) -> Option<&'static str> {
        let differ = |a: &Option<Counts>, b: &Option<Counts>| match (a, b) {
            (Some(a), Some(b)) if merge_missing => merged_missing(a) != merged_missing(b),
            (Some(a), Some(b)) => a != b,
            _ => false,
        };
        match () {
            () if self.records != other.records => Some("numbers of records"),
            () if differ(&self.types, &other.types) => Some("types"),
            () if differ(&self.languages, &other.languages) => Some("languages"),
            () if differ(&self.groups, &other.groups) => Some("groups"),
            () => None,
        }
    }

    /// Writes the answer as JSON, in the shape of the reports.
    pub(crate) fn write(&self, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
        write!(out, "{{\"records\":{}", self.records)?;
        if let Some(types) = &self.types {
            out.write_all(b",\"types\":")?;
            write_counts(out, types)?;
        }
        if let Some(languages) = &self.languages {
            let total: u64 = languages.values().sum();
            write!(out, ",\"opened_pull_requests\":{{\"total\":{total},\"languages\":")?;
            write_counts(out, languages)?;
            out.write_all(b"}")?;
        }
        if let Some(groups) = &self.groups {
            out.write_all(b",\"groups\":")?;
            write_counts(out, groups)?;
        }
        out.write_all(b"}")
    }
}

/// The counts of a table.
pub(crate) fn counts(table: &CountTable) -> Counts {
    table.iter().map(|(key, count)| (key.to_json().map(|json| json.into_owned()), count)).collect()
}

/// The same with missing values counted as `null`.
fn merged_missing(counts: &Counts) -> Counts {
    let mut merged = Counts::new();
    for (key, count) in counts {
        *merged.entry(key.clone().or_else(|| Some("null".to_owned()))).or_default() += count;
    }
    merged
}

fn write_counts(out: &mut (impl Write + ?Sized), counts: &Counts) -> io::Result<()> {
    let mut rows: Vec<_> = counts.iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    out.write_all(b"[")?;
    for (number, (key, count)) in rows.into_iter().enumerate() {
        let separator = if number > 0 { "," } else { "" };
        match key {
            Some(json) => write!(out, "{separator}{{\"key\":{json},\"count\":{count}}}")?,
            None => write!(out, "{separator}{{\"absent\":true,\"count\":{count}}}")?,
        }
    }
    out.write_all(b"]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn languages(rows: &[(Option<&str>, u64)]) -> Answer {
        let counts = rows.iter().map(|(key, count)| (key.map(str::to_owned), *count)).collect();
        Answer { languages: Some(counts), ..Answer::records(9) }
    }

    #[test]
    fn answers_are_compared_as_far_as_both_go() {
        let (a, b) = (languages(&[(Some("\"C\""), 1), (Some("null"), 3)]), languages(&[(Some("\"C\""), 1), (None, 3)]));
        assert_eq!(a.difference(&b, false), Some("languages"));
        assert_eq!(a.difference(&b, true), None);
        assert_eq!(a.difference(&Answer::records(9), false), None);
        assert_eq!(a.difference(&Answer::records(8), false), Some("numbers of records"));
    }

    #[test]
    fn an_answer_is_written_in_the_shape_of_the_reports() {
        let mut out = Vec::new();
        languages(&[(Some("\"C\""), 1), (None, 3)]).write(&mut out).unwrap();
        let expected = r#"{"records":9,"opened_pull_requests":{"total":4,"languages":[{"absent":true,"count":3},{"key":"\"C\"","count":1}]}}"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected.replace(r#"\"C\""#, "C"));
    }
}
