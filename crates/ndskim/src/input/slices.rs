//! Values in memory: blocks are slices of the bytes themselves, cut one behind the other, except at both ends, where padding
//! has to be made by copying.

use std::io;
use std::ops::Range;

use super::memory::EDGE;
use super::stream::{Cut, column_behind};
use super::too_long;
use crate::format::concatenated::SpanFinder;

/// How far a text has been cut.
#[derive(Default)]
pub(super) struct Slices {
    /// Bytes that were handed out, and those since the last newline among them.
    pub(super) at: usize,
    column: u64,
}

impl Slices {
    /// The next whole records of about `size` bytes, or one that is longer, and the column at which they begin; `None` at the
    /// end. Little is taken at the ends of the text, so that little is copied.
    ///
    /// # Errors
    /// A record is longer than `most` bytes.
    pub(super) fn next(&mut self, bytes: &[u8], size: usize, most: u64) -> io::Result<Option<(Range<usize>, u64)>> {
        let rest = &bytes[self.at..];
        let size = if self.at == 0 { size.min(EDGE) } else { size };
        let inner = if rest.len() > 2 * EDGE { rest.len() - EDGE } else { rest.len() };
        let mut cut = Cut::Spans(SpanFinder::starting_at(0));
        let (mut seen, mut end) = (0, 0);
        while end == 0 && seen < rest.len() {
            let wanted = seen + size.max(seen / 4);
            let upto = if wanted > inner && seen < inner { inner } else { rest.len().min(wanted) };
            end = cut.last(&rest[..upto], seen, upto == rest.len());
            seen = upto;
            if end == 0 && seen as u64 > most {
                return Err(too_long(most));
            }
        }
        let (range, column) = (self.at..self.at + end, self.column);
        self.at = range.end;
        self.column = column_behind(&rest[..end], column);
        Ok((end > 0).then_some((range, column)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::concatenated::next_span;

    #[test]
    fn slices_cover_the_bytes_once_and_are_cut_between_spans() {
        let pretty = "{\n  \"a\": [\n    1,\n    {}\n  ]\n}\n";
        for text in [
            pretty.repeat(300),
            "{\"a\":[1,{}]}".repeat(300),
            format!("  \n{}\n[{}]{}", pretty.repeat(20), "1,\n".repeat(3000) + "1", pretty.repeat(40)),
            "1 2 3 \"a\"\n".repeat(400),
            " \n".repeat(2000),
            String::new(),
            "{}".into(),
        ] {
            let bytes = text.as_bytes();
            let mut spans = Vec::new();
            let mut at = 0;
            while let Some(span) = next_span(bytes, at) {
                at = span.end;
                spans.push(span);
            }
            for size in [1, 7, 64, 1000, 1 << 20] {
                let mut slices = Slices::default();
                let mut end = 0;
                while let Some((range, column)) = slices.next(bytes, size, u64::MAX).unwrap() {
                    assert!(range.start == end && !range.is_empty(), "{range:?}");
                    assert!(!spans.iter().any(|span| span.start < end && end < span.end), "cut in a span at {end}");
                    let line = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
                    assert_eq!(column, (end - line) as u64);
                    end = range.end;
                }
                assert_eq!(end, bytes.len());
            }
        }
    }

    #[test]
    fn only_the_ends_are_short() {
        let text = "{\"a\":\n1}\n".repeat(100_000);
        let mut slices = Slices::default();
        let mut lengths = Vec::new();
        while let Some((range, _)) = slices.next(text.as_bytes(), 1 << 16, u64::MAX).unwrap() {
            lengths.push(range.len());
        }
        assert!(lengths[0] <= EDGE && *lengths.last().unwrap() <= 2 * EDGE, "{lengths:?}");
        assert!(lengths[1..lengths.len() - 2].iter().all(|length| *length > (1 << 16) - 16), "{lengths:?}");
    }

    #[test]
    fn a_record_that_is_too_long_is_an_error() {
        let text = format!("{{}}\n[{}]", "1,".repeat(5000));
        let mut slices = Slices::default();
        assert!(slices.next(text.as_bytes(), 64, 1000).unwrap().is_some());
        let error = slices.next(text.as_bytes(), 64, 1000).unwrap_err();
        assert!(error.to_string().contains("longer than 1000 bytes"), "{error}");
        assert_eq!(slices.at, 3);
    }
}
