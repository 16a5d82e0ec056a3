//! The outside judge: serde_json and `str::from_utf8` decide what is a record; depth is counted here.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// The levels that records may have.
pub(crate) const MAX_DEPTH: usize = 1024;

/// Whether a text is one JSON value of at most [`MAX_DEPTH`] levels.
pub(crate) fn is_record(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    // Numbers and escapes that `serde_json::Value` would refuse are valid JSON.
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    IgnoredAny::deserialize(&mut reader).is_ok() && reader.end().is_ok() && depth(text) <= MAX_DEPTH
}

/// The levels of a valid text.
fn depth(text: &str) -> usize {
    let (mut depth, mut most, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                most = most.max(depth);
            }
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
    }
    most
}

/// Whether a line holds nothing at all.
pub(crate) fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| b" \t\r".contains(byte))
}
