//! Lines over time.

use std::collections::BTreeMap;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use ndskim_query::Span;
use plotters::prelude::*;

use super::page::{Axes, Axis, COLOURS, DrawError, Entry, Frame, Plot, Stroke, page, stroke};
use super::ticks::Scale;
use crate::exit::Failure;

/// Lines over time.
pub(super) struct Timeline {
    pub(super) title: String,
    pub(super) subtitle: String,
    /// What the figures are, with their unit.
    pub(super) unit: String,
    pub(super) whole: bool,
    /// The span from one point to the next.
    pub(super) span: Span,
    /// Whether a span without a point has the figure 0; if not, the line is broken there.
    pub(super) empty_is_zero: bool,
    pub(super) lines: Vec<Line>,
    pub(super) notes: Vec<String>,
}

/// A line: figures by the start of their span, in seconds since 1970.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: BTreeMap<i64, f64>,
}

const HEIGHT: u32 = 340;
/// With more points than this, a line has no marks at them.
const MARKED: usize = 70;
/// The most ticks of the axis of time.
const TICKS: usize = 7;

/// Draws it.
pub(super) fn draw(chart: &Timeline) -> Result<String, Failure> {
    let entry = |(number, line): (usize, &Line)| Entry {
        text: line.name.clone(),
        colour: COLOURS[number % COLOURS.len()],
        stroke: Stroke::Solid,
    };
    let legend = if chart.lines.len() > 1 { chart.lines.iter().enumerate().map(entry).collect() } else { Vec::new() };
    let frame = Frame { title: &chart.title, subtitle: &chart.subtitle, legend, notes: &chart.notes };
    let times = || chart.lines.iter().flat_map(|line| line.points.keys().copied());
    let ends = times().min().zip(times().max());
    let figures = chart.lines.iter().flat_map(|line| line.points.values().copied());
    let scale = Scale::new(figures, 5.0, chart.whole);
    let (start, end) = ends.unwrap_or((0, 0));
    let ticks = if ends.is_some() { ticks(start, end, chart.span) } else { Ticks::default() };
    // A single point stands in the middle.
    let around = if start == end { next(chart.span, start) - start } else { 0 };
    let range = (start - around) as f64..(end + around).max(start - around + 1) as f64;
    page(&frame, HEIGHT, |area| {
        let axes = Axes {
            x: Axis { range, ticks: ticks.at.iter().map(|&at| at as f64).collect() },
            y: Axis { range: scale.range.clone(), ticks: scale.ticks.clone() },
            x_title: &ends.map_or("time (UTC): no groups".to_owned(), |ends| axis_title(ends, &ticks)),
            y_title: &scale.unit(&chart.unit),
            x_label: &|at| ticks.label(*at as i64),
            y_label: &|tick| scale.label(*tick),
        };
        let mut plot = axes.draw(area)?;
        chart.lines.iter().enumerate().try_for_each(|(number, line)| {
            draw_line(&mut plot, chart, line, (start, end), COLOURS[number % COLOURS.len()])
        })
    })
}

/// The title of the axis of time, with the year where the ticks do not have it.
fn axis_title((start, end): (i64, i64), ticks: &Ticks) -> String {
    let (first, last) = (utc(start).year(), utc(end).year());
    match ticks.format.contains("%Y") {
        true => "time (UTC)".to_owned(),
        false if first == last => format!("time (UTC), {first}"),
        false => format!("time (UTC), {first} to {last}"),
    }
}

fn draw_line(
    plot: &mut Plot<'_>,
    chart: &Timeline,
    line: &Line,
    (start, end): (i64, i64),
    colour: RGBColor,
) -> Result<(), DrawError> {
    let style = stroke(colour, Stroke::Solid);
    let is_marked = line.points.len() <= MARKED;
    let mut draw = |run: &[(f64, f64)]| {
        if run.len() > 1 {
            plot.draw_series([PathElement::new(run.to_vec(), style)])?;
        }
        if is_marked || run.len() == 1 {
            plot.draw_series(run.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
        }
        Ok::<_, DrawError>(())
    };
    let points = if chart.empty_is_zero { filled(&line.points, chart.span, start, end) } else { line.points.clone() };
    let mut run: Vec<(f64, f64)> = Vec::new();
    let mut expected = None;
    for (&time, &value) in &points {
        // Zeros stand at both ends of a gap, and the line between them is right.
        if expected.is_some_and(|expected| expected != time) && !chart.empty_is_zero {
            draw(&std::mem::take(&mut run))?;
        }
        run.push((time as f64, value));
        expected = Some(next(chart.span, time));
    }
    draw(&run)
}

/// The points with zeros where the spans without one begin and end.
fn filled(points: &BTreeMap<i64, f64>, span: Span, start: i64, end: i64) -> BTreeMap<i64, f64> {
    let mut filled = points.clone();
    let mut zero = |time: i64| {
        if (start..=end).contains(&time) {
            filled.entry(time).or_insert(0.0);
        }
    };
    zero(start);
    zero(end);
    for &time in points.keys() {
        zero(next(span, time));
        zero(before(span, time));
    }
    filled
}

fn utc(seconds: i64) -> DateTime {
    TimeZone::UTC.to_datetime(Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH))
}

fn seconds(time: DateTime) -> Option<i64> {
    TimeZone::UTC.to_timestamp(time).ok().map(Timestamp::as_second)
}

/// The start of the span behind the one that starts at a time.
fn next(span: Span, time: i64) -> i64 {
    step(span, time, 1)
}

fn before(span: Span, time: i64) -> i64 {
    step(span, time, -1)
}

fn step(span: Span, time: i64, count: i64) -> i64 {
    match span {
        Span::Hour => time + 3_600 * count,
        Span::Day => time + 86_400 * count,
        Span::Week => time + 7 * 86_400 * count,
        Span::Month => {
            utc(time).checked_add(count.months()).ok().and_then(seconds).unwrap_or(time + 30 * 86_400 * count)
        }
    }
}

/// Ticks of an axis of time.
#[derive(Debug, Default)]
struct Ticks {
    at: Vec<i64>,
    format: &'static str,
}

impl Ticks {
    fn label(&self, time: i64) -> String {
        utc(time).strftime(self.format).to_string()
    }
}

/// Steps between ticks: of months, or of seconds and what they are counted from.
#[derive(Clone, Copy)]
enum Step {
    Seconds { length: i64, from: i64 },
    Months(i64),
}

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;
/// 1970-01-05 was a Monday.
const MONDAY: i64 = 4 * DAY;

/// The finest ticks that are no more than there is room for, none finer than the span.
fn ticks(start: i64, end: i64, span: Span) -> Ticks {
    let hours = [1, 2, 3, 6, 12].map(|hours| (Step::Seconds { length: hours * HOUR, from: 0 }, "%m-%d %H:%M"));
    let days = [1, 2, 4].map(|days| (Step::Seconds { length: days * DAY, from: 0 }, "%Y-%m-%d"));
    let weeks = [1, 2, 4].map(|weeks| (Step::Seconds { length: weeks * 7 * DAY, from: MONDAY }, "%Y-%m-%d"));
    let months = [1, 2, 3, 6].map(|months| (Step::Months(months), "%Y-%m"));
    let years = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].map(|years| (Step::Months(12 * years), "%Y"));
    let steps: Vec<_> = match span {
        Span::Hour => hours.into_iter().chain(days).chain(weeks).chain(months).chain(years).collect(),
        Span::Day => days.into_iter().chain(weeks).chain(months).chain(years).collect(),
        Span::Week => weeks.into_iter().chain(months).chain(years).collect(),
        Span::Month => months.into_iter().chain(years).collect(),
    };
    let all = steps.into_iter().map(|(step, format)| Ticks { at: step.within(start, end), format });
    let mut last = Ticks::default();
    for ticks in all {
        last = ticks;
        if last.at.len() <= TICKS {
            break;
        }
    }
    if last.at.is_empty() {
        last = Ticks { at: vec![start], format: if matches!(span, Span::Hour) { "%m-%d %H:%M" } else { "%Y-%m-%d" } };
    }
    last
}

impl Step {
    fn within(self, start: i64, end: i64) -> Vec<i64> {
        match self {
            Step::Seconds { length, from } => {
                let first = from + (start - from + length - 1).div_euclid(length) * length;
                // One more than there is room for is enough to know.
                (0..=TICKS as i64).map(|number| first + number * length).take_while(|&time| time <= end).collect()
            }
            Step::Months(months) => {
                let first = utc(start);
                let count = i64::from(first.year()) * 12 + i64::from(first.month()) - 1;
                let at = |count: i64| {
                    let (year, month) = (count.div_euclid(12), count.rem_euclid(12) + 1);
                    let date = Date::new(i16::try_from(year).ok()?, month as i8, 1).ok()?;
                    seconds(date.at(0, 0, 0, 0))
                };
                let first = count.div_euclid(months) * months;
                let all = (0..TICKS as i64 + 2).map_while(|number| at(first + number * months));
                all.filter(|&time| time >= start).take_while(|&time| time <= end).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_second()
    }

    fn labels(start: &str, end: &str, span: Span) -> Vec<String> {
        let ticks = ticks(at(start), at(end), span);
        ticks.at.iter().map(|&time| ticks.label(time)).collect()
    }

    #[test]
    fn ticks_stand_at_round_times() {
        let day = labels("2024-03-13T00:00:00Z", "2024-03-13T23:00:00Z", Span::Hour);
        assert_eq!(day, ["03-13 00:00", "03-13 06:00", "03-13 12:00", "03-13 18:00"]);
        let days = labels("2024-02-27T00:00:00Z", "2024-03-02T00:00:00Z", Span::Day);
        assert_eq!(days, ["2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02"]);
        // `date -d 2024-03-11 +%u` says 1: Mondays.
        assert_eq!(
            labels("2024-03-04T00:00:00Z", "2024-03-18T00:00:00Z", Span::Week),
            ["2024-03-04", "2024-03-11", "2024-03-18"]
        );
        assert_eq!(
            labels("2023-12-01T00:00:00Z", "2024-02-01T00:00:00Z", Span::Month),
            ["2023-12", "2024-01", "2024-02"]
        );
        assert_eq!(
            labels("2011-02-01T00:00:00Z", "2024-03-01T00:00:00Z", Span::Month),
            ["2012", "2014", "2016", "2018", "2020", "2022", "2024"]
        );
        assert_eq!(labels("2024-03-13T05:00:00Z", "2024-03-13T05:00:00Z", Span::Hour), ["03-13 05:00"]);
        assert!(labels("0000-01-01T00:00:00Z", "9999-12-01T00:00:00Z", Span::Hour).len() <= TICKS + 1);
    }

    #[test]
    fn spans_without_records_are_zero() {
        let points = BTreeMap::from([(at("2024-01-01T00:00:00Z"), 5.0), (at("2024-06-01T00:00:00Z"), 2.0)]);
        let all = filled(&points, Span::Month, at("2024-01-01T00:00:00Z"), at("2024-07-01T00:00:00Z"));
        let text: Vec<_> = all.iter().map(|(&time, value)| (utc(time).strftime("%m").to_string(), *value)).collect();
        let expected = [("01", 5.0), ("02", 0.0), ("05", 0.0), ("06", 2.0), ("07", 0.0)];
        assert_eq!(text, expected.map(|(month, value)| (month.to_owned(), value)));
    }
}
