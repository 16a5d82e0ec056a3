//! The fields of a record, found in its text: what the engines share that read record by record.
//!
//! In goes the text of a record; out come the offsets of its fields' values. Nothing is promised about what stands between.

use super::{Job, value_start};
use crate::filter::{Gate, Watcher};
use crate::kernel::Kernel;
use crate::padded::Text;
use crate::skim::NoWatch;
use crate::value::{Context, Value};
use crate::{exact, skim};

/// Where the fields of a record were found, and the scratch of the search.
#[derive(Default)]
pub(super) struct FoundFields {
    offsets: Vec<Option<usize>>,
    frames: skim::Frames,
    answers: Vec<Option<bool>>,
}

impl FoundFields {
    /// Finds the fields of a record, whatever the filter says, and tells where its value begins; `None` if something on the
    /// way is not JSON.
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

    /// Whether the fields that the caller asked for are what they begin like, as far as they are strings, numbers or literals,
    /// and end where a value may end; `start` is the record's own value. Containers are checked as they are entered.
    #[inline]
    pub(super) fn are_sound(&self, kernel: Kernel, record: Text<'_>, start: usize, projected: usize) -> bool {
        let fields = self.offsets.iter().take(projected).flatten();
        fields.copied().all(|at| scalar_is_sound(kernel, record, at, at == start))
    }
}

#[inline]
fn scalar_is_sound(kernel: Kernel, record: Text<'_>, at: usize, is_record: bool) -> bool {
    let end = match record.get(at) {
        Some(b'{' | b'[') => return true,
        Some(b'"') => match skim::plain_content(kernel, record.from(at)) {
            Some(length) => Some(at + 1 + length + 1),
            None => exact::string(&record, at).ok(),
        },
        _ => exact::validate_value(&record, at, 0).ok(),
    };
    let next = |end: usize| match record.get(end) {
        Some(b',' | b'}' | b']') => end,
        _ => exact::skip_white_space(&record, end),
    };
    end.map(next).is_some_and(|next| match record.get(next) {
        Some(b',' | b'}' | b']') => !is_record,
        Some(_) => false,
        None => is_record,
    })
}
