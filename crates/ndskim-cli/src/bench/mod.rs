//! `ndskim bench`: one question to one file in memory, in every mode, each against the newline split that no reader of lines
//! can beat.
//!
//! The file is read before the clock starts. Every row must find the same answer, or the command fails: a fast wrong answer is
//! no row. The runs of the rows take turns, so that a disturbance does not fall on one row alone.

pub(crate) mod answer;
mod jobs;
#[cfg(feature = "peers")]
mod peers;
mod typed;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use ndskim::Pointer;

use self::answer::Answer;
use crate::args::{FormatArg, thread_count};
use crate::exit::Failure;
use crate::{interrupt, timing};

/// Measures how fast a file in memory is read, in each mode
#[derive(Args, Debug)]
#[command(
    before_help = "\
Examples:
  ndskim bench events.json                                  the GH Archive report, one thread
  ndskim bench log.json --job field --pointer /status       records by the value of a field
  ndskim bench events.json --threads 8 --runs 20 --format json",
    after_help = "Every row must find the same answer; if one does not, the exit code is 1."
)]
pub struct Bench {
    /// The file, which must fit into memory
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// What is asked
    #[arg(long, value_enum, default_value_t = JobArg::CountGh)]
    job: JobArg,

    /// The field of the job `field`, as a JSON Pointer
    #[arg(long, value_name = "POINTER", value_parser = Pointer::parse, required_if_eq("job", "field"))]
    pointer: Option<Pointer>,

    /// How records stand in the file
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = FormatArg::Lines)]
    input_format: FormatArg,

    /// Threads for this program's own rows; 0 for one a core
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count)]
    threads: usize,

    /// How often each row is run
    #[arg(long, alias = "repeat", value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// How to write the figures
    #[arg(long, value_enum, default_value_t = crate::args::OutputArg::Table)]
    format: crate::args::OutputArg,
}

/// The values of `--job`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JobArg {
    /// GH Archive events by type, and opened pull requests by language
    CountGh,
    /// How many records there are
    Validate,
    /// Records by the value of a field
    Field,
}

/// What a row has done when it is done; only rows of one class are the same work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Validate,
    SomeFields,
    Typed,
    Whole,
    Search,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::Validate => "validate",
            Class::SomeFields => "some fields",
            Class::Typed => "typed",
            Class::Whole => "whole",
            Class::Search => "search",
        }
    }
}

/// A way to find the answer.
struct Row<'a> {
    name: String,
    class: Class,
    /// How much of each record is checked, in words.
    checks: &'static str,
    threads: usize,
    /// Whether it can tell a missing value from `null`.
    tells_absent: bool,
    run: Box<dyn Fn() -> Result<Answer, String> + 'a>,
}

/// A row with its times, in seconds, and its answer.
struct Measured<'a> {
    row: Row<'a>,
    seconds: Vec<f64>,
    answer: Answer,
}

impl Measured<'_> {
    fn best(&self) -> f64 {
        timing::best(&self.seconds)
    }

    fn median(&self) -> f64 {
        timing::median(&self.seconds)
    }
}

impl Bench {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`], also if two rows find different answers.
    pub fn run(self) -> Result<(), Failure> {
        refuse_pointer(self.job, self.pointer.is_some())?;
        // Nobody looks at the flag: whoever interrupts is not kept waiting for the end of a row.
        _ = interrupt::cancel();
        let bytes = ndskim::load(&self.file)
            .map_err(|error| Failure::Other(format!("{}: cannot read: {error}", self.file.display())))?;
        let measured = measure(jobs::rows(&self, &bytes), self.runs)?;
        check(&measured)?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        match self.format {
            crate::args::OutputArg::Table => write_table(&mut out, &measured, bytes.len())?,
            crate::args::OutputArg::Json => write_json(&mut out, &measured, bytes.len())?,
        }
        Ok(out.flush()?)
    }
}

/// Refuses a pointer that no job asks for.
///
/// # Errors
/// Wrong usage.
pub(crate) fn refuse_pointer(job: JobArg, given: bool) -> Result<(), Failure> {
    if given && job != JobArg::Field {
        return Err(Failure::usage("--pointer is for --job field: name both"));
    }
    Ok(())
}

/// The failure of a row. A typed one fails first where the records are other than the job's.
fn failure(row: &Row<'_>, error: &str) -> Failure {
    let hint = if row.class == Class::Typed {
        "; for data other than GH Archive's, see --job field --pointer /PATH"
    } else {
        ""
    };
    Failure::Other(format!("{}: {error}{hint}", row.name))
}

fn measure(rows: Vec<Row<'_>>, runs: u32) -> Result<Vec<Measured<'_>>, Failure> {
    let measured = |row| Measured { row, seconds: Vec::new(), answer: Answer::default() };
    let mut measured: Vec<_> = rows.into_iter().map(measured).collect();
    for _ in 0..runs {
        for row in &mut measured {
            let start = Instant::now();
            let answer = (row.row.run)();
            row.seconds.push(start.elapsed().as_secs_f64());
            row.answer = answer.map_err(|error| failure(&row.row, &error))?;
        }
    }
    Ok(measured)
}

/// Holds every answer against all those before it, as far as both go.
fn check(measured: &[Measured<'_>]) -> Result<(), Failure> {
    for (number, row) in measured.iter().enumerate() {
        for other in &measured[..number] {
            let merge_missing = !(row.row.tells_absent && other.row.tells_absent);
            if let Some(part) = row.answer.difference(&other.answer, merge_missing) {
                let (a, b) = (&other.row.name, &row.row.name);
                return Err(Failure::Other(format!("the rows `{a}` and `{b}` find different {part}")));
            }
        }
    }
    Ok(())
}

fn write_table(out: &mut impl Write, measured: &[Measured<'_>], bytes: usize) -> io::Result<()> {
    let split = measured.iter().find(|row| row.row.class == Class::Search).map(Measured::best);
    let width = measured.iter().map(|row| row.row.name.len()).max().unwrap_or(0);
    writeln!(out, "{:width$}  class        checks         threads  best GB/s  median GB/s  of split", "")?;
    for row in measured {
        let speed = |seconds: f64| bytes as f64 / seconds / 1e9;
        write!(
            out,
            "{:width$}  {:11}  {:13}  {:7}  {:9.2}  {:11.2}",
            row.row.name,
            row.row.class.name(),
            row.row.checks,
            row.row.threads,
            speed(row.best()),
            speed(row.median())
        )?;
        match split {
            Some(split) => writeln!(out, "  {:8.3}", split / row.best())?,
            None => writeln!(out)?,
        }
    }
    Ok(())
}

fn write_json(out: &mut impl Write, measured: &[Measured<'_>], bytes: usize) -> io::Result<()> {
    write!(out, "{{\"bytes\":{bytes},\"rows\":[")?;
    for (number, row) in measured.iter().enumerate() {
        let separator = if number > 0 { "," } else { "" };
        let seconds: Vec<_> = row.seconds.iter().map(|seconds| format!("{seconds:.6}")).collect();
        let speed = |seconds: f64| bytes as f64 / seconds / 1e9;
        write!(
            out,
            "{separator}\n{{\"name\":\"{}\",\"class\":\"{}\",\"checks\":\"{}\",\"bytes\":{bytes},\"threads\":{},\"seconds\":[{}],\
             \"gb_per_s_best\":{:.3},\"gb_per_s_median\":{:.3},\"answer\":",
            row.row.name,
            row.row.class.name(),
            row.row.checks,
            row.row.threads,
            seconds.join(","),
            speed(row.best()),
            speed(row.median())
        )?;
        row.answer.write(out)?;
        out.write_all(b"}")?;
    }
    writeln!(out, "\n]}}")
}
