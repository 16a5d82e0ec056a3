//! Encodings of an input: recognised by its first bytes, never by its name, and undone while it is read.
//!
//! In goes a reader of what is stored, out comes one of JSON text. A gzip file is all of its members, a zstd file all of its
//! frames. What is recognised and cannot be read is an error that says what to do, rather than a fault of its first line.

use std::io::{self, Read};

/// Bytes that decide about the encoding.
pub(super) const MAGIC: usize = 6;

/// How text is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Plain,
    Gzip,
    Zstd,
    /// It is not read here; `tool` turns it into text.
    Foreign {
        name: &'static str,
        tool: &'static str,
    },
}

impl Encoding {
    /// The encoding of an input that starts with these bytes, at most [`MAGIC`] of them.
    pub(super) fn of(start: &[u8]) -> Self {
        match start {
            [0x1f, 0x8b, ..] => Encoding::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Encoding::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Encoding::Foreign { name: "bzip2", tool: "bzip2 -dc" },
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Encoding::Foreign { name: "xz", tool: "xz -dc" },
            [b'P', b'K', 3, 4, ..] => Encoding::Foreign { name: "zip", tool: "unzip -p" },
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                Encoding::Foreign { name: "UTF-16", tool: "iconv -f UTF-16 -t UTF-8" }
            }
            _ => Encoding::Plain,
        }
    }

    /// The text behind a reader of what is stored.
    ///
    /// # Errors
    /// The encoding is not one that can be read.
    pub(super) fn decoder<'s>(self, reader: Box<dyn Read + Send + 's>) -> io::Result<Box<dyn Read + Send + 's>> {
        match self {
            Encoding::Plain => Ok(reader),
            #[cfg(feature = "gzip")]
            Encoding::Gzip => Ok(Box::new(gzip::Members::new(buffered(reader)))),
            #[cfg(feature = "zstd")]
            Encoding::Zstd => zstd_frames(buffered(reader)),
            #[cfg(not(feature = "gzip"))]
            Encoding::Gzip => Err(unsupported("gzip", "gzip -dc", " by this build (its feature `gzip` is off)")),
            #[cfg(not(feature = "zstd"))]
            Encoding::Zstd => Err(unsupported("zstd", "zstd -dc", " by this build (its feature `zstd` is off)")),
            Encoding::Foreign { name, tool } => Err(unsupported(name, tool, "")),
        }
    }
}

/// Compressed bytes, read many at once.
#[cfg(any(feature = "gzip", feature = "zstd"))]
fn buffered<R: Read>(reader: R) -> io::BufReader<R> {
    io::BufReader::with_capacity(128 << 10, reader)
}

fn unsupported(name: &str, tool: &str, by: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, format!("it is {name}, which is not read{by}; pipe it through `{tool}`"))
}

/// The text behind a reader that cannot be asked for its first bytes without taking them.
pub(super) fn decode<'s>(mut reader: Box<dyn Read + Send + 's>) -> io::Result<Box<dyn Read + Send + 's>> {
    let mut start = Vec::with_capacity(MAGIC);
    let failed = reader.by_ref().take(MAGIC as u64).read_to_end(&mut start).err();
    let encoding = Encoding::of(&start);
    let start = io::Cursor::new(start);
    match failed {
        None => encoding.decoder(Box::new(start.chain(reader))),
        // What came before is read first, as it is anywhere else in a reader.
        Some(error) => encoding.decoder(Box::new(start.chain(Failed(Some(error))))),
    }
}

/// A reader that has failed already.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// All frames of a zstd file, also of archives that were written with the largest window (`zstd --long=31`), which takes as
/// much memory as they say.
#[cfg(feature = "zstd")]
fn zstd_frames<'s>(reader: impl io::BufRead + Send + 's) -> io::Result<Box<dyn Read + Send + 's>> {
    const LARGEST_WINDOW_LOG: u32 = 31;
    let mut decoder = zstd::stream::read::Decoder::with_buffer(reader)?;
    decoder.window_log_max(LARGEST_WINDOW_LOG)?;
    Ok(Box::new(decoder))
}

#[cfg(feature = "gzip")]
mod gzip {
    use std::io::{self, BufRead, Read};

    use flate2::bufread::GzDecoder;

    /// All members of a gzip file, one behind the other. Zeros behind the last member, with which tape and block devices fill
    /// up, are no data; anything else there is an error.
    pub(super) struct Members<R> {
        /// `None` only while a member gives way to the next.
        member: Option<GzDecoder<R>>,
        ended: bool,
    }

    impl<R: BufRead> Members<R> {
        pub(super) fn new(reader: R) -> Self {
            Self { member: Some(GzDecoder::new(reader)), ended: false }
        }

        /// Goes on to the next member, if there is one.
        fn next_member(&mut self) -> io::Result<()> {
            let Some(mut reader) = self.member.take().map(GzDecoder::into_inner) else { return Ok(()) };
            let mut padded = false;
            self.ended = loop {
                let buffered = reader.fill_buf()?;
                match buffered.iter().position(|&byte| byte != 0) {
                    None if buffered.is_empty() => break true,
                    None => {
                        let zeros = buffered.len();
                        reader.consume(zeros);
                        padded = true;
                    }
                    Some(0) if !padded && buffered[0] == 0x1f => break false,
                    Some(_) => {
                        let message = "there is something behind the last gzip member that is no gzip member";
                        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                    }
                }
            };
            self.member = Some(GzDecoder::new(reader));
            Ok(())
        }
    }

    impl<R: BufRead> Read for Members<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            while !self.ended && !buffer.is_empty() {
                let Some(member) = &mut self.member else { break };
                let count = member.read(buffer)?;
                if count > 0 {
                    return Ok(count);
                }
                self.next_member()?;
            }
            Ok(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(stored: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        decode(Box::new(stored))?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn plain_text_is_left_alone_however_short() {
        for plain in [&b""[..], b"{", b"{}\n", b"{\"a\":1}\n"] {
            assert_eq!(text(plain).unwrap(), plain);
        }
    }

    #[test]
    fn what_cannot_be_read_says_what_to_do() {
        let cases: [(&[u8], &str); 4] = [
            (b"\xfd7zXZ\0...", "it is xz, which is not read; pipe it through `xz -dc`"),
            (b"BZh91AY", "it is bzip2, which is not read; pipe it through `bzip2 -dc`"),
            (b"PK\x03\x04..", "it is zip, which is not read; pipe it through `unzip -p`"),
            (b"\xff\xfe{\0}\0", "it is UTF-16, which is not read; pipe it through `iconv -f UTF-16 -t UTF-8`"),
        ];
        for (stored, message) in cases {
            assert_eq!(text(stored).unwrap_err().to_string(), message);
        }
    }

    #[cfg(feature = "gzip")]
    mod gzip_members {
        use std::io::Write;

        use flate2::{Compression, write::GzEncoder};

        use super::*;

        fn member(text: &[u8]) -> Vec<u8> {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }

        #[test]
        fn all_members_are_read_also_empty_ones() {
            let stored: Vec<u8> = (0..1000).flat_map(|n| member(if n % 7 == 0 { b"" } else { b"{}\n" })).collect();
            assert_eq!(text(&stored).unwrap(), b"{}\n".repeat(1000 - 143));
        }

        #[test]
        fn zeros_behind_the_last_member_are_padding() {
            let stored = [member(b"1\n"), vec![0; 1_000_000]].concat();
            assert_eq!(text(&stored).unwrap(), b"1\n");
        }

        #[test]
        fn garbage_a_cut_and_a_flipped_bit_are_errors() {
            let whole = [member(b"{\"a\":1}\n"), member(b"{\"b\":2}\n")].concat();
            assert!(text(&[&whole[..], b"garbage"].concat()).is_err());
            assert!(text(&[&whole[..], b"\0\0\x1f\x8b"].concat()).is_err());
            // A shorter piece is not recognised, and no JSON either.
            for cut in (2..whole.len()).filter(|&cut| cut != whole.len() / 2) {
                assert!(text(&whole[..cut]).is_err(), "cut at {cut}");
            }
            // The sum behind the text of the first member.
            let mut flipped = whole.clone();
            flipped[whole.len() / 2 - 6] ^= 1;
            assert!(text(&flipped).is_err());
        }
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn all_frames_are_read() {
        let frame = |text: &[u8]| zstd::stream::encode_all(text, 1).unwrap();
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let stored = [skippable.clone(), frame(b"1\n"), frame(b""), skippable, frame(b"2\n")].concat();
        assert_eq!(text(&stored).unwrap(), b"1\n2\n");
        let first = frame(&b"12345\n".repeat(1000));
        for cut in 4..first.len() {
            assert!(text(&first[..cut]).is_err(), "cut at {cut}");
        }
    }
}
