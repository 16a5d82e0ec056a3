//! `ndskim check`: whether every record is valid, and where the first are that are not.

use std::io::{self, Write};

use clap::Args;
use ndskim::{Fault, Outcome, Validation};

use crate::args::ValidateArg;
use crate::exit::Failure;
use crate::faults::{OnFaultArg, fault_hint, write_fault};
use crate::json::JsonString;
use crate::output::{Cell, Column, OutputFormat, Sheet, text_label, write_sheet, write_stats};
use crate::run::RunArgs;
use crate::visible::visible;

/// Checks that every record is valid JSON
#[derive(Args, Debug)]
#[command(
    before_help = "\
Examples:
  ndskim check events.json                            valid or not, and where the first faults are
  ndskim check --show 100 --format json *.json.gz     for programs
  ndskim check --rejects bad.txt events.json          what is bad into bad.txt, places into bad.txt.faults.ndjson",
    after_help = "\
Exit codes: 0 all records are valid; 1 some are not, an input cannot be read, or the report not written; 2 wrong usage;
130 interrupted."
)]
pub struct Check {
    /// How many faults to show, the first in input order
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = crate::args::number::<usize>, help_heading = "Question")]
    show: usize,

    #[command(flatten)]
    run: RunArgs,
}

impl Check {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`]; [`Failure::Strict`] if there are faults.
    pub fn run(self) -> Result<(), Failure> {
        let input = &self.run.input;
        if input.validate == ValidateArg::Visited {
            return Err(Failure::usage("check looks at every byte; --validate visited does not"));
        }
        let (scan, mut run) = self.run.start(OnFaultArg::Skip, None)?;
        let outcome = scan.validation(Validation::Full).keep_faults(self.show).validate();
        run.scanned();
        let outcome = outcome.map_err(|error| input.faults.failure("ndskim", error))?;
        input.faults.finish_rejects()?;
        input.faults.say_notices("ndskim");
        run.write(&outcome.stats, |out, format, style| match format {
            OutputFormat::Table => write_table(out, &outcome),
            OutputFormat::Json => write_json(out, &outcome),
            OutputFormat::Ndjson => write_rows(out, &outcome.faults, "", "\n"),
            format => write_sheet(out, format, &sheet(&outcome.faults), style),
        })?;
        if outcome.stats.rejected > 0 { Err(Failure::Strict) } else { Ok(()) }
    }
}

fn write_table(out: &mut dyn Write, outcome: &Outcome<()>) -> io::Result<()> {
    for fault in &outcome.faults {
        writeln!(out, "{}", visible(&fault.to_string()))?;
    }
    let more = outcome.stats.rejected - outcome.faults.len() as u64;
    if more > 0 {
        writeln!(out, "and {more} more")?;
    }
    if let Some(hint) = outcome.faults.iter().find_map(fault_hint) {
        writeln!(out, "hint: {hint}")?;
    }
    if outcome.stats.rejected == 0 {
        write!(out, "valid: ")?;
    }
    write_stats(out, &outcome.stats)
}

/// The faults with a row for each.
fn sheet(faults: &[Fault]) -> Sheet {
    let row = |fault: &Fault| {
        let place = fault.place();
        let line = place.line().map_or(Cell::Empty, |line| Cell::Int(line.into()));
        let text = |text: &str| Cell::Label(text_label(text));
        vec![
            text(place.input()),
            line,
            Cell::Int(place.column().into()),
            Cell::Int(place.offset().into()),
            text(&fault.reason().to_string()),
            text(fault.excerpt()),
        ]
    };
    let columns = vec![
        Column::labels("input"),
        Column::numbers("line"),
        Column::numbers("column"),
        Column::numbers("byte"),
        Column::labels("reason"),
        Column::labels("excerpt"),
    ];
    Sheet { columns, rows: faults.iter().map(row).collect(), ..Sheet::default() }
}

/// Writes each fault as an object, with something between them and something behind each.
fn write_rows(out: &mut dyn Write, faults: &[Fault], between: &str, behind: &str) -> io::Result<()> {
    for (number, fault) in faults.iter().enumerate() {
        write!(out, "{}{{", if number > 0 { between } else { "" })?;
        write_fault(out, fault)?;
        write!(out, "}}{behind}")?;
    }
    Ok(())
}

fn write_json(out: &mut dyn Write, outcome: &Outcome<()>) -> io::Result<()> {
    let stats = &outcome.stats;
    write!(
        out,
        "{{\"valid\":{},\"records\":{},\"bytes\":{},\"blank\":{},\"rejected\":{},\"rejected_bytes\":{}",
        stats.rejected == 0,
        stats.records,
        stats.bytes,
        stats.blank,
        stats.rejected,
        stats.rejected_bytes
    )?;
    write!(out, ",\"salvaged\":{},\"salvaged_bytes\":{},\"faults\":[", stats.salvaged, stats.salvaged_bytes)?;
    write_rows(out, &outcome.faults, ",", "")?;
    out.write_all(b"],\"notices\":[")?;
    for (number, notice) in outcome.notices.iter().enumerate() {
        let separator = if number > 0 { "," } else { "" };
        let (input, text) = (JsonString(notice.input()), notice.kind().to_string());
        write!(
            out,
            "{separator}{{\"input\":{input},\"warning\":{},\"text\":{}}}",
            notice.is_warning(),
            JsonString(&text)
        )?;
    }
    out.write_all(b"]}\n")
}
