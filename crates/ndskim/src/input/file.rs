//! Lines of a regular file, read by `pread`: every worker reads its own blocks, and no two wait for each other.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::Buffer;

/// Bytes read at once to find the end of a line that goes on behind its block.
const PROBE: usize = 64 << 10;

/// Reads the lines that begin in `start..end` of a file of `length` bytes into `buffer`; tells the offset of the first.
///
/// The length is that of when the file was opened: what is appended later is not read, and a file that has become shorter is
/// an error.
pub(super) fn read(
    file: &File,
    length: u64,
    start: u64,
    end: u64,
    buffer: &mut Buffer,
) -> io::Result<Option<(usize, u64)>> {
    // The byte before tells whether a line begins at `start`.
    let from = start.saturating_sub(1);
    read_at(file, from, (end - from) as usize, buffer)?;
    let skip = match start {
        0 => 0,
        _ => match memchr::memchr(b'\n', buffer.text()) {
            Some(newline) if from + (newline as u64) + 1 < end => newline + 1,
            _ => return Ok(None),
        },
    };
    if end < length && buffer.text().last() != Some(&b'\n') {
        let stop = line_end(file, end, length)?;
        read_at(file, end, (stop - end) as usize, buffer)?;
    }
    Ok(Some((skip, from + skip as u64)))
}

/// The offset behind the first newline at or after `from`. The line is looked through before room is made for it, so that a
/// very long one is never copied from a smaller buffer to a larger.
fn line_end(file: &File, from: u64, length: u64) -> io::Result<u64> {
    let mut probe = Buffer::default();
    let mut at = from;
    while at < length {
        probe.clear(PROBE);
        read_at(file, at, PROBE.min((length - at) as usize), &mut probe)?;
        if let Some(newline) = memchr::memchr(b'\n', probe.text()) {
            return Ok(at + newline as u64 + 1);
        }
        at += probe.len() as u64;
    }
    Ok(length)
}

fn read_at(file: &File, at: u64, size: usize, buffer: &mut Buffer) -> io::Result<()> {
    let mut done = 0;
    while done < size {
        match buffer.fill(size - done, |room| file.read_at(room, at + done as u64)) {
            Ok(0) => {
                let message = format!("the file has become shorter: it ends at byte {}", at + done as u64);
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
            }
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
