//! Spoiling lines in the ways that stand in published GH Archive files. In go a plan (how many
//! lines, spread over how many bytes) and the generator, out come bad lines and, for each, the
//! spans of the whole records that may still be kept. What may be kept follows from how the line
//! was put together; the line is never parsed.
//!
//! # What a salvage may keep
//!
//! The rule: of a bad line, a candidate starts at the line's start, or with the same first key
//! as the good records (`{"id":`); it runs to the line's end, to a run of NUL bytes, or to the
//! next candidate; and it must be valid. What that comes to:
//!
//! * [`Way::Joined`], `}{`: every event of the line is whole and is kept.
//! * [`Way::Cut`]: the cut event is lost, the event behind it is whole and is kept. Objects
//!   nested in the cut event that begin with the same key (its `actor`, its `repo`) are whole
//!   too, but lie inside a record: each is followed by `,`, `}` or `]`, never by an end as above.
//!   None is kept. Nor does one in the kept event end it.
//! * [`Way::Nul`]: the event in front of the NUL bytes is whole and is kept.
//!
//! So every line keeps at least one record, and the bytes of the cut event and of the NULs are
//! all that is lost.

use crate::generator::Generator;
use crate::layout::Facts;
use crate::options::Options;
use crate::rng::{Rng, Stream};
use crate::style::string_end;
use crate::truth::Truth;
use std::io::{self, Write};

/// How a line was spoiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// Two to four events on one line, nothing between them.
    Joined,
    /// An event that ends in the middle of a string, the next event right behind it. The cut
    /// may fall into an escape or a UTF-8 sequence.
    Cut,
    /// An event, then 1,000 to 20,000 NUL bytes.
    Nul,
}

impl Way {
    const ALL: [Self; 3] = [Self::Joined, Self::Cut, Self::Nul];

    /// The name in the damage list.
    pub fn name(self) -> &'static str {
        match self {
            Self::Joined => "joined",
            Self::Cut => "cut",
            Self::Nul => "nul",
        }
    }
}

/// A whole record on a bad line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Where it begins, in bytes from the start of the uncompressed file.
    pub offset: u64,
    /// Its length in bytes.
    pub length: u64,
    /// What it counts for.
    pub facts: Facts,
}

/// A bad line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedLine {
    /// Its number, from 1.
    pub line: u64,
    /// Where it begins, in bytes from the start of the uncompressed file.
    pub offset: u64,
    /// Its length in bytes, without the line end.
    pub length: u64,
    /// How it was spoiled.
    pub way: Way,
    /// The records that a salvage may keep, in order.
    pub kept: Vec<Kept>,
}

/// The bad lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DamageReport {
    /// In order of their place.
    pub lines: Vec<DamagedLine>,
    /// What a counter that salvages must report: the records of the good lines and the kept
    /// ones. `rejected` is the number of bad lines, whatever was kept of them.
    pub salvage: Truth,
}

impl DamageReport {
    /// Writes the damage list: a JSON object a line for each bad line (`line`, `offset`,
    /// `length`, `way`, `keep`: a list of `offset` and `length`), and a last one with totals and
    /// the reports of a counter that skips bad lines and of one that salvages records.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_list(&self, skip: &Truth, out: &mut impl Write) -> io::Result<()> {
        let (mut damaged_bytes, mut kept_records, mut kept_bytes) = (0, 0, 0);
        for damaged in &self.lines {
            let DamagedLine { line, offset, length, way, kept } = damaged;
            write!(out, r#"{{"line":{line},"offset":{offset},"length":{length},"way":"{}","keep":["#, way.name())?;
            for (n, Kept { offset, length, .. }) in kept.iter().enumerate() {
                let comma = if n > 0 { "," } else { "" };
                write!(out, r#"{comma}{{"offset":{offset},"length":{length}}}"#)?;
                kept_bytes += length;
                kept_records += 1;
            }
            writeln!(out, "]}}")?;
            damaged_bytes += length;
        }
        writeln!(
            out,
            r#"{{"damaged_lines":{},"damaged_bytes":{damaged_bytes},"kept_records":{kept_records},"kept_bytes":{kept_bytes},"lost_bytes":{},"skip":{},"salvage":{}}}"#,
            self.lines.len(),
            damaged_bytes - kept_bytes,
            skip.to_json(),
            self.salvage.to_json()
        )
    }
}

/// Which lines to spoil: one somewhere in each of as many equal stretches of the file.
pub(crate) struct Plan {
    seed: u64,
    count: u32,
    /// Bytes of file for each bad line.
    stretch: u64,
    /// The next bad line begins at the first line start at or behind this place.
    target: u64,
    lines: Vec<DamagedLine>,
}

impl Plan {
    pub(crate) fn new(options: &Options) -> Self {
        let stretch = options.bytes / u64::from(options.damage.max(1));
        let mut plan = Self { seed: options.seed, count: options.damage, stretch, target: 0, lines: Vec::new() };
        plan.aim();
        plan
    }

    /// The stream for the next bad line.
    fn stream(&self) -> Rng {
        Rng::new(self.seed, Stream::Damage, self.lines.len() as u64)
    }

    fn aim(&mut self) {
        let within = self.stream().bits() % (self.stretch * 3 / 4).max(1);
        self.target = self.lines.len() as u64 * self.stretch + self.stretch / 8 + within;
    }

    /// Whether lines are still to be spoiled.
    pub(crate) fn is_pending(&self) -> bool {
        self.lines.len() < self.count as usize
    }

    /// Whether the line that begins at `offset` is to be spoiled.
    pub(crate) fn is_due(&self, offset: u64) -> bool {
        self.is_pending() && offset >= self.target
    }

    /// Appends a bad line, without its end, to `buffer`, which begins at `gone` in the file.
    pub(crate) fn spoil(&mut self, generator: &mut Generator, buffer: &mut Vec<u8>, line: u64, gone: u64) {
        let start = buffer.len();
        let mut rng = self.stream();
        rng.bits();
        let way = Way::ALL[self.lines.len() % Way::ALL.len()];
        let mut kept = Vec::new();
        let mut keep_next = |generator: &mut Generator, buffer: &mut Vec<u8>| {
            let start = buffer.len();
            let facts = generator.record(buffer);
            let length = (buffer.len() - start) as u64;
            kept.push(Kept { offset: gone + start as u64, length, facts });
        };
        match way {
            Way::Joined => {
                let events = if rng.below(4) == 0 { rng.range(3, 4) } else { 2 };
                for _ in 0..events {
                    keep_next(generator, buffer);
                }
            }
            Way::Cut => {
                generator.record(buffer);
                let end = start + place_in_string(&buffer[start..], &mut rng);
                buffer.truncate(end);
                keep_next(generator, buffer);
            }
            Way::Nul => {
                keep_next(generator, buffer);
                buffer.resize(buffer.len() + rng.range(1_000, 20_000) as usize, 0);
            }
        }
        let length = (buffer.len() - start) as u64;
        self.lines.push(DamagedLine { line, offset: gone + start as u64, length, way, kept });
        self.aim();
    }

    /// The report, given the truth about the good lines.
    pub(crate) fn finish(self, skip: &Truth) -> DamageReport {
        let mut salvage = skip.clone();
        for kept in self.lines.iter().flat_map(|line| &line.kept) {
            salvage.count(&kept.facts);
        }
        DamageReport { lines: self.lines, salvage }
    }
}

/// A random place inside a string of `record`: behind its opening quote and a byte at least, and
/// not behind its closing one. Every layout's record has a string of two bytes or more.
fn place_in_string(record: &[u8], rng: &mut Rng) -> usize {
    let wanted = rng.below(record.len() as u32) as usize;
    let mut found = None;
    let mut at = 0;
    while at < record.len() && found.is_none_or(|place| place < wanted) {
        if record[at] != b'"' {
            at += 1;
            continue;
        }
        let end = string_end(record, at);
        // The first place is behind one byte of content, the last before the closing quote.
        let (first, last) = (at + 2, end - 1);
        if first <= last {
            found = Some(wanted.clamp(first, last));
        }
        at = end;
    }
    found.expect("every record has a string")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_inside_strings() {
        let record = br#"{"id":"1","a":[1,2,3],"":"","text":"x\"y","n":null}"#;
        let inside: Vec<_> = (0..1_000).map(|n| place_in_string(record, &mut Rng::new(n, Stream::Damage, 0))).collect();
        for place in inside {
            let quotes = record[..place].iter().filter(|&&b| b == b'"').count();
            let escaped = record[..place].windows(2).filter(|w| w == b"\\\"").count();
            assert_eq!((quotes - escaped) % 2, 1, "{}", String::from_utf8_lossy(&record[..place]));
        }
    }
}
