//! Opening an input: from what the caller named to something that blocks can be read from.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use memmap2::Mmap;

use super::InputKind;
use super::counted::BytesRead;
use super::encoding::{Encoding, MAGIC, Trailing, decode, peek};
use super::file::Sequential;
use super::memory::Ranges;
use super::slices::Slices;
use super::source::SourceSettings;
use super::stream::Stream;
use crate::format::Format;
use crate::format::detect::{self, HEAD};

/// An open input, and what its beginning says of it.
pub(super) struct Open<'s> {
    pub(super) opened: Opened<'s>,
    pub(super) look: Look,
}

/// What the beginning of an input says of it.
#[derive(Clone, Copy)]
pub(super) struct Look {
    /// The format in which it is read.
    pub(super) format: Format,
    /// It is read as lines, though its first value seems to go on over several.
    pub(super) several_lines: bool,
}

/// An open input.
pub(super) enum Opened<'s> {
    /// Lines of a regular file.
    File { file: Arc<File>, length: u64, ranges: Ranges },
    /// Lines in memory.
    Memory { bytes: Memory<'s>, ranges: Ranges },
    /// Values in memory.
    Values { bytes: Memory<'s>, slices: Slices },
    /// Anything else, with what was found behind its last member or frame.
    Stream(Box<Stream<'s>>, Option<Trailing>),
}

/// Why an input cannot be read.
pub(super) enum OpenError {
    Io(io::Error),
    /// It is to be read as lines, the first fault ends the scan, and the first value goes on over several lines: the text of
    /// the first, from the input's start.
    SeveralLines(Vec<u8>),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        OpenError::Io(error)
    }
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

/// Opens an input. A regular file's length is fixed here. What is read through a reader is added to `read`.
///
/// # Errors
/// The file cannot be opened or mapped, is a directory, is stored in a way that is not read, or is no lines.
pub(super) fn open<'s>(
    kind: InputKind<'s>,
    settings: &SourceSettings,
    read: &BytesRead,
) -> Result<Open<'s>, OpenError> {
    match kind {
        InputKind::Path(path) => open_file(File::open(path)?, settings, read),
        // What a shell redirects from a file is a file; a position behind its start means that somebody has read some of it.
        InputKind::Stdin => {
            let mut file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
            match file.stream_position() {
                Ok(0) => open_file(file, settings, read),
                _ => stream(decode(read.counting(file))?, settings),
            }
        }
        InputKind::Reader(reader) => stream(decode(read.counting(reader))?, settings),
        InputKind::Bytes(bytes) => match Encoding::of(&bytes[..bytes.len().min(MAGIC)]) {
            Encoding::Plain => memory(Memory::Borrowed(bytes), read.counting(bytes), settings),
            encoding => stream(encoding.decoder(read.counting(bytes))?, settings),
        },
    }
}

fn open_file<'s>(file: File, settings: &SourceSettings, read: &BytesRead) -> Result<Open<'s>, OpenError> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; name the files in it").into());
    }
    // Files such as those in /proc call themselves empty and are not: they are read as streams.
    let length = if metadata.is_file() { metadata.len() } else { 0 };
    if length == 0 {
        return stream(decode(read.counting(file))?, settings);
    }
    let mut head = vec![0; length.min(settings.head() as u64) as usize];
    file.read_exact_at(&mut head, 0)?;
    match Encoding::of(&head[..head.len().min(MAGIC)]) {
        Encoding::Plain => {}
        encoding => return stream(encoding.decoder(read.counting(Sequential::new(file, length)))?, settings),
    }
    let look = settings.look(&head, head.len() as u64 == length)?;
    if settings.reading.map && settings.in_place(look.format) {
        // SAFETY: whoever asked for a map has promised that nobody changes the file (`Reading::map`).
        let map = unsafe { Mmap::map(&file).map_err(OpenError::Io)? };
        return Ok(Open { opened: settings.memory(Memory::Mapped(Arc::new(map)), look.format), look });
    }
    if !settings.shares(look.format) {
        return Ok(streamed(read.counting(Sequential::new(file, length)), look, None, settings));
    }
    let ranges = Ranges::even(length, settings.block_size);
    Ok(Open { opened: Opened::File { file: Arc::new(file), length, ranges }, look })
}

/// A stream of text; its beginning is looked at and put back.
fn stream<'s>(
    (reader, trailing): (Box<dyn Read + Send + 's>, Option<Trailing>),
    settings: &SourceSettings,
) -> Result<Open<'s>, OpenError> {
    let (head, ended, reader) = peek(reader, settings.head());
    let look = settings.look(&head, ended)?;
    Ok(streamed(Box::new(io::Cursor::new(head).chain(reader)), look, trailing, settings))
}

fn streamed<'s>(
    reader: Box<dyn Read + Send + 's>,
    look: Look,
    trailing: Option<Trailing>,
    settings: &SourceSettings,
) -> Open<'s> {
    let stream = Stream::new(reader, look.format, settings.salvage, settings.max_record);
    Open { opened: Opened::Stream(Box::new(stream), trailing), look }
}

fn memory<'s>(
    bytes: Memory<'s>,
    reader: Box<dyn Read + Send + 's>,
    settings: &SourceSettings,
) -> Result<Open<'s>, OpenError> {
    let text = bytes.as_slice();
    let head = &text[..text.len().min(settings.head())];
    let look = settings.look(head, head.len() == text.len())?;
    if !settings.in_place(look.format) {
        return Ok(streamed(reader, look, None, settings));
    }
    Ok(Open { opened: settings.memory(bytes, look.format), look })
}

/// Bytes of the beginning that tell whether lines are lines.
const LINES_HEAD: usize = 16 << 10;

impl SourceSettings {
    /// How much of the beginning of an input is looked at before it is read.
    fn head(&self) -> usize {
        if self.format == Format::Auto { HEAD } else { LINES_HEAD }
    }

    /// What to make of an input that begins like this.
    fn look(&self, head: &[u8], whole: bool) -> Result<Look, OpenError> {
        let format = match self.format {
            Format::Auto => detect::detect(head, whole, self.max_depth),
            format => format,
        };
        let first_line = match format {
            Format::Lines => detect::several_lines(head, whole, self.max_depth),
            _ => None,
        };
        match first_line {
            // One error that says what to do, rather than one about the second line.
            Some(end) if self.ends_with_fault => Err(OpenError::SeveralLines(head[..end].to_vec())),
            // Whoever leaves bad lines out wants the good ones: a stray newline must not cost all that follow.
            several_lines => Ok(Look { format, several_lines: several_lines.is_some() }),
        }
    }

    /// Whether blocks of bytes in memory are slices of them.
    fn in_place(&self, format: Format) -> bool {
        self.shares(format) || (format == Format::Concatenated && self.salvage.is_none())
    }

    /// Bytes in memory whose blocks are slices of them.
    fn memory<'s>(&self, bytes: Memory<'s>, format: Format) -> Opened<'s> {
        let ranges = Ranges::with_edges(bytes.as_slice().len(), self.block_size);
        if self.shares(format) {
            Opened::Memory { bytes, ranges }
        } else {
            Opened::Values { bytes, slices: Slices::default() }
        }
    }

    /// Whether the blocks of a file can be read side by side.
    fn shares(&self, format: Format) -> bool {
        matches!(format, Format::Lines | Format::SeveralPerLine) && self.salvage.is_none()
    }
}
