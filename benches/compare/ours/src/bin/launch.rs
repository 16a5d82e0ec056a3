//! `launch REPORT COMMAND [ARGUMENT ...]`: starts a command, waits for it, and writes what the system says it used.
//!
//! The peak of memory that the system reports for a process begins with that of the process that started it, so a large starter
//! hides the peak of a small command. This one is small. Standard streams are the command's. In goes a command; out comes a
//! file with one JSON object, and the command's exit code (128 and the signal, if a signal ended it).

use std::ffi::OsString;
use std::mem::MaybeUninit;
use std::process::{Command, ExitCode};
use std::time::Instant;
use std::{env, fs, io};

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let (Some(report), Some(command)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: launch REPORT COMMAND [ARGUMENT ...]");
        return ExitCode::from(2);
    };
    match launch(report, command, arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("launch: {error}");
            ExitCode::from(127)
        }
    }
}

fn launch(report: OsString, command: OsString, arguments: impl Iterator<Item = OsString>) -> io::Result<u8> {
    let started = Instant::now();
    let child = Command::new(command).args(arguments).spawn()?;
    let (mut status, mut usage) = (0, MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both places are valid for the answer; the child is ours and nobody else waits for it.
    while unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, usage.as_mut_ptr()) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    // SAFETY: all zeros is a value of this type, and `wait4` has filled it in.
    let usage = unsafe { usage.assume_init() };
    let time = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
    let report_text = format!(
        "{{\"seconds\":{seconds:.6},\"user_seconds\":{:.6},\"system_seconds\":{:.6},\"peak_bytes\":{}}}\n",
        time(usage.ru_utime),
        time(usage.ru_stime),
        usage.ru_maxrss * 1024
    );
    fs::write(report, report_text)?;
    let code = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 128 + libc::WTERMSIG(status) };
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}
