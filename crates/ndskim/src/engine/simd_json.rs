//! The simd-json engine: a newline split with memchr, simd-json's tape for each record with reused buffers.
//!
//! This is the design that the field takes for granted: it is here as an independent second opinion on what is valid and what
//! a record says, and as the baseline that faster engines are measured against. simd-json changes the text that it reads and
//! refuses some valid JSON; so it gets a copy, and what it refuses goes to the exact reader.

pub(crate) mod tape;

use simd_json::{Buffers, INPUT_PADDING, Tape, fill_tape_padded};

use self::tape::{Node, RecordTape};
use super::exact::{bad_record, read};
use super::found::FoundFields;
use super::{FieldBuffer, Job, Next, Sink, Summary};
use crate::block::{BlockPlace, Padded};
use crate::format::each_record;
use crate::padded::Text;
use crate::record::{Record, Span};
use crate::value::{Context, Repr, Value};

pub(crate) struct SimdJsonEngine {
    copy: Vec<u8>,
    buffers: Buffers,
    tape: Tape<'static>,
    fields: FieldBuffer,
    found: FoundFields,
}

impl Default for SimdJsonEngine {
    fn default() -> Self {
        Self {
            copy: Vec::new(),
            buffers: Buffers::default(),
            tape: Tape::null(),
            fields: FieldBuffer::default(),
            found: FoundFields::default(),
        }
    }
}

impl SimdJsonEngine {
    pub(crate) fn run(&mut self, text: Padded<'_>, place: &BlockPlace, job: &Job, sink: &mut impl Sink) -> Summary {
        let context = Context::new(place, job, true);
        let mut exact = 0;
        let summary = each_record(job.format, text, place, |record, span| {
            let record = match record {
                Ok(record) => record,
                Err(bad) => return sink.fault(bad),
            };
            match self.parsed(record, span, job, &context, sink) {
                Some(next) => next,
                None => self.unparsed(record, span, job, &context, sink, &mut exact),
            }
        });
        Summary { exact, ..summary }
    }

    /// Hands on a record as simd-json reads it; `None` if it refuses.
    fn parsed(
        &mut self,
        record: Text<'_>,
        span: Span,
        job: &Job,
        context: &Context<'_>,
        sink: &mut impl Sink,
    ) -> Option<Next> {
        self.copy.clear();
        self.copy.extend_from_slice(&record);
        self.copy.resize(record.len() + INPUT_PADDING, b' ');
        let mut tape = std::mem::replace(&mut self.tape, Tape(Vec::new())).reset();
        let read = fill_tape_padded(&mut self.copy, record.len(), &mut self.buffers, &mut tape);
        let next = read.ok().and_then(|()| {
            let tape = RecordTape { nodes: &tape.0, record };
            let root = Node::root(&tape);
            // simd-json knows no limit on depth; few records have enough brackets to need a look.
            if tape.nodes.len() > job.max_depth as usize && root.depth() > job.max_depth {
                return None;
            }
            let value = Value { context, repr: Repr::Node(root) };
            let mut fields = self.fields.lend();
            fields.extend(job.projection.pointers().iter().map(|pointer| value.pointer(pointer).unwrap_or_default()));
            let next = sink.record(&Record { value, fields: &fields, text: record, span });
            self.fields.keep(fields);
            Some(next)
        });
        self.tape = tape.reset();
        next
    }

    /// Lets the exact reader decide about a record that simd-json refused.
    #[cold]
    fn unparsed(
        &mut self,
        record: Text<'_>,
        span: Span,
        job: &Job,
        context: &Context<'_>,
        sink: &mut impl Sink,
        exact: &mut u64,
    ) -> Next {
        match read(context.kernel, record, job, &mut self.found) {
            Err(refusal) => sink.fault(bad_record(&record, span, refusal)),
            Ok(start) => {
                *exact += 1;
                let mut fields = self.fields.lend();
                fields.extend(self.found.values(context, record));
                let value = Value::text(context, record.from(start));
                let next = sink.record(&Record { value, fields: &fields, text: record, span });
                self.fields.keep(fields);
                next
            }
        }
    }
}
