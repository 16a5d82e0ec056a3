//! Watching a scan: the progress bar while it runs, and its figures when it is done. Both on standard error.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use ndskim::{Kernel, Progress, Scan, Stats};

use crate::args::InputArgs;
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

/// What is shown of a scan that runs.
struct Display {
    started: Instant,
    total: Option<u64>,
    bar: Option<ProgressBar>,
    /// The second of which a line was last written, where there is no bar.
    second: AtomicU64,
}

impl Watch {
    /// Begins to watch.
    pub fn start(args: &WatchArgs, input: &InputArgs) -> Self {
        let started = Instant::now();
        let terminal = io::stderr().is_terminal();
        let display = match args.progress {
            ProgressArg::Never => None,
            ProgressArg::Auto if !terminal => None,
            _ => {
                let total = total_bytes(input);
                let bar = terminal.then(|| bar(total));
                if let Some(bar) = bar.clone() {
                    interrupt::before_exit(move || bar.finish_and_clear());
                }
                Some(Arc::new(Display { started, total, bar, second: AtomicU64::new(0) }))
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
                bar.set_position(progress.bytes.max(bar.position()));
            }
            None => {
                let second = elapsed.as_secs();
                if self.second.fetch_max(second, Ordering::Relaxed) < second {
                    let _ = writeln!(io::stderr(), "{}", self.line(progress.bytes, elapsed));
                }
            }
        }
    }

    fn line(&self, bytes: u64, elapsed: Duration) -> String {
        let speed = speed(bytes, elapsed);
        match self.total {
            Some(total) => {
                let left = remaining(bytes, total, elapsed).as_secs();
                format!("{} of {} bytes, {speed:.2} GB/s, {left} s left", thousands(bytes), thousands(total))
            }
            None => format!("{} bytes, {speed:.2} GB/s", thousands(bytes)),
        }
    }
}

fn speed(bytes: u64, elapsed: Duration) -> f64 {
    bytes as f64 / elapsed.as_secs_f64().max(1e-9) / 1e9
}

fn remaining(bytes: u64, total: u64, elapsed: Duration) -> Duration {
    elapsed.mul_f64(total.saturating_sub(bytes) as f64 / bytes.max(1) as f64)
}

/// A bar, which is not shown yet; without a total, only what was read and how fast.
fn bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
    let template = match total {
        Some(_) => "{wide_bar} {percent:>3} %  {decimal_bytes} of {decimal_total_bytes}  {speed}  {left} left",
        None => "{spinner} {decimal_bytes}  {speed}  {elapsed}",
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let gigabytes = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = write!(out, "{:.2} GB/s", speed(state.pos(), state.elapsed()));
    };
    let left = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let left = remaining(state.pos(), state.len().unwrap_or_default(), state.elapsed());
        let _ = write!(out, "{:#}", HumanDuration(left));
    };
    bar.with_style(style.with_key("speed", gigabytes).with_key("left", left).progress_chars("█▉▊▋▌▍▎▏ "))
}

/// The bytes of JSON in all inputs, if that is known: not for pipes and compressed files.
fn total_bytes(input: &InputArgs) -> Option<u64> {
    if input.files.is_empty() || !input.files_from.is_empty() {
        return None;
    }
    input.files.iter().map(|path| plain_length(path)).sum()
}

pub(crate) fn plain_length(path: &Path) -> Option<u64> {
    let metadata = std::fs::metadata(path).ok().filter(|metadata| metadata.is_file())?;
    let mut start = [0; 4];
    let length = File::open(path).ok()?.read(&mut start).ok()?;
    let compressed = start[..length].starts_with(b"\x1f\x8b") || start[..length] == *b"\x28\xb5\x2f\xfd";
    (!compressed).then_some(metadata.len())
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
