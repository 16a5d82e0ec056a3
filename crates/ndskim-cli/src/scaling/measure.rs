//! The runs of a sweep: the same job on the same bytes with every thread count, and the plain read of the bytes beside it.
//!
//! The clock runs from the call of a scan to its return, starting and ending the threads included. Runs take turns, so that a
//! disturbance does not fall on one thread count alone. Each answer is held against the first; a difference is an error.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use ndskim::{Cancel, CountTable, Error, Outcome, Pointer, Scan, Stats, Validation};

use super::data::Data;
use crate::args::ValidateArg;
use crate::bench::JobArg;
use crate::bench::answer::{Answer, counts};
use crate::exit::Failure;
use crate::ghcount::Report;
use crate::timing;

/// What is measured.
pub(super) struct Plan {
    pub(super) job: JobArg,
    /// The field of the job `field`.
    pub(super) pointer: Pointer,
    pub(super) threads: Vec<usize>,
    pub(super) validate: Vec<ValidateArg>,
    pub(super) repeat: usize,
}

/// The runs with one thread count.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub(super) threads: usize,
    pub(super) seconds: Vec<f64>,
}

/// The runs of a validation mode, by thread count.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) validate: ValidateArg,
    pub(super) times: Vec<Times>,
}

/// All runs, and what they found.
pub(super) struct Measured {
    /// Bytes of text.
    pub(super) bytes: u64,
    pub(super) answer: Answer,
    pub(super) series: Vec<Series>,
    /// The plain read of the same bytes.
    pub(super) ceiling: Option<Vec<Times>>,
}

impl Times {
    /// The throughput of the best run, in GB/s.
    pub(super) fn best(&self, bytes: u64) -> f64 {
        gb_per_s(bytes, timing::best(&self.seconds))
    }

    /// The throughput of the run in the middle, in GB/s.
    pub(super) fn median(&self, bytes: u64) -> f64 {
        gb_per_s(bytes, timing::median(&self.seconds))
    }
}

/// Throughput in GB/s.
pub(super) fn gb_per_s(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 / seconds.max(1e-9) / 1e9
}

/// What a scan has found.
enum Found {
    Report(Outcome<Report>),
    Groups(Outcome<CountTable>),
    Records(Outcome<()>),
}

impl Plan {
    /// Measures.
    ///
    /// # Errors
    /// A scan's; two answers that differ.
    pub(super) fn measure(&self, data: &Data, cancel: &Cancel) -> Result<Measured, Failure> {
        let progress = progress(self);
        let mut measured = self.first(data, cancel)?;
        for _ in 0..self.repeat {
            for (number, &threads) in self.threads.iter().enumerate() {
                progress.set_message(super::plural(threads, "thread"));
                let ceiling = measured.ceiling.as_mut();
                if let (Some(times), Some(seconds)) = (ceiling, read(data, threads)?) {
                    times[number].seconds.push(seconds);
                }
                for series in &mut measured.series {
                    let (seconds, found) = self.run(data, series.validate, threads, cancel)?;
                    check(&measured.answer, &found, series.validate, threads)?;
                    series.times[number].seconds.push(seconds);
                    progress.inc(1);
                }
            }
        }
        progress.finish_and_clear();
        Ok(measured)
    }

    /// The runs that nobody counts, with all threads: they find the answer, and whatever is slow the first time is so here.
    fn first(&self, data: &Data, cancel: &Cancel) -> Result<Measured, Failure> {
        let threads = self.threads.last().copied().unwrap_or(1);
        let times = || -> Vec<Times> {
            self.threads.iter().map(|&threads| Times { threads, seconds: Vec::with_capacity(self.repeat) }).collect()
        };
        let ceiling = read(data, threads)?.map(|_| times());
        let mut first = None;
        for &validate in &self.validate {
            let (_, found) = self.run(data, validate, threads, cancel)?;
            match &first {
                None => first = Some(found),
                Some((answer, _)) => check(answer, &found, validate, threads)?,
            }
        }
        let Some((answer, bytes)) = first else { return Err(Failure::usage("--validate: name a mode")) };
        let series = |&validate: &ValidateArg| Series { validate, times: times() };
        Ok(Measured { bytes, answer, ceiling, series: self.validate.iter().map(series).collect() })
    }

    /// One run: its seconds, its answer, and the bytes of text.
    fn run(
        &self,
        data: &Data,
        validate: ValidateArg,
        threads: usize,
        cancel: &Cancel,
    ) -> Result<(f64, (Answer, u64)), Failure> {
        let validation = match validate {
            ValidateArg::Full => Validation::Full,
            ValidateArg::Visited => Validation::Visited,
        };
        let scan = data.scan().threads(threads).validation(validation).cancel_with(cancel);
        let start = Instant::now();
        let found = self.find(scan);
        let seconds = start.elapsed().as_secs_f64();
        Ok((seconds, found.map_err(failure)?.answer()))
    }

    fn find(&self, scan: Scan<'_>) -> Result<Found, Error> {
        Ok(match self.job {
            JobArg::CountGh => Found::Report(Report::of(scan)?),
            JobArg::Validate => Found::Records(scan.validate()?),
            JobArg::Field => Found::Groups(scan.count_by(self.pointer.clone())?),
        })
    }
}

impl Found {
    fn answer(self) -> (Answer, u64) {
        let with = |stats: Stats, answer: Answer| (Answer { records: stats.records, ..answer }, stats.bytes);
        match self {
            Found::Report(Outcome { value, stats, .. }) => {
                let (types, languages) = (Some(counts(&value.types)), Some(counts(&value.languages)));
                with(stats, Answer { types, languages, ..Answer::default() })
            }
            Found::Groups(Outcome { value, stats, .. }) => {
                with(stats, Answer { groups: Some(counts(&value)), ..Answer::default() })
            }
            Found::Records(Outcome { stats, .. }) => with(stats, Answer::default()),
        }
    }
}

fn read(data: &Data, threads: usize) -> Result<Option<f64>, Failure> {
    data.read(threads).map_err(|error| Failure::Other(format!("cannot read the input again: {error}")))
}

/// A fault ends a sweep: what has faults is not what is to be measured.
fn failure(error: Error) -> Failure {
    match error {
        Error::Fault(fault) => Failure::Other(format!("{fault}; `ndskim check` finds all such records")),
        other => other.into(),
    }
}

/// Holds an answer against the first.
fn check(first: &Answer, found: &(Answer, u64), validate: ValidateArg, threads: usize) -> Result<(), Failure> {
    match found.0.difference(first, false) {
        None => Ok(()),
        Some(part) => {
            let mode = name(validate);
            let reason = format!("{mode} validation on {threads} threads finds other {part} than the first run found");
            Err(Failure::Other(reason))
        }
    }
}

/// The mode as it is written on the command line.
pub(super) fn name(validate: ValidateArg) -> &'static str {
    match validate {
        ValidateArg::Full => "full",
        ValidateArg::Visited => "visited",
    }
}

/// How far the sweep is, on a terminal.
fn progress(plan: &Plan) -> ProgressBar {
    let bar = ProgressBar::new((plan.repeat * plan.threads.len() * plan.validate.len()) as u64);
    let style = ProgressStyle::with_template("run {pos} of {len}, {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let (threads, validate) = (vec![1, 3], vec![ValidateArg::Full, ValidateArg::Visited]);
        Plan { job: JobArg::CountGh, pointer: Pointer::from_tokens::<&str>([]), threads, validate, repeat: 2 }
    }

    #[test]
    fn an_answer_that_differs_is_an_error() {
        let (one, two) = ((Answer::records(1), 9), (Answer::records(2), 9));
        assert!(check(&one.0, &one, ValidateArg::Full, 2).is_ok());
        let failure = check(&one.0, &two, ValidateArg::Visited, 2).unwrap_err().to_string();
        assert_eq!(failure, "visited validation on 2 threads finds other numbers of records than the first run found");
    }

    #[test]
    fn every_thread_count_has_its_runs() {
        let text = b"{\"type\":\"PushEvent\"}\n{}\n".to_vec();
        let measured = plan().measure(&Data::Memory(vec![("a".to_owned(), text)]), &Cancel::new()).unwrap();
        assert_eq!((measured.bytes, measured.answer.records, measured.series.len()), (24, 2, 2));
        let all = measured.series.iter().flat_map(|series| &series.times).chain(measured.ceiling.iter().flatten());
        for (number, times) in all.enumerate() {
            assert_eq!((times.threads, times.seconds.len()), ([1, 3][number % 2], 2));
        }
    }

    #[test]
    fn a_fault_ends_it() {
        let data = Data::Memory(vec![("a.json".to_owned(), b"{}\n{\n".to_vec())]);
        let failure = plan().measure(&data, &Cancel::new()).err().unwrap().to_string();
        assert!(failure.starts_with("a.json:2:2") && failure.contains("ndskim check"), "{failure}");
    }
}
