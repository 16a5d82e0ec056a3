//! The exact engine: record by record, the exact reader, then skimming for the fields.
//!
//! It is slow and plain. Faster engines are tested against it.

use super::found::FoundFields;
use super::{BadRecord, FieldBuffer, Job, Sink, Summary, explain};
use crate::block::{BlockPlace, Padded};
use crate::exact;
use crate::fault::Refusal;
use crate::format::each_record;
use crate::kernel::Kernel;
use crate::padded::Text;
use crate::record::{Record, Span};
use crate::value::{Context, Value};

#[derive(Default)]
pub(crate) struct ExactEngine {
    found: FoundFields,
    fields: FieldBuffer,
}

impl ExactEngine {
    pub(crate) fn run(&mut self, text: Padded<'_>, place: &BlockPlace, job: &Job, sink: &mut impl Sink) -> Summary {
        let context = Context::new(place, job, true);
        let mut fields = self.fields.lend();
        let found = &mut self.found;
        let summary = each_record(job.format, text, place, |record, span| {
            let record = match record {
                Ok(record) => record,
                Err(bad) => return sink.fault(bad),
            };
            match read(context.kernel, record, job, found) {
                Ok(start) => {
                    fields.clear();
                    fields.extend(found.values(&context, record));
                    let value = Value::text(&context, record.from(start));
                    sink.record(&Record { value, fields: &fields, text: record, span })
                }
                Err(refusal) => sink.fault(bad_record(&record, span, refusal)),
            }
        });
        self.fields.keep(fields);
        summary
    }
}

pub(super) fn bad_record(record: &[u8], span: Span, refusal: Refusal) -> BadRecord {
    BadRecord { span: span.start..span.start + record.len(), line: span.line, refusal }
}

/// Checks a record and finds its fields; tells where its value begins.
pub(super) fn read(kernel: Kernel, record: Text<'_>, job: &Job, found: &mut FoundFields) -> Result<usize, Refusal> {
    exact::validate_record(&record, job.max_depth)?;
    found.find(kernel, record, job).ok_or_else(|| explain(&record, job.max_depth))
}
