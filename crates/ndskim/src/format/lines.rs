//! Lines: a newline ends a record, and nothing else does. JSON has no raw newline inside a string, so a cut is always safe.

use std::ops::Range;

/// The line that begins at `start`, without its newline.
pub(crate) fn line_at(text: &[u8], start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    Some(start..start + memchr::memchr(b'\n', rest).unwrap_or(rest.len()))
}

/// The start of the first line that begins at or after `at`, or `None` if none begins in `text`, whose first byte begins one.
pub(crate) fn first_start(text: &[u8], at: usize) -> Option<usize> {
    match at {
        0 => Some(0),
        _ => memchr::memchr(b'\n', &text[at - 1..]).map(|length| at + length),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_before_its_newline_or_with_the_text() {
        let text = b"ab\n\ncd";
        assert_eq!([0, 1, 3, 4, 5].map(|start| line_at(text, start)), [0..2, 1..2, 3..3, 4..6, 5..6].map(Some));
        assert_eq!([6, 7].map(|start| line_at(text, start)), [None, None]);
        assert_eq!(line_at(b"", 0), None);
    }

    #[test]
    fn lines_start_behind_newlines_and_at_the_beginning() {
        let text = b"ab\n\ncd";
        assert_eq!([0, 1, 2, 3, 4].map(|at| first_start(text, at)), [0, 3, 3, 3, 4].map(Some));
        assert_eq!([5, 6].map(|at| first_start(text, at)), [None, None]);
        assert_eq!([1, 2, 3].map(|at| first_start(b"a\n", at)), [Some(2), Some(2), None]);
    }
}
