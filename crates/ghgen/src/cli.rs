//! The command line: what can be asked, and doing it. In go arguments, out come files or a
//! profile, and an exit code. It decides nothing about the bytes of a file.

use clap::{CommandFactory as _, Parser, ValueEnum, error::ErrorKind};
use ghgen::profile::{Comparison, Profile};
use ghgen::{Compression, Layout, Members, Options, Parts, Report, Separator, Style, generate_into, parse_bytes};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Generate NDJSON shaped like GH Archive's, with the counts that are true of it.
///
/// The text is a function of the arguments: the same on every machine, for any output.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Args {
    /// Size of the text: the record that reaches it is the last (1GB, 300MB, 1GiB, 5000).
    #[arg(long, value_parser = parse_bytes, required_unless_present = "profile")]
    bytes: Option<u64>,

    /// Another seed gives other records.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Where the text goes; `-` or nothing is standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write the report that a counter must give: with damage, one that skips bad lines.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,

    /// What the records look like.
    #[arg(long, value_enum, default_value_t)]
    layout: Layout,

    /// How their JSON is written.
    #[arg(long, value_enum, default_value_t)]
    style: Style,

    /// What stands after each record.
    #[arg(long, value_enum, default_value_t)]
    separator: Separator,

    /// Compress; without this the name of the output decides (.gz, .zst).
    #[arg(long, value_enum)]
    compress: Option<Compression>,

    /// Compress as so many gzip members or Zstandard frames (in each part, with --parts).
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    members: u32,

    /// Spread the text over so many files: FILE.0001 and on, a compressor's ending stays last.
    /// One behind the other they are what one file would hold.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=9_999))]
    parts: u32,

    /// Spoil so many lines, spread over the text, in the ways seen in published files: events
    /// joined on a line, cut in a string, followed by NUL bytes.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "damage_list")]
    damage: u32,

    /// List the bad lines, with the records that may be kept of each; the last line of the list
    /// holds what a counter must report that skips bad lines, or that salvages records.
    #[arg(long, value_name = "FILE", requires = "damage")]
    damage_list: Option<PathBuf>,

    /// Measure a file of JSON lines instead of generating one.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bytes", "output", "truth", "damage"])]
    profile: Option<PathBuf>,

    /// Put the profile beside that of another file, by event type.
    #[arg(long, value_name = "FILE", requires = "profile")]
    against: Option<PathBuf>,

    /// How the profile is written.
    #[arg(long, value_enum, default_value_t, requires = "profile")]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    #[default]
    Table,
    Json,
}

/// Runs the command: 0 done (or nobody reads the output any more), 1 a file cannot be read or
/// written, 2 wrong usage.
pub(crate) fn run() -> ExitCode {
    let args = Args::parse();
    let done = match &args.profile {
        Some(file) => profile(file, &args),
        None => generate(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is gone too, the exit code has to do.
            let _ = writeln!(io::stderr(), "ghgen: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Ends with a message about wrong usage.
fn usage(message: impl std::fmt::Display) -> ! {
    Args::command().error(ErrorKind::ArgumentConflict, message).exit()
}

fn generate(args: &Args) -> io::Result<()> {
    let options = Options {
        bytes: args.bytes.unwrap_or_default(),
        seed: args.seed,
        layout: args.layout,
        style: args.style,
        separator: args.separator,
        damage: args.damage,
    };
    if let Err(message) = options.check() {
        usage(message);
    }
    let report = write_text(args, &options)?;
    if let Some(path) = &args.truth {
        write_file(path, |out| writeln!(out, "{}", report.truth.to_json()))?;
    }
    if let Some(path) = &args.damage_list {
        write_file(path, |out| report.damage.write_list(&report.truth, out))?;
    }
    Ok(())
}

fn write_text(args: &Args, options: &Options) -> io::Result<Report> {
    let file = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let compression = args.compress.unwrap_or_else(|| file.map_or(Compression::None, Compression::of_name));
    if args.members > 1 && compression == Compression::None {
        usage("members are of compressed output: give --compress, or an output that ends in .gz or .zst");
    }
    match file {
        Some(path) => {
            let mut sink = Parts::create(path, compression, args.members, args.parts, options.bytes)?;
            let report = generate_into(options, &mut sink).map_err(|error| at(path, error))?;
            sink.finish().map_err(|error| at(path, error))?;
            Ok(report)
        }
        None if args.parts > 1 => usage("parts are files: give --output"),
        None => {
            let mut sink = Members::new(io::stdout().lock(), compression, args.members, 0..options.bytes)?;
            let report = generate_into(options, &mut sink)?;
            sink.finish()?.flush()?;
            Ok(report)
        }
    }
}

fn profile(path: &Path, args: &Args) -> io::Result<()> {
    let read = |path: &Path| {
        let file = File::open(path).map_err(|error| at(path, error))?;
        Profile::read(BufReader::with_capacity(1 << 20, file)).map_err(|error| at(path, error))
    };
    let first = read(path)?;
    let text = match (&args.against, args.format) {
        (None, Format::Table) => first.to_string(),
        (None, Format::Json) => format!("{}\n", first.to_json()),
        (Some(other), format) => {
            let comparison = Comparison::new(&first, &read(other)?);
            match format {
                Format::Table => comparison.to_string(),
                Format::Json => format!("{}\n", comparison.to_json()),
            }
        }
    };
    io::stdout().lock().write_all(text.as_bytes())
}

/// Writes a small file.
fn write_file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let write_all = || {
        let mut out = BufWriter::new(File::create(path)?);
        write(&mut out)?;
        out.flush()
    };
    write_all().map_err(|error| at(path, error))
}

/// An error with the name of the file it is about.
fn at(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
