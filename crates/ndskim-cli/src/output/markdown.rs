//! Tables in Markdown, as GitHub has them.

use std::io::{self, Write};

use super::Sheet;

pub(super) fn write(out: &mut dyn Write, sheet: &Sheet) -> io::Result<()> {
    let escape = |text: &str| {
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            if matches!(c, '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '<' | '>' | '~' | '&' | '#') {
                escaped.push('\\');
            }
            escaped.push(c);
        }
        escaped
    };
    let mut line = |cells: Vec<String>| writeln!(out, "| {} |", cells.join(" | "));
    line(sheet.columns.iter().map(|column| escape(&column.title)).collect())?;
    line(sheet.columns.iter().map(|column| if column.right { "---:" } else { "---" }.to_owned()).collect())?;
    for row in sheet.rows.iter().chain(&sheet.rest).chain(&sheet.total) {
        line(row.iter().map(|cell| escape(&cell.for_people())).collect())?;
    }
    Ok(())
}
