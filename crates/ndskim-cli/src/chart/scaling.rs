//! Throughput over threads, both axes logarithmic, so that what scales ideally is a straight line.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::page::{Axes, Axis, COLOURS, DrawError, Entry, Frame, GREY, LABEL, Plot, Stroke, letters, page, stroke};
use super::ticks::logarithmic;
use crate::exit::Failure;
use crate::timing::three_digits;

/// What is drawn of a sweep. Points are threads and GB/s.
pub(crate) struct Picture {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) lines: Vec<Line>,
    /// The plain read of the same bytes.
    pub(crate) ceiling: Vec<(f64, f64)>,
    pub(crate) notes: Vec<String>,
}

/// A validation mode.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) measured: Vec<(f64, f64)>,
    pub(crate) prediction: Option<Predicted>,
}

/// What a law predicts, as far as it goes.
pub(crate) struct Predicted {
    /// The law's name.
    pub(crate) law: String,
    pub(crate) curve: Vec<(f64, f64)>,
    /// The thread counts that were asked for.
    pub(crate) points: Vec<(f64, f64)>,
}

const HEIGHT: u32 = 430;

/// Draws it.
pub(crate) fn draw(picture: &Picture) -> Result<String, Failure> {
    let frame =
        Frame { title: &picture.title, subtitle: &picture.subtitle, legend: legend(picture), notes: &picture.notes };
    let points = || picture.lines.iter().flat_map(Line::points).chain(picture.ceiling.iter().copied());
    let (mut x, mut y) = (f64::INFINITY..0.0, f64::INFINITY..0.0);
    for (threads, speed) in points() {
        x = x.start.min(threads)..x.end.max(threads);
        y = y.start.min(speed)..y.end.max(speed);
    }
    let (x, y) = (x.start / 1.15..x.end * 1.2, y.start / 1.3..y.end * 1.3);
    page(&frame, HEIGHT, |area| {
        let ticks = logarithmic(&y);
        let counts = counts(points().map(|point| point.0));
        let axes = Axes {
            x: Axis { range: x.start.log2()..x.end.log2(), ticks: counts.iter().map(|count| count.log2()).collect() },
            y: Axis { range: y.start.log10()..y.end.log10(), ticks: ticks.iter().map(|tick| tick.log10()).collect() },
            x_title: "threads (logarithmic)",
            y_title: "throughput, GB/s (logarithmic)",
            x_label: &|power| format!("{:.0}", power.exp2()),
            y_label: &|power| round(10_f64.powf(*power)),
        };
        let mut plot = axes.draw(area)?;
        draw_ceiling(&mut plot, &picture.ceiling, x.end)?;
        for (number, (line, colour)) in picture.lines.iter().zip(COLOURS).enumerate() {
            draw_line(&mut plot, line, colour, (x.end, y.end))?;
            // Figures of two lines that meet stand on both sides of them.
            draw_figures(&mut plot, line, colour, number.is_multiple_of(2))?;
        }
        Ok(())
    })
}

impl Line {
    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let predicted = self.prediction.iter().flat_map(|prediction| &prediction.points);
        self.measured.iter().chain(predicted).copied()
    }
}

/// The thread counts that have a tick: powers of two, and others where there is room for them.
fn counts(all: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = all.collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    let (first, last) = (all.first().copied().unwrap_or(1.0), all.last().copied().unwrap_or(1.0));
    let powers =
        (0..).map(f64::from).map(f64::exp2).skip_while(|&power| power < first).take_while(|&power| power <= last);
    let mut ticks: Vec<f64> = powers.collect();
    for count in all {
        // The distance of labels of four digits from each other.
        if ticks.iter().all(|tick| (tick.log2() - count.log2()).abs() > 0.35 * (last / first).log2().max(1.0) / 6.0) {
            ticks.push(count);
        }
    }
    ticks.sort_by(f64::total_cmp);
    ticks
}

fn round(value: f64) -> String {
    if value >= 1.75 || (value - 1.0).abs() < 1e-6 { format!("{value:.0}") } else { format!("{value:.2}") }
}

fn logarithms(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    points.into_iter().map(|(threads, speed)| (threads.log2(), speed.log10())).collect()
}

fn dashed(
    plot: &mut Plot<'_>,
    points: Vec<(f64, f64)>,
    colour: RGBColor,
    dash: i32,
    gap: i32,
) -> Result<(), DrawError> {
    let style = stroke(colour, Stroke::Dashed);
    plot.draw_series(DashedLineSeries::new(points, dash, gap, style)).map(drop)
}

/// The plain read, and on from its highest point a line that no prediction is above.
fn draw_ceiling(plot: &mut Plot<'_>, ceiling: &[(f64, f64)], end: f64) -> Result<(), DrawError> {
    let points = logarithms(ceiling.iter().copied());
    let Some(&(_, highest)) = ceiling.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return Ok(()) };
    plot.draw_series([PathElement::new(points.clone(), stroke(GREY, Stroke::Solid))])?;
    plot.draw_series(points.iter().map(|&(x, y)| TriangleMarker::new((x, y), 5, GREY.filled())))?;
    let from = ceiling.last().map_or(1.0, |point| point.0);
    dashed(plot, logarithms([(from, highest), (end, highest)]), GREY, 2, 4)
}

fn draw_line(plot: &mut Plot<'_>, line: &Line, colour: RGBColor, (right, top): (f64, f64)) -> Result<(), DrawError> {
    if let Some(&(threads, speed)) = line.measured.first() {
        // The ideal ends where the plot does.
        let end = right.min(top / speed * threads);
        let ideal = logarithms([(threads, speed), (end, speed / threads * end)]);
        plot.draw_series([PathElement::new(ideal, stroke(colour, Stroke::Thin))])?;
    }
    let measured = logarithms(line.measured.iter().copied());
    plot.draw_series([PathElement::new(measured.clone(), stroke(colour, Stroke::Solid))])?;
    plot.draw_series(measured.iter().map(|&point| Circle::new(point, 4, colour.filled())))?;
    let Some(prediction) = &line.prediction else { return Ok(()) };
    dashed(plot, logarithms(prediction.curve.iter().copied()), colour, 6, 4)?;
    let points = logarithms(prediction.points.iter().copied());
    plot.draw_series(points.iter().map(|&point| Circle::new(point, 5, WHITE.filled())))?;
    plot.draw_series(points.iter().map(|&point| Circle::new(point, 5, colour.stroke_width(2))))?;
    Ok(())
}

/// The figures at predicted points.
fn draw_figures(plot: &mut Plot<'_>, line: &Line, colour: RGBColor, below: bool) -> Result<(), DrawError> {
    let (v, distance) = if below { (VPos::Top, 9) } else { (VPos::Bottom, -11) };
    let style = letters(LABEL, colour, HPos::Center, v);
    let points = line.prediction.iter().flat_map(|prediction| &prediction.points);
    let figures = points.map(|&(threads, speed)| {
        let text = Text::new(three_digits(speed), (0, distance), style.clone());
        EmptyElement::at((threads.log2(), speed.log10())) + text
    });
    plot.draw_series(figures).map(drop)
}

fn legend(picture: &Picture) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (line, colour) in picture.lines.iter().zip(COLOURS) {
        let mut entry = |text: String, stroke| entries.push(Entry { text, colour, stroke });
        entry(format!("{}, measured", line.name), Stroke::Solid);
        entry(format!("{}, ideal", line.name), Stroke::Thin);
        if let Some(prediction) = &line.prediction {
            entry(format!("{}, prediction ({})", line.name, prediction.law), Stroke::Dashed);
        }
    }
    if !picture.ceiling.is_empty() {
        entries.push(Entry { text: "plain read (memory bandwidth)".to_owned(), colour: GREY, stroke: Stroke::Solid });
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts_have_ticks_where_there_is_room() {
        assert_eq!(counts([1.0, 2.0, 64.0].into_iter()), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
        assert_eq!(counts([1.0, 2.0, 6.0].into_iter()), [1.0, 2.0, 4.0, 6.0]);
        assert_eq!(counts([64.0, 65.0, 1.0].into_iter()), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
        assert_eq!(counts([3.0].into_iter()), [3.0]);
    }
}
