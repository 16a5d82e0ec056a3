//! What the passes refuse: told apart line by line, so that a bad record costs its own record and no other.
//!
//! What goes in: whole lines among which the passes have refused something. What comes out: the records and faults
//! among them, in order. Lines are told apart by raw newlines. It must never read a line by what another one holds. (Where
//! records are not lines, [`super::values`] does the same with some of what is here.)

use super::output::{BadLine, Output};
use super::passes::{Space, Variant};
use super::stream::{Cursor, Driver, Refused, Run};
use super::window::{Findings, SPAN};
use crate::exact;
use crate::kernel::VECTOR;
use crate::kernel::tables::DEPTH_LIMIT;
use std::ops::{ControlFlow, Range};

/// The most text that is read at once.
pub(super) const MOST: usize = SPAN - 2 * VECTOR;

impl Driver {
    /// Reads the lines of a window that the passes have refused. It may be what is behind them that is at fault.
    pub(super) fn recover_window<O: Output>(&mut self, run: &mut Run<'_, O>, lines: Range<usize>) -> ControlFlow<()> {
        // One try for each part will do: the variant that knows most of the quick ones.
        let before = self.pace.variant;
        if !before.is_dense() {
            self.pace.variant = Variant::BOTH;
        }
        let flow = if middle(&run.text[lines.clone()]).is_none() {
            self.read_again(run, lines)
        } else {
            self.recover(run, lines)
        };
        if !self.pace.variant.is_dense() {
            self.pace.variant = before;
        }
        flow
    }

    /// Reads lines among which the passes have refused something: by itself if it is one line, else the first half and
    /// the second half, each again by the passes first.
    fn recover<O: Output>(&mut self, run: &mut Run<'_, O>, lines: Range<usize>) -> ControlFlow<()> {
        match middle(&run.text[lines.clone()]) {
            None => self.recover_line(run, lines),
            Some(middle) => {
                let middle = lines.start + middle;
                self.read_again(run, lines.start..middle)?;
                self.read_again(run, middle..lines.end)
            }
        }
    }

    fn read_again<O: Output>(&mut self, run: &mut Run<'_, O>, lines: Range<usize>) -> ControlFlow<()> {
        match self.read_at_once(run.text, lines.clone()) {
            Ok((cursor, complete)) => self.hand_out(run, &self.placed(&cursor, complete), complete),
            Err(Refused) => self.recover(run, lines),
        }
    }

    /// The passes over records that fit one window.
    pub(super) fn read_at_once(&mut self, text: &[u8], records: Range<usize>) -> Result<(Cursor, usize), Refused> {
        if records.len() > MOST {
            return Err(Refused);
        }
        self.window.restart();
        let mut cursor = Cursor::new(records);
        let complete = self.read_window(text, &mut cursor, SPAN)?;
        if complete == self.window.len && self.window.carries.strings.in_string == 0 {
            Ok((cursor, complete))
        } else {
            Err(Refused)
        }
    }

    /// Reads one line that the passes have refused.
    fn recover_line<O: Output>(&mut self, run: &mut Run<'_, O>, line: Range<usize>) -> ControlFlow<()> {
        let has_newline = run.text[line.clone()].ends_with(b"\n");
        let record = line.start..line.end - usize::from(has_newline);
        let is_blank = run.text[record.clone()].iter().all(|&byte| exact::is_white_space(byte));
        let flow = if is_blank {
            run.summary.blank += 1;
            ControlFlow::Continue(())
        } else if self.read_any_space(run, line.clone())? {
            return ControlFlow::Continue(());
        } else if may_have_no_tape(&run.text[record.clone()])
            && [Variant::BOTH, Variant::ANY].iter().any(|variant| self.is_valid_alone(run.text, &line, *variant))
        {
            if record.len() <= MOST {
                self.pace.note_deep();
            }
            self.hand_out_bare(run, record)
        } else {
            self.read_exactly(run, record)
        };
        run.summary.lines += u64::from(has_newline);
        flow
    }

    /// Reads a line that may have any white space; false if it is not valid, or too long for a window.
    fn read_any_space<O: Output>(&mut self, run: &mut Run<'_, O>, line: Range<usize>) -> ControlFlow<(), bool> {
        if self.pace.has_met_any_space() {
            return ControlFlow::Continue(false);
        }
        let variant = std::mem::replace(&mut self.pace.variant, Variant::ANY);
        let Ok((cursor, complete)) = self.read_at_once(run.text, line) else {
            self.pace.variant = variant;
            return ControlFlow::Continue(false);
        };
        self.pace.note_any_space();
        self.hand_out(run, &self.placed(&cursor, complete), complete)?;
        ControlFlow::Continue(true)
    }

    /// Whether the passes accept a record as they accept one that is too long for a window, without a tape.
    pub(super) fn is_valid_alone(&mut self, text: &[u8], record: &Range<usize>, variant: Variant) -> bool {
        let before = self.pace.variant;
        self.window.restart();
        self.window.findings = Findings::default();
        let mut cursor = Cursor::new(record.clone());
        let ended = self.validate_long(text, &mut cursor, variant);
        let is_valid = ended.is_ok() && cursor.next == record.end && self.window.len == 0;
        self.pace.variant = before;
        if is_valid && variant.space == Space::Any {
            self.pace.note_any_space();
        }
        is_valid
    }

    /// Hands a line, or a value up to which newlines are counted, to the exact reader, whose word is the last.
    pub(super) fn read_exactly<O: Output>(&mut self, run: &mut Run<'_, O>, record: Range<usize>) -> ControlFlow<()> {
        match exact::validate_record(&run.text[record.clone()], self.max_depth as u32) {
            Ok(()) => {
                run.summary.exact += 1;
                self.hand_out_bare(run, record)
            }
            Err(refusal) => {
                let line = run.summary.lines;
                run.output.fault(BadLine { start: record.start, end: record.end, line, refusal })
            }
        }
    }
}

/// Whether a record may be too long or too deep for a tape, for which reason alone the passes may have refused it.
pub(super) fn may_have_no_tape(record: &[u8]) -> bool {
    let opens = || bytecount::count(record, b'[') + bytecount::count(record, b'{');
    record.len() > MOST || opens() > usize::from(DEPTH_LIMIT)
}

/// Where the line ends that is nearest to the middle of some lines; none if they are one line.
fn middle(lines: &[u8]) -> Option<usize> {
    let half = lines.len() / 2;
    let after = memchr::memchr(b'\n', &lines[half..]).map(|newline| half + newline + 1);
    after
        .filter(|middle| *middle < lines.len())
        .or_else(|| memchr::memrchr(b'\n', &lines[..half]).map(|newline| newline + 1))
}
