//! The command `ghgen`: see its `--help`, and the library for what it does.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
