//! Lines of a regular file, read by `pread`: every worker reads its own blocks, and no two wait for each other.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use super::{Buffer, too_long};

/// Bytes read at once to find the end of a line that goes on behind its block.
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
    let mut failed = read_at(file, from, (end - from) as usize, buffer).err();
    let skip = match start {
        0 => 0,
        _ => match memchr::memchr(b'\n', buffer.text()) {
            Some(newline) if from + (newline as u64) + 1 < end => newline + 1,
            _ => return Lines { skip: buffer.len(), offset: end, failed },
        },
    };
    if failed.is_none() && end < length && buffer.text().last() != Some(&b'\n') {
        let begun = from + memchr::memrchr(b'\n', buffer.text()).map_or(0, |newline| newline as u64 + 1);
        let stop = line_end(file, end, length.min(begun.saturating_add(most).saturating_add(1)));
        let stop = stop.and_then(|stop| match stop {
            Some(stop) => Ok(stop),
            None if length - begun <= most => Ok(length),
            None => Err((begun, too_long(most))),
        });
        failed = stop.and_then(|stop| read_at(file, end, (stop - end) as usize, buffer)).err();
    }
    if failed.is_some() {
        let whole = memchr::memrchr(b'\n', &buffer.text()[skip..]).map_or(0, |newline| newline + 1);
        buffer.split_off(skip + whole);
    }
    Lines { skip, offset: from + skip as u64, failed }
}

/// The offset behind the first newline at or after `from` and before `length`, if there is one. The line is looked through before room is made for it, so that a
/// very long one is never copied from a smaller buffer to a larger.
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
        // Whether the line at byte 3 of so many bytes, with a newline or at the end of the file, is too long for a most of 20.
        for (line, end, long) in
            [(20, "\n1\n", false), (21, "\n1\n", true), (20, "", false), (21, "", true), (90, "", true)]
        {
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
}
