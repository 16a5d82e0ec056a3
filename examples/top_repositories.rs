//! The twenty repositories with the most events.
//!
//! ```text
//! cargo run --release --example top_repositories -- datasets/events.json
//! ```

use ndskim::{Pointer, Scan};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let counts = Scan::new(files).count_by(Pointer::parse("/repo/name")?)?.value;
    for (repository, count) in counts.sorted().into_iter().take(20) {
        println!("{count:>8}  {repository}");
    }
    Ok(())
}
