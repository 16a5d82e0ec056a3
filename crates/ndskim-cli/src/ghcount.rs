//! The GH Archive report: events by type, and opened pull requests by language.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use ndskim::{CountTable, Outcome, Pointer, Projection, Record, Scan, Value, ValueError};

use crate::args::{InputArgs, OutputArg};
use crate::exit::{Failure, exit};
use crate::table::{write_counts, write_json_rows, write_stats};

/// Counts GH Archive events by type, and opened pull requests by language
#[derive(Parser, Debug)]
#[command(
    name = "ghcount",
    version,
    about,
    after_help = "\
Examples:
  ghcount 2024-03-13-8.json                  one hour, on all cores
  ghcount --threads 4 2024-03-13-*.json      many hours, on four threads
  ghcount --format json events.json | jq .   for programs
  ghcount --on-fault skip events.json        leave broken lines out, and say so
  ghcount --on-fault salvage events.json     keep the whole events in broken lines

Exit codes: 0 done; 1 bad data, a missing file, or failed reading or writing; 2 wrong usage; 130 interrupted."
)]
pub struct GhCount {
    #[command(flatten)]
    input: InputArgs,

    /// How to write the report
    #[arg(long, value_enum, default_value_t = OutputArg::Table)]
    format: OutputArg,
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
        let outcome = Report::of(self.input.scan()?)?;
        let verdict = self.input.faults.report("ghcount", &outcome.stats, &outcome.faults)?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        match self.format {
            OutputArg::Table => write_table(&mut out, &outcome)?,
            OutputArg::Json => write_json(&mut out, &outcome)?,
        }
        out.flush()?;
        verdict.end()
    }
}

fn write_table(out: &mut impl Write, outcome: &Outcome<Report>) -> io::Result<()> {
    let Report { types, languages } = &outcome.value;
    write_counts(out, "type", "events", "null", types)?;
    writeln!(out)?;
    write_counts(out, "language", "opened pull requests", "(no language)", languages)?;
    writeln!(out)?;
    write_stats(out, &outcome.stats)
}

fn write_json(out: &mut impl Write, outcome: &Outcome<Report>) -> io::Result<()> {
    let (Report { types, languages }, stats) = (&outcome.value, &outcome.stats);
    write!(
        out,
        "{{\"records\":{},\"bytes\":{},\"blank\":{},\"rejected\":{},\"types\":",
        stats.records, stats.bytes, stats.blank, stats.rejected
    )?;
    write_json_rows(out, types)?;
    write!(out, ",\"opened_pull_requests\":{{\"total\":{},\"languages\":", languages.total())?;
    write_json_rows(out, languages)?;
    writeln!(out, "}}}}")
}
