//! Elements: values between commas, which the formats [`array`](super::Format::Array) and [`comma`](super::Format::Comma)
//! share.
//!
//! The finder knows quotes, brackets, commas and the byte before, nothing more. It is resumable: a stream is cut behind an
//! element, and what the finder knows there, an [`ElementState`], goes with the next block. What stands between elements and
//! should not (a second comma, a value without one, text behind the array) is handed out as wrong, so that no byte is passed
//! over. So that a broken element does not swallow all that follow, a raw newline ends a string, and an opening bracket where
//! no value can stand begins a new element.

use std::ops::Range;

use super::Item;
use crate::exact::is_white_space;
use crate::fault::{Found, Refusal};

/// What is known between two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementState {
    stage: Stage,
    /// Whether elements stand in one pair of brackets.
    array: bool,
    /// The last thing was a comma.
    behind_comma: bool,
    /// What should have stood before the next element.
    missing: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Before the bracket of the array.
    Before,
    Inside,
    /// Behind the bracket of the array.
    After,
    /// The end of the input was dealt with.
    Done,
}

impl ElementState {
    /// The start of an input that is one big array.
    pub(crate) const ARRAY: Self = Self { stage: Stage::Before, array: true, behind_comma: false, missing: None };
    /// The start of an input that is values between commas.
    pub(crate) const COMMA: Self = Self { stage: Stage::Inside, array: false, behind_comma: false, missing: None };

    /// Whether the end of the input is wrong here, though no element is open.
    pub(crate) fn is_open(self) -> bool {
        self.array && self.stage == Stage::Inside
    }
}

/// A resumable search for elements.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    state: ElementState,
    at: usize,
    /// The element that has begun.
    open: Option<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    start: usize,
    first: u8,
    /// Behind the last byte that is no white space.
    last: usize,
    depth: u64,
    in_string: bool,
    /// The last byte outside strings that is no white space; a quote stands for a string.
    before: u8,
}

impl Elements {
    pub(crate) fn new(state: ElementState) -> Self {
        Self { state, at: 0, open: None }
    }

    /// Passes over the first `bytes` of the input.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at = self.at.max(bytes);
    }

    /// What is known at the place that was come to, which must be between two elements.
    pub(crate) fn state(&self) -> ElementState {
        self.state
    }

    /// The place that was come to.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Whether no element has begun, so that the text may be cut here.
    pub(crate) fn is_between(&self) -> bool {
        self.open.is_none()
    }

    /// Follows the text when its first `bytes` were taken away.
    pub(crate) fn rebase(&mut self, bytes: usize) {
        self.at -= bytes;
        if let Some(open) = &mut self.open {
            open.start -= bytes;
            open.last -= bytes;
        }
    }

    /// The next element that is complete in `text`, which holds what it held at the call before, or more. Afterwards the
    /// finder is between two elements.
    pub(crate) fn next(&mut self, text: &[u8]) -> Option<Item> {
        while self.at < text.len() {
            let item = match self.open {
                None => self.between(text[self.at]),
                Some(open) if open.in_string => {
                    if !self.string(text, open) {
                        return None;
                    }
                    None
                }
                Some(open) => self.inside(text[self.at], open),
            };
            if item.is_some() {
                return item;
            }
        }
        None
    }

    /// What the end of the text ends, one thing a call: an element, and at the end of the input (`last`) the whole.
    pub(crate) fn finish(&mut self, text: &[u8], last: bool) -> Option<Item> {
        if let Some(mut open) = self.open {
            if open.in_string {
                open.last = text.len();
            }
            self.at = text.len();
            return Some(self.close(open));
        }
        if last && self.state.is_open() {
            self.state.stage = Stage::Done;
            return Some(wrong(text.len()..text.len(), "`,` or `]`", Found::End));
        }
        None
    }

    /// Between two elements.
    fn between(&mut self, byte: u8) -> Option<Item> {
        let at = self.at;
        let here = at..at + 1;
        match (byte, self.state.stage) {
            _ if is_white_space(byte) => {}
            (b'[', Stage::Before) => self.state.stage = Stage::Inside,
            (_, Stage::Before) => {
                self.state.stage = Stage::Inside;
                self.state.missing = Some("`[`, with which an array begins");
                return None;
            }
            (b',', Stage::Inside) => {
                self.state.behind_comma = true;
                self.at += 1;
                let expected = self.state.missing.take().unwrap_or("a value");
                return Some(wrong(here, expected, Found::Byte(byte)));
            }
            (b']', Stage::Inside) if self.state.array => {
                self.state.stage = Stage::After;
                self.at += 1;
                let missing = self.state.missing.take().or(self.state.behind_comma.then_some("a value"));
                return missing.map(|expected| wrong(here, expected, Found::Byte(byte)));
            }
            _ => {
                if self.state.stage == Stage::After {
                    self.state.missing = Some("nothing behind the array");
                }
                self.state.behind_comma = false;
                self.open = Some(Open { start: at, first: byte, last: at, depth: 0, in_string: false, before: 0 });
                return None;
            }
        }
        self.at += 1;
        None
    }

    /// Goes on in a string; false if the text ends in it.
    fn string(&mut self, text: &[u8], mut open: Open) -> bool {
        let Some(length) = memchr::memchr3(b'"', b'\\', b'\n', &text[self.at..]) else {
            self.at = text.len();
            return false;
        };
        self.at += length;
        if text[self.at] == b'\\' {
            // The byte behind a backslash may not be there yet: stay on the backslash until it is.
            match text.get(self.at + 1) {
                None => return false,
                Some(b'\n') => self.at += 1,
                Some(_) => self.at += 2,
            }
            return true;
        }
        open.last = if text[self.at] == b'"' { self.at + 1 } else { self.at };
        self.at += 1;
        open.in_string = false;
        open.before = b'"';
        self.open = Some(open);
        true
    }

    /// In an element, outside strings.
    fn inside(&mut self, byte: u8, mut open: Open) -> Option<Item> {
        let at = self.at;
        let behind_array = self.state.stage == Stage::After;
        if behind_array {
            // What is behind an array is told apart by lines, so that no more than one is held.
            if byte == b'\n' {
                self.at += 1;
                return Some(self.close(open));
            }
        } else if open.depth == 0 {
            match byte {
                b',' => {
                    self.at += 1;
                    self.state.behind_comma = true;
                    return Some(self.close(open));
                }
                b']' if self.state.array => {
                    self.at += 1;
                    self.state.stage = Stage::After;
                    return Some(self.close(open));
                }
                _ if !is_white_space(byte) && begins_anew(open, at, byte) => {
                    let item = self.close(open);
                    self.state.missing = Some("`,` before the next value");
                    return Some(item);
                }
                _ => {}
            }
        } else if matches!(byte, b'{' | b'[') && !matches!(open.before, b'{' | b'[' | b',' | b':') {
            // The element is broken, and a new one seems to begin.
            return Some(self.close(open));
        }
        match byte {
            b'"' => open.in_string = !behind_array,
            b'{' | b'[' => open.depth += 1,
            b'}' | b']' => open.depth = open.depth.saturating_sub(1),
            _ => {}
        }
        if !is_white_space(byte) {
            open.before = byte;
            open.last = at + 1;
        }
        self.at += 1;
        self.open = Some(open);
        None
    }

    /// Ends the element that has begun.
    fn close(&mut self, open: Open) -> Item {
        self.open = None;
        let span = open.start..open.last;
        match self.state.missing.take() {
            None => Item::Record(span),
            Some(expected) => wrong(span, expected, Found::Byte(open.first)),
        }
    }
}

/// Whether a byte outside brackets, no white space and no comma, begins another element.
fn begins_anew(open: Open, at: usize, byte: u8) -> bool {
    let complete = matches!(open.before, b'}' | b']' | b'"');
    open.before != 0 && (complete || open.last < at || matches!(byte, b'{' | b'[' | b'"'))
}

fn wrong(span: Range<usize>, expected: &'static str, found: Found) -> Item {
    Item::Wrong(span, Refusal::new(0, expected, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elements of a text that arrives in pieces; those that are wrong in angle brackets with what was expected.
    fn elements(state: ElementState, text: &str, step: usize) -> Vec<String> {
        let mut finder = Elements::new(state);
        let mut items = Vec::new();
        for end in (0..text.len()).step_by(step).chain([text.len()]) {
            items.extend(std::iter::from_fn(|| finder.next(&text.as_bytes()[..end])));
        }
        items.extend(std::iter::from_fn(|| finder.finish(text.as_bytes(), true)));
        let show = |item| match item {
            Item::Record(span) => text[span].to_owned(),
            Item::Wrong(span, refusal) => format!("<{}> {}", &text[span], refusal.reason.expected()),
            Item::Blank(_) => unreachable!(),
        };
        items.into_iter().map(show).collect()
    }

    fn check(state: ElementState, text: &str, expected: &[&str]) {
        for step in 1..9 {
            assert_eq!(elements(state, text, step), expected, "{text} in steps of {step}");
        }
    }

    fn array(text: &str, expected: &[&str]) {
        check(ElementState::ARRAY, text, expected);
    }

    fn comma(text: &str, expected: &[&str]) {
        check(ElementState::COMMA, text, expected);
    }

    #[test]
    fn elements_stand_between_the_brackets_of_an_array() {
        array("[]", &[]);
        array(" [ ] \n", &[]);
        array("", &[]);
        array("[1, {\"a\":[2,3]} ,\"],\",\n[4]\n]\n", &["1", "{\"a\":[2,3]}", "\"],\"", "[4]"]);
        array(r#"["\"]",{"\\":"}"}]"#, &[r#""\"]""#, r#"{"\\":"}"}"#]);
    }

    #[test]
    fn what_is_wrong_between_elements_is_handed_out() {
        array("[1,2", &["1", "2", "<> `,` or `]`"]);
        array("[1,", &["1", "<> `,` or `]`"]);
        array("[", &["<> `,` or `]`"]);
        array("[1,]", &["1", "<]> a value"]);
        array("[,1]", &["<,> a value", "1"]);
        array("[1,,2]", &["1", "<,> a value", "2"]);
        array("[{}{}]", &["{}", "<{}> `,` before the next value"]);
        array("[1 2,3]", &["1", "<2> `,` before the next value", "3"]);
        array("{},{}", &["<{}> `[`, with which an array begins", "{}", "<> `,` or `]`"]);
        array("]", &["<]> `[`, with which an array begins"]);
        array(" ]\n1", &["<]> `[`, with which an array begins", "<1> nothing behind the array"]);
        array(",1]", &["<,> `[`, with which an array begins", "1"]);
        array("[1]2 3\n4", &["1", "<2 3> nothing behind the array", "<4> nothing behind the array"]);
        array(
            "[1] ]\n\"\n\"",
            &["1", "<]> nothing behind the array", "<\"> nothing behind the array", "<\"> nothing behind the array"],
        );
    }

    #[test]
    fn values_stand_between_commas_or_have_one_behind_them() {
        comma("1,2,3", &["1", "2", "3"]);
        comma("{\"a\":1},\n{\"a\":2},\n", &["{\"a\":1}", "{\"a\":2}"]);
        comma("", &[]);
        comma(",1", &["<,> a value", "1"]);
        comma("{}\n{}\n", &["{}", "<{}> `,` before the next value"]);
        comma("1],2", &["1]", "2"]);
    }

    #[test]
    fn a_broken_element_costs_no_more_than_it_must() {
        array("[{\"a\":\"x\n},{\"b\":1}]", &["{\"a\":\"x\n}", "{\"b\":1}"]);
        array("[{\"a\":1 {\"b\":1}]", &["{\"a\":1", "{\"b\":1}"]);
        array("[{\"a\":1}},2]", &["{\"a\":1}", "<}> `,` before the next value", "2"]);
        array("[{\"a\":", &["{\"a\":", "<> `,` or `]`"]);
        array("[\"a", &["\"a", "<> `,` or `]`"]);
    }

    #[test]
    fn a_mark_at_the_start_is_passed_over() {
        let text = "\u{feff}[1]";
        let mut finder = Elements::new(ElementState::ARRAY);
        finder.skip("\u{feff}".len());
        assert!(matches!(finder.next(text.as_bytes()), Some(Item::Record(span)) if &text[span.clone()] == "1"));
        assert!(finder.next(text.as_bytes()).is_none() && finder.finish(text.as_bytes(), true).is_none());
    }

    #[test]
    fn a_bracket_closes_nothing_where_there_is_no_array() {
        comma("1,],2", &["1", "]", "2"]);
    }

    #[test]
    fn a_backslash_before_a_raw_newline_escapes_nothing() {
        array("[\"a\\\n,2]", &["\"a\\", "2"]);
        array("[\"\\\\\n,\"\\\\\",2]", &["\"\\\\", "\"\\\\\"", "2"]);
    }

    #[test]
    fn the_text_may_be_cut_where_no_element_has_begun() {
        for (text, between, at) in
            [("[", true, 1), ("[1", false, 2), ("[1, ", true, 4), ("[1,2", false, 4), ("[] x\n", true, 5)]
        {
            let mut finder = Elements::new(ElementState::ARRAY);
            let mut behind_last = 0;
            while finder.next(text.as_bytes()).is_some() {
                behind_last = finder.at();
            }
            assert_eq!((finder.is_between(), finder.at()), (between, at), "{text:?}");
            // Behind the array the newline belongs to what is before it.
            assert!(!text.ends_with('\n') || behind_last == text.len());
        }
    }

    /// Wherever the text is cut behind an element, what is left of it gives the elements that the whole gives.
    #[test]
    fn the_search_goes_on_when_the_text_before_it_is_taken_away() {
        let text = b"[1, {\"a\":[2,\"\\\"],\"]} ,\"b c\"\n,[[4] ] , 55]";
        let whole = ["1", "{\"a\":[2,\"\\\"],\"]}", "\"b c\"", "[[4] ]", "55"];
        for upto in 0..=text.len() {
            let mut finder = Elements::new(ElementState::ARRAY);
            let mut found = Vec::new();
            let mut end = 0;
            let mut note = |item, text: &[u8]| match item {
                Item::Record(span) => found.push(String::from_utf8(text[span].to_vec()).unwrap()),
                item => panic!("{item:?}"),
            };
            while let Some(item) = finder.next(&text[..upto]) {
                end = finder.at();
                note(item, text);
            }
            finder.rebase(end);
            let rest = &text[end..];
            while let Some(item) = finder.next(rest) {
                note(item, rest);
            }
            assert!(finder.finish(rest, true).is_none());
            assert_eq!(found, whole, "cut at {end} of {upto}");
        }
    }
}
