//! What is said of several runs of the same work.

/// The shortest time; infinite if there is none.
pub(crate) fn best(seconds: &[f64]) -> f64 {
    seconds.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The time in the middle, or between the two in the middle; not a number if there is none.
pub(crate) fn median(seconds: &[f64]) -> f64 {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        length if length.is_multiple_of(2) => (sorted[length / 2 - 1] + sorted[length / 2]) / 2.0,
        length => sorted[length / 2],
    }
}

/// A throughput to three digits, for sentences.
pub(crate) fn three_digits(throughput: f64) -> String {
    let places = (2.0 - throughput.abs().max(1e-9).log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{throughput:.places$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_whatever_the_size() {
        assert_eq!([448.2, 65.71, 2.1, 0.0339, 0.0].map(three_digits), ["448", "65.7", "2.10", "0.0339", "0.000000"]);
    }

    #[test]
    fn the_best_and_the_middle() {
        assert_eq!((best(&[3.0, 1.0, 2.0]), median(&[3.0, 1.0, 2.0])), (1.0, 2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(best(&[]).is_infinite() && median(&[]).is_nan());
    }
}
