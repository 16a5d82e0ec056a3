//! `ndskim count`: records of any NDJSON, counted by what people ask.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, builder::NonEmptyStringValueParser};
use ndskim_query::{
    Aggregate, Answer, Condition, Expression, Function, Measure, Order, Prepared, Question, Scalar, Unit,
};

use crate::args::number_above_zero;
use crate::chart;
use crate::exit::{Failure, warn};
use crate::output::{
    Cell, Column, OutputFormat, Sheet, key_in_list, key_label, scalar, string, text_label, thousands, write_sheet,
    write_stats,
};
use crate::run::RunArgs;
use crate::visible::visible_path;

const EXAMPLES: &str = "\
Examples:
  ndskim count events.json                                        how many records
  ndskim count --by type events.json                              by the value of a field
  ndskim count --by repo.name --top 10 *.json.gz                  the ten largest groups, and the rest as one
  ndskim count --by 'hour(created_at)' --sort key events.json     a line for each hour of the day
  ndskim count --where 'type = \"PushEvent\"' --by actor.login --sum payload.size events.json
  ndskim count --by 'payload.commits[].author.name' --top 10 events.json
  ndskim count --by path --avg bytes --quantile 0.5,0.99 bytes --format csv -o report.csv access.json";

const DETAILS: &str = "\
Paths:
  /payload/size            a JSON Pointer (RFC 6901), where it begins with a slash
  payload.commits[0].sha   names with dots; odd ones in double quotes: \"a b\".c
  payload.commits[].sha    each element of an array, which is then what is counted

Functions:
  year month day hour weekday (PATH)          of RFC 3339 text, in UTC; weekday is 1 for Monday to 7
  trunc(PATH, hour|day|week|month)            the start of that span of time
    ... of epoch numbers with a unit: hour(ts, s), trunc(ts, day, ms); also us, ns
  len(PATH) lower(PATH) prefix(PATH, N) bucket(PATH, WIDTH) host(PATH) kind(PATH) file()

Conditions:
  PATH = VALUE, != < <= > >=                  text in quotes, a number, true, false, null
  PATH ~ 'REGEX', !~                          in a string
  PATH in (VALUE, ...), PATH exists, and, or, not, ( )
  A value of another kind is never equal, less or more, and a missing one is nothing at all:
  != and !~ hold for the former, `not` turns any condition round.

Exit codes: 0 done; 1 bad data, a missing file, or failed reading or writing; 2 wrong usage; 130 interrupted.
docs/query.md has all of it.";

/// Counts records, by what you like, and computes sums and the like beside
#[derive(Args, Debug)]
#[command(before_help = EXAMPLES, after_long_help = DETAILS)]
pub struct Count {
    /// Group by the value at PATH, or a function of it; repeated: by the tuple of all
    #[arg(long, value_name = "PATH", value_parser = parse::<Expression>, help_heading = "Question")]
    by: Vec<Expression>,

    /// Count only where COND holds; repeated: where all hold
    #[arg(long = "where", value_name = "COND", value_parser = parse::<Condition>, help_heading = "Question")]
    conditions: Vec<Condition>,

    /// The sum of the numbers at PATH, exact
    #[arg(long, value_name = "PATH", value_parser = parse::<Expression>, help_heading = "Question")]
    sum: Vec<Expression>,

    /// The mean of the numbers at PATH
    #[arg(long, value_name = "PATH", value_parser = parse::<Expression>, help_heading = "Question")]
    avg: Vec<Expression>,

    /// The smallest number at PATH, or the first text
    #[arg(long, value_name = "PATH", value_parser = parse::<Expression>, help_heading = "Question")]
    min: Vec<Expression>,

    /// The largest number at PATH, or the last text
    #[arg(long, value_name = "PATH", value_parser = parse::<Expression>, help_heading = "Question")]
    max: Vec<Expression>,

    /// How many different values there are at PATH
    #[arg(long, value_name = "PATH", value_parser = parse::<Expression>, help_heading = "Question")]
    distinct: Vec<Expression>,

    /// The numbers at PATH that these shares do not exceed, as in: --quantile 0.5,0.99 size
    #[arg(long, num_args = 2, value_names = ["SHARES", "PATH"], value_parser = NonEmptyStringValueParser::new(), help_heading = "Question")]
    quantile: Vec<String>,

    /// Let --distinct and --quantile estimate, in little memory; the answer names the sketch and its error
    #[arg(long, help_heading = "Question")]
    approx: bool,

    /// Only the first N groups, and the rest as `(other)`
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number_above_zero, help_heading = "Question")]
    top: Option<u64>,

    /// The order of groups: count, key, or an aggregate, such as sum or 'sum(size)'
    #[arg(long, value_name = "ORDER", default_value = "count", allow_hyphen_values = true, help_heading = "Question")]
    sort: String,

    /// Draw the groups to FILE, as SVG: bars, or lines over time with --by trunc(...); whole or not at all
    #[arg(long, value_name = "FILE", requires = "by", help_heading = "Output")]
    chart: Option<PathBuf>,

    #[command(flatten)]
    run: RunArgs,
}

fn parse<T: std::str::FromStr>(text: &str) -> Result<T, T::Err> {
    text.parse()
}

impl Count {
    /// Runs the command.
    ///
    /// # Errors
    /// [`Failure`], for every reason why there is no whole answer.
    pub fn run(mut self) -> Result<(), Failure> {
        let prepared = self.question()?.prepare().map_err(|error| Failure::usage(error.to_string()))?;
        refuse_same_paths(&self.by)?;
        refuse_twins(prepared.columns().into_iter())?;
        let order = order(&self.sort, &prepared)?;
        let top = self.top.map(|top| usize::try_from(top).unwrap_or(usize::MAX));
        let ask = |scan: ndskim::Scan<'static>| Ok(prepared.ask(scan)?.sorted(order, top));
        let mut asked = self.run.ask("ndskim", self.chart.as_deref(), ask)?;
        if let Some(chart) = asked.take_chart() {
            let svg = chart::answer::draw(asked.answer(), &self.by, order, self.subtitle())?;
            chart.write(|out| out.write_all(svg.as_bytes()))?;
        }
        asked.write(|out, format, style, answer| match format {
            OutputFormat::Json => write_json(out, answer),
            OutputFormat::Ndjson => write_rows(out, answer, "", "\n"),
            format => {
                write_sheet(out, format, &sheet(answer), style)?;
                if format == OutputFormat::Table {
                    write_footer(out, answer)?;
                }
                Ok(())
            }
        })
    }

    /// What a chart is of: the input, and the conditions.
    fn subtitle(&self) -> String {
        let input = match &self.run.input.files[..] {
            [] => "standard input or a list of files".to_owned(),
            [file] => visible_path(file),
            files => format!("{} and {} more", visible_path(&files[0]), files.len() - 1),
        };
        let conditions = self.conditions.iter().map(|condition| format!("; where {condition}"));
        input + &conditions.collect::<String>()
    }

    fn question(&mut self) -> Result<Question, Failure> {
        let mut question = Question::new();
        for expression in &self.by {
            question = question.by(expression.clone());
        }
        for condition in &self.conditions {
            question = question.filter(condition.clone());
        }
        // The question limits what is read; a limit of the scan would be one on what passes its filter.
        if let Some(limit) = self.run.input.limit.take() {
            question = question.limit(limit);
        }
        let simple = [
            (Measure::Sum, &self.sum),
            (Measure::Average, &self.avg),
            (Measure::Minimum, &self.min),
            (Measure::Maximum, &self.max),
            (Measure::Distinct, &self.distinct),
        ];
        let simple = simple
            .into_iter()
            .flat_map(|(measure, paths)| paths.iter().map(move |path| Aggregate::new(measure.clone(), path.clone())));
        let mut aggregates: Vec<_> = simple.collect();
        for pair in self.quantile.chunks_exact(2) {
            aggregates.push(quantiles(&pair[0], &pair[1])?);
        }
        for aggregate in aggregates {
            question = question.aggregate(if self.approx { aggregate.approx() } else { aggregate });
        }
        Ok(question)
    }
}

fn quantiles(shares: &str, path: &str) -> Result<Aggregate, Failure> {
    let read = |share: &str| share.trim().parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    let shares = shares.split(',').map(|share| {
        read(share).ok_or_else(|| {
            Failure::usage(format!(
                "--quantile: {share:?} is no share: write numbers from 0 to 1, as in: --quantile 0.5,0.99 size"
            ))
        })
    });
    let shares = shares.collect::<Result<_, _>>()?;
    let of = path.parse::<Expression>().map_err(|error| Failure::usage(format!("--quantile: {error}")))?;
    Ok(Aggregate::new(Measure::Quantiles(shares), of))
}

/// What `--sort` asks for: a column by its name, or by the start of its name if only one has it.
fn order(sort: &str, prepared: &Prepared) -> Result<Order, Failure> {
    let columns = prepared.columns();
    match sort {
        "count" => return Ok(Order::Count),
        "key" => return Ok(Order::Key),
        _ => {}
    }
    if let Some(column) = columns.iter().position(|column| column == sort) {
        return Ok(Order::Column(column));
    }
    let named: Vec<_> =
        columns.iter().enumerate().filter(|(_, column)| column.split('(').next() == Some(sort)).collect();
    match &*named {
        [(column, _)] => Ok(Order::Column(*column)),
        _ => {
            let choices: Vec<_> = ["count", "key"].into_iter().chain(columns.iter().map(String::as_str)).collect();
            let choices = choices.join(", ");
            Err(Failure::usage(format!("--sort: {sort:?} is none of {choices}, which are what this question has")))
        }
    }
}

/// Refuses two results of one name, which no format could tell apart.
fn refuse_twins(names: impl Iterator<Item = String>) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    for name in names {
        if let Some(twin) = seen.replace(name) {
            return Err(Failure::usage(format!("{twin} is asked for twice: once is enough")));
        }
    }
    Ok(())
}

/// Refuses two groupings by one value, however its path is spelled.
fn refuse_same_paths(by: &[Expression]) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    match by.iter().find(|expression| !seen.insert(meaning(expression))) {
        Some(twin) => Err(Failure::usage(format!("--by {twin} is asked for twice: once is enough"))),
        None => Ok(()),
    }
}

/// An expression in one spelling.
fn meaning(expression: &Expression) -> String {
    match expression {
        Expression::Path(path) => {
            let array = path.array().map(|array| format!("{array}[]")).unwrap_or_default();
            format!("{array}{}", path.pointer())
        }
        Expression::Call(function, inner) => format!("{function:?}({})", meaning(inner)),
        _ => expression.to_string(),
    }
}

/// Why no record has a value to group by, where there are values, but none that a function is for.
fn of_another_kind(by: &str, unit: &str) -> String {
    let as_text = match by.parse() {
        Ok(Expression::Call(Function::Part(_, unit) | Function::Trunc(_, unit), _)) => unit == Unit::Text,
        _ => false,
    };
    let hint = if as_text { ", which is RFC 3339 text; of numbers, name the unit: s, ms, us or ns" } else { "" };
    format!("no {unit} has a value that {by} is for{hint}")
}

/// Says what was left out, and refuses an answer with a number that does not fit.
///
/// # Errors
/// [`Failure::Overflow`].
pub(crate) fn verify(answer: &Answer) -> Result<(), Failure> {
    if let Some(column) = answer.overflow() {
        return Err(Failure::Overflow(column.to_owned()));
    }
    for (what, count) in &answer.left_out {
        warn("ndskim", &format!("{what}: {count} values of another kind, or out of range, were left out"));
    }
    for (place, by) in answer.by.iter().enumerate() {
        let missing = answer.rows.iter().all(|row| row.key[place].is_absent());
        if missing && !answer.rows.is_empty() && answer.other.is_none() {
            let unit = if answer.elements { "element" } else { "record" };
            let message = if answer.left_out.iter().any(|(what, _)| what == by) {
                of_another_kind(by, unit)
            } else {
                format!("no {unit} has {by}; `ndskim paths` lists what there is")
            };
            warn("ndskim", &message);
        }
    }
    Ok(())
}

fn sheet(answer: &Answer) -> Sheet {
    let unit = if answer.elements { "elements" } else { "records" };
    let mut columns: Vec<_> = answer.by.iter().map(Column::labels).collect();
    columns.extend([Column::numbers(unit), Column::shares()]);
    columns.extend(answer.columns.iter().map(Column::numbers));
    if answer.by.is_empty() {
        columns.remove(1);
    }
    let line = |key: Vec<Cell>, count: u64, results: &[Scalar]| {
        let mut cells = key;
        let grouped = !cells.is_empty();
        cells.push(Cell::Int(count.into()));
        cells.extend(grouped.then(|| Cell::share(count, answer.matched)));
        cells.extend(results.iter().map(cell));
        cells
    };
    // A key of one mark and otherwise nothing.
    let marked = |mark: &str| {
        let mark = Cell::Mark(mark.to_owned());
        std::iter::once(mark).chain(std::iter::repeat(Cell::Empty)).take(answer.by.len()).collect::<Vec<_>>()
    };
    let keys = |key: &[ndskim::Key]| key.iter().map(|key| key_label(key, "null")).collect();
    let rows = answer.rows.iter().map(|row| line(keys(&row.key), row.count, &row.results)).collect();
    let rest = answer.other.as_ref().map(|other| line(marked("(other)"), other.count, &other.results));
    let total = (!answer.by.is_empty()).then(|| {
        let mut cells = marked("total");
        cells.push(Cell::Int(answer.matched.into()));
        cells.resize(columns.len(), Cell::Empty);
        cells
    });
    Sheet { columns, rows, rest, total }
}

fn cell(result: &Scalar) -> Cell {
    match result {
        Scalar::Int(integer) => Cell::Int(*integer),
        Scalar::Real(real) => Cell::Real(*real),
        Scalar::Text(text) => Cell::Label(text_label(text)),
        _ => Cell::Empty,
    }
}

/// What stands under a table: the records that were read, and what people should know of the rows.
fn write_footer(out: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    writeln!(out)?;
    if let Some(other) = &answer.other {
        let groups = answer.rows.len() as u64 + other.groups;
        writeln!(out, "{} of {} groups are shown", thousands(answer.rows.len() as u64), thousands(groups))?;
    }
    for (column, sketch) in &answer.sketches {
        writeln!(out, "{column}: {sketch}")?;
    }
    write_stats(out, &answer.stats)
}

fn write_json(out: &mut dyn Write, answer: &Answer) -> io::Result<()> {
    let stats = &answer.stats;
    write!(
        out,
        "{{\"records\":{},\"matched\":{},\"bytes\":{},\"rejected\":{},\"groups\":[",
        stats.records, answer.matched, stats.bytes, stats.rejected
    )?;
    write_rows(out, answer, ",", "")?;
    write!(out, "],\"blank\":{},\"elements\":{},\"left_out\":{{", stats.blank, answer.elements)?;
    write_list(out, answer.left_out.iter().map(|(what, count)| (what, count.to_string())))?;
    write!(out, "}},\"sketches\":{{")?;
    write_list(out, answer.sketches.iter().map(|(column, sketch)| (column, string(sketch))))?;
    writeln!(out, "}}}}")
}

fn write_list<'a>(out: &mut dyn Write, members: impl Iterator<Item = (&'a String, String)>) -> io::Result<()> {
    for (number, (name, value)) in members.enumerate() {
        write!(out, "{}{}:{value}", if number > 0 { "," } else { "" }, string(name))?;
    }
    Ok(())
}

/// Writes each group as an object, with something between them and something behind each.
fn write_rows(out: &mut dyn Write, answer: &Answer, between: &str, behind: &str) -> io::Result<()> {
    let mut first = true;
    let mut row = |key: Vec<String>, more: String, count: u64, results: &[Scalar]| {
        let before = if std::mem::take(&mut first) { "" } else { between };
        write!(out, "{before}{{\"key\":[{}]{more},\"count\":{count}", key.join(","))?;
        for (column, result) in answer.columns.iter().zip(results) {
            write!(out, ",{}:{}", string(column), scalar(result))?;
        }
        write!(out, "}}{behind}")
    };
    for group in &answer.rows {
        row(group.key.iter().map(key_in_list).collect(), String::new(), group.count, &group.results)?;
    }
    if let Some(other) = &answer.other {
        let key = vec![r#"{"other":true}"#.to_owned(); answer.by.len()];
        row(key, format!(",\"groups\":{}", other.groups), other.count, &other.results)?;
    }
    Ok(())
}
