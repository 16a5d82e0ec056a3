//! Text in charts: made fit for XML, measured, and cut.

use unicode_width::UnicodeWidthChar;

/// The text with a space for each character that XML 1.0 cannot hold, or that would break a line or turn its direction.
pub(super) fn clean(text: &str) -> String {
    let unfit = |c: char| {
        c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if unfit(c) { ' ' } else { c }).collect()
}

/// About how wide a text is in letters of `size` pixels, by the widths of DejaVu Sans, which is wider than most.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(of_char).sum::<f64>() * size
}

/// In units of the size of letters.
fn of_char(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '|' | '\'' | '.' | ',' | ':' | ';' | ' ' | '/' | '\\' | '!' => 0.34,
        'f' | 't' | 'r' | 's' | '(' | ')' | '[' | ']' | '-' | '"' => 0.46,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.98,
        'A'..='Z' => 0.72,
        _ => match c.width() {
            Some(0) | None => 0.0,
            Some(1) => 0.62,
            Some(_) => 1.05,
        },
    }
}

/// As much of the text as is not wider than `room` pixels, with a sign where that is not all.
pub(super) fn cut(text: &str, size: f64, room: f64) -> String {
    let text = clean(text);
    if width(&text, size) <= room {
        return text;
    }
    let (mut kept, mut used) = (String::new(), size);
    for c in text.chars() {
        used += of_char(c) * size;
        if used > room {
            break;
        }
        kept.push(c);
    }
    kept.truncate(kept.trim_end().len());
    kept + "…"
}

/// As much of both ends of the text as is not wider than `room` pixels together, with a sign between them.
pub(super) fn cut_middle(text: &str, size: f64, room: f64) -> String {
    let text = clean(text);
    if width(&text, size) <= room {
        return text;
    }
    let start = cut(&text, size, room / 2.0);
    let (mut from, mut used) = (text.len(), 0.0);
    for (at, c) in text.char_indices().rev() {
        used += of_char(c) * size;
        if used > room / 2.0 {
            break;
        }
        // A mark that joins a character does not begin the end.
        if c.width() != Some(0) {
            from = at;
        }
    }
    start + text[from..].trim_start()
}

/// The text in lines that are not wider than `room` pixels, broken at spaces.
pub(super) fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in clean(text).split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + size / 2.0 <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(cut(word, size, room)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_where_the_room_ends() {
        assert_eq!(cut("short", 10.0, 100.0), "short");
        let long = cut(&"x".repeat(100), 10.0, 100.0);
        assert!(long.ends_with('…') && width(&long, 10.0) <= 101.0, "{long}");
        // A Chinese character takes the room of an em.
        assert_eq!(cut("漢字漢字漢字漢字漢字", 10.0, 55.0).chars().count(), 5);
        assert_eq!(cut("e\u{301}\u{301}", 10.0, 10.0), "e\u{301}\u{301}");
        assert_eq!(clean("a\0b\u{ffff}c\nd"), "a b c d");
    }

    #[test]
    fn lines_are_broken_at_spaces() {
        assert_eq!(wrap("aaaa bbbb cccc", 10.0, 60.0), ["aaaa bbbb", "cccc"]);
        assert_eq!(wrap("", 10.0, 60.0), Vec::<String>::new());
    }
}
