//! What a worker needs to salvage records: the first key of the last good record before a bad one, and an engine to read what
//! was found. It costs nothing before the first bad record.

use std::ops::Range;
use std::sync::Arc;

use crate::block::{Block, BlockPlace};
use crate::engine::{BadRecord, Engine, EngineState, Job};
use crate::salvage::{last_key, salvage};

/// The salvage state of one worker.
pub(super) struct Salvager {
    max_depth: u32,
    job: Job,
    engine: Option<EngineState>,
    /// The first key of the last good record before `looked_through` in the block.
    key: Option<Arc<[u8]>>,
    looked_through: usize,
}

impl Salvager {
    pub(super) fn new(job: &Job) -> Self {
        let job = Job { engine: Engine::Exact, ..job.clone() };
        Self { max_depth: job.max_depth, job, engine: None, key: None, looked_through: 0 }
    }

    /// Goes on to another block.
    pub(super) fn start_block(&mut self, place: &BlockPlace) {
        self.key.clone_from(&place.first_key);
        self.looked_through = 0;
    }

    /// The spans, within a bad record, of those that can be kept.
    ///
    /// The records between this bad one and the last are looked through backwards for a good one with a key; which of them are
    /// good is worked out anew, so that good records need not be remembered.
    pub(super) fn find(&mut self, block: &Block<'_>, bad: &BadRecord) -> Vec<Range<usize>> {
        let text = block.bytes();
        if let Some(key) = last_key(&text[self.looked_through..bad.span.start], self.max_depth) {
            self.key = Some(key.into());
        }
        self.looked_through = bad.span.end;
        salvage(&text[bad.span.clone()], self.key.as_deref(), self.max_depth)
    }

    /// The engine for what was found.
    pub(super) fn take_engine(&mut self) -> EngineState {
        self.engine.take().unwrap_or_else(|| EngineState::new(&self.job))
    }

    /// Keeps the engine for the next time.
    pub(super) fn give_back(&mut self, engine: EngineState) {
        self.engine = Some(engine);
    }
}
