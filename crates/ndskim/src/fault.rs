//! Faults: what is wrong with a record, where, and why, as values.
//!
//! A reader of JSON text reports a [`Refusal`]: a byte offset and a [`Reason`]. On the way up, whoever knows more adds it
//! (the block its offset in the input, the ledger of a scan the line number), until it is a [`Fault`] that a user can act on.
//! Nothing here reads input; an excerpt is cut by whoever still holds the text.

use std::fmt;
use std::sync::Arc;

/// Why no valid record can continue at some byte: what JSON allows there, and what stands there instead.
///
/// ```
/// use ndskim::{Error, Scan};
/// let error = Scan::bytes(b"{\"a\":1,}\n").for_each(|_| ()).unwrap_err();
/// let Error::Fault(fault) = error else { panic!("not a fault") };
/// assert_eq!(fault.reason().to_string(), "expected a key in double quotes, found `}`");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    kind: FaultKind,
    expected: &'static str,
    found: Found,
}

/// The kinds of fault that programs may want to tell apart.
///
/// ```
/// use ndskim::{Error, FaultKind, Scan};
/// let kind = |text: &str| match Scan::bytes(text.as_bytes()).for_each(|_| ()) {
///     Err(Error::Fault(fault)) => Some(fault.reason().kind()),
///     _ => None,
/// };
/// assert_eq!(["{]", "{", "{}{}", "{}"].map(kind), [
///     Some(FaultKind::Syntax), Some(FaultKind::Incomplete), Some(FaultKind::TrailingData), None,
/// ]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// The text breaks the grammar of RFC 8259.
    Syntax,
    /// The record ends inside a value.
    Incomplete,
    /// A complete value is followed by something else in the same record.
    TrailingData,
    /// A value goes on behind its line, in input that is read as [`Format::Lines`](crate::Format::Lines).
    SeveralLines,
    /// The text is not well-formed UTF-8.
    Utf8,
    /// Containers are nested deeper than [`Scan::max_depth`](crate::Scan::max_depth) allows.
    TooDeep,
}

/// What stands at the place of a fault.
///
/// ```
/// use ndskim::{Error, Found, Scan};
/// let Err(Error::Fault(fault)) = Scan::bytes("[é]".as_bytes()).for_each(|_| ()) else { panic!("not a fault") };
/// assert_eq!(fault.reason().found(), Found::Char('é'));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Found {
    /// This byte.
    Byte(u8),
    /// This character, which is not ASCII.
    Char(char),
    /// Nothing: the record ends here.
    End,
}

impl Reason {
    pub(crate) const fn new(kind: FaultKind, expected: &'static str, found: Found) -> Self {
        Self { kind, expected, found }
    }

    /// The kind of fault.
    pub fn kind(&self) -> FaultKind {
        self.kind
    }

    /// What a valid record could have at this place, in words.
    pub fn expected(&self) -> &'static str {
        self.expected
    }

    /// What stands there.
    pub fn found(&self) -> Found {
        self.found
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Found::End => f.write_str("the end of the record"),
            Found::Char('\u{feff}') => f.write_str("a byte order mark"),
            Found::Char(c) => write!(f, "`{}`", c.escape_debug()),
            Found::Byte(b'`') => f.write_str("a backtick"),
            Found::Byte(byte @ 0x20..=0x7e) => write!(f, "`{}`", byte as char),
            Found::Byte(byte) => write!(f, "byte 0x{byte:02x}"),
        }
    }
}

/// What a reader of JSON text says of a text that it refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Bytes from the start of the text that was read to the first byte at which no valid record can continue.
    pub(crate) offset: usize,
    pub(crate) reason: Reason,
}

impl Refusal {
    /// A refusal for the grammar, or because the text ends too early.
    pub(crate) const fn new(offset: usize, expected: &'static str, found: Found) -> Self {
        let kind = if matches!(found, Found::End) { FaultKind::Incomplete } else { FaultKind::Syntax };
        Self { offset, reason: Reason::new(kind, expected, found) }
    }
}

/// A place in the input.
///
/// The line is unknown (`None`) while blocks before this one are still being read by other threads; in a [`Fault`] and in
/// an [`Error`](crate::Error) it is always known.
///
/// ```
/// use ndskim::Scan;
/// let places = Scan::bytes(b"{}\n\n  {}\n").threads(1).map(|record| record.place()).unwrap().value;
/// assert_eq!((places[1].line(), places[1].column(), places[1].offset()), (Some(3), 1, 4));
/// assert_eq!(places[0].to_string(), "<bytes>:1:1 (byte 0)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub(crate) input: Arc<str>,
    pub(crate) line: Option<u64>,
    /// While the line is not known: newlines in the block before the place.
    pub(crate) line_in_block: u64,
    pub(crate) column: u64,
    pub(crate) offset: u64,
}

impl Place {
    /// The name of the input: its path, `<stdin>`, `<bytes>` or `<reader>`.
    pub fn input(&self) -> &str {
        &self.input
    }

    /// The line, counted from 1; `None` while it is not known.
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// The column in bytes, counted from 1.
    pub fn column(&self) -> u64 {
        self.column
    }

    /// Bytes from the start of the (decompressed) input.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The place with its line, which is known once the lines before its block are; see
    /// [`Scan::map_blocks`](crate::Scan::map_blocks). A line that is known stays as it is.
    #[must_use]
    pub fn after_lines(mut self, lines_before_block: u64) -> Self {
        if self.line.is_none() {
            self.line = Some(lines_before_block + self.line_in_block + 1);
            self.line_in_block = 0;
        }
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{}:{} (byte {})", self.input, line, self.column, self.offset),
            None => write!(f, "{} (byte {})", self.input, self.offset),
        }
    }
}

/// A record that was refused: where, why, and what its text looks like there.
///
/// The place is the first byte at which no valid record can continue; where the rest of a record is missing, the end of its
/// line; for text that is not UTF-8 the start of the ill-formed sequence; for nesting the bracket beyond the limit.
///
/// ```
/// use ndskim::{OnFault, Scan};
/// let input = b"{\"id\":1}\n{\"id\":}\n{\"id\":3}\n";
/// let outcome = Scan::bytes(input).on_fault(OnFault::Skip).for_each(|_| ()).unwrap();
/// let fault = &outcome.faults[0];
/// assert_eq!((fault.place().line(), fault.place().column(), fault.place().offset()), (Some(2), 7, 15));
/// assert_eq!(fault.to_string(), "<bytes>:2:7 (byte 15): expected a value, found `}`, at `{\"id\":}`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub(crate) place: Place,
    pub(crate) reason: Reason,
    pub(crate) excerpt: String,
}

impl Fault {
    pub(crate) fn new(place: Place, reason: Reason, excerpt: String) -> Self {
        Self { place, reason, excerpt }
    }

    /// Where the fault is.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// What was expected and what was found.
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    /// The fault with its line, which is known once the lines before its block are; see [`Place::after_lines`].
    #[must_use]
    pub fn after_lines(self, lines_before_block: u64) -> Self {
        Self { place: self.place.after_lines(lines_before_block), ..self }
    }

    /// The text around the fault, at most some sixty characters, with control characters escaped, so that it is safe to print.
    pub fn excerpt(&self) -> &str {
        &self.excerpt
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)?;
        if !self.excerpt.is_empty() {
            write!(f, ", at `{}`", self.excerpt)?;
        }
        Ok(())
    }
}

/// Bytes of context that an excerpt shows before and after the fault.
const EXCERPT_BEFORE: usize = 30;
const EXCERPT_AFTER: usize = 30;

/// Cuts the text around `offset` out of a record, safe to print: invalid UTF-8 is replaced, control characters are escaped.
pub(crate) fn excerpt(record: &[u8], offset: usize) -> String {
    let offset = offset.min(record.len());
    let start = char_boundary(record, offset.saturating_sub(EXCERPT_BEFORE));
    let end = char_boundary(record, offset.saturating_add(EXCERPT_AFTER).min(record.len()));
    let mut text = String::new();
    if start > 0 {
        text.push('…');
    }
    for c in String::from_utf8_lossy(&record[start..end]).chars() {
        // Directional marks and the like could make a terminal show something else than what is there.
        if c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    if end < record.len() {
        text.push('…');
    }
    text
}

/// The nearest start of a UTF-8 sequence at or after `at`.
fn char_boundary(text: &[u8], at: usize) -> usize {
    (at..text.len()).take(3).find(|&i| text[i] & 0xc0 != 0x80).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_safe_to_print() {
        assert_eq!(excerpt(b"{\"a\":\x1b[31m}", 5), "{\"a\":\\u{1b}[31m}");
        assert_eq!(excerpt(b"\xff\xfe", 0), "\u{fffd}\u{fffd}");
        assert_eq!(excerpt("a\u{202e}b".as_bytes(), 0), "a\\u{202e}b");
        let long = excerpt(&[b'x'; 1000], 500);
        assert_eq!(long, format!("…{}…", "x".repeat(60)));
    }

    #[test]
    fn an_excerpt_is_not_cut_inside_a_character() {
        let text = "é".repeat(100);
        assert!(!excerpt(text.as_bytes(), 101).contains('\u{fffd}'));
    }
}
