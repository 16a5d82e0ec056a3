//! The twenty most frequent values of a field, which is named by a JSON Pointer.
//!
//! ```text
//! cargo run --release --example count_by -- /type datasets/events.json
//! cargo run --release --example count_by -- /payload/pull_request/base/repo/language datasets/events.json
//! ```

use ndskim::{Pointer, Scan};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let pointer = arguments.next().ok_or("write a JSON Pointer, such as /type, and the files behind it")?;
    let files: Vec<String> = arguments.collect();
    let counts = Scan::new(files).count_by(Pointer::parse(&pointer)?)?.value;
    for (value, count) in counts.sorted().into_iter().take(20) {
        println!("{count:>8}  {value}");
    }
    Ok(())
}
