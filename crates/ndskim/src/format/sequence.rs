//! JSON text sequences (RFC 7464): each record between a record separator (0x1e) and a newline. Valid JSON has no raw 0x1e, so
//! that a cut before one is always safe.

use super::Item;
use crate::exact::{is_white_space, skip_white_space};
use crate::fault::{Found, Refusal};

/// The byte before each record.
pub(crate) const SEPARATOR: u8 = 0x1e;

/// The next record at or after `at`, and the place to go on from; `None` behind the last.
///
/// Separators with nothing between them are no records (section 2.1 of the RFC). A number or literal without white space behind
/// it may have been cut short, and is refused (section 2.4).
pub(crate) fn next(text: &[u8], mut at: usize) -> Option<(Item, usize)> {
    while let Some(&first) = text.get(at) {
        let separated = first == SEPARATOR;
        let body = if separated { at + 1 } else { at };
        let end = memchr::memchr(SEPARATOR, &text[body..]).map_or(text.len(), |length| body + length);
        at = end;
        let start = skip_white_space(&text[..end], body);
        if start == end {
            continue;
        }
        if !separated {
            let wrong = Refusal::new(0, "a record separator (byte 0x1e) before the record", Found::Byte(text[start]));
            return Some((Item::Wrong(start..end, wrong), end));
        }
        let closes_itself = matches!(text[start], b'{' | b'[' | b'"');
        if !closes_itself && !is_white_space(text[end - 1]) {
            let wrong =
                Refusal::new(end - body, "a newline behind the value, which may be cut short without", Found::End);
            return Some((Item::Wrong(body..end, wrong), end));
        }
        let without_newline = if text[end - 1] == b'\n' { end - 1 } else { end };
        return Some((Item::Record(body..without_newline), end));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The records, and in angle brackets what is refused.
    fn records(text: &str) -> Vec<String> {
        let mut at = 0;
        let mut records = Vec::new();
        while let Some((item, resume)) = next(text.as_bytes(), at) {
            records.push(match item {
                Item::Record(span) => text[span].to_owned(),
                Item::Wrong(span, refusal) => format!("<{}> {}", &text[span], refusal.offset),
                Item::Blank(_) => unreachable!(),
            });
            assert!(resume > at);
            at = resume;
        }
        records
    }

    #[test]
    fn records_stand_between_separators() {
        assert_eq!(records("\x1e{\"a\":1}\n\x1e[\n2\n]\n\x1e3\n"), ["{\"a\":1}", "[\n2\n]", "3"]);
        assert_eq!(records("\x1e\x1e{}\x1e\n\x1e[]"), ["{}", "[]"], "empty ones are none");
        assert_eq!(records(""), [""; 0]);
        assert_eq!(records("\n"), [""; 0]);
    }

    #[test]
    fn what_may_be_cut_short_or_was_not_separated_is_refused() {
        assert_eq!(records("\x1e12\x1etrue\n\x1etru"), ["<12> 2", "true", "<tru> 3"]);
        assert_eq!(records(" {}\n\x1e{}\n"), ["<{}\n> 0", "{}"]);
    }
}
