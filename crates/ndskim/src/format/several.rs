//! Several values a line: a newline ends a record, and within a line a record also ends where its brackets are balanced.

use super::Item;
use super::concatenated::next_span;
use crate::exact::is_white_space;

/// A search through the values of lines.
pub(crate) struct Values {
    at: usize,
    /// The end of the line that `at` is in.
    end: Option<usize>,
}

impl Values {
    pub(crate) fn new() -> Self {
        Self { at: 0, end: None }
    }

    /// The next value, or a line without any, of text that ends with a whole line.
    pub(crate) fn next(&mut self, text: &[u8]) -> Option<Item> {
        while self.at < text.len() {
            let begins = self.end.is_none();
            let rest = &text[self.at..];
            let end = *self.end.get_or_insert_with(|| self.at + memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
            let line = &text[..end];
            if let Some(span) = next_span(line, self.at) {
                self.at = span.end;
                return Some(Item::Record(span));
            }
            let blank = self.at..end;
            debug_assert!(line[blank.clone()].iter().all(|&byte| is_white_space(byte)));
            self.at = end + 1;
            self.end = None;
            if begins {
                return Some(Item::Blank(blank));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values, and lines without any in angle brackets; more than there can be would be endless.
    fn values(text: &str) -> Vec<String> {
        let mut values = Values::new();
        let items = std::iter::from_fn(|| values.next(text.as_bytes())).take(text.len() + 2);
        let show = |item| match item {
            Item::Record(span) => text[span].to_owned(),
            Item::Blank(span) => format!("<{}>", &text[span]),
            Item::Wrong(..) => unreachable!(),
        };
        items.map(show).collect()
    }

    #[test]
    fn a_line_has_any_number_of_values() {
        assert_eq!(values("1 2\n\n{\"a\":1}[3] \n \t\n4"), ["1", "2", "<>", "{\"a\":1}", "[3]", "< \t>", "4"]);
        assert_eq!(values("{}{}\n"), ["{}", "{}"]);
        assert_eq!(values(""), [""; 0]);
        assert_eq!(values("\n"), ["<>"]);
    }

    #[test]
    fn a_newline_ends_a_value_that_is_open() {
        assert_eq!(values("{\"a\":[1\n2]}\n\"x\n3"), ["{\"a\":[1", "2]}", "\"x", "3"]);
    }
}
