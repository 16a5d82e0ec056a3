//! Formats: how records are told apart in the text of an input.
//!
//! A format answers two questions, both as a pure function of the input's bytes: where a stream may be cut into blocks (for
//! `input`), and where the records of a block begin and end (for the engines). One file a format; neither question is answered
//! anywhere else.

pub(crate) mod concatenated;
mod inside;
pub(crate) mod lines;

use std::ops::Range;

use crate::block::{BlockPlace, Padded};
use crate::engine::{Next, Summary};
use crate::exact::is_white_space;
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
    /// Values back to back, with or without white space between and inside them: pretty-printed or concatenated JSON.
    ///
    /// A record ends where its brackets are balanced. An opening bracket where no value can stand begins a new record, and a
    /// raw newline ends a string, so that a broken record does not swallow all that follow.
    Concatenated,
}

/// Hands the text of each record of a block to `visit`, in order.
///
/// This is for engines that read record by record; one that finds boundaries on its own goes without.
pub(crate) fn each_record<'b>(
    format: Format,
    text: Padded<'b>,
    place: &BlockPlace,
    mut visit: impl FnMut(Text<'b>, Span) -> Next,
) -> Summary {
    let padded = text;
    let text = text.text();
    let mut summary = Summary::default();
    let mut column = place.column;
    let mut counted = 0;
    // The next record at or after an offset, and the offset to go on from.
    let next = |from: usize| match format {
        Format::Lines => lines::line_at(text, from).map(|line| (line.clone(), line.end + 1)),
        Format::Concatenated => concatenated::next_span(text, from).map(|span| (span.clone(), span.end)),
    };
    let mut at = 0;
    while let Some((Range { start, end }, resume)) = next(at) {
        let between = &text[counted..start];
        summary.lines += memchr::memchr_iter(b'\n', between).count() as u64;
        column = match memchr::memrchr(b'\n', between) {
            Some(newline) => (between.len() - newline - 1) as u64,
            None => column + between.len() as u64,
        };
        counted = start;
        at = resume;
        let record = padded.part(start..end);
        if record.iter().all(|&b| is_white_space(b)) {
            summary.blank += 1;
        } else if visit(record, Span { start, line: summary.lines, column }) == Next::Stop {
            summary.stopped = true;
            return summary;
        }
    }
    summary.lines += memchr::memchr_iter(b'\n', &text[counted..]).count() as u64;
    summary
}
