//! The full engine: every byte of every record obeys RFC 8259 before anybody sees the record, without a walk over tokens.
//!
//! What goes in: a block of whole records. What comes out, in order: records, each with a tape to find its values on, and bad
//! records. It must never hand out a record that the exact reader would refuse, and never let a bad record change how its
//! neighbours are read.
//!
//! Text is indexed a [`window`] at a time: pass 1 ([`index`]) makes an entry of every byte outside strings that is
//! structural or that its left neighbour does not explain, [`text`] looks at what is not plain ASCII, pass 2
//! ([`depths`]) and pass 3 ([`grammar`]) hold each entry against its neighbours, and [`brackets`] and [`scalars`] settle
//! what neighbours cannot; for the portable kernel [`walk`] takes the place of both passes and the bracket step. None of them
//! branches on what kind of token comes next. Of text with more white space than a
//! space here and there, [`dense`] does what pass 1 does. [`stream`] drives the passes over lines and [`values`] over values
//! back to back; [`recover`] is for what they refuse.

mod brackets;
mod dense;
mod depths;
mod fields;
mod grammar;
mod index;
mod long;
mod lookup;
mod output;
mod pace;
mod passes;
mod plan;
mod recover;
mod scalars;
mod stream;
pub(crate) mod tape;
#[cfg(test)]
mod tests;
mod text;
mod values;
mod walk;
mod window;

use std::ops::ControlFlow;

use self::output::{BadLine, Output, RecordView};
use self::stream::Driver;
use self::tape::Spot;
use super::exact::ExactEngine;
use super::found::FoundFields;
use super::{BadRecord, FieldBuffer, Job, Next, Sink, Summary};
use crate::block::{BlockPlace, Padded};
use crate::format::Format;
use crate::kernel::Kernel;
use crate::padded::Text;
use crate::record::{Record, Span};
use crate::value::{Context, Repr, Value};

/// The engine of [`Validation::Full`](crate::Validation::Full).
pub(crate) struct FullEngine {
    driver: Driver,
    fields: FieldBuffer,
    found: FoundFields,
    /// Reads the formats that the driver does not know.
    exact: ExactEngine,
}

impl FullEngine {
    pub(crate) fn new(job: &Job, kernel: Kernel) -> Self {
        Self {
            driver: Driver::new(job, kernel),
            fields: FieldBuffer::default(),
            found: FoundFields::default(),
            exact: ExactEngine::default(),
        }
    }

    pub(crate) fn run(&mut self, text: Padded<'_>, place: &BlockPlace, job: &Job, sink: &mut impl Sink) -> Summary {
        let context = Context::new(place, job, true);
        let mut bridge =
            Bridge { text, context: &context, job, fields: &mut self.fields, found: &mut self.found, sink };
        match job.format {
            Format::Lines => self.driver.run(text, &mut bridge),
            Format::Concatenated => self.driver.run_values(text, &mut bridge),
            _ => self.exact.run(text, place, job, sink),
        }
    }
}

#[cfg(feature = "internals")]
impl FullEngine {
    /// The entries that pass 1 makes of a block, window by window; `None` if it refuses one.
    pub(crate) fn index_entries(&mut self, block: Padded<'_>) -> Option<usize> {
        use self::{passes::Variant, stream::Cursor, window::WINDOW};
        let text = block.text();
        let mut cursor = Cursor::new(0..text.len());
        let mut entries = 0;
        while cursor.next < text.len() {
            cursor.base = cursor.next;
            self.driver.window.len = 0;
            self.driver.index_text(text, &mut cursor, WINDOW, Variant::default()).ok()?;
            entries += self.driver.window.len;
        }
        Some(entries)
    }
}

/// Makes the library's records of what the driver hands out.
struct Bridge<'x, S> {
    text: Padded<'x>,
    context: &'x Context<'x>,
    job: &'x Job,
    fields: &'x mut FieldBuffer,
    found: &'x mut FoundFields,
    sink: &'x mut S,
}

impl<S: Sink> Bridge<'_, S> {
    #[inline(never)]
    fn record_without_tape(&mut self, text: Text<'_>, span: Span) -> ControlFlow<()> {
        let mut fields = self.fields.lend();
        // The record is valid, so that nothing can be malformed.
        let start = self.found.find(self.context.kernel, text, self.job).unwrap_or_default();
        fields.extend(self.found.values(self.context, text));
        let value = Value::text(self.context, text.from(start));
        let next = self.hand_on(value, &fields, text, span);
        self.fields.keep(fields);
        next
    }

    #[inline(always)]
    fn hand_on(
        &mut self,
        value: Value<'_>,
        fields: &[Option<Value<'_>>],
        text: Text<'_>,
        span: Span,
    ) -> ControlFlow<()> {
        flow(self.sink.record(&Record { value, fields, text, span }))
    }
}

impl<S: Sink> Output for Bridge<'_, S> {
    fn looks(&self) -> bool {
        self.sink.looks() || self.job.gate.is_some()
    }

    fn unseen(&mut self, records: u64) {
        self.sink.unseen(records);
    }

    #[inline(always)]
    fn record(&mut self, view: &RecordView<'_>) -> ControlFlow<()> {
        let text = self.text.part(view.start..view.end);
        // A line of the block before may go on in the first line of this one.
        let column = view.column as u64 + if view.line == 0 { self.context.place.column } else { 0 };
        let span = Span { start: view.start, line: view.line, column };
        let Some((tape, root)) = view.tape else { return self.record_without_tape(text, span) };
        let on_tape = |value| Value { context: self.context, repr: Repr::Tape(Spot::new(tape, value)) };
        let value = on_tape(root);
        // So few fields do without an allocation that outlives the record.
        match *view.fields {
            [] => self.hand_on(value, &[], text, span),
            [a] => self.hand_on(value, &[a.map(on_tape)], text, span),
            [a, b] => self.hand_on(value, &[a.map(on_tape), b.map(on_tape)], text, span),
            [a, b, c] => self.hand_on(value, &[a.map(on_tape), b.map(on_tape), c.map(on_tape)], text, span),
            _ => {
                let mut fields = self.fields.lend();
                fields.extend(view.fields.iter().map(|field| field.map(on_tape)));
                let next = self.hand_on(value, &fields, text, span);
                self.fields.keep(fields);
                next
            }
        }
    }

    fn fault(&mut self, bad: BadLine) -> ControlFlow<()> {
        flow(self.sink.fault(BadRecord { span: bad.start..bad.end, line: bad.line, refusal: bad.refusal }))
    }
}

fn flow(next: Next) -> ControlFlow<()> {
    match next {
        Next::Continue => ControlFlow::Continue(()),
        Next::Stop => ControlFlow::Break(()),
    }
}
