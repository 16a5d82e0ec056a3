//! Every short string of tokens, and of significant bytes, against an outside judge.

use super::{Fenced, Line, check, drivers, effort, judge};

const TOKENS: [&[u8]; 13] =
    [b"{", b"}", b"[", b"]", b",", b":", b"\"\"", b"\"a\"", b"0", b"-1.5", b"true", b" ", b"\r"];

/// Calls `run` with every sequence of up to `longest` of `parts`, joined.
fn sequences(parts: &[&[u8]], longest: usize, run: &mut dyn FnMut(&[u8])) {
    fn go(parts: &[&[u8]], left: usize, text: &mut Vec<u8>, run: &mut dyn FnMut(&[u8])) {
        run(text);
        if left > 0 {
            for part in parts {
                text.extend_from_slice(part);
                go(parts, left - 1, text, run);
                text.truncate(text.len() - part.len());
            }
        }
    }
    go(parts, longest, &mut Vec::new(), run);
}

/// Runs every sequence as a line of its own, many lines a block: neighbours are of all kinds. Bad lines are put in
/// blocks of their own kind too, since a block of good lines must be read by the passes alone.
fn exhaust(parts: &[&[u8]], longest: usize, lines_a_block: usize) {
    let mut drivers = drivers();
    let mut fenced = Fenced::new(1 << 20);
    let (mut block, mut expected) = (Vec::new(), Vec::new());
    let mut flush = |block: &mut Vec<u8>, expected: &mut Vec<_>, number: usize| {
        for (at, (name, driver)) in drivers.iter_mut().enumerate() {
            let filler = [b'0', b'"', b'\n', b' ', b'}', 0xc3][(number + at) % 6];
            check(name, driver, fenced.at_end(block, filler), expected);
        }
        block.clear();
        expected.clear();
    };
    let mut number = 0;
    sequences(parts, longest, &mut |text| {
        // Lines drift over all offsets in a vector, since their lengths vary.
        block.extend_from_slice(text);
        block.push(b'\n');
        expected.push(judge(text));
        number += 1;
        if number % lines_a_block == 0 {
            flush(&mut block, &mut expected, number);
        }
    });
    flush(&mut block, &mut expected, number);
}

#[test]
fn every_short_token_string() {
    exhaust(&TOKENS, 3 + effort().min(4), 50);
}

#[test]
fn every_short_byte_string() {
    let bytes = b"{}[],:\"\\0159-+.eEtrun\n\t \r\x00\xc3\xa9x";
    let parts: Vec<&[u8]> = bytes.chunks(1).filter(|part| *part != b"\n").collect();
    exhaust(&parts, 3, 40);
}

/// The same, placed so that it straddles the edge of a vector or window, behind and before good lines.
#[test]
fn every_short_token_string_across_edges() {
    let mut drivers = drivers();
    let mut fenced = Fenced::new(4096);
    let longest = 2 + effort().min(3);
    let mut number = 0usize;
    sequences(&TOKENS, longest, &mut |text| {
        number += 1;
        let has_newline = !number.is_multiple_of(3);
        let verdict = judge(text);
        // A good line fills up what is before, so that the text starts up to its own length before an edge.
        let offset = 64 - number % (text.len() + 2).min(60);
        let mut block = format!("\"{}\"\n", "x".repeat(offset.saturating_sub(3))).into_bytes();
        block.extend_from_slice(text);
        if has_newline {
            block.extend_from_slice(b"\n[1]");
        }
        let expected = &[Line::Record, verdict, Line::Record][..2 + usize::from(has_newline)];
        // Without a newline behind it, an empty text is no line at all.
        let expected = if text.is_empty() && !has_newline { &expected[..1] } else { expected };
        for (at, (name, driver)) in drivers.iter_mut().enumerate() {
            let filler = [b'1', b'"', b'\n', b',', b']'][(number + at) % 5];
            let padded =
                if number.is_multiple_of(2) { fenced.at_end(&block, filler) } else { fenced.at_start(&block, filler) };
            check(name, driver, padded, expected);
        }
    });
}
