//! A reused buffer whose text is padded on both sides.

use std::io::{self, Read};

use crate::block::{PAD_AFTER, PAD_BEFORE, Padded};

/// Text with room to read a little before and behind it. The padding holds newlines.
///
/// Memory is initialised once and kept, so that refilling costs nothing but the reads.
#[derive(Default)]
pub(crate) struct Buffer {
    /// The padding, the text, and whatever was there before.
    bytes: Vec<u8>,
    length: usize,
}

impl Buffer {
    /// The text.
    pub(crate) fn text(&self) -> &[u8] {
        self.bytes.get(PAD_BEFORE..PAD_BEFORE + self.length).unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Forgets the text, and the memory too if it is much more than `usual` bytes, which one long record can cause.
    pub(crate) fn clear(&mut self, usual: usize) {
        self.length = 0;
        if self.bytes.len() / 4 > usual + PAD_BEFORE + PAD_AFTER {
            self.bytes = Vec::new();
        }
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(crate) fn extend(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.room(bytes.len())?.copy_from_slice(bytes);
        self.length += bytes.len();
        Ok(())
    }

    /// Appends bytes that are in memory already.
    pub(crate) fn copy(&mut self, bytes: &[u8]) {
        self.bytes.reserve(PAD_BEFORE + self.length + bytes.len() + PAD_AFTER);
        // With the memory at hand there is nothing to be refused.
        let _ = self.extend(bytes);
    }

    /// Appends what one call of `read` puts into a room of `size` bytes, and tells how much that was.
    pub(crate) fn fill(&mut self, size: usize, read: impl FnOnce(&mut [u8]) -> io::Result<usize>) -> io::Result<usize> {
        let count = read(self.room(size)?)?;
        self.length += count;
        Ok(count)
    }

    /// Appends up to `size` bytes from a reader; fewer only at its end.
    pub(crate) fn fill_from(&mut self, size: usize, reader: &mut (impl Read + ?Sized)) -> io::Result<usize> {
        let mut filled = 0;
        while filled < size {
            match self.fill(size - filled, |room| reader.read(room)) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Takes the text from `at` on away, as a slice that is gone with the next change.
    pub(crate) fn split_off(&mut self, at: usize) -> &[u8] {
        let end = self.length;
        self.length = at;
        &self.bytes[PAD_BEFORE + at..PAD_BEFORE + end]
    }

    /// The text from `start` to `end`, with padding around the whole.
    pub(crate) fn padded(&mut self, start: usize, end: usize) -> Padded<'_> {
        // There is room behind every text but that of a buffer that has never had one.
        if self.bytes.is_empty() {
            return Padded::empty();
        }
        let behind = PAD_BEFORE + self.length;
        self.bytes[behind..behind + PAD_AFTER].fill(b'\n');
        Padded::within(&self.bytes, PAD_BEFORE + start, PAD_BEFORE + end.min(self.length)).unwrap_or(Padded::empty())
    }

    /// Initialised room behind the text, with room for the padding behind that.
    ///
    /// # Errors
    /// There is no memory for it.
    fn room(&mut self, size: usize) -> io::Result<&mut [u8]> {
        let start = PAD_BEFORE + self.length;
        let needed = start.saturating_add(size).saturating_add(PAD_AFTER);
        if self.bytes.len() < needed {
            self.bytes.try_reserve_exact(needed - self.bytes.len()).map_err(|_| out_of_memory(needed))?;
            self.bytes.resize(needed, b'\n');
        }
        Ok(&mut self.bytes[start..start + size])
    }
}

fn out_of_memory(needed: usize) -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, format!("there is no memory for {needed} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_padding_is_newlines_whatever_was_there_before() {
        let mut buffer = Buffer::default();
        buffer.extend(&[b'x'; 1000]).unwrap();
        buffer.clear(1000);
        buffer.extend(b"abc").unwrap();
        let padded = buffer.padded(0, 3);
        assert_eq!(padded.text(), b"abc");
        assert!(
            buffer.bytes[..PAD_BEFORE].iter().chain(&buffer.bytes[PAD_BEFORE + 3..][..PAD_AFTER]).all(|&b| b == b'\n')
        );
    }

    #[test]
    fn text_is_split_and_goes_on() {
        let mut buffer = Buffer::default();
        buffer.fill_from(5, &mut &b"ab\ncdef"[..]).unwrap();
        assert_eq!(buffer.split_off(3), b"cd");
        assert_eq!(buffer.text(), b"ab\n");
        buffer.extend(b"z").unwrap();
        assert_eq!(buffer.text(), b"ab\nz");
    }

    #[test]
    fn memory_that_is_refused_is_an_error_and_the_text_stays() {
        let mut buffer = Buffer::default();
        buffer.extend(b"abc").unwrap();
        for size in [usize::MAX, isize::MAX as usize, isize::MAX as usize / 2] {
            let error = buffer.fill(size, |_| unreachable!()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        }
        assert_eq!(buffer.padded(0, 3).text(), b"abc");
    }
}
