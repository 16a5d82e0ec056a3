//! `ghcount`: counts GH Archive events by type, and opened pull requests by language.

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ndskim_cli::ghcount::GhCount::parse_from(ndskim_cli::command::arguments()).run()
}
