//! The exact reader: a portable, scalar, validating reader of one JSON text.
//!
//! It goes byte by byte through RFC 8259's grammar and knows, for anything that it refuses, the first byte at which no valid
//! record can continue and what could have stood there. It is the slow way that explains the faults which faster readers only
//! notice, and the judge that they are tested against; it must never be clever, and it must never panic, recurse or read
//! outside the text.

use crate::fault::{FaultKind, Found, Reason, Refusal};

type Result<T> = std::result::Result<T, Refusal>;

/// Reads a record: one value with white space around it.
///
/// # Errors
/// The first byte at which no valid record can continue.
pub(crate) fn validate_record(text: &[u8], max_depth: u32) -> Result<()> {
    let end = validate_value(text, skip_white_space(text, 0), max_depth)?;
    let end = skip_white_space(text, end);
    if end == text.len() {
        return Ok(());
    }
    Err(refuse(text, end, FaultKind::TrailingData, "nothing after the value"))
}

/// Reads the value that begins at `at` and returns the offset behind it.
///
/// Containers are kept on a bit stack (one bit a level), so that depth costs neither recursion nor, up to 64 levels, memory.
///
/// # Errors
/// The first byte at which no valid value can continue.
pub(crate) fn validate_value(text: &[u8], at: usize, max_depth: u32) -> Result<usize> {
    let mut stack = Containers::new();
    let mut i = at;
    loop {
        // Here a value must begin.
        i = match text.get(i) {
            Some(b'{') => {
                enter(text, i, &mut stack, Container::Object, max_depth)?;
                i = skip_white_space(text, i + 1);
                if text.get(i) != Some(&b'}') {
                    i = key_and_colon(text, i)?;
                    continue;
                }
                stack.pop();
                i + 1
            }
            Some(b'[') => {
                enter(text, i, &mut stack, Container::Array, max_depth)?;
                i = skip_white_space(text, i + 1);
                if text.get(i) != Some(&b']') {
                    continue;
                }
                stack.pop();
                i + 1
            }
            Some(b'"') => string(text, i)?,
            Some(b'-' | b'0'..=b'9') => number(text, i)?,
            Some(b't') => literal(text, i, b"true", "the literal `true`")?,
            Some(b'f') => literal(text, i, b"false", "the literal `false`")?,
            Some(b'n') => literal(text, i, b"null", "the literal `null`")?,
            _ => return Err(refuse(text, i, FaultKind::Syntax, "a value")),
        };
        // Here a value has just ended: close what ends with it, up to the next value.
        loop {
            let Some(container) = stack.last() else { return Ok(i) };
            i = skip_white_space(text, i);
            match (container, text.get(i)) {
                (_, Some(b',')) => {
                    i = skip_white_space(text, i + 1);
                    if container == Container::Object {
                        i = key_and_colon(text, i)?;
                    }
                    break;
                }
                (Container::Object, Some(b'}')) | (Container::Array, Some(b']')) => {
                    stack.pop();
                    i += 1;
                }
                (Container::Object, _) => return Err(refuse(text, i, FaultKind::Syntax, "`,` or `}`")),
                (Container::Array, _) => return Err(refuse(text, i, FaultKind::Syntax, "`,` or `]`")),
            }
        }
    }
}

/// Reads the string that begins at `at` with its opening quote and returns the offset behind its closing quote.
///
/// # Errors
/// A control character, an escape that RFC 8259 does not know, ill-formed UTF-8 or the end of the text.
pub(crate) fn string(text: &[u8], at: usize) -> Result<usize> {
    let mut i = at + 1;
    loop {
        match text.get(i) {
            Some(b'"') => return Ok(i + 1),
            Some(b'\\') => i = escape(text, i)?,
            Some(0x20..=0x7f) => i += 1,
            Some(0x80..) => match utf8_length(&text[i..]) {
                Some(length) => i += length,
                None => return Err(refuse(text, i, FaultKind::Utf8, "well-formed UTF-8")),
            },
            Some(_) => return Err(refuse(text, i, FaultKind::Syntax, "an escape in place of this control character")),
            None => return Err(refuse(text, i, FaultKind::Syntax, "a closing quote")),
        }
    }
}

/// Reads the number that begins at `at` and returns the offset behind it.
///
/// # Errors
/// The first byte that cannot continue the number's grammar, which includes a digit after a leading zero.
pub(crate) fn number(text: &[u8], at: usize) -> Result<usize> {
    let mut i = at;
    if text.get(i) == Some(&b'-') {
        i += 1;
    }
    if text.get(i) == Some(&b'0') {
        i += 1;
        if matches!(text.get(i), Some(b'0'..=b'9')) {
            return Err(refuse(text, i, FaultKind::Syntax, "no digit after a leading zero"));
        }
    } else {
        i = digits(text, i, "a digit")?;
    }
    if text.get(i) == Some(&b'.') {
        i = digits(text, i + 1, "a digit after the decimal point")?;
    }
    if matches!(text.get(i), Some(b'e' | b'E')) {
        i += 1;
        if matches!(text.get(i), Some(b'+' | b'-')) {
            i += 1;
        }
        i = digits(text, i, "a digit of the exponent")?;
    }
    Ok(i)
}

/// The first offset at or after `at` that holds no white space.
pub(crate) fn skip_white_space(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|&b| !is_white_space(b)).unwrap_or(rest.len())
}

/// White space as RFC 8259 has it.
pub(crate) const fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The length of the UTF-8 sequence at the start of `text`, or `None` if it is ill-formed (Unicode, table 3-7).
pub(crate) fn utf8_length(text: &[u8]) -> Option<usize> {
    let continues = |i: usize| matches!(text.get(i), Some(0x80..=0xbf));
    match (*text.first()?, text.get(1)?) {
        (0xc2..=0xdf, 0x80..=0xbf) => Some(2),
        (0xe0, 0xa0..=0xbf) | (0xe1..=0xec | 0xee..=0xef, 0x80..=0xbf) | (0xed, 0x80..=0x9f) if continues(2) => Some(3),
        (0xf0, 0x90..=0xbf) | (0xf1..=0xf3, 0x80..=0xbf) | (0xf4, 0x80..=0x8f) if continues(2) && continues(3) => {
            Some(4)
        }
        _ => None,
    }
}

fn digits(text: &[u8], at: usize, expected: &'static str) -> Result<usize> {
    let count = text.get(at..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
    if count == 0 {
        return Err(refuse(text, at, FaultKind::Syntax, expected));
    }
    Ok(at + count)
}

fn literal(text: &[u8], at: usize, word: &[u8], expected: &'static str) -> Result<usize> {
    match word.iter().enumerate().find(|&(k, byte)| text.get(at + k) != Some(byte)) {
        Some((k, _)) => Err(refuse(text, at + k, FaultKind::Syntax, expected)),
        None => Ok(at + word.len()),
    }
}

fn escape(text: &[u8], at: usize) -> Result<usize> {
    match text.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match (at + 2..at + 6).find(|&i| !text.get(i).is_some_and(u8::is_ascii_hexdigit)) {
            Some(i) => Err(refuse(text, i, FaultKind::Syntax, "four hexadecimal digits after `\\u`")),
            None => Ok(at + 6),
        },
        _ => Err(refuse(text, at + 1, FaultKind::Syntax, "an escape such as `\\n`, `\\\"` or `\\u0041`")),
    }
}

fn key_and_colon(text: &[u8], at: usize) -> Result<usize> {
    if text.get(at) != Some(&b'"') {
        return Err(refuse(text, at, FaultKind::Syntax, "a key in double quotes"));
    }
    let colon = skip_white_space(text, string(text, at)?);
    if text.get(colon) != Some(&b':') {
        return Err(refuse(text, colon, FaultKind::Syntax, "`:` after the key"));
    }
    Ok(skip_white_space(text, colon + 1))
}

fn enter(text: &[u8], at: usize, stack: &mut Containers, container: Container, max_depth: u32) -> Result<()> {
    if stack.depth >= max_depth as usize {
        return Err(refuse(text, at, FaultKind::TooDeep, "no deeper nesting (see the limit on depth)"));
    }
    stack.push(container);
    Ok(())
}

#[cold]
fn refuse(text: &[u8], at: usize, kind: FaultKind, expected: &'static str) -> Refusal {
    let found = match text.get(at) {
        None => Found::End,
        Some(&byte @ ..0x80) => Found::Byte(byte),
        Some(&byte) => utf8_length(&text[at..])
            .and_then(|length| std::str::from_utf8(&text[at..at + length]).ok())
            .and_then(|s| s.chars().next())
            .map_or(Found::Byte(byte), Found::Char),
    };
    let kind = if found == Found::End { FaultKind::Incomplete } else { kind };
    Refusal { offset: at.min(text.len()), reason: Reason::new(kind, expected, found) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

/// The open containers, one bit a level; levels beyond the first 64 spill to the heap in words of 64.
struct Containers {
    depth: usize,
    word: u64,
    spilled: Vec<u64>,
}

impl Containers {
    fn new() -> Self {
        Self { depth: 0, word: 0, spilled: Vec::new() }
    }

    fn push(&mut self, container: Container) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.spilled.push(self.word);
        }
        self.word = self.word << 1 | (container == Container::Object) as u64;
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.word >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.word = self.spilled.pop().unwrap_or_default();
        }
    }

    fn last(&self) -> Option<Container> {
        match (self.depth, self.word & 1) {
            (0, _) => None,
            (_, 0) => Some(Container::Array),
            _ => Some(Container::Object),
        }
    }
}

#[cfg(test)]
mod tests;
