//! Where the marks of an axis stand, and what is written at them.

use std::ops::Range;

use super::LARGEST;

/// An axis of numbers from a round one to a round one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) range: Range<f64>,
    pub(super) ticks: Vec<f64>,
    /// What the labels are divided by: 1, or a power of 1000.
    divisor: f64,
    /// Places behind the point; `None` where labels have an exponent.
    places: Option<usize>,
}

impl Scale {
    /// A scale that has 0 and all of `values` on it, with about `count` steps. For whole numbers, steps are whole.
    pub(super) fn new(values: impl Iterator<Item = f64>, count: f64, whole: bool) -> Self {
        let (mut low, mut high) = (0.0_f64, 0.0_f64);
        let drawn = values.filter(|value| value.is_finite()).map(|value| value.clamp(-LARGEST, LARGEST));
        drawn.for_each(|value| (low, high) = (low.min(value), high.max(value)));
        if high - low < 1e-300 {
            high = 1.0;
        }
        let mut step = round_step((high - low) / count);
        if whole {
            step = step.max(1.0);
        }
        let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
        let largest = high.max(-low);
        let plain = (1e-4..1e15).contains(&largest);
        let divisor = [1e12, 1e9, 1e6].into_iter().find(|&divisor| plain && largest >= divisor).unwrap_or(1.0);
        Self {
            range: first as f64 * step..last as f64 * step,
            ticks: (first..=last).map(|number| number as f64 * step).collect(),
            divisor,
            places: plain.then(|| (-(step / divisor).log10().floor()).clamp(0.0, 9.0) as usize),
        }
    }

    /// What is written at a tick.
    pub(super) fn label(&self, tick: f64) -> String {
        let Some(places) = self.places else { return exponent(tick) };
        let text = format!("{:.places$}", (tick / self.divisor).abs());
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let grouped = whole.parse::<u64>().map_or(whole.to_owned(), crate::output::thousands);
        let sign = if tick < 0.0 { "−" } else { "" };
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}{grouped}{point}{fraction}")
    }

    /// What the unit is called on this scale.
    pub(super) fn unit(&self, unit: &str) -> String {
        match self.divisor {
            1e6 => format!("{unit} (millions)"),
            1e9 => format!("{unit} (billions, 10⁹)"),
            1e12 => format!("{unit} (trillions, 10¹²)"),
            _ => unit.to_owned(),
        }
    }
}

fn exponent(tick: f64) -> String {
    if tick == 0.0 { "0".to_owned() } else { format!("{tick:.1e}").replace('-', "−") }
}

/// The smallest of 1, 2 and 5 times a power of ten that is no less than `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= least * (1.0 - 1e-9)).unwrap_or(10.0);
    step * power
}

/// Round numbers between two others on a logarithmic axis.
pub(super) fn logarithmic(range: &Range<f64>) -> Vec<f64> {
    let within = |steps: &[f64]| -> Vec<f64> {
        let (first, last) = (range.start.log10().floor() as i32, range.end.log10().ceil() as i32);
        let all = (first..=last).flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)));
        all.filter(|tick| *tick >= range.start * 0.999 && *tick <= range.end * 1.001).collect()
    };
    let few = within(&[1.0, 2.0, 5.0]);
    if few.len() >= 4 { few } else { within(&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64], whole: bool) -> Vec<String> {
        let scale = Scale::new(values.iter().copied(), 5.0, whole);
        scale.ticks.iter().map(|tick| scale.label(*tick)).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(&[183.0], true), ["0", "50", "100", "150", "200"]);
        assert_eq!(labels(&[1.0], true), ["0", "1"]);
        assert_eq!(labels(&[], true), ["0", "1"]);
        assert_eq!(labels(&[0.9], false), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&[9_000.0], true), ["0", "2,000", "4,000", "6,000", "8,000", "10,000"]);
        assert_eq!(labels(&[2_400_000.0], true), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]);
        assert_eq!(labels(&[-30.0, 40.0], false), ["−40", "−20", "0", "20", "40"]);
        assert_eq!(labels(&[3e300, f64::INFINITY], false)[..2], ["0", "2.0e299"]);
        assert_eq!(labels(&[-4e-7], false)[0], "−4.0e−7");
        assert_eq!(labels(&[5e-324], false), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(Scale::new([3e9].into_iter(), 5.0, true).unit("bytes"), "bytes (billions, 10⁹)");
    }

    #[test]
    fn logarithmic_ticks_are_round_too() {
        assert_eq!(logarithmic(&(5.0..70.0)), [5.0, 10.0, 20.0, 50.0]);
        assert_eq!(logarithmic(&(5.5..13.0)), [6.0, 8.0, 10.0]);
    }
}
