//! Tables for people: aligned columns, with a bar for each share where there is room.
//!
//! Widths are those of the terminal's cells: a Chinese character takes two. Where no width is known, nothing is cut and no
//! bar is drawn, so that a table in a file does not depend on who wrote it where.

use std::borrow::Cow;
use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Cell, Column, Sheet};

/// How a table is to look.
#[derive(Clone, Debug, Default)]
pub struct Style {
    width: Option<usize>,
    colour: bool,
}

const GAP: usize = 2;
/// A column of labels is not cut to less than this.
const MIN_LABEL: usize = 8;
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
    let mut widths = vec![0; sheet.columns.len()];
    for row in &texts {
        row.iter().zip(&mut widths).for_each(|(text, width)| *width = (*width).max(text.width()));
    }
    let least = least(sheet, &widths);
    sheet.columns.iter().zip(&mut widths).for_each(|(column, width)| *width = (*width).max(column.title.width()));
    let bar = fit(sheet, style, &least, &mut widths);
    let share_of =
        |row: &[Cell]| row.iter().find_map(|cell| if let Cell::Share(share) = cell { Some(*share) } else { None });
    let largest = sheet.rows.iter().filter_map(|row| share_of(row)).fold(0.0, f64::max);

    for titles in title_lines(sheet, &widths) {
        write_line(out, sheet, &widths, &titles, |_, text| style.paint(text, "1"), "")?;
    }
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

/// How narrow columns may become by titles on several lines, the cells having these widths.
fn least(sheet: &Sheet, cells: &[usize]) -> Vec<usize> {
    let longest = |title: &str| pieces(title).map(UnicodeWidthStr::width).max().unwrap_or(0);
    let least = |(column, cell): (&Column, &usize)| (*cell).max(longest(&column.title));
    sheet.columns.iter().zip(cells).map(least).collect()
}

/// The parts of a title between which a line may end.
fn pieces(title: &str) -> impl Iterator<Item = &str> {
    let mut rest = title;
    std::iter::from_fn(move || {
        let ends = |(at, c): &(usize, char)| match c {
            // The point of a number is none.
            '.' => !rest[at + 1..].starts_with(|next: char| next.is_ascii_digit()),
            _ => matches!(c, '(' | ' ' | '/' | ']'),
        };
        let end = rest.char_indices().find(ends).map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The titles on as many lines as it takes, the last above the first row.
fn title_lines(sheet: &Sheet, widths: &[usize]) -> Vec<Vec<String>> {
    let lines = |(column, width): (&Column, &usize)| {
        let mut lines = vec![String::new()];
        for piece in pieces(&column.title) {
            match lines.last_mut() {
                Some(line) if (line.width() + piece.trim_end().width()) <= *width => line.push_str(piece),
                _ => lines.push(piece.to_owned()),
            }
        }
        lines.iter().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>()
    };
    let mut titles: Vec<Vec<String>> = sheet.columns.iter().zip(widths).map(lines).collect();
    let height = titles.iter().map(Vec::len).max().unwrap_or(0);
    for title in &mut titles {
        title.splice(0..0, vec![String::new(); height - title.len()]);
    }
    (0..height).map(|line| titles.iter().map(|title| title[line].clone()).collect()).collect()
}

/// Puts titles on several lines and cuts columns of labels, as far as it takes; tells how wide bars may be, if there is room
/// for them.
fn fit(sheet: &Sheet, style: &Style, least: &[usize], widths: &mut [usize]) -> Option<usize> {
    let room = style.width?;
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    while total(widths) > room {
        let wide = widths.iter_mut().zip(least).filter(|(width, least)| **width > **least);
        let Some((widest, _)) = wide.max_by_key(|(width, _)| **width) else { break };
        *widest -= 1;
    }
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
    fn long_titles_go_on_several_lines_before_labels_are_cut() {
        let titles = ["type", "records", "sum(payload.size)", "quantile(payload.size, 0.99)"];
        let mut columns: Vec<_> = titles.map(Column::numbers).into();
        columns[0] = Column::labels("type");
        let row = vec![Cell::Label("PullRequestEvent".into()), Cell::Int(1234), Cell::Int(77), Cell::Real(2.5)];
        let sheet = Sheet { columns, rows: vec![row], rest: None, total: None };
        let lines = |width| {
            let mut out = Vec::new();
            write(&mut out, &sheet, &Style { width, colour: false }).unwrap();
            String::from_utf8(out).unwrap().lines().map(String::from).collect::<Vec<_>>()
        };
        let expected = [
            "                                  quantile(",
            "                            sum(   payload.",
            "                        payload.      size,",
            "type              records  size)      0.99)",
            "PullRequestEvent    1,234     77      2.500",
        ];
        let narrow = lines(Some(46));
        assert!(narrow.iter().all(|line| line.width() <= 46), "{narrow:#?}");
        assert_eq!(
            narrow.iter().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect::<Vec<_>>(),
            expected.map(|line| line.split_whitespace().collect::<Vec<_>>()),
            "{narrow:#?}"
        );
        assert_eq!(lines(None).len(), 2);
        assert_eq!(lines(Some(80)).len(), 2);
        // Where even that is too wide, labels are cut.
        let narrower = lines(Some(42));
        assert!(narrower.iter().all(|line| line.width() <= 42) && narrower[4].contains('…'), "{narrower:#?}");
    }

    #[test]
    fn a_table_is_as_wide_as_the_terminal_at_most_whatever_is_in_it() {
        let keys = [
            "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字",
            "👨\u{200d}👩\u{200d}👧 family",
            "e\u{301}e\u{301}",
            "x",
            "",
        ];
        let rows: Vec<_> = (0..60)
            .map(|n| {
                vec![
                    Cell::Label(keys[n % 5].repeat(n % 4)),
                    Cell::Label(keys[n % 3].into()),
                    Cell::Int(10_i128.pow(n as u32 % 9)),
                    Cell::share(n as u64, 60),
                ]
            })
            .collect();
        let columns = vec![Column::labels("key"), Column::labels("b"), Column::numbers("records"), Column::shares()];
        for rows in [&rows[..], &rows[..1], &[]] {
            let sheet = Sheet { columns: columns.clone(), rows: rows.to_vec(), rest: None, total: None };
            for width in [48, 60, 80, 200] {
                let mut out = Vec::new();
                write(&mut out, &sheet, &Style { width: Some(width), colour: false }).unwrap();
                let text = String::from_utf8(out).unwrap();
                assert!(text.lines().all(|line| line.width() <= width), "{width}:\n{text}");
                assert_eq!(text.lines().count(), 1 + rows.len());
            }
        }
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
