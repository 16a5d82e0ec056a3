//! `ndskim`: questions to any newline-delimited JSON.

use std::process::ExitCode;

use clap::Parser;
use ndskim_cli::command::{Ndskim, arguments};
use ndskim_cli::exit::exit;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    exit("ndskim", Ndskim::parse_from(arguments()).run())
}
