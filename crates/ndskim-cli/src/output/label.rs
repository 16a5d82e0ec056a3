//! Labels: keys as text, so that no two different ones look alike.
//!
//! A string is its own text, unless that could be taken for something else: then it is a JSON string with its quotes. So
//! `null` is null, `"null"` is that string, `(absent)` is a missing value, and `12` is a number.

use ndskim::{Key, Kind};

use super::Cell;
use crate::visible::{is_invisible, visible};

/// A key as a label; `null` is what stands for null.
pub fn key(key: &Key, null: &str) -> Cell {
    match key.kind() {
        None => Cell::Mark("(absent)".to_owned()),
        Some(Kind::Null) => Cell::Mark(null.to_owned()),
        Some(Kind::String) => {
            let text = key.as_str().unwrap_or_default();
            // A lone surrogate has no text of its own.
            let exact = key.encoded()[1..] == *text.as_bytes();
            Cell::Label(if exact { self::text(&text) } else { visible(&key.to_string()).into_owned() })
        }
        Some(_) => Cell::Label(visible(&key.to_string()).into_owned()),
    }
}

/// Text as a label.
pub fn text(text: &str) -> String {
    let plain = !text.is_empty()
        && !text.starts_with(['(', '"', '[', '{'])
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace)
        && !matches!(text, "null" | "true" | "false")
        && !is_number(text)
        && !text.contains(is_invisible);
    if plain { text.to_owned() } else { visible(&super::string(text)).into_owned() }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && text.parse::<f64>().is_ok()
        && !text.ends_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_can_be_taken_for_another() {
        let of = |encoded: &str| match key(&Key::from_encoded(encoded.as_bytes()), "null") {
            Cell::Label(text) | Cell::Mark(text) => text,
            other => panic!("{other:?}"),
        };
        let rows = [
            ("", "(absent)"),
            ("null", "null"),
            ("\"null", "\"null\""),
            ("\"(absent)", "\"(absent)\""),
            ("\"", "\"\""),
            ("\"\"", r#""\"""#),
            ("12", "12"),
            ("\"12", "\"12\""),
            ("\"-1.5e3", "\"-1.5e3\""),
            ("\"2024-03-13T15:00:00Z", "2024-03-13T15:00:00Z"),
            ("\"127.0.0.1", "127.0.0.1"),
            ("\" x", "\" x\""),
            ("\"a\nb", r#""a\nb""#),
            ("\"a\u{202e}b", r#""a\u202eb""#),
            ("\"a\u{200b}b", r#""a\u200bb""#),
            ("\"a\u{2028}b", r#""a\u2028b""#),
            ("\"👩\u{200d}🚀", "👩\u{200d}🚀"),
            ("[1]", "[1]"),
            ("\"[1]", "\"[1]\""),
            ("true", "true"),
            ("\"true", "\"true\""),
            ("\"日本 🦀", "日本 🦀"),
        ];
        for (encoded, label) in rows {
            assert_eq!(of(encoded), label);
        }
    }
}
