//! `ndskim`: questions to any newline-delimited JSON.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use ndskim_cli::bench::Bench;
use ndskim_cli::check::Check;
use ndskim_cli::count::Count;
use ndskim_cli::exit::exit;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Answers questions of newline-delimited JSON
#[derive(Parser, Debug)]
#[command(name = "ndskim", version, about)]
struct Ndskim {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Bench(Bench),
    Count(Count),
    Check(Check),
}

fn main() -> ExitCode {
    let result = match Ndskim::parse().command {
        Command::Bench(bench) => bench.run(),
        Command::Count(count) => count.run(),
        Command::Check(check) => check.run(),
    };
    exit("ndskim", result)
}
