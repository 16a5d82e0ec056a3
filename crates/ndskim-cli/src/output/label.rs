//! Labels: keys as text, so that no two different ones look alike.
//!
//! A string is its own text, unless that could be taken for something else: then it is a JSON string with its quotes. So `null` is
//! null, `"null"` is that string, `(absent)` is a missing value, and `12` is a number.

use ndskim::{Key, Kind};

use super::Cell;

/// A key as a label; `null` is what stands for null.
pub fn key(key: &Key, null: &str) -> Cell {
    match key.kind() {
        None => Cell::Mark("(absent)".to_owned()),
        Some(Kind::Null) => Cell::Mark(null.to_owned()),
        Some(Kind::String) => {
            let text = key.as_str().unwrap_or_default();
            // A lone surrogate has no text of its own.
            let exact = key.encoded()[1..] == *text.as_bytes();
            Cell::Label(if exact { self::text(&text) } else { visible(&key.to_string()) })
        }
        Some(_) => Cell::Label(visible(&key.to_string())),
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
    if plain { text.to_owned() } else { visible(&super::string(text)) }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && text.parse::<f64>().is_ok()
        && !text.ends_with(|c: char| c.is_ascii_alphabetic())
}

/// Characters that cannot be seen, or change how others are shown: controls, marks for the direction of text, separators without
/// width. Joiners are none of these: scripts and emoji are written with them.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        )
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// JSON with escapes for what cannot be seen.
fn visible(json: &str) -> String {
    if !json.contains(is_invisible) {
        return json.to_owned();
    }
    json.chars().map(|c| if is_invisible(c) { format!("\\u{:04x}", c as u32) } else { c.to_string() }).collect()
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
