//! Charts as SVG: bars of groups, lines over time, throughput over threads.
//!
//! In goes what is to be shown, out comes a whole SVG document as text, on a white ground and of a size that can be read on a
//! printed page. Text stays text, so that no font is needed to draw; how wide it will be is estimated, for fonts of the wider
//! kind. Nothing here knows how an answer was found.

pub(crate) mod answer;
mod bars;
mod page;
pub(crate) mod scaling;
mod text;
mod ticks;
mod timeline;

use std::path::Path;

use crate::exit::Failure;
use crate::output::Destination;
use crate::visible::visible_path;

/// Figures beyond this are drawn as if they were this, so that sums and differences of them fit a double.
const LARGEST: f64 = 1e300;

/// Opens the file that a chart goes to, so that a scan is not made in vain.
///
/// # Errors
/// The name is that of another kind of picture; [`Failure::Output`].
pub(crate) fn open(chart: Option<&Path>) -> Result<Option<Destination>, Failure> {
    let Some(path) = chart else { return Ok(None) };
    if path.extension().is_some_and(|extension| !extension.eq_ignore_ascii_case("svg")) {
        let name = visible_path(path);
        return Err(Failure::usage(format!("--chart: charts are SVG: name a file that ends with .svg, not {name}")));
    }
    Destination::open(Some(path)).map(Some)
}
