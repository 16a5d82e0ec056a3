//! Runs a command in a directory of its own.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A directory with files, in which commands run.
pub(crate) struct Place {
    directory: TempDir,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// `None` after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    /// A directory with these files.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let place = Self { directory: TempDir::new().unwrap() };
        for (name, bytes) in files {
            fs::write(place.path(name), bytes).unwrap();
        }
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A command, its arguments separated by spaces.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut words = line.split(' ');
        let program = match words.next() {
            Some("ghcount") => env!("CARGO_BIN_EXE_ghcount"),
            _ => env!("CARGO_BIN_EXE_ndskim"),
        };
        let mut command = Command::new(program);
        command.args(words.filter(|word| !word.is_empty())).current_dir(self.directory.path());
        command
    }

    /// Runs a command to its end, with nothing on standard input.
    pub(crate) fn run(&self, line: &str) -> Ended {
        self.run_with(line, b"")
    }

    /// Runs a command to its end, with these bytes on standard input.
    pub(crate) fn run_with(&self, line: &str, stdin: &[u8]) -> Ended {
        let mut command = self.command(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that does not read it closes the pipe.
        _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
