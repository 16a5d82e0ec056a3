//! Errors in a path, an expression or a condition: what is wrong, a caret under the place, and what to write instead.

use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

/// Why a text is no path, expression or condition. Shown on several lines, with a caret under the place.
///
/// ```
/// use ndskim_query::Condition;
/// let error = Condition::parse("type = PushEvent").unwrap_err();
/// assert_eq!(error.to_string(), "\
/// expected a value: text in quotes, a number, true, false or null
///   type = PushEvent
///          ^^^^^^^^^
///   write 'PushEvent'");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    text: String,
    span: Range<usize>,
    message: String,
    advice: Option<String>,
}

impl SyntaxError {
    pub(crate) fn new(text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { text: text.to_owned(), span, message: message.into(), advice: None }
    }

    pub(crate) fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// The bytes of the text that are meant; empty at its end.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What is wrong, without the text.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A control character would move the caret away from its place.
        let shown = |text: &str| text.replace(char::is_control, " ");
        let before = shown(&self.text[..self.span.start]).width();
        let marked = shown(&self.text[self.span.clone()]).width().max(1);
        writeln!(f, "{}", self.message)?;
        writeln!(f, "  {}", shown(&self.text))?;
        write!(f, "  {:before$}{}", "", "^".repeat(marked))?;
        match &self.advice {
            Some(advice) => write!(f, "\n  {advice}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SyntaxError {}
