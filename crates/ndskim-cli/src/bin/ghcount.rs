//! `ghcount`: counts GH Archive events by type, and opened pull requests by language.

use std::process::ExitCode;

use ndskim_cli::command::parse;
use ndskim_cli::ghcount::GhCount;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    parse::<GhCount>().run()
}
