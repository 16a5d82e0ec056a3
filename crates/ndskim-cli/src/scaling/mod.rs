//! `ndskim scaling`: how throughput grows with threads, what two laws make of that, and how far it is from reading alone.
//!
//! The files are loaded before any clock starts. In one run of the command, the same job is done with each thread count and
//! each validation mode, and the same bytes are read with nothing done to them; so all figures are of one machine in one
//! state. Wrong answers are no figures: if two runs find different answers, the command fails.

mod analysis;
mod data;
mod laws;
mod machine;
mod measure;
mod picture;
mod report;

use std::path::PathBuf;

use clap::Args;
use ndskim::Pointer;

use self::analysis::{Analysis, plural};
use self::data::Data;
use self::machine::Machine;
use self::measure::{Measured, Plan};
use crate::args::ValidateArg;
use crate::bench::{JobArg, refuse_pointer};
use crate::chart;
use crate::exit::Failure;
use crate::output::{Destination, OutputArgs};
use crate::spare::{Written, spare};
use crate::{interrupt, timing, watch};

const EXAMPLES: &str = "\
Examples:
  ndskim scaling events.json                     1, 2, 4, ... threads, up to all cores
  ndskim scaling --threads 1,8,64 --repeat 10 events.json
  ndskim scaling --predict 64 --chart scaling.svg events.json
  ndskim scaling --job field --pointer /status --format json access.json";

const DETAILS: &str = "\
The clock runs from the call of a scan to its return, threads started and ended. `plain read` is the speed at which as many
threads read the same bytes and add up their words: the ceiling that the memory sets.

Amdahl's law, X(N) = λN / (1 + σ(N−1)), and the Universal Scalability Law, X(N) = λN / (1 + σ(N−1) + κN(N−1)), are fitted to the
best runs with no more threads than cores. Predictions are no measurements; none is above the highest plain read.

Exit codes: 0 done; 1 bad data, a missing file, failed reading or writing, or answers that differ; 2 wrong usage; 130 interrupted.
docs/scaling.md has all of it.";

/// The most threads that can be asked for.
const MOST_THREADS: i64 = ndskim::Scan::MOST_THREADS as i64;

/// Runs shorter than this, in seconds, are dominated by the start of threads and by the clock's neighbours.
const SHORT: f64 = 0.05;

/// Measures how throughput grows with threads, and fits laws to it
#[derive(Args, Debug)]
#[command(before_help = EXAMPLES, after_long_help = DETAILS)]
pub struct Scaling {
    /// Files to read, which must fit into memory together
    #[arg(value_name = "FILES", required = true)]
    files: Vec<PathBuf>,

    /// Thread counts; without it 1, 2, 4, ... up to the machine's cores, and their number
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=MOST_THREADS), allow_negative_numbers = true, help_heading = "Sweep")]
    threads: Vec<u32>,

    /// How much of each record to check; several are measured side by side
    #[arg(long, value_enum, value_name = "MODE,...", value_delimiter = ',', default_values_t = [ValidateArg::Full, ValidateArg::Visited], help_heading = "Sweep")]
    validate: Vec<ValidateArg>,

    /// How often each is run
    #[arg(long, alias = "runs", value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10_000), allow_negative_numbers = true, help_heading = "Sweep")]
    repeat: u32,

    /// Read the files each time, instead of loading them into memory first
    #[arg(long, help_heading = "Sweep")]
    from_file: bool,

    /// What is asked
    #[arg(long, value_enum, default_value_t = JobArg::CountGh, help_heading = "Sweep")]
    job: JobArg,

    /// The field of the job `field`, as a JSON Pointer
    #[arg(long, value_name = "POINTER", value_parser = Pointer::parse, required_if_eq("job", "field"), help_heading = "Sweep")]
    pointer: Option<Pointer>,

    /// Predict the throughput of so many threads
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1_000_000), allow_negative_numbers = true, help_heading = "Sweep")]
    predict: Vec<u32>,

    /// Draw throughput over threads to FILE, as SVG, whole or not at all
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    chart: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArgs,
}

/// A sweep that is done, with all that is known of it.
pub(crate) struct Sweep {
    files: Vec<PathBuf>,
    job: JobArg,
    pointer: Pointer,
    from_file: bool,
    repeat: usize,
    /// When it began, as RFC 3339 has it, in UTC.
    time: String,
    machine: Machine,
    /// The instruction set in use.
    kernel: String,
    measured: Measured,
    analysis: Analysis,
    notes: Vec<String>,
}

impl Scaling {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`], also if two runs find different answers.
    pub fn run(self) -> Result<(), Failure> {
        refuse_pointer(self.job, self.pointer.is_some())?;
        let cancel = interrupt::cancel();
        let machine = Machine::this();
        let plan = self.plan(&machine);
        let predict = in_order(&self.predict);
        let data = Data::open(&self.files, self.from_file, &cancel)?;
        let written = [("--output", &self.output.output), ("--chart", &self.chart)];
        let written = written.into_iter().filter_map(|(flag, path)| Some(Written::new(flag, path.as_ref()?)));
        spare(&written.collect::<Vec<_>>(), self.files.iter())?;
        let destination = Destination::open(self.output.output.as_deref())?;
        let chart = chart::open(self.chart.as_deref())?;
        let time = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let measured = plan.measure(&data, &cancel)?;
        let analysis = Analysis::of(&measured, machine.cores, &predict);
        let mut sweep = Sweep {
            files: self.files,
            job: self.job,
            pointer: plan.pointer,
            from_file: self.from_file,
            repeat: plan.repeat,
            time,
            machine,
            kernel: watch::kernel(),
            measured,
            analysis,
            notes: Vec::new(),
        };
        sweep.notes = sweep.notes();
        if let Some(chart) = chart {
            let svg = chart::scaling::draw(&sweep.picture())?;
            chart.write(|out| out.write_all(svg.as_bytes()))?;
        }
        let style = destination.style();
        destination.write(|out| report::write(out, &sweep, self.output.format, &style))
    }

    fn plan(&self, machine: &Machine) -> Plan {
        let threads = if self.threads.is_empty() { machine.sweep() } else { in_order(&self.threads) };
        let mut validate = Vec::new();
        for &mode in &self.validate {
            if !validate.contains(&mode) {
                validate.push(mode);
            }
        }
        let pointer = self.pointer.clone().unwrap_or(Pointer::from_tokens::<&str>([]));
        Plan { job: self.job, pointer, threads, validate, repeat: self.repeat as usize }
    }
}

/// Counts in order, each once.
fn in_order(counts: &[u32]) -> Vec<usize> {
    let mut counts: Vec<_> = counts.iter().map(|&count| count as usize).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

impl Sweep {
    /// What people should know of the figures.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let Machine { cores, cache, .. } = self.machine;
        let (measured, rows) = (&self.measured, &self.analysis.rows);
        if rows.iter().any(|row| row.threads > cores) {
            let cores = plural(cores, "core");
            notes.push(format!(
                "more threads than the {cores} of this machine share cores: such rows are no measure of scaling and are not fitted"
            ));
        }
        if rows.first().is_some_and(|row| row.threads > 1) {
            notes.push("one thread was not measured: the smallest thread count is taken for ideal".to_owned());
        }
        let times = measured.series.iter().flat_map(|series| &series.times);
        let shortest = times.map(|times| timing::best(&times.seconds)).fold(f64::INFINITY, f64::min);
        if shortest < SHORT {
            let milliseconds = shortest * 1e3;
            notes.push(format!(
                "the shortest run took {milliseconds:.1} ms, in which starting threads weighs much: take more data"
            ));
        }
        if let Some(cache) = cache.filter(|&cache| measured.bytes < 4 * cache && !self.from_file) {
            let cache = cache >> 20;
            notes.push(format!("the data is not much larger than the cache ({cache} MiB): memory is slower than this"));
        }
        if measured.ceiling.is_none() {
            notes.push("the files are compressed: each is unpacked by one thread at a time within the clock, and there is no plain read to compare with".to_owned());
        }
        if measured.answer.has_no_types() {
            notes.push(
                "no record has a `type`: this is not GH Archive's data, and the job does little; see --job field --pointer /PATH"
                    .to_owned(),
            );
        }
        notes
    }
}
