//! Strings of JSON text: unescaping, and comparing keys as they are after unescaping.
//!
//! In goes the content of a string, between its quotes; out comes borrowed text where nothing had to change. Text that was
//! not validated is checked here as it is read: a string is handed out whole and well-formed or not at all.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::error::ValueError;

/// What to do with an escaped surrogate that has no partner, which RFC 8259 allows and Unicode text cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoneSurrogates {
    Refuse,
    /// U+FFFD in its place.
    Replace,
}

/// Decodes the content of a string.
///
/// # Errors
/// `Malformed` for ill-formed UTF-8, control characters and unknown escapes; `Unrepresentable` for a lone surrogate that is
/// to be refused.
pub(crate) fn unescape(content: &[u8], surrogates: LoneSurrogates) -> Result<Cow<'_, str>, ValueError> {
    let text = simdutf8::basic::from_utf8(content).map_err(|_| ValueError::Malformed)?;
    // All bytes are looked at, many at a time, as there is hardly ever one.
    if content.iter().fold(false, |found, byte| found | (*byte < 0x20)) {
        return Err(ValueError::Malformed);
    }
    let Some(first) = memchr::memchr(b'\\', content) else { return Ok(Cow::Borrowed(text)) };
    let mut decoded = String::with_capacity(text.len());
    let (mut plain, mut rest) = (&text[..first], &text[first..]);
    loop {
        decoded.push_str(plain);
        if rest.is_empty() {
            return Ok(Cow::Owned(decoded));
        }
        let (unit, length) = escape(rest.as_bytes())?;
        rest = &rest[length..];
        match unit {
            Unit::Char(c) => decoded.push(c),
            Unit::LoneSurrogate(_) if surrogates == LoneSurrogates::Replace => {
                decoded.push(char::REPLACEMENT_CHARACTER)
            }
            Unit::LoneSurrogate(_) => return Err(ValueError::Unrepresentable),
        }
        (plain, rest) = rest.split_at(next_escape(rest.as_bytes()).unwrap_or(rest.len()));
    }
}

/// The next backslash. Escapes mostly stand close together, and a call costs more than a look at a few bytes.
fn next_escape(text: &[u8]) -> Option<usize> {
    const NEAR: usize = 16;
    let (near, far) = text.split_at(text.len().min(NEAR));
    near.iter().position(|byte| *byte == b'\\').or_else(|| Some(NEAR + memchr::memchr(b'\\', far)?))
}

/// Appends the content of a string, decoded, to `out`; a lone surrogate is kept as the three bytes that UTF-8 would give it,
/// which no well-formed text contains, so that different strings stay different.
///
/// # Errors
/// `Malformed` for unknown escapes.
pub(crate) fn unescape_into(content: &[u8], out: &mut Vec<u8>) -> Result<(), ValueError> {
    let mut rest = content;
    loop {
        let (plain, escaped) = rest.split_at(next_escape(rest).unwrap_or(rest.len()));
        out.extend_from_slice(plain);
        if escaped.is_empty() {
            return Ok(());
        }
        let (unit, length) = escape(escaped)?;
        out.extend_from_slice(unit.encode(&mut [0; 4]));
        rest = &escaped[length..];
    }
}

/// How the content of a valid string, unescaped, compares with a text, by code point. Nothing is allocated.
pub(crate) fn compare_content(content: &[u8], text: &[u8]) -> Ordering {
    let (mut content, mut text) = (content, text);
    loop {
        let (plain, escaped) = content.split_at(memchr::memchr(b'\\', content).unwrap_or(content.len()));
        let Some((unit, length)) = (if escaped.is_empty() { None } else { escape(escaped).ok() }) else {
            return plain.cmp(text);
        };
        let mut buffer = [0; 4];
        for piece in [plain, unit.encode(&mut buffer)] {
            let (start, rest) = text.split_at(piece.len().min(text.len()));
            match piece.cmp(start) {
                Ordering::Equal => text = rest,
                other => return other,
            }
        }
        content = &escaped[length..];
    }
}

/// Whether the content of a string is `key` after unescaping. A malformed escape equals nothing.
pub(crate) fn content_is(content: &[u8], key: &[u8]) -> bool {
    if content == key {
        // A backslash in the content always begins an escape, so equal bytes are equal text only without one.
        return !key.contains(&b'\\');
    }
    content.len() > key.len() && content.contains(&b'\\') && escaped_content_is(content, key)
}

#[cold]
fn escaped_content_is(content: &[u8], key: &[u8]) -> bool {
    let mut decoded = Vec::with_capacity(content.len());
    unescape_into(content, &mut decoded).is_ok() && decoded == key
}

enum Unit {
    Char(char),
    LoneSurrogate(u16),
}

impl Unit {
    /// The bytes of the unit; for a lone surrogate the three that UTF-8 would give it.
    fn encode(self, buffer: &mut [u8; 4]) -> &[u8] {
        match self {
            Unit::Char(c) => c.encode_utf8(buffer).as_bytes(),
            Unit::LoneSurrogate(s) => {
                buffer[..3].copy_from_slice(&[
                    0xe0 | (s >> 12) as u8,
                    0x80 | (s >> 6 & 0x3f) as u8,
                    0x80 | (s & 0x3f) as u8,
                ]);
                &buffer[..3]
            }
        }
    }
}

/// Decodes the escape at the start of `text`, a surrogate pair as one, and tells its length.
fn escape(text: &[u8]) -> Result<(Unit, usize), ValueError> {
    let simple = |c| Ok((Unit::Char(c), 2));
    match text.get(1) {
        Some(&c @ (b'"' | b'\\' | b'/')) => simple(c as char),
        Some(b'b') => simple('\u{8}'),
        Some(b'f') => simple('\u{c}'),
        Some(b'n') => simple('\n'),
        Some(b'r') => simple('\r'),
        Some(b't') => simple('\t'),
        Some(b'u') => {
            let high = code_unit(text).ok_or(ValueError::Malformed)?;
            if let Some(c) = char::from_u32(high.into()) {
                return Ok((Unit::Char(c), 6));
            }
            let pair = code_unit(&text[6..]).map(|low| char::decode_utf16([high, low]).next());
            match pair {
                Some(Some(Ok(c))) => Ok((Unit::Char(c), 12)),
                _ => Ok((Unit::LoneSurrogate(high), 6)),
            }
        }
        _ => Err(ValueError::Malformed),
    }
}

/// The UTF-16 code unit of the `\uXXXX` at the start of `text`.
fn code_unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | (digit as char).to_digit(16)? as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strict(content: &str) -> Result<String, ValueError> {
        unescape(content.as_bytes(), LoneSurrogates::Refuse).map(Cow::into_owned)
    }

    #[test]
    fn decodes_every_escape() {
        assert_eq!(strict(r#"a\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00z"#).unwrap(), "a\"\\/\u{8}\u{c}\n\r\té😀z");
        assert!(matches!(unescape(b"plain", LoneSurrogates::Refuse), Ok(Cow::Borrowed("plain"))));
    }

    #[test]
    fn a_lone_surrogate_is_refused_or_replaced() {
        for content in [r"\ud800", r"\udc00", r"\ud800x", r"\ud800\u0041", r"\ud800\ud800", r"\ud800\n"] {
            assert_eq!(strict(content), Err(ValueError::Unrepresentable), "{content}");
        }
        assert_eq!(unescape(br"a\ud800\ud83d\ude00", LoneSurrogates::Replace).unwrap(), "a\u{fffd}😀");
    }

    #[test]
    fn malformed_text_is_never_handed_out() {
        let malformed: [&[u8]; 8] =
            [b"\\", b"\\x", b"\\u12", b"\\u12g4", b"\\ud800\\", b"\xff", b"a\nb", b"\xed\xa0\x80"];
        for content in malformed {
            assert_eq!(unescape(content, LoneSurrogates::Replace), Err(ValueError::Malformed), "{content:?}");
        }
    }

    #[test]
    fn keys_are_compared_after_unescaping() {
        assert!(content_is(b"type", b"type"));
        assert!(content_is(br"typ\u0065", b"type"));
        assert!(content_is(br"\u00e9", "é".as_bytes()));
        assert!(content_is(br"a\\n", br"a\n"));
        assert!(!content_is(br"a\n", br"a\n"));
        assert!(!content_is(b"types", b"type"));
        assert!(!content_is(br"\x", b"x"));
        assert!(!content_is(b"", b"x"));
    }

    #[test]
    fn different_lone_surrogates_stay_different() {
        let decode = |content: &[u8]| {
            let mut out = Vec::new();
            unescape_into(content, &mut out).unwrap();
            out
        };
        assert_ne!(decode(br"\ud800"), decode(br"\ud801"));
        assert_ne!(decode(br"\ud800"), decode(br"\ufffd"));
        assert_eq!(decode(br"\u00e9"), decode("é".as_bytes()));
    }
}
