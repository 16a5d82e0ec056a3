//! `Format::Concatenated`: values back to back or pretty-printed, whole or broken, cut anywhere.

use ndskim::{Engine, Format, OnFault, Scan};

use super::support::{ENGINES, Script, place};

/// Records as text, and faults as places and reasons.
type Found = (Vec<String>, Vec<(Option<u64>, u64, u64, String)>);

fn scan(text: &[u8], block: usize, threads: usize, engine: Engine, step: Option<usize>) -> Found {
    let scan = match step {
        Some(step) => Scan::reader(Script::new(text.chunks(step).map(|chunk| Ok(chunk.to_vec())))),
        None => Scan::bytes(text),
    };
    let scan = scan.format(Format::Concatenated).block_size(block).threads(threads).engine(engine);
    let outcome = scan
        .on_fault(OnFault::Skip)
        .keep_faults(1000)
        .map(|record| String::from_utf8(record.text().to_vec()).unwrap())
        .unwrap();
    assert_eq!(outcome.stats.records, outcome.value.len() as u64);
    assert_eq!(outcome.stats.rejected, outcome.faults.len() as u64);
    assert_eq!(outcome.stats.bytes, text.len() as u64);
    let faults =
        outcome.faults.iter().map(place).map(|(_, line, column, offset, reason)| (line, column, offset, reason));
    (outcome.value, faults.collect())
}

/// Scans a text in blocks of 1 to 200 bytes and in every other way, and tells what all of them found.
fn every_way(text: &[u8]) -> Found {
    let expected = scan(text, 1 << 20, 1, Engine::Exact, None);
    for block in 1..=200 {
        assert_eq!(scan(text, block, 1 + block % 2, Engine::Auto, None), expected, "blocks of {block}");
    }
    for engine in ENGINES {
        for block in [1, 17, 64, 1000] {
            for step in [1, 2, 3, 50] {
                assert_eq!(scan(text, block, 2, engine, Some(step)), expected, "{engine:?}, blocks of {block}, {step}");
            }
            assert_eq!(scan(text, block, 8, engine, None), expected, "{engine:?}, blocks of {block}");
        }
    }
    expected
}

#[test]
fn pretty_printed_values() {
    let (records, faults) =
        every_way(b"{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"}{\\\"\"\n}\n[\n]\n\n{\r\n}\r\n");
    assert_eq!(records, ["{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"}{\\\"\"\n}", "[\n]", "{\r\n}"]);
    assert_eq!(faults, []);
}

#[test]
fn values_back_to_back() {
    let (records, faults) = every_way(b"{\"id\":1}{\"id\":2}[3][]{}{\"id\":\"4\"}");
    assert_eq!(records, ["{\"id\":1}", "{\"id\":2}", "[3]", "[]", "{}", "{\"id\":\"4\"}"]);
    assert_eq!(faults, []);
}

#[test]
fn scalars() {
    let (records, faults) = every_way(b"1 2\n-3.5e1\t\"a\"\"b\"true null{}false\"\\\\\"\"\xc3\xa9\" 0");
    assert_eq!(
        records,
        ["1", "2", "-3.5e1", "\"a\"", "\"b\"", "true", "null", "{}", "false", "\"\\\\\"", "\"é\"", "0"]
    );
    assert_eq!(faults, []);
}

#[test]
fn a_byte_order_mark_and_white_space_around() {
    let (records, faults) = every_way(b"\xef\xbb\xbf \n{\"a\":1}\r\n\r\n 2 \n\n");
    assert_eq!((records, faults), (vec!["{\"a\":1}".to_owned(), "2".to_owned()], vec![]));
    assert_eq!(every_way(b"\xef\xbb\xbf7 8").0, ["7", "8"]);
    assert_eq!(every_way(b"\xef\xbb\xbf").0, [""; 0]);
    assert_eq!(every_way(b" \n ").0, [""; 0]);
    let (records, faults) = every_way(b"1 \xef\xbb\xbf{}");
    assert_eq!(records, ["1", "{}"]);
    assert_eq!(faults, [(Some(1), 3, 2, "expected a value, found a byte order mark".to_owned())]);
}

#[test]
fn a_broken_value_does_not_swallow_those_behind_it() {
    // A string that is not closed, as in real archives: the next value follows on the same line.
    let (records, faults) = every_way(b"{\"id\":1}\n{\"id\":2,\"url\":\"http://api.\n{\"id\":3}\n{\"id\":4");
    assert_eq!(records, ["{\"id\":1}", "{\"id\":3}"]);
    assert_eq!(
        faults,
        [
            (Some(2), 27, 35, "expected an escape in place of this control character, found byte 0x0a".to_owned()),
            (Some(4), 8, 52, "expected `,` or `}`, found the end of the record".to_owned()),
        ]
    );
    // An object that is not closed, and brackets that do not match.
    let (records, faults) = every_way(b"{\"a\":1\n{\"b\":2}\n{\"c\":[1}\n]{\"d\":3}");
    assert_eq!(records, ["{\"b\":2}", "{\"d\":3}"]);
    assert_eq!(faults.len(), 2);
    assert_eq!(faults[0], (Some(2), 1, 7, "expected `,` or `}`, found the end of the record".to_owned()));
    assert_eq!(faults[1], (Some(3), 8, 22, "expected `,` or `]`, found `}`".to_owned()));
}

#[test]
fn places_are_in_lines_and_columns_of_the_whole_input() {
    let (records, faults) = every_way(b"{\n \"a\":1 } {\"b\":\n2 , \n} [1 2] tru {}");
    assert_eq!(records, ["{\n \"a\":1 }", "{}"]);
    assert_eq!(
        faults,
        [
            (Some(4), 1, 22, "expected a key in double quotes, found `}`".to_owned()),
            (Some(4), 6, 27, "expected `,` or `]`, found `2`".to_owned()),
            (Some(4), 12, 33, "expected the literal `true`, found the end of the record".to_owned()),
        ]
    );
}

#[test]
fn the_first_fault_ends_the_scan() {
    let text = b"{}\n{}{\"a\":\n\n}\n{]".repeat(20);
    for block in 1..=100 {
        for threads in [1, 2, 8] {
            let scan = Scan::bytes(&text).format(Format::Concatenated).block_size(block).threads(threads);
            let fault = super::support::fault(scan.for_each(|_| ()), "concatenated");
            let found = place(&fault);
            assert_eq!((found.1, found.2, found.3), (Some(4), 1, 12), "blocks of {block}, {threads} threads");
        }
    }
}

#[test]
fn records_know_where_they_are() {
    let text = b" {}\n\n[1]{\n}{\n} 5";
    for block in 1..20 {
        let scan = Scan::bytes(text).format(Format::Concatenated).threads(1).block_size(block);
        let outcome = scan.map(|record| (record.line(), record.place().column(), record.offset())).unwrap();
        let expected = [(1, 2, 1), (3, 1, 5), (3, 4, 8), (4, 2, 11), (5, 3, 15)];
        assert_eq!(
            outcome.value,
            expected.map(|(line, column, offset)| (Some(line), column, offset)),
            "blocks of {block}"
        );
    }
}
