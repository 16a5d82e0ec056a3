//! The flags on input and reading that all commands share, and the scan that they describe.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ndskim::{Engine, Format, Input, Reading, Scan, Validation};

use crate::exit::Failure;
use crate::faults::{FaultArgs, OnFaultArg};
use crate::interrupt;
use crate::output::thousands;

/// Which input to read, and how.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Files to read, `-` for standard input; without any, standard input if something is piped into it
    #[arg(value_name = "FILES")]
    pub files: Vec<PathBuf>,

    /// Read the names of more files from LIST, one a line; `-` for standard input
    #[arg(long, value_name = "LIST")]
    pub files_from: Vec<PathBuf>,

    /// Read only the first N records
    ///
    /// The first in input order, whatever comes behind them. They are read on one thread: which records are the first is only
    /// known to whoever has read all those before.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<u64>)]
    pub limit: Option<u64>,

    /// Threads that work, reading included; 0 for one a core
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = thread_count)]
    pub threads: usize,

    /// How much of each record to check
    #[arg(long, value_enum, value_name = "MODE", default_value_t = ValidateArg::Full)]
    pub validate: ValidateArg,

    /// What reads the records; simd-json is a slower second opinion
    #[arg(long, value_enum, default_value_t = EngineArg::Auto)]
    pub engine: EngineArg,

    /// How files are read; `map` is only safe if nobody changes the files meanwhile
    #[arg(long, value_enum, value_name = "HOW", default_value_t = ReadArg::Auto)]
    pub read: ReadArg,

    /// How records stand in the input
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = FormatArg::Lines)]
    pub input_format: FormatArg,

    /// Read all values of a line, where there are several
    #[arg(long)]
    pub several_per_line: bool,

    /// What to do with bad records.
    #[command(flatten)]
    pub faults: FaultArgs,
}

/// The values of `--validate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ValidateArg {
    /// Every byte
    Full,
    /// Only what is read on the way to the answer
    Visited,
}

/// The values of `--engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// The fastest
    Auto,
    /// simd-json's tape, a record at a time
    SimdJson,
}

/// The values of `--read`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReadArg {
    /// The best way for the input
    Auto,
    /// Reads of a block at a time
    Blocks,
    /// A memory map
    Map,
}

/// The values of `--input-format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// One value a line
    Lines,
    /// Values back to back, with any white space; also pretty-printed ones
    Concatenated,
    /// JSON text sequences (RFC 7464): a record separator (0x1e) before each value
    Seq,
    /// One big array of records
    Array,
    /// Commas between values, or one behind each
    Comma,
    /// What the beginning of each input looks like
    Auto,
}

/// The values of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputArg {
    /// For people
    Table,
    /// For programs
    Json,
}

impl FormatArg {
    /// The format of the library.
    pub fn format(self) -> Format {
        match self {
            FormatArg::Lines => Format::Lines,
            FormatArg::Concatenated => Format::Concatenated,
            FormatArg::Seq => Format::Sequence,
            FormatArg::Array => Format::Array,
            FormatArg::Comma => Format::Comma,
            FormatArg::Auto => Format::Auto,
        }
    }
}

impl InputArgs {
    /// The scan of these inputs that the flags describe, with a policy on faults for when they name none.
    ///
    /// # Errors
    /// Wrong usage; files that cannot be written.
    pub fn scan(&self, files: &[PathBuf], on_fault: OnFaultArg) -> Result<Scan<'static>, Failure> {
        let cancel = interrupt::cancel();
        if self.several_per_line && self.input_format != FormatArg::Lines {
            return Err(Failure::usage("--several-per-line is for --input-format lines"));
        }
        let input = |path: &PathBuf| if is_stdin(path) { Input::stdin() } else { Input::path(path) };
        let scan = Scan::new(files.iter().map(input).collect::<Vec<_>>())
            .cancel_with(&cancel)
            .threads(self.threads)
            .validation(match self.validate {
                ValidateArg::Full => Validation::Full,
                ValidateArg::Visited => Validation::Visited,
            })
            .engine(match self.engine {
                EngineArg::Auto => Engine::Auto,
                EngineArg::SimdJson => Engine::SimdJson,
            })
            .reading(match self.read {
                ReadArg::Auto => Reading::auto(),
                ReadArg::Blocks => Reading::blocks(),
                // SAFETY: whoever passes `--read map` has read in its help that nobody may change the files meanwhile. The
                // program cannot keep others from it; the default does not depend on them.
                ReadArg::Map => unsafe { Reading::map() },
            })
            .format(if self.several_per_line { Format::SeveralPerLine } else { self.input_format.format() });
        let scan = match self.limit {
            Some(limit) => scan.limit(limit),
            None => scan,
        };
        self.faults.apply(scan, on_fault)
    }

    /// The names of the inputs: those on the command line, and those in lists; without any, that of standard input.
    ///
    /// # Errors
    /// Wrong usage: no files, and nothing piped in; standard input twice. A list cannot be read.
    pub fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut files = self.files.clone();
        for list in &self.files_from {
            files.extend(read_list(list).map_err(|error| Failure::list(list, error))?);
        }
        if files.is_empty() && self.files_from.is_empty() {
            if io::stdin().is_terminal() {
                return Err(Failure::usage("no input: name a file, or pipe something into standard input"));
            }
            files.push(PathBuf::from("-"));
        }
        if files.iter().chain(&self.files_from).filter(|path| is_stdin(path)).count() > 1 {
            return Err(Failure::usage("`-` is standard input, which can be read once: name it once"));
        }
        Ok(files)
    }
}

/// Whether a name stands for standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A number of a flag.
///
/// # Errors
/// Words that say what to write.
pub fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| "write a whole number, such as 10".to_owned())
}

/// A number of threads.
///
/// # Errors
/// Words that say what to write.
pub fn thread_count(text: &str) -> Result<usize, String> {
    let most = Scan::MOST_THREADS;
    let count = number(text)?;
    if count > most { Err(format!("write a number up to {}", thousands(most as u64))) } else { Ok(count) }
}

/// A number of a flag that has to be more than nothing.
///
/// # Errors
/// Words that say what to write.
pub fn number_above_zero(text: &str) -> Result<u64, String> {
    number(text).ok().filter(|number| *number > 0).ok_or_else(|| "write a whole number from 1 on".to_owned())
}

/// The names in a list of files: one a line, taken as they are; empty lines are left out.
fn read_list(list: &Path) -> io::Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    if is_stdin(list) {
        io::stdin().lock().read_to_end(&mut names)?;
    } else {
        names = fs::read(list)?;
    }
    let lines = names.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    Ok(lines.filter(|line| !line.is_empty()).map(|line| PathBuf::from(OsStr::from_bytes(line))).collect())
}
