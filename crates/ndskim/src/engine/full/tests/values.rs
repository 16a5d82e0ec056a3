//! Values back to back: the spans, lines and columns of the format, the judge's verdicts, and a tape over the text.

use std::ops::ControlFlow;

use super::super::output::{BadLine, Output, RecordView};
use super::super::stream::Driver;
use super::fields::rebuild;
use super::json::{Style, Writer, damage};
use super::{Counts, Fenced, Line, Random, drivers, effort, has_room, judge};
use crate::block::{BlockPlace, Order, Padded};
use crate::engine::Next;
use crate::format::{Format, each_record};
use crate::testing::{TOKENS, sequences};

/// A record or fault: where, in which line and column, and what.
type Seen = (usize, usize, u64, Line);

struct Notes {
    seen: Vec<Seen>,
    columns: Vec<usize>,
    /// Containers without a tape.
    bare: usize,
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
        let is_container = matches!(self.text[view.start], b'{' | b'[');
        self.bare += usize::from(is_container && view.tape.is_none());
        if let Some((tape, root)) = view.tape {
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

/// Reads a block and compares with what the format and the judge say.
#[track_caller]
fn check(name: &str, driver: &mut Driver, block: Padded<'_>, tapes: bool) {
    let text = block.text();
    let (seen, columns, lines) = expected(block);
    let mut notes = Notes { seen: Vec::new(), columns: Vec::new(), bare: 0, text: text.to_vec() };
    let summary = driver.run_values(block, &mut notes);
    let shown = || format!("{name}: {}", String::from_utf8_lossy(&text[..text.len().min(2000)]));
    let differs = (0..seen.len().max(notes.seen.len())).find(|&at| notes.seen.get(at) != seen.get(at));
    if let Some(at) = differs {
        panic!("{at} of {}: {:?}, not {:?}; {}", seen.len(), notes.seen.get(at), seen.get(at), shown());
    }
    assert_eq!(notes.columns, columns, "{}", shown());
    assert_eq!(summary.lines, lines, "{}", shown());
    if tapes {
        assert_eq!(notes.bare, 0, "{}", shown());
    }
    let count = |what| seen.iter().filter(|seen| seen.3 == what).count() as u64;
    let mut counts = Counts::default();
    let counted = driver.run_values(block, &mut counts);
    assert_eq!(counts, Counts { records: count(Line::Record), faults: count(Line::Fault) }, "{}", shown());
    assert_eq!(counted.lines, lines, "{}", shown());
}

fn run(seed: u64, one_damaged_in: usize, one_scalar_in: usize) {
    let mut random = Random(seed);
    let mut fenced = Fenced::new(1 << 20);
    let mut drivers = drivers();
    for round in 0..60 * effort() {
        let text = values(&mut random, one_damaged_in, one_scalar_in);
        let filler = [b'{', b' ', b'"', b'\n'][round % 4];
        for (name, driver) in &mut drivers {
            // Where the span is small, records longer than it have no tape.
            let tapes = one_damaged_in == 0 && has_room(name);
            check(&format!("{name}, round {round}"), driver, fenced.at_end(&text, filler), tapes);
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

/// Every short string of tokens, placed so that it straddles the edge of a vector or window, behind and before good values.
#[test]
fn every_short_token_string_across_edges() {
    let mut drivers = drivers();
    let mut fenced = Fenced::new(4096);
    let mut number = 0usize;
    sequences(&TOKENS, 2 + effort().min(3), &mut |text| {
        number += 1;
        let offset = 64 - number % (text.len() + 2).min(60);
        let mut block = format!("[\"{}\"]", "x".repeat(offset.saturating_sub(4))).into_bytes();
        block.extend_from_slice(text);
        block.extend_from_slice([&b""[..], b"\n[1]", b"{}"][number % 3]);
        for (at, (name, driver)) in drivers.iter_mut().enumerate() {
            let filler = [b'1', b'"', b'\n', b',', b']'][(number + at) % 5];
            let padded =
                if number.is_multiple_of(2) { fenced.at_end(&block, filler) } else { fenced.at_start(&block, filler) };
            check(name, driver, padded, false);
        }
    });
}

/// So many entries in a window that their numbers run out, and white space longer than any window.
#[test]
fn crowds_and_deserts() {
    let mut fenced = Fenced::new(1 << 20);
    let long = |inside: &str, times| format!("[{}1]", inside.repeat(times));
    for text in [
        "{}".repeat(100_000),
        long("[],", 10_000) + &"[]".repeat(40_000),
        long("1,", 16_000) + &"{}".repeat(40_000) + &long("1,", 40_000) + &"[[]]".repeat(20_000),
        format!(
            "{{}}{}{{\"a\":{}1{}}}{}",
            " ".repeat(100_000),
            "\n".repeat(70_000),
            "\t ".repeat(40_000),
            "\r\n".repeat(40_000)
        ),
    ] {
        for (name, driver) in &mut drivers() {
            check(name, driver, fenced.at_end(text.as_bytes(), b'{'), false);
        }
    }
}

/// Any two parts of a token or of two, and so much white space between them that places come round to where they were.
#[test]
fn white_space_of_every_length_parts_tokens() {
    let pairs = [
        ("[1", "2]"),
        ("[1", ".5]"),
        ("[-", "1]"),
        ("[1e", "5]"),
        ("[true", "e]"),
        ("[tru", "e]"),
        ("[\"a\"", "1]"),
        ("[1", "]"),
        ("{\"a\"", ":1}"),
        ("[[],", "1]"),
    ];
    let mut fenced = Fenced::new(1 << 20);
    for (name, driver) in &mut drivers() {
        for (before, after) in pairs {
            for length in (1..=130).chain([32_767, 65_471, 65_535, 65_536, 65_537, 131_072]) {
                // Long runs take long: of spaces and newlines they will do.
                let spaces = if length > 130 { &[" ", "\n"][..] } else { &[" ", "\n", "\t", "\r"] };
                for &space in spaces {
                    let text = format!("{{}}\n{before}{}{after}\n[2]\n", space.repeat(length));
                    let block = fenced.at_end(text.as_bytes(), b'1');
                    let case = format!("{name}: {before} {length} x {space:?} {after}");
                    check(&case, driver, block, false);
                    if space != "\n" {
                        super::check(&case, driver, block, &super::judged(text.as_bytes()));
                    }
                }
            }
        }
    }
}

/// Numbers stop being checked in the masks some windows after the last float: never within a number that white space hides.
#[test]
fn a_number_is_not_forgotten_between_windows() {
    let mut fenced = Fenced::new(1 << 20);
    for (name, driver) in &mut drivers() {
        for part in ["[1e", "[1.", "[-", "[1", "[0"] {
            for after in ["]", "5]", ",1]"] {
                for windows in 25..40 {
                    let floats = "[1.1e1,1.1e1,1.1e1,1.1e1,1.1e1,1.1e1,1.1e1,1.1e1,1.1e1,1.1e1]   ";
                    assert_eq!(floats.len() % 64, 0);
                    let filler = format!("[\"{}\"]", "x".repeat(60));
                    let last = format!("{}{part}\n", " ".repeat(63 - part.len()));
                    let text = format!("{}{}{last}{after}[2]", floats.repeat(2), filler.repeat(windows));
                    check(&format!("{name} {windows}"), driver, fenced.at_end(text.as_bytes(), b'1'), false);
                }
            }
        }
    }
}
