//! Stopping: a closure that has seen enough, a flag from outside, and what of the input is read after that.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use ndskim::{Cancel, Error, Scan};

use super::support::{Text, within};

/// A line of 16 bytes.
const LINE: &[u8] = b"{\"line\":\"0123\"}\n";

/// Something that happens once and can be waited for.
#[derive(Default)]
struct Event(Mutex<bool>, Condvar);

impl Event {
    fn set(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }

    fn wait(&self) {
        let (guard, timeout) =
            self.1.wait_timeout_while(self.0.lock().unwrap(), Duration::from_secs(30), |set| !*set).unwrap();
        drop(guard);
        assert!(!timeout.timed_out(), "what was waited for did not happen");
    }
}

/// The bytes of a block: more than is looked at of an input before it is read.
const BLOCK: usize = 2000 * LINE.len();

/// Lines without end: the first block is there at once, the next only after an event.
#[derive(Clone, Default)]
struct Endless {
    given: Arc<AtomicUsize>,
    second: Arc<Event>,
    event: Arc<Event>,
}

impl Endless {
    /// Waits until the second block is being read, and leaves other workers the time to queue up behind that.
    fn wait_for_second(&self) {
        self.second.wait();
        std::thread::sleep(Duration::from_millis(50));
    }
}

impl Read for Endless {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let given = self.given.load(Ordering::SeqCst);
        if given >= BLOCK {
            self.second.set();
            self.event.wait();
        }
        room.iter_mut().enumerate().for_each(|(n, byte)| *byte = LINE[(given + n) % LINE.len()]);
        self.given.fetch_add(room.len(), Ordering::SeqCst);
        Ok(room.len())
    }
}

#[test]
fn a_closure_that_breaks_stops_the_reading() {
    for threads in [1, 2, 64] {
        let given = within(60, move || {
            let lines = Endless::default();
            let outcome = Scan::reader(lines.clone())
                .threads(threads)
                .block_size(BLOCK)
                // The first block has ended, and with it the scan, before the second is there.
                .progress(|_| lines.event.set())
                .for_each(|_| {
                    if threads > 1 {
                        lines.wait_for_second();
                    }
                    ControlFlow::Break(())
                })
                .unwrap();
            assert!(outcome.stats.stopped);
            lines.given.load(Ordering::SeqCst)
        });
        // One worker can be in the middle of a read; those that wait for it must not read on.
        assert!(given <= 2 * BLOCK, "{threads} threads: {given} bytes");
    }
}

#[test]
fn a_closure_that_breaks_is_handed_no_later_records_of_its_block() {
    for threads in [1, 2, 64] {
        let text = Text::new(LINE.repeat(1000));
        let (seen, blocks) = (AtomicU64::new(0), AtomicU64::new(0));
        let outcome = text
            .scan(super::support::Way::Blocks)
            .threads(threads)
            .block_size(160)
            .progress(|_| {
                blocks.fetch_add(1, Ordering::Relaxed);
            })
            .for_each(|_| {
                seen.fetch_add(1, Ordering::Relaxed);
                ControlFlow::Break(())
            })
            .unwrap();
        assert!(outcome.stats.stopped);
        assert_eq!(seen.into_inner(), blocks.into_inner());
        assert!(outcome.stats.records < 1000);
    }
}

#[test]
fn a_fold_that_breaks_keeps_what_it_has() {
    let text = LINE.repeat(1000);
    let outcome = Scan::bytes(&text)
        .threads(1)
        .fold(
            || 0,
            |count, _| {
                *count += 1;
                if *count == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
            |a, b| a + b,
        )
        .unwrap();
    assert_eq!((outcome.value, outcome.stats.records, outcome.stats.stopped), (10, 10, true));
}

#[test]
fn a_fault_before_the_break_still_counts_and_one_behind_it_does_not() {
    let mut bytes = LINE.repeat(100);
    bytes.extend_from_slice(b"{\"bad\"}\n");
    bytes.extend(LINE.repeat(100));
    bytes.extend_from_slice(b"{\"break\":1}\n");
    bytes.extend(LINE.repeat(100));
    let breaks = |record: ndskim::Record<'_>| match record.get("break").unwrap() {
        Some(_) => ControlFlow::Break(()),
        None => ControlFlow::Continue(()),
    };
    let text = Text::new(bytes.clone());
    text.each(|scan, name| {
        let fault = super::support::fault(scan.for_each(breaks), name);
        assert_eq!((fault.place().line(), fault.place().column()), (Some(101), 7), "{name}");
    });
    // The other way round.
    let at = bytes.windows(7).position(|window| window == b"{\"bad\"}").unwrap();
    bytes[at..at + 8].copy_from_slice(b"{\"b\": 1}");
    bytes[at + 8 - 1] = b'\n';
    bytes[at..at + 7].copy_from_slice(b"{\"b\":1}");
    bytes.extend_from_slice(b"{\"bad\"}\n");
    let text = Text::new(bytes);
    text.each(|scan, name| assert!(scan.for_each(breaks).expect(name).stats.stopped, "{name}"));
}

#[test]
fn cancelling_stops_within_a_block() {
    for threads in [1, 2, 64] {
        let (given, seen) = within(60, move || {
            let lines = Endless::default();
            let (cancel, seen) = (Cancel::new(), AtomicU64::new(0));
            let scan = Scan::reader(lines.clone()).threads(threads).block_size(BLOCK).cancel_with(&cancel);
            let ended = scan.for_each(|_| {
                if threads > 1 && seen.fetch_add(1, Ordering::Relaxed) == 0 {
                    lines.wait_for_second();
                }
                cancel.cancel();
                lines.event.set();
            });
            assert!(matches!(ended, Err(Error::Cancelled)));
            (lines.given.load(Ordering::SeqCst), seen.into_inner())
        });
        // The block under way is finished, and one read that was under way.
        assert!(given <= 2 * BLOCK, "{threads} threads: {given} bytes");
        assert!(seen <= 4000, "{threads} threads: {seen} records");
    }
}

#[test]
fn cancelling_ends_blocks_and_map_blocks_too() {
    let text = LINE.repeat(1000);
    let cancel = Cancel::new();
    let mut blocks = Scan::bytes(&text).block_size(160).cancel_with(&cancel).blocks();
    assert!(blocks.next().unwrap().is_some());
    cancel.cancel();
    assert!(matches!(blocks.next(), Err(Error::Cancelled)));

    let (cancel, handed_on) = (Cancel::new(), AtomicBool::new(false));
    let ended = Scan::bytes(&text).threads(2).block_size(160).cancel_with(&cancel).map_blocks(
        |_| (),
        |(), _| {
            handed_on.store(true, Ordering::Relaxed);
            cancel.cancel();
        },
    );
    assert!(matches!(ended, Err(Error::Cancelled)));
    assert!(handed_on.into_inner());
}

#[test]
fn the_progress_callback_hears_of_everything() {
    let mut bytes = LINE.repeat(1000);
    bytes.extend_from_slice(b"nope\n");
    let text = Text::new(bytes);
    text.each(|scan, name| {
        let last = Mutex::new((0, 0, 0, 0));
        let scan = scan.on_fault(ndskim::OnFault::Skip).progress(|progress| {
            let mut last = last.lock().unwrap();
            *last = (*last).max((progress.bytes, progress.read, progress.records, progress.rejected));
        });
        scan.for_each(|_| ()).unwrap();
        let length = text.bytes.len() as u64;
        assert_eq!(last.into_inner().unwrap(), (length, length, 1000, 1), "{name}");
    });
}

#[cfg(feature = "gzip")]
#[test]
fn progress_through_a_compressed_file_is_told_by_the_position_in_it() {
    use std::io::Write;
    // Digits that look random, so that the file is many times longer than what is read of it at once.
    let line = |n: u64| format!("{{\"n\":\"{:x}{:x}\"}}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15), n.wrapping_pow(7));
    let text: String = (1..60_000).map(line).collect();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let stored = encoder.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("text.gz");
    std::fs::write(&path, &stored).unwrap();
    for threads in [1, 2, 8] {
        let heard = Mutex::new(Vec::new());
        let scan = Scan::new(&path).threads(threads).block_size(50_000);
        scan.progress(|progress| heard.lock().unwrap().push((progress.bytes, progress.read))).for_each(|_| ()).unwrap();
        let heard = heard.into_inner().unwrap();
        let most = *heard.iter().max().unwrap();
        assert_eq!(most, (text.len() as u64, stored.len() as u64), "{threads} threads");
        let between = heard.iter().filter(|(_, read)| (1..stored.len() as u64).contains(read)).count();
        assert!(between > 5, "{threads} threads: {heard:?}");
    }
}
