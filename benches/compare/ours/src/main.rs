//! `ndskim-compare`: one kind of work on whole documents, with this library or with serde_json, measured in a process of its
//! own.
//!
//! `benches/compare/run.py` starts it and puts what it prints beside the figures of other parsers. In goes one document (read
//! from its file, or from memory, several times) or a folder with one document a file; out comes one line of JSON: seconds of
//! the wall and of the processor for each run, and an answer that every parser must give alike. Figures of the whole process
//! (its peak of memory above all) are the caller's business, who waits for it.

mod clock;
mod found;
mod shapes;
mod work;

use std::error::Error;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use ndskim::Pointer;

use clock::Lap;
use found::Found;
use shapes::Shape;
use work::{Job, Kind, Reader};

/// The same allocator as the commands.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Does one kind of work on whole documents and says what it took
#[derive(Parser, Debug)]
struct Args {
    /// A file with one document, or a folder with one document a file
    path: PathBuf,

    /// What is done with each document
    #[arg(long, value_enum)]
    work: Kind,

    /// Where the document is read from
    #[arg(long, value_enum, default_value_t = From::File)]
    from: From,

    /// Who reads it
    #[arg(long, value_enum, default_value_t = Reader::Full)]
    reader: Reader,

    /// The field of the work `field`, whose value is a string
    #[arg(long, default_value = "/name", value_parser = Pointer::parse)]
    pointer: Pointer,

    /// The types of the work `typed`
    #[arg(long, value_enum, default_value_t = Shape::Article)]
    shape: Shape,

    /// How often
    #[arg(long, default_value_t = 1)]
    runs: usize,
}

/// The values of `--from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum From {
    /// The file, read anew in each run
    File,
    /// Memory: the file is read before the clock starts
    Memory,
    /// A folder: each run reads all files without looking at them, then reads and decodes them, in one scan of all
    Folder,
    /// The same, in a scan for each file
    OneByOne,
    /// Nothing is read: what it takes to start and end
    Nowhere,
}

/// What the runs took, and what the last one found.
#[derive(Default)]
struct Report {
    laps: Vec<Lap>,
    /// Of reading the files alone, where that was measured.
    reading: Vec<Lap>,
    found: Found,
}

fn main() -> ExitCode {
    match measure(&Args::parse()) {
        Ok(report) => {
            println!("{}", report.to_json());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("ndskim-compare: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(args: &Args) -> Result<Report, Box<dyn Error>> {
    // One thread, made once: a scan on a pool of its own would start a thread for each document.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let job = Job { kind: args.work, reader: args.reader, pointer: args.pointer.clone(), shape: args.shape };
    pool.install(|| match args.from {
        From::File => from_file(&job, &args.path, args.runs),
        From::Memory => from_memory(&job, &fs::read(&args.path)?, args.runs),
        From::Folder => from_folder(&job, &args.path, args.runs, args.reader != Reader::SerdeJson),
        From::OneByOne => from_folder(&job, &args.path, args.runs, false),
        From::Nowhere => Ok(Report::default()),
    })
    .map_err(|error| error.to_string().into())
}

type Outcome = Result<Report, Box<dyn Error + Send + Sync>>;

fn from_file(job: &Job, path: &Path, runs: usize) -> Outcome {
    let mut report = Report::default();
    for _ in 0..runs {
        let lap = Lap::start();
        let found = job.file(path)?;
        report.add(lap.stop(), found);
    }
    Ok(report)
}

fn from_memory(job: &Job, document: &[u8], runs: usize) -> Outcome {
    let mut report = Report::default();
    for _ in 0..runs {
        let lap = Lap::start();
        let found = job.bytes(document)?;
        report.add(lap.stop(), found);
    }
    Ok(report)
}

fn from_folder(job: &Job, folder: &Path, runs: usize, at_once: bool) -> Outcome {
    let mut paths: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let (mut report, mut buffer) = (Report::default(), Vec::new());
    for _ in 0..runs {
        let lap = Lap::start();
        for path in &paths {
            read(path, &mut buffer)?;
            std::hint::black_box(&buffer);
        }
        report.reading.push(lap.stop());
        let lap = Lap::start();
        let found = if at_once { job.files(&paths)? } else { each(job, &paths, &mut buffer)? };
        report.add(lap.stop(), found);
    }
    Ok(report)
}

/// The work on one file after the other.
fn each(job: &Job, paths: &[PathBuf], buffer: &mut Vec<u8>) -> Result<Found, Box<dyn Error + Send + Sync>> {
    let mut found = Found::default();
    for path in paths {
        read(path, buffer)?;
        found = found.merged(job.bytes(buffer)?);
    }
    Ok(found)
}

/// Reads a file into a buffer that is used again.
fn read(path: &Path, buffer: &mut Vec<u8>) -> std::io::Result<()> {
    buffer.clear();
    File::open(path)?.read_to_end(buffer)?;
    Ok(())
}

impl Report {
    fn add(&mut self, lap: Lap, found: Found) {
        self.laps.push(lap);
        self.found = found;
    }

    fn to_json(&self) -> serde_json::Value {
        let seconds = |laps: &[Lap]| laps.iter().map(|lap| lap.seconds).collect::<Vec<_>>();
        let cpu = |laps: &[Lap]| laps.iter().map(|lap| lap.cpu_seconds).collect::<Vec<_>>();
        serde_json::json!({
            "seconds": seconds(&self.laps),
            "cpu_seconds": cpu(&self.laps),
            "reading_cpu_seconds": cpu(&self.reading),
            "answer": self.found.to_json(),
        })
    }
}
