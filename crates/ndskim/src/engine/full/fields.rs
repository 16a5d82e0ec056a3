//! Finds the fields of a projection in a record, over the tape.
//!
//! What goes in: a record's entries with their depths, and a [`Plan`]. What comes out: for each slot where its
//! value is. It must never look at the text of a subtree that no pointer leads into: to pass one costs only its
//! entries, 64 at a time.

use super::plan::{Edge, Plan};
use super::tape::{Tape, TapeValue};
use super::window::Spacing;
use crate::kernel::tables::{DEPTH_LIMIT, TAG_CLOSE, TAG_COLON};
use crate::kernel::{Simd, VECTOR};
use crate::text::content_is;

/// Keys of a node beyond which to compare distances costs more than to look at each key.
const MOST_DISTANCES: usize = 8;

/// Entries a record below which fields are found by columns.
const SHORT_RECORD: usize = 64;

/// A record on the tape.
pub(super) struct Scanned<'a> {
    pub(super) tape: &'a Tape<'a>,
    pub(super) root: TapeValue,
}

/// A plan with what is needed to look for it, reused from record to record.
pub(super) struct Finder {
    plan: Plan,
    /// By slot, what was found in the record in hand.
    pub(super) found: Vec<Option<TapeValue>>,
    /// By edge, the last record in which it was met: the first of equal keys wins.
    met: Vec<u64>,
    record: u64,
    frames: Vec<Frame>,
    /// By edge of the first node, its colons in the window in hand; see [`find_columns`].
    columns: Vec<Column>,
}

/// The members with one key, of all records of a window.
#[derive(Default)]
struct Column {
    /// Their colons, in order.
    colons: Vec<u16>,
    /// How many of them are of records that are done.
    done: usize,
}

/// An object that is being looked through.
#[derive(Clone, Copy)]
struct Frame {
    node: usize,
    /// The entry to go on from.
    next: usize,
    /// The depth within.
    depth: u8,
    /// Edges not yet met.
    left: usize,
}

impl Finder {
    pub(super) fn new(plan: Plan) -> Self {
        let columns = if plan.is_flat() { plan.edges.len() } else { 0 };
        Self {
            found: vec![None; plan.slots()],
            met: vec![0; plan.edges.len()],
            record: 0,
            frames: Vec::new(),
            columns: (0..columns).map(|_| Column::default()).collect(),
            plan,
        }
    }

    /// Whether fields are found by columns, given how many entries and records there are.
    pub(super) fn has_columns(&self, tape: &Tape<'_>, records: usize) -> bool {
        !self.columns.is_empty()
            && !tape.escaped_keys
            && tape.spacing != Spacing::Any
            && tape.len < SHORT_RECORD * records
    }

    /// The fields of the next record of a window whose columns are found; its entries end before `end`.
    #[inline]
    pub(super) fn next_of_columns(&mut self, tape: &Tape<'_>, root: TapeValue, end: usize) -> bool {
        if tape.first_byte(root) != b'{' && !self.plan.nodes[0].by_index.is_empty() {
            return false;
        }
        self.found.fill(None);
        for &slot in &self.plan.nodes[0].slots {
            self.found[slot] = Some(root);
        }
        for (edge, column) in self.plan.edges.iter().zip(&mut self.columns) {
            let mut of_record =
                column.colons[column.done..].iter().map(|colon| usize::from(*colon)).take_while(|colon| *colon < end);
            // The first of equal keys counts.
            if let Some(first) = of_record.next() {
                let value = tape.value_behind(first);
                for &slot in &self.plan.nodes[edge.child].slots {
                    self.found[slot] = Some(value);
                }
                column.done += 1 + of_record.count();
            }
        }
        true
    }

    /// Notes that `node`'s pointers lead to `value`, and goes into it if some lead on.
    #[inline(always)]
    fn arrive(&mut self, tape: &Tape<'_>, node: usize, value: TapeValue) {
        let at = &self.plan.nodes[node];
        for &slot in &at.slots {
            self.found[slot] = Some(value);
        }
        let left = at.edge_count;
        if left > 0 {
            match tape.first_byte(value) {
                b'{' => {
                    let entry = value.entry as usize;
                    self.frames.push(Frame { node, next: entry + 1, depth: tape.kept[entry] & DEPTH_LIMIT, left });
                }
                b'[' => self.arrive_at_elements(tape, node, value),
                _ => {}
            }
        }
    }

    /// Goes through an array for the node's indexes.
    #[inline(never)]
    fn arrive_at_elements(&mut self, tape: &Tape<'_>, node: usize, array: TapeValue) {
        let mut elements = tape.elements(array);
        let mut passed = 0;
        for at in 0..self.plan.nodes[node].by_index.len() {
            let (index, edge) = self.plan.nodes[node].by_index[at];
            let Some(element) = elements.nth(index - passed) else { return };
            passed = index + 1;
            let child = self.plan.edges[edge].child;
            self.arrive(tape, child, element);
        }
    }

    /// The child of `node` for the member of `colon`, if it is asked for and met for the first time.
    #[inline(always)]
    fn child_for(&mut self, tape: &Tape<'_>, node: usize, colon: usize) -> Option<usize> {
        let node = &self.plan.nodes[node];
        let edges = &self.plan.edges[node.first_edge..][..node.edge_count];
        let at = if tape.escaped_keys {
            let (start, end) = tape.key_of(colon);
            edges.iter().position(|edge| content_is(&tape.text[start..end], &edge.key))?
        } else {
            let end = tape.key_end(colon);
            edges.iter().position(|edge| is_key(edge, tape, end))?
        };
        let met = &mut self.met[node.first_edge + at];
        if *met == self.record {
            return None;
        }
        *met = self.record;
        Some(edges[at].child)
    }

    /// The entries, of the 64 from `first` on, that may be colons behind keys of `node`: where the distance to the entry
    /// before is that of a key, its quotes and the space before it, if there is one. All, where distances say nothing.
    #[inline(always)]
    fn candidates<K: Simd>(&self, k: K, tape: &Tape<'_>, node: usize, first: usize) -> u64 {
        let node = &self.plan.nodes[node];
        if tape.escaped_keys || tape.spacing == Spacing::Any || node.edge_count > MOST_DISTANCES {
            return !0;
        }
        let edges = &self.plan.edges[node.first_edge..][..node.edge_count];
        let mut candidates = 0;
        for edge in edges {
            // SAFETY: behind the last place there is a vector's room, and before a colon there is always an entry.
            unsafe {
                let places = tape.places.as_ptr().add(first);
                candidates |= k.places_apart(places, edge.distance);
                if tape.spacing == Spacing::Single {
                    candidates |= k.places_apart(places, edge.distance.wrapping_add(1));
                }
            }
        }
        candidates
    }
}

/// Whether the key whose closing quote is at `end` is an edge's. Without escapes, there is but one quote before it: where the
/// key begins.
#[inline(always)]
fn is_key(edge: &Edge, tape: &Tape<'_>, end: usize) -> bool {
    let len = edge.plain_len;
    let Some(start) = end.checked_sub(len).filter(|start| *start > 0) else { return false };
    let key = &tape.text[start..end];
    // SAFETY: behind a key there are its quote, a colon, a value and a newline, and then the text's padding.
    let word = u128::from_le(unsafe { key.as_ptr().cast::<u128>().read_unaligned() });
    tape.text[start - 1] == b'"' && (word ^ edge.word) & edge.mask == 0 && (len <= 16 || key[16..] == edge.key[16..])
}

/// Finds the fields of one record; they are in `finder.found`.
///
/// # Safety
/// The tape must be of validated entries.
#[inline(always)]
pub(super) unsafe fn find<K: Simd>(k: K, finder: &mut Finder, scanned: &Scanned<'_>) {
    let tape = scanned.tape;
    finder.record += 1;
    finder.found.fill(None);
    finder.arrive(tape, 0, scanned.root);
    'frames: while let Some(mut frame) = finder.frames.pop() {
        let (colon, close) = (k.splat(TAG_COLON | frame.depth), k.splat(TAG_CLOSE | (frame.depth - 1)));
        loop {
            // SAFETY: the kept depths have a vector's room behind the last, and a validated container ends.
            let kept = unsafe { k.load(tape.kept.as_ptr().add(frame.next)) };
            let closes = k.eq(kept, close);
            let mut colons = k.eq(kept, colon) & closes.wrapping_sub(1) & !closes;
            if colons != 0 {
                colons &= finder.candidates(k, tape, frame.node, frame.next);
            }
            while colons != 0 {
                let entry = frame.next + colons.trailing_zeros() as usize;
                colons &= colons - 1;
                if let Some(child) = finder.child_for(tape, frame.node, entry) {
                    let value = tape.value_behind(entry);
                    frame.left -= 1;
                    let depth = finder.frames.len();
                    if frame.left > 0 {
                        finder.frames.push(Frame { next: entry + 1, ..frame });
                    }
                    finder.arrive(tape, child, value);
                    if frame.left == 0 || finder.frames.len() > depth + 1 {
                        continue 'frames;
                    }
                    finder.frames.pop();
                }
            }
            if closes != 0 {
                break;
            }
            frame.next += VECTOR;
        }
    }
}

/// Finds the members of all records of a window key by key, for plans of single keys: [`Finder::next_of_columns`] then
/// deals them out to the records. For short records this is quicker than to look through each.
///
/// # Safety
/// As for [`find`].
#[inline(always)]
pub(super) unsafe fn find_columns<K: Simd>(k: K, finder: &mut Finder, tape: &Tape<'_>) {
    let of_records = k.splat(TAG_COLON | 1);
    for (edge, column) in finder.plan.edges.iter().zip(&mut finder.columns) {
        column.done = 0;
        column.colons.clear();
        // Entry 0, which has no place before it, is no colon.
        let mut first = 1;
        while first < tape.len {
            let lanes = super::depths::lanes(tape.len - first);
            // SAFETY: behind the last entry there is a vector's room, and before `first` there is an entry.
            let mut colons = unsafe {
                let places = tape.places.as_ptr().add(first);
                let mut apart = k.places_apart(places, edge.distance);
                if tape.spacing == Spacing::Single {
                    apart |= k.places_apart(places, edge.distance.wrapping_add(1));
                }
                apart & k.eq(k.load(tape.kept.as_ptr().add(first)), of_records) & lanes
            };
            while colons != 0 {
                let colon = first + colons.trailing_zeros() as usize;
                if is_key(edge, tape, tape.key_end(colon)) {
                    column.colons.push(colon as u16);
                }
                colons &= colons - 1;
            }
            first += VECTOR;
        }
    }
}
