//! Values back to back: the spans, lines and columns of the format, the judge's verdicts, and a tape over the text.

use std::ops::ControlFlow;

use super::super::output::{BadLine, Output, RecordView};
use super::fields::rebuild;
use super::json::{Style, Writer, damage};
use super::{Fenced, Line, Random, drivers, effort, judge};
use crate::block::{BlockPlace, Order, Padded};
use crate::engine::Next;
use crate::format::{Format, each_record};

/// A record or fault: where, in which line and column, and what.
type Seen = (usize, usize, u64, Line);

struct Notes {
    seen: Vec<Seen>,
    columns: Vec<usize>,
    tapes: usize,
    text: Vec<u8>,
}

impl Output for Notes {
    fn looks(&self) -> bool {
        true
    }

    fn unseen(&mut self, _: u64) {
        panic!("records were asked for");
    }

    fn record(&mut self, view: &RecordView<'_>) -> ControlFlow<()> {
        self.seen.push((view.start, view.end, view.line, Line::Record));
        self.columns.push(view.column);
        if let Some((tape, root)) = view.tape {
            self.tapes += 1;
            // Serde_json's values hold no lone surrogates.
            if let Ok(expected) = serde_json::from_slice::<serde_json::Value>(&self.text[view.start..view.end]) {
                assert_eq!(rebuild(tape, root), expected);
            }
        }
        ControlFlow::Continue(())
    }

    fn fault(&mut self, bad: BadLine) -> ControlFlow<()> {
        self.seen.push((bad.start, bad.end, bad.line, Line::Fault));
        ControlFlow::Continue(())
    }
}

/// What the format says the records are, judged; their columns, where they are good; and the number of newlines.
fn expected(block: Padded<'_>) -> (Vec<Seen>, Vec<usize>, u64) {
    let (mut seen, mut columns) = (Vec::new(), Vec::new());
    let place = BlockPlace {
        input: "".into(),
        order: Order::default(),
        offset: 0,
        column: 0,
        lines_before: None,
        mark: 0,
        first_key: None,
        elements: None,
    };
    let summary = each_record(Format::Concatenated, block, &place, |record, span| {
        let record = record.expect("no text is out of place between values");
        let verdict = judge(&record);
        if verdict == Line::Record {
            columns.push(span.column as usize);
        }
        seen.push((span.start, span.start + record.len(), span.line, verdict));
        Next::Continue
    });
    (seen, columns, summary.lines)
}

fn values(random: &mut Random, one_damaged_in: usize, one_scalar_in: usize) -> Vec<u8> {
    let mut text = Vec::new();
    let separators = [&b"\n"[..], b"", b" ", b"\n\n  ", b"\r\n"];
    let separator = separators[random.below(separators.len())];
    let style = [Style::Compact, Style::Spaced, Style::Loose, Style::Pretty][random.below(4)];
    for _ in 0..40 {
        let depth = 1 + random.below(5);
        let is_scalar = random.below(one_scalar_in) == 0;
        let mut writer = Writer { random, style, floats: 1000, escaped_keys: 10, distinct_keys: true, out: Vec::new() };
        if is_scalar {
            writer.value(0);
            writer.out.push(b'\n');
        } else if writer.random.below(3) == 0 {
            writer.array(depth);
        } else {
            writer.object(depth);
        }
        let mut value = writer.out;
        if one_damaged_in > 0 && random.below(one_damaged_in) == 0 {
            damage(random, &mut value);
        }
        text.extend_from_slice(&value);
        text.extend_from_slice(separator);
    }
    text
}

fn run(seed: u64, one_damaged_in: usize, one_scalar_in: usize) {
    let mut random = Random(seed);
    let mut fenced = Fenced::new(1 << 20);
    let mut drivers = drivers();
    for round in 0..60 * effort() {
        let text = values(&mut random, one_damaged_in, one_scalar_in);
        let filler = [b'{', b' ', b'"', b'\n'][round % 4];
        for (name, driver) in &mut drivers {
            let block = fenced.at_end(&text, filler);
            let (seen, columns, lines) = expected(block);
            let mut notes = Notes { seen: Vec::new(), columns: Vec::new(), tapes: 0, text: text.clone() };
            let summary = driver.run_values(block, &mut notes);
            let shown = || format!("{name}, round {round}: {}", String::from_utf8_lossy(&text));
            assert_eq!(notes.seen, seen, "{}", shown());
            assert_eq!(notes.columns, columns, "{}", shown());
            assert_eq!(summary.lines, lines, "{}", shown());
            if one_damaged_in == 0 {
                assert_eq!(notes.tapes, seen.len(), "{}", shown());
            }
        }
    }
}

#[test]
fn valid_values() {
    run(21, 0, 1_000_000);
}

#[test]
fn values_some_of_which_are_scalars() {
    run(22, 0, 4);
}

#[test]
fn damaged_values() {
    run(23, 10, 20);
}
