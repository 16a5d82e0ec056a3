//! Text as JSON strings, for reports that programs read.

use std::fmt;

/// Shows a text as a JSON string.
pub struct JsonString<'t>(pub &'t str);

impl fmt::Display for JsonString<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                '\u{0}'..='\u{1f}' | '\u{7f}' => write!(f, "\\u{:04x}", c as u32)?,
                _ => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_survive_a_json_reader() {
        let text: String = (0..=0x2ff).filter_map(char::from_u32).collect();
        let json = JsonString(&text).to_string();
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
