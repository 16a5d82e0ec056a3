//! Lines in memory: blocks are slices of the bytes themselves, except at both ends, where padding has to be made by copying.

use std::ops::Range;

use super::Buffer;
use crate::block::{PAD_AFTER, PAD_BEFORE, Padded};
use crate::format::lines::first_start;

/// Bytes at the start and the end that make blocks of their own, so that little is copied.
pub(super) const EDGE: usize = 2 * (PAD_BEFORE + PAD_AFTER);

/// The byte ranges that blocks of lines are made for: a line belongs to the range in which it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranges {
    length: u64,
    block: u64,
    edge: u64,
}

impl Ranges {
    /// Ranges of `block` bytes.
    pub(super) fn even(length: u64, block: usize) -> Self {
        Self { length, block: block as u64, edge: 0 }
    }

    /// Ranges of `block` bytes between two short ones at the ends.
    pub(super) fn with_edges(length: usize, block: usize) -> Self {
        let edge = if length > 2 * EDGE { EDGE as u64 } else { 0 };
        Self { length: length as u64, block: block as u64, edge }
    }

    /// The range of one block; `None` behind the last.
    pub(super) fn get(self, block: u64) -> Option<(u64, u64)> {
        if self.edge == 0 {
            let start = block.checked_mul(self.block).filter(|&start| start < self.length)?;
            return Some((start, self.length.min(start.saturating_add(self.block))));
        }
        let last = self.length - self.edge;
        let start = match block {
            0 => return Some((0, self.edge)),
            _ => (block - 1).checked_mul(self.block)?.checked_add(self.edge)?,
        };
        match start.checked_sub(self.block) {
            _ if start < last => Some((start, last.min(start.saturating_add(self.block)))),
            // The range behind the last full one is the edge.
            Some(before) if before < last => Some((last, self.length)),
            None => Some((last, self.length)).filter(|_| block == 1),
            _ => None,
        }
    }
}

/// The lines that begin in `start..end`, where the bytes are or copied into `buffer`; with them their offset.
pub(super) fn read<'x>(bytes: &'x [u8], start: usize, end: usize, buffer: &'x mut Buffer) -> (Padded<'x>, usize) {
    let Some(first) = first_start(&bytes[..end], start).filter(|&first| first < end) else {
        return (Padded::empty(), start);
    };
    // A line that begins before `end` goes on to its newline, which may stand at `end - 1`.
    let stop = first_start(bytes, end).unwrap_or(bytes.len());
    (padded(bytes, first..stop, buffer), first)
}

/// A part of the bytes, where they are or copied into `buffer`.
pub(super) fn padded<'x>(bytes: &'x [u8], range: Range<usize>, buffer: &'x mut Buffer) -> Padded<'x> {
    match Padded::within(bytes, range.start, range.end) {
        Some(padded) => padded,
        None => {
            buffer.copy(&bytes[range]);
            let length = buffer.len();
            buffer.padded(0, length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(ranges: Ranges) -> Vec<(u64, u64)> {
        (0..).map_while(|block| ranges.get(block)).collect()
    }

    #[test]
    fn ranges_cover_the_bytes_once() {
        for length in [0, 1, 63, 64, 65, 640, 1279, 1280, 1281, 1290, 5000, 100_000] {
            for block in [1, 7, 64, 1000, 1 << 20] {
                for ranges in [Ranges::even(length as u64, block), Ranges::with_edges(length, block)] {
                    let all = all(ranges);
                    let mut at = 0;
                    for (start, end) in all {
                        assert!(start == at && end > start, "{length} {block}");
                        at = end;
                    }
                    assert_eq!(at, length as u64, "{length} {block}");
                }
            }
        }
    }

    /// A line belongs to the range in which it begins, and to no other.
    #[test]
    fn every_line_is_read_once() {
        for text in ["", "\n", "ab\ncd\n", "ab\n\n\ncdefgh\nij", "a line that is longer than most blocks\nb\nc\n\n"] {
            let bytes = text.as_bytes();
            for block in 1..=text.len() + 1 {
                let mut whole = Vec::new();
                for (start, end) in all(Ranges::even(bytes.len() as u64, block)) {
                    let mut buffer = Buffer::default();
                    let (lines, at) = read(bytes, start as usize, end as usize, &mut buffer);
                    let lines = lines.text();
                    if !lines.is_empty() {
                        assert!((start..end).contains(&(at as u64)), "{text:?} in blocks of {block}");
                        assert!(at == 0 || bytes[at - 1] == b'\n', "{text:?} in blocks of {block}");
                        assert_eq!(at, whole.len());
                    }
                    whole.extend_from_slice(lines);
                }
                assert_eq!(whole, bytes, "{text:?} in blocks of {block}");
            }
        }
    }

    #[test]
    fn little_is_copied_at_the_ends() {
        let (edge, long) = (EDGE as u64, 100_000);
        let ranges = all(Ranges::with_edges(long, 10_000));
        assert_eq!((ranges[0], *ranges.last().unwrap()), ((0, edge), (long as u64 - edge, long as u64)));
        assert_eq!(all(Ranges::with_edges(2 * EDGE - 1, 10_000)), [(0, 2 * edge - 1)]);
    }
}
