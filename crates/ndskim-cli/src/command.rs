//! The command line of `ndskim`: its subcommands, and those that are about the command line itself, `completions` and `man`.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::bench::Bench;
use crate::check::Check;
use crate::count::Count;
use crate::exit::Failure;
use crate::ghcount::GhCount;
use crate::paths::Paths;
use crate::scaling::Scaling;

/// Answers questions of newline-delimited JSON
#[derive(Parser, Debug)]
#[command(
    name = "ndskim",
    version,
    about,
    propagate_version = true,
    before_help = "\
Examples:
  ndskim paths events.json                     what is in the file
  ndskim count --by type events.json           records by the value of a field
  ndskim count --help                          sums, conditions, functions, formats"
)]
pub struct Ndskim {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Count(Box<Count>),
    Paths(Paths),
    Check(Box<Check>),
    Bench(Bench),
    Scaling(Box<Scaling>),
    Completions(Completions),
    Man(Man),
}

impl Ndskim {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// The subcommand's.
    pub fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Count(count) => count.run(),
            Command::Paths(paths) => paths.run(),
            Command::Check(check) => check.run(),
            Command::Bench(bench) => bench.run(),
            Command::Scaling(scaling) => scaling.run(),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
        }
    }
}

/// A command of this package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Program {
    Ndskim,
    Ghcount,
}

impl Program {
    fn command(self) -> (&'static str, clap::Command) {
        match self {
            Program::Ndskim => ("ndskim", Ndskim::command()),
            Program::Ghcount => ("ghcount", GhCount::command()),
        }
    }
}

/// Writes completions for a shell
#[derive(Args, Debug)]
#[command(before_help = "\
Examples:
  ndskim completions bash > ~/.local/share/bash-completion/completions/ndskim
  ndskim completions zsh > ~/.zfunc/_ndskim
  ndskim completions fish --program ghcount > ~/.config/fish/completions/ghcount.fish")]
struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,

    /// The command to complete
    #[arg(long, value_enum, default_value_t = Program::Ndskim)]
    program: Program,
}

impl Completions {
    fn run(self) -> Result<(), Failure> {
        let (name, mut command) = self.program.command();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        Ok(io::stdout().write_all(&script)?)
    }
}

/// Writes a manual page
#[derive(Args, Debug)]
#[command(before_help = "\
Examples:
  ndskim man | man -l -
  ndskim man count > ndskim-count.1
  ndskim man ghcount > ghcount.1")]
struct Man {
    /// A subcommand, or ghcount; without it, ndskim
    page: Option<String>,
}

impl Man {
    fn run(self) -> Result<(), Failure> {
        let mut ndskim = Ndskim::command();
        ndskim.build();
        let command = match self.page.as_deref() {
            None | Some("ndskim") => ndskim,
            Some("ghcount") => GhCount::command(),
            Some(name) => {
                let names: Vec<_> = ndskim.get_subcommands().map(|command| command.get_name().to_owned()).collect();
                let found = ndskim.get_subcommands().find(|command| command.get_name() == name);
                let choices = format!("there is no page {name:?}: there are ndskim, ghcount, {}", names.join(", "));
                found.cloned().ok_or_else(|| Failure::usage(choices))?
            }
        };
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        Ok(io::stdout().write_all(&page)?)
    }
}

/// The arguments of the process, with `--stats json` as `--stats=json`: the word behind `--stats` is its value only if it is one,
/// and else the first file.
pub fn arguments() -> Vec<OsString> {
    join_stats(std::env::args_os())
}

fn join_stats(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    let mut rest = false;
    for argument in arguments {
        let is_value = !rest && (argument == "json" || argument == "text");
        match joined.last_mut() {
            Some(last) if is_value && last == "--stats" => {
                last.push("=");
                last.push(argument);
            }
            _ => {
                rest |= argument == "--";
                joined.push(argument);
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_lines_are_sound() {
        Ndskim::command().debug_assert();
        GhCount::command().debug_assert();
    }

    #[test]
    fn the_word_behind_stats_is_its_value_only_if_it_is_one() {
        let joined = |line: &str| {
            let words: Vec<_> = join_stats(line.split(' ').map(OsString::from));
            words.join(" ".as_ref()).into_string().unwrap()
        };
        assert_eq!(joined("count --stats json a.json"), "count --stats=json a.json");
        assert_eq!(joined("count --stats a.json"), "count --stats a.json");
        assert_eq!(joined("count -- --stats json"), "count -- --stats json");
    }
}
