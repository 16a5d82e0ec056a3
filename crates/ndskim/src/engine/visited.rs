//! The visited engine: from record to record with memchr, in each straight to the fields, and no further.
//!
//! Nothing is validated but what has to be read on the way, fields before the closure is called, and what accessors hand out. A
//! record that cannot be read as far as the job asks goes to the exact reader, which says why. Records end where the format
//! says, before anything in them is read, so that a fault never costs more than its own record.

use super::exact::bad_record;
use super::found::FoundFields;
use super::{BadRecord, FieldBuffer, Job, Next, Sink, Summary, explain};
use crate::block::{BlockPlace, Padded};
use crate::exact::is_white_space;
use crate::format::{Format, each_record};
use crate::padded::Text;
use crate::record::{Record, Span};
use crate::value::{Context, Value};

#[derive(Default)]
pub(crate) struct VisitedEngine {
    found: FoundFields,
    fields: FieldBuffer,
}

impl VisitedEngine {
    pub(crate) fn run<'b>(&mut self, text: Padded<'b>, place: &BlockPlace, job: &Job, sink: &mut impl Sink) -> Summary {
        let context = Context::new(place, job, false);
        let mut fields = self.fields.lend();
        let found = &mut self.found;
        let mut unmatched = 0;
        let visit = |record: Result<Text<'b>, BadRecord>, span: Span| {
            let record = match record {
                Ok(record) => record,
                Err(bad) => return sink.fault(bad),
            };
            let found_all = match &job.gate {
                None => found.find(context.kernel, record, job).map(|start| (start, true)),
                Some(gate) => found.find_filtered(&context, record, job, gate),
            };
            match found_all {
                Some((start, true)) if found.are_sound(context.kernel, record, start, job.projected) => {
                    fields.clear();
                    fields.extend(found.values(&context, record));
                    let value = Value::text(&context, record.from(start));
                    sink.record(&Record { value, fields: &fields, text: record, span })
                }
                Some((_, false)) => {
                    unmatched += 1;
                    Next::Continue
                }
                _ => sink.fault(bad_record(&record, span, explain(&record, job.max_depth))),
            }
        };
        let summary = match job.format {
            Format::Lines => each_line(text, place, visit),
            format => each_record(format, text, place, visit),
        };
        self.fields.keep(fields);
        Summary { unmatched, ..summary }
    }
}

/// Whether a line is white space only.
#[inline]
fn is_blank(line: Text<'_>) -> bool {
    !matches!(line.first(), Some(b'!'..)) && line.iter().all(|&byte| is_white_space(byte))
}

/// Hands the text of each line to `visit`, in order. This is `each_record` with nothing left that a line does not need.
fn each_line<'b>(
    text: Padded<'b>,
    place: &BlockPlace,
    mut visit: impl FnMut(Result<Text<'b>, BadRecord>, Span) -> Next,
) -> Summary {
    let bytes = text.text();
    let mut summary = Summary::default();
    let mut column = place.column;
    let mut start = 0;
    while start < bytes.len() {
        let newline = memchr::memchr(b'\n', &bytes[start..]);
        let end = newline.map_or(bytes.len(), |length| start + length);
        let record = text.part(start..end);
        if is_blank(record) {
            summary.blank += 1;
        } else if visit(Ok(record), Span { start, line: summary.lines, column }) == Next::Stop {
            summary.stopped = true;
            return summary;
        }
        summary.lines += u64::from(newline.is_some());
        column = 0;
        start = end + 1;
    }
    summary
}
