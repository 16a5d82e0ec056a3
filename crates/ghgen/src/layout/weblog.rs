//! A web server's log: records of about 100 bytes with five members, for measurements where the
//! cost of a record outweighs that of its bytes.

use super::{Draw, Facts};
use crate::put::put;
use crate::words::ENGLISH;

/// Writes one request.
pub(super) fn request(out: &mut Vec<u8>, draw: &mut Draw) -> Facts {
    let rng = &mut draw.rng;
    let address = rng.bits().to_le_bytes().map(u32::from);
    put!(out; r#"{"ts":""#, draw.now, r#"","ip":""#, address[0], ".", address[1], ".", address[2], ".", address[3],
        r#"","path":"/"#, rng.pick(ENGLISH), "/", rng.pick(ENGLISH), rng.pick(&["", ".html", ".css", ".js", ".png", "?q=1"]),
        r#"","status":"#, rng.pick(&["200", "200", "200", "200", "304", "404", "301", "500"]),
        r#","bytes":"#, rng.long_tailed(9_000), "}");
    Facts { event_type: None, opened: None }
}
