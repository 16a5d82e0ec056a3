//! Inputs and outputs that fail, and Ctrl-C.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::command::Place;
use crate::policies::rows;

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

/// Waits until a command would notice an interrupt, as the system tells of it: the second bit is that of SIGINT.
pub(crate) fn wait_until_it_listens(child: &Child) {
    let listens = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        Some(u64::from_str_radix(caught.trim(), 16).ok()? & 2 != 0)
    };
    // Where the system does not tell, some time has to do.
    for _ in 0..6000 {
        match listens() {
            Some(true) => return,
            Some(false) => std::thread::sleep(Duration::from_millis(10)),
            None => return std::thread::sleep(Duration::from_secs(1)),
        }
    }
}

/// Waits for the end of a command that should end soon; how soon is not asked, but it must not need more input.
pub(crate) fn ended(mut child: Child) -> Option<i32> {
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
    wait_until_it_listens(&child);
    interrupt(&child);
    let mut report = String::new();
    child.stdout.take().unwrap().read_to_string(&mut report).unwrap();
    assert_eq!((ended(child), &*report), (Some(130), ""));
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_gzip_file_of_a_thousand_members_is_read_whole_or_refused() {
    let members: Vec<Vec<u8>> = (0..1000).map(|n| gzip(format!("{{\"type\":\"{}\"}}\n", n % 2).as_bytes())).collect();
    let whole = members.concat();
    // In the header of the last member.
    let cut = &whole[..whole.len() - members[999].len() + 5];
    let mut flipped = whole.clone();
    // The check sum of the member in the middle.
    let end: usize = members[..500].iter().map(Vec::len).sum();
    flipped[end - 6] ^= 1;
    let behind = [&whole[..], b"garbage"].concat();
    let place = Place::with(&[("whole.gz", &whole), ("cut.gz", cut), ("flipped.gz", &flipped), ("behind.gz", &behind)]);

    let report = json!([{"key": "0", "count": 500}, {"key": "1", "count": 500}]);
    let run = |file: &str| place.run(&format!("ndskim count --by /type --format json {file}"));
    let ended = run("whole.gz");
    assert_eq!((ended.code, rows(&ended.stdout), &*ended.stderr), (Some(0), report.clone(), ""));
    let ended = run("behind.gz");
    assert_eq!((ended.code, rows(&ended.stdout)), (Some(0), report));
    assert_eq!(
        ended.stderr,
        "ndskim: warning: behind.gz: 7 bytes behind the last gzip member are none, and were left out\n"
    );
    for (file, offset) in [("cut.gz", 12987), ("flipped.gz", 6500)] {
        for on_fault in ["fail", "skip"] {
            let ended = run(&format!("--on-fault {on_fault} {file}"));
            assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "{ended:?}");
            assert!(ended.stderr.contains(&format!("{file}: cannot read at byte {offset}: ")), "{ended:?}");
        }
    }
}

/// Microseconds of a random delay (xorshift), by a seed that the caller prints.
fn random_delay(seed: &mut u64) -> Duration {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    Duration::from_micros(*seed % 30_000)
}

/// A file of so many records, and a command that counts them, at a random moment of which something is done to the file.
fn meanwhile(seed: u64, records: usize, change: impl Fn(&Path)) -> (Vec<u8>, Output) {
    let line = format!("{{\"type\":\"a\",\"text\":\"{}\"}}\n", "x".repeat(2000));
    let text = line.repeat(records).into_bytes();
    let place = Place::with(&[("a.json", &text)]);
    let mut command = place.command("ndskim count --by /type --format json --threads 2 a.json");
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let delay = random_delay(&mut { seed });
    std::thread::sleep(delay);
    change(&place.path("a.json"));
    println!("seed {seed}, after {delay:?}");
    (text, child.wait_with_output().unwrap())
}

fn seeds(count: u64) -> impl Iterator<Item = u64> {
    let first = std::time::UNIX_EPOCH.elapsed().map_or(1, |now| u64::from(now.subsec_nanos()) << 8 | 1);
    (0..count).map(move |n| first.wrapping_mul(n + 1))
}

#[test]
fn a_file_that_shrinks_meanwhile_never_counts_as_whole() {
    for seed in seeds(20) {
        let (text, output) = meanwhile(seed, 20_000, |path| {
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_len(file.metadata().unwrap().len() / 3).unwrap();
        });
        let stderr = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            // All of it was read before, or it was opened after.
            Some(0) => {
                let stdout = String::from_utf8_lossy(&output.stdout);
                let whole = stdout.contains("\"records\":20000,");
                assert!(whole || stdout.contains(&format!("\"bytes\":{}", text.len() / 3)), "{stdout}");
            }
            Some(1) => {
                assert!(output.stdout.is_empty());
                let cut =
                    stderr.contains("a.json: cannot read at byte") && stderr.contains("the file has become shorter");
                // A file that was opened afterwards may end within a line.
                assert!(cut || stderr.contains("found the end of the record"), "{stderr}");
            }
            code => panic!("{code:?} {stderr}"),
        }
    }
}

#[test]
fn a_file_that_is_replaced_deleted_or_grown_meanwhile_is_read_as_it_was() {
    /// What happens to a file.
    type Change = fn(&Path);
    let changes: [(&str, Change); 3] = [
        ("replaced", |path| {
            let other = path.with_extension("new");
            fs::write(&other, b"{\"type\":\"b\"}\n").unwrap();
            fs::rename(other, path).unwrap();
        }),
        ("deleted", |path| fs::remove_file(path).unwrap()),
        ("grown", |path| {
            fs::File::options().append(true).open(path).unwrap().write_all(b"{\"type\":\"b\"}\n").unwrap();
        }),
    ];
    for (what, change) in changes {
        for seed in seeds(7) {
            let (text, output) = meanwhile(seed, 5_000, change);
            let stdout = String::from_utf8_lossy(&output.stdout);
            let count = |records: usize, bytes: usize| {
                stdout.contains(&format!("\"records\":{records},")) && stdout.contains(&format!("\"bytes\":{bytes},"))
            };
            let was = output.status.code() == Some(0) && count(5_000, text.len());
            // Or the change came before it was opened.
            let is = match what {
                "replaced" => output.status.code() == Some(0) && count(1, 13),
                "deleted" => output.status.code() == Some(1) && stdout.is_empty(),
                _ => output.status.code() == Some(0) && count(5_001, text.len() + 13),
            };
            assert!(was || is, "{what}: {output:?}");
        }
    }
}

#[test]
fn a_device_that_fails_is_an_error_with_a_place() {
    // What stands at the start of a process's memory cannot be read: the system says so in the middle of reading.
    let place = Place::with(&[("a.json", b"{}\n")]);
    let ended = place.run("ghcount a.json /proc/self/mem");
    assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "{ended:?}");
    assert!(ended.stderr.contains("/proc/self/mem: cannot read at byte 0: Input/output error"), "{ended:?}");
}
