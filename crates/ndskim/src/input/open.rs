//! Opening an input: from what the caller named to something that blocks can be read from.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

use super::InputKind;
use super::memory::Ranges;
use super::source::SourceSettings;
use super::stream::Stream;
use crate::format::Format;

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
/// The file cannot be opened, is a directory, or cannot be mapped.
pub(super) fn open<'s>(kind: InputKind<'s>, settings: &SourceSettings) -> io::Result<Opened<'s>> {
    let stream = |reader| Ok(Opened::Stream(Box::new(Stream::new(reader, settings.format))));
    match kind {
        InputKind::Path(path) => open_file(&path, settings),
        InputKind::Stdin => stream(Box::new(io::stdin())),
        InputKind::Reader(reader) => stream(reader),
        InputKind::Bytes(bytes) => match settings.format {
            Format::Lines => Ok(memory(Memory::Borrowed(bytes), settings)),
            Format::Concatenated => stream(Box::new(bytes)),
        },
    }
}

fn open_file<'s>(path: &Path, settings: &SourceSettings) -> io::Result<Opened<'s>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name the files in it"));
    }
    // Files such as those in /proc call themselves empty and are not: they are read as streams.
    let length = if metadata.is_file() { metadata.len() } else { 0 };
    if length == 0 || settings.format != Format::Lines {
        return Ok(Opened::Stream(Box::new(Stream::new(Box::new(file), settings.format))));
    }
    if settings.reading.map {
        // SAFETY: whoever asked for a map has promised that nobody changes the file (`Reading::map`).
        let map = unsafe { Mmap::map(&file)? };
        return Ok(memory(Memory::Mapped(Arc::new(map)), settings));
    }
    Ok(Opened::File { file: Arc::new(file), length, ranges: Ranges::even(length, settings.block_size) })
}

fn memory<'s>(bytes: Memory<'s>, settings: &SourceSettings) -> Opened<'s> {
    let ranges = Ranges::with_edges(bytes.as_slice().len(), settings.block_size);
    Opened::Memory { bytes, ranges }
}
