//! Ctrl-C: the scan is told to end, and the process ends with 130, also while a read waits for a terminal or a pipe.

use std::sync::OnceLock;
use std::time::Duration;

use ndskim::Cancel;

/// The exit code of an interrupted command.
pub const INTERRUPTED: u8 = 130;

/// How long a scan that was told to end may take for it. A worker looks at the flag between two blocks, which takes about a
/// millisecond; a worker that waits for input does not come to look.
const GRACE: Duration = Duration::from_millis(100);

/// The flag that Ctrl-C sets. The first call begins to listen for it.
pub fn cancel() -> Cancel {
    static CANCEL: OnceLock<Cancel> = OnceLock::new();
    let listen = || {
        let cancel = Cancel::new();
        let flag = cancel.clone();
        let handler = move || {
            flag.cancel();
            std::thread::sleep(GRACE);
            std::process::exit(i32::from(INTERRUPTED));
        };
        // Without a handler the signal ends the process by itself, which is all that is wanted.
        _ = ctrlc::set_handler(handler);
        cancel
    };
    CANCEL.get_or_init(listen).clone()
}
