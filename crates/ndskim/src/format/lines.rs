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
