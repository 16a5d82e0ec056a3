//! The commands from outside: command lines in, standard output, standard error and exit codes out.

mod cookbook;
mod data;
mod formats;
mod judge;
mod mistakes;
mod operators;
mod paths;
mod questions;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// What a command said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The folder with the files that questions are asked of, in which the commands run.
pub(crate) fn world() -> &'static Path {
    static WORLD: OnceLock<PathBuf> = OnceLock::new();
    WORLD.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("world");
        std::fs::create_dir_all(&folder).unwrap();
        data::write_all(&folder);
        folder
    })
}

/// Runs `ndskim`.
pub(crate) fn run(arguments: &[&str]) -> Said {
    run_program(env!("CARGO_BIN_EXE_ndskim"), arguments)
}

pub(crate) fn run_program(program: &str, arguments: &[&str]) -> Said {
    let mut command = Command::new(program);
    let output = command.args(arguments).current_dir(world()).stdin(Stdio::null()).output().unwrap();
    Said {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `ndskim` for JSON.
pub(crate) fn run_json(arguments: &[&str]) -> serde_json::Value {
    let said = run(&[arguments, &["--format", "json"]].concat());
    assert_eq!(said.code, 0, "{arguments:?}: {}", said.stderr);
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", said.stdout))
}
