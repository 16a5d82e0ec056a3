//! The command line of `ndskim`: its subcommands, and those that are about the command line itself.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::bench::Bench;
use crate::check::Check;
use crate::count::Count;
use crate::exit::Failure;
use crate::ghcount::GhCount;
use crate::man::Man;
use crate::paths::Paths;
use crate::scaling::Scaling;

/// Answers questions of newline-delimited JSON
#[derive(Parser, Debug)]
#[command(
    name = "ndskim",
    version,
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

/// The command that the process's arguments describe. If they do not, or ask for help, the process ends with a message.
pub fn parse<C: Parser>() -> C {
    C::try_parse_from(join_stats(std::env::args_os())).unwrap_or_else(|mut error| {
        if let Some(tip) = tip(&error) {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        }
        if let Err(failed) = error.print()
            && failed.kind() != io::ErrorKind::BrokenPipe
        {
            crate::exit::warn(C::command().get_name(), &format!("cannot write the help: {failed}"));
            std::process::exit(1);
        }
        std::process::exit(error.exit_code())
    })
}

/// Flags that people know from elsewhere, and what does the same here.
const ELSEWHERE: [(&[&str], &str); 6] = [
    (&["--group-by", "--groupby", "--key", "--field"], "to group by a path: --by PATH"),
    (&["--filter", "--select", "--if"], "to count under a condition: --where 'type = \"PushEvent\"'"),
    (&["--order-by", "--sort-by", "--order", "--desc", "--asc"], "the order is that of --sort count|key|AGGREGATE"),
    (&["--head", "-n"], "the first groups: --top N; the first records of the input: --limit N"),
    (
        &["--json", "--csv", "--tsv", "--markdown", "-f"],
        "the format is that of --format table|json|ndjson|csv|tsv|markdown",
    ),
    (&["--jobs", "-j"], "the number of threads is that of --threads N"),
];

/// What to do about a mistake that clap has no advice for.
fn tip(error: &clap::Error) -> Option<String> {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(&**word),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = word(ContextKind::InvalidSubcommand)?;
            let file = std::path::Path::new(word).is_file();
            file.then(|| format!("what to do with the file? `ndskim paths {word}` lists what is in it"))
        }
        ErrorKind::UnknownArgument => {
            // What clap found in the command line may have its value behind it.
            let word = word(ContextKind::InvalidArg)?.split(['=', ' ']).next()?;
            let known = ELSEWHERE.iter().find(|(words, _)| words.contains(&word)).map(|(_, tip)| (*tip).to_owned());
            let of_count = || {
                let has = |argument: &clap::Arg| argument.get_long().is_some_and(|long| word == format!("--{long}"));
                let count = Ndskim::command().find_subcommand("count")?.clone();
                count.get_arguments().any(has).then(|| format!("`ndskim count` has {word}: ndskim count {word} ..."))
            };
            known.or_else(of_count)
        }
        _ => None,
    }
}

/// The arguments with `--stats json` as `--stats=json`: the word behind `--stats` is its value only if it is one, and else the
/// first file.
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
