//! Bars: one for each group, its name to the left, its figure behind it.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::page::{Area, COLOURS, DrawError, FAINT, Frame, GREY, INK, LABEL, MARGIN, WIDTH, letters, page};
use super::text;
use super::ticks::Scale;
use crate::exit::Failure;

/// A bar chart.
pub(super) struct Bars {
    pub(super) title: String,
    pub(super) subtitle: String,
    /// What the names are of.
    pub(super) names: String,
    /// What the figures are, with their unit.
    pub(super) unit: String,
    /// Whether the figures are whole numbers.
    pub(super) whole: bool,
    pub(super) bars: Vec<Bar>,
    pub(super) notes: Vec<String>,
}

/// A bar.
pub(super) struct Bar {
    pub(super) name: String,
    /// `None` for a group that has no figure.
    pub(super) value: Option<f64>,
    /// The figure as it is written.
    pub(super) figure: String,
}

/// Pixels from bar to bar.
const ROW: i32 = 22;
const THICKNESS: i32 = 15;
/// The most room for names.
const NAMES: f64 = 270.0;
/// Room for the axis and what stands at it.
const AXIS: i32 = 52;

/// Draws it.
pub(super) fn draw(chart: &Bars) -> Result<String, Failure> {
    let frame = Frame { title: &chart.title, subtitle: &chart.subtitle, legend: Vec::new(), notes: &chart.notes };
    let rows = chart.bars.len().max(2) as i32;
    page(&frame, (rows * ROW + ROW + AXIS) as u32, |area| plot(chart, area, rows))
}

fn plot(chart: &Bars, area: &Area<'_>, rows: i32) -> Result<(), DrawError> {
    let names = names(&chart.bars);
    let widest =
        |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text::width(text, LABEL)).fold(0.0, f64::max);
    let title = text::cut(&chart.names, LABEL, NAMES);
    let left = MARGIN + widest(&mut names.iter().chain([&title])).ceil() as i32 + 8;
    let right = WIDTH as i32 - MARGIN - widest(&mut chart.bars.iter().map(|bar| &bar.figure)).ceil() as i32 - 8;
    let scale = Scale::new(chart.bars.iter().filter_map(|bar| bar.value), 5.0, chart.whole);
    let (top, bottom) = (ROW, ROW + rows * ROW);
    let x = |value: f64| {
        let share = (value - scale.range.start) / (scale.range.end - scale.range.start);
        left + (share * f64::from(right - left)).round() as i32
    };
    area.draw_text(&title, &letters(LABEL, GREY, HPos::Right, VPos::Center), (left - 8, top - ROW / 2))?;
    let mut last_label = i32::MIN;
    for &tick in &scale.ticks {
        area.draw(&PathElement::new([(x(tick), top), (x(tick), bottom)], FAINT))?;
        let label = scale.label(tick);
        let half = (text::width(&label, LABEL) / 2.0) as i32;
        let middle = x(tick).max(half + 4);
        if middle - half > last_label {
            area.draw_text(&label, &letters(LABEL, INK, HPos::Center, VPos::Top), (middle, bottom + 6))?;
            last_label = middle + half + 6;
        }
    }
    let unit = text::cut(&scale.unit(&chart.unit), LABEL, f64::from(WIDTH) - 2.0 * f64::from(MARGIN));
    // In the middle of the axis, unless it would leave the page there.
    let half = (text::width(&unit, LABEL) / 2.0) as i32;
    let middle = ((left + right) / 2).clamp(MARGIN + half, (WIDTH as i32 - MARGIN - half).max(MARGIN + half));
    area.draw_text(&unit, &letters(LABEL, INK, HPos::Center, VPos::Top), (middle, bottom + 26))?;
    for (number, (bar, name)) in chart.bars.iter().zip(&names).enumerate() {
        let y = top + number as i32 * ROW + ROW / 2;
        area.draw_text(name, &letters(LABEL, INK, HPos::Right, VPos::Center), (left - 8, y + 1))?;
        let value = bar.value.unwrap_or(0.0);
        let (from, to) = (x(value.min(0.0)), x(value.max(0.0)));
        // What is not nothing can be seen.
        let to = if value != 0.0 { to.max(from + 1) } else { to };
        let corners = [(from, y - THICKNESS / 2), (to, y + THICKNESS / 2 + 1)];
        if bar.value.is_some() {
            area.draw(&Rectangle::new(corners, COLOURS[0].filled()))?;
        }
        // The figure stands on white, not on the lines of the ticks.
        let end = to + 6 + text::width(&bar.figure, LABEL) as i32;
        area.draw(&Rectangle::new([(to + 2, y - THICKNESS / 2), (end, y + THICKNESS / 2 + 1)], WHITE.filled()))?;
        area.draw_text(&bar.figure, &letters(LABEL, INK, HPos::Left, VPos::Center), (to + 5, y + 1))?;
    }
    if chart.bars.is_empty() {
        let place = ((left + right) / 2, (top + bottom) / 2);
        area.draw_text("no groups", &letters(LABEL, GREY, HPos::Center, VPos::Center), place)?;
    }
    area.draw(&PathElement::new([(x(0.0), top), (x(0.0), bottom)], GREY))?;
    area.draw(&PathElement::new([(left, bottom), (right, bottom)], GREY))
}

/// The names as far as there is room for them: their beginnings, or both ends if beginnings are alike.
fn names(bars: &[Bar]) -> Vec<String> {
    let cut =
        |cut: fn(&str, f64, f64) -> String| -> Vec<_> { bars.iter().map(|bar| cut(&bar.name, LABEL, NAMES)).collect() };
    let beginnings = cut(text::cut);
    let different: std::collections::HashSet<_> = beginnings.iter().collect();
    if different.len() == bars.len() { beginnings } else { cut(text::cut_middle) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_alike_show_their_ends() {
        let bar = |name: String| Bar { name, value: Some(1.0), figure: "1".to_owned() };
        let long = "a long name ".repeat(8);
        let cut = names(&[bar("short".to_owned()), bar(format!("{long}1"))]);
        assert!(cut[0] == "short" && cut[1].ends_with('…'), "{cut:?}");
        let cut = names(&[bar(format!("{long}1")), bar(format!("{long}2"))]);
        assert!(cut[0].ends_with('1') && cut[1].ends_with('2') && cut[0].contains('…'), "{cut:?}");
    }
}
