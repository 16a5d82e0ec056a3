//! `ndskim`: questions to any newline-delimited JSON.

use std::process::ExitCode;

use ndskim_cli::command::{Ndskim, parse};
use ndskim_cli::exit::exit;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    exit("ndskim", parse::<Ndskim>().run())
}
