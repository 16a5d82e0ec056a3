//! What kernels must agree on, byte by byte.

use super::portable::Portable;
use super::tables::{class, follow};
use super::{Classes, ROOM, Simd, VECTOR};

/// Bytes that may stand outside strings.
const LEGAL: &[u8] = b"{}[],:\"\n0123456789aeflnrstuE+-.";

/// Runs a check on every kernel of this machine.
macro_rules! on_all {
    ($check:ident) => {
        $check(Portable);
        #[cfg(target_arch = "x86_64")]
        if super::Kernel::Avx2.is_available() {
            // SAFETY: the machine has the instructions.
            $check(unsafe { super::avx2::Avx2::new() });
        }
        #[cfg(target_arch = "x86_64")]
        if super::Kernel::Avx512.is_available() {
            // SAFETY: the machine has the instructions.
            $check(unsafe { super::avx512::Avx512::new() });
        }
    };
}

/// A vector of white space with readable bytes around it, in which one byte stands behind another.
fn text_with(before: u8, byte: u8, at: usize) -> [u8; 4 * VECTOR] {
    let mut text = [b'\n'; 4 * VECTOR];
    (text[VECTOR + at - 1], text[VECTOR + at]) = (before, byte);
    text
}

/// Behind `+ - .`, between letters one of which is `E`, and, if it is a digit, behind `{`, a byte may be taken for fine that is
/// refused later, or the other way round: numbers, literals and members are looked at whole.
fn is_left_open(before: u8, byte: u8) -> bool {
    let has_exponent = before.is_ascii_alphabetic() && byte.is_ascii_alphabetic() && (before == b'E' || byte == b'E');
    b"+-.".contains(&before) || has_exponent || (before == b'{' && (byte.is_ascii_digit() || byte == b'-'))
}

/// Whether the byte at `at` becomes an entry, and what is told of it.
///
/// # Safety
/// There must be 64 bytes before `from`, and two vectors from it on.
unsafe fn entry_at<K: Simd, const FLOATS: bool, const SPACES: bool>(
    k: K,
    from: *const u8,
    at: usize,
) -> (bool, Classes) {
    let (mut codes, mut places) = ([0; ROOM], [0; ROOM]);
    // SAFETY: as the caller says, and there is room for the entries.
    unsafe {
        let (classes, text) = k.classify::<FLOATS, SPACES>(from);
        let entries = !classes.fine & 1 << at;
        let (to_codes, to_places) = (codes.as_mut_ptr(), places.as_mut_ptr());
        let count = k.store_entries::<true, FLOATS, SPACES>(text, entries, 0, to_codes, to_places);
        assert!(count == 0 || (count, usize::from(places[0])) == (1, at));
        (count == 1, classes)
    }
}

fn classes_follow_the_rules<K: Simd>(k: K) {
    for (before, byte) in LEGAL.iter().flat_map(|before| LEGAL.iter().map(|byte| (*before, *byte))) {
        for at in [0, 1, 40, 63] {
            let text = text_with(before, byte, at);
            let is_set = |mask: u64| mask >> at & 1 == 1;
            let rule = |floats, spaces| class(floats, spaces, byte) & follow(floats, spaces, before);
            let case = format!("{:?} behind {:?} at {at}", byte as char, before as char);
            // SAFETY: there are 64 bytes before the second vector and more behind it.
            let [(tight, _), (spaced, _), (entry, floats)] = unsafe {
                let from = text.as_ptr().add(VECTOR);
                [
                    entry_at::<_, false, false>(k, from, at),
                    entry_at::<_, false, true>(k, from, at),
                    entry_at::<_, true, false>(k, from, at),
                ]
            };
            if !is_left_open(before, byte) {
                assert_eq!(tight, rule(false, false) == 0, "{case}");
                assert_eq!(spaced, rule(false, true) & 0x7f == 0, "{case}, spaces");
                assert_eq!(entry, rule(true, false) == 0, "{case}, floats");
            }
            assert_eq!(is_set(floats.digit), rule(true, false) & 2 != 0, "{case}, digit");
            assert_eq!(is_set(floats.point), rule(true, false) & 4 != 0, "{case}, point");
            assert_eq!(is_set(floats.zero), rule(true, false) & 0x80 != 0, "{case}, zero");
        }
    }
}

#[test]
fn every_kernel_holds_bytes_against_each_other_by_the_rules() {
    on_all!(classes_follow_the_rules);
}

/// Entries with the codes of the rules, at the places of a list.
fn entries_are_those_of_the_mask<K: Simd, const FLOATS: bool>(k: K) {
    let mut random = 88172645463325252u64;
    for round in 0..300 {
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let text: [u8; 4 * VECTOR] = std::array::from_fn(|_| LEGAL[(next() >> 20) as usize % LEGAL.len()]);
        let places: [u16; 2 * VECTOR] = std::array::from_fn(|_| next() as u16);
        let pair = |at: usize| (text[VECTOR + at - 1], text[VECTOR + at]);
        let is_fine = |at: usize| class(FLOATS, false, pair(at).1) & follow(FLOATS, false, pair(at).0) != 0;
        // Bytes that are plainly fine are no entries.
        let fine: u64 = (0..VECTOR).map(|at| u64::from(is_fine(at)) << at).sum();
        let mask = [!0, 0, next(), next() & next() & next()][round % 4] & !fine;
        let (mut codes, mut moved) = ([0; 2 * ROOM], [0; 2 * ROOM]);
        // SAFETY: there are 64 bytes before the second vector and more behind it, and room for the entries.
        let count = unsafe {
            let from = text.as_ptr().add(VECTOR);
            let (_, of_text) = k.classify::<FLOATS, false>(from);
            let (to_codes, to_places) = (codes.as_mut_ptr(), moved.as_mut_ptr());
            k.store_moved_entries::<FLOATS>(of_text, mask, places.as_ptr(), to_codes, to_places)
        };
        let set: Vec<usize> = (0..VECTOR).filter(|bit| mask >> bit & 1 == 1).collect();
        assert_eq!(count, set.len());
        for (entry, &at) in set.iter().enumerate() {
            let (before, byte) = pair(at);
            // Later passes look at no more.
            assert_eq!(codes[entry] & 0x7f, (class(FLOATS, false, byte) | follow(FLOATS, false, before)) & 0x7f);
            assert_eq!(moved[entry], places[at]);
        }
        // SAFETY: as above.
        unsafe {
            let bytes = k.load(text.as_ptr());
            k.compress(bytes, mask, codes.as_mut_ptr());
        }
        assert_eq!(&codes[..set.len()], set.iter().map(|at| text[*at]).collect::<Vec<_>>());
    }
}

fn entries_are_moved<K: Simd>(k: K) {
    entries_are_those_of_the_mask::<_, false>(k);
    entries_are_those_of_the_mask::<_, true>(k);
}

#[test]
fn every_kernel_moves_entries_together() {
    on_all!(entries_are_moved);
}
