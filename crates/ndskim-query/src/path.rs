//! Paths to values inside a record, as a person writes them: JSON Pointers, or names with dots.
//!
//! A path is tokens, as those of a pointer, and at most one `[]`, which stands for each element of an array. Two spellings of
//! the same tokens are the same path; each is printed as it was spelled. Where the path leads in a record is not known here.

use std::fmt;
use std::str::FromStr;

use ndskim::Pointer;

use crate::cursor::{Cursor, RESERVED, Result, is_invisible, is_word};
use crate::error::SyntaxError;

/// A path: a JSON Pointer (`/payload/size`), or names with dots (`payload.commits[0].sha`, `"odd key".x`,
/// `payload.commits[].sha`).
///
/// ```
/// use ndskim_query::Path;
/// let path = Path::parse("payload.commits[].author.\"full name\"").unwrap();
/// assert_eq!(path.array().unwrap().to_string(), "/payload/commits");
/// assert_eq!(path.pointer().to_string(), "/author/full name");
/// assert_eq!(Path::parse("a.b[0]").unwrap(), Path::parse("/a/b/0").unwrap());
/// ```
#[derive(Clone, Debug)]
pub struct Path {
    tokens: Vec<String>,
    /// How many of the tokens stand before `[]`.
    each: Option<usize>,
    /// Whether it was spelled as a JSON Pointer.
    slashes: bool,
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        self.tokens == other.tokens && self.each == other.each
    }
}

impl Eq for Path {}

impl Path {
    /// Reads a path that is the whole of a text. What begins with `/`, and nothing, is a JSON Pointer.
    ///
    /// # Errors
    /// [`SyntaxError`].
    pub fn parse(text: &str) -> Result<Self> {
        if text.is_empty() || text.starts_with('/') {
            return Self::of_pointer(text, &Cursor::new(text), text.len());
        }
        let mut cursor = Cursor::new(text);
        cursor.space();
        let path = Self::read(&mut cursor)?;
        cursor.end()?;
        Ok(path)
    }

    /// Reads a path within a longer text, in which a pointer ends where an operator begins.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        if cursor.peek() == Some('/') {
            let start = cursor.at();
            let length = pointer_length(cursor.rest());
            cursor.advance(length);
            let pointer = start..cursor.at();
            cursor.back_to(start);
            let path = Self::of_pointer(&cursor.rest()[..length], cursor, length)?;
            cursor.back_to(pointer.end);
            return Ok(path);
        }
        let mut path = Self { tokens: Vec::new(), each: None, slashes: false };
        let start = cursor.at();
        if cursor.eat(".") && !cursor.peek().is_some_and(|c| is_word(c) || matches!(c, '"' | '[')) {
            return Ok(path);
        }
        if cursor.peek() != Some('[') {
            let word = cursor.peek_word();
            if cursor.at() == start && RESERVED.contains(&word) {
                let error = cursor
                    .error(cursor.next_token(), format!("expected a path, and `{word}` is a word with a meaning"));
                return Err(error.advice(format!("write \"{word}\" in double quotes for a member of that name")));
            }
            path.member(cursor)?;
        }
        loop {
            match cursor.peek() {
                Some('[') => path.brackets(cursor)?,
                Some('.') => {
                    cursor.advance(1);
                    path.member(cursor)?;
                }
                _ => return Ok(path),
            }
        }
    }

    fn of_pointer(text: &str, cursor: &Cursor<'_>, length: usize) -> Result<Self> {
        let pointer =
            Pointer::parse(text).map_err(|error| cursor.error(cursor.at()..cursor.at() + length, error.to_string()))?;
        Ok(Self { tokens: pointer.tokens().to_vec(), each: None, slashes: true })
    }

    fn member(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let token = match cursor.peek() {
            Some('"') => cursor.string()?,
            Some(c) if is_word(c) => cursor.take_while(is_word).to_owned(),
            Some('\'') => {
                return Err(cursor
                    .expected("a path")
                    .advice("text in single quotes is a value; odd names go in double quotes"));
            }
            _ => {
                let what = if self.tokens.is_empty() {
                    "a path, such as /actor/login or actor.login"
                } else {
                    "a member's name"
                };
                return Err(cursor.expected(what));
            }
        };
        self.push(token, cursor)
    }

    fn push(&mut self, token: String, cursor: &Cursor<'_>) -> Result<()> {
        self.tokens.push(token);
        if self.tokens.len() > Pointer::MAX_TOKENS {
            return Err(cursor.error(cursor.next_token(), format!("a path has at most {} steps", Pointer::MAX_TOKENS)));
        }
        Ok(())
    }

    fn brackets(&mut self, cursor: &mut Cursor<'_>) -> Result<()> {
        let start = cursor.at();
        cursor.advance(1);
        let index = cursor.take_while(|c| c.is_ascii_digit());
        if !cursor.eat("]") {
            let error = cursor.expected("an element's number and `]`, or `]` alone for each element");
            return Err(error.advice("names go behind a dot: a.\"odd key\""));
        }
        if !index.is_empty() {
            if index.len() > 1 && index.starts_with('0') {
                return Err(cursor.error(start + 1..cursor.at() - 1, "an element's number has no leading zero"));
            }
            return self.push(index.to_owned(), cursor);
        }
        if self.each.is_some() {
            return Err(cursor.error(start..cursor.at(), "only one array of a path can be gone through with []"));
        }
        self.each = Some(self.tokens.len());
        Ok(())
    }

    /// The array that is gone through with `[]`, if there is one.
    pub fn array(&self) -> Option<Pointer> {
        self.each.map(|each| Pointer::from_tokens(&self.tokens[..each]))
    }

    /// The way to the value: from the record, or from the element of [`array`](Self::array).
    pub fn pointer(&self) -> Pointer {
        Pointer::from_tokens(&self.tokens[self.each.unwrap_or(0)..])
    }
}

/// How far a pointer goes in a longer text: to white space, a bracket, a comma, or an operator.
fn pointer_length(text: &str) -> usize {
    let ends = |(at, c): &(usize, char)| match c {
        '~' => !text[at + 1..].starts_with(['0', '1']),
        ',' | '(' | ')' | '=' | '!' | '<' | '>' | '"' | '\'' => true,
        _ => c.is_whitespace(),
    };
    text.char_indices().find(ends).map_or(text.len(), |(at, _)| at)
}

impl FromStr for Path {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl fmt::Display for Path {
    /// The path as it was spelled, where that can be read back as part of a longer text; else with dots and quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.slashes && !self.tokens.is_empty() {
            let pointer = self.pointer().to_string();
            if pointer_length(&pointer) == pointer.len() && !pointer.contains(is_invisible) {
                return f.write_str(&pointer);
            }
        }
        if self.tokens.is_empty() && self.each.is_none() {
            return f.write_str(".");
        }
        for (number, token) in self.tokens.iter().enumerate() {
            self.each_at(number, f)?;
            let index = token.parse::<u64>().is_ok_and(|index| index.to_string() == *token);
            let word =
                !token.is_empty() && token.chars().all(is_word) && !(number == 0 && RESERVED.contains(&&**token));
            match (index, word) {
                (true, _) => write!(f, "[{token}]")?,
                (_, true) => write!(f, "{}{token}", if number > 0 { "." } else { "" })?,
                _ => write!(f, "{}{}", if number > 0 { "." } else { "" }, quoted(token))?,
            }
        }
        self.each_at(self.tokens.len(), f)
    }
}

impl Path {
    fn each_at(&self, number: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.each == Some(number) { f.write_str("[]") } else { Ok(()) }
    }
}

/// Text as a JSON string, with escapes for what cannot be seen; three bytes that stand for a lone surrogate are escaped too.
pub(crate) fn quoted(text: impl AsRef<[u8]>) -> String {
    let mut key = vec![b'"'];
    key.extend_from_slice(text.as_ref());
    let json = ndskim::Key::from_encoded(&key).to_string();
    let shown = |c: char| if is_invisible(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    json.chars().map(shown).collect()
}
