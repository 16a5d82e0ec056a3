//! Streams: what can only be read from front to back. One worker at a time reads a block; what is left over behind the last
//! whole record waits for the next.

use std::io::{self, Read};
use std::sync::Arc;

use super::{Buffer, too_long};
use crate::format::concatenated::{SpanFinder, last_start};
use crate::format::detect::BYTE_ORDER_MARK;
use crate::format::elements::{ElementState, Elements};
use crate::format::{Boundary, Format};
use crate::salvage::last_key;

/// A reader and what is known between two blocks of it.
pub(super) struct Stream<'s> {
    reader: Box<dyn Read + Send + 's>,
    /// Bytes read behind the last block.
    carry: Vec<u8>,
    cut: Cut,
    ended: bool,
    /// Why reading failed; kept until the whole records before that were handed out.
    failed: Option<io::Error>,
    /// Bytes handed out.
    pub(super) offset: u64,
    /// Bytes since the last newline handed out.
    pub(super) column: u64,
    /// Where records are salvaged: the limit on depth, and the first key of the last good record handed out.
    salvage: Option<u32>,
    pub(super) key: Option<Arc<[u8]>>,
    /// Of formats with elements, what is known at the start of the block that was read, and whether it is the last.
    pub(super) elements: Option<(ElementState, bool)>,
    /// Whether the last block was handed out.
    closed: bool,
    /// The most bytes that a record may have.
    most: u64,
}

/// The most bytes that are read at once into a record that is longer than a block.
const STEP: usize = 64 << 20;

/// Bytes since the last newline behind some text; so many were before the text.
pub(super) fn column_behind(text: &[u8], column: u64) -> u64 {
    match memchr::memrchr(b'\n', text) {
        Some(newline) => (text.len() - newline - 1) as u64,
        None => column + text.len() as u64,
    }
}

/// Where a stream may be cut.
pub(super) enum Cut {
    /// At a byte.
    Boundary(Boundary),
    /// Between spans.
    Spans(SpanFinder),
    /// Between elements; with what is known at the start of the text that was not handed out.
    Elements(Elements, ElementState),
}

impl<'s> Stream<'s> {
    /// A stream of records in some format; with a limit on depth, one that keeps the first key of the last good record.
    pub(super) fn new(reader: Box<dyn Read + Send + 's>, format: Format, salvage: Option<u32>, most: u64) -> Self {
        let elements = |state| Cut::Elements(Elements::new(state), state);
        let cut = match (format.boundary(), format) {
            (Some(boundary), _) => Cut::Boundary(boundary),
            (None, Format::Array) => elements(ElementState::ARRAY),
            (None, Format::Comma) => elements(ElementState::COMMA),
            _ => Cut::Spans(SpanFinder::starting_at(0)),
        };
        Self {
            reader,
            carry: Vec::new(),
            cut,
            ended: false,
            failed: None,
            offset: 0,
            column: 0,
            salvage,
            key: None,
            elements: None,
            closed: false,
            most,
        }
    }

    /// Reads whole records of about `size` bytes, or one that is longer, into `buffer`; false at the end.
    ///
    /// # Errors
    /// What the reader says, or that a record is too long or memory is refused, after all whole records that came before were
    /// handed out.
    pub(super) fn read(&mut self, size: usize, buffer: &mut Buffer) -> io::Result<bool> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        buffer.extend(&self.carry)?;
        self.carry.clear();
        let mut seen = 0;
        let mut end = 0;
        while end == 0 {
            if !self.ended && buffer.len() < size.max(seen + 1) {
                // A record longer than a block makes the reads grow with it.
                let wanted = size.max((buffer.len() / 4).min(STEP)).max(BYTE_ORDER_MARK.len());
                // One byte more than a record may have may be its newline.
                let left = (self.most + 1).saturating_sub(buffer.len() as u64).max(1);
                let wanted = wanted.min(usize::try_from(left).unwrap_or(usize::MAX));
                match buffer.fill_from(wanted, &mut *self.reader) {
                    Ok(count) => self.ended = count < wanted,
                    Err(error) => self.failed = Some(error),
                }
            }
            if self.offset == 0 && seen == 0 {
                self.cut.skip_mark(buffer.text());
            }
            end = self.cut.last(buffer.text(), seen, self.ended);
            seen = buffer.len();
            if end == 0
                && let Some(error) = self.failed.take()
            {
                return Err(error);
            }
            if end == 0 && self.ended {
                break;
            }
            if end == 0 && buffer.len() as u64 > self.most {
                // The place is where the record begins.
                buffer.split_off(0);
                return Err(too_long(self.most));
            }
        }
        self.carry.extend_from_slice(buffer.split_off(end));
        // At the end nothing is looked for any more.
        if let Cut::Spans(finder) = &mut self.cut
            && !self.ended
        {
            finder.rebase(end);
        }
        let last = self.ended && self.failed.is_none();
        // What is missing at the end of the input needs a block to be missing in.
        let mut any = end > 0;
        if let Cut::Elements(finder, start) = &mut self.cut {
            any |= last && !self.closed && finder.state().is_open();
            self.elements = Some((*start, last));
            if !self.ended {
                finder.rebase(end);
            }
            *start = finder.state();
        }
        self.closed |= last;
        Ok(any)
    }

    /// Bytes that were read, `buffer` being the text that has not been handed out yet.
    pub(super) fn bytes_read(&self, buffer: &Buffer) -> u64 {
        self.offset + (self.carry.len() + buffer.len()) as u64
    }

    /// Notes that the text of a block was handed out.
    pub(super) fn advance(&mut self, text: &[u8]) {
        if let Some(max_depth) = self.salvage {
            let marked = self.offset == 0 && text.starts_with(BYTE_ORDER_MARK);
            let text = if marked { &text[BYTE_ORDER_MARK.len()..] } else { text };
            self.key = last_key(text, max_depth).map(Arc::from).or(self.key.take());
        }
        self.offset += text.len() as u64;
        self.column = column_behind(text, self.column);
    }
}

impl Cut {
    /// Passes over a byte order mark at the start of the input.
    fn skip_mark(&mut self, text: &[u8]) {
        if let Cut::Elements(finder, _) = self
            && text.starts_with(BYTE_ORDER_MARK)
        {
            finder.skip(BYTE_ORDER_MARK.len());
        }
    }

    /// The last place where `text` may be cut, 0 if there is none; the first `seen` bytes were looked through before.
    pub(super) fn last(&mut self, text: &[u8], seen: usize, ended: bool) -> usize {
        match self {
            Cut::Boundary(_) | Cut::Spans(_) if ended => text.len(),
            Cut::Boundary(boundary) => boundary.last(text, seen),
            Cut::Spans(finder) => {
                if let Some(start) = last_start(text, seen) {
                    *finder = SpanFinder::starting_at(start);
                    return start;
                }
                let mut end = 0;
                while let Some(span) = finder.next(text) {
                    end = span.end;
                }
                // White space belongs to what is before it.
                if finder.is_between() { text.len() } else { end }
            }
            Cut::Elements(finder, _) => {
                let mut end = 0;
                while finder.next(text).is_some() {
                    end = finder.at();
                }
                if ended || finder.is_between() { text.len() } else { end }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    /// The blocks of a stream of records of at most 20 bytes, and where the error stands that ends it.
    fn blocks(text: Vec<u8>, format: Format, size: usize) -> (Vec<u8>, Option<u64>) {
        let endless = io::Cursor::new(text).chain(io::repeat(b'0'));
        let mut stream = Stream::new(Box::new(endless), format, None, 20);
        let (mut buffer, mut all) = (Buffer::default(), Vec::new());
        loop {
            buffer.clear(size);
            match stream.read(size, &mut buffer) {
                Ok(true) => {
                    stream.advance(buffer.text());
                    all.extend_from_slice(buffer.text());
                }
                Ok(false) => return (all, None),
                Err(error) => {
                    assert!(error.to_string().contains("longer than 20 bytes"), "{error}");
                    return (all, Some(stream.bytes_read(&buffer)));
                }
            }
        }
    }

    #[test]
    fn a_record_without_an_end_is_an_error_with_its_place_behind_all_before() {
        let longest = format!("{}\n", "1".repeat(20));
        for (format, before) in [
            (Format::Lines, "1\n23\n".to_owned()),
            (Format::Lines, format!("1\n{longest}2\n{longest}")),
            (Format::Lines, String::new()),
            (Format::Array, "[1,23,".to_owned()),
            (Format::Comma, "1,23,".to_owned()),
            (Format::Concatenated, "{}{\"a\":1}".to_owned()),
        ] {
            for size in [1, 3, 10, 64, 1 << 16] {
                let (all, failed) = blocks(before.clone().into_bytes(), format, size);
                let case = format!("{format:?} {before:?} in blocks of {size}");
                assert_eq!(String::from_utf8(all).unwrap(), before, "{case}");
                assert_eq!(failed, Some(before.len() as u64), "{case}");
            }
        }
    }

    #[test]
    fn a_line_of_one_byte_too_many_is_an_error() {
        let text = format!("1\n{}\n", "2".repeat(21));
        assert_eq!(blocks(text.into_bytes(), Format::Lines, 4), (b"1\n".to_vec(), Some(2)));
    }

    /// A reader of a few bytes a call, which fails behind them or is not asked again; and how many it has given.
    struct Pieces {
        text: Vec<u8>,
        step: usize,
        given: Arc<AtomicUsize>,
        fails: bool,
        ended: bool,
    }

    impl Read for Pieces {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            assert!(!self.ended, "asked again behind the end");
            let at = self.given.load(Relaxed);
            let count = to.len().min(self.step).min(self.text.len() - at);
            to[..count].copy_from_slice(&self.text[at..at + count]);
            self.given.store(at + count, Relaxed);
            self.ended = count == 0;
            if self.ended && self.fails { Err(io::Error::other("broken")) } else { Ok(count) }
        }
    }

    /// A block: its text, where it began, in which column, and whether its elements are the last.
    type Block = (String, u64, u64, Option<bool>);

    /// The blocks of some text, at most as many as it could have, and whether an error ended them.
    fn read_all(text: &str, format: Format, size: usize, fails: bool) -> (Vec<Block>, bool) {
        let given = Arc::new(AtomicUsize::new(0));
        let text = text.as_bytes().to_vec();
        let most = text.len() + 2;
        let reader = Pieces { text, step: 5, given: given.clone(), fails, ended: false };
        let mut stream = Stream::new(Box::new(reader), format, None, 1 << 20);
        let (mut buffer, mut all) = (Buffer::default(), Vec::new());
        while all.len() < most {
            buffer.clear(size);
            let place = (stream.offset, stream.column);
            let read = stream.read(size, &mut buffer);
            assert_eq!(stream.bytes_read(&buffer), given.load(Relaxed) as u64);
            match read {
                Ok(true) => {
                    let text = String::from_utf8(buffer.text().to_vec()).unwrap();
                    all.push((text, place.0, place.1, stream.elements.map(|(_, last)| last)));
                    stream.advance(buffer.text());
                }
                Ok(false) => return (all, false),
                Err(error) => {
                    assert_eq!(error.to_string(), "broken");
                    return (all, true);
                }
            }
        }
        panic!("no end: {all:?}");
    }

    #[test]
    fn blocks_are_the_text_with_its_places() {
        for (format, text) in [
            (Format::Lines, "{\"a\":1}\n\n23\n{\"b\":\"c d\"}\n4"),
            (Format::Sequence, "\x1e{\"a\":\n1}\n\x1e23\n\x1e[\n1]\n"),
            (Format::Concatenated, "{\"a\":\n1}{} [\n1]\n\n12 {\"b\":[[]]}"),
            (Format::Array, " [{\"a\":\n1}, {} ,[\n1]\n,\n12,{\"b\":[[]]}]\n"),
            (Format::Array, "\u{feff}[{\"a\":\n1},{},[1],12]"),
            (Format::Comma, "{\"a\":\n1}, {} ,[\n1]\n,\n12,{\"b\":[[]]}"),
        ] {
            for size in [1, 3, 4, 7, 10, 64, 1 << 16] {
                let (blocks, failed) = read_all(text, format, size, false);
                let case = format!("{format:?} {text:?} in blocks of {size}: {blocks:?}");
                assert!(!failed, "{case}");
                let mut whole = String::new();
                for (number, (block, offset, column, last)) in blocks.iter().enumerate() {
                    let line = whole.rfind('\n').map_or(0, |newline| newline + 1);
                    assert_eq!((*offset, *column), (whole.len() as u64, (whole.len() - line) as u64), "{case}");
                    assert!(last.is_none_or(|last| last == (number + 1 == blocks.len())) || block.is_empty(), "{case}");
                    whole += block;
                }
                assert_eq!(whole, text, "{case}");
            }
        }
    }

    fn texts(text: &str, format: Format, size: usize) -> Vec<String> {
        read_all(text, format, size, false).0.into_iter().map(|block| block.0).collect()
    }

    #[test]
    fn blocks_are_cut_behind_whole_records() {
        assert_eq!(texts("1\n23\n4", Format::Lines, 3), ["1\n", "23\n", "4"]);
        assert_eq!(texts("{}  {}", Format::Concatenated, 4), ["{}  ", "{}"]);
        assert_eq!(texts("[1,  2]", Format::Array, 4), ["[1, ", " 2]"]);
        assert_eq!(texts("\u{feff}[1,2,3]", Format::Array, 6), ["\u{feff}[1,", "2,3]"]);
    }

    /// What is missing at the end of an array needs a block to be missing in, also behind the last text, and once.
    #[test]
    fn the_end_of_an_array_that_is_open_has_a_block() {
        assert_eq!(texts("[1,", Format::Array, 3), ["[1,", ""]);
        assert_eq!(texts("[1]", Format::Array, 3), ["[1]"]);
        assert_eq!(texts("1,2,", Format::Comma, 4), ["1,2,"]);
        assert_eq!(texts("[1,2", Format::Array, 64), ["[1,2"]);
    }

    #[test]
    fn a_reader_that_fails_does_so_behind_the_whole_records() {
        for size in [3, 4, 64] {
            for (format, text, whole) in [
                (Format::Lines, "1\n23\n4", "1\n23\n"),
                (Format::Concatenated, "{}[1][", "{}[1]"),
                (Format::Array, "[1,23,4", "[1,23,"),
            ] {
                let (blocks, failed) = read_all(text, format, size, true);
                assert!(failed && blocks.iter().all(|block| block.3 != Some(true)), "{blocks:?}");
                assert_eq!(blocks.into_iter().map(|block| block.0).collect::<String>(), whole);
            }
        }
    }

    #[test]
    fn the_key_is_that_of_the_last_good_record() {
        let mut stream = Stream::new(Box::new(io::empty()), Format::Lines, Some(8), 1 << 20);
        for (text, key) in [
            ("{\"id\":1}\n{\"\n", "{\"id\":"),
            ("no record\n", "{\"id\":"),
            ("\u{feff}{\"marked\":1}\n", "{\"id\":"),
            ("{\"a\":1}\n{ \"b\" :2}\n", "{ \"b\" :"),
        ] {
            stream.advance(text.as_bytes());
            assert_eq!(stream.key.as_deref(), Some(key.as_bytes()), "{text}");
        }
        let mut stream = Stream::new(Box::new(io::empty()), Format::Lines, Some(8), 1 << 20);
        stream.advance("\u{feff}{\"marked\":1}\n".as_bytes());
        assert_eq!(stream.key.as_deref(), Some(&b"{\"marked\":"[..]));
    }
}
