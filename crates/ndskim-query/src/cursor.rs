//! The reading position in a path or condition that a person wrote. It knows characters, words, strings and numbers; what they
//! mean is the business of those who read with it.

use std::ops::Range;

use crate::error::SyntaxError;

pub(crate) type Result<T> = std::result::Result<T, SyntaxError>;

pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

/// Words that mean something in a condition, so that a path that begins with one is quoted.
pub(crate) const RESERVED: [&str; 8] = ["and", "or", "not", "in", "exists", "true", "false", "null"];

/// Characters that cannot be seen, or change how others are shown: controls, marks for the direction of text, separators
/// without width. Joiners are none of these: scripts and emoji are written with them.
///
/// ```
/// use ndskim_query::is_invisible;
///
/// assert!("\u{1b}\u{7f}\u{9b}\u{ad}\u{200b}\u{202e}\u{feff}".chars().all(is_invisible));
/// assert!(!"a é 日\u{200d}".chars().any(is_invisible));
/// ```
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        )
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Whether a character may stand in a word without quotes.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '_' | '-' | '@' | '$' | ':' | '#' | '+' | '*' | '%')
        || (!c.is_ascii() && !c.is_whitespace() && !is_invisible(c))
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The text between two places.
    pub(crate) fn text_at(&self, start: usize, end: usize) -> &'t str {
        &self.text[start..end]
    }

    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn advance(&mut self, bytes: usize) -> &'t str {
        let taken = &self.rest()[..bytes];
        self.at += bytes;
        taken
    }

    pub(crate) fn back_to(&mut self, at: usize) {
        self.at = at;
    }

    pub(crate) fn space(&mut self) {
        self.advance(self.rest().len() - self.rest().trim_start().len());
    }

    /// Takes `token` if it comes next.
    pub(crate) fn eat(&mut self, token: &str) -> bool {
        let there = self.rest().starts_with(token);
        if there {
            self.advance(token.len());
        }
        there
    }

    /// Takes characters as long as they are wanted.
    pub(crate) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'t str {
        self.advance(self.rest().find(|c| !wanted(c)).unwrap_or(self.rest().len()))
    }

    /// The word that comes next, which is left there.
    pub(crate) fn peek_word(&self) -> &'t str {
        let rest = self.rest();
        &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]
    }

    /// Takes a reserved word if it comes next.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let there = self.peek_word() == word;
        if there {
            self.advance(word.len());
        }
        there
    }

    /// Takes a token, behind white space.
    pub(crate) fn expect(&mut self, token: &str, what: &str) -> Result<()> {
        self.space();
        if self.eat(token) { Ok(()) } else { Err(self.expected(what)) }
    }

    /// Everything must have been read.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.space();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.error(self.next_token(), "nothing more was expected here"))
        }
    }

    pub(crate) fn error(&self, span: Range<usize>, message: impl Into<String>) -> SyntaxError {
        SyntaxError::new(self.text, span, message)
    }

    /// An error at what comes next.
    pub(crate) fn expected(&self, what: &str) -> SyntaxError {
        self.error(self.next_token(), format!("expected {what}"))
    }

    /// What comes next, as an error marks it: a word, or one character, or the end.
    pub(crate) fn next_token(&self) -> Range<usize> {
        let word = self.peek_word().len();
        self.at..self.at + if word > 0 { word } else { self.peek().map_or(0, char::len_utf8) }
    }

    /// A string in single quotes, in which two of them stand for one, or in double quotes, with the escapes of JSON.
    pub(crate) fn string(&mut self) -> Result<String> {
        let start = self.at;
        let quote = self.peek().unwrap_or_default();
        self.advance(quote.len_utf8());
        let unclosed =
            |cursor: &Self| cursor.error(start..cursor.text.len(), format!("the closing {quote} is missing"));
        let mut out = String::new();
        loop {
            out.push_str(self.take_while(|c| c != quote && (c != '\\' || quote == '\'')));
            if self.eat("\\") {
                self.escape(&mut out)?;
            } else if !self.eat(quote.encode_utf8(&mut [0; 4])) {
                return Err(unclosed(self));
            } else if quote == '\'' && self.eat("'") {
                out.push('\'');
            } else {
                return Ok(out);
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<()> {
        let start = self.at - 1;
        let Some(kind) = self.peek() else { return Err(self.expected("a character behind the backslash")) };
        self.advance(kind.len_utf8());
        out.push(match kind {
            '"' | '\\' | '/' => kind,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode(start, out),
            _ => {
                let error = self.error(start..self.at, "JSON has no such escape");
                return Err(error
                    .advice("write \\\\ for a backslash, or use single quotes, in which it is an ordinary character"));
            }
        });
        Ok(())
    }

    /// The rest of `\uXXXX`, and of a second one where the first is half of a character.
    fn unicode(&mut self, start: usize, out: &mut String) -> Result<()> {
        let mut units = [0_u16; 2];
        for (number, unit) in units.iter_mut().enumerate() {
            if number > 0 && !self.eat("\\u") {
                break;
            }
            let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
            let Some(digits) = digits else { return Err(self.expected("four hexadecimal digits")) };
            *unit = u16::from_str_radix(digits, 16).unwrap_or_default();
            self.advance(4);
            if !(0xd800..0xdc00).contains(unit) {
                break;
            }
        }
        let used = if (0xd800..0xdc00).contains(&units[0]) { &units[..] } else { &units[..1] };
        match String::from_utf16(used) {
            Ok(text) => out.push_str(&text),
            Err(_) => return Err(self.error(start..self.at, "half a surrogate pair is no character")),
        }
        Ok(())
    }

    /// The text of a JSON number, if one comes next.
    pub(crate) fn number(&mut self) -> Option<&'t str> {
        let rest = self.rest().as_bytes();
        let digits = |mut at: usize| {
            while rest.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let first = usize::from(rest.first() == Some(&b'-'));
        let mut end = if rest.get(first) == Some(&b'0') { first + 1 } else { digits(first) };
        if end == first {
            return None;
        }
        if rest.get(end) == Some(&b'.') && digits(end + 1) > end + 1 {
            end = digits(end + 1);
        }
        if matches!(rest.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            end = if exponent > end + 1 + sign { exponent } else { end };
        }
        // `12abc` and `007` are no numbers.
        let more = self.rest()[end..].chars().next().is_some_and(|c| is_word(c) || c == '.');
        if more { None } else { Some(self.advance(end)) }
    }
}
