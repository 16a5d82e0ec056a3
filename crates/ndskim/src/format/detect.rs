//! What the beginning of an input says about its format.

use super::{Format, sequence};
use crate::exact::{skip_white_space, validate_value};

/// Bytes of an input that are looked at.
pub(crate) const HEAD: usize = 64 << 10;

/// What the text of an input may begin with, and which is no part of its records.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The format that the beginning of an input is most likely in; `whole` tells whether it is all of the input.
///
/// The first value and what follows it decide. Where that is not enough, it is lines.
pub(crate) fn detect(head: &[u8], whole: bool, max_depth: u32) -> Format {
    let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
    let start = skip_white_space(head, 0);
    let first = head.get(start);
    if first == Some(&sequence::SEPARATOR) {
        return Format::Sequence;
    }
    let newline = memchr::memchr(b'\n', &head[start..]).map_or(head.len(), |length| start + length);
    let end = match validate_value(head, start, max_depth) {
        Ok(end) => end,
        Err(refusal) => {
            let several_lines = refusal.offset > newline;
            return match first {
                Some(b'[') if several_lines || (newline == head.len() && refusal.offset == newline) => Format::Array,
                // Lines of which the first is cut.
                Some(b'{') if several_lines && second_is_record(&head[newline + 1..], max_depth) => Format::Lines,
                Some(b'{') if several_lines => Format::Concatenated,
                _ => Format::Lines,
            };
        }
    };
    let next = skip_white_space(head, end);
    let several_lines = end > newline;
    match head.get(next) {
        Some(b',') => Format::Comma,
        None if whole && holds_records(head, start) => Format::Array,
        _ if several_lines => Format::Concatenated,
        None => Format::Lines,
        Some(_) if next > newline => Format::Lines,
        Some(_) if newline < head.len() && are_values(&head[next..newline], max_depth) => Format::SeveralPerLine,
        Some(_) => Format::Concatenated,
    }
}

fn second_is_record(lines: &[u8], max_depth: u32) -> bool {
    let line = lines.split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.first() == Some(&b'{') && crate::exact::validate_record(line, max_depth).is_ok()
}

/// Whether a value is an array, and its first element an object or an array; one without elements is an array of no records.
fn holds_records(head: &[u8], start: usize) -> bool {
    head.get(start) == Some(&b'[') && matches!(head.get(skip_white_space(head, start + 1)), Some(b'{' | b'[' | b']'))
}

fn are_values(line: &[u8], max_depth: u32) -> bool {
    let mut at = 0;
    while at < line.len() {
        match validate_value(line, at, max_depth) {
            Ok(end) => at = skip_white_space(line, end),
            Err(_) => return false,
        }
    }
    true
}

/// Where the first line ends, if the input looks like a document that goes on over several lines, and is to be read as lines:
/// its first line is nothing but an opening bracket or two, and its second is no value either.
pub(crate) fn several_lines(head: &[u8], whole: bool, max_depth: u32) -> Option<usize> {
    let mark = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let start = skip_white_space(head, mark);
    let end = start + memchr::memchr(b'\n', head.get(start..)?)?;
    let first = head[start..end].trim_ascii_end();
    if first.is_empty() || !first.iter().all(|byte| b"{[ \t".contains(byte)) {
        return None;
    }
    let next = skip_white_space(head, end);
    let rest = &head[next..];
    let second = match memchr::memchr(b'\n', rest) {
        Some(length) => &rest[..length],
        None if whole && !rest.is_empty() => rest,
        None => return None,
    };
    crate::exact::validate_record(second, max_depth).is_err().then_some(start + first.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_tells_the_format() {
        let cases = [
            ("", Format::Lines),
            ("{\"a\":1}\n{\"a\":2}\n", Format::Lines),
            ("{\"a\":1}", Format::Lines),
            ("{\"a\":1}\n", Format::Lines),
            ("[1,2]\n[3]\n", Format::Lines),
            ("[1,2]\n", Format::Lines),
            ("1\n2\n", Format::Lines),
            ("{\"a\":\n{\"a\":1}\n", Format::Lines),
            ("no\n{}\n", Format::Lines),
            ("[1,\n[2]\n", Format::Array),
            ("\x1e{}\n", Format::Sequence),
            ("[{\"a\":1},{\"a\":2}]", Format::Array),
            ("[\n  {\"a\":1},\n  {\"a\":2}\n]\n", Format::Array),
            ("[]", Format::Array),
            ("[\n]\n", Format::Array),
            ("[]\n[]\n", Format::Lines),
            ("[\n]\n[1]\n", Format::Concatenated),
            ("[\n  1,\n  2\n]\n", Format::Concatenated),
            ("{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}\n", Format::Concatenated),
            ("{\"a\":1}{\"a\":2}", Format::Concatenated),
            ("{\"a\":1} {\"a\":2}\n{\"a\":3}\n", Format::SeveralPerLine),
            ("{\"a\":1}{\"a\":2,\n\"b\":3}\n", Format::Concatenated),
            ("{\"a\":1},\n{\"a\":2},\n", Format::Comma),
            ("1,2", Format::Comma),
            ("{\"a\":1}\n,{\"a\":2}", Format::Comma),
        ];
        for (text, format) in cases {
            for text in [text.to_owned(), format!("\u{feff}{text}"), format!("\n {text}")] {
                assert_eq!(detect(text.as_bytes(), true, 1024), format, "{text:?}");
            }
        }
        // A first value that is longer than what is looked at.
        let long = |start: &str| format!("{start}{}", "0,".repeat(HEAD));
        assert_eq!(detect(long("[{\"a\":1},").as_bytes(), false, 1024), Format::Array);
        assert_eq!(detect(long("{\"a\":[").as_bytes(), false, 1024), Format::Lines);
        assert_eq!(detect(long("{\n\"a\":[").as_bytes(), false, 1024), Format::Concatenated);
    }

    #[test]
    fn a_pretty_printed_document_is_told_from_a_broken_first_line() {
        let told = |text: &str| several_lines(text.as_bytes(), true, 1024);
        assert_eq!(told("{\n  \"a\": 1\n}\n"), Some(1));
        assert_eq!(told("\n [ {\r\n\"a\": 1}]"), Some(5));
        assert_eq!(told("[\n{\"a\":1},\n{\"a\":2}\n]\n"), Some(1));
        assert_eq!(told("{\n{\"a\":1}\n{\"a\":2}\n"), None);
        assert_eq!(told("{\"a\":\n1}\n"), None);
        assert_eq!(told("{\n"), None);
        assert_eq!([told(""), told("\n"), told("{")], [None; 3]);
    }
}
