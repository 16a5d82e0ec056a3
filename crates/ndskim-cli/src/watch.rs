//! Watching a scan: the progress bar while it runs, and its figures when it is done. Both on standard error.

use std::fs::File;
use std::io::{self, IsTerminal, Seek, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use ndskim::{Kernel, Progress, Scan, Stats};

use crate::args::{InputArgs, is_stdin};
use crate::interrupt;
use crate::output::thousands;
use crate::terminal::Terminal;

/// What to say of the scan itself.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct WatchArgs {
    /// Whether to show how far the scan is; `auto` does on a terminal, if it takes more than a second
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ProgressArg::Auto)]
    pub progress: ProgressArg,

    /// Write figures of the scan to standard error: bytes, records, seconds by phase, memory
    #[arg(long, value_enum, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    pub stats: Option<StatsArg>,
}

/// The values of `--progress`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressArg {
    /// On a terminal
    Auto,
    /// Always; a line a second where there is no terminal
    Always,
    /// Never
    Never,
}

/// The values of `--stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatsArg {
    /// For people
    Text,
    /// For programs, on one line
    Json,
}

/// How long a scan takes before anything is shown of it.
const PATIENCE: Duration = Duration::from_secs(1);

/// A scan that is being watched. Whatever is shown of it is gone when this is dropped.
pub struct Watch {
    started: Instant,
    scanned: Option<Duration>,
    display: Option<Arc<Display>>,
    stats: Option<StatsArg>,
    reading: String,
}

/// What all inputs come to as they are stored, where that is known before they are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    bytes: u64,
    /// Whether one of them is compressed, so that these are not the bytes of JSON.
    compressed: bool,
}

/// How far a scan is: the model behind everything that is shown of it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Far {
    /// Bytes of JSON.
    bytes: u64,
    /// Bytes of the inputs as they are stored.
    read: u64,
    elapsed: Duration,
}

/// What is shown of a scan that runs.
struct Display {
    started: Instant,
    total: Option<Total>,
    bar: Option<ProgressBar>,
    /// Bytes of JSON, for the bar's speed; its position is in bytes read.
    bytes: Arc<AtomicU64>,
    /// The second of which a line was last written, where there is no bar.
    second: AtomicU64,
}

impl Watch {
    /// Begins to watch; `total` is asked for if anything is to be shown.
    pub fn start(args: &WatchArgs, input: &InputArgs, total: impl FnOnce() -> Option<Total>) -> Self {
        let started = Instant::now();
        let terminal = io::stderr().is_terminal();
        let display = match args.progress {
            ProgressArg::Never => None,
            ProgressArg::Auto if !terminal => None,
            _ => {
                let (total, bytes) = (total(), Arc::default());
                let bar = terminal.then(|| bar(total, Arc::clone(&bytes)));
                if let Some(bar) = bar.clone() {
                    interrupt::before_exit(move || bar.finish_and_clear());
                }
                Some(Arc::new(Display { started, total, bar, bytes, second: AtomicU64::new(0) }))
            }
        };
        let reading = format!("{:?}", input.read).to_lowercase();
        Self { started, scanned: None, display, stats: args.stats, reading }
    }

    /// The scan, with what shows its progress.
    pub fn follow<'s>(&self, scan: Scan<'s>) -> Scan<'s> {
        match &self.display {
            None => scan,
            Some(display) => {
                let display = Arc::clone(display);
                scan.progress(move |progress| display.show(&progress))
            }
        }
    }

    /// The scan is done, and the answer begins.
    pub fn scanned(&mut self) {
        self.clear();
        self.scanned = Some(self.started.elapsed());
    }

    /// The answer is written.
    pub fn finish(self, stats: &Stats) {
        self.clear();
        let total = self.started.elapsed();
        let scanned = self.scanned.unwrap_or(total);
        // Nothing can be done if standard error is closed.
        let _ = match self.stats {
            None => Ok(()),
            Some(StatsArg::Json) => writeln!(io::stderr(), "{}", json(stats, scanned, total, &self.reading)),
            Some(StatsArg::Text) => write!(io::stderr(), "{}", text(stats, scanned, total, &self.reading)),
        };
    }

    fn clear(&self) {
        if let Some(bar) = self.display.as_ref().and_then(|display| display.bar.as_ref()) {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Display {
    /// Shows how far the scan is. Blocks end in any order and on any thread, so what comes may be behind what came before.
    fn show(&self, progress: &Progress) {
        let elapsed = self.started.elapsed();
        if elapsed < PATIENCE {
            return;
        }
        match &self.bar {
            Some(bar) => {
                if bar.is_hidden() && !bar.is_finished() {
                    bar.set_draw_target(ProgressDrawTarget::term_like_with_hz(Box::new(Terminal), 20));
                }
                self.bytes.fetch_max(progress.bytes, Ordering::Relaxed);
                bar.set_position(progress.read.max(bar.position()));
            }
            None => {
                let second = elapsed.as_secs();
                if self.second.fetch_max(second, Ordering::Relaxed) < second {
                    let far = Far { bytes: progress.bytes, read: progress.read, elapsed };
                    let _ = writeln!(io::stderr(), "{}", far.line(self.total));
                }
            }
        }
    }
}

impl Far {
    /// Gigabytes of JSON a second.
    fn speed(&self) -> f64 {
        speed(self.bytes, self.elapsed)
    }

    /// How long the rest will take, if it takes as long as what was read.
    fn left(&self, total: Total) -> Duration {
        self.elapsed.mul_f64(total.bytes.saturating_sub(self.read) as f64 / self.read.max(1) as f64)
    }

    fn line(&self, total: Option<Total>) -> String {
        let speed = self.speed();
        match total {
            Some(total) => {
                let stored = if total.compressed { "compressed bytes" } else { "bytes" };
                let (read, all, left) = (thousands(self.read), thousands(total.bytes), self.left(total).as_secs());
                format!("{read} of {all} {stored}, {speed:.2} GB/s, {left} s left")
            }
            None => format!("{} bytes, {speed:.2} GB/s", thousands(self.bytes)),
        }
    }
}

fn speed(bytes: u64, elapsed: Duration) -> f64 {
    bytes as f64 / elapsed.as_secs_f64().max(1e-9) / 1e9
}

/// A bar, which is not shown yet, for a scan that has come to so many bytes of JSON; without a total, only what was read and
/// how fast.
fn bar(total: Option<Total>, bytes: Arc<AtomicU64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total.map(|total| total.bytes), ProgressDrawTarget::hidden());
    let template = match total {
        Some(Total { compressed: false, .. }) => {
            "{wide_bar} {percent:>3} %  {decimal_bytes} of {decimal_total_bytes}  {speed}  {left} left"
        }
        Some(_) => {
            "{wide_bar} {percent:>3} %  {decimal_bytes} of {decimal_total_bytes} compressed  {speed}  {left} left"
        }
        None => "{spinner} {decimal_bytes}  {speed}  {elapsed}",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let far = move |state: &ProgressState| Far {
        bytes: bytes.load(Ordering::Relaxed),
        read: state.pos(),
        elapsed: state.elapsed(),
    };
    let speed = {
        let far = far.clone();
        move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{:.2} GB/s", far(state).speed());
        }
    };
    let left = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let left = far(state).left(total.unwrap_or_default());
        let _ = write!(out, "{:#}", HumanDuration(left));
    };
    bar.with_style(style.with_key("speed", speed).with_key("left", left).progress_chars("█▉▊▋▌▍▎▏ "))
}

impl Total {
    /// What these inputs come to; nothing if one of them is a pipe, a device or not there.
    pub fn of(files: &[PathBuf]) -> Option<Self> {
        files.iter().map(|path| Self::of_one(path)).try_fold(Self::default(), |all, one| {
            let one = one?;
            Some(Self { bytes: all.bytes + one.bytes, compressed: all.compressed || one.compressed })
        })
    }

    fn of_one(path: &Path) -> Option<Self> {
        let file = if is_stdin(path) {
            let mut file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
            // Somebody has read the beginning.
            file.stream_position().ok().filter(|position| *position == 0)?;
            file
        } else {
            // A named pipe would wait for whoever writes it.
            std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
            File::open(path).ok()?
        };
        let bytes = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
        Some(Self { bytes, compressed: is_compressed(&file) })
    }
}

/// The bytes of a file that is not compressed.
pub(crate) fn plain_length(path: &Path) -> Option<u64> {
    Total::of_one(path).filter(|total| !total.compressed).map(|total| total.bytes)
}

/// Whether a file begins as gzip and zstd files do.
pub(crate) fn is_compressed(file: &File) -> bool {
    let mut start = [0; 4];
    let length = file.read_at(&mut start, 0).unwrap_or_default();
    start[..length].starts_with(b"\x1f\x8b") || start[..length] == *b"\x28\xb5\x2f\xfd"
}

/// The most memory that the process has had, in bytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The instruction set that the scan used: the one that the environment names, which would have failed if there were none such.
pub(crate) fn kernel() -> String {
    std::env::var("NDSKIM_KERNEL").unwrap_or_else(|_| Kernel::detect().name().to_owned())
}

fn text(stats: &Stats, scanned: Duration, total: Duration, reading: &str) -> String {
    let speed = speed(stats.bytes, Duration::from_secs_f64(stats.seconds));
    let answer = total.saturating_sub(scanned).as_secs_f64();
    let mut rows = vec![
        ("bytes", thousands(stats.bytes)),
        ("records", thousands(stats.records)),
        ("blank lines", thousands(stats.blank)),
        ("rejected", thousands(stats.rejected)),
        ("seconds", format!("{:.3} (scan {:.3}, answer {answer:.3})", total.as_secs_f64(), stats.seconds)),
        ("speed", format!("{speed:.2} GB/s")),
    ];
    rows.extend(peak_memory().map(|bytes| ("peak memory", format!("{} bytes", thousands(bytes)))));
    rows.push(("threads", stats.threads.to_string()));
    rows.push(("kernel", kernel()));
    rows.push(("reading", reading.to_owned()));
    rows.iter().map(|(name, value)| format!("{name:12} {value}\n")).collect()
}

fn json(stats: &Stats, scanned: Duration, total: Duration, reading: &str) -> String {
    let speed = speed(stats.bytes, Duration::from_secs_f64(stats.seconds));
    let answer = total.saturating_sub(scanned).as_secs_f64();
    let memory = peak_memory().map_or("null".to_owned(), |bytes| bytes.to_string());
    format!(
        "{{\"bytes\":{},\"records\":{},\"blank\":{},\"rejected\":{},\"seconds\":{{\"total\":{:.6},\"scan\":{:.6},\"answer\":{answer:.6}}},\
         \"gigabytes_per_second\":{speed:.3},\"peak_memory\":{memory},\"threads\":{},\"kernel\":\"{}\",\"reading\":\"{reading}\",\"stopped\":{}}}",
        stats.bytes,
        stats.records,
        stats.blank,
        stats.rejected,
        total.as_secs_f64(),
        stats.seconds,
        stats.threads,
        kernel(),
        stats.stopped
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far(bytes: u64, read: u64, seconds: u64) -> Far {
        Far { bytes, read, elapsed: Duration::from_secs(seconds) }
    }

    #[test]
    fn what_is_left_follows_from_what_was_read_and_the_speed_from_the_text() {
        let plain = Total { bytes: 10_000_000_000, compressed: false };
        let half = far(5_000_000_000, 5_000_000_000, 4);
        assert_eq!((half.left(plain), half.speed()), (Duration::from_secs(4), 1.25));
        let packed = Total { bytes: 1_000_000_000, compressed: true };
        let tenth = far(800_000_000, 100_000_000, 2);
        assert_eq!((tenth.left(packed), tenth.speed()), (Duration::from_secs(18), 0.4));
        // Files that grow, and a beginning at which nothing is known.
        assert_eq!(far(9, 2_000_000_000, 3).left(packed), Duration::ZERO);
        assert_eq!(far(0, 0, 0).left(packed), Duration::ZERO);
    }

    #[test]
    fn lines_say_whether_bytes_are_compressed() {
        let lines = [
            (far(2_500_000, 2_500_000, 1), Some(Total { bytes: 10_000_000, compressed: false })),
            (far(2_500_000, 250_000, 1), Some(Total { bytes: 1_000_000, compressed: true })),
            (far(2_500_000, 2_500_000, 1), None),
        ];
        let expected = [
            "2,500,000 of 10,000,000 bytes, 0.00 GB/s, 3 s left",
            "250,000 of 1,000,000 compressed bytes, 0.00 GB/s, 3 s left",
            "2,500,000 bytes, 0.00 GB/s",
        ];
        assert_eq!(lines.map(|(far, total)| far.line(total)), expected);
    }

    #[test]
    fn the_total_is_that_of_all_files_if_all_are_files() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, packed) = (folder.path().join("plain"), folder.path().join("packed"));
        std::fs::write(&plain, "{}\n").unwrap();
        std::fs::write(&packed, b"\x1f\x8b of eleven").unwrap();
        let total = |files: &[&PathBuf]| Total::of(&files.iter().copied().cloned().collect::<Vec<_>>());
        assert_eq!(total(&[&plain]), Some(Total { bytes: 3, compressed: false }));
        assert_eq!(total(&[&plain, &packed]), Some(Total { bytes: 15, compressed: true }));
        let (missing, device) = (folder.path().join("missing"), PathBuf::from("/dev/null"));
        assert_eq!((total(&[&plain, &missing]), total(&[&device])), (None, None));
    }
}
