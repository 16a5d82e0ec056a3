//! Every short string of tokens, and of significant bytes, against an outside judge.

use std::time::{Duration, Instant};

use super::{Fenced, Line, check, drivers, effort, judge, notes_of};
use crate::testing::{TOKENS, sequences};

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
    exhaust(&TOKENS, 3 + effort().min(3), 50);
}

/// Every kernel in windows of the size that scans use; it prints the time that each took.
#[test]
#[ignore = "36 million lines: minutes, in release"]
fn every_string_of_up_to_seven_tokens() {
    let tokens: Vec<&[u8]> = TOKENS.into_iter().filter(|token| *token != b"\r").collect();
    let mut drivers: Vec<_> = drivers().into_iter().filter(|(name, _)| name.ends_with("512/1023")).collect();
    let mut times = vec![Duration::ZERO; drivers.len()];
    let mut fenced = Fenced::new(1 << 20);
    let (mut block, mut expected, mut lines) = (Vec::new(), Vec::new(), 0);
    let mut flush = |block: &mut Vec<u8>, expected: &mut Vec<_>| {
        for ((name, driver), time) in drivers.iter_mut().zip(&mut times) {
            let padded = fenced.at_end(block, b'"');
            let started = Instant::now();
            let (found, _, _) = notes_of(driver, padded, &mut |_| ());
            *time += started.elapsed();
            if let Some(at) = (0..expected.len()).find(|&at| found.get(at) != expected.get(at)) {
                let line = block.split(|byte| *byte == b'\n').nth(at).map(String::from_utf8_lossy);
                panic!("{name}: {:?} is {:?}, not {:?}", line, found.get(at), expected[at]);
            }
        }
        lines += expected.len();
        block.clear();
        expected.clear();
    };
    sequences(&tokens, 7, &mut |text| {
        block.extend_from_slice(text);
        block.push(b'\n');
        expected.push(judge(text));
        if expected.len() == 1000 {
            flush(&mut block, &mut expected);
        }
    });
    flush(&mut block, &mut expected);
    let times: Vec<_> = drivers.iter().zip(&times).map(|((name, _), time)| format!("{name}: {time:.1?}")).collect();
    println!("{lines} lines; {}", times.join(", "));
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
