//! The rows of each job: this library in all its modes, simd-json's tape as an engine, and the newline split.

use ndskim::{
    Comparison, DeserializeError, Engine, Filter, Input, Pointer, Projection, Record, Scan, Validation, Value,
    ValueError,
};

use super::answer::{Answer, counts};
use super::typed::{Event, Tally};
use super::{Bench, Class, JobArg, Row};
use crate::args::FormatArg;
use crate::ghcount::Report;

const EVERY_BYTE: &str = "every byte";
const VISITED: &str = "what is read";

/// The rows of the job that a command line asks for.
pub(super) fn rows<'a>(bench: &'a Bench, bytes: &'a [u8]) -> Vec<Row<'a>> {
    let setup = Setup { bench, bytes };
    let mut rows = Vec::new();
    if bench.input_format == FormatArg::Lines {
        rows.push(Row {
            name: "memchr, newlines counted".to_owned(),
            class: Class::Search,
            checks: "nothing",
            threads: 1,
            tells_absent: true,
            run: Box::new(|| Ok(Answer::records(lines(bytes)))),
        });
    }
    match bench.job {
        JobArg::Validate => setup.validate(&mut rows),
        JobArg::CountGh => setup.count_gh(&mut rows),
        JobArg::Field => setup.field(&mut rows, bench.pointer.clone().unwrap_or(Pointer::from_tokens::<&str>([]))),
    }
    #[cfg(feature = "peers")]
    if bench.input_format == FormatArg::Lines {
        super::peers::rows(bench, bytes, &mut rows);
    }
    rows
}

/// Lines that are not empty, as far as a search for newlines can tell.
fn lines(bytes: &[u8]) -> u64 {
    let newlines = memchr::memchr_iter(b'\n', bytes).count() as u64;
    newlines + u64::from(bytes.last().is_some_and(|&last| last != b'\n'))
}

/// How a row of ours reads.
#[derive(Clone, Copy)]
struct Mode {
    name: &'static str,
    engine: Engine,
    validation: Validation,
}

const FULL: Mode = Mode { name: "full", engine: Engine::Auto, validation: Validation::Full };
const VISIT: Mode = Mode { name: "visited", engine: Engine::Auto, validation: Validation::Visited };
const SIMD_JSON: Mode = Mode { name: "simd-json engine", engine: Engine::SimdJson, validation: Validation::Full };

#[derive(Clone, Copy)]
struct Setup<'a> {
    bench: &'a Bench,
    bytes: &'a [u8],
}

impl<'a> Setup<'a> {
    fn row(
        self,
        mode: Mode,
        how: &str,
        class: Class,
        run: impl Fn(Scan<'a>) -> Result<Answer, ndskim::Error> + 'a,
    ) -> Row<'a> {
        let scan = move || {
            let name = self.bench.file.display().to_string();
            let scan = Scan::new(vec![Input::bytes(self.bytes).named(name)]);
            let scan = scan.threads(self.bench.threads).format(self.bench.input_format.format());
            scan.engine(mode.engine).validation(mode.validation)
        };
        Row {
            name: format!("{}, {how}", mode.name),
            class,
            checks: if mode.validation == Validation::Full { EVERY_BYTE } else { VISITED },
            threads: self.bench.threads,
            tells_absent: class != Class::Typed,
            run: Box::new(move || run(scan()).map_err(|error| error.to_string())),
        }
    }

    fn validate(self, rows: &mut Vec<Row<'a>>) {
        let validate = |scan: Scan<'_>| Ok(Answer::records(scan.validate()?.stats.records));
        let count = |scan: Scan<'_>| Ok(Answer::records(scan.for_each(|_| ())?.stats.records));
        rows.push(self.row(FULL, "validation alone", Class::Validate, validate));
        rows.push(self.row(FULL, "empty closure", Class::Validate, count));
        rows.push(self.row(VISIT, "empty closure", Class::Search, count));
        rows.push(self.row(SIMD_JSON, "empty closure", Class::Whole, count));
    }

    fn count_gh(self, rows: &mut Vec<Row<'a>>) {
        let validate = |scan: Scan<'_>| Ok(Answer::records(scan.validate()?.stats.records));
        rows.push(self.row(FULL, "validation alone", Class::Validate, validate));
        rows.push(self.row(FULL, "three fields", Class::SomeFields, |scan| report(scan, three_fields, &FIELDS)));
        rows.push(self.row(FULL, "lazy closure", Class::SomeFields, |scan| report(scan, lazy, &[])));
        rows.push(self.row(FULL, "as ghcount", Class::SomeFields, as_ghcount));
        rows.push(self.row(FULL, "deserialize", Class::Typed, typed));
        rows.push(self.row(VISIT, "three fields", Class::SomeFields, |scan| report(scan, three_fields, &FIELDS)));
        rows.push(self.row(VISIT, "lazy closure", Class::SomeFields, |scan| report(scan, lazy, &[])));
        rows.push(self.row(VISIT, "as ghcount", Class::SomeFields, as_ghcount));
        rows.push(self.row(VISIT, "filter first", Class::SomeFields, filter_first));
        rows.push(self.row(VISIT, "deserialize", Class::Typed, typed));
        rows.push(self.row(SIMD_JSON, "three fields", Class::Whole, |scan| report(scan, three_fields, &FIELDS)));
    }

    fn field(self, rows: &mut Vec<Row<'a>>, pointer: Pointer) {
        for mode in [FULL, VISIT, SIMD_JSON] {
            let pointer = pointer.clone();
            let class = if mode.engine == Engine::SimdJson { Class::Whole } else { Class::SomeFields };
            rows.push(self.row(mode, "one field", class, move |scan| {
                let outcome = scan.count_by(pointer.clone())?;
                Ok(Answer { groups: Some(counts(&outcome.value)), ..Answer::records(outcome.stats.records) })
            }));
        }
    }
}

/// The fields of the report, as tokens of their pointers.
const FIELDS: [&[&str]; 3] =
    [&["type"], &["payload", "action"], &["payload", "pull_request", "base", "repo", "language"]];

fn pointer(tokens: &[&str]) -> Pointer {
    Pointer::from_tokens(tokens.iter().copied())
}

fn report(
    scan: Scan<'_>,
    add: fn(&mut Report, Record<'_>) -> Result<(), ValueError>,
    fields: &[&[&str]],
) -> Result<Answer, ndskim::Error> {
    let scan = scan.project(Projection::from(fields.iter().map(|tokens| pointer(tokens)).collect::<Vec<_>>()));
    let outcome = scan.try_fold(Report::default, add, Report::merged)?;
    Ok(report_answer(&outcome.value, outcome.stats.records))
}

fn report_answer(report: &Report, records: u64) -> Answer {
    let (types, languages) = (Some(counts(&report.types)), Some(counts(&report.languages)));
    Answer { types, languages, ..Answer::records(records) }
}

fn is(value: Option<Value<'_>>, text: &str) -> Result<bool, ValueError> {
    value.map_or(Ok(false), |value| value.is_str(text))
}

/// All three fields of every event.
fn three_fields(report: &mut Report, event: Record<'_>) -> Result<(), ValueError> {
    let [kind, action, language] = event.field_array();
    report.types.add(kind)?;
    if is(kind, "PullRequestEvent")? && is(action, "opened")? {
        report.languages.add(language)?;
    }
    Ok(())
}

/// Nothing declared: the closure asks for what it needs.
fn lazy(report: &mut Report, event: Record<'_>) -> Result<(), ValueError> {
    let kind = event.get("type")?;
    report.types.add(kind)?;
    if is(kind, "PullRequestEvent")?
        && let Some(payload) = event.get("payload")?
        && is(payload.get("action")?, "opened")?
    {
        let mut language = Some(payload);
        for key in ["pull_request", "base", "repo", "language"] {
            language = language.map_or(Ok(None), |value| value.get(key))?;
        }
        report.languages.add(language)?;
    }
    Ok(())
}

fn as_ghcount(scan: Scan<'_>) -> Result<Answer, ndskim::Error> {
    let outcome = Report::of(scan)?;
    Ok(report_answer(&outcome.value, outcome.stats.records))
}

/// Only opened pull requests reach the counting, so that it knows nothing of other types.
fn filter_first(scan: Scan<'_>) -> Result<Answer, ndskim::Error> {
    let [kind, action, language] = FIELDS.map(pointer);
    let filter = Filter::eq(kind, "PullRequestEvent").and(Filter::compare(action, Comparison::Equal, "opened"));
    let outcome = scan.filter(filter).count_by(language)?;
    Ok(Answer { languages: Some(counts(&outcome.value)), ..Answer::records(outcome.stats.records) })
}

fn typed(scan: Scan<'_>) -> Result<Answer, ndskim::Error> {
    let add = |tally: &mut Tally, event: Record<'_>| {
        tally.add(&event.deserialize::<Event<'_>>()?);
        Ok::<_, DeserializeError>(())
    };
    Ok(scan.try_fold(Tally::default, add, Tally::merged)?.value.answer())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_with_and_without_a_newline_at_the_end() {
        assert_eq!(["", "1", "1\n", "1\n2", "1\n2\n"].map(|text| lines(text.as_bytes())), [0, 1, 1, 2, 2]);
    }
}
