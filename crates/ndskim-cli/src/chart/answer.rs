//! The chart of an answer: bars of its groups, or lines over time where it is grouped by a span of time.
//!
//! What is drawn is the count, or the result that the groups are in order of. What is not drawn is said below the chart.

use std::collections::BTreeMap;

use ndskim::Key;
use ndskim_query::{Answer, Expression, Function, Order, Row, Scalar, Span};

use super::bars::{self, Bar, Bars};
use super::timeline::{self, Line, Timeline};
use crate::exit::Failure;
use crate::output::{Cell, key_label, thousands};

/// The most bars that a page has room for.
const MOST_BARS: usize = 40;
/// The most lines that can be told apart.
const MOST_LINES: usize = 8;

/// Draws an answer to a question that groups by `by`, with its groups in `order`. The subtitle says of what.
pub(crate) fn draw(answer: &Answer, by: &[Expression], order: Order, subtitle: String) -> Result<String, Failure> {
    let figures = Figures { answer, order };
    let spans: Vec<_> = by.iter().enumerate().filter_map(|(at, expression)| Some((at, span(expression)?))).collect();
    match spans[..] {
        [(at, span)] => timeline::draw(&figures.timeline(at, span, subtitle)),
        _ => bars::draw(&figures.bars(subtitle)),
    }
}

fn span(expression: &Expression) -> Option<Span> {
    match expression {
        Expression::Call(Function::Trunc(span, _), _) => Some(*span),
        _ => None,
    }
}

/// An answer with the figure that is drawn of it.
#[derive(Clone, Copy)]
struct Figures<'a> {
    answer: &'a Answer,
    order: Order,
}

impl Figures<'_> {
    /// What the figure is called.
    fn unit(self) -> String {
        match self.column() {
            Some(column) => self.answer.columns.get(column).cloned().unwrap_or_default(),
            None => self.counted().to_owned(),
        }
    }

    fn counted(self) -> &'static str {
        if self.answer.elements { "elements" } else { "records" }
    }

    /// So many of what is counted.
    fn count(self, count: u64) -> String {
        plural(count, self.counted().trim_end_matches('s'))
    }

    fn column(self) -> Option<usize> {
        if let Order::Column(column) = self.order { Some(column) } else { None }
    }

    fn scalar(self, row: &Row) -> Scalar {
        match self.column() {
            Some(column) => row.results.get(column).cloned().unwrap_or(Scalar::Nothing),
            None => Scalar::Int(row.count.into()),
        }
    }

    /// The figure as it is drawn: one that is beyond all paper is as long as the paper.
    fn value(self, row: &Row) -> Option<f64> {
        let value = match self.scalar(row) {
            Scalar::Int(integer) => integer as f64,
            Scalar::Real(real) => real,
            _ => return None,
        };
        Some(value.clamp(-super::LARGEST, super::LARGEST))
    }

    fn is_whole(self) -> bool {
        self.answer.rows.iter().all(|row| !matches!(self.scalar(row), Scalar::Real(_)))
    }

    fn title(self) -> String {
        let unit = self.unit();
        let mut chars = unit.chars();
        let capital = chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>());
        let unit = if self.column().is_none() { capital.unwrap_or_default() } else { unit };
        format!("{unit} by {}", self.answer.by.join(", "))
    }

    fn bars(self, subtitle: String) -> Bars {
        let bar = |row: &Row| {
            let figure = match self.scalar(row) {
                Scalar::Text(text) => crate::output::text_label(&text),
                scalar => cell(&scalar).for_people(),
            };
            let share = match (self.column(), Cell::share(row.count, self.answer.matched)) {
                (None, Cell::Share(share)) => format!(" ({:.1} %)", share * 100.0),
                _ => String::new(),
            };
            Bar {
                name: name(&row.key),
                value: self.value(row),
                figure: super::text::cut(&(figure + &share), 13.0, 190.0),
            }
        };
        let drawn = self.answer.rows.len().min(MOST_BARS);
        Bars {
            title: self.title(),
            subtitle,
            names: self.answer.by.join(" · "),
            unit: self.unit(),
            whole: self.is_whole(),
            bars: self.answer.rows[..drawn].iter().map(bar).collect(),
            notes: self.rest(&self.answer.rows[drawn..]).into_iter().collect(),
        }
    }

    /// What is said of groups that are not drawn.
    fn rest(self, rows: &[Row]) -> Option<String> {
        let (groups, count) = self.answer.other.as_ref().map_or((0, 0), |other| (other.groups, other.count));
        let groups = groups + rows.len() as u64;
        let count = count + rows.iter().map(|row| row.count).sum::<u64>();
        let share = Cell::share(count, self.answer.matched).for_people();
        let (more, count) = (plural(groups, "more group"), self.count(count));
        (groups > 0).then(|| format!("Not drawn: {more} with {count} ({share})."))
    }

    fn timeline(self, at: usize, span: Span, subtitle: String) -> Timeline {
        let mut lines: BTreeMap<Vec<Key>, (u64, BTreeMap<i64, f64>)> = BTreeMap::new();
        let (mut without_time, mut without_figure) = (0, 0);
        for row in &self.answer.rows {
            let mut key = row.key.clone();
            let Some(time) = time(&key.remove(at)) else {
                without_time += row.count;
                continue;
            };
            let line = lines.entry(key).or_default();
            line.0 += row.count;
            match self.value(row) {
                Some(value) => _ = line.1.insert(time, value),
                None => without_figure += 1,
            }
        }
        let mut lines: Vec<_> = lines.into_iter().collect();
        // Stable, so that equal ones are in the order of their keys.
        lines.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        let more = lines.split_off(lines.len().min(MOST_LINES));
        let mut notes: Vec<String> = Vec::new();
        if !more.is_empty() {
            let count = self.count(more.iter().map(|(_, (count, _))| *count).sum());
            notes.push(format!("Not drawn: {} with {count}.", plural(more.len() as u64, "more line")));
        }
        notes.extend(self.rest(&[]).map(|rest| format!("{rest} Lines are broken where a group may be missing.")));
        if without_time > 0 {
            notes.push(format!("Not drawn: {} without a time.", self.count(without_time)));
        }
        if without_figure > 0 {
            notes.push(format!("Not drawn: {} without a number.", plural(without_figure, "point")));
        }
        Timeline {
            title: self.title(),
            subtitle,
            unit: self.unit(),
            whole: self.is_whole(),
            span,
            empty_is_zero: self.column().is_none() && self.answer.other.is_none(),
            lines: lines.into_iter().map(|(key, (_, points))| Line { name: name(&key), points }).collect(),
            notes,
        }
    }
}

/// The start of a span, in seconds since 1970.
fn time(key: &Key) -> Option<i64> {
    key.as_str()?.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second)
}

/// A key as the name of a bar or a line.
fn name(key: &[Key]) -> String {
    let several = key.len() > 1;
    let label = |key: &Key| match key_label(key, "null") {
        Cell::Label(text) | Cell::Mark(text) => text,
        _ => String::new(),
    };
    // Of several, each has its share of the room.
    let part = |key: &Key| if several { super::text::cut(&label(key), 13.0, 128.0) } else { label(key) };
    key.iter().map(part).collect::<Vec<_>>().join(" · ")
}

/// A number with what it counts.
fn plural(count: u64, what: &str) -> String {
    format!("{} {what}{}", thousands(count), if count == 1 { "" } else { "s" })
}

fn cell(scalar: &Scalar) -> Cell {
    match scalar {
        Scalar::Int(integer) => Cell::Int(*integer),
        Scalar::Real(real) => Cell::Real(*real),
        _ => Cell::Mark("–".to_owned()),
    }
}
