//! Opened pull requests by the language of the base repository: the count of the published experiment, in a few lines.
//!
//! ```text
//! cargo run --release --example languages -- datasets/events.json
//! ```

use ndskim::{CountTable, Scan, ValueError};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let language = "/payload/pull_request/base/repo/language".parse()?;

    let counts = Scan::new(files).try_fold(
        CountTable::new,
        |counts, event| {
            let opened = match (event.get("type")?, event.get("payload")?) {
                (Some(kind), Some(payload)) if kind.is_str("PullRequestEvent")? => {
                    payload.get("action")?.map_or(Ok(false), |action| action.is_str("opened"))?
                }
                _ => false,
            };
            if opened {
                counts.add(event.pointer(&language)?)?;
            }
            Ok::<_, ValueError>(())
        },
        CountTable::merged,
    )?;

    for (language, count) in counts.value.sorted() {
        println!("{count:>8}  {language}");
    }
    Ok(())
}
