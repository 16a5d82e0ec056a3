//! Inputs and outputs that fail, and Ctrl-C.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::Place;

#[test]
fn an_input_that_cannot_be_read_is_named_among_many() {
    let place = Place::with(&[("a.json", b"{}\n"), ("b.json", b"{}\n"), ("secret.json", b"{}\n")]);
    fs::create_dir(place.path("directory")).unwrap();
    fs::set_permissions(place.path("secret.json"), fs::Permissions::from_mode(0o000)).unwrap();
    let mut bad = vec![("missing.json", "No such file"), ("directory", "it is a directory; name the files in it")];
    // Whoever may read everything cannot be refused.
    if fs::read(place.path("secret.json")).is_err() {
        bad.push(("secret.json", "Permission denied"));
    }
    for (name, reason) in bad {
        for on_fault in ["fail", "skip"] {
            let ended = place.run(&format!("ghcount --on-fault {on_fault} a.json {name} b.json"));
            assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "{ended:?}");
            assert!(ended.stderr.contains(&format!("{name}: cannot open: {reason}")), "{ended:?}");
        }
    }
}

#[test]
fn a_full_disk_is_a_failure_and_a_closed_pipe_is_none() {
    let place = Place::with(&[("a.json", b"{\"type\":\"a\"}\n")]);
    for command in ["ghcount a.json", "ndskim count --by /type a.json", "ndskim check a.json"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(command).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("cannot write the report: No space left"),
            "{command}"
        );

        let mut child = place.command(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The pipe is closed before anything is written, which the command learns when it writes.
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), &*stderr), (Some(0), ""), "{command}");
    }
}

fn interrupt(child: &Child) {
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
}

/// Waits for the end of a command that should end soon; how soon is not asked, but it must not need more input.
fn ended(mut child: Child) -> Option<i32> {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(60) {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status.code().unwrap_or(-1));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    None
}

#[test]
fn an_interrupt_ends_a_command_that_waits_for_input() {
    let place = Place::with(&[]);
    for command in ["ghcount --on-fault skip --rejects out -", "ndskim count --by /type --threads 3 -"] {
        let mut child =
            place.command(command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // The command reads on once this is gone from the pipe, which holds no more than 64 kB.
        stdin.write_all(&b"{\"type\":\"a\"}\n".repeat(20_000)).unwrap();
        let mut stdout = child.stdout.take().unwrap();
        interrupt(&child);
        assert_eq!(ended(child), Some(130), "{command}");
        let mut report = String::new();
        stdout.read_to_string(&mut report).unwrap();
        assert_eq!(report, "");
        assert!(!place.path("out").exists());
    }
}

#[test]
fn an_interrupt_ends_a_command_that_works() {
    let place = Place::with(&[]);
    // Zeros without end are one line without end; a fault is never reached.
    let mut child = place.command("ghcount /dev/zero").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    interrupt(&child);
    let mut report = String::new();
    child.stdout.take().unwrap().read_to_string(&mut report).unwrap();
    assert_eq!((ended(child), &*report), (Some(130), ""));
}
