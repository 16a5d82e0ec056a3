//! The window: what the passes read and write, in arrays that are made once for each thread and reused.
//!
//! What goes in: nothing but sizes. What comes out: buffers that are always large enough, so that no pass has to ask.
//! It must never be the place of a decision: which entries are complete, or what a fault means, is the stream's
//! business.

use crate::kernel::{ROOM, VECTOR};

/// The span that the places of one window can cover: they are `u16`. What is left over from the window before and the
/// new text together stay within it, with a vector to spare for the newline that stands in at the end of a block.
pub(crate) const SPAN: usize = (1 << 16) - VECTOR;

/// The text that is indexed at once when nothing is left over.
pub(crate) const WINDOW: usize = 32 * 1024;

/// Fractions and exponents in a window, or numbers read whole, beyond which the variant with floats is worth it.
pub(crate) const MANY_NUMBERS: usize = 16;

/// Entries that may stand in a window: one for each byte, another that stands in for a newline for each two, and as many as
/// one store may write behind them.
const ENTRIES: usize = (1 << 16) * 3 / 2 + 2 * ROOM;

/// Entries beyond which they cannot be numbered.
pub(crate) const MOST_ENTRIES: usize = u16::MAX as usize;

/// Bytes before the first code of a stream that are read, as the neighbours of the first.
pub(crate) const STREAM_FRONT: usize = VECTOR;

/// What pass 1 carries from one vector to the next, and from one window to the next.
#[derive(Clone, Copy, Default)]
pub(crate) struct Carries {
    pub(crate) strings: StringCarries,
    pub(crate) numbers: NumberCarries,
    /// With any white space: 1 if the last byte was in a string or white space.
    pub(crate) apart: u16,
    /// 1 if a string that held a backslash has ended and nothing but white space has followed.
    pub(crate) behind_escaped: u64,
    /// Of values, how many containers are open.
    pub(crate) depth: u64,
}

/// See [`Carries`].
#[derive(Clone, Copy, Default)]
pub(crate) struct StringCarries {
    /// All ones inside a string, else 0.
    pub(crate) in_string: u64,
    /// 1 if the next byte is escaped.
    pub(crate) escape: u64,
    /// 1 in a string that has held a backslash.
    pub(crate) escaped_string: u64,
}

/// With floats, see [`Carries`]: the number checks' carries, 0 or 1 each.
#[derive(Clone, Copy, Default)]
pub(crate) struct NumberCarries {
    pub(crate) zero: u64,
    pub(crate) point: u64,
    pub(crate) exponent: u64,
    pub(crate) exponent_sign: u64,
    pub(crate) exponent_digits: u64,
}

/// A run of vectors to index: the text of the block, or a copy of its edges.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// The first byte. 64 bytes before, and two vectors behind the last, are readable.
    pub(crate) text: *const u8,
    /// The place of the first byte.
    pub(crate) place: usize,
    pub(crate) vectors: usize,
}

/// What the passes report besides their arrays.
#[derive(Clone, Copy, Default)]
pub(crate) struct Findings {
    /// Not 0: a pass has refused something.
    pub(crate) fault: u64,
    /// More than 32 entries in a vector: not every kernel has stored them all.
    pub(crate) crowded: bool,
    /// Many fractions and exponents were met by a variant that knows them, or many numbers had to be read whole.
    pub(crate) floats: bool,
    /// What white space was met outside strings, by a variant that knows it.
    pub(crate) spacing: Spacing,
    /// A key holds a backslash.
    pub(crate) escaped_keys: bool,
}

/// What white space there may be around keys and values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) enum Spacing {
    #[default]
    None,
    /// A space at most behind each of `{ [ , :`.
    Single,
    Any,
}

/// The arrays of a window.
pub(crate) struct Window {
    /// Of each entry, the code (see [`crate::kernel::tables`]).
    pub(crate) codes: Box<[u8]>,
    /// Of each entry, the place: its distance from the window's base.
    pub(crate) places: Box<[u16]>,
    /// Of each entry, its depth and what kind of entry it is: the tape.
    pub(crate) kept: Box<[u8]>,
    /// How many entries there are.
    pub(crate) len: usize,
    /// Entries that may be scalars to look at.
    pub(crate) scalars: Box<[u16]>,
    pub(crate) scalars_len: usize,
    /// Entries that are newlines.
    pub(crate) newlines: Box<[u16]>,
    pub(crate) newlines_len: usize,
    /// The structural codes alone, from [`STREAM_FRONT`] on.
    pub(crate) structural: Box<[u8]>,
    pub(crate) structural_len: usize,
    /// The codes of the brackets alone.
    pub(crate) brackets: Box<[u8]>,
    pub(crate) brackets_len: usize,
    /// Of each vector of the piece, which bytes are outside strings (opening quotes too, closing quotes not).
    pub(crate) outside: Box<[u64]>,
    /// Vectors of the piece with a byte below 0x20 or above 0x7f.
    pub(crate) listed: Box<[u16]>,
    pub(crate) listed_len: usize,
    /// Places, from the piece's start, of the `u` of each `\u`.
    pub(crate) unicode: Box<[u16]>,
    pub(crate) unicode_len: usize,
    pub(crate) carries: Carries,
    /// With any white space: the bytes outside strings that are none, and the place of each, from [`STREAM_FRONT`] on. What is
    /// before them was there before the piece in hand.
    pub(crate) dense: Box<[u8]>,
    pub(crate) dense_places: Box<[u16]>,
    pub(crate) dense_len: usize,
    pub(crate) findings: Findings,
    /// Newline entries, and blank lines among them, that pass 3, or the walk, has seen.
    pub(crate) newline_count: u64,
    pub(crate) blank_count: u64,
}

impl Window {
    pub(crate) fn new() -> Self {
        let vectors = SPAN / VECTOR + 4;
        Self {
            codes: zeros(ENTRIES),
            places: zeros(ENTRIES),
            kept: zeros(ENTRIES),
            len: 0,
            scalars: zeros(ENTRIES),
            scalars_len: 0,
            newlines: zeros(ENTRIES),
            newlines_len: 0,
            structural: zeros(STREAM_FRONT + ENTRIES),
            structural_len: 0,
            brackets: zeros(ENTRIES),
            brackets_len: 0,
            outside: zeros(vectors),
            listed: zeros(vectors),
            listed_len: 0,
            unicode: zeros(ENTRIES),
            unicode_len: 0,
            carries: Carries::default(),
            dense: vec![b'\n'; STREAM_FRONT + ENTRIES].into(),
            dense_places: zeros(STREAM_FRONT + ENTRIES),
            dense_len: 0,
            findings: Findings::default(),
            newline_count: 0,
            blank_count: 0,
        }
    }

    /// Moves the entries from `first` on to the front; their places become smaller by `shift`.
    pub(crate) fn keep_from(&mut self, first: usize, shift: usize) {
        self.codes.copy_within(first..self.len, 0);
        self.places.copy_within(first..self.len, 0);
        self.len -= first;
        for place in &mut self.places[..self.len] {
            *place = place.wrapping_sub(shift as u16);
        }
    }

    /// Forgets all entries and carries: what follows is the start of a record.
    pub(crate) fn restart(&mut self) {
        self.len = 0;
        self.carries = Carries::default();
        self.dense[STREAM_FRONT - 1] = b'\n';
    }
}

fn zeros<T: Clone + Default>(len: usize) -> Box<[T]> {
    vec![T::default(); len].into_boxed_slice()
}
