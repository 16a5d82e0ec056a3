//! Events by hour: a fold into a map of one's own, with fields that are found before the closure is called.
//!
//! ```text
//! cargo run --release --example events_per_hour -- datasets/events.json
//! ```

use std::collections::BTreeMap;

use ndskim::{Projection, Scan, ValueError};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();

    let hours = Scan::new(files).project(Projection::new(["/created_at"])?).try_fold(
        BTreeMap::new,
        |hours: &mut BTreeMap<String, u64>, event| {
            // 2024-03-13T08:00:00Z: the first 13 bytes are the hour.
            let Some(time) = event.field(0) else { return Ok(()) };
            let time = time.as_str()?.unwrap_or_default();
            let hour = time.get(..13).unwrap_or("no time");
            match hours.get_mut(hour) {
                Some(count) => *count += 1,
                None => drop(hours.insert(hour.to_owned(), 1)),
            }
            Ok::<_, ValueError>(())
        },
        |mut all, some| {
            some.into_iter().for_each(|(hour, count)| *all.entry(hour).or_default() += count);
            all
        },
    )?;

    for (hour, count) in hours.value {
        println!("{hour}  {count:>8}");
    }
    Ok(())
}
