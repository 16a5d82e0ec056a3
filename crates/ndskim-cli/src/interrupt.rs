//! Signals that ask the process to end: the scan is told to, and the process ends with 128 and the signal's number, also
//! while a read waits for a terminal or a pipe. Nothing half written is left behind.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ndskim::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The exit code of a command that Ctrl-C has interrupted, and of one of which nobody knows what has.
const INTERRUPTED: u8 = 130;

/// How long a scan that was told to end may take for it. A worker looks at the flag between two blocks, which takes about a
/// millisecond; a worker that waits for input does not come to look.
const GRACE: Duration = Duration::from_millis(100);

type Action = Box<dyn FnOnce() + Send>;

/// What is left to do before an interrupted process ends.
static ACTIONS: Mutex<Vec<Action>> = Mutex::new(Vec::new());

static CODE: AtomicU8 = AtomicU8::new(INTERRUPTED);

fn actions() -> std::sync::MutexGuard<'static, Vec<Action>> {
    ACTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something to do if the process is ended by a signal while a scan waits, so that nobody else does it. It must do no harm if
/// there is nothing to do any more.
pub fn before_exit(action: impl FnOnce() + Send + 'static) {
    actions().push(Box::new(action));
}

/// The exit code of an interrupted command.
pub fn code() -> u8 {
    CODE.load(Ordering::Relaxed)
}

/// The flag that signals set. The first call begins to listen for them.
pub fn cancel() -> Cancel {
    static CANCEL: OnceLock<Cancel> = OnceLock::new();
    let listen = || {
        let cancel = Cancel::new();
        let flag = cancel.clone();
        let mut wanted = vec![SIGINT, SIGTERM];
        wanted.extend((!is_ignored(SIGHUP)).then_some(SIGHUP));
        // Without a handler a signal ends the process by itself, which is nearly all that is wanted.
        if let Ok(mut signals) = Signals::new(wanted) {
            std::thread::spawn(move || signals.forever().next().map(|signal| end(signal, &flag)));
        }
        cancel
    };
    CANCEL.get_or_init(listen).clone()
}

fn end(signal: i32, flag: &Cancel) {
    CODE.store(u8::try_from(128 + signal).unwrap_or(INTERRUPTED), Ordering::Relaxed);
    flag.cancel();
    std::thread::sleep(GRACE);
    let actions = std::mem::take(&mut *actions());
    actions.into_iter().for_each(|action| action());
    std::process::exit(i32::from(code()));
}

/// Whether whoever has started the process wants it to go on in spite of a signal, as `nohup` does.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
