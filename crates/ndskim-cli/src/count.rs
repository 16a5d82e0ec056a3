//! `ndskim count`: the records of any NDJSON, counted by the value of a field.

use std::io::{self, Write};

use clap::Args;
use ndskim::{Pointer, PointerError};

use crate::args::{InputArgs, OutputArg};
use crate::exit::Failure;
use crate::table::{write_counts, write_json_rows, write_stats};

/// Counts records by the value of a field
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  ndskim count --by /type events.json             records by the value of a field
  ndskim count --by /actor/login --threads 4 *.json")]
pub struct Count {
    #[command(flatten)]
    input: InputArgs,

    /// The field to count by, as a JSON Pointer
    #[arg(long, value_name = "POINTER", value_parser = parse_pointer)]
    by: Pointer,

    /// How to write the report
    #[arg(long, value_enum, default_value_t = OutputArg::Table)]
    format: OutputArg,
}

fn parse_pointer(text: &str) -> Result<Pointer, PointerError> {
    Pointer::parse(text)
}

impl Count {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`], for every reason why there is no whole report on standard output.
    pub fn run(self) -> Result<(), Failure> {
        let title = self.by.to_string();
        let outcome = self.input.scan()?.count_by(self.by)?;
        let verdict = self.input.faults.report("ndskim", &outcome.stats, &outcome.faults)?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        match self.format {
            OutputArg::Table => {
                write_counts(&mut out, &title, "records", "null", &outcome.value)?;
                writeln!(out)?;
                write_stats(&mut out, &outcome.stats)?;
            }
            OutputArg::Json => {
                let stats = &outcome.stats;
                write!(
                    out,
                    "{{\"records\":{},\"bytes\":{},\"blank\":{},\"rejected\":{},\"groups\":",
                    stats.records, stats.bytes, stats.blank, stats.rejected
                )?;
                write_json_rows(&mut out, &outcome.value)?;
                writeln!(out, "}}")?;
            }
        }
        out.flush()?;
        verdict.end()
    }
}
