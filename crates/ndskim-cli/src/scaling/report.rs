//! The report of a sweep, for people and for programs. What is predicted is called a prediction wherever it stands.

use std::io::{self, Write};

use super::Sweep;
use super::analysis::{Fitted, Prediction, Row};
use super::machine::Machine;
use super::measure::{Times, name};
use crate::bench::JobArg;
use crate::output::{Cell, Column, OutputFormat, Sheet, Style, real, string, thousands, write_sheet};

/// Writes the report.
pub(super) fn write(out: &mut dyn Write, sweep: &Sweep, format: OutputFormat, style: &Style) -> io::Result<()> {
    match format {
        OutputFormat::Json => write_json(out, sweep),
        OutputFormat::Ndjson => {
            sweep.analysis.rows.iter().try_for_each(|row| writeln!(out, "{}", row_json(sweep, row)))
        }
        OutputFormat::Table => {
            writeln!(out, "{}\n{}\n", sweep.headline(), sweep.made_on())?;
            write_sheet(out, format, &sheet(sweep), style)?;
            write_laws(out, sweep)?;
            sweep.notes.iter().try_for_each(|note| writeln!(out, "\nnote: {note}"))
        }
        _ => write_sheet(out, format, &sheet(sweep), style),
    }
}

impl Sweep {
    /// What was done to what.
    pub(super) fn headline(&self) -> String {
        let records = thousands(self.measured.answer.records);
        let bytes = thousands(self.measured.bytes);
        let place = if self.from_file { "read from the file each time" } else { "in memory" };
        format!("{}: {bytes} bytes, {records} records, {place}; {}", self.input_name(), self.job_name())
    }

    /// What it was measured on.
    pub(super) fn made_on(&self) -> String {
        let Machine { cpu, cores, cpus, os, .. } = &self.machine;
        let threads = if cpus > cores { format!(" with {cpus} hardware threads") } else { String::new() };
        // What stands behind the version's numbers says nothing of the speed.
        let os = os.split('-').next().unwrap_or(os);
        let cores = super::analysis::plural(*cores, "core");
        format!("{cpu}, {cores}{threads}, kernel {}; {os}; ndskim {}", self.kernel, env!("CARGO_PKG_VERSION"))
    }

    /// The input in a few words.
    pub(super) fn input_name(&self) -> String {
        let name =
            |path: &std::path::PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        match &self.files[..] {
            [file] => name(file),
            files => format!("{} and {} more", files.first().map(name).unwrap_or_default(), files.len() - 1),
        }
    }

    /// The job in words.
    pub(super) fn job_name(&self) -> String {
        match self.job {
            JobArg::CountGh => "types, and languages of opened pull requests".to_owned(),
            JobArg::Validate => "validation alone".to_owned(),
            JobArg::Field => format!("records by {}", self.pointer),
        }
    }
}

fn sheet(sweep: &Sweep) -> Sheet {
    let numbers = ["threads", "best GB/s", "median GB/s", "speed-up", "efficiency", "plain read GB/s"];
    let columns = std::iter::once(Column::labels("validate")).chain(numbers.map(Column::numbers));
    let row = |row: &Row| {
        vec![
            Cell::Label(name(row.validate).to_owned()),
            Cell::Int(row.threads as i128),
            Cell::Real(row.best),
            Cell::Real(row.median),
            Cell::Real(row.speed_up),
            Cell::Share(row.efficiency),
            row.ceiling.map_or(Cell::Empty, Cell::Real),
        ]
    };
    Sheet { columns: columns.collect(), rows: sweep.analysis.rows.iter().map(row).collect(), ..Sheet::default() }
}

fn write_laws(out: &mut dyn Write, sweep: &Sweep) -> io::Result<()> {
    for fitted in &sweep.analysis.fits {
        writeln!(out, "\n{}", fitted.title())?;
        if fitted.fit.is_some() {
            writeln!(out, "  {}", fitted.formula())?;
        }
        writeln!(out, "  {}", fitted.verdict())?;
    }
    if !sweep.analysis.predictions.is_empty() {
        writeln!(out, "\nPredictions, not measured:")?;
    }
    sweep.analysis.predictions.iter().try_for_each(|prediction| writeln!(out, "  {}", prediction.sentence()))
}

fn write_json(out: &mut dyn Write, sweep: &Sweep) -> io::Result<()> {
    let (measured, analysis) = (&sweep.measured, &sweep.analysis);
    let files: Vec<_> = sweep.files.iter().map(|path| string(&path.display().to_string())).collect();
    let job = match sweep.job {
        JobArg::CountGh => "count-gh",
        JobArg::Validate => "validate",
        JobArg::Field => "field",
    };
    write!(
        out,
        "{{\"files\":[{}],\"bytes\":{},\"records\":{},\"job\":\"{job}\",\"from_file\":{},\"repeat\":{},\"time\":\"{}\",",
        files.join(","),
        measured.bytes,
        measured.answer.records,
        sweep.from_file,
        sweep.repeat,
        sweep.time
    )?;
    let Machine { cpu, cpus, cores, memory, cache, os } = &sweep.machine;
    write!(
        out,
        "\"machine\":{{\"cpu\":{},\"cores\":{cores},\"hardware_threads\":{cpus},\"memory\":{},\"last_level_cache\":{},\
         \"os\":{},\"architecture\":\"{}\"}},\"kernel\":{},\"versions\":{{\"ndskim\":\"{}\"}},",
        string(cpu),
        optional(*memory),
        optional(*cache),
        string(os),
        std::env::consts::ARCH,
        string(&sweep.kernel),
        env!("CARGO_PKG_VERSION")
    )?;
    list(out, "rows", analysis.rows.iter().map(|row| row_json(sweep, row)))?;
    let ceiling = measured.ceiling.iter().flatten().map(|times| format!("{{{}}}", times_json(times, measured.bytes)));
    list(out, "plain_read", ceiling)?;
    list(out, "fits", analysis.fits.iter().map(fit_json))?;
    list(out, "predictions", analysis.predictions.iter().map(prediction_json))?;
    list(out, "notes", sweep.notes.iter().map(|note| string(note)))?;
    out.write_all(b"\"answer\":")?;
    measured.answer.write(out)?;
    out.write_all(b"}\n")
}

fn list(out: &mut dyn Write, name: &str, items: impl Iterator<Item = String>) -> io::Result<()> {
    writeln!(out, "\"{name}\":[{}],", items.collect::<Vec<_>>().join(",\n"))
}

fn optional(number: Option<u64>) -> String {
    number.map_or("null".to_owned(), |number| number.to_string())
}

fn times_json(times: &Times, bytes: u64) -> String {
    let seconds: Vec<_> = times.seconds.iter().map(|seconds| format!("{seconds:.9}")).collect();
    let (best, median) = (times.best(bytes), times.median(bytes));
    format!(
        "\"threads\":{},\"seconds\":[{}],\"gb_per_s_best\":{best:.6},\"gb_per_s_median\":{median:.6}",
        times.threads,
        seconds.join(",")
    )
}

fn row_json(sweep: &Sweep, row: &Row) -> String {
    let series = sweep.measured.series.iter().find(|series| series.validate == row.validate);
    let times = series.and_then(|series| series.times.iter().find(|times| times.threads == row.threads));
    format!(
        "{{\"validate\":\"{}\",{},\"speed_up\":{:.6},\"efficiency\":{:.6},\"plain_read_gb_per_s\":{},\"fitted\":{}}}",
        name(row.validate),
        times.map_or(String::new(), |times| times_json(times, sweep.measured.bytes)),
        row.speed_up,
        row.efficiency,
        row.ceiling.map_or("null".to_owned(), |ceiling| format!("{ceiling:.6}")),
        row.threads <= sweep.machine.cores
    )
}

fn fit_json(fitted: &Fitted) -> String {
    let number = |value: Option<f64>| value.filter(|value| value.is_finite()).map_or("null".to_owned(), real);
    let curve = fitted.fit.map(|fit| fit.curve);
    format!(
        "{{\"validate\":\"{}\",\"law\":\"{}\",\"points\":{},\"parameters\":{},\"fitted\":{},\"judged\":{},\
         \"lambda_gb_per_s\":{},\"sigma\":{},\"kappa\":{},\"peak_threads\":{},\"limit_gb_per_s\":{},\"r_squared\":{},\
         \"largest_deviation\":{},\"verdict\":{}}}",
        name(fitted.validate),
        fitted.law.id(),
        fitted.points,
        fitted.law.parameters(),
        fitted.fit.is_some(),
        fitted.fit.is_some_and(|fit| fit.is_judged()),
        number(curve.map(|curve| curve.lambda)),
        number(curve.map(|curve| curve.sigma)),
        number(curve.map(|curve| curve.kappa)),
        number(curve.and_then(|curve| curve.peak())),
        number(curve.and_then(|curve| curve.limit())),
        number(fitted.fit.and_then(|fit| fit.r_squared)),
        number(fitted.fit.map(|fit| fit.deviation)),
        string(&fitted.verdict())
    )
}

fn prediction_json(prediction: &Prediction) -> String {
    let rounds = prediction.rounds.map_or("null".to_owned(), |(low, high)| format!("[{low:.6},{high:.6}]"));
    format!(
        "{{\"prediction\":true,\"validate\":\"{}\",\"law\":\"{}\",\"threads\":{},\"gb_per_s\":{:.6},\
         \"uncapped_gb_per_s\":{:.6},\"capped\":{},\"uncapped_of_single_rounds\":{rounds}}}",
        name(prediction.validate),
        prediction.law.id(),
        prediction.threads,
        prediction.gb_per_s,
        prediction.uncapped,
        prediction.is_capped()
    )
}
