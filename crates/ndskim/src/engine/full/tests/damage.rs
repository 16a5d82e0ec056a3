//! Random JSON, valid and damaged, against an outside judge.

use super::json::{Style, Writer, damage};
use super::{Fenced, Line, Random, check, drivers, effort, has_room, judge, judged, notes_of};

fn line(random: &mut Random, style: Style, floats: usize) -> Vec<u8> {
    let depth = 1 + random.below(6);
    let mut writer = Writer { random, style, floats, escaped_keys: 10, distinct_keys: false, out: Vec::new() };
    match writer.random.below(8) {
        0 => writer.value(depth),
        1 => writer.array(depth),
        _ => writer.object(depth),
    }
    writer.out
}

/// A block whose lines are of changing kinds, a share of them damaged.
fn block(random: &mut Random, lines: usize, one_damaged_in: usize) -> Vec<u8> {
    let mut block = Vec::new();
    let mut style = Style::Compact;
    let mut floats = 1000;
    let mut cr = false;
    for _ in 0..lines {
        if random.below(6) == 0 {
            style = [Style::Compact, Style::Spaced, Style::Loose, Style::Compact][random.below(4)];
            floats = [1, 2, 1000][random.below(3)];
            cr = random.below(3) == 0;
        }
        let mut text = line(random, style, floats);
        if one_damaged_in > 0 && random.below(one_damaged_in) == 0 {
            damage(random, &mut text);
        }
        block.extend_from_slice(&text);
        if cr {
            block.push(b'\r');
        }
        block.push(b'\n');
        if random.below(20) == 0 {
            block.extend_from_slice([&b"\n"[..], b"\r\n", b" \n", b"  \t\r\n"][random.below(4)]);
        }
    }
    if random.below(3) == 0 {
        block.pop();
    }
    block
}

fn run(seed: u64, rounds: usize, lines: usize, one_damaged_in: usize) {
    let mut drivers = drivers();
    let mut fenced = Fenced::new(1 << 20);
    let mut random = Random(seed);
    for round in 0..rounds {
        let text = block(&mut random, lines, one_damaged_in);
        let expected = judged(&text);
        let filler = [b'1', b'"', b'\n', b'}', b' ', 0xe2][round % 6];
        for (name, driver) in &mut drivers {
            let padded = if round % 2 == 0 { fenced.at_end(&text, filler) } else { fenced.at_start(&text, filler) };
            check(&format!("{name}, round {round}"), driver, padded, &expected);
        }
    }
}

#[test]
fn valid_lines_of_all_kinds() {
    run(1, 60 * effort(), 60, 0);
}

#[test]
fn few_damaged_lines() {
    run(2, 60 * effort(), 60, 20);
}

#[test]
fn many_damaged_lines() {
    run(3, 100 * effort(), 30, 2);
}

#[test]
fn one_line_alone() {
    run(4, 1500 * effort(), 1, 2);
}

#[test]
fn many_lines_a_window() {
    run(5, 3 * effort(), 3000, 1000);
}

/// Lines are never left to the slow ways: each has a tape.
#[test]
fn what_the_passes_know_they_accept() {
    let mut random = Random(6);
    let mut fenced = Fenced::new(1 << 20);
    for (name, driver) in &mut drivers() {
        // Where the span is small, records longer than it have no tape.
        if !has_room(name) {
            continue;
        }
        for round in 0..40 * effort() {
            let style = [Style::Compact, Style::Spaced, Style::Loose][round / 3 % 3];
            let mut text = Vec::new();
            for _ in 0..40 {
                text.extend(line(&mut random, style, [1, 3, 1000][round % 3]));
                text.extend_from_slice([&b"\n"[..], b"\r\n", b"\n\n"][round % 3]);
            }
            let expected = judged(&text);
            let (lines, summary, with_tape) = notes_of(driver, fenced.at_end(&text, b'x'), &mut |_| ());
            assert_eq!(lines, expected);
            let records = lines.iter().filter(|line| **line == Line::Record).count() as u64;
            assert_eq!(
                (with_tape, summary.stopped),
                (records, false),
                "{name}, round {round}: {}",
                String::from_utf8_lossy(&text)
            );
        }
    }
}

/// A quote that is not closed does not hide the lines behind it, and neither does anything else.
#[test]
fn a_bad_line_costs_only_itself() {
    let mut fenced = Fenced::new(1 << 20);
    let bad: [&[u8]; 14] = [
        b"{\"a\":\"b}",
        b"]]]]]]",
        b"}{",
        b"[[[[[[[[",
        b"\"",
        b"\\",
        b"{\"a\":1}}",
        b"\xff",
        b"[1 2]",
        b"\x00",
        b"01",
        b"\"\\",
        b"{\"a\":tru}",
        b"\"\xe2\x82",
    ];
    for bad in bad {
        assert_eq!(judge(bad), Line::Fault);
        let mut text = b"{\"a\":[1,2.5,\"x\"]}\n".repeat(5);
        text.extend_from_slice(bad);
        text.push(b'\n');
        text.extend(b"{\"a\": {\"b\": null}}\n".repeat(5));
        let expected = judged(&text);
        for (name, driver) in &mut drivers() {
            check(name, driver, fenced.at_end(&text, b'0'), &expected);
        }
    }
}
