//! Records as typed structs, by serde: members that the types do not name are passed over. Faults are skipped and reported.
//!
//! ```text
//! cargo run --release --example typed -- datasets/events.json
//! ```

use ndskim::{OnFault, Scan};
use serde::Deserialize;

#[derive(Deserialize)]
struct Event<'a> {
    r#type: &'a str,
    #[serde(borrow)]
    payload: Payload<'a>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow, default)]
    commits: Vec<Commit<'a>>,
}

#[derive(Deserialize)]
struct Commit<'a> {
    // Text with escapes cannot be borrowed; a `Cow` takes both.
    #[serde(borrow)]
    message: std::borrow::Cow<'a, str>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();

    let outcome = Scan::new(files).on_fault(OnFault::Skip).try_map(|record| {
        let event: Event<'_> = record.deserialize()?;
        let longest = event.payload.commits.iter().map(|commit| commit.message.chars().count()).max();
        Ok::<_, ndskim::DeserializeError>(longest.filter(|_| event.r#type == "PushEvent"))
    })?;

    let lengths: Vec<usize> = outcome.value.into_iter().flatten().collect();
    println!("pushes with commits: {}", lengths.len());
    println!("longest commit message: {} characters", lengths.iter().max().unwrap_or(&0));
    for fault in outcome.faults {
        eprintln!("skipped {fault}");
    }
    Ok(())
}
