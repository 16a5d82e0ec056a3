//! What the passes refuse: told apart line by line, so that a bad record costs its own record and no other.
//!
//! What goes in: whole lines among which the passes have refused something. What comes out: the records and faults
//! among them, in order. Lines are told apart by raw newlines. It must never read a line by what another one holds.

use super::output::{BadLine, Output};
use super::squeeze::MOST;
use super::stream::{Cursor, Driver, Refused, Run};
use super::window::{Findings, SPAN};
use crate::exact;
use crate::kernel::VECTOR;
use std::ops::{ControlFlow, Range};

impl Driver {
    /// Reads the lines of a window that the passes have refused. It may be what is behind them that is at fault.
    pub(super) fn recover_window<O: Output>(&mut self, run: &mut Run<'_, O>, lines: Range<usize>) -> ControlFlow<()> {
        if self.pace.loose_for > 0 && self.read_loose(run, lines.clone())? {
            return ControlFlow::Continue(());
        }
        if middle(&run.text[lines.clone()]).is_none() { self.read_again(run, lines) } else { self.recover(run, lines) }
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

    /// The passes over lines that fit one window.
    fn read_at_once(&mut self, text: &[u8], lines: Range<usize>) -> Result<(Cursor, usize), Refused> {
        if lines.len() > SPAN - VECTOR {
            return Err(Refused);
        }
        self.window.restart();
        let mut cursor = Cursor::new(lines);
        let complete = self.read_window(text, &mut cursor, SPAN)?;
        if complete == self.window.len && self.window.carries.in_string == 0 {
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
        } else if self.read_loose(run, line.clone())? {
            return ControlFlow::Continue(());
        } else if self.is_valid_alone(run.text, line) {
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

    /// Whether the passes accept a line as they accept a record that is too long for a window, without a tape.
    fn is_valid_alone(&mut self, text: &[u8], line: Range<usize>) -> bool {
        self.window.restart();
        self.window.findings = Findings::default();
        let mut cursor = Cursor::new(line);
        self.validate_long(text, &mut cursor).is_ok()
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

/// Where the line ends that is nearest to the middle of some lines; none if they are one line.
fn middle(lines: &[u8]) -> Option<usize> {
    let half = lines.len() / 2;
    let after = memchr::memchr(b'\n', &lines[half..]).map(|newline| half + newline + 1);
    after
        .filter(|middle| *middle < lines.len())
        .or_else(|| memchr::memrchr(b'\n', &lines[..half]).map(|newline| newline + 1))
}
