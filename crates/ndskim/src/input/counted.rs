//! How much was read of the inputs as they are stored, so that progress through compressed files can be told: their length is
//! known, that of their text is not.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes read of all inputs of a scan, before decompression.
#[derive(Clone, Debug, Default)]
pub(super) struct BytesRead(Arc<AtomicU64>);

impl BytesRead {
    pub(super) fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// A reader that adds what is read through it.
    pub(super) fn counting<'s>(&self, reader: impl Read + Send + 's) -> Box<dyn Read + Send + 's> {
        Box::new(Counted { reader, read: self.clone() })
    }
}

struct Counted<R> {
    reader: R,
    read: BytesRead,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(room)?;
        self.read.add(count as u64);
        Ok(count)
    }
}
