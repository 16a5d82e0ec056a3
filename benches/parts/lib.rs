//! What the benchmarks of ndskim's parts read: generated text of some MiB, the same in every run.

use ghgen::{Layout, Options, Style, generate};

/// GH Archive events in a style.
pub fn events(style: Style) -> Vec<u8> {
    text(Layout::Gh, style)
}

/// A web server's log: short records.
pub fn weblog() -> Vec<u8> {
    text(Layout::Weblog, Style::Compact)
}

/// GeoJSON features: mostly floats.
pub fn geojson() -> Vec<u8> {
    text(Layout::Geojson, Style::Compact)
}

/// More than the last cache holds would measure the memory; this is for the instructions.
const BYTES: u64 = 8 << 20;

fn text(layout: Layout, style: Style) -> Vec<u8> {
    let mut out = Vec::new();
    generate(&Options { bytes: BYTES, layout, style, ..Options::default() }, &mut out)
        .expect("writing into a vector does not fail");
    out
}
