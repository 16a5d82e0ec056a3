//! Lines of a regular file, read by `pread`: every worker reads its own blocks, and no two wait for each other.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use super::{Buffer, too_long};

/// Bytes that are read with a block, for the end of its last line; with smaller blocks no more than the block has.
const AHEAD: u64 = 8 << 10;

/// Bytes read at once to find the end of a line that goes on behind those.
const PROBE: usize = 64 << 10;

/// What was read of a file into a buffer: lines, from an offset in the buffer on.
pub(super) struct Lines {
    pub(super) skip: usize,
    /// The offset of the first line in the file.
    pub(super) offset: u64,
    /// Why and where reading failed behind these lines.
    pub(super) failed: Option<Failed>,
}

/// Where reading failed, and why.
type Failed = (u64, io::Error);

/// Reads the lines that begin in `start..end` of a file of `length` bytes into `buffer`; none may be longer than `most` bytes.
///
/// The length is that of when the file was opened: what is appended later is not read, and a file that has become shorter is
/// an error, after the whole lines that are left.
pub(super) fn read(file: &File, length: u64, (start, end): (u64, u64), most: u64, buffer: &mut Buffer) -> Lines {
    // The byte before tells whether a line begins at `start`.
    let from = start.saturating_sub(1);
    let ahead = length.min(end.saturating_add(AHEAD.min(end - start)));
    let mut failed = read_at(file, from, (ahead - from) as usize, buffer).err();
    let skip = match start {
        0 => 0,
        _ => match memchr::memchr(b'\n', buffer.text()) {
            Some(newline) if from + (newline as u64) + 1 < end => newline + 1,
            _ => {
                // What failed behind the block is not this block's.
                failed = failed.filter(|(at, _)| *at < end);
                return Lines { skip: buffer.len(), offset: end, failed };
            }
        },
    };
    let last = (end - from - 1) as usize;
    if failed.as_ref().is_none_or(|(at, _)| *at >= end) {
        failed = end_of_last(file, length, from, last, most, buffer).err();
    }
    if failed.is_some() {
        let whole = memchr::memrchr(b'\n', &buffer.text()[skip..]).map_or(0, |newline| newline + 1);
        buffer.split_off(skip + whole);
    }
    Lines { skip, offset: from + skip as u64, failed }
}

/// Sees to it that `buffer`, which was read at `from` and has the byte at `last`, ends with the end of the line that this
/// byte is in.
fn end_of_last(file: &File, length: u64, from: u64, last: usize, most: u64, buffer: &mut Buffer) -> Result<(), Failed> {
    let text = buffer.text();
    let begun = from + memchr::memrchr(b'\n', &text[..last]).map_or(0, |newline| newline as u64 + 1);
    let too_long = || (begun, too_long(most));
    if let Some(newline) = memchr::memchr(b'\n', &text[last..]) {
        let is_short = from + (last + newline) as u64 - begun <= most;
        buffer.split_off(if is_short { last + newline + 1 } else { (begun - from) as usize });
        return if is_short { Ok(()) } else { Err(too_long()) };
    }
    let read = from + buffer.len() as u64;
    let stop = match line_end(file, read, length.min(begun.saturating_add(most).saturating_add(1)))? {
        Some(stop) => stop,
        None if length - begun <= most => length,
        None => return Err(too_long()),
    };
    read_at(file, read, (stop - read) as usize, buffer)
}

/// The offset behind the first newline at or after `from` and before `length`, if there is one. The line is looked through
/// before room is made for it, so that a very long one is never copied from a smaller buffer to a larger.
fn line_end(file: &File, from: u64, length: u64) -> Result<Option<u64>, Failed> {
    let mut probe = Buffer::default();
    let mut at = from;
    while at < length {
        probe.clear(PROBE);
        let read = read_at(file, at, PROBE.min((length - at) as usize), &mut probe);
        if let Some(newline) = memchr::memchr(b'\n', probe.text()) {
            return Ok(Some(at + newline as u64 + 1));
        }
        read?;
        at += probe.len() as u64;
    }
    Ok(None)
}

fn read_at(file: &File, at: u64, size: usize, buffer: &mut Buffer) -> Result<(), Failed> {
    let mut done = 0;
    while done < size {
        let at = at + done as u64;
        match buffer.fill(size - done, |room| file.read_at(room, at)) {
            Ok(0) => return Err((at, shorter())),
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err((at, error)),
        }
    }
    Ok(())
}

fn shorter() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter")
}

/// A regular file that is read from front to back, up to the length that it had when it was opened.
pub(super) struct Sequential {
    file: File,
    left: u64,
}

impl Sequential {
    pub(super) fn new(file: File, length: u64) -> Self {
        Self { file, left: length }
    }
}

impl Read for Sequential {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(room.len());
        if wanted == 0 {
            return Ok(0);
        }
        match self.file.read(&mut room[..wanted])? {
            0 => Err(shorter()),
            count => {
                self.left -= count as u64;
                Ok(count)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_an_error_with_its_place_behind_the_lines_before() {
        let path = std::env::temp_dir().join(format!("ndskim-lines-{}", std::process::id()));
        // Whether the line at byte 3 of so many bytes, with a newline or at the end of the file, is too long for a most of
        // 20. What is read with the block ends at byte 16: lines end before it, at it, and behind it.
        let within =
            [(12, "\n1\n", false), (13, "\n1\n", false), (14, "\n1\n", false), (12, "", false), (13, "", false)];
        let beyond = [(20, "\n1\n", false), (21, "\n1\n", true), (20, "", false), (21, "", true), (90, "", true)];
        for (line, end, long) in within.into_iter().chain(beyond) {
            let text = format!("10\n{}{end}", "2".repeat(line));
            std::fs::write(&path, &text).unwrap();
            let mut buffer = Buffer::default();
            let lines = read(&File::open(&path).unwrap(), text.len() as u64, (0, 8), 20, &mut buffer);
            assert_eq!(lines.failed.as_ref().map(|failed| failed.0), long.then_some(3), "{line} {end:?}");
            let expected = if long { "10\n" } else { text.strip_suffix("1\n").unwrap_or(&text) };
            assert_eq!(buffer.text(), expected.as_bytes(), "{line} {end:?}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_missing_behind_a_block_fails_the_block_that_it_is_in() {
        let path = std::env::temp_dir().join(format!("ndskim-shorter-{}", std::process::id()));
        std::fs::write(&path, "10\n222\n3").unwrap();
        let file = File::open(&path).unwrap();
        // Blocks of a file that was opened when it was longer, what their lines are, and where they fail.
        let blocks: [(_, &[u8], _); 5] = [
            ((0, 6), b"10\n222\n", None),
            ((4, 6), b"", None),
            ((4, 7), b"", None),
            ((4, 8), b"", Some(8)),
            ((0, 8), b"10\n222\n", Some(8)),
        ];
        for (block, expected, place) in blocks {
            let mut buffer = Buffer::default();
            let lines = read(&file, 100, block, 1000, &mut buffer);
            assert_eq!(
                (&buffer.text()[lines.skip..], lines.failed.map(|failed| failed.0)),
                (expected, place),
                "{block:?}"
            );
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_line_may_be_too_long_for_its_limit_and_yet_be_read_with_its_block() {
        let path = std::env::temp_dir().join(format!("ndskim-limit-{}", std::process::id()));
        std::fs::write(&path, "10\n222222\n3\n").unwrap();
        let limits: [(_, _, &[u8]); 2] = [(6, None, b"10\n222222\n"), (5, Some(3), b"10\n")];
        for (most, place, text) in limits {
            let mut buffer = Buffer::default();
            let lines = read(&File::open(&path).unwrap(), 12, (0, 8), most, &mut buffer);
            assert_eq!((lines.failed.map(|failed| failed.0), buffer.text()), (place, text));
        }
        std::fs::remove_file(&path).unwrap();
    }
}
