//! `ndskim man`: manual pages, from what the commands say of their flags. Examples and tables stand in them line by line, as
//! they do in the help.

use std::io::{self, Write};

use clap::builder::StyledStr;
use clap::{Args, CommandFactory};

use crate::command::Ndskim;
use crate::exit::Failure;
use crate::ghcount::GhCount;

/// Writes a manual page
#[derive(Args, Debug)]
#[command(before_help = "\
Examples:
  ndskim man | man -l -
  ndskim man count > ndskim-count.1
  ndskim man ghcount > ghcount.1")]
pub(crate) struct Man {
    /// A subcommand, or ghcount; without it, ndskim
    page: Option<String>,
}

impl Man {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`]: there is no such page, or it cannot be written.
    pub(crate) fn run(self) -> Result<(), Failure> {
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
        Ok(io::stdout().write_all(&page(command)?)?)
    }
}

fn page(mut command: clap::Command) -> io::Result<Vec<u8>> {
    command.build();
    let text = |text: Option<&StyledStr>| text.map(ToString::to_string).unwrap_or_default();
    let before = text(command.get_before_long_help().or(command.get_before_help()));
    let after = text(command.get_after_long_help().or(command.get_after_help()));
    let (has_options, has_subcommands) = (command.get_arguments().next().is_some(), command.has_subcommands());
    let man = clap_mangen::Man::new(command);
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    write_lines(&mut page, "EXAMPLES", before.trim_start_matches("Examples:").trim_matches('\n'))?;
    if has_options {
        man.render_options_section(&mut page)?;
    }
    if has_subcommands {
        man.render_subcommands_section(&mut page)?;
    }
    write_lines(&mut page, "DETAILS", &after)?;
    man.render_version_section(&mut page)?;
    Ok(page)
}

/// Writes a section whose lines stay as they are.
fn write_lines(page: &mut Vec<u8>, heading: &str, text: &str) -> io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    writeln!(page, ".SH {heading}\n.nf")?;
    for line in text.lines() {
        // A period or an apostrophe at its start would make a request of the line.
        let escaped = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
        writeln!(page, "\\&{escaped}")?;
    }
    writeln!(page, ".fi")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_in_a_page_as_they_are() {
        let mut page = Vec::new();
        write_lines(&mut page, "EXAMPLES", "  a --by 'x'\n.b\n\n~ '\\[bot\\]$'").unwrap();
        let expected = ".SH EXAMPLES\n.nf\n\\&  a \\-\\-by \\(aqx\\(aq\n\\&.b\n\\&\n\\&~ \\(aq\\e[bot\\e]$\\(aq\n.fi\n";
        assert_eq!(String::from_utf8(page).unwrap(), expected);
    }
}
