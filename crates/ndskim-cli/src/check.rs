//! `ndskim check`: whether every record is valid, and where the first are that are not.

use std::io::{self, Write};

use clap::Args;
use ndskim::{Outcome, Validation};

use crate::args::{InputArgs, OutputArg, ValidateArg};
use crate::exit::Failure;
use crate::faults::{OnFaultArg, fault_hint, write_fault};
use crate::json::JsonString;
use crate::output::write_stats;

/// Checks that every record is valid JSON
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ndskim check events.json                            valid or not, and where the first faults are
  ndskim check --show 100 --format json *.json.gz     for programs
  ndskim check --rejects bad.txt events.json          what is bad into bad.txt, places into bad.txt.faults.ndjson

Exit codes: 0 all records are valid; 1 some are not, or an input cannot be read; 2 wrong usage.")]
pub struct Check {
    #[command(flatten)]
    input: InputArgs,

    /// How many faults to show, the first in input order
    #[arg(long, value_name = "N", default_value_t = 10)]
    show: usize,

    /// How to write the report
    #[arg(long, value_enum, default_value_t = OutputArg::Table)]
    format: OutputArg,
}

impl Check {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`]; [`Failure::Strict`] if there are faults.
    pub fn run(self) -> Result<(), Failure> {
        if self.input.validate == ValidateArg::Visited {
            return Err(Failure::usage("check looks at every byte; --validate visited does not"));
        }
        let scan = self.input.scan_or(OnFaultArg::Skip)?;
        let faults = &self.input.faults;
        let outcome = scan.validation(Validation::Full).keep_faults(self.show).validate();
        let outcome = outcome.map_err(|error| faults.failure("ndskim", error))?;
        faults.finish_rejects()?;
        faults.say_notices("ndskim");
        let mut out = io::BufWriter::new(io::stdout().lock());
        match self.format {
            OutputArg::Table => write_table(&mut out, &outcome)?,
            OutputArg::Json => write_json(&mut out, &outcome)?,
        }
        out.flush()?;
        if outcome.stats.rejected > 0 { Err(Failure::Strict) } else { Ok(()) }
    }
}

fn write_table(out: &mut impl Write, outcome: &Outcome<()>) -> io::Result<()> {
    for fault in &outcome.faults {
        writeln!(out, "{fault}")?;
    }
    let more = outcome.stats.rejected - outcome.faults.len() as u64;
    if more > 0 {
        writeln!(out, "and {more} more")?;
    }
    if let Some(hint) = outcome.faults.iter().find_map(fault_hint) {
        writeln!(out, "hint: {hint}")?;
    }
    write_stats(out, &outcome.stats)
}

fn write_json(out: &mut impl Write, outcome: &Outcome<()>) -> io::Result<()> {
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
    for (number, fault) in outcome.faults.iter().enumerate() {
        out.write_all(if number > 0 { b",{" } else { b"{" })?;
        write_fault(out, fault)?;
        out.write_all(b"}")?;
    }
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
