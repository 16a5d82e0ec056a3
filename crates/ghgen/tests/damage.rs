//! Damage: the list is right about every bad line, and so is what it says may be kept, judged by
//! a salvage written here with serde_json after the published rule.

mod judge;

use ghgen::{DamagedLine, Layout, Options, Report, Style, Way};
use judge::{Judge, make};
use serde_json::Value;
use std::ops::Range;

const MANY: Options = Options {
    bytes: 6_000_000,
    seed: 3,
    layout: Layout::Gh,
    style: Style::Compact,
    separator: ghgen::Separator::Newline,
    damage: 90,
};

/// The lines of a text with their places, without line ends.
fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let ends = text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at);
    ends.map(|end| {
        let line = start..end - usize::from(text[..end].ends_with(b"\r"));
        start = end + 1;
        line
    })
    .collect()
}

/// The whole records of a bad line: a candidate starts at the line's start or with `first_key`,
/// must be one valid value, and must be followed by the line's end, NUL bytes or `first_key`.
fn salvage(line: &[u8], first_key: &[u8]) -> Vec<(Range<usize>, Value)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < line.len() {
        if at == 0 || line[at..].starts_with(first_key) {
            let mut values = serde_json::Deserializer::from_slice(&line[at..]).into_iter::<Value>();
            if let Some(Ok(value)) = values.next() {
                let end = at + values.byte_offset();
                let rest = &line[end..];
                if rest.is_empty() || rest[0] == 0 || rest.starts_with(first_key) {
                    found.push((at..end, value));
                    at = end;
                    continue;
                }
            }
        }
        at += 1;
    }
    found
}

/// Options with the first key of their records.
fn variants() -> Vec<(Options, &'static [u8])> {
    let with = |layout, style| Options { layout, style, ..MANY };
    vec![
        (with(Layout::Gh, Style::Compact), br#"{"id":"#),
        (with(Layout::Gh, Style::Spaced), br#"{"id": "#),
        (with(Layout::Gh, Style::Crlf), br#"{"id":"#),
        (with(Layout::GhTrimmed, Style::Compact), br#"{"id":"#),
        (with(Layout::Gh2014, Style::Compact), br#"{"created_at":"#),
        (with(Layout::Weblog, Style::Compact), br#"{"ts":"#),
        (with(Layout::Geojson, Style::Spaced), br#"{"type": "#),
    ]
}

#[test]
fn the_list_names_exactly_the_bad_lines() {
    for (options, _) in variants() {
        let (text, report) = make(&options);
        let lines = lines(&text);
        let is_bad = |line: &Range<usize>| serde_json::from_slice::<Value>(&text[line.clone()]).is_err();
        let bad: Vec<usize> = (0..lines.len()).filter(|&n| is_bad(&lines[n])).collect();
        assert_eq!(bad.len(), 90);
        for (n, damaged) in bad.iter().zip(&report.damage.lines) {
            assert_eq!(damaged.line as usize, n + 1);
            let end = (damaged.offset + damaged.length) as usize;
            assert_eq!(damaged.offset as usize..end, lines[*n]);
        }
    }
}

#[test]
fn what_may_be_kept_is_what_the_rule_keeps() {
    for (options, first_key) in variants() {
        let (text, report) = make(&options);
        for damaged in &report.damage.lines {
            let start = damaged.offset as usize;
            let line = &text[start..start + damaged.length as usize];
            let expected: Vec<_> =
                salvage(line, first_key).iter().map(|(span, _)| (start + span.start, span.len())).collect();
            let listed: Vec<_> = damaged.kept.iter().map(|kept| (kept.offset as usize, kept.length as usize)).collect();
            assert_eq!(listed, expected, "line {} of {options:?}", damaged.line);
        }
    }
}

#[test]
fn the_truths_of_skip_and_salvage_are_right() {
    for (options, first_key) in variants() {
        let (text, report) = make(&options);
        let mut judge = Judge::lines(&text);
        let json = |truth: &ghgen::Truth| serde_json::from_str::<Value>(&truth.to_json()).unwrap();
        assert_eq!(json(&report.truth), judge.report(text.len()));
        assert_eq!(report.truth.rejected, 90);
        for line in lines(&text) {
            let line = &text[line];
            if serde_json::from_slice::<Value>(line).is_err() {
                salvage(line, first_key).iter().for_each(|(_, record)| judge.count(record));
            }
        }
        assert_eq!(json(&report.damage.salvage), judge.report(text.len()));
    }
}

fn of_way(report: &Report, way: Way) -> Vec<&DamagedLine> {
    report.damage.lines.iter().filter(|line| line.way == way).collect()
}

#[test]
fn every_way_is_what_it_says() {
    let (text, report) = make(&MANY);
    let line = |damaged: &DamagedLine| {
        let start = damaged.offset as usize;
        text[start..start + damaged.length as usize].to_vec()
    };
    let joined = of_way(&report, Way::Joined);
    assert!(joined.iter().any(|damaged| damaged.kept.len() == 2));
    assert!(joined.iter().any(|damaged| damaged.kept.len() > 2));
    assert!(joined.iter().all(|damaged| damaged.kept.iter().map(|kept| kept.length).sum::<u64>() == damaged.length));

    let cut = of_way(&report, Way::Cut);
    assert!(cut.iter().all(|damaged| damaged.kept.len() == 1));
    // Something of the cut event is left in front, and its nested objects are among that.
    assert!(cut.iter().all(|damaged| damaged.kept[0].offset > damaged.offset));
    assert!(cut.iter().any(|damaged| {
        let lost = (damaged.kept[0].offset - damaged.offset) as usize;
        line(damaged)[1..lost].windows(6).any(|window| window == br#"{"id":"#)
    }));

    for damaged in of_way(&report, Way::Nul) {
        let line = line(damaged);
        let nul = line.iter().filter(|&&b| b == 0).count();
        assert!((1_000..=20_000).contains(&nul));
        assert!(line.ends_with(&vec![0; nul]));
        assert_eq!(damaged.kept[0].length as usize + nul, line.len());
    }
}

#[test]
fn bad_lines_are_spread_over_the_text() {
    let (text, report) = make(&MANY);
    let tenth = |n: u64| n * 10 / (text.len() as u64 + 1);
    let mut tenths = [0; 10];
    report.damage.lines.iter().for_each(|line| tenths[tenth(line.offset) as usize] += 1);
    assert!(tenths.iter().all(|&n| n >= 6), "{tenths:?}");
}

#[test]
fn as_many_lines_are_bad_as_were_asked_for_even_if_the_text_is_too_short() {
    let (text, report) = make(&Options { bytes: 10_000, damage: 40, ..Options::default() });
    assert_eq!((report.damage.lines.len(), report.truth.rejected), (40, 40));
    assert_eq!(Judge::lines(&text).rejected, 40);
}

#[test]
fn the_written_list_agrees_with_the_report() {
    let (_, report) = make(&MANY);
    let mut list = Vec::new();
    report.damage.write_list(&report.truth, &mut list).unwrap();
    let rows: Vec<Value> = list
        .split(|&b| b == b'\n')
        .filter(|row| !row.is_empty())
        .map(|row| serde_json::from_slice(row).unwrap())
        .collect();
    let (totals, rows) = rows.split_last().unwrap();
    assert_eq!(rows.len(), 90);
    for (row, damaged) in rows.iter().zip(&report.damage.lines) {
        assert_eq!(row["line"], damaged.line);
        assert_eq!(row["offset"], damaged.offset);
        assert_eq!(row["length"], damaged.length);
        assert_eq!(row["way"], damaged.way.name());
        assert_eq!(row["keep"].as_array().unwrap().len(), damaged.kept.len());
        assert_eq!(row["keep"][0]["offset"], damaged.kept[0].offset);
    }
    let sum = |of: fn(&Value) -> u64| rows.iter().map(of).sum::<u64>();
    let kept = |row: &Value| row["keep"].as_array().unwrap().iter().map(|k| k["length"].as_u64().unwrap()).sum();
    assert_eq!(totals["damaged_lines"], 90);
    assert_eq!(totals["damaged_bytes"], sum(|row| row["length"].as_u64().unwrap()));
    assert_eq!(totals["kept_records"], sum(|row| row["keep"].as_array().unwrap().len() as u64));
    assert_eq!(totals["kept_bytes"], sum(kept));
    assert_eq!(totals["skip"]["rejected"], 90);
    assert_eq!(totals["salvage"]["records"], report.damage.salvage.records);
}
