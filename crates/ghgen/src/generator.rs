//! Records in a row, and whole files. In go options, out come bytes and the truth about them.
//! Memory is bounded by a buffer of 256 KiB and the longest line.

use crate::damage::{DamageReport, Plan};
use crate::layout::{self, Draw, Facts, Layout};
use crate::options::{Options, Style};
use crate::output::{Members, Sink};
use crate::style::restyle;
use crate::truth::Truth;
use std::io::{self, Write};

/// Bytes collected before they are written.
const BUFFER: usize = 1 << 18;

/// Makes records, one after the other; record `n` depends on the seed, the layout and `n` alone.
///
/// ```
/// use ghgen::{Generator, Options};
///
/// let mut generator = Generator::new(&Options::default());
/// let mut record = Vec::new();
/// let facts = generator.record(&mut record);
/// assert!(record.starts_with(br#"{"id":""#));
/// assert!(facts.event_type.is_some_and(|name| name.ends_with("Event")));
/// ```
#[derive(Debug)]
pub struct Generator {
    layout: Layout,
    style: Style,
    seed: u64,
    index: u64,
    /// The compact record, where the style is another.
    compact: Vec<u8>,
}

impl Generator {
    /// Begins with the first record. Size, separator and damage are for [`generate`].
    pub fn new(options: &Options) -> Self {
        Self { layout: options.layout, style: options.style, seed: options.seed, index: 0, compact: Vec::new() }
    }

    /// Appends the next record to `out`, in the style asked for, without a line end.
    pub fn record(&mut self, out: &mut Vec<u8>) -> Facts {
        let mut draw = Draw::new(self.layout, self.seed, self.index);
        self.index += 1;
        match self.style {
            Style::Compact | Style::Crlf => layout::write(self.layout, out, &mut draw),
            Style::Spaced | Style::Pretty => {
                self.compact.clear();
                let facts = layout::write(self.layout, &mut self.compact, &mut draw);
                restyle(self.style, &self.compact, out);
                facts
            }
        }
    }
}

/// What is known about a generated file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What a counter that skips bad lines must report.
    pub truth: Truth,
    /// The spoiled lines, and what a counter that salvages records must report.
    pub damage: DamageReport,
}

/// Writes a file's text to `out`.
///
/// # Errors
///
/// Options that exclude each other are refused as [`io::ErrorKind::InvalidInput`]; the rest are
/// errors of `out`.
///
/// ```
/// let options = ghgen::Options { bytes: 50_000, ..Default::default() };
/// let mut text = Vec::new();
/// let report = ghgen::generate(&options, &mut text)?;
/// assert_eq!(report.truth.bytes, text.len() as u64);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn generate(options: &Options, out: &mut impl Write) -> io::Result<Report> {
    let mut sink = Members::plain(out);
    let report = generate_into(options, &mut sink)?;
    sink.finish()?;
    Ok(report)
}

/// Writes a file's text to a [`Sink`], which may compress it or cut it into several files. The
/// sink is not finished: that is left to its owner.
///
/// # Errors
///
/// As [`generate`].
pub fn generate_into(options: &Options, sink: &mut impl Sink) -> io::Result<Report> {
    options.check().map_err(|message| io::Error::new(io::ErrorKind::InvalidInput, message))?;
    let terminator = options.terminator();
    let mut generator = Generator::new(options);
    let mut plan = Plan::new(options);
    let mut truth = Truth::default();
    let mut buffer = Vec::with_capacity(2 * BUFFER);
    // Bytes that went to the sink before those in the buffer.
    let mut gone = 0;
    let mut line = 0;
    loop {
        let offset = gone + buffer.len() as u64;
        let full = offset >= options.bytes && !plan.is_pending();
        if full || buffer.len() >= BUFFER || offset >= sink.next_cut() {
            sink.write(&buffer)?;
            gone = offset;
            buffer.clear();
            while !full && offset >= sink.next_cut() {
                sink.cut()?;
            }
        }
        if full {
            break;
        }
        line += 1;
        if plan.is_due(offset) {
            plan.spoil(&mut generator, &mut buffer, line, gone);
            truth.rejected += 1;
        } else {
            truth.count(&generator.record(&mut buffer));
        }
        buffer.extend_from_slice(terminator);
    }
    truth.bytes = gone;
    let damage = plan.finish(&truth);
    Ok(Report { truth, damage })
}
