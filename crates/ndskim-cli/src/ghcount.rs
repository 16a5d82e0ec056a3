//! The GH Archive report: events by type, and opened pull requests by language.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use ndskim::{CountTable, Outcome, Pointer, Projection, Record, Scan, Value, ValueError};

use crate::exit::{Failure, exit};
use crate::output::{Cell, Column, OutputFormat, Sheet, Style, key_label, write_sheet, write_stats};
use crate::run::RunArgs;

/// Counts GH Archive events by type, and opened pull requests by language
#[derive(Parser, Debug)]
#[command(
    name = "ghcount",
    version,
    before_help = "\
Examples:
  ghcount 2024-03-13-8.json                  one hour, on all cores
  ghcount --threads 4 2024-03-13-*.json      many hours, on four threads
  ghcount --format json events.json | jq .   for programs
  ghcount --on-fault skip events.json        leave broken lines out, and say so
  ghcount --on-fault salvage events.json     keep the whole events in broken lines",
    after_help = "Exit codes: 0 done; 1 bad data, a missing file, or failed reading or writing; 2 wrong usage; 130 interrupted."
)]
pub struct GhCount {
    #[command(flatten)]
    run: RunArgs,
}

/// The counts of the report.
#[derive(Debug, Default)]
pub struct Report {
    /// Events by `/type`.
    pub types: CountTable,
    /// Pull requests with the action `opened`, by the language of the base repository.
    pub languages: CountTable,
}

impl Report {
    /// Makes the report of a scan.
    ///
    /// Only `/type` is projected: what the report needs of a pull request is looked for in pull requests alone, so that the
    /// other events are read no further.
    ///
    /// # Errors
    /// The scan's.
    pub fn of(scan: Scan<'_>) -> Result<Outcome<Self>, ndskim::Error> {
        let projection = Projection::from(vec![Pointer::from_tokens(["type"])]);
        let language = Pointer::from_tokens(["pull_request", "base", "repo", "language"]);
        scan.project(projection).try_fold(Self::default, |report, record| report.add(record, &language), Self::merged)
    }

    fn add(&mut self, record: Record<'_>, language: &Pointer) -> Result<(), ValueError> {
        let kind = record.field(0);
        self.types.add(kind)?;
        let is = |value: Option<Value<'_>>, text| value.map_or(Ok(false), |value| value.is_str(text));
        if is(kind, "PullRequestEvent")?
            && let Some(payload) = record.get("payload")?
            && is(payload.get("action")?, "opened")?
        {
            self.languages.add(payload.pointer(language)?)?;
        }
        Ok(())
    }

    /// The tables and the names that programs know them by.
    fn tables(&self) -> [(&'static str, &CountTable); 2] {
        [("types", &self.types), ("opened_pull_requests", &self.languages)]
    }

    /// This report with the counts of another.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        Self { types: self.types.merged(other.types), languages: self.languages.merged(other.languages) }
    }
}

impl GhCount {
    /// Runs the command.
    pub fn run(self) -> ExitCode {
        exit("ghcount", self.try_run())
    }

    fn try_run(self) -> Result<(), Failure> {
        self.run.ask("ghcount", None, |scan| Report::of(scan))?.write(|out, format, style, outcome| match format {
            OutputFormat::Table => write_table(out, outcome, style),
            OutputFormat::Json => write_json(out, outcome),
            OutputFormat::Ndjson => write_ndjson(out, &outcome.value),
            format => write_sheet(out, format, &joined(&outcome.value), style),
        })
    }
}

/// The counts of a table, the largest first, with their shares of the total.
fn sheet(title: &str, unit: &str, null: &str, counts: &CountTable) -> Sheet {
    let total = counts.total();
    let row = |(key, count): (&ndskim::Key, u64)| {
        vec![key_label(key, null), Cell::Int(count.into()), Cell::share(count, total)]
    };
    Sheet {
        columns: vec![Column::labels(title), Column::numbers(unit), Column::shares()],
        rows: counts.sorted().into_iter().map(row).collect(),
        rest: None,
        total: Some(vec![Cell::Mark("total".to_owned()), Cell::Int(total.into()), Cell::Empty]),
    }
}

/// Both tables in one, with the name of each before its rows, for programs.
fn joined(report: &Report) -> Sheet {
    let mut joined = Sheet {
        columns: vec![Column::labels("report"), Column::labels("key"), Column::numbers("count"), Column::shares()],
        ..Sheet::default()
    };
    for (name, counts) in report.tables() {
        let rows = sheet("key", "count", "null", counts).rows;
        joined.rows.extend(rows.into_iter().map(|row| [vec![Cell::Label(name.to_owned())], row].concat()));
    }
    joined
}

fn write_table(out: &mut dyn Write, outcome: &Outcome<Report>, style: &Style) -> io::Result<()> {
    let Report { types, languages } = &outcome.value;
    write_sheet(out, OutputFormat::Table, &sheet("type", "events", "null", types), style)?;
    writeln!(out)?;
    let languages = sheet("language", "opened pull requests", "(no language)", languages);
    write_sheet(out, OutputFormat::Table, &languages, style)?;
    writeln!(out)?;
    write_stats(out, &outcome.stats)
}

fn write_json(out: &mut dyn Write, outcome: &Outcome<Report>) -> io::Result<()> {
    let (Report { types, languages }, stats) = (&outcome.value, &outcome.stats);
    write!(
        out,
        "{{\"records\":{},\"bytes\":{},\"blank\":{},\"rejected\":{},\"types\":[",
        stats.records, stats.bytes, stats.blank, stats.rejected
    )?;
    write_rows(out, "{", types, ",", "")?;
    write!(out, "],\"opened_pull_requests\":{{\"total\":{},\"languages\":[", languages.total())?;
    write_rows(out, "{", languages, ",", "")?;
    writeln!(out, "]}}}}")
}

fn write_ndjson(out: &mut dyn Write, report: &Report) -> io::Result<()> {
    for (name, counts) in report.tables() {
        write_rows(out, &format!("{{\"report\":\"{name}\","), counts, "", "\n")?;
    }
    Ok(())
}

/// Writes each key with its count as an object that begins with `start`; an absent key is `"absent":true`.
fn write_rows(out: &mut dyn Write, start: &str, counts: &CountTable, between: &str, behind: &str) -> io::Result<()> {
    for (number, (key, count)) in counts.sorted().into_iter().enumerate() {
        let between = if number > 0 { between } else { "" };
        match key.to_json() {
            Some(json) => write!(out, "{between}{start}\"key\":{json},\"count\":{count}}}{behind}")?,
            None => write!(out, "{between}{start}\"absent\":true,\"count\":{count}}}{behind}")?,
        }
    }
    Ok(())
}
