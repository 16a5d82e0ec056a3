//! The page that every chart is drawn on: white, with a title above, and what is to be known of it below.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::text;
use crate::exit::Failure;

/// What is drawn on.
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Why it could not be; drawing to text does not fail.
pub(super) type DrawError = DrawingAreaErrorKind<std::io::Error>;
/// A plot whose axes have ticks where they were put.
pub(super) type Plot<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<Axis, Axis>>;

/// The width of all charts, in pixels: letters come out at 8 points if it fills the width of a page.
pub(super) const WIDTH: u32 = 760;
pub(super) const MARGIN: i32 = 14;

/// Pixels between a plot and what stands below it.
const GAP: u32 = 8;

/// Sizes of letters, in pixels.
pub(super) const TITLE: f64 = 17.0;
pub(super) const LABEL: f64 = 13.0;
pub(super) const NOTE: f64 = 12.0;

/// Colours that people with any kind of sight can tell apart, also printed in grey (M. Okabe and K. Ito, 2008).
pub(super) const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(120, 80, 40),
    RGBColor(0, 0, 0),
];
pub(super) const INK: RGBColor = RGBColor(30, 30, 30);
pub(super) const GREY: RGBColor = RGBColor(110, 110, 110);
pub(super) const FAINT: RGBColor = RGBColor(222, 222, 222);

const FAMILY: &str = "Helvetica, Arial, DejaVu Sans, Noto Sans CJK SC, sans-serif";

/// The words around a plot.
pub(super) struct Frame<'t> {
    pub(super) title: &'t str,
    /// A line below the title, or nothing.
    pub(super) subtitle: &'t str,
    /// Entries of a legend, below the plot.
    pub(super) legend: Vec<Entry>,
    pub(super) notes: &'t [String],
}

/// An entry of a legend.
pub(super) struct Entry {
    pub(super) text: String,
    pub(super) colour: RGBColor,
    pub(super) stroke: Stroke,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    Solid,
    Thin,
    Dashed,
}

/// A style of text; SVG's size is what remains of plotters' after its own allowance for line height.
pub(super) fn letters(size: f64, colour: RGBColor, h: HPos, v: VPos) -> TextStyle<'static> {
    let style = TextStyle::from((FAMILY, size * 1.24).into_font());
    TextStyle { color: colour.to_backend_color(), ..style }.pos(Pos::new(h, v))
}

/// Draws a page with a plot of `height` pixels, and gives the SVG document back.
pub(super) fn page(
    frame: &Frame<'_>,
    plot_height: u32,
    plot: impl FnOnce(&Area<'_>) -> Result<(), DrawError>,
) -> Result<String, Failure> {
    let room = f64::from(WIDTH) - 2.0 * f64::from(MARGIN);
    let titles = text::wrap(frame.title, TITLE * 1.06, room);
    let subtitles = text::wrap(frame.subtitle, NOTE, room);
    let legend = rows(&frame.legend, room);
    let notes: Vec<_> = frame.notes.iter().flat_map(|note| text::wrap(note, NOTE, room)).collect();
    let line = |size: f64| (size * 1.45) as u32;
    let above = MARGIN as u32 + titles.len() as u32 * line(TITLE) + subtitles.len() as u32 * line(NOTE) + 8;
    let lines = legend.iter().flatten().map(|(row, ..)| row + 1).max().unwrap_or(0);
    let below = lines as u32 * line(LABEL) + notes.len() as u32 * line(NOTE) + MARGIN as u32;
    let height = if lines > 0 || !notes.is_empty() { plot_height + GAP } else { plot_height };
    let mut svg = String::new();
    let size = (WIDTH, above + height + below);
    let drawn = (|| {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE)?;
        let mut y = MARGIN;
        let bold = letters(TITLE, INK, HPos::Left, VPos::Top);
        let bold = TextStyle { font: bold.font.style(FontStyle::Bold), ..bold };
        for title in &titles {
            area.draw_text(title, &bold, (MARGIN, y))?;
            y += line(TITLE) as i32;
        }
        for subtitle in &subtitles {
            area.draw_text(subtitle, &letters(NOTE, GREY, HPos::Left, VPos::Top), (MARGIN, y))?;
            y += line(NOTE) as i32;
        }
        plot(&area.margin(above, size.1 - above - plot_height, 0, 0))?;
        let mut y = (above + height) as i32;
        for (row, x, entry) in legend.iter().flatten() {
            draw_entry(&area, entry, MARGIN + *x as i32, y + (row * line(LABEL) as usize) as i32)?;
        }
        y += (lines as u32 * line(LABEL)) as i32;
        for note in &notes {
            area.draw_text(note, &letters(NOTE, GREY, HPos::Left, VPos::Top), (MARGIN, y))?;
            y += line(NOTE) as i32;
        }
        area.present()
    })();
    drawn.map_err(|error: DrawError| Failure::Other(format!("cannot draw the chart: {error}")))?;
    Ok(svg)
}

/// The pixels of the sample of a line in a legend.
const SAMPLE: i32 = 26;

/// Legend entries with the row and the place in it that each has.
fn rows(entries: &[Entry], room: f64) -> Option<Vec<(usize, f64, Entry)>> {
    let (mut row, mut x) = (0, 0.0);
    let mut placed = Vec::new();
    for entry in entries {
        let text = text::cut(&entry.text, LABEL, room / 2.0 - 50.0);
        let width = f64::from(SAMPLE) + 6.0 + text::width(&text, LABEL) + 18.0;
        if x > 0.0 && x + width > room {
            (row, x) = (row + 1, 0.0);
        }
        placed.push((row, x, Entry { text, ..*entry }));
        x += width;
    }
    (!placed.is_empty()).then_some(placed)
}

fn draw_entry(area: &Area<'_>, entry: &Entry, x: i32, y: i32) -> Result<(), DrawError> {
    let middle = y + (LABEL * 0.55) as i32;
    let style = stroke(entry.colour, entry.stroke);
    if entry.stroke == Stroke::Dashed {
        area.draw(&DashedPathElement::new([(x, middle), (x + SAMPLE, middle)], 6, 4, style))?;
    } else {
        area.draw(&PathElement::new([(x, middle), (x + SAMPLE, middle)], style))?;
    }
    area.draw_text(&entry.text, &letters(LABEL, INK, HPos::Left, VPos::Top), (x + SAMPLE + 6, y))
}

/// The style of a line.
pub(super) fn stroke(colour: RGBColor, stroke: Stroke) -> ShapeStyle {
    colour.stroke_width(if stroke == Stroke::Solid { 2 } else { 1 })
}

/// An axis: its range, and its ticks.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) range: std::ops::Range<f64>,
    pub(super) ticks: Vec<f64>,
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.range.start) / (self.range.end - self.range.start);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.clone()
    }
}

/// Axes with titles, and a line across the plot at each tick of the upright one.
pub(super) struct Axes<'t> {
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) x_title: &'t str,
    pub(super) y_title: &'t str,
    pub(super) x_label: &'t dyn Fn(&f64) -> String,
    pub(super) y_label: &'t dyn Fn(&f64) -> String,
}

impl Axes<'_> {
    /// Draws the axes.
    pub(super) fn draw<'a>(self, area: &Area<'a>) -> Result<Plot<'a>, DrawError> {
        let widest = self.y.ticks.iter().map(|tick| text::width(&(self.y_label)(tick), LABEL)).fold(0.0, f64::max);
        let mut plot = ChartBuilder::on(area)
            .margin_left(MARGIN)
            .margin_right(34)
            .margin_top(8)
            .x_label_area_size(48)
            .y_label_area_size(widest.ceil() as i32 + 38)
            .build_cartesian_2d(self.x, self.y)?;
        let titles = letters(LABEL, INK, HPos::Center, VPos::Top);
        plot.configure_mesh()
            .disable_x_mesh()
            .bold_line_style(FAINT)
            .light_line_style(TRANSPARENT)
            .axis_style(GREY)
            .label_style(letters(LABEL, INK, HPos::Center, VPos::Top))
            .axis_desc_style(titles)
            .x_desc(text::cut(self.x_title, LABEL, 600.0))
            .y_desc(text::cut(self.y_title, LABEL, 300.0))
            .x_label_formatter(self.x_label)
            .y_label_formatter(self.y_label)
            .draw()?;
        Ok(plot)
    }
}
