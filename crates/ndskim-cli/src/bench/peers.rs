//! Other crates' readers on the same lines, in the same run.
//!
//! Each gets its lines from memchr, and counts in the same way as ours where it can.

use ndskim::Pointer;
use serde::de::IgnoredAny;
use serde_json::Value as Json;
use sonic_rs::LazyValue;

use super::answer::{Answer, Counts};
use super::typed::{Event, Tally, quoted};
use super::{Bench, Class, JobArg, Row};

type Run<'a> = Box<dyn Fn() -> Result<Answer, String> + 'a>;

/// Appends the peers' rows of a job.
pub(super) fn rows<'a>(bench: &'a Bench, bytes: &'a [u8], rows: &mut Vec<Row<'a>>) {
    let mut row = |name: &str, class, checks, run: Run<'a>| {
        let (name, tells_absent) = (name.to_owned(), class != Class::Typed);
        rows.push(Row { name, class, checks, threads: 1, tells_absent, run });
    };
    let ignored = move || each_line(bytes, |line| serde_json::from_slice::<IgnoredAny>(line).map(drop));
    row("serde_json, IgnoredAny", Class::Validate, "every byte", Box::new(move || ignored().map(Answer::records)));
    match bench.job {
        JobArg::Validate => {}
        JobArg::CountGh => {
            row("sonic-rs, get", Class::SomeFields, "to the field", Box::new(move || sonic_fields(bytes, checked)));
            row(
                "sonic-rs, get_unchecked",
                Class::SomeFields,
                "nothing",
                Box::new(move || sonic_fields(bytes, unchecked)),
            );
            row("sonic-rs, typed", Class::Typed, "partly", Box::new(move || typed(bytes, sonic_rs::from_slice)));
            row(
                "serde_json, typed",
                Class::Typed,
                "every byte",
                Box::new(move || typed(bytes, serde_json::from_slice)),
            );
            row("simd-json, tape a line", Class::Whole, "every byte", Box::new(move || tape(bytes)));
        }
        JobArg::Field => {
            let pointer = bench.pointer.clone().unwrap_or(Pointer::from_tokens::<&str>([]));
            row("sonic-rs, get", Class::SomeFields, "to the field", Box::new(move || sonic_field(bytes, &pointer)));
        }
    }
}

/// Every line that is not empty; tells how many there are.
fn each_line<'a, E: std::fmt::Display>(
    bytes: &'a [u8],
    mut read: impl FnMut(&'a [u8]) -> Result<(), E>,
) -> Result<u64, String> {
    let (mut start, mut records) = (0, 0);
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
        if end > start {
            records += 1;
            read(&bytes[start..end]).map_err(|error| format!("line at byte {start}: {error}"))?;
        }
        start = end + 1;
    }
    Ok(records)
}

fn typed<'a, E: std::fmt::Display>(
    bytes: &'a [u8],
    read: impl Fn(&'a [u8]) -> Result<Event<'a>, E>,
) -> Result<Answer, String> {
    let mut tally = Tally::default();
    each_line(bytes, |line| read(line).map(|event| tally.add(&event)))?;
    Ok(tally.answer())
}

/// What sonic-rs says of a path; a value that is not there is no error here.
fn checked<'a>(line: &'a [u8], path: &[&str]) -> Result<Option<LazyValue<'a>>, sonic_rs::Error> {
    match sonic_rs::get(line, path) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_not_found() || error.is_unmatched_type() => Ok(None),
        Err(error) => Err(error),
    }
}

fn unchecked<'a>(line: &'a [u8], path: &[&str]) -> Result<Option<LazyValue<'a>>, sonic_rs::Error> {
    // SAFETY: the line is valid JSON: the rows before this one have read it whole, and failed if it were not.
    match unsafe { sonic_rs::get_unchecked(line, path) } {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_not_found() || error.is_unmatched_type() => Ok(None),
        Err(error) => Err(error),
    }
}

type Get = for<'a> fn(&'a [u8], &[&str]) -> Result<Option<LazyValue<'a>>, sonic_rs::Error>;

/// The type of each event, and of pull requests the action, and of opened ones the language.
fn sonic_fields(bytes: &[u8], get: Get) -> Result<Answer, String> {
    let (mut types, mut languages) = (Counter::default(), Counter::default());
    let records = each_line(bytes, |line| {
        let kind = get(line, &["type"])?;
        types.add(kind.as_ref().map(LazyValue::as_raw_str));
        if kind.is_some_and(|kind| kind.as_raw_str() == "\"PullRequestEvent\"") {
            let action = get(line, &["payload", "action"])?;
            if action.is_some_and(|action| action.as_raw_str() == "\"opened\"") {
                let language = get(line, &["payload", "pull_request", "base", "repo", "language"])?;
                languages.add(language.as_ref().map(LazyValue::as_raw_str));
            }
        }
        Ok::<_, sonic_rs::Error>(())
    })?;
    Ok(Answer { types: Some(types.counts()), languages: Some(languages.counts()), ..Answer::records(records) })
}

fn sonic_field(bytes: &[u8], pointer: &Pointer) -> Result<Answer, String> {
    let path: Vec<&str> = pointer.tokens().iter().map(String::as_str).collect();
    let mut groups = Counter::default();
    let records = each_line(bytes, |line| {
        let value = checked(line, &path)?;
        groups.add(value.as_ref().map(LazyValue::as_raw_str));
        Ok::<_, sonic_rs::Error>(())
    })?;
    Ok(Answer { groups: Some(groups.counts()), ..Answer::records(records) })
}

/// simd-json's tape of each line, with all buffers reused.
fn tape(bytes: &[u8]) -> Result<Answer, String> {
    use simd_json::prelude::ValueAsScalar;
    let (mut types, mut languages) = (Counter::default(), Counter::default());
    let (mut copy, mut buffers) = (Vec::new(), simd_json::Buffers::default());
    let mut kept = simd_json::Tape::null();
    let records = each_line(bytes, |line| {
        copy.clear();
        copy.extend_from_slice(line);
        let mut tape = std::mem::replace(&mut kept, simd_json::Tape::null()).reset();
        simd_json::fill_tape(&mut copy, &mut buffers, &mut tape)?;
        let event = tape.as_value();
        let kind = event.get("type");
        types.add_text(kind.as_ref().map(|kind| kind.as_str()));
        let payload = event.get("payload");
        if kind.is_some_and(|kind| kind.as_str() == Some("PullRequestEvent"))
            && let Some(payload) = payload
            && payload.get("action").is_some_and(|action| action.as_str() == Some("opened"))
        {
            let repo = payload.get("pull_request").and_then(|pull| pull.get("base")).and_then(|base| base.get("repo"));
            let language = repo.and_then(|repo| repo.get("language"));
            languages.add_text(language.as_ref().map(|language| language.as_str()));
        }
        kept = tape.reset();
        Ok::<_, simd_json::Error>(())
    })?;
    Ok(Answer { types: Some(types.counts()), languages: Some(languages.counts()), ..Answer::records(records) })
}

/// Counts by JSON text as it stands; what is equal as JSON is brought together at the end.
#[derive(Default)]
struct Counter(Vec<(Option<String>, u64)>);

impl Counter {
    fn add(&mut self, key: Option<&str>) {
        match self.0.iter_mut().find(|(known, _)| known.as_deref() == key) {
            Some((_, count)) => *count += 1,
            None => self.0.push((key.map(str::to_owned), 1)),
        }
    }

    /// Of a value that is there: its text, or `null`.
    fn add_text(&mut self, key: Option<Option<&str>>) {
        let is = |known: &Option<String>| match (known.as_deref(), key) {
            (None, None) => true,
            (Some("null"), Some(None)) => true,
            (Some(known), Some(Some(text))) => known.len() == text.len() + 2 && known[1..].starts_with(text),
            _ => false,
        };
        match self.0.iter_mut().find(|(known, _)| is(known)) {
            Some((_, count)) => *count += 1,
            None => self.0.push((key.map(|text| text.map_or_else(|| "null".to_owned(), quoted)), 1)),
        }
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::new();
        for (key, count) in &self.0 {
            let canonical = key.as_deref().map(|json| match serde_json::from_str(json) {
                Ok(Json::String(text)) => quoted(&text),
                _ => json.to_owned(),
            });
            *counts.entry(canonical).or_default() += count;
        }
        counts
    }
}
