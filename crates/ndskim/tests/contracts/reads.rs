//! Reads that fail: in the middle of a reader, of a file, before it begins; and files that change under the scan.

use std::fs::{File, OpenOptions};
use std::io::Write;

use ndskim::{Error, Input, OnFault, Scan};

use super::support::{BLOCKS, Script, THREADS, Text, broken, fault, within};

/// Records of 16 bytes.
fn records(count: usize) -> Vec<u8> {
    (0..count).flat_map(|n| format!("{{\"number\":{n:4}}}\n").into_bytes()).collect()
}

/// What an [`Error::Read`] says: input, action, offset, and the system's words.
fn failure<T>(ended: Result<T, Error>, name: &str) -> (String, &'static str, Option<u64>, String) {
    match ended {
        Err(Error::Read { input, action, offset, source }) => (input.to_string(), action, offset, source.to_string()),
        Err(other) => panic!("{name}: not a failed read: {other}"),
        Ok(_) => panic!("{name}: no failed read"),
    }
}

/// Plays a script in steps of different sizes, on all threads and block sizes.
fn each_script(text: &[u8], mut test: impl FnMut(Scan<'_>, &str)) {
    for threads in THREADS {
        for block in BLOCKS {
            for step in [5, 64, 1 << 20] {
                let steps = text.chunks(step).map(|chunk| Ok(chunk.to_vec())).chain([Err(broken())]);
                let scan = Scan::reader(Script::new(steps)).threads(threads).block_size(block);
                test(scan, &format!("{threads} threads, blocks of {block}, steps of {step}"));
            }
        }
    }
}

#[test]
fn a_reader_that_fails_says_how_far_it_came() {
    let mut text = records(100);
    text.extend_from_slice(b"{\"number\":");
    let expected = ("<reader>".to_owned(), "read", Some(1610), "the device is on fire".to_owned());
    each_script(&text, |scan, name| assert_eq!(failure(scan.for_each(|_| ()), name), expected, "{name}"));
    each_script(&text, |scan, name| {
        let scan = scan.on_fault(OnFault::Skip);
        assert_eq!(failure(scan.for_each(|_| ()), name), expected, "skipping, {name}");
    });
}

#[test]
fn records_before_a_failed_read_are_read_first() {
    let mut text = records(100);
    text.extend_from_slice(b"{\"number\":}\n");
    text.extend(records(2));
    each_script(&text, |scan, name| {
        let fault = fault(scan.for_each(|_| ()), name);
        assert_eq!((fault.place().line(), fault.place().column()), (Some(101), 11), "{name}");
    });
    each_script(&text, |scan, name| {
        let seen = std::sync::atomic::AtomicU64::new(0);
        let ended = scan.on_fault(OnFault::Skip).for_each(|_| {
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(failure(ended, name).2, Some(text.len() as u64), "{name}");
        assert_eq!(seen.into_inner(), 102, "{name}");
    });
}

#[test]
fn a_closure_that_fails_or_breaks_before_a_failed_read_counts() {
    use std::ops::ControlFlow;
    let text = records(100);
    let last = |record: ndskim::Record<'_>| record.get("number").unwrap().unwrap().as_u64() == Ok(Some(99));
    each_script(&text, |scan, name| {
        let ended = scan.try_for_each(|record| if last(record) { Err("enough") } else { Ok(()) });
        assert!(matches!(&ended, Err(Error::Closure { place, .. }) if place.line() == Some(100)), "{name}: {ended:?}");
    });
    each_script(&text, |scan, name| {
        let ended =
            scan.for_each(|record| if last(record) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        assert!(ended.expect(name).stats.stopped, "{name}");
    });
}

#[test]
fn a_panic_in_a_reader_ends_the_scan_and_tears_no_record() {
    use std::io::{self, Read};
    use std::sync::Mutex;
    /// A record and a half, then a panic, then more as if nothing had been.
    struct Careless(usize, &'static [u8]);
    impl Read for Careless {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            if self.1.is_empty() {
                self.0 += 1;
                self.1 = b"567}\n89\n";
                if self.0 == 1 {
                    // Time for other workers to queue up for the next read.
                    std::thread::sleep(std::time::Duration::from_millis(50));
                    panic!("careless")
                }
            }
            self.1.read(room)
        }
    }
    for threads in THREADS {
        let seen = within(60, move || {
            let seen = Mutex::new(Vec::new());
            let scan = Scan::reader(Careless(0, b"{\"number\":1}\n{\"number\":234"));
            let scan = scan.threads(threads).block_size(100);
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                scan.for_each(|record| seen.lock().unwrap().push(record.text().to_vec()))
            }));
            assert_eq!(ended.unwrap_err().downcast_ref(), Some(&"careless"));
            seen.into_inner().unwrap()
        });
        assert!(seen.iter().all(|record| record == b"{\"number\":1}"), "{threads} threads: {seen:?}");
    }
}

#[test]
fn a_missing_file_among_many_is_named() {
    let good = Text::new(records(300));
    for threads in THREADS {
        for missing in [0, 3, 9] {
            let inputs = (0..10).map(|n| match n {
                n if n == missing => Input::path("/no/such/file.json"),
                // A later one that is missing too.
                9 => Input::path("/no/such/other.json"),
                _ => Input::path(good.path()),
            });
            let ended = Scan::new(inputs.collect::<Vec<_>>()).threads(threads).block_size(500).for_each(|_| ());
            let (input, action, offset, _) = failure(ended, "missing");
            assert_eq!((input.as_str(), action, offset), ("/no/such/file.json", "open", None), "{threads} threads");
        }
    }
}

#[test]
fn a_fault_before_a_missing_file_counts_and_one_behind_it_does_not() {
    let (good, bad) = (Text::new(records(300)), Text::new(b"{}\n{]\n".to_vec()));
    for threads in THREADS {
        let scan = |inputs: [&std::path::Path; 3]| Scan::new(inputs).threads(threads).block_size(500).for_each(|_| ());
        let missing = std::path::Path::new("/no/such/file.json");
        assert_eq!(fault(scan([good.path(), bad.path(), missing]), "").place().line(), Some(2));
        assert_eq!(failure(scan([good.path(), missing, bad.path()]), "").1, "open");
    }
}

#[test]
fn a_directory_is_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let error = Scan::new(dir.path()).for_each(|_| ()).unwrap_err();
    let expected = format!("{}: cannot open: it is a directory; name the files in it", dir.path().display());
    assert_eq!(error.to_string(), expected);
}

/// Scans two files on one thread: the first record of the first runs `change`, when the second is not yet read.
fn changed(text: &Text, block: usize, change: impl Fn() + Sync) -> Result<ndskim::Outcome<Vec<Vec<u8>>>, Error> {
    let changed = std::sync::Once::new();
    Scan::new(text.path()).threads(1).block_size(block).map(|record| {
        changed.call_once(&change);
        record.text().to_vec()
    })
}

#[test]
fn a_file_that_shrinks_is_an_error_after_the_records_before() {
    for block in [64, 160, 1000, 1600] {
        let text = Text::new(records(1000));
        let file = OpenOptions::new().write(true).open(text.path()).unwrap();
        // The scan is in the first block; the file now ends inside record 200.
        let seen = std::sync::atomic::AtomicU64::new(0);
        let once = std::sync::Once::new();
        let ended = Scan::new(text.path()).threads(1).block_size(block).for_each(|_| {
            once.call_once(|| file.set_len(3205).unwrap());
            seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        let (input, action, offset, reason) = failure(ended, "shrunk");
        assert_eq!(
            (input, action, offset),
            (text.path().display().to_string(), "read", Some(3205)),
            "blocks of {block}"
        );
        assert_eq!(reason, "the file has become shorter", "blocks of {block}");
        assert_eq!(seen.into_inner(), 200, "blocks of {block}");
    }
}

#[test]
fn a_fault_before_the_end_of_a_shrunken_file_counts() {
    for block in [64, 160, 1000, 1600] {
        let mut bytes = records(1000);
        bytes[150 * 16] = b'[';
        let text = Text::new(bytes);
        let file = OpenOptions::new().write(true).open(text.path()).unwrap();
        let once = std::sync::Once::new();
        let ended = Scan::new(text.path()).threads(1).block_size(block).for_each(|_| {
            once.call_once(|| file.set_len(3205).unwrap());
        });
        assert_eq!(fault(ended, "shrunk").place().line(), Some(151), "blocks of {block}");
    }
}

#[test]
fn growth_renaming_and_removal_during_the_scan_do_no_harm() {
    let expected: Vec<_> = records(1000).split(|&b| b == b'\n').map(<[u8]>::to_vec).take(1000).collect();
    for format in [ndskim::Format::Lines, ndskim::Format::Concatenated] {
        let text = Text::new(records(1000));
        let path = text.path().to_owned();
        let once = std::sync::Once::new();
        let outcome = Scan::new(text.path()).format(format).threads(2).block_size(160).map(|record| {
            once.call_once(|| {
                let mut file = OpenOptions::new().append(true).open(&path).unwrap();
                file.write_all(b"not what it was\n").unwrap();
                std::fs::rename(&path, path.with_extension("renamed")).unwrap();
                std::fs::remove_file(path.with_extension("renamed")).unwrap();
            });
            record.text().to_vec()
        });
        assert_eq!(outcome.unwrap().value, expected, "{format:?}");
    }
}

#[test]
fn what_is_replaced_under_its_name_is_read_as_it_was() {
    let text = Text::new(records(1000));
    let path = text.path().to_owned();
    let outcome = changed(&text, 160, || {
        let other = path.with_extension("new");
        File::create(&other).unwrap().write_all(b"nope\n").unwrap();
        std::fs::rename(&other, &path).unwrap();
    });
    assert_eq!(outcome.unwrap().value.len(), 1000);
}

#[test]
fn a_concatenated_file_that_shrinks_is_an_error() {
    let text = Text::new(records(1000));
    let file = OpenOptions::new().write(true).open(text.path()).unwrap();
    let once = std::sync::Once::new();
    let scan = Scan::new(text.path()).format(ndskim::Format::Concatenated).threads(1).block_size(160);
    let ended = scan.for_each(|_| once.call_once(|| file.set_len(3205).unwrap()));
    let (_, action, offset, reason) = failure(ended, "shrunk");
    assert_eq!((action, offset, reason.as_str()), ("read", Some(3205), "the file has become shorter"));
}

#[test]
fn an_interrupted_read_is_tried_again() {
    let interrupted = || std::io::Error::from(std::io::ErrorKind::Interrupted);
    let steps = records(50).chunks(9).flat_map(|chunk| [Err(interrupted()), Ok(chunk.to_vec())]).collect::<Vec<_>>();
    let outcome = Scan::reader(Script::new(steps)).threads(2).block_size(100).for_each(|_| ()).unwrap();
    assert_eq!(outcome.stats.records, 50);
}

#[test]
fn a_named_pipe_is_read_as_a_stream() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let records = within(60, move || {
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || OpenOptions::new().write(true).open(pipe).unwrap().write_all(&records(500)).unwrap()
        });
        let outcome = Scan::new(&pipe).threads(2).block_size(1000).for_each(|_| ()).unwrap();
        writer.join().unwrap();
        outcome.stats.records
    });
    assert_eq!(records, 500);
}
