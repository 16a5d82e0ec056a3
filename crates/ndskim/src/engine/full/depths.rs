//! Pass 2: from entries to depths, the structural stream, and the list of scalars to look at.
//!
//! What goes in: the codes of the entries that belong together. What comes out: the structural codes alone; the
//! scalars' entries; and, if asked for, the depth of every entry, which is the tape. It must never look at the text.

use super::window::{STREAM_FRONT, Window};
use crate::kernel::tables::{DEPTH_LIMIT, DEPTH_STEP, DEPTH_TAG, Id, MAYBE_SCALAR};
use crate::kernel::{Simd, VECTOR};

/// Goes over the first `entries` entries, which begin at depth 0 where depths count at all.
///
/// `DEPTHS`: depths are worked out, and one that is below 0 or above `limit` (at most [`DEPTH_LIMIT`]) is a fault.
/// `TAPE`: they are kept, and the newlines listed.
///
/// Afterwards, if no fault was found: `structural` ends with the codes of all structural entries, in order; every other
/// entry is in `scalars`; with `DEPTHS` no prefix closes more than it opened.
///
/// # Safety
/// `entries` must be at most the window's length, and `structural_len` what is left from such a call or small.
#[inline(always)]
pub(super) unsafe fn depths<K: Simd, const DEPTHS: bool, const TAPE: bool>(
    k: K,
    window: &mut Window,
    entries: usize,
    limit: u8,
) {
    debug_assert!(entries <= window.len && limit <= DEPTH_LIMIT);
    let mut fault = 0;
    let mut depth = 0u8;
    let mut structural_len = window.structural_len;
    let mut scalars_len = 0;
    let mut newlines_len = 0;
    let low_nibble = k.splat(15);
    let limit = k.splat(limit);
    let codes_from = window.codes.as_ptr();
    let scalars_to = window.scalars.as_mut_ptr();
    let structural_to = window.structural.as_mut_ptr().wrapping_add(STREAM_FRONT);
    let (kept_to, newlines_to) = (window.kept.as_mut_ptr(), window.newlines.as_mut_ptr());
    let mut first = 0;
    while first < entries {
        let lanes = lanes(entries - first);
        // SAFETY: the arrays have a vector's room behind the last entry.
        let codes = unsafe { k.load(codes_from.add(first)) };
        let ids = ids(k, codes);
        let scalar = k.eq(ids, k.splat(Id::None as u8)) & lanes;
        let maybe = k.lookup16(&MAYBE_SCALAR, k.and(codes, low_nibble));
        fault |= scalar & k.eq(maybe, k.splat(0));
        // SAFETY: as many as there are entries at most, and room for one store more.
        unsafe {
            k.store_places::<true>(scalar, first as u16, scalars_to.add(scalars_len));
            k.compress(codes, lanes & !scalar, structural_to.add(structural_len));
        }
        scalars_len += scalar.count_ones() as usize;
        structural_len += (lanes & !scalar).count_ones() as usize;

        if DEPTHS {
            let steps = k.lookup16(&DEPTH_STEP, ids);
            let after = k.add(k.prefix_sum(steps), k.splat(depth));
            fault |= k.above(after, limit) & lanes;
            let opened = (k.eq(steps, k.splat(1)) & lanes).count_ones();
            let closed = (k.eq(steps, k.splat(0xff)) & lanes).count_ones();
            depth = depth.wrapping_add(opened as u8).wrapping_sub(closed as u8);
            if TAPE {
                let kept = k.or(k.and(after, k.splat(DEPTH_LIMIT)), k.lookup16(&DEPTH_TAG, ids));
                let newlines = k.eq(ids, k.splat(Id::Newline as u8)) & lanes;
                // SAFETY: a depth for each entry and fewer newlines than entries, and room for a vector or a store behind them.
                unsafe {
                    k.store(kept, kept_to.add(first));
                    k.store_places::<true>(newlines, first as u16, newlines_to.add(newlines_len));
                }
                newlines_len += newlines.count_ones() as usize;
            }
        }
        first += VECTOR;
    }
    window.findings.fault |= fault;
    window.structural_len = structural_len;
    window.scalars_len = scalars_len;
    window.newlines_len = newlines_len;
}

/// The ids of codes.
#[inline(always)]
pub(super) fn ids<K: Simd>(k: K, codes: K::Bytes) -> K::Bytes {
    k.and(k.high_nibble(codes), k.splat(7))
}

/// The first `count` lanes, or all.
#[inline(always)]
pub(super) fn lanes(count: usize) -> u64 {
    if count >= VECTOR { !0 } else { !(!0 << count) }
}
