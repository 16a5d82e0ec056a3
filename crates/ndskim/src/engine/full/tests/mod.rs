//! The full engine below the library's face: every kernel, windows of several sizes, against serde_json and the standard
//! library, on text in front of an unreadable page with no more than the promised padding.

mod damage;
mod exhaustive;
mod fields;
mod json;
mod values;

use std::ops::ControlFlow;

use serde::de::IgnoredAny;

use super::output::{BadLine, Output, RecordView};
use super::stream::{Driver, Sizes};
use crate::block::Padded;
use crate::engine::{Engine, Job, Summary, Validation};
use crate::format::Format;
use crate::kernel::Kernel;
use crate::pointer::Projection;
use crate::testing::{Fenced, effort};

const MAX_DEPTH: usize = 1024;

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Line {
    Record,
    Blank,
    Fault,
}

/// What serde_json and the standard library say of a line.
fn judge(line: &[u8]) -> Line {
    if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
        return Line::Blank;
    }
    let Ok(text) = std::str::from_utf8(line) else { return Line::Fault };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    let valid = serde::Deserialize::deserialize(&mut deserializer).and_then(|_: IgnoredAny| deserializer.end()).is_ok();
    if valid && depth(line) <= MAX_DEPTH { Line::Record } else { Line::Fault }
}

/// The deepest nesting of valid JSON.
fn depth(line: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0, 0, false, false);
    for &byte in line {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
    }
    deepest
}

/// The lines of a block, judged.
fn judged(block: &[u8]) -> Vec<Line> {
    let mut lines: Vec<_> = block.split(|byte| *byte == b'\n').map(judge).collect();
    if block.is_empty() || block.ends_with(b"\n") {
        lines.pop();
    }
    lines
}

/// Notes what each line is; blank lines are those that nobody mentioned.
struct Notes<'a> {
    block: &'a [u8],
    lines: Vec<Line>,
    with_tape: u64,
    on_record: &'a mut dyn FnMut(&RecordView<'_>),
}

impl Notes<'_> {
    fn note(&mut self, line: u64, start: usize, end: usize, what: Line) {
        assert!(start == 0 || self.block[start - 1] == b'\n', "a record starts within a line");
        assert!(end == self.block.len() || self.block[end] == b'\n', "a record ends within a line");
        let line = usize::try_from(line).unwrap();
        assert!(line >= self.lines.len(), "records out of order");
        self.lines.resize(line, Line::Blank);
        self.lines.push(what);
    }
}

impl Output for Notes<'_> {
    fn looks(&self) -> bool {
        true
    }

    fn unseen(&mut self, _: u64) {
        panic!("records were asked for");
    }

    fn record(&mut self, record: &RecordView<'_>) -> ControlFlow<()> {
        self.note(record.line, record.start, record.end, Line::Record);
        self.with_tape += u64::from(record.tape.is_some());
        (self.on_record)(record);
        ControlFlow::Continue(())
    }

    fn fault(&mut self, bad: BadLine) -> ControlFlow<()> {
        self.note(bad.line, bad.start, bad.end, Line::Fault);
        ControlFlow::Continue(())
    }
}

/// Counts only.
#[derive(Default, PartialEq, Eq, Debug)]
struct Counts {
    records: u64,
    faults: u64,
}

impl Output for Counts {
    fn looks(&self) -> bool {
        false
    }

    fn unseen(&mut self, records: u64) {
        self.records += records;
    }

    fn record(&mut self, _: &RecordView<'_>) -> ControlFlow<()> {
        panic!("records were not asked for");
    }

    fn fault(&mut self, _: BadLine) -> ControlFlow<()> {
        self.faults += 1;
        ControlFlow::Continue(())
    }
}

/// Every kernel of this machine in windows of several sizes, by name.
fn drivers() -> Vec<(String, Driver)> {
    drivers_with(&Projection::default())
}

fn drivers_with(projection: &Projection) -> Vec<(String, Driver)> {
    let job = Job {
        engine: Engine::Auto,
        validation: Validation::Full,
        format: Format::Lines,
        projection: projection.clone(),
        max_depth: MAX_DEPTH as u32,
        kernel: None,
        projected: 0,
        filter: None,
        gate: None,
    };
    let mut drivers = Vec::new();
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        for (window, span) in [(512, 1023), (1, 1023), (1, 1), (2, 3)] {
            let driver = Driver::with_sizes(&job, kernel, Sizes::in_vectors(window, span));
            drivers.push((format!("{} {window}/{span}", kernel.name()), driver));
        }
    }
    drivers
}

/// Whether records of some length all fit the spans of a driver.
fn has_room(name: &str) -> bool {
    !name.ends_with("1/1") && !name.ends_with("2/3")
}

/// Runs a block and gives what its lines are, and how many records had a tape.
fn notes_of(
    driver: &mut Driver,
    block: Padded<'_>,
    on_record: &mut dyn FnMut(&RecordView<'_>),
) -> (Vec<Line>, Summary, u64) {
    let text = block.text();
    let mut notes = Notes { block: text, lines: Vec::new(), with_tape: 0, on_record };
    let summary = driver.run(block, &mut notes);
    let newlines = memchr::memchr_iter(b'\n', text).count();
    let total = newlines + usize::from(!text.is_empty() && !text.ends_with(b"\n"));
    assert!(notes.lines.len() <= total);
    notes.lines.resize(total, Line::Blank);
    (notes.lines, summary, notes.with_tape)
}

/// Runs a block both ways and compares with the judge.
#[track_caller]
fn check(name: &str, driver: &mut Driver, block: Padded<'_>, expected: &[Line]) {
    let text = block.text();
    let (lines, summary, _) = notes_of(driver, block, &mut |_| ());
    if lines != expected {
        let at = lines.iter().zip(expected).position(|(a, b)| a != b).unwrap();
        let line = text.split(|byte| *byte == b'\n').nth(at).unwrap();
        let shown = String::from_utf8_lossy(&line[..line.len().min(300)]);
        let whole = String::from_utf8_lossy(&text[..text.len().min(600)]);
        panic!("{name}: line {at} is {:?}, not {:?}: {shown:?} in {whole:?}", lines[at], expected[at]);
    }
    let count = |what| expected.iter().filter(|line| **line == what).count() as u64;
    let newlines = memchr::memchr_iter(b'\n', text).count() as u64;
    let mut counts = Counts::default();
    let counted = driver.run(block, &mut counts);
    let shown = || format!("{name}: {:?}", String::from_utf8_lossy(text));
    assert_eq!(counts, Counts { records: count(Line::Record), faults: count(Line::Fault) }, "{}", shown());
    for summary in [summary, counted] {
        assert_eq!(
            (summary.lines, summary.blank, summary.stopped),
            (newlines, count(Line::Blank), false),
            "{}",
            shown()
        );
    }
}

/// Small and repeatable random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}
