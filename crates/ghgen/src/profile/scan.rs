//! Measuring one record. In goes a line of JSON, out comes its [`Shape`]: how many bytes are of
//! what sort, and where the fields stand that the published job reads. It tells strings,
//! brackets and separators apart, no more: it is not a validator.

use crate::style::string_end;
use std::ops::Range;

/// The fields of the published job, as JSON pointers (RFC 6901).
pub(super) const FIELDS: [&str; 3] = ["/type", "/payload/action", "/payload/pull_request/base/repo/language"];

/// What was measured in a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shape<'a> {
    /// The string at `/type`, between its quotes.
    pub(super) event_type: Option<&'a [u8]>,
    /// The first key, between its quotes.
    pub(super) first_key: &'a [u8],
    /// `{ } [ ] , :` outside strings.
    pub(super) structural: u64,
    pub(super) strings: u64,
    /// Bytes in strings, with their quotes.
    pub(super) string_bytes: u64,
    /// Escape sequences; `\u00e9` is one.
    pub(super) escapes: u64,
    pub(super) non_ascii: u64,
    pub(super) brackets: u64,
    pub(super) deepest: u64,
    /// The depths of all structural characters, summed; that of a bracket is the one inside it.
    pub(super) depths: u64,
    /// Where the values of [`FIELDS`] begin.
    pub(super) places: [Option<u64>; 3],
}

/// Measures a record.
///
/// # Errors
///
/// If it is not an object whose brackets and quotes match up.
pub(super) fn scan(record: &[u8]) -> Result<Shape<'_>, &'static str> {
    if !balanced_quotes(record) {
        return Err("a string does not end");
    }
    let mut shape = Shape { non_ascii: record.iter().filter(|b| !b.is_ascii()).count() as u64, ..Shape::default() };
    // For each open bracket, the key whose value was last begun in it.
    let mut keys: Vec<Range<usize>> = Vec::new();
    let mut last_string = 0..0;
    let mut at = 0;
    while at < record.len() {
        let byte = record[at];
        if byte == b'"' {
            let end = string_end(record, at);
            last_string = at + 1..end - 1;
            shape.string(&record[last_string.clone()]);
            if shape.strings == 1 {
                shape.first_key = &record[last_string.clone()];
            }
            at = end;
            continue;
        }
        if matches!(byte, b'{' | b'[') {
            keys.push(0..0);
        }
        if matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':') {
            shape.structural(byte, keys.len() as u64);
        }
        match byte {
            b':' => {
                *keys.last_mut().ok_or("a colon outside of objects")? = last_string.clone();
                shape.member(record, &keys, at + 1);
            }
            b'}' | b']' => {
                keys.pop().ok_or("a bracket closes that was not open")?;
            }
            _ => {}
        }
        at += 1;
    }
    if !keys.is_empty() || record.trim_ascii_start().first() != Some(&b'{') {
        return Err("not one whole object");
    }
    Ok(shape)
}

/// Whether every string ends.
fn balanced_quotes(record: &[u8]) -> bool {
    let (mut inside, mut escaped) = (false, false);
    for &byte in record {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = inside,
            b'"' => inside = !inside,
            _ => {}
        }
    }
    !inside
}

impl<'a> Shape<'a> {
    fn string(&mut self, content: &[u8]) {
        self.strings += 1;
        self.string_bytes += content.len() as u64 + 2;
        let mut escaped = false;
        for &byte in content {
            escaped = byte == b'\\' && !escaped;
            self.escapes += u64::from(escaped);
        }
    }

    fn structural(&mut self, byte: u8, depth: u64) {
        self.structural += 1;
        self.depths += depth;
        self.deepest = self.deepest.max(depth);
        self.brackets += u64::from(!matches!(byte, b',' | b':'));
    }

    /// Notes where the member's value begins, if it is one of the fields.
    fn member(&mut self, record: &'a [u8], keys: &[Range<usize>], behind_colon: usize) {
        for (field, place) in FIELDS.iter().zip(&mut self.places) {
            let names = field[1..].split('/');
            let found = place.is_none()
                && names.clone().count() == keys.len()
                && names.zip(keys).all(|(name, key)| record[key.clone()] == *name.as_bytes());
            if !found {
                continue;
            }
            let spaces = record[behind_colon..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            let start = behind_colon + spaces;
            *place = Some(start as u64);
            if *field == FIELDS[0] && record.get(start) == Some(&b'"') {
                self.event_type = Some(&record[start + 1..string_end(record, start) - 1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_by_hand() {
        let record = br#"{"type":"A\n\u00e9","payload":{"action":"x","n":[1,{"type":"B"}]}}"#;
        let shape = scan(record).unwrap();
        assert_eq!(shape.event_type, Some(&br"A\n\u00e9"[..]));
        assert_eq!(shape.first_key, b"type");
        assert_eq!((shape.structural, shape.brackets, shape.strings), (16, 8, 8));
        assert_eq!((shape.escapes, shape.non_ascii, shape.deepest), (2, 0, 4));
        assert_eq!(shape.depths, 5 + 5 * 2 + 3 * 3 + 3 * 4);
        assert_eq!(shape.places, [Some(8), Some(40), None]);
    }

    #[test]
    fn broken_records_are_refused() {
        for wrong in [r#"{"a":1"#, r#"{"a"}}"#, r#"{"a":"b}"#, "[1]", "", ":", r#"{"a":"\"}"#] {
            assert!(scan(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
