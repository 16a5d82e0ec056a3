//! Opening an input: from what the caller named to something that blocks can be read from.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use memmap2::Mmap;

use super::InputKind;
use super::encoding::{Encoding, MAGIC, decode};
use super::file::Sequential;
use super::memory::Ranges;
use super::source::SourceSettings;
use super::stream::Stream;

/// An open input.
pub(super) enum Opened<'s> {
    /// Lines of a regular file.
    File { file: Arc<File>, length: u64, ranges: Ranges },
    /// Lines in memory.
    Memory { bytes: Memory<'s>, ranges: Ranges },
    /// Anything else.
    Stream(Box<Stream<'s>>),
}

/// Bytes in memory that many workers read.
#[derive(Clone)]
pub(super) enum Memory<'s> {
    Borrowed(&'s [u8]),
    Mapped(Arc<Mmap>),
}

impl Memory<'_> {
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Memory::Borrowed(bytes) => bytes,
            Memory::Mapped(map) => map,
        }
    }
}

/// Opens an input. A regular file's length is fixed here.
///
/// # Errors
/// The file cannot be opened or mapped, is a directory, or is stored in a way that is not read.
pub(super) fn open<'s>(kind: InputKind<'s>, settings: &SourceSettings) -> io::Result<Opened<'s>> {
    match kind {
        InputKind::Path(path) => open_file(File::open(path)?, settings),
        // What a shell redirects from a file is a file; a position behind its start means that somebody has read some of it.
        InputKind::Stdin => {
            let mut file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
            match file.stream_position() {
                Ok(0) => open_file(file, settings),
                _ => Ok(stream(decode(Box::new(file))?, settings)),
            }
        }
        InputKind::Reader(reader) => Ok(stream(decode(reader)?, settings)),
        InputKind::Bytes(bytes) => match Encoding::of(&bytes[..bytes.len().min(MAGIC)]) {
            Encoding::Plain if settings.shares() => Ok(memory(Memory::Borrowed(bytes), settings)),
            encoding => Ok(stream(encoding.decoder(Box::new(bytes))?, settings)),
        },
    }
}

fn open_file<'s>(file: File, settings: &SourceSettings) -> io::Result<Opened<'s>> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name the files in it"));
    }
    // Files such as those in /proc call themselves empty and are not: they are read as streams.
    let length = if metadata.is_file() { metadata.len() } else { 0 };
    if length == 0 {
        return Ok(stream(decode(Box::new(file))?, settings));
    }
    let mut start = [0; MAGIC];
    let start = &mut start[..length.min(MAGIC as u64) as usize];
    file.read_exact_at(start, 0)?;
    match Encoding::of(start) {
        Encoding::Plain if settings.shares() => {}
        encoding => return Ok(stream(encoding.decoder(Box::new(Sequential::new(file, length)))?, settings)),
    }
    if settings.reading.map {
        // SAFETY: whoever asked for a map has promised that nobody changes the file (`Reading::map`).
        let map = unsafe { Mmap::map(&file)? };
        return Ok(memory(Memory::Mapped(Arc::new(map)), settings));
    }
    Ok(Opened::File { file: Arc::new(file), length, ranges: Ranges::even(length, settings.block_size) })
}

fn stream<'s>(reader: Box<dyn Read + Send + 's>, settings: &SourceSettings) -> Opened<'s> {
    Opened::Stream(Box::new(Stream::new(reader, settings.format, settings.salvage)))
}

fn memory<'s>(bytes: Memory<'s>, settings: &SourceSettings) -> Opened<'s> {
    let ranges = Ranges::with_edges(bytes.as_slice().len(), settings.block_size);
    Opened::Memory { bytes, ranges }
}
