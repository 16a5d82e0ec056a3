//! Pass 3: may each structural byte stand where it stands?
//!
//! What goes in: the structural stream. What comes out: a fault or none, the brackets with the kind of container that
//! their neighbours say is around them, and counts of lines. It must never ask what container is open: neighbours say
//! what must be open, and [`super::brackets`] holds that against what is.
//!
//! Why neighbours are enough. Call the container around a structural byte its *kind*: object, array, or top (none).
//!
//! * `:` stands behind `{` or `,`, and a string. Its kind is object if that of the byte before is, which holds for `{`;
//!   and a comma before a colon is accepted only behind `:` (whose kind is object by the same argument), or behind a
//!   closing bracket, which then claims object.
//! * `,` behind `[` or `,` must not stand before `:`. So it goes back, comma by comma, to `[`, or to a closing bracket
//!   that claims array, or to `:`. The last cannot be: a comma behind `:` must stand before `:`.
//! * An opening bracket behind `:` claims object, behind a newline top, and behind `[` or `,` array: the comma is not
//!   before `:`, so it is an array's.
//! * A closing bracket claims what follows it: object before `}` and before a comma that stands before `:`, top before
//!   a newline, else array.
//!
//! Each pair of brackets claims twice, on opening and on closing, and the claims must agree. What an opening bracket
//! claims is so by what stands to the left of it; so by induction is everything else.

use super::depths::{ids, lanes};
use super::window::{STREAM_FRONT, Window};
use crate::kernel::tables::{
    BRACKET, BRACKET_OPEN, ID_BIT, Id, KIND_BY_AFTER, KIND_BY_BEFORE, KIND_OBJECT, PREDECESSORS, VALUE_START,
};
use crate::kernel::{Simd, VECTOR};

/// Goes over the first `count` structural codes. One code before them and two behind them are read as neighbours.
///
/// Afterwards, if no fault was found: each code is accepted by the table of [`PREDECESSORS`], each comma also by what
/// follows it; `brackets` holds the codes of all brackets, in order.
///
/// # Safety
/// `count` must be at most the length of the structural stream.
#[inline(always)]
pub(super) unsafe fn grammar<K: Simd>(k: K, window: &mut Window, count: usize) {
    debug_assert!(count <= window.structural_len);
    let mut fault = 0;
    let mut brackets_len = 0;
    let (mut newline_count, mut blank_count) = (0, 0);
    let stream = window.structural.as_ptr().wrapping_add(STREAM_FRONT);
    let brackets_to = window.brackets.as_mut_ptr();
    let mut first = 0;
    while first < count {
        let lanes = lanes(count - first);
        let from = stream.wrapping_add(first);
        // SAFETY: the array has a vector's room before and behind the stream.
        let (codes, before, after, second) =
            unsafe { (k.load(from), k.load(from.sub(1)), k.load(from.add(1)), k.load(from.add(2))) };
        let (ids, before, after, second) = (ids(k, codes), ids(k, before), ids(k, after), ids(k, second));

        let accepted = k.shares_bits(k.lookup128(&PREDECESSORS, codes), k.lookup16(&ID_BIT, before));
        fault |= !accepted & lanes;

        let comma = k.eq(ids, k.splat(Id::Comma as u8)) & lanes;
        let behind_member = k.eq(before, k.splat(Id::Colon as u8));
        let behind_element = k.eq(before, k.splat(Id::ArrayOpen as u8)) | k.eq(before, k.splat(Id::Comma as u8));
        let before_colon = k.eq(after, k.splat(Id::Colon as u8));
        fault |= comma & ((behind_member & !before_colon) | (behind_element & before_colon));

        let bracket = k.lookup16(&BRACKET, ids);
        let opens = k.shares_bits(bracket, k.splat(BRACKET_OPEN));
        let before_member = k.eq(after, k.splat(Id::Comma as u8)) & k.eq(second, k.splat(Id::Colon as u8));
        let closing_kind = k.select(before_member, k.splat(KIND_OBJECT), k.lookup16(&KIND_BY_AFTER, after));
        let kind = k.select(opens, k.lookup16(&KIND_BY_BEFORE, before), closing_kind);
        let is_bracket =
            (opens | k.eq(ids, k.splat(Id::ObjectClose as u8)) | k.eq(ids, k.splat(Id::ArrayClose as u8))) & lanes;
        // SAFETY: no more brackets than codes, and room for one store more.
        unsafe {
            k.compress(k.or(bracket, kind), is_bracket, brackets_to.add(brackets_len));
        }
        brackets_len += is_bracket.count_ones() as usize;

        let newline = k.eq(ids, k.splat(Id::Newline as u8)) & lanes;
        let behind_newline = newline & k.eq(before, k.splat(Id::Newline as u8));
        newline_count += u64::from(newline.count_ones());
        if behind_newline != 0 {
            let left = k.and(codes, k.splat(15));
            let blank = behind_newline & k.eq(left, k.splat(VALUE_START));
            blank_count += u64::from(blank.count_ones());
        }
        first += VECTOR;
    }
    window.findings.fault |= fault;
    window.brackets_len = brackets_len;
    window.newline_count += newline_count;
    window.blank_count += blank_count;
}
