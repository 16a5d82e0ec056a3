//! `ndskim paths`: what is in an unknown file.

use std::io::{self, Write};

use clap::Args;
use ndskim_query::{PathSurvey, Survey, SurveyOptions};

use crate::args::number;
use crate::exit::Failure;
use crate::output::{
    Cell, Column, OutputFormat, Sheet, counted, scalar, string, text_label, thousands, write_sheet, write_stats,
};
use crate::run::RunArgs;

/// Lists the paths of a file: which records have them, the kinds of their values, ranges and examples
#[derive(Args, Debug)]
#[command(before_help = "\
Examples:
  ndskim paths events.json                     all paths, ready for `ndskim count --by`
  ndskim paths --limit 1000 --depth 2 events.json.gz
  ndskim paths --format json events.json | jq .paths[].path")]
pub struct Paths {
    /// Look into so many levels of objects and arrays
    #[arg(long, value_name = "LEVELS", allow_negative_numbers = true, value_parser = number::<usize>, help_heading = "Question")]
    depth: Option<usize>,

    /// Take objects with more than N different members for maps, and show their members as one, called *
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = SurveyOptions::default().wide, value_parser = number::<usize>, help_heading = "Question")]
    wide: usize,

    #[command(flatten)]
    run: RunArgs,
}

impl Paths {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`], for every reason why there is no whole answer.
    pub fn run(self) -> Result<(), Failure> {
        let all = SurveyOptions::default();
        let options = SurveyOptions { depth: self.depth.unwrap_or(all.depth), wide: self.wide };
        self.run.ask("ndskim", None, |scan| Survey::of(scan, options))?.write(|out, format, style, survey| match format
        {
            OutputFormat::Json => write_json(out, survey),
            OutputFormat::Ndjson => write_rows(out, survey, "", "\n"),
            format => {
                write_sheet(out, format, &sheet(survey), style)?;
                if format == OutputFormat::Table {
                    writeln!(out)?;
                    write_stats(out, &survey.stats)?;
                }
                Ok(())
            }
        })
    }
}

fn sheet(survey: &Survey) -> Sheet {
    let columns = vec![
        Column::labels("path"),
        Column::numbers("records"),
        Column { for_people: false, ..Column::shares() },
        Column::labels("kinds"),
        Column::labels("values"),
    ];
    let row = |path: &PathSurvey| {
        let records = path.records.map_or(Cell::Empty, |records| Cell::Int(records.into()));
        let share = path.records.map_or(Cell::Empty, |records| Cell::share(records, survey.stats.records));
        vec![Cell::Label(path.path.clone()), records, share, Cell::Label(kinds(path)), Cell::Label(values(path))]
    };
    Sheet { columns, rows: survey.paths.iter().map(row).collect(), ..Sheet::default() }
}

/// The kinds, the most frequent first, with their shares if there are several.
fn kinds(path: &PathSurvey) -> String {
    let total: u64 = path.kinds.iter().map(|(_, count)| count).sum();
    let mut kinds = path.kinds.clone();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let text = |(kind, count): &(ndskim::Kind, u64)| match kinds.len() {
        1 => kind.name().to_owned(),
        _ => format!("{} {:.0} %", kind.name(), *count as f64 * 100.0 / total as f64),
    };
    kinds.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Ranges and examples, for people.
fn values(path: &PathSurvey) -> String {
    let mut parts = Vec::new();
    if let Some((low, high)) = &path.range {
        parts.push(if low == high { scalar(low) } else { format!("{} to {}", scalar(low), scalar(high)) });
    }
    if !path.examples.is_empty() {
        let examples: Vec<_> = path.examples.iter().map(|text| text_label(text)).collect();
        parts.push(examples.join(", "));
    }
    if let Some((fewest, most)) = path.elements {
        let from = if fewest == most { String::new() } else { format!("{} to ", thousands(fewest)) };
        parts.push(from + &counted(most, "element"));
    }
    if path.members > 0 {
        parts.push(counted(path.members, "member"));
    }
    parts.join("; ")
}

fn write_json(out: &mut dyn Write, survey: &Survey) -> io::Result<()> {
    let stats = &survey.stats;
    write!(
        out,
        "{{\"records\":{},\"bytes\":{},\"rejected\":{},\"paths\":[",
        stats.records, stats.bytes, stats.rejected
    )?;
    write_rows(out, survey, ",", "")?;
    writeln!(out, "],\"blank\":{}}}", stats.blank)
}

/// Writes each path as an object, with something between them and something behind each.
fn write_rows(out: &mut dyn Write, survey: &Survey, between: &str, behind: &str) -> io::Result<()> {
    for (number, path) in survey.paths.iter().enumerate() {
        let records = path.records.map_or("null".to_owned(), |records| records.to_string());
        let kinds: Vec<_> = path.kinds.iter().map(|(kind, count)| format!("\"{}\":{count}", kind.name())).collect();
        let between = if number > 0 { between } else { "" };
        write!(
            out,
            "{between}{{\"path\":{},\"records\":{records},\"kinds\":{{{}}}",
            string(&path.path),
            kinds.join(",")
        )?;
        if let Some((low, high)) = &path.range {
            write!(out, ",\"min\":{},\"max\":{}", scalar(low), scalar(high))?;
        }
        if let Some((fewest, most)) = path.elements {
            write!(out, ",\"elements\":{{\"min\":{fewest},\"max\":{most}}}")?;
        }
        if path.members > 0 {
            write!(out, ",\"members\":{}", path.members)?;
        }
        let examples: Vec<_> = path.examples.iter().map(|text| string(text)).collect();
        write!(out, ",\"examples\":[{}]}}{behind}", examples.join(","))?;
    }
    Ok(())
}
