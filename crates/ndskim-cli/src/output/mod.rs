//! Where and how an answer is written: the flags for it, and the destination, a file that is whole or not there at all.
//!
//! An answer becomes JSON by its command, and a [`Sheet`] for all other formats. A new format is one new file here.

mod csv;
mod json;
mod label;
mod markdown;
mod sheet;
mod table;

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ndskim::Stats;
use tempfile::NamedTempFile;

use crate::exit::Failure;
use crate::interrupt;
pub use json::{key_in_list, real, scalar, string};
pub use label::{key as key_label, text as text_label};
pub use sheet::{Cell, Column, Sheet, thousands};
pub use table::Style;

/// How to write the answer, and where to.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// How to write the answer
    #[arg(long, value_enum, default_value_t = OutputFormat::Table)]
    pub format: OutputFormat,

    /// Write the answer to FILE, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The values of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Aligned columns, for people
    Table,
    /// One JSON object
    Json,
    /// One JSON object for each row
    Ndjson,
    /// Comma-separated values (RFC 4180)
    Csv,
    /// Tab-separated values
    Tsv,
    /// A table in Markdown
    Markdown,
}

/// Where the answer goes.
pub struct Destination {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    Stdout,
    /// Written aside, and renamed when it is whole.
    Aside(NamedTempFile),
    /// A pipe or a device, which nothing can take the place of.
    InPlace(fs::File),
}

impl Destination {
    /// Opens the destination, so that a scan is not made in vain. That it is none of the inputs is known by then.
    ///
    /// # Errors
    /// [`Failure::Output`].
    pub fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self { path: PathBuf::new(), kind: Kind::Stdout }) };
        let fail = |error| Failure::Output(path.to_owned(), error);
        // The file behind a link is written, and the link stays.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let known = fs::metadata(&target).ok();
        if known.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(fail(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let kind = if known.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            Kind::InPlace(fs::OpenOptions::new().write(true).open(&target).map_err(fail)?)
        } else {
            let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            // As for any new file the umask has its say; a file that is there keeps its mode.
            let mode = known.map_or(0o666, |metadata| metadata.permissions().mode());
            let mut builder = tempfile::Builder::new();
            let builder = builder.prefix(".ndskim-").permissions(fs::Permissions::from_mode(mode));
            let file = builder.tempfile_in(folder).map_err(|error| fail(without_name(&error, folder)))?;
            let name = file.path().to_owned();
            interrupt::before_exit(move || drop(fs::remove_file(name)));
            Kind::Aside(file)
        };
        Ok(Self { path: target, kind })
    }

    /// How a table is to look there.
    pub fn style(&self) -> Style {
        if matches!(self.kind, Kind::Stdout) && io::stdout().is_terminal() {
            Style::of_terminal()
        } else {
            Style::plain()
        }
    }

    /// Writes the whole answer.
    ///
    /// # Errors
    /// [`Failure::Write`] for standard output, [`Failure::Output`] for a file, which is then as it was before.
    pub fn write(self, answer: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let Self { path, kind } = self;
        match kind {
            Kind::Stdout => Ok(buffered(io::stdout().lock(), answer)?),
            Kind::InPlace(file) => buffered(file, answer).map_err(|error| Failure::Output(path, error)),
            Kind::Aside(file) => {
                let written = buffered(file.as_file(), answer).and_then(|()| file.as_file().sync_all());
                let done = written.and_then(|()| file.persist(&path).map(drop).map_err(|error| error.error));
                done.map_err(|error| Failure::Output(path, error))
            }
        }
    }
}

/// Why there can be no file in a folder, without the name of the temporary file, which says nothing to anybody.
fn without_name(error: &io::Error, folder: &Path) -> io::Error {
    fs::metadata(folder).err().unwrap_or_else(|| error.kind().into())
}

fn buffered(out: impl Write, answer: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    answer(&mut out)?;
    out.flush()
}

/// A number of things, by the name of one.
pub fn counted(count: u64, one: &str) -> String {
    format!("{} {one}{}", thousands(count), if count == 1 { "" } else { "s" })
}

/// Writes the last line of a report for people: records, bytes, time and speed.
///
/// # Errors
/// What the writer says.
pub fn write_stats(out: &mut dyn Write, stats: &Stats) -> io::Result<()> {
    write!(out, "{}", counted(stats.records, "record"))?;
    if stats.blank > 0 {
        write!(out, ", {}", counted(stats.blank, "blank line"))?;
    }
    if stats.rejected > 0 {
        write!(out, ", {} rejected", thousands(stats.rejected))?;
    }
    let speed = stats.bytes as f64 / stats.seconds.max(1e-9) / 1e9;
    writeln!(out, ", {} in {:.3} s ({speed:.2} GB/s)", counted(stats.bytes, "byte"), stats.seconds)
}

/// Writes a sheet in one of the formats that are not JSON.
///
/// # Errors
/// What the writer says.
pub fn write_sheet(out: &mut dyn Write, format: OutputFormat, sheet: &Sheet, style: &Style) -> io::Result<()> {
    match format {
        OutputFormat::Csv => csv::write(out, sheet, csv::COMMA),
        OutputFormat::Tsv => csv::write(out, sheet, csv::TAB),
        OutputFormat::Markdown => markdown::write(out, sheet),
        _ => table::write(out, sheet, style),
    }
}
