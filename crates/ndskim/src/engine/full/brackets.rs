//! The bracket step: each closing bracket against the opening bracket that it closes.
//!
//! What goes in: bracket codes, each with the kind of container that its neighbours claim is around it. What comes out:
//! a fault or none. It must never leave its stack, whatever the brackets are.

use super::depths::lanes;
use super::window::Window;
use crate::kernel::tables::BRACKET_OPEN;
use crate::kernel::{Simd, VECTOR};

/// Drops each opening bracket whose neighbour closes it, with that neighbour, from the bracket stream.
///
/// Most containers hold no other, so this leaves little for the stack. Afterwards, if no fault was found, the brackets
/// left match if and only if all did.
///
/// # Safety
/// The bracket stream must be what pass 3 left.
#[inline(always)]
pub(super) unsafe fn drop_pairs<K: Simd>(k: K, window: &mut Window) {
    let count = window.brackets_len;
    let brackets = window.brackets.as_mut_ptr();
    let open = k.splat(BRACKET_OPEN);
    // SAFETY: the array has a vector's room behind the last bracket. What follows the last closes nothing.
    unsafe { *brackets.add(count) = BRACKET_OPEN };
    let mut fault = 0;
    let mut kept = 0;
    let mut carry = 0;
    let mut first = 0;
    while first < count {
        let lanes = lanes(count - first);
        // SAFETY: the array has a vector's room behind the last bracket. The stream is shortened in place: nothing is stored
        // at or behind what is still to be read, since both vectors are loaded first and `kept` is at most `first`; the byte
        // at `first + VECTOR`, which the store of a full vector at `first` does not reach, is read in the next round.
        let (this, next) = unsafe { (k.load(brackets.add(first)), k.load(brackets.add(first + 1))) };
        let opens = k.shares_bits(this, open);
        let pair = opens & !k.shares_bits(next, open) & lanes;
        fault |= pair & !k.eq(k.xor(this, next), open);
        let keep = lanes & !(pair | pair << 1 | carry);
        carry = pair >> 63;
        // SAFETY: `kept` is at most `first`, behind which the array has room for a vector.
        unsafe { k.compress(this, keep, brackets.add(kept)) };
        kept += keep.count_ones() as usize;
        first += VECTOR;
    }
    window.findings.fault |= fault;
    window.brackets_len = kept;
}

/// Holds each closing bracket against the opening one on a stack, for windows whose depths are known to be within
/// [`crate::kernel::tables::DEPTH_LIMIT`].
pub(super) fn match_shallow(window: &mut Window) {
    // Pass 2 has refused windows that go deeper, or below 0; then the stack is not touched.
    if window.findings.fault != 0 {
        return;
    }
    let mut stack = [0u8; 256];
    let (mut depth, mut fault) = (1u8, 0);
    for &code in &window.brackets[..window.brackets_len] {
        let opens = code >> 3;
        let top = depth.wrapping_sub(1 - opens);
        let slot = &mut stack[usize::from(top)];
        // All ones for a closing bracket: it must equal the opening one in all but the opening bit.
        fault |= (*slot ^ code ^ BRACKET_OPEN) & opens.wrapping_sub(1);
        *slot = code;
        depth = top.wrapping_add(opens);
    }
    window.findings.fault |= u64::from(fault);
}

/// The stack of a record that does not fit a window, or is too deep for the tape: it goes on from window to window.
#[derive(Default)]
pub(super) struct DeepStack {
    open: Vec<u8>,
}

impl DeepStack {
    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Goes over the window's brackets; false if one does not match, or opens more than `limit` deep.
    pub(super) fn match_all(&mut self, window: &Window, limit: usize) -> bool {
        for &code in &window.brackets[..window.brackets_len] {
            if code & BRACKET_OPEN != 0 {
                if self.open.len() >= limit {
                    return false;
                }
                self.open.push(code);
            } else if self.open.pop().is_none_or(|open| open ^ code != BRACKET_OPEN) {
                return false;
            }
        }
        true
    }
}
