//! Formats: how records are told apart in the text of an input.
//!
//! A format answers two questions, both as a pure function of the input's bytes: where a stream may be cut into blocks (for
//! `input`), and where the records of a block begin and end (for the engines). One file a format; neither question is answered
//! anywhere else.

pub(crate) mod concatenated;
pub(crate) mod detect;
pub(crate) mod elements;
mod inside;
pub(crate) mod lines;
pub(crate) mod sequence;
pub(crate) mod several;

use std::fmt;
use std::ops::Range;

use self::concatenated::next_span;
use self::elements::{ElementState, Elements};
use crate::block::{BlockPlace, Padded};
use crate::engine::{BadRecord, Next, Summary};
use crate::exact::is_white_space;
use crate::fault::Refusal;
use crate::padded::Text;
use crate::record::Span;

/// How records stand in the input.
///
/// ```
/// use ndskim::{Format, Scan};
/// let text = b"{\n  \"n\": 1\n}\n{\"n\":2}{\"n\":3}";
/// let numbers = Scan::bytes(text).format(Format::Concatenated).map(|record| record.get("n").unwrap().unwrap().as_i64());
/// assert_eq!(numbers.unwrap().value, [1, 2, 3].map(|n| Ok(Some(n))));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// One value a line: newline-delimited JSON, JSON Lines. Lines of white space are no records.
    #[default]
    Lines,
    /// As [`Lines`](Self::Lines), but with any number of values on a line, with or without white space between them.
    SeveralPerLine,
    /// Values back to back, with or without white space between and inside them: pretty-printed or concatenated JSON.
    ///
    /// A record ends where its brackets are balanced. An opening bracket where no value can stand begins a new record, and a
    /// raw newline ends a string, so that a broken record does not swallow all that follow.
    Concatenated,
    /// A JSON text sequence (RFC 7464): before each record a record separator (0x1e), behind it a newline.
    ///
    /// ```
    /// use ndskim::{Format, Scan};
    /// let outcome = Scan::bytes(b"\x1e{\"a\":1}\n\x1e[\n2\n]\n").format(Format::Sequence).for_each(|_| ()).unwrap();
    /// assert_eq!(outcome.stats.records, 2);
    /// ```
    Sequence,
    /// One big array, each element of which is a record. Commas and the brackets of the array belong to no record.
    ///
    /// ```
    /// use ndskim::{Format, Scan};
    /// let outcome = Scan::bytes(b"[{\"a\":1},\n {\"a\":2}]").format(Format::Array).for_each(|_| ()).unwrap();
    /// assert_eq!(outcome.stats.records, 2);
    /// ```
    Array,
    /// Values with commas between them, or with one behind each, also over several lines.
    Comma,
    /// One of the others for each input, as its first 64 KiB look; the [`Outcome`](crate::Outcome) says which in its notices.
    /// What is nothing but an empty array is an array of no records.
    ///
    /// ```
    /// use ndskim::{Format, Scan};
    /// let outcome = Scan::bytes(b"[\n {\"a\":1},\n {\"a\":2}\n]").format(Format::Auto).for_each(|_| ()).unwrap();
    /// assert_eq!(outcome.stats.records, 2);
    /// assert_eq!(outcome.notices[0].to_string(), "<bytes>: read as array");
    /// ```
    Auto,
}

impl Format {
    /// The name of the format.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Lines => "lines",
            Format::SeveralPerLine => "several values per line",
            Format::Concatenated => "concatenated",
            Format::Sequence => "seq",
            Format::Array => "array",
            Format::Comma => "comma",
            Format::Auto => "auto",
        }
    }

    /// The byte at which input may be cut; `None` if that takes more than a byte to tell.
    pub(crate) fn boundary(self) -> Option<Boundary> {
        match self {
            Format::Lines | Format::SeveralPerLine => Some(Boundary::Behind(b'\n')),
            Format::Sequence => Some(Boundary::Before(sequence::SEPARATOR)),
            Format::Concatenated | Format::Array | Format::Comma | Format::Auto => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A byte at which input may be cut, whatever comes before.
///
/// Behind a newline, blocks of a file are read side by side. Before another byte they are not, because the column of what
/// begins there is only known to whoever has read the line before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// A record ends with this byte.
    Behind(u8),
    /// A record begins with this byte.
    Before(u8),
}

impl Boundary {
    /// The last place at which text may be cut, 0 if there is none; the first `seen` bytes were looked through before.
    pub(crate) fn last(self, text: &[u8], seen: usize) -> usize {
        match self {
            Boundary::Behind(byte) => memchr::memrchr(byte, &text[seen..]).map_or(0, |length| seen + length + 1),
            Boundary::Before(byte) => memchr::memrchr(byte, &text[seen..]).map_or(0, |length| seen + length),
        }
    }
}

/// What a format finds in text, in order. What is in none of them separates.
#[derive(Debug)]
pub(crate) enum Item {
    /// The text of a record.
    Record(Range<usize>),
    /// A line of white space.
    Blank(Range<usize>),
    /// Text that the format has no place for.
    Wrong(Range<usize>, Refusal),
}

/// The items of a block.
enum Items {
    Lines(usize),
    Several(several::Values),
    Concatenated(usize),
    Sequence(usize),
    /// Elements, and whether the block is the last of its input.
    Elements(Elements, bool),
}

impl Items {
    fn of(format: Format, place: &BlockPlace) -> Self {
        let elements = |start| {
            let (state, last) = place.elements.unwrap_or((start, true));
            Items::Elements(Elements::new(state), last)
        };
        match format {
            Format::Lines | Format::Auto => Items::Lines(0),
            Format::SeveralPerLine => Items::Several(several::Values::new()),
            Format::Concatenated => Items::Concatenated(0),
            Format::Sequence => Items::Sequence(0),
            Format::Array => elements(ElementState::ARRAY),
            Format::Comma => elements(ElementState::COMMA),
        }
    }

    fn next(&mut self, text: &[u8]) -> Option<Item> {
        match self {
            Items::Lines(at) => {
                let line = lines::line_at(text, *at)?;
                *at = line.end + 1;
                let blank = text[line.clone()].iter().all(|&byte| is_white_space(byte));
                Some(if blank { Item::Blank(line) } else { Item::Record(line) })
            }
            Items::Several(values) => values.next(text),
            Items::Concatenated(at) => {
                let span = next_span(text, *at)?;
                *at = span.end;
                Some(Item::Record(span))
            }
            Items::Sequence(at) => {
                let (item, resume) = sequence::next(text, *at)?;
                *at = resume;
                Some(item)
            }
            Items::Elements(elements, last) => elements.next(text).or_else(|| elements.finish(text, *last)),
        }
    }
}

/// Hands the text of each record of a block to `visit`, in order, and what the format has no place for as a bad record.
///
/// This is for engines that read record by record; one that finds boundaries on its own goes without.
pub(crate) fn each_record<'b>(
    format: Format,
    text: Padded<'b>,
    place: &BlockPlace,
    mut visit: impl FnMut(Result<Text<'b>, BadRecord>, Span) -> Next,
) -> Summary {
    let padded = text;
    let text = text.text();
    let mut summary = Summary::default();
    let mut column = place.column;
    let mut counted = 0;
    let mut items = Items::of(format, place);
    while let Some(item) = items.next(text) {
        let (Item::Record(Range { start, .. })
        | Item::Blank(Range { start, .. })
        | Item::Wrong(Range { start, .. }, _)) = item;
        let between = &text[counted..start];
        let newlines = bytecount::count(between, b'\n') as u64;
        summary.lines += newlines;
        column = match memchr::memrchr(b'\n', between) {
            Some(newline) => (between.len() - newline - 1) as u64,
            None => column + between.len() as u64,
        };
        counted = start;
        let span = Span { start, line: summary.lines, column };
        let record = match item {
            Item::Blank(_) => {
                summary.blank += 1;
                continue;
            }
            Item::Record(record) => Ok(padded.part(record)),
            Item::Wrong(wrong, refusal) => Err(BadRecord { span: wrong, line: span.line, refusal }),
        };
        if visit(record, span) == Next::Stop {
            summary.stopped = true;
            return summary;
        }
    }
    summary.lines += bytecount::count(&text[counted..], b'\n') as u64;
    summary
}
