//! Text as a terminal can be shown it: what cannot be seen, or changes how other text is shown, becomes an escape as in JSON.
//!
//! File names and keys are whatever somebody made them. None of them may move the cursor, colour what follows, turn the
//! direction of text round, or begin a new line of a message.

use std::borrow::Cow;
use std::path::Path;

pub(crate) use ndskim_query::is_invisible;

/// Text with escapes for what cannot be seen.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    let shown = |c: char| if is_invisible(c) { format!("\\u{:04x}", c as u32) } else { c.to_string() };
    Cow::Owned(text.chars().map(shown).collect())
}

/// The name of a file with escapes for what cannot be seen.
pub(crate) fn visible_path(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}

/// A message with escapes for what cannot be seen, except for its line ends.
pub(crate) fn visible_lines(message: &str) -> String {
    message.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}
