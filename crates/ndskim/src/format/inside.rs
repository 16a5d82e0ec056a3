//! The inside of a container, a vector at a time: for [`super::concatenated`], which looks for the container's end.
//!
//! In goes text from somewhere inside a container; out comes how far it can be passed without a look at each byte. Wherever
//! the record may end, or the text is not what it is in valid records, whoever asked looks for himself.

use crate::kernel::strings::{add_with_carry, escaped};
use crate::kernel::tables::ByteSet;
use crate::kernel::{Simd, VECTOR, for_each_kernel};

/// A place inside a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inside {
    pub(crate) at: usize,
    /// How many containers are open.
    pub(crate) depth: u64,
    pub(crate) in_string: bool,
    /// In a string: the byte at `at` is escaped.
    pub(crate) escaped: bool,
    /// Outside strings: whether a bracket may open here, by what stands before.
    pub(crate) may_open: bool,
}

for_each_kernel! {
    /// Goes on by whole vectors, for as long as no container of depth 1 ends in them, every bracket opens where one may, no
    /// string holds a raw newline, and all backslashes are in strings.
    fn pass_vectors(text: &[u8], from: Inside) -> Inside = pass;
}

/// White space, and what a bracket may stand behind.
static SPACE: ByteSet = ByteSet::new(b" \t\r\n");
static BEFORE_BRACKET: ByteSet = ByteSet::new(b"{[,:");

#[inline(always)]
fn pass<S: Simd>(simd: S, text: &[u8], from: Inside) -> Inside {
    let mut here = from;
    let mut in_string = if from.in_string { u64::MAX } else { 0 };
    let (mut escape, mut may_open, mut space_goes_on) = (u64::from(from.escaped), u64::from(from.may_open), 0);
    while let Some(vector) = text.get(here.at..).and_then(|rest| rest.first_chunk::<VECTOR>()) {
        // SAFETY: the chunk is as long as a vector.
        let bytes = unsafe { simd.load(vector.as_ptr()) };
        let backslashes = simd.eq(bytes, simd.splat(b'\\'));
        let mut quotes = simd.eq(bytes, simd.splat(b'"'));
        let mut next_escape = escape;
        if backslashes | escape != 0 {
            quotes &= !escaped(backslashes, &mut next_escape);
        }
        let inside = simd.prefix_xor(quotes) ^ in_string;
        let outside = !(inside ^ quotes);

        let folded = simd.or(bytes, simd.splat(0x20));
        let opens = simd.eq(folded, simd.splat(b'{')) & outside;
        let closes = simd.eq(folded, simd.splat(b'}')) & outside;
        let space = simd.in_set(bytes, outside, &SPACE);
        let before = simd.in_set(bytes, outside, &BEFORE_BRACKET);
        let behind = before << 1 | may_open;
        let (landed, overflow) = add_with_carry(space, behind & space, space_goes_on);
        let misplaced = opens & !(behind | landed);
        let newlines = simd.eq(bytes, simd.splat(b'\n')) & inside;
        if misplaced | newlines | (backslashes & outside) != 0 || here.depth <= u64::from(closes.count_ones()) {
            break;
        }
        here.at += VECTOR;
        here.depth = here.depth + u64::from(opens.count_ones()) - u64::from(closes.count_ones());
        in_string = ((inside as i64) >> 63) as u64;
        (escape, may_open, space_goes_on) = (next_escape, before >> 63, overflow);
    }
    Inside { in_string: in_string != 0, escaped: escape != 0, may_open: may_open | space_goes_on != 0, ..here }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    /// The same, byte by byte. The depth is taken to be too great for the container to end.
    fn one_by_one(text: &[u8], from: Inside) -> Inside {
        let mut here = from;
        'vectors: while let Some(vector) = text.get(here.at..here.at + VECTOR) {
            let mut next = Inside { at: here.at + VECTOR, ..here };
            for &byte in vector {
                match byte {
                    b'\n' if next.in_string => break 'vectors,
                    _ if next.escaped => next.escaped = false,
                    b'\\' if next.in_string => next.escaped = true,
                    b'\\' => break 'vectors,
                    b'"' => (next.in_string, next.may_open) = (!next.in_string, false),
                    _ if next.in_string => {}
                    b'{' | b'[' if !next.may_open => break 'vectors,
                    b'{' | b'[' => (next.depth, next.may_open) = (next.depth + 1, true),
                    b'}' | b']' => (next.depth, next.may_open) = (next.depth - 1, false),
                    b' ' | b'\t' | b'\r' | b'\n' => {}
                    _ => next.may_open = matches!(byte, b',' | b':'),
                }
            }
            here = next;
        }
        here
    }

    /// Text in which almost every bracket opens where one may.
    fn text(random: &mut impl FnMut(usize) -> usize, one_misplaced_in: usize) -> Vec<u8> {
        let parts: [&[u8]; 24] = [
            b"{",
            b"{",
            b"[",
            b"[",
            b"}",
            b"}",
            b"]",
            b"]",
            b",",
            b":",
            b" ",
            b"\r\n",
            b"\t \n      ",
            b"1",
            b"-2.5e7",
            b"true",
            b"\"\"",
            b"\"a b\"",
            b"\"{[]},:\"",
            b"\"\\\\\"",
            b"\"\\\"\"",
            b"\"\\\\\\\"]\\n\"",
            b"\"a string that is long enough to go over the edge of a vector, \\\\\\\\\\\\, with backslashes\"",
            b"                                                                      ",
        ];
        let mut text = Vec::new();
        let mut may_open = true;
        for _ in 0..random(120) {
            let part = parts[random(parts.len())];
            let opens = matches!(part, b"{" | b"[");
            if opens && !may_open && random(one_misplaced_in) != 0 {
                text.extend_from_slice([&b","[..], b":", b" ,\n ", b":\t"][random(4)]);
            }
            text.extend_from_slice(part);
            if !part.trim_ascii().is_empty() {
                may_open = opens || matches!(part, b"," | b":");
            }
            if random(one_misplaced_in) == 0 {
                text.extend_from_slice([&b"\\"[..], b"\"", b"\"\n", b"}", b"x"][random(5)]);
                may_open = false;
            }
        }
        text
    }

    #[test]
    fn vectors_are_passed_as_far_as_byte_by_byte() {
        let mut state = 88172645463325252u64;
        let mut random = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) as usize % limit
        };
        let mut passed = 0;
        for round in 0..6000 {
            let text = text(&mut random, [1_000_000, 200, 30][round % 3]);
            let at = random(VECTOR).min(text.len());
            let from = Inside { at, depth: 1 << 40, in_string: false, escaped: false, may_open: random(2) == 0 };
            let ways = [from, Inside { in_string: true, may_open: false, ..from }];
            for from in [ways[0], ways[1], Inside { escaped: true, ..ways[1] }] {
                let expected = one_by_one(&text, from);
                for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
                    let shown = || format!("{} {from:?} {:?}", kernel.name(), String::from_utf8_lossy(&text));
                    assert_eq!(pass_vectors(kernel, &text, from), expected, "{}", shown());
                }
                passed += (expected.at - from.at) / VECTOR;
            }
        }
        assert!(passed > 20_000, "{passed}");
    }

    /// It may where as many brackets close in the vector as are open before it.
    #[test]
    fn no_vector_is_passed_in_which_the_container_may_end() {
        for (text, passes) in
            [("{\"a\":[{}]}", [1, 0, 0]), ("},{\"a\":[[[[[", [1, 1, 0]), ("\"}}}}\",12345", [1, 1, 1])]
        {
            let text = format!("{text:<64}{{}}");
            for (depth, passes) in [4, 2, 1].into_iter().zip(passes) {
                let from = Inside { at: 0, depth, in_string: false, escaped: false, may_open: true };
                for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
                    assert_eq!(pass_vectors(kernel, text.as_bytes(), from).at, passes * VECTOR, "{text} {depth}");
                }
            }
        }
    }
}
