//! The exact engine: record by record, the exact reader in full mode, skimming for the fields.
//!
//! It is slow and plain. Faster engines are tested against it.

use super::{BadRecord, FieldBuffer, Job, Sink, Summary, Validation, explain, value_start};
use crate::block::{BlockPlace, Padded};
use crate::fault::Refusal;
use crate::filter::{Gate, Watcher};
use crate::format::each_record;
use crate::kernel::Kernel;
use crate::padded::Text;
use crate::record::{Record, Span};
use crate::skim::NoWatch;
use crate::value::{Context, Value};
use crate::{exact, skim};

#[derive(Default)]
pub(crate) struct ExactEngine {
    found: FoundFields,
    fields: FieldBuffer,
}

/// Where the fields of a record were found, and the scratch of the search.
#[derive(Default)]
pub(super) struct FoundFields {
    pub(super) offsets: Vec<Option<usize>>,
    frames: skim::Frames,
    answers: Vec<Option<bool>>,
}

impl ExactEngine {
    pub(crate) fn run(&mut self, text: Padded<'_>, place: &BlockPlace, job: &Job, sink: &mut impl Sink) -> Summary {
        let context = Context::new(place, job, job.validation == Validation::Full);
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
                    sink.record(Record { value, fields: &fields, text: record, span })
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

/// Checks a record as far as the job asks and finds its fields; tells where its value begins.
pub(super) fn read(kernel: Kernel, record: Text<'_>, job: &Job, found: &mut FoundFields) -> Result<usize, Refusal> {
    if job.validation == Validation::Full {
        exact::validate_record(&record, job.max_depth)?;
    }
    found.find(kernel, record, job).ok_or_else(|| explain(&record, job.max_depth))
}

impl FoundFields {
    /// Finds the fields of a record, whatever the filter says, and tells where its value begins; `None` if something on the way is not JSON.
    #[inline]
    pub(super) fn find(&mut self, kernel: Kernel, record: Text<'_>, job: &Job) -> Option<usize> {
        self.offsets.clear();
        self.offsets.resize(job.projection.len(), None);
        let start = value_start(record)?;
        let (projection, offsets) = (&job.projection, &mut self.offsets);
        skim::find_fields(kernel, record, start, projection, &mut self.frames, offsets, &mut NoWatch).ok()?;
        Some(start)
    }

    /// As [`find`](Self::find), until the filter is decided and either refuses the record or has let it through with all that
    /// the caller asked for; tells also whether it is let through.
    pub(super) fn find_filtered<'a>(
        &mut self,
        context: &'a Context<'a>,
        record: Text<'a>,
        job: &Job,
        gate: &Gate,
    ) -> Option<(usize, bool)> {
        self.offsets.clear();
        self.offsets.resize(job.projection.len(), None);
        let start = value_start(record)?;
        let value = |at| Value::text(context, record.from(at));
        let mut watcher = Watcher::new(gate, &mut self.answers, job.projected, value);
        let (projection, offsets) = (&job.projection, &mut self.offsets);
        let found =
            skim::find_fields(context.kernel, record, start, projection, &mut self.frames, offsets, &mut watcher);
        // A value that the filter found malformed has marked the record; who reports it here is the engine.
        let admitted = found.ok().map(|()| watcher.admits());
        if admitted.is_none() {
            context.take_malformed();
        }
        Some((start, admitted?))
    }

    /// The fields as values of the record that they were found in.
    #[inline]
    pub(super) fn values<'a>(
        &self,
        context: &'a Context<'a>,
        record: Text<'a>,
    ) -> impl Iterator<Item = Option<Value<'a>>> {
        self.offsets.iter().map(move |offset| offset.map(|at| Value::text(context, record.from(at))))
    }
}
