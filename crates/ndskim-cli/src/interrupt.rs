//! Ctrl-C: the scan is told to end, and the process ends with 130, also while a read waits for a terminal or a pipe.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ndskim::Cancel;

/// The exit code of an interrupted command.
pub const INTERRUPTED: u8 = 130;

/// How long a scan that was told to end may take for it. A worker looks at the flag between two blocks, which takes about a
/// millisecond; a worker that waits for input does not come to look.
const GRACE: Duration = Duration::from_millis(100);

type Action = Box<dyn FnOnce() + Send>;

/// What is left to do before an interrupted process ends.
static ACTIONS: Mutex<Vec<Action>> = Mutex::new(Vec::new());

fn actions() -> std::sync::MutexGuard<'static, Vec<Action>> {
    ACTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something to do if the process is ended by Ctrl-C while a scan waits, so that nobody else does it. It must do no harm if
/// there is nothing to do any more.
pub fn before_exit(action: impl FnOnce() + Send + 'static) {
    actions().push(Box::new(action));
}

/// The flag that Ctrl-C sets. The first call begins to listen for it.
pub fn cancel() -> Cancel {
    static CANCEL: OnceLock<Cancel> = OnceLock::new();
    let listen = || {
        let cancel = Cancel::new();
        let flag = cancel.clone();
        let handler = move || {
            flag.cancel();
            std::thread::sleep(GRACE);
            let actions = std::mem::take(&mut *actions());
            actions.into_iter().for_each(|action| action());
            std::process::exit(i32::from(INTERRUPTED));
        };
        // Without a handler the signal ends the process by itself, which is all that is wanted.
        _ = ctrlc::set_handler(handler);
        cancel
    };
    CANCEL.get_or_init(listen).clone()
}
