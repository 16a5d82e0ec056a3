//! What to generate. Everything that the bytes of a file depend on is in [`Options`]; how they
//! are spread over files and compressed is in `output`.

use crate::layout::Layout;

/// How JSON is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Style {
    /// No white space between tokens.
    #[default]
    Compact,
    /// `, ` and `: `, as Python's `json` writes by default.
    Spaced,
    /// Indented by two spaces, a member or element a line.
    Pretty,
    /// Compact, but lines end in CR LF.
    Crlf,
}

/// What stands after each record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Separator {
    /// A line end.
    #[default]
    Newline,
    /// Nothing: events back to back, as in whole files of 2011 and 2012.
    None,
}

/// What to generate: the text of a file is a function of these values.
///
/// ```
/// use ghgen::{Layout, Options};
///
/// let options = Options { bytes: 100_000, layout: Layout::Weblog, ..Options::default() };
/// let mut text = Vec::new();
/// let report = ghgen::generate(&options, &mut text).unwrap();
/// assert_eq!(report.truth.records as usize, text.split_inclusive(|&b| b == b'\n').count());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Bytes of text at least: the record that reaches this size is the last.
    pub bytes: u64,
    /// Another seed gives other records.
    pub seed: u64,
    /// What the records look like.
    pub layout: Layout,
    /// How their JSON is written.
    pub style: Style,
    /// What stands after each.
    pub separator: Separator,
    /// How many lines to spoil.
    pub damage: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bytes: 1_000_000,
            seed: 1,
            layout: Layout::default(),
            style: Style::default(),
            separator: Separator::default(),
            damage: 0,
        }
    }
}

impl Options {
    /// Whether the options can be had together.
    ///
    /// # Errors
    ///
    /// Damage is done to lines, so it needs records on lines of their own; so do CR LF line ends.
    pub fn check(&self) -> Result<(), String> {
        let lines = self.separator == Separator::Newline;
        if self.damage > 0 && !(lines && self.style != Style::Pretty) {
            return Err("damage is done to lines: it needs a separator and a style other than pretty".into());
        }
        if self.style == Style::Crlf && !lines {
            return Err("style crlf is about line ends, and separator none leaves none".into());
        }
        Ok(())
    }

    /// What stands after each record.
    pub(crate) fn terminator(&self) -> &'static [u8] {
        match (self.separator, self.style) {
            (Separator::None, _) => b"",
            (Separator::Newline, Style::Crlf) => b"\r\n",
            (Separator::Newline, _) => b"\n",
        }
    }
}

/// Reads a number of bytes such as `1GB`, `1.5GiB`, `300MB`, `64k` or `1000`.
///
/// # Errors
///
/// Says what it expects if `text` is no such number.
///
/// ```
/// assert_eq!(ghgen::parse_bytes("1.5GB"), Ok(1_500_000_000));
/// assert_eq!(ghgen::parse_bytes("2KiB"), Ok(2_048));
/// assert!(ghgen::parse_bytes("many").is_err());
/// ```
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let expected = || format!("`{text}` is no number of bytes: write 1000, 64kB, 300MB, 1.5GB or 1GiB");
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let unit: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "t" | "tb" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return Err(expected()),
    };
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.checked_mul(unit).ok_or_else(expected);
    }
    let number: f64 = digits.parse().map_err(|_| expected())?;
    Ok((number * unit as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_bytes("0"), Ok(0));
        assert_eq!(parse_bytes("12"), Ok(12));
        assert_eq!(parse_bytes("1GB"), Ok(1_000_000_000));
        assert_eq!(parse_bytes("1 GiB"), Ok(1 << 30));
        for wrong in ["", "GB", "1.2.3MB", "1XB", "-5", "99999999999TB"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn damage_needs_lines() {
        let options = Options { damage: 1, ..Options::default() };
        assert!(options.check().is_ok());
        assert!(Options { style: Style::Pretty, ..options.clone() }.check().is_err());
        assert!(Options { separator: Separator::None, ..options }.check().is_err());
    }
}
