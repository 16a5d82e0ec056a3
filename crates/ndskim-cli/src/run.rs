//! What every command does around its answer: it opens the destination, watches the scan, says what was left out, and writes
//! the answer and the figures. What is asked and how the answer looks is the business of the command.

use std::io::{self, Write};
use std::path::Path;

use clap::Args;
use ndskim::{Error, Fault, Outcome, Scan, Stats};
use ndskim_query::{Answer, Survey};

use crate::args::InputArgs;
use crate::chart;
use crate::exit::Failure;
use crate::faults::{OnFaultArg, Verdict};
use crate::output::{Destination, OutputArgs, OutputFormat, Style};
use crate::spare::{Written, spare};
use crate::watch::{Total, Watch, WatchArgs};

/// The flags of all commands that read inputs and write an answer.
#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    watch: WatchArgs,

    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// An answer, and what the scan says of itself.
pub(crate) trait Scanned {
    fn stats(&self) -> &Stats;
    fn faults(&self) -> &[Fault];

    /// Says what people should know of the answer; an error if it is none.
    fn verify(&self) -> Result<(), Failure> {
        Ok(())
    }
}

/// What scans give back has its figures and faults in fields.
macro_rules! scanned {
    ($($answer:ty $(, verify: $verify:expr)?;)*) => {$(
        impl Scanned for $answer {
            fn stats(&self) -> &Stats {
                &self.stats
            }

            fn faults(&self) -> &[Fault] {
                &self.faults
            }

            $(fn verify(&self) -> Result<(), Failure> {
                $verify(self)
            })?
        }
    )*};
}

scanned! {
    Outcome<crate::ghcount::Report>;
    Survey;
    Answer, verify: crate::count::verify;
}

/// A command that has its answer.
#[must_use = "the answer is to be written"]
pub(crate) struct Asked<A> {
    answer: A,
    run: Run,
    verdict: Verdict,
}

/// A command that has begun.
pub(crate) struct Run {
    destination: Destination,
    chart: Option<Destination>,
    format: OutputFormat,
    watch: Watch,
}

impl RunArgs {
    /// Begins: the scan, on faults as said or as by default, a chart if there is to be one, and what goes on around it.
    ///
    /// # Errors
    /// Wrong usage; files that cannot be read or written.
    pub(crate) fn start(&self, on_fault: OnFaultArg, chart: Option<&Path>) -> Result<(Scan<'static>, Run), Failure> {
        let files = self.input.files()?;
        let output = self.output.output.as_deref();
        let mut written: Vec<_> = output.map(|path| Written::new("--output", path)).into_iter().collect();
        written.extend(chart.map(|path| Written::new("--chart", path)));
        written.extend(self.input.faults.written());
        spare(&written, files.iter().chain(&self.input.files_from))?;
        let scan = self.input.scan(&files, on_fault)?;
        let destination = Destination::open(output)?;
        let chart = chart::open(chart)?;
        let watch = Watch::start(&self.watch, &self.input, || Total::of(&files));
        let scan = watch.follow(scan);
        Ok((scan, Run { destination, chart, format: self.output.format, watch }))
    }

    /// Asks a scan, and says what was left out of the answer.
    ///
    /// # Errors
    /// [`Failure`], for every reason why there is no whole answer.
    pub(crate) fn ask<A: Scanned>(
        &self,
        command: &str,
        chart: Option<&Path>,
        ask: impl FnOnce(Scan<'static>) -> Result<A, Error>,
    ) -> Result<Asked<A>, Failure> {
        let (scan, mut run) = self.start(OnFaultArg::Fail, chart)?;
        let answer = ask(scan);
        run.scanned();
        let faults = &self.input.faults;
        let answer = answer.map_err(|error| faults.failure(command, error))?;
        let verdict = faults.report(command, answer.stats(), answer.faults())?;
        answer.verify()?;
        Ok(Asked { answer, run, verdict })
    }
}

impl<A: Scanned> Asked<A> {
    pub(crate) fn answer(&self) -> &A {
        &self.answer
    }

    /// Where the chart goes, if there is to be one.
    pub(crate) fn take_chart(&mut self) -> Option<Destination> {
        self.run.chart.take()
    }

    /// Writes the answer, and ends the command.
    ///
    /// # Errors
    /// It cannot be written; or it is, and says that records were bad.
    pub(crate) fn write(
        self,
        write: impl FnOnce(&mut dyn Write, OutputFormat, &Style, &A) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let Self { answer, run, verdict } = self;
        run.write(answer.stats(), |out, format, style| write(out, format, style, &answer))?;
        verdict.end()
    }
}

impl Run {
    /// The scan is done; nothing is shown of it any more.
    pub(crate) fn scanned(&mut self) {
        self.watch.scanned();
    }

    /// Writes the answer, and then the figures of the scan if they are wanted.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(
        self,
        stats: &Stats,
        answer: impl FnOnce(&mut dyn Write, OutputFormat, &Style) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let style = self.destination.style();
        self.destination.write(|out| answer(out, self.format, &style))?;
        self.watch.finish(stats);
        Ok(())
    }
}
