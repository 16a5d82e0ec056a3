//! How a command ends: its messages and its exit codes.
//!
//! 0: done. 1: bad data, a missing file, failed reading or writing. 2: wrong usage. 130: interrupted by Ctrl-C (143 by
//! SIGTERM, 129 by SIGHUP). Who closes the pipe that a
//! report goes to has seen enough: that ends quietly with 0.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ndskim::{Error, Fault};

use crate::faults::fault_hint;
use crate::interrupt;
use crate::visible::{visible, visible_lines};
use crate::watch::is_compressed;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The command line asks for something that cannot be; exit code 2.
    Usage(String),
    /// A record was bad, and the first that is ends the command; exit code 1.
    Fault(Fault),
    /// The scan failed for another reason; exit code 1.
    Scan(Error),
    /// A list of files could not be read; exit code 1.
    List(PathBuf, io::Error),
    /// Anything else, in words; exit code 1.
    Other(String),
    /// The file that the answer goes to could not be written; exit code 1.
    Output(PathBuf, io::Error),
    /// A number of the answer does not fit: the column; exit code 1.
    Overflow(String),
    /// The report could not be written; exit code 1, or 0 for a closed pipe.
    Write(io::Error),
    /// The files of rejects could not be written; exit code 1.
    Rejects(PathBuf, io::Error),
    /// The report is written, and says that records were bad; exit code 1, without a message.
    Strict,
}

impl Failure {
    /// Wrong usage.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::Usage(message.into())
    }

    /// A list of files could not be read.
    pub fn list(path: &Path, error: io::Error) -> Self {
        Failure::List(path.to_owned(), error)
    }

    fn hint(&self) -> Option<Cow<'static, str>> {
        let hint = match self {
            Failure::Usage(_) => "see --help",
            Failure::Fault(fault) | Failure::Scan(Error::Fault(fault)) if is_misnamed(fault.place().input()) => {
                "the file is named like a compressed one, and is none: its first bytes are neither gzip's nor zstd's"
            }
            Failure::Fault(fault) => {
                fault_hint(fault).unwrap_or("--on-fault skip leaves such records out and counts them")
            }
            Failure::Scan(Error::Fault(fault)) => fault_hint(fault)?,
            Failure::Scan(Error::Read { input, action, source, .. }) => return read_hint(input, action, source),
            Failure::List(path, error) => return read_hint(&path.to_string_lossy(), "open", error),
            Failure::Output(_, error) | Failure::Rejects(_, error) => match error.kind() {
                io::ErrorKind::NotFound => "make the folder first, or name a file in one that is there",
                io::ErrorKind::IsADirectory => "name a file in that folder",
                io::ErrorKind::PermissionDenied => "name a file where you may write",
                io::ErrorKind::StorageFull => "make room, or name a file on another disk",
                _ => return None,
            },
            Failure::Overflow(_) => "leave it out, or make groups small enough with --by and --where",
            _ => return None,
        };
        Some(hint.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) | Failure::Other(message) => f.write_str(message),
            Failure::Fault(fault) => fault.fmt(f),
            Failure::Scan(error) => error.fmt(f),
            Failure::List(path, error) => write!(f, "cannot read the list of files {}: {error}", path.display()),
            Failure::Output(path, error) => write!(f, "cannot write {}: {error}", path.display()),
            Failure::Overflow(column) => {
                write!(f, "{column} does not fit: it is beyond 128 bits, or beyond the range of doubles")
            }
            Failure::Write(error) => write!(f, "cannot write the report: {error}"),
            Failure::Rejects(path, error) => write!(f, "cannot write rejects to {}: {error}", path.display()),
            Failure::Strict => f.write_str("some records were bad"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Kernel(_) | Error::Unsupported(_) => Failure::Usage(error.to_string()),
            _ => Failure::Scan(error),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Write(error)
    }
}

/// What may help with an input, or a list of inputs, that cannot be read.
fn read_hint(input: &str, action: &str, error: &io::Error) -> Option<Cow<'static, str>> {
    match (action, error.kind()) {
        ("open", io::ErrorKind::NotFound) if input.contains(['*', '?', '[']) => Some(
            "the shell hands on a pattern that fits no file: look at the folder, and do not put patterns in quotes"
                .into(),
        ),
        ("open", io::ErrorKind::NotFound) if Path::new(input).is_relative() => {
            let folder = std::env::current_dir().ok()?;
            Some(format!("names are looked for in {}", folder.display()).into())
        }
        ("open", io::ErrorKind::PermissionDenied) => Some("you may not read it: ask whoever owns it".into()),
        ("read", _) => {
            let compressed = File::open(input).is_ok_and(|file| is_compressed(&file));
            compressed.then(|| "the compressed file is cut off or damaged: get it again".into())
        }
        _ => None,
    }
}

/// Whether a file is named as compressed ones are, and is none.
fn is_misnamed(input: &str) -> bool {
    let named = [".gz", ".zst"].iter().any(|end| input.ends_with(end));
    named && File::open(input).is_ok_and(|file| !is_compressed(&file))
}

/// Turns the end of a command into its exit code, with a message on standard error where it failed.
pub fn exit(command: &str, result: Result<(), Failure>) -> ExitCode {
    let Err(failure) = result else { return ExitCode::SUCCESS };
    if matches!(&failure, Failure::Write(error) if error.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    let code = match failure {
        Failure::Usage(_) => 2,
        Failure::Strict => return ExitCode::FAILURE,
        Failure::Scan(Error::Cancelled) => return ExitCode::from(interrupt::code()),
        _ => 1,
    };
    // Nothing can be done if standard error is closed too.
    let mut stderr = io::stderr().lock();
    let message = failure.to_string();
    // Wrong usage is shown with what was written, on lines of its own; all other messages are one line.
    let message = if code == 2 { visible_lines(&message) } else { visible(&message).into_owned() };
    let _ = writeln!(stderr, "{command}: {message}");
    if let Some(hint) = failure.hint() {
        let _ = writeln!(stderr, "hint: {}", visible(&hint));
    }
    ExitCode::from(code)
}

/// Says something on standard error.
pub fn warn(command: &str, message: &str) {
    // Nothing can be done if it is closed.
    let _ = writeln!(io::stderr(), "{command}: {}", visible(message));
}
