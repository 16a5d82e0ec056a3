//! Concatenated values: a record ends where its brackets are balanced.
//!
//! The finder knows quotes, brackets and the byte before, nothing more: on valid input its spans are the values, and on any
//! other input they are still a pure function of the bytes, whatever the blocks. So that a broken record does not swallow those
//! behind it, a raw newline ends a string, and an opening bracket where no value can stand begins a new record.

use std::ops::Range;

use super::inside::{self, Inside};
use crate::exact::is_white_space;
use crate::kernel::{Kernel, VECTOR};

/// The next span at or after `from` in text that ends with a whole record.
pub(crate) fn next_span(text: &[u8], from: usize) -> Option<Range<usize>> {
    let mut finder = SpanFinder::starting_at(from);
    finder.next(text).or_else(|| finder.finish(text))
}

/// The last place behind the first `seen` bytes where a span begins whatever is before the text; none if there is no such.
///
/// Behind a newline no string goes on and no scalar, so that an opening bracket there begins a span unless the byte before the
/// newline, white space aside, is one behind which a container may stand.
pub(crate) fn last_start(text: &[u8], seen: usize) -> Option<usize> {
    let from = seen.max(text.len().saturating_sub(LOOK_BACK));
    let mut end = text.len();
    while let Some(bracket) = memchr::memrchr2(b'{', b'[', text.get(from..end)?) {
        let bracket = from + bracket;
        if bracket > seen && text[bracket - 1] == b'\n' {
            let before = text[..bracket].iter().rev().find(|byte| !is_white_space(**byte));
            if before.is_some_and(|before| !MAY_OPEN.contains(before)) {
                return Some(bracket);
            }
        }
        end = bracket;
    }
    None
}

/// How far back [`last_start`] looks: where there is none, little time is lost.
const LOOK_BACK: usize = 128 << 10;

/// Bytes behind which a container may stand in another.
const MAY_OPEN: &[u8] = b"{[,:";

/// A resumable search for spans: when the text runs out inside one, it goes on from there once there is more.
#[derive(Clone, Debug)]
pub(crate) struct SpanFinder {
    at: usize,
    start: usize,
    state: State,
    depth: u64,
    /// The last byte outside strings that is no white space; a quote stands for a string.
    before: u8,
    /// Where it may be worth while again to look at whole vectors.
    slow_until: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Between,
    Scalar,
    InString,
    InContainer,
}

impl SpanFinder {
    pub(crate) fn starting_at(at: usize) -> Self {
        Self { at, start: at, state: State::Between, depth: 0, before: 0, slow_until: 0 }
    }

    /// Follows the text when its first `bytes` were taken away; no span may have begun there.
    pub(crate) fn rebase(&mut self, bytes: usize) {
        self.at -= bytes;
        self.slow_until = self.slow_until.saturating_sub(bytes);
        self.start = self.start.saturating_sub(bytes);
    }

    /// The next span that is complete in `text`, which holds what it held at the call before, or more.
    pub(crate) fn next(&mut self, text: &[u8]) -> Option<Range<usize>> {
        let kernel = Kernel::chosen();
        while let Some(&byte) = text.get(self.at) {
            if self.at >= self.slow_until && self.pass_vectors(kernel, text) {
                continue;
            }
            match self.state {
                State::Between => self.begin(byte),
                State::Scalar if is_white_space(byte) || matches!(byte, b'{' | b'[' | b'"') => {
                    return Some(self.end(self.at));
                }
                State::Scalar => self.at += 1,
                State::InString => match memchr::memchr3(b'"', b'\\', b'\n', &text[self.at..]) {
                    None => self.at = text.len(),
                    Some(length) => {
                        self.at += length;
                        // The byte behind a backslash may not be there yet: stay on the backslash until it is.
                        if text[self.at] == b'\\' {
                            match text.get(self.at + 1) {
                                None => return None,
                                Some(b'\n') => self.at += 1,
                                Some(_) => self.at += 2,
                            }
                            continue;
                        }
                        self.at += 1;
                        if self.depth == 0 {
                            return Some(self.end(self.at));
                        }
                        self.state = State::InContainer;
                        self.before = b'"';
                    }
                },
                State::InContainer => {
                    if let Some(span) = self.inside(byte) {
                        return Some(span);
                    }
                }
            }
        }
        None
    }

    /// The span that the end of the input ends, if one has begun.
    pub(crate) fn finish(&mut self, text: &[u8]) -> Option<Range<usize>> {
        (self.state != State::Between).then(|| self.end(text.len()))
    }

    /// Whether no span has begun, so that the text may be cut here.
    pub(crate) fn is_between(&self) -> bool {
        self.state == State::Between
    }

    /// Inside a container, goes on by whole vectors for as long as nothing happens in them. What it stops at is then looked
    /// at byte by byte, by the length of a vector at least. Tells whether it got anywhere.
    fn pass_vectors(&mut self, kernel: Kernel, text: &[u8]) -> bool {
        let in_string = self.state == State::InString;
        if self.depth == 0 || (!in_string && self.state != State::InContainer) {
            return false;
        }
        let may_open = MAY_OPEN.contains(&self.before);
        let from = Inside { at: self.at, depth: self.depth, in_string, escaped: false, may_open };
        let here = inside::pass_vectors(kernel, text, from);
        // An escaped byte is read with its backslash.
        self.at = here.at - usize::from(here.escaped);
        self.depth = here.depth;
        self.state = if here.in_string { State::InString } else { State::InContainer };
        if here.at > from.at && !here.in_string {
            let passed = &text[self.start..here.at];
            self.before = passed.iter().rev().copied().find(|byte| !is_white_space(*byte)).unwrap_or(self.before);
        }
        self.slow_until = here.at + VECTOR;
        here.at > from.at
    }

    fn begin(&mut self, byte: u8) {
        self.start = self.at;
        self.at += 1;
        self.before = byte;
        self.depth = 0;
        self.state = match byte {
            _ if is_white_space(byte) => State::Between,
            b'"' => State::InString,
            b'{' | b'[' => {
                self.depth = 1;
                State::InContainer
            }
            _ => State::Scalar,
        };
    }

    fn inside(&mut self, byte: u8) -> Option<Range<usize>> {
        match byte {
            b'"' => self.state = State::InString,
            b'{' | b'[' if !MAY_OPEN.contains(&self.before) => return Some(self.end(self.at)),
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        if !is_white_space(byte) {
            self.before = byte;
        }
        self.at += 1;
        (self.depth == 0).then(|| self.end(self.at))
    }

    fn end(&mut self, at: usize) -> Range<usize> {
        self.state = State::Between;
        self.depth = 0;
        self.at = at;
        self.start..at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Vec<&str> {
        let mut finder = SpanFinder::starting_at(0);
        let mut found: Vec<_> = std::iter::from_fn(|| finder.next(text.as_bytes())).collect();
        found.extend(finder.finish(text.as_bytes()));
        found.into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn values_are_told_apart_without_newlines() {
        assert_eq!(
            spans("{\"a\":1}{\"b\":[2]} [3]\"x\"1 2 true"),
            ["{\"a\":1}", "{\"b\":[2]}", "[3]", "\"x\"", "1", "2", "true"]
        );
        assert_eq!(spans("{\n  \"a\": [\n    {}\n  ]\n}\n{\n}\n"), ["{\n  \"a\": [\n    {}\n  ]\n}", "{\n}"]);
        assert_eq!(spans(r#"{"}":"\"}{"}[]"#), [r#"{"}":"\"}{"}"#, "[]"]);
        assert_eq!(spans(" \n "), [""; 0]);
    }

    #[test]
    fn a_broken_value_costs_no_more_than_it_must() {
        assert_eq!(spans("{\"a\":\"x\n{\"b\":1}\n{\"c\":2}"), ["{\"a\":\"x\n", "{\"b\":1}", "{\"c\":2}"]);
        assert_eq!(spans("{\"a\":1\n{\"b\":1}"), ["{\"a\":1\n", "{\"b\":1}"]);
        assert_eq!(spans("]{}"), ["]", "{}"]);
        assert_eq!(spans("{\"a\":"), ["{\"a\":"]);
        assert_eq!(spans("\"a\n1"), ["\"a\n", "1"]);
    }

    /// The same spans as without a look at whole vectors, for text of all kinds.
    #[test]
    fn vectors_are_passed_only_where_nothing_happens() {
        let parts = [
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\"a\"",
            "\\",
            "\\\"",
            " ",
            "\n",
            "  \n   ",
            "1",
            "\"long enough to fill a good part of a vector\"",
            "{\"a\":[1,2,{}],\"b\":\"}\"}",
            "[[[[[[",
            "]]]]]]",
            "{\"a\":{\"b\":{\"c\":[",
            "]}}}",
        ];
        let mut random = 88172645463325252u64;
        for round in 0..4000 {
            let mut text = String::from("{\"key\": [ ");
            for _ in 0..round % 90 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                text += parts[(random >> 20) as usize % parts.len()];
            }
            let mut slow = SpanFinder { slow_until: usize::MAX, ..SpanFinder::starting_at(0) };
            let mut found: Vec<_> = std::iter::from_fn(|| slow.next(text.as_bytes())).collect();
            found.extend(slow.finish(text.as_bytes()));
            let found: Vec<_> = found.into_iter().map(|span| &text[span]).collect();
            assert_eq!(spans(&text), found);
        }
    }

    /// Where a span begins behind a newline, whatever was before, it does so in the whole text too.
    #[test]
    fn a_start_that_needs_no_look_at_what_is_before_is_one() {
        let parts =
            ["{", "}", "[", "]", ",", ":", "\"", "\\", "\n", "\n{", "\n[", " ", "\r", "1", "\"a\"", "{\"b\":[1,{}]}"];
        let mut random = 88172645463325252u64;
        let mut found = 0;
        for round in 0..20_000 {
            let mut text = String::new();
            for _ in 0..round % 40 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                text += parts[(random >> 20) as usize % parts.len()];
            }
            let mut finder = SpanFinder::starting_at(0);
            let mut starts: Vec<_> =
                std::iter::from_fn(|| finder.next(text.as_bytes())).map(|span| span.start).collect();
            starts.extend(finder.finish(text.as_bytes()).map(|span| span.start));
            for seen in [0, text.len() / 2] {
                if let Some(start) = last_start(text.as_bytes(), seen) {
                    assert!(start > seen && starts.contains(&start), "{text:?} {start}");
                    found += 1;
                }
            }
        }
        assert!(found > 1000);
        assert_eq!(last_start(b"{}\n[1]\n{\n}", 0), Some(7));
        assert_eq!(last_start(b"{}\n[1]\n{\n}", 7), None);
        assert_eq!(last_start(b"{\"a\":\n{}", 0), None);
    }

    #[test]
    fn spans_do_not_depend_on_how_the_text_arrives() {
        let text = "{\"a\\\"\":\"\\\\\"}{\"b\":[1,{}]}\n\"\\\"x\" 12 {\"a\":\"x\n[{\"c\":\"\\\n{}";
        let whole = spans(text);
        for step in 1..9 {
            let mut finder = SpanFinder::starting_at(0);
            let mut found = Vec::new();
            for end in (0..=text.len()).step_by(step).chain([text.len()]) {
                found.extend(std::iter::from_fn(|| finder.next(&text.as_bytes()[..end])));
            }
            found.extend(finder.finish(text.as_bytes()));
            assert_eq!(found.into_iter().map(|span| &text[span]).collect::<Vec<_>>(), whole, "step {step}");
        }
    }

    /// Strings with backslashes at every place in a vector, as an escape and escaped, with a quote or a raw newline behind.
    #[test]
    fn backslashes_at_the_edges_of_vectors_escape_what_is_behind_them() {
        for length in 0..140 {
            let filler = "x".repeat(length);
            for backslashes in ["\\\\", "\\\\\\\\", "\\\"", "\\\\\\\"", "\\\"}{\\\\"] {
                let record = format!("{{\"a\":[\"{filler}{backslashes}\",{{\"b\":\"{backslashes}{filler}\"}}]}}");
                assert_eq!(spans(&format!("{record}{record} [1]")), [&record, &record, "[1]"]);
            }
            // A raw newline ends a string, also behind a backslash.
            let broken = format!("{{\"a\":\"{filler}\\\n");
            assert_eq!(spans(&format!("{broken}{{\"b\":\"c\"}}[1]")), [&broken, "{\"b\":\"c\"}", "[1]"]);
        }
    }

    #[test]
    fn the_text_may_be_cut_where_no_span_has_begun() {
        for (text, between) in [
            ("", true),
            (" \n", true),
            ("{}", true),
            ("{} ", true),
            ("{", false),
            ("[{}", false),
            ("1", false),
            ("\"a", false),
        ] {
            let mut finder = SpanFinder::starting_at(0);
            while finder.next(text.as_bytes()).is_some() {}
            assert_eq!(finder.is_between(), between, "{text:?}");
        }
    }

    /// Wherever the text is cut behind a span, what is left of it gives the spans that the whole gives.
    #[test]
    fn the_search_goes_on_when_the_text_before_it_is_taken_away() {
        let filler = "y".repeat(150);
        let text = format!("{{\"a\":[1]}} {{\"b\":\"{filler}\\\"{filler}\"}}[[[ ]]] \"c d\" {{\"e\":{{}}}}");
        let whole = spans(&text);
        for upto in 0..=text.len() {
            let mut finder = SpanFinder::starting_at(0);
            let mut found = Vec::new();
            let mut end = 0;
            while let Some(span) = finder.next(&text.as_bytes()[..upto]) {
                end = span.end;
                found.push(&text[span]);
            }
            finder.rebase(end);
            let rest = &text[end..];
            found.extend(std::iter::from_fn(|| finder.next(rest.as_bytes())).map(|span| &rest[span]));
            found.extend(finder.finish(rest.as_bytes()).map(|span| &rest[span]));
            assert_eq!(found, whole, "cut at {end} of {upto}");
        }
    }
}
