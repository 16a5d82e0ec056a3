//! The GH Archive report: events by type, and opened pull requests by language.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use ndskim::{CountTable, Outcome, Pointer, Projection, Record, Scan, ValueError};

use crate::args::{InputArgs, OutputArg};
use crate::exit::{Failure, exit, report_faults};
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

Exit codes: 0 done; 1 bad data, a missing file, or failed reading or writing; 2 wrong usage."
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

/// The fields that the report needs, as tokens of their pointers, in the order of [`Report::add`].
const FIELDS: [&[&str]; 3] =
    [&["type"], &["payload", "action"], &["payload", "pull_request", "base", "repo", "language"]];

impl Report {
    /// Makes the report of a scan.
    ///
    /// # Errors
    /// The scan's.
    pub fn of(scan: Scan<'_>) -> Result<Outcome<Self>, ndskim::Error> {
        let pointers = FIELDS.iter().map(|tokens| Pointer::from_tokens(tokens.iter().copied()));
        let projection = Projection::from(pointers.collect::<Vec<_>>());
        scan.project(projection).try_fold(Self::default, Self::add, Self::merged)
    }

    fn add(&mut self, record: Record<'_>) -> Result<(), ValueError> {
        let [kind, action, language] = record.field_array();
        self.types.add(kind)?;
        let is = |field: Option<ndskim::Value<'_>>, text| field.map_or(Ok(false), |value| value.is_str(text));
        if is(kind, "PullRequestEvent")? && is(action, "opened")? {
            self.languages.add(language)?;
        }
        Ok(())
    }

    fn merged(self, other: Self) -> Self {
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
        report_faults("ghcount", &outcome.stats, &outcome.faults);
        let mut out = io::BufWriter::new(io::stdout().lock());
        match self.format {
            OutputArg::Table => write_table(&mut out, &outcome)?,
            OutputArg::Json => write_json(&mut out, &outcome)?,
        }
        Ok(out.flush()?)
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
