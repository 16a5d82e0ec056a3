//! Tables for people: aligned columns, with a bar for each share where there is room.
//!
//! Widths are those of the terminal's cells: a Chinese character takes two. Where no width is known, nothing is cut and no bar is
//! drawn, so that a table in a file does not depend on who wrote it where.

use std::borrow::Cow;
use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Cell, Sheet};

/// How a table is to look.
#[derive(Clone, Debug, Default)]
pub struct Style {
    width: Option<usize>,
    colour: bool,
}

const GAP: usize = 2;
/// A column of labels is not cut to less than this.
const MIN_LABEL: usize = 12;
const BAR: std::ops::RangeInclusive<usize> = 8..=40;

impl Style {
    /// For files and pipes.
    pub fn plain() -> Self {
        Self::default()
    }

    /// For the terminal at standard output: as wide as that is, and with colour, unless the environment speaks against it.
    pub fn of_terminal() -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self { width, colour: !set("NO_COLOR") && !dumb }
    }

    /// Text between a colour and its end, if there is colour.
    fn paint<'t>(&self, text: &'t str, code: &str) -> Cow<'t, str> {
        if self.colour { Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m")) } else { Cow::Borrowed(text) }
    }
}

pub(super) fn write(out: &mut dyn Write, sheet: &Sheet, style: &Style) -> io::Result<()> {
    let all = || sheet.rows.iter().chain(&sheet.rest).chain(&sheet.total);
    let texts: Vec<Vec<String>> = all().map(|row| row.iter().map(Cell::for_people).collect()).collect();
    let mut widths: Vec<usize> = sheet.columns.iter().map(|column| column.title.width()).collect();
    for row in &texts {
        row.iter().zip(&mut widths).for_each(|(text, width)| *width = (*width).max(text.width()));
    }
    let bar = fit(sheet, style, &mut widths);
    let share_of =
        |row: &[Cell]| row.iter().find_map(|cell| if let Cell::Share(share) = cell { Some(*share) } else { None });
    let largest = sheet.rows.iter().filter_map(|row| share_of(row)).fold(0.0, f64::max);

    let titles: Vec<String> = sheet.columns.iter().map(|column| column.title.clone()).collect();
    write_line(out, sheet, &widths, &titles, |_, text| style.paint(text, "1"), "")?;
    for (number, (row, texts)) in all().zip(&texts).enumerate() {
        let paint = |column: usize, text| match &row[column] {
            Cell::Mark(_) => style.paint(text, "2"),
            _ => Cow::Borrowed(text),
        };
        let has_bar = number < sheet.rows.len();
        let bar = match (bar.filter(|_| has_bar), share_of(row)) {
            (Some(room), Some(share)) => style.paint(&draw(share / largest, room), "36").into_owned(),
            _ => String::new(),
        };
        write_line(out, sheet, &widths, texts, paint, &bar)?;
    }
    Ok(())
}

/// Cuts columns of labels down to what fits; tells how wide bars may be, if there is room for them.
fn fit(sheet: &Sheet, style: &Style, widths: &mut [usize]) -> Option<usize> {
    let room = style.width?;
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    while total(widths) > room {
        let labels =
            widths.iter_mut().zip(&sheet.columns).filter(|(width, column)| !column.right && **width > MIN_LABEL);
        let Some((widest, _)) = labels.max_by_key(|(width, _)| **width) else { break };
        *widest -= 1;
    }
    let left = room.saturating_sub(total(widths) + GAP).min(*BAR.end());
    (left >= *BAR.start() && sheet.columns.iter().any(|column| column.for_people)).then_some(left)
}

fn write_line<'t>(
    out: &mut dyn Write,
    sheet: &Sheet,
    widths: &[usize],
    texts: &'t [String],
    paint: impl Fn(usize, &'t str) -> Cow<'t, str>,
    bar: &str,
) -> io::Result<()> {
    let mut line = String::new();
    for (number, ((text, width), column)) in texts.iter().zip(widths).zip(&sheet.columns).enumerate() {
        let (shown, ellipsis) = cut(text, *width);
        let padding = " ".repeat(width.saturating_sub(shown.width() + ellipsis.width()));
        let painted = paint(number, shown);
        line.push_str(if number > 0 { "  " } else { "" });
        if column.right {
            line.extend([&*padding, &painted, ellipsis]);
        } else {
            line.extend([&*painted, ellipsis, &padding]);
        }
    }
    if !bar.is_empty() {
        line.extend(["  ", bar]);
    }
    writeln!(out, "{}", line.trim_end())
}

/// As much of a text as fits, and a sign if that is not all.
fn cut(text: &str, width: usize) -> (&str, &'static str) {
    if text.width() <= width {
        return (text, "");
    }
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        if text[..next].width() > width.saturating_sub(1) {
            break;
        }
        // A mark that joins characters is not left at the end.
        if c.width() != Some(0) {
            end = next;
        }
    }
    (&text[..end], "…")
}

/// A bar of a length between 0 and 1, in eighths of a cell; at least one of these for what is not nothing.
fn draw(length: f64, room: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = ((length * room as f64 * 8.0).round() as usize).max(usize::from(length > 0.0));
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Column;

    fn sheet() -> Sheet {
        let row = |label: &str, count: u64| {
            vec![Cell::Label(label.into()), Cell::Int(count.into()), Cell::share(count, 4000)]
        };
        Sheet {
            columns: vec![Column::labels("key"), Column::numbers("records"), Column::shares()],
            rows: vec![row("漢字", 3000), row("a long key that is cut somewhere", 999), row("🦀", 1)],
            rest: None,
            total: Some(vec![Cell::Mark("total".into()), Cell::Int(4000), Cell::Empty]),
        }
    }

    fn written(style: &Style) -> Vec<String> {
        let mut out = Vec::new();
        write(&mut out, &sheet(), style).unwrap();
        String::from_utf8(out).unwrap().lines().map(String::from).collect()
    }

    #[test]
    fn wide_characters_are_aligned() {
        let lines = written(&Style::plain());
        let expected = [
            "key                               records   share",
            "漢字                                3,000  75.0 %",
            "a long key that is cut somewhere      999  25.0 %",
            "🦀                                      1   0.0 %",
            "total                               4,000",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_narrow_terminal_cuts_labels_and_a_wide_one_has_bars() {
        let narrow = written(&Style { width: Some(40), colour: false });
        assert!(narrow.iter().all(|line| line.width() <= 40), "{narrow:?}");
        assert!(narrow[2].contains('…'));
        let wide = written(&Style { width: Some(200), colour: false });
        assert!(wide[1].ends_with(&"█".repeat(40)) && wide[3].ends_with('▏'), "{wide:?}");
        assert!(written(&Style { width: None, colour: true })[0].starts_with("\x1b[1m"));
    }
}
