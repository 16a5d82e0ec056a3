//! Records that are longer than a window, or too deep for a tape.
//!
//! What goes in: a record whose first entries may be indexed already. What comes out: whether it is valid, and where it ends.
//! It must never need more memory than a window's, however long the record is: so such a record has no tape.

use std::ops::{ControlFlow, Range};

use super::output::{Output, RecordView};
use super::passes::{Space, Variant};
use super::stream::{Cursor, Driver, Halt, Refused, Run, refused_lines};
use super::window::{Findings, MOST_ENTRIES, STREAM_FRONT, Window};
use crate::kernel::tables::{DEPTH_LIMIT, Id};

impl Driver {
    /// Reads on in a record that is longer than a window's span, up to its newline.
    pub(super) fn read_long<O: Output>(&mut self, run: &mut Run<'_, O>, cursor: &mut Cursor) -> ControlFlow<Halt> {
        let start = cursor.base;
        match self.validate_long(run.text, cursor, self.long_variant()) {
            Ok(end) if self.window.blank_count > 0 => {
                run.summary.blank += 1;
                run.summary.lines += u64::from(end < cursor.range.end);
                ControlFlow::Continue(())
            }
            Ok(end) => {
                let stopped = self.hand_out_bare(run, start..end).is_break();
                run.summary.lines += u64::from(end < cursor.range.end);
                if stopped { ControlFlow::Break(Halt::Stopped) } else { ControlFlow::Continue(()) }
            }
            Err(Refused) => {
                let lines = refused_lines(run.text, cursor);
                ControlFlow::Break(Halt::Refused(start..lines.end))
            }
        }
    }

    /// The variant of pass 1 for lines that are longer than a window.
    fn long_variant(&self) -> Variant {
        if self.pace.variant.space == Space::Any { Variant::ANY } else { Variant::BOTH }
    }

    /// Hands out a valid record that has no tape.
    pub(super) fn hand_out_bare<O: Output>(&mut self, run: &mut Run<'_, O>, record: Range<usize>) -> ControlFlow<()> {
        if !self.looks {
            run.output.unseen(1);
            return ControlFlow::Continue(());
        }
        let line = run.summary.lines;
        run.output.record(&RecordView {
            start: record.start,
            end: record.end,
            line,
            column: run.column_of(record.start),
            tape: None,
            fields: &[],
        })
    }

    /// Validates the record that begins at `cursor.base`, whose first entries are indexed, window by window, the others by a
    /// variant; gives the offset of its newline, or of what stands in for one. What is behind it stays indexed.
    ///
    /// The structural stream goes on from window to window, with one code done and two not yet done at its front, since
    /// those are the neighbours that pass 3 asks for. Places are needed only within a window.
    pub(super) fn validate_long(
        &mut self,
        text: &[u8],
        cursor: &mut Cursor,
        variant: Variant,
    ) -> Result<usize, Refused> {
        self.stack.clear();
        self.window.blank_count = 0;
        self.window.begin_stream();
        loop {
            let codes = &self.window.codes[..self.window.len];
            let newline = codes.iter().position(|code| code >> 4 & 7 == Id::Newline as u8);
            let entries = newline.map_or(self.window.len, |newline| newline + 1);
            // SAFETY: so many entries exist.
            unsafe { (self.passes.depths_ignored)(&mut self.window, entries, DEPTH_LIMIT) };
            self.check_scalars(text, cursor)?;
            let ready = if newline.is_some() {
                self.window.end_stream();
                self.window.structural_len
            } else {
                self.window.structural_len.saturating_sub(2)
            };
            // SAFETY: so many codes exist.
            unsafe { (self.passes.grammar)(&mut self.window, ready) };
            if self.window.findings.fault != 0 || !self.stack.match_all(&self.window, self.max_depth) {
                return Err(Refused);
            }
            if let Some(newline) = newline {
                self.pace.escaped_keys_left |= self.window.findings.escaped_keys;
                self.pace.spacing_left = self.pace.spacing_left.max(self.window.findings.spacing);
                let end = cursor.base + usize::from(self.window.places[newline]);
                self.leave(cursor, newline + 1);
                return Ok(end);
            }
            self.window.advance_stream(ready);
            self.window.len = 0;
            cursor.base = cursor.next;
            if cursor.next == cursor.range.end {
                return Err(Refused);
            }
            self.window.findings = Findings::default();
            self.pace.variant = variant;
            self.index_text(text, cursor, self.sizes.window, variant)?;
            if self.window.len > MOST_ENTRIES {
                return Err(Refused);
            }
        }
    }
}

impl Window {
    /// Moves the structural stream forward by `done` codes; the last of them stays in front.
    fn advance_stream(&mut self, done: usize) {
        let front = STREAM_FRONT - 1;
        self.structural.copy_within(front + done..front + 1 + self.structural_len, front);
        self.structural_len -= done;
    }
}
