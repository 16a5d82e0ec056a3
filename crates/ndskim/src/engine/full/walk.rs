//! Passes 2 and 3 and the bracket step as one walk, entry by entry, for kernels that have no instructions for them.
//!
//! What goes in: the codes of the entries that belong together. What comes out: what [`super::depths`], [`super::grammar`] and
//! [`super::brackets`] leave together: a fault or none, the scalars' entries, counts of lines and, if asked for, the tape. It
//! must never branch on what kind of entry comes next, which is not to be foreseen; only newlines, which are rare, may.
//!
//! What container is open stands on a stack here, so that a table of it, the code and the structural byte before decides all.

use super::window::Window;
use crate::kernel::tables::{
    DEPTH_LIMIT, DEPTH_STEP, DEPTH_TAG, ID_BIT, Id, KIND_TOP, KIND_WITHIN, PREDECESSORS_WITHIN, VALUE_START,
};

/// Goes over the first `entries` entries, which are whole records; a depth above `limit` (at most [`DEPTH_LIMIT`]) is a fault.
/// With `TAPE` the depths are kept, and the newlines listed.
///
/// Afterwards, if no fault was found: each structural entry is accepted by the table of [`PREDECESSORS_WITHIN`], and every
/// other entry is in `scalars`.
pub(super) fn walk<const TAPE: bool>(window: &mut Window, entries: usize, limit: u8) {
    debug_assert!(entries <= window.len && limit <= DEPTH_LIMIT);
    // The kind of container at each depth; what is above the depth in hand is anything. With an index of eight bits there is a
    // slot for every depth, those below 0 too, which the table has refused by then.
    let mut kinds = [KIND_TOP; 256];
    let mut depth = 0u8;
    let mut before = ID_BIT[Id::Newline as usize];
    let mut fault = 0;
    let (mut scalars_len, mut newlines, mut blanks) = (0, 0, 0);
    let (codes, kept) = (&window.codes[..entries], &mut window.kept[..entries]);
    for (entry, (&code, kept)) in codes.iter().zip(kept).enumerate() {
        let id = usize::from(code >> 4 & 7);
        let kind = kinds[usize::from(depth)];
        let allowed = PREDECESSORS_WITHIN[usize::from(kind & 3)][usize::from(code & 127)];
        fault |= u64::from(allowed & before == 0);
        if id == Id::Newline as usize {
            blanks += u64::from(before == ID_BIT[id] && code & 15 == VALUE_START);
            if TAPE {
                window.newlines[newlines] = entry as u16;
            }
            newlines += 1;
        }
        before = if id == Id::None as usize { before } else { ID_BIT[id] };
        kinds[usize::from(depth.wrapping_add(1))] = KIND_WITHIN[id];
        depth = depth.wrapping_add(DEPTH_STEP[id]);
        fault |= u64::from(depth > limit);
        window.scalars[scalars_len] = entry as u16;
        scalars_len += usize::from(id == Id::None as usize);
        if TAPE {
            *kept = depth & DEPTH_LIMIT | DEPTH_TAG[id];
        }
    }
    window.findings.fault |= fault;
    window.scalars_len = scalars_len;
    window.newlines_len = if TAPE { newlines } else { 0 };
    (window.newline_count, window.blank_count) = (newlines as u64, blanks);
}
