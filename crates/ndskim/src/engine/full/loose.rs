//! The general way: white space that pass 1 does not know, and records that are not lines.
//!
//! What goes in: lines, or values back to back. What comes out: their records, validated on a copy without white space and
//! handed out with their places in the text. It must never take for one record what the format says are two: where brackets do
//! not tell the records apart, [`next_span`] does.

use std::ops::{ControlFlow, Range};

use super::output::{Output, RecordView};
use super::pace::PATIENCE;
use super::squeeze::{Between, MOST, Squeezed};
use super::stream::{Cursor, Driver, Halt, Placed, Refused, Run, find_fields};
use super::tape::{Spacing, TapeValue, is_space};
use super::window::SPAN;
use crate::block::Padded;
use crate::engine::Summary;
use crate::format::concatenated::next_span;

/// The most windows of lines that are read the general way before the fast way is tried again.
const MOST_PATIENCE: u32 = 32 * PATIENCE;

impl Driver {
    /// Reads whole lines the general way for as long as that is thought to be needed; gives what is left of them.
    pub(super) fn read_loose_lines<O: Output>(
        &mut self,
        run: &mut Run<'_, O>,
        range: Range<usize>,
    ) -> ControlFlow<Halt, Range<usize>> {
        let Range { mut start, end } = range;
        while self.pace.loose > 0 && start < end {
            self.pace.loose -= 1;
            let most = end.min(start + MOST);
            let lines = if most == end {
                start..end
            } else {
                match memchr::memrchr(b'\n', &run.text[start..most]) {
                    Some(newline) => start..start + newline + 1,
                    None => break,
                }
            };
            match self.read_loose(run, lines.clone()) {
                ControlFlow::Continue(true) => start = lines.end,
                ControlFlow::Continue(false) => return ControlFlow::Break(Halt::Refused(lines)),
                ControlFlow::Break(()) => return ControlFlow::Break(Halt::Stopped),
            }
        }
        ControlFlow::Continue(start..end)
    }

    /// Reads lines the general way, if they fit a window; false if they are not all valid. If they are, more of their kind
    /// are expected.
    pub(super) fn read_loose<O: Output>(&mut self, run: &mut Run<'_, O>, lines: Range<usize>) -> ControlFlow<(), bool> {
        let lacks_newline = run.text[lines.clone()].last() != Some(&b'\n');
        let Ok((complete, _)) = self.read_squeezed(run.text, lines.clone(), Between::Newlines) else {
            return ControlFlow::Continue(false);
        };
        if self.pace.loose == 0 {
            self.pace.loose_for = (2 * self.pace.loose_for).clamp(PATIENCE, MOST_PATIENCE);
            self.pace.loose = self.pace.loose_for;
        }
        let placed = Placed { base: lines.start, lacks_newline, spacing: Spacing::Any };
        self.hand_out(run, &placed, complete)?;
        ControlFlow::Continue(true)
    }

    /// Validates whole records, or as many as fit a window, on a copy without white space; gives the number of their
    /// entries, whose places are in the text again if anybody looks at them, and how much text that is.
    fn read_squeezed(&mut self, text: &[u8], range: Range<usize>, between: Between) -> Result<(usize, usize), Refused> {
        let len = match between {
            Between::Brackets => range.len().min(MOST),
            _ if range.len() > MOST => return Err(Refused),
            _ => range.len(),
        };
        let mut squeezed = self.squeezed.take().unwrap_or_else(|| Box::new(Squeezed::new()));
        // SAFETY: the block is readable for a vector and more behind the range.
        let is_separable = unsafe { (self.passes.squeeze)(&mut squeezed, text[range].as_ptr(), len, between) };
        let complete = if is_separable { self.read_copy(&squeezed) } else { Err(Refused) };
        if complete.is_ok() && self.looks {
            // SAFETY: the entries are of this copy.
            unsafe { (self.passes.unsqueeze)(&mut squeezed, &mut self.window) };
        }
        let source_len = squeezed.source_len();
        self.squeezed = Some(squeezed);
        Ok((complete?, source_len))
    }

    /// The passes over a copy, all at once.
    fn read_copy(&mut self, squeezed: &Squeezed) -> Result<usize, Refused> {
        self.window.restart();
        let mut cursor = Cursor::new(0..squeezed.text().len());
        let complete = self.read_window(squeezed.text(), &mut cursor, SPAN)?;
        if complete == self.window.len && self.window.carries.in_string == 0 { Ok(complete) } else { Err(Refused) }
    }

    /// Reads a block of values back to back.
    pub(super) fn run_values<O: Output>(&mut self, block: Padded<'_>, output: &mut O) -> Summary {
        self.looks = output.looks();
        let text = block.text();
        let mut run = Run::new(block, output);
        let mut at = 0;
        while at < text.len() {
            let flow = match self.read_squeezed(text, at..text.len(), Between::Brackets) {
                Ok((complete, source_len)) => {
                    let values = at..at + source_len;
                    at = values.end;
                    self.hand_out_values(&mut run, values, Spacing::Any, complete)
                }
                Err(Refused) => self.read_one_by_one(&mut run, &mut at),
            };
            if flow.is_break() {
                run.summary.stopped = true;
                return run.summary;
            }
        }
        run.count_to(text.len());
        run.summary
    }

    /// Hands the values of the first `complete` entries to the output.
    fn hand_out_values<O: Output>(
        &mut self,
        run: &mut Run<'_, O>,
        values: Range<usize>,
        spacing: Spacing,
        complete: usize,
    ) -> ControlFlow<()> {
        if !self.looks {
            run.output.unseen(self.window.newline_count);
            return ControlFlow::Continue(());
        }
        let placed = Placed { base: values.start, lacks_newline: false, spacing };
        let tape = self.window.tape(run.whole, &placed, self.pace.escaped_keys, complete);
        let (mut behind, mut entry) = (values.start, 0);
        for &newline in &self.window.newlines[..self.window.newlines_len] {
            let end = tape.offset(usize::from(newline));
            let space = run.text[behind..end].iter().take_while(|byte| is_space(**byte)).count();
            let start = behind + space;
            run.count_to(start);
            let root = TapeValue { start, entry };
            let fields = find_fields(self.passes, &mut self.finder, &tape, root, None);
            let (line, column) = (run.summary.lines, start - run.line_start);
            // What stands in for the newline of the last value may be behind white space.
            let blanks = run.text[start..end].iter().rev().take_while(|byte| is_space(**byte)).count();
            let end = end - blanks;
            run.output.record(&RecordView { start, end, line, column, tape: Some((&tape, root)), fields })?;
            (behind, entry) = (end, u32::from(newline) + 1);
        }
        ControlFlow::Continue(())
    }

    /// Reads the values of a window's length of text one by one: each by the passes, and what they refuse exactly.
    fn read_one_by_one<O: Output>(&mut self, run: &mut Run<'_, O>, at: &mut usize) -> ControlFlow<()> {
        let stop = run.text.len().min(*at + MOST);
        while *at < stop {
            let Some(span) = next_span(run.text, *at) else {
                *at = run.text.len();
                break;
            };
            *at = span.end;
            match self.read_squeezed(run.text, span.clone(), Between::Nothing) {
                Ok((complete, _)) if self.window.newline_count == 1 && self.window.blank_count == 0 => {
                    self.hand_out_values(run, span, Spacing::Any, complete)?;
                }
                _ => {
                    run.count_to(span.start);
                    self.read_exactly(run, span)?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl<O> Run<'_, O> {
    /// Counts newlines up to an offset, where records are not lines.
    fn count_to(&mut self, to: usize) {
        let between = &self.text[self.counted..to];
        self.summary.lines += memchr::memchr_iter(b'\n', between).count() as u64;
        if let Some(newline) = memchr::memrchr(b'\n', between) {
            self.line_start = self.counted + newline + 1;
        }
        self.counted = to;
    }
}
