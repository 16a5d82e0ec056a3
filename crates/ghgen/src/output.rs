//! Where a file's text goes: through one compressed member or many, into one file or many parts.
//! In come whole lines with places where a cut is allowed, out go bytes. Cuts fall between
//! records only, each at the first record boundary at or behind an equal share of the size.

use flate2::write::GzEncoder;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How output is compressed. The compressed bytes depend on the compressor's version, the text
/// in them does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// By the end of a file's name: `.gz`, `.zst`, or anything else.
    ///
    /// ```
    /// use ghgen::Compression;
    ///
    /// assert_eq!(Compression::of_name("2024-03-13-15.json.gz".as_ref()), Compression::Gzip);
    /// assert_eq!(Compression::of_name("events.json".as_ref()), Compression::None);
    /// ```
    pub fn of_name(path: &Path) -> Self {
        match path.extension().and_then(|end| end.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => Self::None,
        }
    }
}

/// Takes a file's text.
pub trait Sink {
    /// Takes whole lines.
    ///
    /// # Errors
    ///
    /// Those of the writer or file behind it.
    fn write(&mut self, text: &[u8]) -> io::Result<()>;

    /// The size of text at which it wants to cut, if that comes at a record's end.
    fn next_cut(&self) -> u64;

    /// Ends a member or file and begins the next.
    ///
    /// # Errors
    ///
    /// Those of the writer or file behind it.
    fn cut(&mut self) -> io::Result<()>;
}

/// Writes text as a number of compressed members (gzip) or frames (Zstandard) one behind the
/// other. If records are longer than a member's share, some members are empty, so that the
/// number is always exact.
pub struct Members<W: Write> {
    /// `None` only while one member has ended and the next has not begun.
    encoder: Option<Encoder<W>>,
    compression: Compression,
    members: u32,
    begun: u32,
    /// The stretch of text that is divided among the members.
    text: Range<u64>,
}

enum Encoder<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> Encoder<W> {
    fn new(compression: Compression, out: W) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::Plain(out),
            Compression::Gzip => Self::Gzip(GzEncoder::new(out, flate2::Compression::default())),
            Compression::Zstd => Self::Zstd(zstd::Encoder::new(out, 0)?),
        })
    }

    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.write_all(text),
            Self::Gzip(out) => out.write_all(text),
            Self::Zstd(out) => out.write_all(text),
        }
    }

    fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(mut out) => out.flush().map(|()| out),
            Self::Gzip(out) => out.finish(),
            Self::Zstd(out) => out.finish(),
        }
    }
}

impl<W: Write> Members<W> {
    /// Writes to `out` what comes in.
    pub fn plain(out: W) -> Self {
        let encoder = Some(Encoder::Plain(out));
        Self { encoder, compression: Compression::None, members: 1, begun: 1, text: 0..u64::MAX }
    }

    /// Compresses to `out`, dividing the stretch `text` of the file among `members`. Without
    /// compression there is nothing to divide: the number is then taken as 1.
    ///
    /// # Errors
    ///
    /// If the compressor cannot be set up.
    ///
    /// ```
    /// use ghgen::{Compression, Members, Options, generate_into};
    ///
    /// let options = Options { bytes: 100_000, ..Options::default() };
    /// let mut sink = Members::new(Vec::new(), Compression::Gzip, 3, 0..options.bytes)?;
    /// let report = generate_into(&options, &mut sink)?;
    /// let gz: Vec<u8> = sink.finish()?;
    /// assert!(gz.len() < report.truth.bytes as usize);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(out: W, compression: Compression, members: u32, text: Range<u64>) -> io::Result<Self> {
        let members = if compression == Compression::None { 1 } else { members.max(1) };
        let encoder = Some(Encoder::new(compression, out)?);
        Ok(Self { encoder, compression, members, begun: 1, text })
    }

    /// Ends the last member and gives the writer back.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        while self.begun < self.members {
            self.cut()?;
        }
        self.take()?.finish()
    }

    fn take(&mut self) -> io::Result<Encoder<W>> {
        self.encoder.take().ok_or_else(|| io::Error::other("a write failed before"))
    }
}

impl<W: Write> Sink for Members<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        match &mut self.encoder {
            Some(encoder) => encoder.write(text),
            None => Err(io::Error::other("a write failed before")),
        }
    }

    fn next_cut(&self) -> u64 {
        if self.begun < self.members { share(&self.text, self.begun, self.members) } else { u64::MAX }
    }

    fn cut(&mut self) -> io::Result<()> {
        let out = self.take()?.finish()?;
        self.encoder = Some(Encoder::new(self.compression, out)?);
        self.begun += 1;
        Ok(())
    }
}

/// Where share `n` of `of` equal ones in `text` begins.
fn share(text: &Range<u64>, n: u32, of: u32) -> u64 {
    let length = u128::from(text.end - text.start);
    text.start + (length * u128::from(n) / u128::from(of)) as u64
}

/// Writes text into a number of files. Their uncompressed texts, one behind the other, are what
/// one file would hold; uncompressed or gzip or Zstandard, so are the files themselves.
pub struct Parts {
    path: PathBuf,
    compression: Compression,
    members: u32,
    parts: u32,
    begun: u32,
    bytes: u64,
    file: Members<File>,
}

impl Parts {
    /// Opens the first of `parts` files, each of `members` compressed members. With one part
    /// the file is `path` itself, else see [`Parts::name`]. `bytes` is the size of the text.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    pub fn create(path: &Path, compression: Compression, members: u32, parts: u32, bytes: u64) -> io::Result<Self> {
        let parts = parts.max(1);
        let file = Self::open(path, compression, members, parts, 0, bytes)?;
        Ok(Self { path: path.to_owned(), compression, members, parts, begun: 1, bytes, file })
    }

    /// The name of part `n` (from 1): `events.json.0001`, and with a compressor's ending that
    /// stays last: `events.json.0001.gz`.
    pub fn name(path: &Path, n: u32) -> PathBuf {
        let ending = path.extension().filter(|_| Compression::of_name(path) != Compression::None);
        let mut name = if ending.is_some() { path.with_extension("") } else { path.to_owned() }.into_os_string();
        name.push(format!(".{n:04}"));
        if let Some(ending) = ending {
            name.push(".");
            name.push(ending);
        }
        name.into()
    }

    /// Closes the last file.
    ///
    /// # Errors
    ///
    /// Those of the files.
    pub fn finish(mut self) -> io::Result<()> {
        while self.begun < self.parts {
            self.next_file()?;
        }
        self.file.finish().map(drop)
    }

    fn open(
        path: &Path,
        compression: Compression,
        members: u32,
        parts: u32,
        n: u32,
        bytes: u64,
    ) -> io::Result<Members<File>> {
        let name = if parts == 1 { path.to_owned() } else { Self::name(path, n + 1) };
        let file = File::create(&name)
            .map_err(|error| io::Error::new(error.kind(), format!("cannot create {}: {error}", name.display())))?;
        let text = 0..bytes;
        Members::new(file, compression, members, share(&text, n, parts)..share(&text, n + 1, parts))
    }

    /// The size of text at which the next file begins.
    fn next_file_at(&self) -> u64 {
        if self.begun < self.parts { share(&(0..self.bytes), self.begun, self.parts) } else { u64::MAX }
    }

    fn next_file(&mut self) -> io::Result<()> {
        let next = Self::open(&self.path, self.compression, self.members, self.parts, self.begun, self.bytes)?;
        self.begun += 1;
        std::mem::replace(&mut self.file, next).finish().map(drop)
    }
}

impl Sink for Parts {
    fn write(&mut self, text: &[u8]) -> io::Result<()> {
        self.file.write(text)
    }

    fn next_cut(&self) -> u64 {
        self.next_file_at().min(self.file.next_cut())
    }

    fn cut(&mut self) -> io::Result<()> {
        if self.file.next_cut() < self.next_file_at() { self.file.cut() } else { self.next_file() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts() {
        assert_eq!(Parts::name(Path::new("d/events.json"), 1), Path::new("d/events.json.0001"));
        assert_eq!(Parts::name(Path::new("events.json.gz"), 12), Path::new("events.json.0012.gz"));
        assert_eq!(Parts::name(Path::new("events"), 12_345), Path::new("events.12345"));
    }

    #[test]
    fn shares_of_a_stretch() {
        assert_eq!([1, 2, 3].map(|n| share(&(10..40), n, 3)), [20, 30, 40]);
        assert_eq!(share(&(0..u64::MAX), 1, 1), u64::MAX);
    }
}
