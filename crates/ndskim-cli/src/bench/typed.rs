//! The part of a GH Archive event that the report needs, as types, and counting by them: the same for every reader of types.

use std::borrow::Cow;

use serde::Deserialize;

use super::answer::{Answer, Counts};

/// An event.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    payload: Payload<'a>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow)]
    action: Option<Text<'a>>,
    #[serde(borrow)]
    pull_request: Option<PullRequest<'a>>,
}

#[derive(Deserialize)]
struct PullRequest<'a> {
    #[serde(borrow)]
    base: Option<Base<'a>>,
}

#[derive(Deserialize)]
struct Base<'a> {
    #[serde(borrow)]
    repo: Option<Repo<'a>>,
}

#[derive(Deserialize)]
struct Repo<'a> {
    #[serde(borrow)]
    language: Option<Text<'a>>,
}

/// Text, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// The counts of the report, by text. A missing language counts as `null`: the types do not tell them apart.
#[derive(Default)]
pub(super) struct Tally {
    records: u64,
    types: Rows,
    languages: Rows,
}

/// Few keys, so that going through them costs least.
#[derive(Default)]
struct Rows(Vec<(Option<String>, u64)>);

impl Tally {
    pub(super) fn add(&mut self, event: &Event<'_>) {
        self.records += 1;
        self.types.add(Some(&event.kind.0), 1);
        let is_opened = || event.payload.action.as_ref().is_some_and(|action| action.0 == "opened");
        if event.kind.0 == "PullRequestEvent" && is_opened() {
            let base = event.payload.pull_request.as_ref().and_then(|pull_request| pull_request.base.as_ref());
            let language = base.and_then(|base| base.repo.as_ref()).and_then(|repo| repo.language.as_ref());
            self.languages.add(language.map(|language| &*language.0), 1);
        }
    }

    /// This tally with the counts of another.
    pub(super) fn merged(mut self, other: Self) -> Self {
        self.records += other.records;
        other.types.0.iter().for_each(|(key, count)| self.types.add(key.as_deref(), *count));
        other.languages.0.iter().for_each(|(key, count)| self.languages.add(key.as_deref(), *count));
        self
    }

    pub(super) fn answer(&self) -> Answer {
        let (types, languages) = (Some(self.types.counts()), Some(self.languages.counts()));
        Answer { types, languages, ..Answer::records(self.records) }
    }
}

impl Rows {
    fn add(&mut self, key: Option<&str>, count: u64) {
        match self.0.iter_mut().find(|(known, _)| known.as_deref() == key) {
            Some((_, counted)) => *counted += count,
            None => self.0.push((key.map(str::to_owned), count)),
        }
    }

    fn counts(&self) -> Counts {
        let json = |key: &Option<String>| key.as_ref().map_or_else(|| "null".to_owned(), |text| quoted(text));
        self.0.iter().map(|(key, count)| (Some(json(key)), *count)).collect()
    }
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", c as u32)),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}
