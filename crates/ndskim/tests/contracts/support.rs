//! What the tests share: every way to scan a text, readers that misbehave, and a watchdog.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use ndskim::{Engine, Error, Fault, Input, Reading, Scan};

pub(crate) const THREADS: [usize; 4] = [1, 2, 8, 64];
pub(crate) const BLOCKS: [usize; 5] = [64, 100, 1000, 64 << 10, 8 << 20];
pub(crate) const ENGINES: [Engine; 3] = [Engine::Auto, Engine::Exact, Engine::SimdJson];

/// A text that can be scanned in every way, under one name.
pub(crate) struct Text {
    pub(crate) bytes: Vec<u8>,
    path: PathBuf,
    _dir: tempfile::TempDir,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    Blocks,
    Map,
    Bytes,
    Reader,
    /// A reader that gives a few bytes at a time.
    Trickle,
}

pub(crate) const WAYS: [Way; 5] = [Way::Blocks, Way::Map, Way::Bytes, Way::Reader, Way::Trickle];

impl Text {
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let (bytes, dir) = (bytes.into(), tempfile::tempdir().unwrap());
        let path = dir.path().join("text.json");
        std::fs::write(&path, &bytes).unwrap();
        Self { bytes, path, _dir: dir }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn input(&self, way: Way) -> Input<'_> {
        let input = match way {
            Way::Blocks | Way::Map => Input::path(&self.path),
            Way::Bytes => Input::bytes(&self.bytes),
            Way::Reader => Input::reader(&self.bytes[..]),
            Way::Trickle => Input::reader(Script::new(self.bytes.chunks(7).map(|chunk| Ok(chunk.to_vec())))),
        };
        input.named("text")
    }

    /// A scan of the text.
    pub(crate) fn scan(&self, way: Way) -> Scan<'_> {
        Scan::new(self.input(way)).reading(reading(way))
    }

    /// Every way to scan the text: the scan, and what to call it where it goes wrong.
    pub(crate) fn each(&self, mut test: impl FnMut(Scan<'_>, &str) + Send) {
        for threads in THREADS {
            self.each_on(threads, &mut test);
        }
    }

    /// Every way to scan the text on so many threads.
    pub(crate) fn each_on(&self, threads: usize, mut test: impl FnMut(Scan<'_>, &str) + Send) {
        // One pool for all: a pool for each scan costs more than the scans.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for block in BLOCKS {
            for engine in ENGINES {
                for way in WAYS {
                    let scan = self.scan(way).block_size(block).engine(engine);
                    let name = format!("{threads} threads, blocks of {block}, {engine:?}, {way:?}");
                    pool.install(|| test(scan, &name));
                }
            }
        }
    }
}

pub(crate) fn reading(way: Way) -> Reading {
    match way {
        // SAFETY: the tests own their files, and do not change those that they map.
        Way::Map => unsafe { Reading::map() },
        _ => Reading::blocks(),
    }
}

/// A reader that plays a script: bytes, or an error.
pub(crate) struct Script {
    steps: VecDeque<io::Result<Vec<u8>>>,
}

impl Script {
    pub(crate) fn new(steps: impl IntoIterator<Item = io::Result<Vec<u8>>>) -> Self {
        Self { steps: steps.into_iter().collect() }
    }
}

impl Read for Script {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let mut bytes = match self.steps.pop_front() {
            None => return Ok(0),
            Some(step) => step?,
        };
        let count = room.len().min(bytes.len());
        room[..count].copy_from_slice(&bytes[..count]);
        let rest = bytes.split_off(count);
        if !rest.is_empty() {
            self.steps.push_front(Ok(rest));
        }
        Ok(count)
    }
}

/// A broken device.
pub(crate) fn broken() -> io::Error {
    io::Error::other("the device is on fire")
}

/// Input name, line, column, byte, reason: all that a fault says of its place.
pub(crate) fn place(fault: &Fault) -> (String, Option<u64>, u64, u64, String) {
    let place = fault.place();
    (place.input().to_owned(), place.line(), place.column(), place.offset(), fault.reason().to_string())
}

/// The fault that ended a scan.
pub(crate) fn fault<T>(ended: Result<T, Error>, name: &str) -> Fault {
    match ended {
        Err(Error::Fault(fault)) => fault,
        Err(other) => panic!("{name}: not a fault: {other}"),
        Ok(_) => panic!("{name}: no fault"),
    }
}

/// Runs a test that could hang, and fails it if it does. What it panics with goes on.
pub(crate) fn within<R: Send + 'static>(seconds: u64, test: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = channel();
    let thread = std::thread::spawn(move || drop(sender.send(test())));
    match receiver.recv_timeout(Duration::from_secs(seconds)) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("no end after {seconds} s"),
        Err(RecvTimeoutError::Disconnected) => match thread.join() {
            Err(payload) => std::panic::resume_unwind(payload),
            Ok(()) => unreachable!("the test neither ended nor panicked"),
        },
    }
}
