//! Formats: the same records, places and faults, however the input is cut.

use std::fs;
use std::io::Read;

use ndskim::{Error, FaultKind, Format, Input, NoticeKind, OnFault, Scan};
use proptest::prelude::*;

use crate::configurations::{Configuration, full};

/// A record or a reject: where, and its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Piece {
    offset: u64,
    line: u64,
    column: u64,
    text: String,
    /// What was expected, of a reject.
    expected: Option<&'static str>,
}

fn pieces_of(scan: Scan<'_>) -> Vec<Piece> {
    let mut rejects = Vec::new();
    let scan = scan.on_fault(OnFault::Skip).rejects(|reject| {
        let place = reject.fault().place();
        rejects.push(Piece {
            offset: reject.offset(),
            line: place.line().unwrap(),
            column: place.column(),
            text: String::from_utf8_lossy(reject.text()).into_owned(),
            expected: Some(reject.fault().reason().expected()),
        });
    });
    let record = |record: ndskim::Record<'_>| {
        let place = record.place();
        (record.offset(), place.column(), String::from_utf8_lossy(record.text()).into_owned(), place.line())
    };
    let outcome = scan.map(record).unwrap();
    assert_eq!(outcome.stats.rejected, rejects.len() as u64);
    let mut pieces = rejects;
    // The line of a record is only known where all before it is; it is left to the rejects.
    pieces.extend(outcome.value.into_iter().map(|(offset, column, text, _)| Piece {
        offset,
        line: 0,
        column,
        text,
        expected: None,
    }));
    pieces.sort();
    pieces
}

fn texts(format: Format, input: &str) -> Vec<String> {
    let mut first: Option<Vec<Piece>> = None;
    for configuration in full() {
        for scan in ways(configuration, input.as_bytes()) {
            let pieces = pieces_of(scan.format(format));
            let first = first.get_or_insert_with(|| pieces.clone());
            assert_eq!(*first, pieces, "{configuration:?} {format:?} {input:?}");
        }
    }
    let show = |piece: Piece| match piece.expected {
        None => piece.text,
        Some(expected) => format!("<{}> {}:{} {expected}", piece.text, piece.line, piece.column),
    };
    first.unwrap().into_iter().map(show).collect()
}

/// The same bytes in memory and from a reader that gives a few at a time.
fn ways(configuration: Configuration, input: &[u8]) -> [Scan<'_>; 2] {
    [configuration.bytes(input), configuration.apply(Scan::reader(Slow(input)))]
}

struct Slow<'b>(&'b [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let count = room.len().min(3).min(self.0.len());
        let (now, later) = self.0.split_at(count);
        room[..count].copy_from_slice(now);
        self.0 = later;
        Ok(count)
    }
}

#[test]
fn several_values_may_stand_on_a_line() {
    let input = "{\"a\":1}{\"a\":2} 3\n\n[4]\r\n{\"a\":\n5 6";
    assert_eq!(
        texts(Format::SeveralPerLine, input),
        ["{\"a\":1}", "{\"a\":2}", "3", "[4]", "<{\"a\":> 4:6 a value", "5", "6"]
    );
    let outcome = Scan::bytes(input.as_bytes()).format(Format::SeveralPerLine).on_fault(OnFault::Skip).for_each(|_| ());
    assert_eq!(outcome.unwrap().stats.blank, 1);
    // As lines, the second value is a fault that says so.
    let Error::Fault(fault) = Scan::bytes(input.as_bytes()).for_each(|_| ()).unwrap_err() else { panic!("no fault") };
    assert_eq!((fault.reason().kind(), fault.place().column()), (FaultKind::TrailingData, 8));
}

#[test]
fn an_unclosed_value_ends_with_its_line() {
    let input = "{\"a\":[{\"b\":\"x\n{\"c\":1}{\"d\":2}\n";
    let expected = "<{\"a\":[{\"b\":\"x> 1:14 a closing quote";
    assert_eq!(texts(Format::SeveralPerLine, input), [expected, "{\"c\":1}", "{\"d\":2}"]);
}

#[test]
fn a_sequence_has_separators() {
    let input = "\x1e{\"a\":1}\n\x1e\x1e[\n2\n]\n\x1e12\x1e{\"b\":\n\x1e\"x\"\x1e3\n";
    assert_eq!(
        texts(Format::Sequence, input),
        [
            "{\"a\":1}",
            "[\n2\n]",
            "<12> 5:4 a newline behind the value, which may be cut short without",
            "<{\"b\":> 5:10 a value",
            "\"x\"",
            "3"
        ]
    );
    assert_eq!(
        texts(Format::Sequence, "{}\n\x1e{}\n"),
        ["<{}\n> 1:1 a record separator (byte 0x1e) before the record", "{}"]
    );
    assert_eq!(texts(Format::Sequence, "\u{feff}\x1e1\n"), ["1"]);
}

#[test]
fn an_array_is_its_elements() {
    let input = "[\n  {\"a\": 1},\n  {\"a\": [2, 3]},\n  4\n]\n";
    assert_eq!(texts(Format::Array, input), ["{\"a\": 1}", "{\"a\": [2, 3]}", "4"]);
    assert_eq!(texts(Format::Array, "\u{feff}[]"), [""; 0]);
    assert_eq!(texts(Format::Array, ""), [""; 0]);
    assert_eq!(texts(Format::Array, "[1,2"), ["1", "2", "<> 1:5 `,` or `]`"]);
    assert_eq!(texts(Format::Array, "[1,\n"), ["1", "<> 2:1 `,` or `]`"]);
    assert_eq!(texts(Format::Array, "[1,,2,]"), ["1", "<,> 1:4 a value", "2", "<]> 1:7 a value"]);
    assert_eq!(texts(Format::Array, "[1]\n[2]"), ["1", "<[2]> 2:1 nothing behind the array"]);
    assert_eq!(
        texts(Format::Array, "[nope,\n2 3]"),
        ["<nope> 1:3 the literal `null`", "2", "<3> 2:3 `,` before the next value"]
    );
}

#[test]
fn values_may_have_commas_between_or_behind_them() {
    assert_eq!(texts(Format::Comma, "1,[2],\n{\"a\":\n3}"), ["1", "[2]", "{\"a\":\n3}"]);
    assert_eq!(texts(Format::Comma, "{\"a\":1},\n{\"a\":2},\n"), ["{\"a\":1}", "{\"a\":2}"]);
    assert_eq!(texts(Format::Comma, "{}\n{}"), ["{}", "<{}> 2:1 `,` before the next value"]);
}

#[test]
fn auto_takes_the_format_of_each_input_and_says_so() {
    let inputs = [
        ("{\"a\":1}\n{\"a\":2}\n", Format::Lines),
        ("[\n{\"a\":1},\n{\"a\":2}]", Format::Array),
        ("\x1e{\"a\":1}\n\x1e{\"a\":2}\n", Format::Sequence),
        ("{\n\"a\":1}\n{\"a\":2}\n", Format::Concatenated),
        ("{\"a\":1},{\"a\":2}", Format::Comma),
        ("{\"a\":1}{\"a\":2}\n", Format::SeveralPerLine),
    ];
    for configuration in full() {
        let scan = configuration
            .apply(Scan::new(inputs.map(|(text, _)| Input::bytes(text.as_bytes())).into_iter().collect::<Vec<_>>()));
        let outcome = scan
            .format(Format::Auto)
            .map(|record| record.get("a").unwrap().unwrap().as_i64().unwrap().unwrap())
            .unwrap();
        assert_eq!(outcome.value, [1, 2].repeat(inputs.len()), "{configuration:?}");
        let taken: Vec<_> = outcome.notices.iter().map(|notice| notice.kind()).collect();
        assert_eq!(taken, inputs.map(|(_, format)| NoticeKind::Format(format)));
    }
}

#[test]
fn a_pretty_printed_document_read_as_lines_is_one_fault() {
    let document = format!("\n{{\n{}  \"z\": 0\n}}\n", "  \"a\": 1,\n".repeat(100_000));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pretty.json");
    fs::write(&path, &document).unwrap();
    for configuration in full() {
        for scan in [configuration.bytes(document.as_bytes()), configuration.apply(Scan::new(&path))] {
            let Error::Fault(fault) = scan.for_each(|_| ()).unwrap_err() else { panic!("no fault") };
            assert_eq!((fault.place().line(), fault.place().column(), fault.place().offset()), (Some(2), 2, 2));
            assert_eq!(fault.reason().kind(), FaultKind::SeveralLines);
        }
    }
}

#[test]
fn a_newline_within_the_first_record_costs_no_other_where_bad_lines_are_left_out() {
    let broken = "{\n\"id\":1}\n";
    let text = format!("{broken}{}", "{\"id\":2}\n".repeat(3000));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.json");
    fs::write(&path, &text).unwrap();
    for configuration in full() {
        for policy in [OnFault::Skip, OnFault::Salvage] {
            for scan in [configuration.bytes(text.as_bytes()), configuration.apply(Scan::new(&path))] {
                let outcome = scan.on_fault(policy).for_each(|_| ()).unwrap();
                assert_eq!((outcome.stats.records, outcome.stats.rejected), (3000, 2), "{configuration:?} {policy:?}");
                // A line break is no part of either bad line.
                assert_eq!(outcome.stats.rejected_bytes, broken.len() as u64 - 2);
                assert_eq!(outcome.notices.len(), 1);
                assert_eq!(
                    (outcome.notices[0].kind(), outcome.notices[0].is_warning()),
                    (NoticeKind::SeveralLines, true)
                );
            }
        }
    }
}

#[test]
fn notices_are_heard_up_to_the_fault_that_ends_a_scan() {
    let inputs = ["{\"a\":1},{\"a\":2}", "[{\"a\":1},\n{\"a\":}]", "{\"a\":1}\n{\"a\":2}\n"];
    for configuration in full() {
        let mut heard = Vec::new();
        let inputs = inputs.map(|text| Input::bytes(text.as_bytes()));
        let scan = configuration.apply(Scan::new(inputs)).format(Format::Auto);
        let ended = scan.notices(|notice| heard.push(notice.kind())).for_each(|_| ());
        assert!(matches!(ended, Err(Error::Fault(_))));
        assert_eq!(heard, [Format::Comma, Format::Array].map(NoticeKind::Format), "{configuration:?}");
    }
}

#[test]
fn files_of_sequences_are_read_as_any_other() {
    let input = "\x1e{\"a\":[1,\n2]}\n\x1e3\n\x1e\"four\"\n".repeat(500);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.json-seq");
    fs::write(&path, &input).unwrap();
    let expected = pieces_of(Scan::bytes(input.as_bytes()).format(Format::Sequence));
    assert_eq!(expected.len(), 1500);
    for configuration in full() {
        assert_eq!(
            pieces_of(configuration.apply(Scan::new(&path)).format(Format::Sequence)),
            expected,
            "{configuration:?}"
        );
    }
}

const FORMATS: [Format; 6] =
    [Format::Lines, Format::SeveralPerLine, Format::Concatenated, Format::Sequence, Format::Array, Format::Comma];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// Random pieces of text in every format: nothing depends on blocks, and no byte is passed over that does not separate.
    #[test]
    fn no_format_depends_on_how_the_input_is_cut(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "{\"a\":1}", "[1,{\"b\":[]}]", "\"x\"", "12", "true", "{", "}", "[", "]", ",", ":", "\"", "\\", "\n", "\n", " ", "\x1e", "\x1e",
            "\r\n", "no", "\0", "\u{feff}", "\\\"",
        ]), 0..30),
    ) {
        let input = pieces.concat();
        for format in FORMATS {
            let mut first: Option<Vec<Piece>> = None;
            for configuration in full() {
                for scan in ways(configuration, input.as_bytes()) {
                    let pieces = pieces_of(scan.format(format));
                    let first = first.get_or_insert_with(|| pieces.clone());
                    prop_assert_eq!(&*first, &pieces, "{:?} {:?}", configuration, format);
                }
            }
            let pieces = first.unwrap();
            let mut at = 0;
            let mut between = Vec::new();
            for piece in &pieces {
                prop_assert!(piece.offset >= at, "{:?}: two pieces share a byte", format);
                between.extend_from_slice(&input.as_bytes()[at as usize..piece.offset as usize]);
                at = piece.offset + piece.text.len() as u64;
            }
            between.extend_from_slice(&input.as_bytes()[at as usize..]);
            let between = between.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&between);
            let separators: &[u8] = match format {
                Format::Sequence => b" \t\r\n\x1e",
                Format::Array => b" \t\r\n[],",
                Format::Comma => b" \t\r\n,",
                _ => b" \t\r\n",
            };
            prop_assert!(between.iter().all(|byte| separators.contains(byte)), "{:?} {:?}", format, between);
        }
    }
}
