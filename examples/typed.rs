//! Records as typed structs, by serde: members that the types do not name are passed over. Faults are skipped and reported.
//!
//! A record that is valid JSON but not of the type is no fault: with `try_map` the closure's error would end the scan. So this
//! uses `map`, and keeps the `Result` of each record.
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

    let outcome = Scan::new(files).on_fault(OnFault::Skip).map(|record| {
        let event: Event<'_> = record.deserialize()?;
        let longest = event.payload.commits.iter().map(|commit| commit.message.chars().count()).max();
        Ok::<_, ndskim::DeserializeError>(longest.filter(|_| event.r#type == "PushEvent"))
    })?;

    let (events, others): (Vec<_>, Vec<_>) = outcome.value.into_iter().partition(Result::is_ok);
    let lengths: Vec<usize> = events.into_iter().flatten().flatten().collect();
    println!("pushes with commits: {}", lengths.len());
    println!("longest commit message: {} characters", lengths.iter().max().unwrap_or(&0));
    if let Some(Err(error)) = others.first() {
        eprintln!("{} records are of another shape; the first: {error}", others.len());
    }
    for fault in outcome.faults {
        eprintln!("skipped {fault}");
    }
    Ok(())
}
