//! The chart of a sweep.

use super::Sweep;
use super::analysis::{Fitted, plural};
use super::laws::{Curve, Law};
use super::measure::name;
use crate::args::ValidateArg;
use crate::chart::scaling::{Line, Picture, Predicted};
use crate::timing::three_digits;

/// Points of a predicted curve.
const STEPS: usize = 60;

impl Sweep {
    /// What is drawn of it.
    pub(super) fn picture(&self) -> Picture {
        let bytes = self.measured.bytes;
        let points = |times: &[super::measure::Times]| -> Vec<(f64, f64)> {
            times.iter().map(|times| (times.threads as f64, times.best(bytes))).collect()
        };
        let lines = self.measured.series.iter().map(|series| Line {
            name: name(series.validate).to_owned(),
            measured: points(&series.times),
            prediction: self.predicted(series.validate),
        });
        Picture {
            title: format!("Throughput by threads: {}", self.job_name()),
            subtitle: format!(
                "{}, {} GB, {}; {}",
                self.input_name(),
                three_digits(bytes as f64 / 1e9),
                if self.from_file { "read each time" } else { "in memory" },
                self.made_on()
            ),
            lines: lines.collect(),
            ceiling: self.measured.ceiling.as_deref().map(points).unwrap_or_default(),
            notes: self.chart_notes(),
        }
    }

    /// The law that is drawn for a mode: the one that knows more, if it could be fitted.
    fn drawn(&self, validate: ValidateArg) -> Option<&Fitted> {
        let of = |law: Law| self.analysis.fits.iter().find(|fit| fit.validate == validate && fit.law == law);
        [Law::Usl, Law::Amdahl].into_iter().filter_map(of).find(|fitted| fitted.fit.is_some())
    }

    fn predicted(&self, validate: ValidateArg) -> Option<Predicted> {
        let Fitted { law, fit, .. } = self.drawn(validate)?;
        let curve = fit.as_ref()?.curve;
        let ours = self.analysis.predictions.iter().filter(|said| said.validate == validate && said.law == *law);
        let points: Vec<(f64, f64)> = ours.map(|said| (said.threads as f64, said.gb_per_s)).collect();
        let last = points.iter().map(|point| point.0).reduce(f64::max)?;
        let first = self.measured.series.first()?.times.first()?.threads as f64;
        Some(Predicted { law: law.name().to_owned(), curve: self.curve(&curve, first, last), points })
    }

    /// A curve from one thread count to another, none of it above the cap.
    fn curve(&self, curve: &Curve, first: f64, last: f64) -> Vec<(f64, f64)> {
        let at = |step: usize| {
            let threads = first * (last / first).powf(step as f64 / STEPS as f64);
            (threads, curve.at(threads).min(self.analysis.cap.unwrap_or(f64::INFINITY)))
        };
        (0..=STEPS).map(at).collect()
    }

    fn chart_notes(&self) -> Vec<String> {
        let mut notes = vec![format!("The best of {} with each thread count.", plural(self.repeat, "run"))];
        if self.analysis.predictions.is_empty() {
            return notes;
        }
        notes.push(
            "Hollow circles and dashed lines are predictions, not measurements; none is above the highest plain read of this run."
                .to_owned(),
        );
        let drawn = self.measured.series.iter().filter_map(|series| self.drawn(series.validate));
        notes.extend(drawn.map(|fitted| format!("{}: {}.", fitted.title(), fitted.verdict())));
        notes
    }
}
