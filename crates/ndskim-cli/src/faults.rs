//! What commands do about bad records: the flags, the files of rejects, and what is said at the end.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use clap::{Args, ValueEnum};
use ndskim::{Error, Fault, FaultKind, FaultLimit, Found, Notice, NoticeKind, OnFault, Reject, Scan, Stats};

use crate::exit::Failure;
use crate::json::JsonString;
use crate::output::{counted, thousands};
use crate::spare::Written;
use crate::visible::visible;

/// What to do with records that are not valid.
#[derive(Args, Debug)]
pub struct FaultArgs {
    /// What to do with a record that is not valid: end with its place and reason, leave it out and count it, or keep the whole
    /// records in it [default: fail; of check: skip]
    #[arg(long, value_enum, value_name = "POLICY")]
    pub on_fault: Option<OnFaultArg>,

    /// How many records may be bad before it is a failure: a number, or a share of all such as 0.1%
    #[arg(long, value_name = "N|N%", value_parser = parse_limit)]
    pub max_faults: Option<FaultLimit>,

    /// Write what is left out to FILE, as it stands in the input, and places and reasons to FILE.faults.ndjson
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,

    /// End with exit code 1 if any record was bad, though the report is written
    #[arg(long)]
    pub strict: bool,

    #[arg(skip)]
    files: OnceLock<Arc<Mutex<RejectFiles>>>,

    /// What there is to know of the inputs, until it is said.
    #[arg(skip)]
    notices: Arc<Mutex<Vec<Notice>>>,
}

/// The values of `--on-fault`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnFaultArg {
    /// End with the first fault
    Fail,
    /// Leave the record out and count it
    Skip,
    /// Keep the complete records of a bad line
    Salvage,
}

fn parse_limit(text: &str) -> Result<FaultLimit, String> {
    let percent = text.strip_suffix('%').map(str::trim_end);
    let limit = match percent {
        Some(number) => number.parse().ok().filter(|percent| (0.0..=100.0).contains(percent)).map(FaultLimit::Percent),
        None => text.parse().ok().map(FaultLimit::Count),
    };
    limit.ok_or_else(|| "write a number such as 100, or a share from 0% to 100%".to_owned())
}

/// Whether the command has done what it was asked for once its report is written.
#[must_use = "--strict makes it a failure"]
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    failed: bool,
}

impl Verdict {
    /// The end of a command whose report is written.
    ///
    /// # Errors
    /// [`Failure::Strict`].
    pub fn end(self) -> Result<(), Failure> {
        if self.failed { Err(Failure::Strict) } else { Ok(()) }
    }
}

impl FaultArgs {
    /// A scan with this policy, or another if the flags name none.
    ///
    /// # Errors
    /// Wrong usage, or the files of rejects cannot be made.
    pub fn apply<'s>(&self, scan: Scan<'s>, default: OnFaultArg) -> Result<Scan<'s>, Failure> {
        let policy = match self.on_fault.unwrap_or(default) {
            OnFaultArg::Fail => OnFault::Fail,
            OnFaultArg::Skip => OnFault::Skip,
            OnFaultArg::Salvage => OnFault::Salvage,
        };
        let named = [
            (self.max_faults.is_some(), "--max-faults"),
            (self.rejects.is_some(), "--rejects"),
            (self.strict, "--strict"),
        ];
        if let (OnFault::Fail, Some((_, flag))) = (policy, named.into_iter().find(|(given, _)| *given)) {
            let message = format!(
                "{flag} is for --on-fault skip or salvage; without them, the first bad record ends the command"
            );
            return Err(Failure::usage(message));
        }
        let notices = Arc::clone(&self.notices);
        let mut scan = scan.on_fault(policy).notices(move |notice| lock(&notices).push(notice.clone()));
        if let Some(limit) = self.max_faults {
            scan = scan.max_faults(limit);
        }
        if let Some(path) = &self.rejects {
            let files = RejectFiles::create(path).map_err(Unwritten::failure)?;
            let files = self.files.get_or_init(|| Arc::new(Mutex::new(files)));
            let files = Arc::clone(files);
            scan = scan.rejects(move |reject| lock(&files).write(reject));
        }
        Ok(scan)
    }

    /// All files that are written for rejects.
    pub(crate) fn written(&self) -> Vec<Written> {
        let path = self.rejects.iter();
        let paths = path.flat_map(|path| match Kept::of(path) {
            Kept::InPlace => vec![path.clone()],
            Kept::Aside { text, faults } => vec![text.whole, text.partial, faults.whole, faults.partial],
        });
        paths.map(|path| Written::new("--rejects", path)).collect()
    }

    /// Completes the files of rejects, if any were asked for.
    ///
    /// # Errors
    /// They could not be written.
    pub fn finish_rejects(&self) -> Result<(), Failure> {
        let Some(files) = self.files.get() else { return Ok(()) };
        lock(files).finish().map_err(Unwritten::failure)
    }

    /// Says on standard error what there is to know of the inputs.
    pub fn say_notices(&self, command: &str) {
        let notices = std::mem::take(&mut *lock(&self.notices));
        // Nothing can be done if standard error is closed.
        _ = write_notices(&mut io::stderr().lock(), command, &notices);
    }

    /// Says on standard error what was left out and what there is to know of the inputs, and completes the files of rejects.
    ///
    /// # Errors
    /// The files of rejects could not be written.
    pub fn report(&self, command: &str, stats: &Stats, faults: &[Fault]) -> Result<Verdict, Failure> {
        self.finish_rejects()?;
        self.say_notices(command);
        if stats.rejected > 0 {
            // Nothing can be done if standard error is closed.
            _ = write_summary(&mut io::stderr().lock(), command, stats, faults);
        }
        Ok(Verdict { failed: self.strict && stats.rejected > 0 })
    }

    /// The failure of a scan with this policy, after it was said what there is to know of the inputs.
    pub fn failure(&self, command: &str, error: Error) -> Failure {
        self.say_notices(command);
        match (error, self.on_fault) {
            (Error::Fault(fault), None | Some(OnFaultArg::Fail)) => Failure::Fault(fault),
            (error, _) => error.into(),
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes what there is to know of the inputs, one thing a line, and what may help.
fn write_notices(out: &mut impl Write, command: &str, notices: &[Notice]) -> io::Result<()> {
    for notice in notices {
        let warning = if notice.is_warning() { "warning: " } else { "" };
        writeln!(out, "{command}: {warning}{}", visible(&notice.to_string()))?;
    }
    if notices.iter().any(|notice| notice.kind() == NoticeKind::SeveralLines) {
        writeln!(out, "hint: {SEVERAL_LINES_HINT}")?;
    }
    Ok(())
}

/// Writes the first faults, how many there were, and what was salvaged.
fn write_summary(out: &mut impl Write, command: &str, stats: &Stats, faults: &[Fault]) -> io::Result<()> {
    for fault in faults {
        writeln!(out, "{command}: bad record: {}", visible(&fault.to_string()))?;
    }
    let more = stats.rejected - faults.len() as u64;
    if more > 0 && !faults.is_empty() {
        writeln!(out, "{command}: and {} more", thousands(more))?;
    }
    let all = stats.records - stats.salvaged + stats.rejected;
    let were = if stats.rejected == 1 { "was" } else { "were" };
    write!(out, "{command}: {} of {} {were} bad and left out", thousands(stats.rejected), counted(all, "record"))?;
    if let Some(first) = faults.first() {
        write!(out, "; the first at {}", visible(&first.place().to_string()))?;
    }
    writeln!(out)?;
    if stats.salvaged > 0 {
        let lost = stats.rejected_bytes - stats.salvaged_bytes;
        let (salvaged, kept) = (counted(stats.salvaged, "record"), thousands(stats.salvaged_bytes));
        let rejected = thousands(stats.rejected_bytes);
        writeln!(
            out,
            "{command}: of their {rejected} bytes, {salvaged} with {kept} bytes were salvaged, and {} bytes lost",
            thousands(lost)
        )?;
    }
    if let Some(hint) = faults.iter().find_map(fault_hint) {
        writeln!(out, "hint: {hint}")?;
    }
    Ok(())
}

fn begins_value(found: Found) -> bool {
    matches!(found, Found::Byte(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'))
}

const SEVERAL_LINES_HINT: &str = "--input-format concatenated reads values that go on over several lines; --input-format array takes the elements \
     of one big array as records";

/// What may help with a kind of fault.
pub fn fault_hint(fault: &Fault) -> Option<&'static str> {
    match fault.reason().kind() {
        FaultKind::TrailingData if begins_value(fault.reason().found()) => {
            Some("--several-per-line reads all values of a line")
        }
        FaultKind::TrailingData
            if fault.reason().found() == Found::Byte(b',') && fault.excerpt().trim_end().ends_with(',') =>
        {
            Some("--input-format comma reads values with commas between or behind them")
        }
        FaultKind::SeveralLines => Some(SEVERAL_LINES_HINT),
        _ => None,
    }
}

/// Writes a fault as members of a JSON object.
///
/// # Errors
/// What the writer says.
pub fn write_fault(out: &mut (impl Write + ?Sized), fault: &Fault) -> io::Result<()> {
    let place = fault.place();
    write!(out, "\"input\":{},", JsonString(place.input()))?;
    if let Some(line) = place.line() {
        write!(out, "\"line\":{line},")?;
    }
    write!(
        out,
        "\"column\":{},\"byte\":{},\"reason\":{},\"excerpt\":{}",
        place.column(),
        place.offset(),
        JsonString(&fault.reason().to_string()),
        JsonString(fault.excerpt())
    )
}

/// Where rejects go.
enum Kept {
    /// To a pipe or a device, which cannot be renamed, and has no place beside it.
    InPlace,
    /// To a file, and a list of their places and reasons beside it.
    Aside { text: Names, faults: Names },
}

/// The names of a file while it is written, and when it is whole.
#[derive(Debug)]
struct Names {
    partial: PathBuf,
    whole: PathBuf,
}

impl Kept {
    fn of(path: &Path) -> Self {
        match fs::metadata(path) {
            Ok(metadata) if !metadata.is_file() => Self::InPlace,
            _ => Self::Aside { text: Names::of(path), faults: Names::of(&with_suffix(path, ".faults.ndjson")) },
        }
    }
}

impl Names {
    fn of(path: &Path) -> Self {
        Self { partial: with_suffix(path, ".partial"), whole: path.to_owned() }
    }

    /// Makes the file, where nothing is in the way of its name.
    fn create(&self) -> Result<BufWriter<File>, Unwritten> {
        if self.whole.is_dir() {
            return Err(Unwritten(self.whole.clone(), io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let file = File::create(&self.partial).map_err(|error| Unwritten(self.whole.clone(), error))?;
        Ok(BufWriter::new(file))
    }
}

/// A file that could not be written.
#[derive(Debug)]
struct Unwritten(PathBuf, io::Error);

impl Unwritten {
    fn failure(self) -> Failure {
        Failure::Rejects(self.0, self.1)
    }
}

/// The files of rejects. While they are written, their names end in `.partial`, so that an interrupted command leaves nothing
/// that looks whole.
#[derive(Debug)]
struct RejectFiles {
    path: PathBuf,
    text: BufWriter<File>,
    faults: Option<BufWriter<File>>,
    /// Names to be changed at the end.
    renames: Vec<Names>,
    failed: Option<io::Error>,
}

impl RejectFiles {
    fn create(path: &Path) -> Result<Self, Unwritten> {
        let (text, faults, renames) = match Kept::of(path) {
            Kept::InPlace => {
                let file = File::options().write(true).open(path);
                (BufWriter::new(file.map_err(|error| Unwritten(path.to_owned(), error))?), None, Vec::new())
            }
            Kept::Aside { text, faults } => (text.create()?, Some(faults.create()?), vec![faults, text]),
        };
        Ok(Self { path: path.to_owned(), text, faults, renames, failed: None })
    }

    /// Writes what is lost of a record, each piece and a newline, and a line about it.
    fn write(&mut self, reject: &Reject<'_>) {
        if self.failed.is_none() {
            self.failed = self.try_write(reject).err();
        }
    }

    fn try_write(&mut self, reject: &Reject<'_>) -> io::Result<()> {
        for span in reject.lost() {
            self.text.write_all(&reject.text()[span])?;
            self.text.write_all(b"\n")?;
        }
        let Some(out) = &mut self.faults else { return Ok(()) };
        out.write_all(b"{")?;
        write_fault(out, reject.fault())?;
        write!(out, ",\"offset\":{},\"length\":{},\"salvaged\":[", reject.offset(), reject.text().len())?;
        for (number, span) in reject.salvaged().iter().enumerate() {
            let separator = if number > 0 { "," } else { "" };
            let offset = reject.offset() + span.start as u64;
            write!(out, "{separator}{{\"offset\":{offset},\"length\":{}}}", span.len())?;
        }
        out.write_all(b"]}\n")
    }

    /// Gives the files their names; if one cannot have it, none has.
    fn finish(&mut self) -> Result<(), Unwritten> {
        let flushed = self.failed.take().map_or(Ok(()), Err).and_then(|()| {
            self.text.flush()?;
            self.faults.as_mut().map_or(Ok(()), Write::flush)
        });
        flushed.map_err(|error| Unwritten(self.path.clone(), error))?;
        let renames = std::mem::take(&mut self.renames);
        for (number, names) in renames.iter().enumerate() {
            if let Err(error) = fs::rename(&names.partial, &names.whole) {
                // What cannot be undone is no worse than before.
                renames[..number].iter().for_each(|done| _ = fs::rename(&done.whole, &done.partial));
                return Err(Unwritten(names.whole.clone(), error));
            }
        }
        Ok(())
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_numbers_or_shares() {
        assert_eq!(parse_limit("10"), Ok(FaultLimit::Count(10)));
        assert_eq!(parse_limit("0.5%"), Ok(FaultLimit::Percent(0.5)));
        assert_eq!(parse_limit("5 %"), Ok(FaultLimit::Percent(5.0)));
        for wrong in ["", "%", "-1", "1.5", "101%", "NaN%", "ten"] {
            assert!(parse_limit(wrong).is_err(), "{wrong}");
        }
    }
}
