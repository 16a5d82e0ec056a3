//! Concatenated values: a record ends where its brackets are balanced.
//!
//! The finder knows quotes, brackets and the byte before, nothing more: on valid input its spans are the values, and on any
//! other input they are still a pure function of the bytes, whatever the blocks. So that a broken record does not swallow those
//! behind it, a raw newline ends a string, and an opening bracket where no value can stand begins a new record.

use std::ops::Range;

use crate::exact::is_white_space;

/// The next span at or after `from` in text that ends with a whole record.
pub(crate) fn next_span(text: &[u8], from: usize) -> Option<Range<usize>> {
    let mut finder = SpanFinder::starting_at(from);
    finder.next(text).or_else(|| finder.finish(text))
}

/// A resumable search for spans: when the text runs out inside one, it goes on from there once there is more.
#[derive(Clone, Debug)]
pub(crate) struct SpanFinder {
    at: usize,
    start: usize,
    state: State,
    depth: u64,
    /// The last byte outside strings that is no white space; a quote stands for a string.
    before: u8,
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
        Self { at, start: at, state: State::Between, depth: 0, before: 0 }
    }

    /// Follows the text when its first `bytes` were taken away; no span may have begun there.
    pub(crate) fn rebase(&mut self, bytes: usize) {
        self.at -= bytes;
        self.start = self.start.saturating_sub(bytes);
    }

    /// The next span that is complete in `text`, which holds what it held at the call before, or more.
    pub(crate) fn next(&mut self, text: &[u8]) -> Option<Range<usize>> {
        while let Some(&byte) = text.get(self.at) {
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
            b'{' | b'[' if !matches!(self.before, b'{' | b'[' | b',' | b':') => return Some(self.end(self.at)),
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
}
