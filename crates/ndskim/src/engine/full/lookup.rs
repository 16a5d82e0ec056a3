//! Members of an object by their keys, over the tape: what lazy values and serde ask for.
//!
//! What goes in: a tape, an object on it and some keys. What comes out: the next member that has one of them. It must never
//! look at the text of other members, but for those whose keys have the same length.

use super::tape::{Tape, TapeMember};
use super::window::Spacing;
use crate::kernel::tables::{TAG_CLOSE, TAG_COLON};
use crate::kernel::{Simd, VECTOR, for_each_kernel};

/// Keys beyond which to compare lengths costs more than to look at each key.
const MOST_LENGTHS: usize = 8;

for_each_kernel! {
    /// The next member whose key, unescaped, is one of `keys`, of an object whose inside is at `depth`, from an entry on: its
    /// entry, which key it has, and what it is.
    fn next_with_key(tape: &Tape<'_>, from: usize, depth: u8, keys: &[&str]) -> Option<(usize, usize, TapeMember)> = search;
}

#[inline(always)]
fn search<K: Simd>(k: K, tape: &Tape<'_>, from: usize, depth: u8, keys: &[&str]) -> Option<(usize, usize, TapeMember)> {
    let (colon, close) = (k.splat(TAG_COLON | depth), k.splat(TAG_CLOSE | (depth - 1)));
    let by_length = !tape.escaped_keys && tape.spacing != Spacing::Any && keys.len() <= MOST_LENGTHS;
    let mut first = from;
    while first < tape.len {
        // SAFETY: the kept depths have a vector's room behind the last.
        let kept = unsafe { k.load(tape.kept.as_ptr().add(first)) };
        let closes = k.eq(kept, close);
        let mut colons = k.eq(kept, colon) & closes.wrapping_sub(1) & !closes;
        if colons != 0 && by_length {
            let mut right = 0;
            for key in keys {
                // The quotes and the step itself; wraps for keys that are longer than a window, which no tape holds.
                let distance = (key.len() + 3) as u16;
                // SAFETY: behind the last place there is a vector's room, and before a colon there is always an entry.
                unsafe {
                    let places = tape.places.as_ptr().add(first);
                    right |= k.places_apart(places, distance);
                    if tape.spacing == Spacing::Single {
                        right |= k.places_apart(places, distance.wrapping_add(1));
                    }
                }
            }
            colons &= right;
        }
        while colons != 0 {
            let entry = first + colons.trailing_zeros() as usize;
            colons &= colons - 1;
            let member = tape.member_of(entry);
            if let Some(which) = keys.iter().position(|key| tape.key_is(member, key.as_bytes())) {
                return Some((entry, which, member));
            }
        }
        if closes != 0 {
            break;
        }
        first += VECTOR;
    }
    None
}
