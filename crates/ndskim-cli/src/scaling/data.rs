//! What a sweep reads: files in memory, or files as they are; and how fast their bytes can be read if nothing else is done.
//!
//! Bytes are loaded before any clock starts, by all threads at once, and unpacked if they are compressed. The plain read is the
//! ceiling that no scan of the same bytes on as many threads can be above.

use std::fs::File;
use std::hint::black_box;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use ndskim::{Cancel, Input, Scan};

use crate::exit::Failure;
use crate::watch::plain_length;

/// Bytes that a thread reads at once, as many as a block of a scan has.
const PART: usize = 1 << 20;

/// The files of a sweep.
pub(super) enum Data {
    /// Their names and their text.
    Memory(Vec<(String, Vec<u8>)>),
    /// Their paths, and their lengths if all are stored as they are.
    Files(Vec<PathBuf>, Option<Vec<u64>>),
}

/// A stretch of a file.
#[derive(Clone, Copy)]
struct Part {
    file: usize,
    start: u64,
    length: usize,
}

impl Data {
    /// The files, loaded into memory unless they are to be read each time.
    ///
    /// # Errors
    /// A file cannot be read, or cannot be read twice, or there is nothing in them.
    pub(super) fn open(files: &[PathBuf], from_file: bool, cancel: &Cancel) -> Result<Self, Failure> {
        for path in files {
            let fail = |reason: String| Failure::Other(format!("{}: {reason}", path.display()));
            let metadata = std::fs::metadata(path).map_err(|error| fail(format!("cannot read: {error}")))?;
            if !metadata.is_file() {
                return Err(fail("it is no regular file, and a sweep reads its input again and again".to_owned()));
            }
        }
        let lengths: Option<Vec<u64>> = files.iter().map(|path| plain_length(path)).collect();
        let data = if from_file {
            Self::Files(files.to_vec(), lengths)
        } else {
            let load = |path: &PathBuf| Ok((path.display().to_string(), load(path, cancel)?));
            Self::Memory(files.iter().map(load).collect::<Result<_, Failure>>()?)
        };
        let empty = match &data {
            Self::Memory(texts) => texts.iter().all(|(_, text)| text.is_empty()),
            Self::Files(_, lengths) => {
                lengths.as_ref().is_some_and(|lengths| lengths.iter().all(|&length| length == 0))
            }
        };
        if empty { Err(Failure::Other("there is nothing to measure: the input is empty".to_owned())) } else { Ok(data) }
    }

    /// A scan of the files.
    pub(super) fn scan(&self) -> Scan<'_> {
        match self {
            Self::Memory(texts) => {
                let inputs = texts.iter().map(|(name, text)| Input::bytes(text).named(name.as_str()));
                Scan::new(inputs.collect::<Vec<_>>())
            }
            Self::Files(paths, _) => Scan::new(&**paths),
        }
    }

    /// The seconds that so many threads take to read all bytes and add up their words; `None` for compressed files, whose bytes
    /// are not those of the text.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn read(&self, threads: usize) -> io::Result<Option<f64>> {
        Ok(match self {
            Self::Memory(texts) => {
                let parts = parts(texts.iter().map(|(_, text)| text.len() as u64));
                let read = |part: Part, _: &mut Vec<u8>| {
                    let start = part.start as usize;
                    Ok(words(&texts[part.file].1[start..start + part.length]))
                };
                Some(in_parallel(threads, &parts, read)?)
            }
            Self::Files(_, None) => None,
            Self::Files(paths, Some(lengths)) => {
                let files = paths.iter().map(File::open).collect::<io::Result<Vec<_>>>()?;
                let parts = parts(lengths.iter().copied());
                let read = |part: Part, buffer: &mut Vec<u8>| {
                    buffer.resize(PART, 0);
                    files[part.file].read_exact_at(&mut buffer[..part.length], part.start)?;
                    Ok(words(&buffer[..part.length]))
                };
                Some(in_parallel(threads, &parts, read)?)
            }
        })
    }
}

/// A file's text: as it is by all threads, or unpacked by one.
fn load(path: &Path, cancel: &Cancel) -> Result<Vec<u8>, Failure> {
    if plain_length(path).is_some() {
        let fail = |error| Failure::Other(format!("{}: cannot read: {error}", path.display()));
        return ndskim::load(path).map_err(fail);
    }
    let mut text = Vec::new();
    let mut blocks = Scan::new(path).cancel_with(cancel).blocks();
    while let Some(block) = blocks.next()? {
        text.extend_from_slice(block.bytes());
    }
    Ok(text)
}

fn parts(lengths: impl Iterator<Item = u64>) -> Vec<Part> {
    let of_file = |(file, length): (usize, u64)| {
        (0..length).step_by(PART).map(move |start| Part {
            file,
            start,
            length: (length - start).min(PART as u64) as usize,
        })
    };
    lengths.enumerate().flat_map(of_file).collect()
}

/// The seconds that threads take to read all parts, each taking the next that nobody has taken.
fn in_parallel(
    threads: usize,
    parts: &[Part],
    read: impl Fn(Part, &mut Vec<u8>) -> io::Result<u64> + Sync,
) -> io::Result<f64> {
    let (next, total) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = || {
        let (mut sum, mut buffer) = (0_u64, Vec::new());
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            sum = sum.wrapping_add(read(*part, &mut buffer)?);
        }
        total.fetch_add(sum, Ordering::Relaxed);
        Ok(())
    };
    let start = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended =
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.collect::<io::Result<()>>()
    })?;
    let seconds = start.elapsed().as_secs_f64();
    black_box(total);
    Ok(seconds)
}

/// The sum of all words of 64 bits, and of the bytes behind the last; eight sums at a time, so that none waits for another.
fn words(bytes: &[u8]) -> u64 {
    let (vectors, rest) = bytes.as_chunks::<64>();
    let mut sums = [0_u64; 8];
    for vector in vectors {
        let (words, _) = vector.as_chunks::<8>();
        sums.iter_mut().zip(words).for_each(|(sum, word)| *sum = sum.wrapping_add(u64::from_le_bytes(*word)));
    }
    let rest = rest.iter().map(|&byte| u64::from(byte));
    sums.into_iter().chain(rest).fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_are_read_once() {
        assert_eq!((words(b""), words(b"\x01\x02\x03")), (0, 6));
        let text: Vec<u8> = (1..=20_u64).flat_map(u64::to_le_bytes).chain([5, 5]).collect();
        // The first 16 words whole, then the other four byte by byte, which is the same for small numbers.
        assert_eq!(words(&text), 210 + 10);
    }

    #[test]
    fn every_part_is_read_by_some_thread() {
        let lengths = [0, 1, PART as u64, PART as u64 + 1];
        let parts = parts(lengths.into_iter());
        assert_eq!(parts.iter().map(|part| part.length as u64).sum::<u64>(), lengths.iter().sum::<u64>());
        for threads in [1, 3, 8] {
            let seen = AtomicUsize::new(0);
            let seconds = in_parallel(threads, &parts, |part, _| {
                seen.fetch_add(part.length, Ordering::Relaxed);
                Ok(0)
            });
            assert!(seconds.unwrap() >= 0.0);
            assert_eq!(seen.into_inner(), 2 * PART + 2);
            assert!(in_parallel(threads, &parts, |_, _| Err(io::Error::other("no"))).is_err());
        }
    }
}
