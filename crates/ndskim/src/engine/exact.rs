//! The exact engine: record by record, the exact reader in full mode, skimming for the fields.
//!
//! It is slow and plain. Faster engines are tested against it.

use super::{BadRecord, FieldBuffer, Job, Sink, Summary, Validation, explain, value_start};
use crate::block::{BlockPlace, Padded};
use crate::fault::Refusal;
use crate::format::each_record;
use crate::record::{Record, Span};
use crate::value::{Context, Value};
use crate::{exact, skim};

#[derive(Default)]
pub(crate) struct ExactEngine {
    offsets: Vec<Option<usize>>,
    fields: FieldBuffer,
}

impl ExactEngine {
    pub(crate) fn run(&mut self, text: Padded<'_>, place: &BlockPlace, job: &Job, sink: &mut impl Sink) -> Summary {
        let context = Context::new(place, job.validation == Validation::Full, job.max_depth);
        let mut fields = self.fields.lend();
        let offsets = &mut self.offsets;
        let summary = each_record(job.format, text, place, |record, span| match read(record, job, offsets) {
            Ok(start) => {
                fields.clear();
                fields.extend(offsets.iter().map(|offset| offset.map(|at| Value::text(&context, &record[at..]))));
                let value = Value::text(&context, &record[start..]);
                sink.record(Record { value, fields: &fields, text: record, span })
            }
            Err(refusal) => sink.fault(bad_record(record, span, refusal)),
        });
        self.fields.keep(fields);
        summary
    }
}

pub(super) fn bad_record(record: &[u8], span: Span, refusal: Refusal) -> BadRecord {
    BadRecord { span: span.start..span.start + record.len(), line: span.line, refusal }
}

/// Checks a record as far as the job asks and finds its fields; tells where its value begins.
pub(super) fn read(record: &[u8], job: &Job, offsets: &mut Vec<Option<usize>>) -> Result<usize, Refusal> {
    if job.validation == Validation::Full {
        exact::validate_record(record, job.max_depth)?;
    }
    offsets.clear();
    offsets.resize(job.projection.len(), None);
    let found = value_start(record).filter(|&start| skim::find_fields(record, start, &job.projection, offsets).is_ok());
    found.ok_or_else(|| explain(record, job.max_depth))
}
