//! Values back to back: records that are not lines.
//!
//! What goes in: a block of values. What comes out: its records, found and validated by the same passes as lines, whose ends
//! pass 1 marks by their brackets. It must never take for one record what the format says are two: where the passes refuse
//! something, [`next_span`] tells the records apart.

use std::ops::{ControlFlow, Range};

use super::output::{Output, RecordView};
use super::passes::{Space, Variant};
use super::recover::{MOST, may_have_no_tape};
use super::stream::{Cursor, Driver, Halt, Placed, Refused, Run, find_fields};
use super::tape::{TapeValue, is_space};
use crate::block::Padded;
use crate::engine::Summary;
use crate::format::concatenated::next_span;

/// The least text that is read value by value once the passes have refused a second time.
const LEAST_ALONE: usize = 256;

impl Driver {
    /// Reads a block of values back to back.
    pub(super) fn run_values<O: Output>(&mut self, block: Padded<'_>, output: &mut O) -> Summary {
        self.looks = output.looks();
        if self.pace.variant.space != Space::Values {
            self.pace.variant = Variant { floats: false, space: Space::Values };
        }
        let text = block.text();
        let mut run = Run::new(block, output);
        let (mut at, mut alone) = (0, 0);
        while at < text.len() {
            let before = at;
            let halt = self.read_values(&mut run, at..text.len());
            let recovered = match halt {
                ControlFlow::Continue(()) => break,
                ControlFlow::Break(Halt::Stopped) => ControlFlow::Break(()),
                ControlFlow::Break(Halt::Refused(values)) => {
                    at = values.start;
                    // Where the passes keep refusing, they are asked ever less often.
                    alone = if at - before > MOST { 0 } else { (2 * alone).clamp(LEAST_ALONE, MOST) };
                    self.read_one_by_one(&mut run, &mut at, alone)
                }
            };
            if recovered.is_break() {
                run.summary.stopped = true;
                return run.summary;
            }
        }
        run.count_to(text.len());
        run.summary
    }

    /// Reads values until the passes refuse something.
    fn read_values<O: Output>(&mut self, run: &mut Run<'_, O>, range: Range<usize>) -> ControlFlow<Halt> {
        self.window.restart();
        let mut cursor = Cursor::new(range);
        while cursor.next < cursor.range.end {
            let base = cursor.base;
            let refused = || ControlFlow::Break(Halt::Refused(base..run.text.len()));
            let room = self.room(&cursor);
            let handed = if room == 0 {
                let Ok(end) = self.validate_long(run.text, &mut cursor, Variant::VALUES) else { return refused() };
                self.hand_out_long_value(run, base..end + 1)
            } else {
                let Ok(complete) = self.read_window(run.text, &mut cursor, room) else { return refused() };
                let handed = self.hand_out_values(run, &cursor, complete);
                self.leave(&mut cursor, complete);
                handed
            };
            if handed.is_break() {
                return ControlFlow::Break(Halt::Stopped);
            }
        }
        if self.window.carries.depth > 0 || self.window.len > 0 {
            return ControlFlow::Break(Halt::Refused(cursor.base..cursor.range.end));
        }
        ControlFlow::Continue(())
    }

    /// Hands the values of the first `complete` entries to the output.
    fn hand_out_values<O: Output>(
        &mut self,
        run: &mut Run<'_, O>,
        cursor: &Cursor,
        complete: usize,
    ) -> ControlFlow<()> {
        if !self.looks {
            run.output.unseen(self.window.newline_count);
            return ControlFlow::Continue(());
        }
        let placed = Placed { base: cursor.base, lacks_newline: false, spacing: self.pace.spacing };
        let tape = self.window.tape(run.whole, &placed, self.pace.escaped_keys, complete);
        let (mut behind, mut entry) = (cursor.base, 0);
        for &newline in &self.window.newlines[..self.window.newlines_len] {
            // What stands in for a newline has the place of the closing bracket.
            let end = tape.offset(usize::from(newline)) + 1;
            let start = skip_space(run.text, behind);
            run.count_to(start);
            let root = TapeValue { start, entry };
            let fields = find_fields(self.passes, &mut self.finder, &tape, root, None);
            let (line, column) = (run.summary.lines, start - run.line_start);
            run.output.record(&RecordView { start, end, line, column, tape: Some((&tape, root)), fields })?;
            (behind, entry) = (end, u32::from(newline) + 1);
        }
        ControlFlow::Continue(())
    }

    /// Hands out a valid value that has no tape; white space may stand before it.
    fn hand_out_long_value<O: Output>(&mut self, run: &mut Run<'_, O>, value: Range<usize>) -> ControlFlow<()> {
        let start = skip_space(run.text, value.start);
        run.count_to(start);
        self.hand_out_bare(run, start..value.end)
    }

    /// Reads one value, and on for some length of text, one by one: each by the passes, and what they refuse exactly.
    fn read_one_by_one<O: Output>(&mut self, run: &mut Run<'_, O>, at: &mut usize, len: usize) -> ControlFlow<()> {
        let stop = run.text.len().min(*at + len.max(1));
        while *at < stop {
            let Some(span) = next_span(run.text, *at) else {
                *at = run.text.len();
                break;
            };
            *at = span.end;
            let is_container = matches!(run.text[span.start], b'{' | b'[');
            let read = if is_container { self.read_at_once(run.text, span.clone()) } else { Err(Refused) };
            match read {
                Ok((cursor, complete)) if self.window.newline_count == 1 => {
                    self.hand_out_values(run, &cursor, complete)?;
                }
                _ if is_container
                    && may_have_no_tape(&run.text[span.clone()])
                    && self.is_valid_alone(run.text, &span, Variant::VALUES) =>
                {
                    self.hand_out_long_value(run, span)?
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

fn skip_space(text: &[u8], from: usize) -> usize {
    from + text[from..].iter().take_while(|byte| is_space(**byte)).count()
}

impl<O> Run<'_, O> {
    /// Counts newlines up to an offset, where records are not lines.
    fn count_to(&mut self, to: usize) {
        let between = &self.text[self.counted..to];
        self.summary.lines += bytecount::count(between, b'\n') as u64;
        if let Some(newline) = memchr::memrchr(b'\n', between) {
            self.line_start = self.counted + newline + 1;
        }
        self.counted = to;
    }
}
