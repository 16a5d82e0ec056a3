//! The window stream: drives the passes over a block.
//!
//! What goes in: a block. What comes out: its complete records, window by window, to the output. Windows are not cut at
//! newlines: each is indexed to its end, the records up to its last newline are complete, and the entries behind go to
//! the front of the next. It must never guess why the passes refuse a window: that is [`super::recover`]'s business.

use super::brackets::DeepStack;
use super::fields::{Finder, Scanned};
use super::output::{Output, RecordView};
use super::pace::{PATIENCE, Pace};
use super::passes::{Passes, Space, Variant};
use super::plan::Plan;
use super::scalars::check_scalars;
use super::tape::{Tape, TapeValue, is_space};
use super::window::{Findings, MANY_NUMBERS, MOST_ENTRIES, Piece, SPAN, STREAM_FRONT, Spacing, WINDOW, Window};
use crate::block::Padded;
use crate::engine::{Job, Summary};
use crate::kernel::tables::{DEPTH_LIMIT, Id};
use crate::kernel::{Kernel, VECTOR};
use crate::padded::Text;
use std::ops::{ControlFlow, Range};

/// How much is indexed at once. All but tests want the default.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Bytes indexed at once.
    pub(super) window: usize,
    /// Bytes that what is left over and what is indexed may cover together.
    pub(super) span: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { window: WINDOW, span: SPAN }
    }
}

impl Sizes {
    /// Other sizes, in vectors of 64 bytes: at least 1, and no more than the default span.
    #[cfg(test)]
    pub(super) fn in_vectors(window: usize, span: usize) -> Self {
        let span = span.clamp(1, SPAN / VECTOR) * VECTOR;
        Self { window: (window.max(1) * VECTOR).min(span), span }
    }
}

/// The passes and all the memory that they need, for one thread.
pub(super) struct Driver {
    pub(super) passes: &'static Passes,
    pub(super) max_depth: usize,
    pub(super) window: Window,
    pub(super) finder: Option<Finder>,
    pub(super) stack: DeepStack,
    edge: Edge,
    pub(super) pace: Pace,
    pub(super) sizes: Sizes,
    /// Whether the output in hand looks at records.
    pub(super) looks: bool,
}

/// Where the stream is in a range of the block.
#[derive(Clone)]
pub(super) struct Cursor {
    /// The whole lines, or values, that are read; its ends count as newlines.
    pub(super) range: Range<usize>,
    /// The offset of place 0: the first byte of the record that is not complete.
    pub(super) base: usize,
    /// The next byte to index.
    pub(super) next: usize,
    /// The end of the text that was last looked at.
    pub(super) seen: usize,
}

impl Cursor {
    /// At the start of whole lines, or of values.
    pub(super) fn new(range: Range<usize>) -> Self {
        Self { base: range.start, next: range.start, seen: range.start, range }
    }
}

/// Why a range was not read to its end.
pub(super) enum Halt {
    /// The output asked to stop.
    Stopped,
    /// The passes refused what lies here: whole lines, or values, the first of which is not yet handed out.
    Refused(Range<usize>),
}

/// The passes have refused a window.
pub(super) struct Refused;

/// A block being read, and what is known of it.
pub(super) struct Run<'a, O> {
    pub(super) text: &'a [u8],
    /// The same, as values hold on to it.
    pub(super) whole: Text<'a>,
    pub(super) output: &'a mut O,
    /// Its `lines` are the newlines before what is handed out next.
    pub(super) summary: Summary,
    /// Where records are not lines: how far newlines are counted, and where the last line began.
    pub(super) counted: usize,
    pub(super) line_start: usize,
}

impl<'a, O> Run<'a, O> {
    pub(super) fn new(block: Padded<'a>, output: &'a mut O) -> Self {
        let (text, whole) = (block.text(), block.whole());
        Self { text, whole, output, summary: Summary::default(), counted: 0, line_start: 0 }
    }

    /// The column of a record that begins at `start`, up to which newlines are counted; lines begin at column 0.
    pub(super) fn column_of(&self, start: usize) -> usize {
        if self.counted == 0 { 0 } else { start - self.line_start }
    }
}

/// Where a window's entries are in the text.
pub(super) struct Placed {
    pub(super) base: usize,
    /// The last entry is a newline that stands in for a missing one.
    pub(super) lacks_newline: bool,
    pub(super) spacing: Spacing,
}

impl Driver {
    /// A driver for all blocks of a job.
    pub(super) fn new(job: &Job, kernel: Kernel) -> Self {
        Self::with_sizes(job, kernel, Sizes::default())
    }

    pub(super) fn with_sizes(job: &Job, kernel: Kernel, sizes: Sizes) -> Self {
        Self {
            passes: Passes::of(kernel),
            max_depth: job.max_depth as usize,
            window: Window::new(),
            finder: Plan::new(&job.projection).map(Finder::new),
            stack: DeepStack::default(),
            edge: Edge::new(),
            pace: Pace::default(),
            sizes,
            looks: true,
        }
    }

    /// Reads a block of whole lines; the last may lack its newline.
    pub(super) fn run<O: Output>(&mut self, block: Padded<'_>, output: &mut O) -> Summary {
        self.looks = output.looks();
        if self.pace.variant.space == Space::Values {
            self.pace.variant = Variant::default();
        }
        let text = block.text();
        let mut run = Run::new(block, output);
        let mut at = 0;
        while at < text.len() {
            let halt = self.read_lines(&mut run, at..text.len());
            let recovered = match halt {
                ControlFlow::Continue(()) => break,
                ControlFlow::Break(Halt::Stopped) => ControlFlow::Break(()),
                ControlFlow::Break(Halt::Refused(lines)) => {
                    at = lines.end;
                    self.recover_window(&mut run, lines)
                }
            };
            if recovered.is_break() {
                run.summary.stopped = true;
                break;
            }
        }
        run.summary
    }

    /// Reads whole lines until the passes refuse something.
    fn read_lines<O: Output>(&mut self, run: &mut Run<'_, O>, range: Range<usize>) -> ControlFlow<Halt> {
        self.window.restart();
        let mut cursor = Cursor::new(range);
        while cursor.next < cursor.range.end {
            let room = if self.pace.is_deep() { 0 } else { self.room(&cursor) };
            if room == 0 {
                self.read_long(run, &mut cursor)?;
                continue;
            }
            let Ok(complete) = self.read_window(run.text, &mut cursor, room) else {
                return ControlFlow::Break(Halt::Refused(refused_lines(run.text, &cursor)));
            };
            if complete > 0 && self.hand_out(run, &self.placed(&cursor, complete), complete).is_break() {
                return ControlFlow::Break(Halt::Stopped);
            }
            self.leave(&mut cursor, complete);
        }
        if cursor.base < cursor.range.end {
            return ControlFlow::Break(Halt::Refused(cursor.base..cursor.range.end));
        }
        ControlFlow::Continue(())
    }

    /// How much may be indexed next: whole vectors, none if the record in hand is too long for a window.
    pub(super) fn room(&self, cursor: &Cursor) -> usize {
        let room = self.sizes.span.saturating_sub(cursor.next - cursor.base) / VECTOR * VECTOR;
        room.min(self.sizes.window)
    }

    /// Indexes the next `len` bytes, or what is left, and validates the records that are complete; gives the number of
    /// their entries. The plainest variant that the text has needed of late is tried, then those that know more.
    pub(super) fn read_window(&mut self, text: &[u8], cursor: &mut Cursor, len: usize) -> Result<usize, Refused> {
        let (held, carries, next) = (self.window.len, self.window.carries, cursor.next);
        let first_try = self.pace.variant;
        let mut complete = self.try_window(text, cursor, len, first_try);
        if !first_try.is_dense() {
            if complete.is_err() && first_try != Variant::BOTH {
                (self.window.len, self.window.carries, cursor.next) = (held, carries, next);
                complete = self.try_window(text, cursor, len, Variant::BOTH);
                if complete.is_ok() {
                    self.pace.variant = Variant::BOTH;
                }
            }
            if complete.is_err() && self.pace.has_met_any_space() {
                (self.window.len, self.window.carries, cursor.next) = (held, carries, next);
                complete = self.try_any_space(text, cursor, len);
            }
        }
        let complete = complete?;
        // Behind a long record, what is left over can hold the last newline.
        let is_all_new = complete > 0 && cursor.base + usize::from(self.window.places[complete - 1]) >= next;
        // White space between values does not end a number for those who pass over it.
        let last = match first_try.space {
            Space::Values => self.window.dense[STREAM_FRONT - 1],
            _ => text[cursor.next - 1],
        };
        self.pace.note(&self.window.findings, is_all_new, last);
        Ok(complete)
    }

    /// Reads a window of lines that the other variants have refused.
    pub(super) fn try_any_space(&mut self, text: &[u8], cursor: &mut Cursor, len: usize) -> Result<usize, Refused> {
        self.window.meet_any_space(&text[cursor.range.start..cursor.next]);
        let complete = self.try_window(text, cursor, len, Variant::ANY)?;
        self.pace.note_any_space();
        Ok(complete)
    }

    fn try_window(&mut self, text: &[u8], cursor: &mut Cursor, len: usize, variant: Variant) -> Result<usize, Refused> {
        self.window.findings = Findings::default();
        self.index_text(text, cursor, len, variant)?;
        if self.window.len > MOST_ENTRIES {
            return Err(Refused);
        }
        let codes = &self.window.codes[..self.window.len];
        let complete = last_newline(codes).map_or(0, |newline| newline + 1);
        self.validate(text, cursor, complete)?;
        Ok(complete)
    }

    /// Pass 1 over the next `len` bytes, or what is left: the first vector of a range and its last from copies, since
    /// what lies beyond the range must count as newlines.
    pub(super) fn index_text(
        &mut self,
        text: &[u8],
        cursor: &mut Cursor,
        len: usize,
        variant: Variant,
    ) -> Result<(), Refused> {
        let range = cursor.range.clone();
        let is_last = range.end - cursor.next <= len;
        let end = if is_last { range.end } else { cursor.next + len };
        cursor.seen = end;
        if cursor.next == range.start && !(is_last && end - cursor.next <= VECTOR) {
            self.edge.copy(text, &range, cursor.next);
            self.index_piece(self.edge.piece(cursor.next - cursor.base, 1), variant, true)?;
            cursor.next += VECTOR;
        }
        let whole = if is_last { (end - cursor.next - 1) / VECTOR } else { (end - cursor.next) / VECTOR };
        if whole > 0 {
            let piece = Piece { text: &raw const text[cursor.next], place: cursor.next - cursor.base, vectors: whole };
            self.index_piece(piece, variant, self.pace.crowded > 0)?;
            cursor.next += whole * VECTOR;
        }
        if is_last {
            self.index_tail(text, cursor, variant)?;
        }
        Ok(())
    }

    /// Indexes the last 1 to 64 bytes of a range, and a newline behind it if it has none.
    fn index_tail(&mut self, text: &[u8], cursor: &mut Cursor, variant: Variant) -> Result<(), Refused> {
        let end = cursor.range.end;
        let lacks_newline = text[end - 1] != b'\n' && variant.space != Space::Values;
        let vectors = if lacks_newline && end - cursor.next == VECTOR { 2 } else { 1 };
        self.edge.copy(text, &cursor.range, cursor.next);
        self.index_piece(self.edge.piece(cursor.next - cursor.base, vectors), variant, true)?;
        cursor.next = end;
        let last_place = end - cursor.base - usize::from(!lacks_newline);
        while self.window.len > 0 && usize::from(self.window.places[self.window.len - 1]) > last_place {
            self.window.len -= 1;
        }
        Ok(())
    }

    /// Pass 1 and the checks of listed text over one piece.
    fn index_piece(&mut self, piece: Piece, variant: Variant, many: bool) -> Result<(), Refused> {
        let window = &mut self.window;
        let before = (window.len, window.carries, window.findings);
        // SAFETY: pieces are within the text or a copy of its edges: both are readable 64 bytes before and two vectors
        // behind. Places stay within the window's span, since no more is indexed than there is room for.
        unsafe { self.passes.index(variant, many, window, piece) };
        if window.findings.crowded {
            (window.len, window.carries, window.findings) = before;
            self.pace.crowded = PATIENCE;
            // SAFETY: it is the same piece again, and entries and carries are as they were before it.
            unsafe { self.passes.index(variant, true, window, piece) };
        }
        // SAFETY: the piece, which is readable as far as for pass 1, is the one just indexed.
        unsafe { self.passes.check_text(variant)(window, piece) };
        if window.findings.fault == 0 { Ok(()) } else { Err(Refused) }
    }

    /// The passes over the first `complete` entries, which are whole records.
    fn validate(&mut self, text: &[u8], cursor: &Cursor, complete: usize) -> Result<(), Refused> {
        let window = &mut self.window;
        let limit = self.max_depth.min(usize::from(DEPTH_LIMIT)) as u8;
        // SAFETY: `complete` entries exist.
        unsafe { self.passes.check_grammar(window, complete, limit, self.looks) };
        if window.findings.fault != 0 {
            return Err(Refused);
        }
        self.check_scalars(text, cursor)
    }

    pub(super) fn check_scalars(&mut self, text: &[u8], cursor: &Cursor) -> Result<(), Refused> {
        let base = cursor.base - cursor.range.start;
        // SAFETY: the block is readable 64 bytes before and 256 behind, and the range is within it.
        let read_whole = unsafe { check_scalars(&self.window, &text[cursor.range.clone()], base) };
        self.window.findings.floats |= read_whole.ok_or(Refused)? > MANY_NUMBERS;
        Ok(())
    }

    /// Goes on to the next window: what is behind the complete records stays.
    pub(super) fn leave(&mut self, cursor: &mut Cursor, complete: usize) {
        if complete > 0 {
            let shift = usize::from(self.window.places[complete - 1]) + 1;
            self.window.keep_from(complete, shift);
            cursor.base += shift;
        }
    }

    /// Where the first `complete` entries, of lines, are in the text.
    pub(super) fn placed(&self, cursor: &Cursor, complete: usize) -> Placed {
        let last_newline = cursor.base + usize::from(self.window.places[complete - 1]);
        Placed { base: cursor.base, lacks_newline: last_newline == cursor.range.end, spacing: self.pace.spacing }
    }

    /// Hands the lines of the first `complete` entries, at least one, to the output.
    pub(super) fn hand_out<O: Output>(
        &mut self,
        run: &mut Run<'_, O>,
        placed: &Placed,
        complete: usize,
    ) -> ControlFlow<()> {
        if self.looks {
            let tape = self.window.tape(run.whole, placed, self.pace.escaped_keys, complete);
            let mut by_columns = false;
            if let Some(finder) = &mut self.finder
                && finder.has_columns(&tape, self.window.newlines_len)
            {
                by_columns = true;
                // SAFETY: the entries are validated.
                unsafe { (self.passes.find_columns)(finder, &tape) };
            }
            let mut start = placed.base;
            let mut entry = 0;
            for &newline in &self.window.newlines[..self.window.newlines_len] {
                let end = tape.offset(usize::from(newline));
                if let Some(value) = value_start(&run.text[start..end]) {
                    let root = TapeValue { start: start + value, entry };
                    let behind = usize::from(newline);
                    let fields = find_fields(self.passes, &mut self.finder, &tape, root, by_columns.then_some(behind));
                    let line = run.summary.lines;
                    run.output.record(&RecordView {
                        start,
                        end,
                        line,
                        column: 0,
                        tape: Some((&tape, root)),
                        fields,
                    })?;
                } else {
                    run.summary.blank += 1;
                }
                run.summary.lines += 1;
                start = end + 1;
                entry = u32::from(newline) + 1;
            }
        } else {
            run.summary.lines += self.window.newline_count;
            run.summary.blank += self.window.blank_count;
            run.output.unseen(self.window.newline_count - self.window.blank_count);
        }
        run.summary.lines -= u64::from(placed.lacks_newline);
        ControlFlow::Continue(())
    }
}

/// Where the value of a valid line starts, if the line is not blank.
fn value_start(line: &[u8]) -> Option<usize> {
    match line.first() {
        Some(first) if !is_space(*first) => Some(0),
        _ => line.iter().position(|byte| !is_space(*byte)),
    }
}

/// The fields of a record on the tape, if any are asked for: by columns, if these are found, up to the record's end.
pub(super) fn find_fields<'f>(
    passes: &Passes,
    finder: &'f mut Option<Finder>,
    tape: &Tape<'_>,
    root: TapeValue,
    end_in_columns: Option<usize>,
) -> &'f [Option<TapeValue>] {
    let Some(finder) = finder else { return &[] };
    if end_in_columns.is_none_or(|end| !finder.next_of_columns(tape, root, end)) {
        // SAFETY: whoever has a tape has validated its entries.
        unsafe { (passes.find_fields)(finder, &Scanned { tape, root }) };
    }
    &finder.found
}

/// The whole lines at which the passes have refused: from the record that is not complete to the last newline of what
/// was indexed, or the next one. Raw newlines count, since a quote that is not closed must not hide them.
pub(super) fn refused_lines(text: &[u8], cursor: &Cursor) -> Range<usize> {
    let range = &cursor.range;
    let seen = cursor.seen;
    let end = match memchr::memrchr(b'\n', &text[cursor.base..seen]) {
        Some(newline) => cursor.base + newline + 1,
        None => memchr::memchr(b'\n', &text[seen..range.end]).map_or(range.end, |newline| seen + newline + 1),
    };
    cursor.base..end
}

/// The last newline among the codes.
fn last_newline(codes: &[u8]) -> Option<usize> {
    const WORD: usize = 8;
    let is_newline = |code: &u8| code >> 4 & 7 == Id::Newline as u8;
    let mut end = codes.len();
    while let Some(word) = codes[..end].last_chunk::<WORD>() {
        let word = u64::from_le_bytes(*word);
        // A newline's id has all of the bits 4 to 6.
        if word & word << 1 & word << 2 & 0x4040_4040_4040_4040 != 0 {
            break;
        }
        end -= WORD;
    }
    codes[..end].iter().rposition(is_newline)
}

/// A copy of the text around an edge of a range, with newlines for what is beyond the range.
pub(super) struct Edge {
    bytes: Box<[u8; Self::LEN]>,
}

impl Edge {
    /// A vector before, two to index, two behind.
    const LEN: usize = 5 * VECTOR;

    fn new() -> Self {
        Self { bytes: Box::new([b'\n'; Self::LEN]) }
    }

    /// Copies what is around `at`, which becomes the start of the second vector.
    fn copy(&mut self, text: &[u8], range: &Range<usize>, at: usize) {
        let from = at.saturating_sub(VECTOR).max(range.start);
        let to = range.end.min(at + 4 * VECTOR);
        let shift = VECTOR + from - at;
        self.bytes.fill(b'\n');
        self.bytes[shift..shift + (to - from)].copy_from_slice(&text[from..to]);
    }

    fn piece(&self, place: usize, vectors: usize) -> Piece {
        Piece { text: &raw const self.bytes[VECTOR], place, vectors }
    }
}

impl Window {
    /// The tape of the first `complete` entries.
    pub(super) fn tape<'t>(&'t self, text: Text<'t>, placed: &Placed, escaped_keys: bool, complete: usize) -> Tape<'t> {
        Tape {
            text,
            base: placed.base,
            len: complete,
            codes: &self.codes,
            places: &self.places,
            kept: &self.kept,
            escaped_keys,
            spacing: placed.spacing,
        }
    }

    /// Empties the structural stream; a record begins as if behind a newline.
    pub(super) fn begin_stream(&mut self) {
        self.structural_len = 0;
        self.structural[STREAM_FRONT - 1] = (Id::Newline as u8) << 4;
    }

    /// Marks the end of the structural stream: what is behind it is nothing.
    pub(super) fn end_stream(&mut self) {
        self.structural[STREAM_FRONT + self.structural_len..][..2].fill(0);
    }
}
