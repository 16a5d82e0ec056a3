//! Comma-separated values as RFC 4180 has them, and tab-separated values.

use std::io::{self, Write};

use super::Sheet;

/// How cells and lines are told apart.
pub(super) struct Dialect {
    separator: char,
    line_end: &'static str,
}

pub(super) const COMMA: Dialect = Dialect { separator: ',', line_end: "\r\n" };
/// Labels have no tabs and no line ends, so nothing needs quotes.
pub(super) const TAB: Dialect = Dialect { separator: '\t', line_end: "\n" };

pub(super) fn write(out: &mut dyn Write, sheet: &Sheet, dialect: Dialect) -> io::Result<()> {
    let columns: Vec<_> = sheet.columns.iter().map(|column| !column.for_people).collect();
    let titles = sheet.columns.iter().map(|column| column.title.clone()).collect();
    let rows = sheet.rows.iter().chain(&sheet.rest).map(|row| row.iter().map(|cell| cell.for_programs()).collect());
    for row in std::iter::once::<Vec<String>>(titles).chain(rows) {
        let cells = row.into_iter().zip(&columns).filter(|(_, wanted)| **wanted);
        for (number, (cell, _)) in cells.enumerate() {
            if number > 0 {
                write!(out, "{}", dialect.separator)?;
            }
            if dialect.separator == ',' && cell.contains([',', '"', '\r', '\n']) {
                write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
            } else {
                out.write_all(cell.as_bytes())?;
            }
        }
        out.write_all(dialect.line_end.as_bytes())?;
    }
    Ok(())
}
