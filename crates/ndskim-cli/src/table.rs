//! Tables for people: aligned columns of counts with their shares.

use std::io::{self, Write};

use ndskim::{CountTable, Key, Kind, Stats};

/// How a key is shown: a string as its text, unless that could be taken for something else.
pub fn label(key: &Key, null: &str) -> String {
    match key.kind() {
        None => "(absent)".to_owned(),
        Some(Kind::Null) => null.to_owned(),
        Some(Kind::String) => {
            let text = key.as_str().unwrap_or_default();
            let plain = !text.is_empty()
                && !text.starts_with(['(', '"', ' ', '-', '[', '{'])
                && !text.starts_with(|c: char| c.is_ascii_digit())
                && !text.ends_with(' ')
                && !matches!(&*text, "null" | "true" | "false")
                && !text.contains(char::is_control);
            if plain { text.into_owned() } else { key.to_string() }
        }
        Some(_) => key.to_string(),
    }
}

/// Writes the counts of a table, the largest first, with their shares of the total.
///
/// # Errors
/// What the writer says.
pub fn write_counts(out: &mut impl Write, title: &str, unit: &str, null: &str, counts: &CountTable) -> io::Result<()> {
    let rows: Vec<_> = counts.sorted().into_iter().map(|(key, count)| (label(key, null), count)).collect();
    let total = counts.total();
    let width =
        rows.iter().map(|(label, _)| label.chars().count()).chain([title.chars().count(), 5]).max().unwrap_or(0);
    let digits = thousands(total).len().max(unit.len());
    writeln!(out, "{title:width$}  {unit:>digits$}   share")?;
    for (label, count) in &rows {
        let share = *count as f64 * 100.0 / total as f64;
        writeln!(out, "{label:width$}  {:>digits$}  {share:5.1} %", thousands(*count))?;
    }
    writeln!(out, "{:width$}  {:>digits$}", "total", thousands(total))
}

/// Writes the last line of a report: records, bytes, time and speed.
///
/// # Errors
/// What the writer says.
pub fn write_stats(out: &mut impl Write, stats: &Stats) -> io::Result<()> {
    write!(out, "{} records", thousands(stats.records))?;
    for (count, what) in [(stats.blank, "blank lines"), (stats.rejected, "rejected")] {
        if count > 0 {
            write!(out, ", {} {what}", thousands(count))?;
        }
    }
    let speed = stats.bytes as f64 / stats.seconds.max(1e-9) / 1e9;
    writeln!(out, ", {} bytes in {:.3} s ({speed:.2} GB/s)", thousands(stats.bytes), stats.seconds)
}

/// A number with separators between its thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes the rows of a JSON report: an array of `{"key":...,"count":N}`, in which an absent key is `"absent":true`.
///
/// # Errors
/// What the writer says.
pub fn write_json_rows(out: &mut impl Write, counts: &CountTable) -> io::Result<()> {
    out.write_all(b"[")?;
    for (number, (key, count)) in counts.sorted().into_iter().enumerate() {
        let separator = if number > 0 { "," } else { "" };
        match key.to_json() {
            Some(json) => write!(out, "{separator}{{\"key\":{json},\"count\":{count}}}")?,
            None => write!(out, "{separator}{{\"absent\":true,\"count\":{count}}}")?,
        }
    }
    out.write_all(b"]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let numbers = [0, 999, 1000, 1234567, u64::MAX].map(thousands);
        assert_eq!(numbers, ["0", "999", "1,000", "1,234,567", "18,446,744,073,709,551,615"]);
    }
}
