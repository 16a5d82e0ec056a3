//! Encodings of an input: recognised by its first bytes, never by its name, and undone while it is read.
//!
//! In goes a reader of what is stored, out comes one of JSON text. A gzip file is all of its members, a zstd file all of its
//! frames. What is recognised and cannot be read is an error that says what to do, rather than a fault of its first line.

#[cfg(any(feature = "gzip", feature = "zstd"))]
use std::io::BufRead;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::notice::NoticeKind;

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
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => {
                Encoding::Foreign { name: "UTF-32", tool: "iconv -f UTF-32 -t UTF-8" }
            }
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
                Encoding::Foreign { name: "UTF-16", tool: "iconv -f UTF-16 -t UTF-8" }
            }
            // Without a byte order mark: an ASCII character that can begin a record, and another.
            [b'{' | b'[' | b'"', 0, 1..=0x7f, 0, ..] => {
                Encoding::Foreign { name: "UTF-16", tool: "iconv -f UTF-16LE -t UTF-8" }
            }
            [0, b'{' | b'[' | b'"', 0, 1..=0x7f, ..] => {
                Encoding::Foreign { name: "UTF-16", tool: "iconv -f UTF-16BE -t UTF-8" }
            }
            _ => Encoding::Plain,
        }
    }

    /// The text behind a reader of what is stored, and where it is told what stands behind the last member or frame.
    ///
    /// # Errors
    /// The encoding is not one that can be read.
    pub(super) fn decoder<'s>(self, reader: Box<dyn Read + Send + 's>) -> io::Result<Decoded<'s>> {
        match self {
            Encoding::Plain => Ok((reader, None)),
            #[cfg(feature = "gzip")]
            Encoding::Gzip => Ok(Members::<_, gzip::Gzip>::decoded(buffered(reader))),
            #[cfg(feature = "zstd")]
            Encoding::Zstd => Ok(Members::<_, frames::Zstd>::decoded(buffered(frames::Full::new(reader)))),
            #[cfg(not(feature = "gzip"))]
            Encoding::Gzip => Err(unsupported("gzip", "gzip -dc", " by this build (its feature `gzip` is off)")),
            #[cfg(not(feature = "zstd"))]
            Encoding::Zstd => Err(unsupported("zstd", "zstd -dc", " by this build (its feature `zstd` is off)")),
            Encoding::Foreign { name, tool } => Err(unsupported(name, tool, "")),
        }
    }
}

/// Text, and where it is told what stands behind it.
pub(super) type Decoded<'s> = (Box<dyn Read + Send + 's>, Option<Trailing>);

/// How many bytes stand behind the last member or frame that are none; known when the text has ended.
pub(super) struct Trailing {
    bytes: Arc<AtomicU64>,
    behind: &'static str,
}

impl Trailing {
    /// What there is to say about it, if there is anything.
    pub(super) fn notice(&self) -> Option<NoticeKind> {
        let bytes = self.bytes.load(Ordering::Relaxed);
        (bytes > 0).then_some(NoticeKind::Trailing { behind: self.behind, bytes })
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
pub(super) fn decode<'s>(reader: Box<dyn Read + Send + 's>) -> io::Result<Decoded<'s>> {
    let (start, _, reader) = peek(reader, MAGIC);
    let encoding = Encoding::of(&start);
    encoding.decoder(Box::new(io::Cursor::new(start).chain(reader)))
}

/// The first `size` bytes of a reader, fewer only at its end, whether it has ended, and the rest of it. A read that failed
/// fails again in the rest, so that what came before is read first, as it is anywhere else.
pub(super) fn peek<'s>(
    mut reader: Box<dyn Read + Send + 's>,
    size: usize,
) -> (Vec<u8>, bool, Box<dyn Read + Send + 's>) {
    let mut start = Vec::with_capacity(size);
    match reader.by_ref().take(size as u64).read_to_end(&mut start) {
        Ok(_) => {
            let ended = start.len() < size;
            (start, ended, reader)
        }
        Err(error) => (start, false, Box::new(Failed(Some(error)))),
    }
}

/// A reader that has failed already.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// A way to compress of which a file may hold several pieces, one behind the other.
#[cfg(any(feature = "gzip", feature = "zstd"))]
trait Pieces {
    /// What a piece is called.
    const NAME: &'static str;

    type Decoder<R: BufRead>: Read;

    /// Whether a piece may begin with these bytes, of which there is at least one.
    fn begins(start: &[u8]) -> bool;

    /// A decoder of one piece.
    fn decoder<R: BufRead>(reader: R) -> io::Result<Self::Decoder<R>>;

    /// The reader, behind the piece.
    fn into_inner<R: BufRead>(decoder: Self::Decoder<R>) -> R;
}

/// The text of all pieces (gzip members, zstd frames) of a file, one behind the other.
///
/// Zeros behind the last, with which tape and block devices fill up, are no data. Anything else there that is no piece is left
/// out and counted: what came before it is whole, as its check sum says.
#[cfg(any(feature = "gzip", feature = "zstd"))]
struct Members<R: BufRead, P: Pieces> {
    /// `None` only while a piece gives way to the next, and behind the last.
    piece: Option<P::Decoder<R>>,
    /// The reader between two pieces.
    between: Option<R>,
    trailing: Arc<AtomicU64>,
}

#[cfg(any(feature = "gzip", feature = "zstd"))]
impl<'s, R: BufRead + Send + 's, P: Pieces + 's> Members<R, P>
where
    P::Decoder<R>: Send,
{
    fn decoded(reader: R) -> Decoded<'s> {
        let trailing = Arc::new(AtomicU64::new(0));
        let notice = Trailing { bytes: Arc::clone(&trailing), behind: P::NAME };
        (Box::new(Self { piece: None, between: Some(reader), trailing }), Some(notice))
    }
}

#[cfg(any(feature = "gzip", feature = "zstd"))]
impl<R: BufRead, P: Pieces> Members<R, P> {
    /// Goes on to the next piece; false if there is none.
    fn next_piece(&mut self) -> io::Result<bool> {
        let Some(mut reader) = self.between.take() else { return Ok(false) };
        loop {
            let buffered = reader.fill_buf()?;
            match buffered.iter().position(|&byte| byte != 0) {
                None if buffered.is_empty() => return Ok(false),
                None => {
                    let zeros = buffered.len();
                    reader.consume(zeros);
                }
                Some(zeros) => {
                    reader.consume(zeros);
                    break;
                }
            }
        }
        // Where the buffer ends within the first bytes of a piece, fewer of them decide.
        if !P::begins(reader.fill_buf()?) {
            self.trailing.store(io::copy(&mut reader, &mut io::sink())?, Ordering::Relaxed);
            return Ok(false);
        }
        self.piece = Some(P::decoder(reader)?);
        Ok(true)
    }
}

#[cfg(any(feature = "gzip", feature = "zstd"))]
impl<R: BufRead, P: Pieces> Read for Members<R, P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            let Some(piece) = &mut self.piece else {
                if self.next_piece()? {
                    continue;
                }
                break;
            };
            let count = piece.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            self.between = self.piece.take().map(P::into_inner);
        }
        Ok(0)
    }
}

#[cfg(feature = "gzip")]
mod gzip {
    use std::io::{self, BufRead};

    use flate2::bufread::GzDecoder;

    /// gzip members.
    pub(super) struct Gzip;

    impl super::Pieces for Gzip {
        const NAME: &'static str = "gzip member";

        type Decoder<R: BufRead> = GzDecoder<R>;

        fn begins(start: &[u8]) -> bool {
            let known = start.len().min(2);
            [0x1f, 0x8b][..known] == start[..known]
        }

        fn decoder<R: BufRead>(reader: R) -> io::Result<GzDecoder<R>> {
            Ok(GzDecoder::new(reader))
        }

        fn into_inner<R: BufRead>(decoder: GzDecoder<R>) -> R {
            decoder.into_inner()
        }
    }
}

#[cfg(feature = "zstd")]
mod frames {
    use std::io::{self, BufRead, Read};
    use std::ops::Range;

    use zstd::stream::read::Decoder;

    /// zstd frames, also of archives that were written with the largest window (`zstd --long=31`), which takes as much memory
    /// as they say.
    pub(super) struct Zstd;

    const LARGEST_WINDOW_LOG: u32 = 31;

    impl super::Pieces for Zstd {
        const NAME: &'static str = "zstd frame";

        type Decoder<R: BufRead> = Steady<R>;

        fn begins(start: &[u8]) -> bool {
            let known = start.len().min(4);
            let skippable = [0x2a, 0x4d, 0x18];
            [0x28, 0xb5, 0x2f, 0xfd][..known] == start[..known]
                || matches!(start, [0x50..=0x5f, rest @ ..] if skippable[..rest.len().min(3)] == rest[..rest.len().min(3)])
        }

        fn decoder<R: BufRead>(reader: R) -> io::Result<Steady<R>> {
            let mut decoder = Decoder::with_buffer(reader)?.single_frame();
            decoder.window_log_max(LARGEST_WINDOW_LOG)?;
            Ok(Steady { decoder, text: vec![0; ROOM].into(), rest: 0..0 })
        }

        fn into_inner<R: BufRead>(steady: Steady<R>) -> R {
            steady.decoder.finish()
        }
    }

    /// Room for text that a decoder is given, whatever was asked for.
    const ROOM: usize = 128 << 10;

    /// A decoder that is always given the same room. A small frame is decoded at once where there is room for it, and bit by
    /// bit where there is not, and if it is damaged the two ways do not always say the same.
    pub(super) struct Steady<R: BufRead> {
        decoder: Decoder<'static, R>,
        text: Box<[u8]>,
        /// What of `text` was not handed out yet.
        rest: Range<usize>,
    }

    impl<R: BufRead> Read for Steady<R> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            if self.rest.is_empty() {
                if let Some(room) = to.get_mut(..ROOM) {
                    return self.decoder.read(room);
                }
                self.rest = 0..self.decoder.read(&mut self.text)?;
            }
            let count = to.len().min(self.rest.len());
            to[..count].copy_from_slice(&self.text[self.rest.start..][..count]);
            self.rest.start += count;
            Ok(count)
        }
    }

    /// A reader that gives less than was asked for at its end or before an error only: for the same reason.
    pub(super) struct Full<R> {
        reader: R,
        failed: Option<io::Error>,
    }

    impl<R: Read> Full<R> {
        pub(super) fn new(reader: R) -> Self {
            Self { reader, failed: None }
        }
    }

    impl<R: Read> Read for Full<R> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let mut count = 0;
            while count < to.len() && self.failed.is_none() {
                match self.reader.read(&mut to[count..]) {
                    Ok(0) => break,
                    Ok(more) => count += more,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => self.failed = Some(error),
                }
            }
            match self.failed.take_if(|_| count == 0) {
                Some(error) => Err(error),
                None => Ok(count),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(stored: &[u8]) -> io::Result<Vec<u8>> {
        text_and_trailing(stored).map(|(text, _)| text)
    }

    fn text_and_trailing(stored: &[u8]) -> io::Result<(Vec<u8>, Option<NoticeKind>)> {
        let mut text = Vec::new();
        let (mut reader, trailing) = decode(Box::new(stored))?;
        reader.read_to_end(&mut text)?;
        Ok((text, trailing.and_then(|trailing| trailing.notice())))
    }

    #[test]
    fn plain_text_is_left_alone_however_short() {
        for plain in [&b""[..], b"{", b"{}\n", b"{\"a\":1}\n"] {
            assert_eq!(text(plain).unwrap(), plain);
        }
    }

    #[test]
    fn what_cannot_be_read_says_what_to_do() {
        let cases: [(&[u8], &str); 8] = [
            (b"\xfd7zXZ\0...", "it is xz, which is not read; pipe it through `xz -dc`"),
            (b"BZh91AY", "it is bzip2, which is not read; pipe it through `bzip2 -dc`"),
            (b"PK\x03\x04..", "it is zip, which is not read; pipe it through `unzip -p`"),
            (b"\xff\xfe{\0}\0", "it is UTF-16, which is not read; pipe it through `iconv -f UTF-16 -t UTF-8`"),
            (b"{\0\"\0a\0", "it is UTF-16, which is not read; pipe it through `iconv -f UTF-16LE -t UTF-8`"),
            (b"\0{\0}\0\n", "it is UTF-16, which is not read; pipe it through `iconv -f UTF-16BE -t UTF-8`"),
            (b"\xff\xfe\0\0{\0", "it is UTF-32, which is not read; pipe it through `iconv -f UTF-32 -t UTF-8`"),
            (b"\0\0\xfe\xff\0\0", "it is UTF-32, which is not read; pipe it through `iconv -f UTF-32 -t UTF-8`"),
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
        fn what_is_behind_the_last_member_is_counted() {
            let whole = [member(b"1\n"), member(b"2\n")].concat();
            for garbage in [&b"g"[..], b"garbage", &[0x1f, 7], &[0, 0, 7, 0], &[b'x'; 300_000]] {
                let zeros = garbage.iter().take_while(|&&byte| byte == 0).count();
                let bytes = (garbage.len() - zeros) as u64;
                let (text, notice) = text_and_trailing(&[&whole[..], garbage].concat()).unwrap();
                assert_eq!(text, b"1\n2\n");
                assert_eq!(notice, Some(NoticeKind::Trailing { behind: "gzip member", bytes }));
            }
            assert_eq!(text_and_trailing(&whole).unwrap().1, None);
        }

        #[test]
        fn a_member_behind_zeros_is_read() {
            let stored = [member(b"1\n"), vec![0; 512], member(b"2\n")].concat();
            assert_eq!(text_and_trailing(&stored).unwrap(), (b"1\n2\n".to_vec(), None));
        }

        #[test]
        fn a_cut_and_a_flipped_bit_are_errors() {
            let whole = [member(b"{\"a\":1}\n"), member(b"{\"b\":2}\n")].concat();
            assert!(text(&[&whole[..], b"\0\0\x1f\x8b"].concat()).is_err());
            // A shorter piece is not recognised, and no JSON either.
            for cut in (2..whole.len()).filter(|&cut| cut != whole.len() / 2) {
                assert!(text(&whole[..cut]).is_err(), "cut at {cut}");
            }
            // Behind the header, of which parts mean nothing, no bit can change the text unnoticed.
            for bit in 10 * 8..whole.len() / 2 * 8 {
                let mut flipped = whole.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                // A bit behind the end of the compressed data, in its last byte, means nothing.
                assert!(text(&flipped).map_or(true, |text| text == b"{\"a\":1}\n{\"b\":2}\n"), "bit {bit}");
            }
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
        let (text, notice) = text_and_trailing(&[&first[..], b"garbage"].concat()).unwrap();
        assert_eq!(text, b"12345\n".repeat(1000));
        assert_eq!(notice, Some(NoticeKind::Trailing { behind: "zstd frame", bytes: 7 }));
    }

    /// A reader that gives a few bytes at a time.
    #[cfg(feature = "zstd")]
    struct Slow<'a>(&'a [u8], usize);

    #[cfg(feature = "zstd")]
    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let count = to.len().min(self.1);
            self.0.read(&mut to[..count])
        }
    }

    /// Found by fuzzing: of the first frame zstd said different things, the second it took for an empty one where there was
    /// little room.
    #[cfg(feature = "zstd")]
    #[test]
    fn what_is_said_of_a_damaged_frame_does_not_depend_on_the_buffers() {
        let word = b"\x28\xb5\x2f\xfd\x20\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xab\x56\x4a\x00\x9b\xc6\xff\xff\x0d\x0a\xff\xff\xff\xf7\xaa\x56\xe8\x4a\x54\xf0\x9d";
        let tail = b"\x03\xab\x56\x4a\x54\xb2\x22\x22\x22\x0d\x0a\x3a\x22\x3a\x32\xac\xe5\xaa\x06\xd1\x46\xb5\x5c\x00\x66\x7b\xa7\x7a\xd0\x0a\x60\x5a\x19\x10\x00\x00\x00";
        let empty = [&b"\x28\xb5\x2f\xfd\x31"[..], &[0; 23], &[3], &[0; 54], &tail[..]].concat();
        for frame in [&word[..], &empty] {
            let said = |bytes: usize, size: usize| {
                let (mut reader, _) = decode(Box::new(Slow(frame, bytes))).ok().unwrap();
                let (mut text, mut piece) = (Vec::new(), vec![0; size]);
                loop {
                    match reader.read(&mut piece) {
                        Ok(0) => return Ok(text),
                        Ok(count) => text.extend_from_slice(&piece[..count]),
                        Err(error) => return Err(error.to_string()),
                    }
                }
            };
            let expected = said(usize::MAX, 1 << 20);
            for bytes in [1, 7, 50, usize::MAX] {
                for size in [1, 100, 5000, 1 << 20] {
                    assert_eq!(said(bytes, size), expected, "{bytes} {size}");
                }
            }
        }
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn a_flipped_bit_in_a_frame_with_a_check_sum_is_an_error() {
        use std::io::Write;
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(&b"{\"a\":12345}\n".repeat(50)).unwrap();
        let frame = encoder.finish().unwrap();
        let expected = text(&frame).unwrap();
        for bit in 4 * 8..frame.len() * 8 {
            let mut flipped = frame.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            // A bit of the frame's header may change what nothing depends on; the text never differs.
            assert!(text(&flipped).map_or(true, |text| text == expected), "bit {bit}");
        }
    }
}
