//! GeoJSON features, one a record: polygons whose coordinates, mostly floats, make up nearly all
//! of the bytes.

use super::{Draw, Facts};
use crate::put::{Fixed, Quoted, put};
use crate::rng::Rng;
use crate::text;
use crate::words::{ENGLISH, SYLLABLES};

/// A hundred-millionth of a degree is the unit of places here.
const DEGREE: i64 = 100_000_000;

/// Writes one feature.
pub(super) fn feature(out: &mut Vec<u8>, draw: &mut Draw) -> Facts {
    let rng = &mut draw.rng;
    put!(out; r#"{"type":"Feature","id":"#, draw.index + 1, r#","properties":{"name":""#);
    text::title(out, rng);
    put!(out; r#"","kind":"#, Quoted(rng.pick(ENGLISH)), r#","code":""#, rng.pick(SYLLABLES), rng.below(1_000),
        r#"","area":"#, Fixed(i64::from(rng.long_tailed(9_000_000)), 3),
        r#","elevation":"#, (rng.below(4) > 0).then(|| Fixed(i64::from(rng.below(40_000)) - 4_000, 1)),
        r#","precision":"#, rng.range(1, 9), ".", rng.below(1_000), "e-", rng.range(3, 9),
        r#"},"geometry":{"type":"Polygon","coordinates":["#);
    let centre = [i64::from(rng.below(360)) * DEGREE - 180 * DEGREE, i64::from(rng.below(170)) * DEGREE - 85 * DEGREE];
    for n in 0..rng.below(8).saturating_sub(5).max(1) {
        if n > 0 {
            put!(out; ",");
        }
        ring(out, rng, centre);
    }
    put!(out; "]}}");
    Facts { event_type: Some("Feature"), opened: None }
}

/// A closed line of points near a centre: the last one is the first again.
fn ring(out: &mut Vec<u8>, rng: &mut Rng, centre: [i64; 2]) {
    let places = rng.range(5, 8);
    put!(out; "[");
    let start = out.len();
    let mut end_of_first = start;
    for n in 0..4 + rng.long_tailed(40) {
        if n > 0 {
            put!(out; ",");
        }
        let [x, y] = centre.map(|at| {
            let near = at + (i64::from(rng.below(2 * DEGREE as u32)) - DEGREE);
            Fixed(near / 10_i64.pow(8 - places), places)
        });
        put!(out; "[", x, ",", y, "]");
        if n == 0 {
            end_of_first = out.len();
        }
    }
    put!(out; ",");
    out.extend_from_within(start..end_of_first);
    put!(out; "]");
}
