//! Hostile lines, generated systematically, among good ones: what is a record and what is not, in every way of reading.
//!
//! Each kind of line says by hand whether it is good; the outside judge must say the same, and so must every configuration.

use std::io::{Seek, SeekFrom, Write};

use ndskim::{CountTable, OnFault, Pointer, Projection, Scan, Validation, ValueError};

use crate::configurations::{Configuration, all, full};
use crate::judge::{is_blank, is_record};

/// A line, and whether it is a record.
type Line = (Vec<u8>, bool);

/// Records, blank lines and rejects.
type Counts = (u64, u64, u64);

/// A number, if it can be given exactly.
type Exact<T> = Result<T, ()>;

const GOOD: &[u8] = b"{\"id\":1,\"a\":[true,null,{\"b\":\"x\\ny\"}]}";

/// Reads lines with a good one before and behind each, and holds what comes out against what was said of them.
fn check(lines: &[Line], end: &[u8], configurations: &[Configuration]) {
    let mut input = Vec::new();
    let (mut good, mut bad): (Vec<&[u8]>, Vec<&[u8]>) = (vec![GOOD], Vec::new());
    input.extend_from_slice(&[GOOD, end].concat());
    for (line, is_good) in lines {
        assert_eq!(is_record(line), *is_good && !is_blank(line), "the judge on {:?}", show(line));
        input.extend_from_slice(&[line, end, GOOD, end].concat());
        match (is_blank(line), is_good) {
            (true, _) => {}
            (false, true) => good.push(line),
            (false, false) => bad.push(line),
        }
        good.push(GOOD);
    }
    // The carriage return of a line's end belongs to the line.
    let trim = |text: &[u8]| text.strip_suffix(&end[..end.len() - 1]).unwrap_or(text).to_vec();
    for configuration in configurations {
        let mut rejects = Vec::new();
        let scan =
            configuration.bytes(&input).on_fault(OnFault::Skip).rejects(|reject| rejects.push(trim(reject.text())));
        let records = scan.map(|record| trim(record.text())).unwrap().value;
        if configuration.validation == Validation::Full {
            same(&records, &good, configuration);
            same(&rejects, &bad, configuration);
        } else {
            // What is not visited may pass; nothing good may fail.
            assert_eq!(records.len() + rejects.len(), good.len() + bad.len(), "{configuration:?}");
            assert!(rejects.iter().all(|reject| !is_record(reject)), "{configuration:?}");
        }
    }
}

fn same(found: &[Vec<u8>], expected: &[&[u8]], configuration: &Configuration) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(show(found), show(expected), "{configuration:?}");
    }
    assert_eq!(found.len(), expected.len(), "{configuration:?}");
}

fn show(text: &[u8]) -> String {
    let shown: String = text.iter().take(200).map(|&byte| std::ascii::escape_default(byte).to_string()).collect();
    format!("{shown} ({} bytes)", text.len())
}

/// Lines with a string of every length up to two vectors before what is hostile.
fn at_every_offset(piece: &[u8], is_good: bool) -> impl Iterator<Item = Line> {
    (0..130).map(move |pad| ([b"[\"", &vec![b'x'; pad][..], piece, b"\",1]"].concat(), is_good))
}

#[test]
fn every_escape_stands_at_every_offset() {
    let good = [
        r"\n",
        r#"\""#,
        r"\\",
        r"\/",
        r"\b",
        r"\f",
        r"\r",
        r"\t",
        r"\u00e9",
        r"\uD83D\uDE00",
        r"\ud800",
        r"\\\\\\",
        r#"\\\""#,
    ];
    let bad = [r"\x", r"\u", r"\u1", r"\u12", r"\u123", r"\u12g4", r"\U0041", r"\ ", r"\'", r"\0", r"\u+123", r#"\\\"#];
    for (pieces, is_good) in [(&good[..], true), (&bad[..], false)] {
        let lines: Vec<_> = pieces.iter().flat_map(|piece| at_every_offset(piece.as_bytes(), is_good)).collect();
        check(&lines, b"\n", &all());
    }
}

#[test]
fn control_bytes_are_refused_in_strings_and_outside() {
    let mut lines: Vec<Line> = Vec::new();
    for byte in (0..0x20).filter(|&byte| byte != b'\n') {
        let space = matches!(byte, b'\t' | b'\r');
        lines.push(([b"{\"a", &[byte][..], b"\":1}"].concat(), false));
        lines.push(([b"{\"a\":\"", &[byte][..], b"\"}"].concat(), false));
        lines.push(([b"{\"a\"", &[byte][..], b":1}"].concat(), space));
        lines.push(([b"[1", &[byte][..], b"]"].concat(), space));
        lines.push(([b"[1,", &[byte][..], b"2]"].concat(), space));
        lines.push(([&[byte][..], b"[]"].concat(), space));
        lines.push(([b"[]", &[byte][..]].concat(), space));
        lines.push(([b"tr", &[byte][..], b"ue"].concat(), false));
        lines.push((vec![byte], space));
    }
    for pad in 0..70 {
        lines.push(([b"[\"", &vec![b'x'; pad][..], b"\x1f\"]"].concat(), false));
        lines.push(([&vec![b' '; pad][..], b"\x1f"].concat(), false));
    }
    // Delete is no control character for JSON.
    lines.push((b"\"\x7f\"".to_vec(), true));
    check(&lines, b"\n", &all());
    check(&lines, b"\r\n", &all());
}

#[test]
fn nul_bytes_are_refused_wherever_they_are() {
    let lines: Vec<Line> = [
        &b"{\"a\":\0}"[..],
        b"{\"a\":1}\0",
        b"{\"a\":1}\0\0\0\0\0\0\0\0\0\0\0\0",
        b"\0{\"a\":1}",
        b"\0",
        b"\"\0\"",
        b"{\0}",
        b"[1\0,2]",
    ]
    .into_iter()
    .map(|line| (line.to_vec(), false))
    .chain([(vec![0; 5000], false), ([GOOD, &[0; 5000][..]].concat(), false), ([&[0; 5000][..], GOOD].concat(), false)])
    .collect();
    check(&lines, b"\n", &all());
}

#[test]
fn ill_formed_utf_8_is_refused_at_every_offset() {
    let good =
        ["é", "漢", "😀", "\u{7ff}", "\u{800}", "\u{ffff}", "\u{10000}", "\u{10ffff}", "\u{d7ff}\u{e000}", "\u{2028}"];
    let bad: [&[u8]; 22] = [
        b"\x80",
        b"\xbf",
        b"\xc0\x80",
        b"\xc1\xbf",
        b"\xc2",
        b"\xc3x",
        b"\xe0\x80\x80",
        b"\xe0\x9f\xbf",
        b"\xe1\x80",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xef\xbf",
        b"\xf0\x80\x80\x80",
        b"\xf0\x8f\xbf\xbf",
        b"\xf0\x9f\x98",
        b"\xf4\x90\x80\x80",
        b"\xf5\x80\x80\x80",
        b"\xff",
        b"\xfe",
        b"\xe6\xbc\xe6\xbc\xa2",
        b"\xc3\xa9\xa9",
        b"\xf8\x88\x80\x80\x80",
    ];
    let lines: Vec<_> = good.iter().flat_map(|piece| at_every_offset(piece.as_bytes(), true)).collect();
    check(&lines, b"\n", &all());
    let lines: Vec<_> = bad.iter().flat_map(|piece| at_every_offset(piece, false)).collect();
    check(&lines, b"\n", &all());
    let outside: Vec<Line> =
        ["é", "\u{feff}", "{\"a\":é}", "[1é]", "{é:1}", "\u{a0}1", "{\"a\":1}\u{feff}", "\u{feff}{\"a\":1}"]
            .into_iter()
            .map(|line| (line.as_bytes().to_vec(), false))
            .collect();
    check(&outside, b"\n", &full());
}

#[test]
fn what_others_let_pass_is_refused() {
    let bad = [
        "{'a':1}",
        "{a:1}",
        "{\"a\":1,}",
        "[1,]",
        "[,1]",
        "[1,,2]",
        "{,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1 \"b\":2}",
        "[1 2]",
        "{\"a\":1}{\"b\":2}",
        "{\"a\":1}}",
        "[]]",
        "{\"a\":1]",
        "[1}",
        "[[]",
        "{\"a\":{}",
        "}",
        "]",
        "{",
        "[",
        "\"",
        "\"a",
        ":",
        ",",
        "NaN",
        "Infinity",
        "-Infinity",
        "nan",
        "undefined",
        "True",
        "FALSE",
        "nul",
        "nulll",
        "truefalse",
        "tru e",
        "// a comment",
        "/* a comment */1",
        "1 // a comment",
        "[1 /* a */]",
        "#1",
        "01",
        "-01",
        "00",
        "+1",
        "1.",
        ".5",
        "-.5",
        "1e",
        "1e+",
        "1E-",
        "-",
        "--1",
        "1.e5",
        "1.5.5",
        "1e5e5",
        "0x10",
        "0b1",
        "1_000",
        "1,000",
        "1e5.5",
        "١",
        "[01]",
        "[1.]",
        "[-]",
        "[+1]",
        "[.5]",
        "{\"a\":1e}",
        "`1`",
        "\\u0031",
        "{\"a\"=1}",
        "{\"a\":1;\"b\":2}",
        "\"a\"b",
        "\"a\" \"b\"",
        "[\"a\":1]",
        "{\"a\",\"b\"}",
        "{1:2}",
        "{null:1}",
        "{[]:1}",
        "{\"a\":\"b\":\"c\"}",
        "{\"a\":1,2}",
    ];
    let mut lines: Vec<Line> = bad.into_iter().map(|line| (line.as_bytes().to_vec(), false)).collect();
    // The same, far into a line, where a vector is full.
    lines.extend(bad.into_iter().map(|line| (format!("[\"{}\",{line}]x", "x".repeat(100)).into_bytes(), false)));
    check(&lines, b"\n", &all());
    check(&lines, b"\r\n", &full());
}

#[test]
fn an_unclosed_quote_spoils_its_own_line_only() {
    let lines: Vec<Line> = (0..200)
        .flat_map(|length| {
            let text = "x".repeat(length);
            [
                format!("\"{text}"),
                format!("{{\"{text}"),
                format!("{{\"a\":\"{text}}}"),
                format!("[\"{text}\\\"]"),
                format!("\"{text}\\"),
            ]
        })
        .map(|line| (line.into_bytes(), false))
        .collect();
    check(&lines, b"\n", &all());
}

#[test]
fn lines_of_every_length_are_told_apart_at_every_edge() {
    // Windows, vectors and blocks end in powers of two; each length begins and ends on either side of them.
    for edge in [64, 300, 4096, 32 << 10, 64 << 10] {
        let mut lines: Vec<Line> = Vec::new();
        let mut length = 0;
        for short in 0..300 {
            let filler = (edge - (length + 2 * (GOOD.len() + 1) + 150) % edge) % edge;
            for size in [filler, short, short] {
                let text = if size < 2 { "1".repeat(size) } else { format!("\"{}\"", "x".repeat(size - 2)) };
                length += text.len() + 1 + GOOD.len() + 1;
                lines.push((text.into_bytes(), true));
            }
        }
        let few: Vec<_> =
            all().into_iter().filter(|configuration| configuration.block_size >= 300 || edge <= 300).collect();
        check(&lines, b"\n", &few);
    }
}

#[test]
fn inputs_without_records_and_without_ends_are_read() {
    let count = |configuration: &Configuration, input: &[u8]| {
        let stats = configuration.bytes(input).on_fault(OnFault::Skip).for_each(|_| ()).unwrap().stats;
        (stats.records, stats.blank, stats.rejected, stats.bytes)
    };
    let newlines = vec![b'\n'; 10_000];
    let spaces = vec![b' '; 10_000];
    let cases: [(&[u8], Counts); 14] = [
        (b"", (0, 0, 0)),
        (&newlines, (0, 10_000, 0)),
        (&spaces, (0, 1, 0)),
        (b"{}", (1, 0, 0)),
        (b"{}\n{}", (2, 0, 0)),
        (b"{}\r\n{}\r\n", (2, 0, 0)),
        (b"{}\r\n\r\n{}", (2, 1, 0)),
        (b"{}\r{}\n", (0, 0, 1)),
        (b"\r\r{}\r\r\n", (1, 0, 0)),
        (b"\xef\xbb\xbf{}\n{}\n", (2, 0, 0)),
        (b"\xef\xbb\xbf", (0, 0, 0)),
        (b"{}\n\xef\xbb\xbf{}\n", (1, 0, 1)),
        (b"\xef\xbb{}\n", (0, 0, 1)),
        (b"{}\n\x0b\n{}", (2, 0, 1)),
    ];
    for configuration in full() {
        for (input, (records, blank, rejected)) in cases {
            assert_eq!(
                count(&configuration, input),
                (records, blank, rejected, input.len() as u64),
                "{configuration:?} {}",
                show(input)
            );
        }
    }
}

#[test]
fn the_holes_of_a_sparse_file_are_nul_bytes() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    // A hole of a megabyte that no write has filled, and one at the end.
    file.write_all(b"{\"a\":1}\n").unwrap();
    file.seek(SeekFrom::Start(1 << 20)).unwrap();
    file.write_all(b"{\"a\":2}\n{\"a\":3}\n").unwrap();
    file.as_file().set_len(2 << 20).unwrap();
    for configuration in few() {
        let scan = configuration.apply(Scan::new(file.path())).on_fault(OnFault::Skip);
        let outcome = scan.map(|record| record.offset()).unwrap();
        if configuration.validation == Validation::Full {
            assert_eq!((outcome.value, outcome.stats.rejected), (vec![0, (1 << 20) + 8], 2), "{configuration:?}");
            let scan = configuration.apply(Scan::new(file.path())).on_fault(OnFault::Salvage);
            assert_eq!(scan.map(|record| record.offset()).unwrap().value, [0, 1 << 20, (1 << 20) + 8]);
        }
        assert_eq!((outcome.stats.records + outcome.stats.rejected, outcome.stats.bytes), (4, 2 << 20));
    }
}

#[test]
fn utf_16_is_named_whether_it_has_a_mark_or_not() {
    let text = "{\"a\":1}\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for input in [&[b"\xff\xfe", &little[..]].concat(), &[b"\xfe\xff", &big[..]].concat(), &little, &big] {
        let error = Scan::bytes(input).for_each(|_| ()).unwrap_err().to_string();
        assert!(error.contains("it is UTF-16, which is not read; pipe it through `iconv -f UTF-16"), "{error}");
    }
}

#[test]
fn depth_has_its_limit_and_costs_nothing_beyond() {
    let mut lines: Vec<Line> = Vec::new();
    for depth in [1, 63, 64, 65, 127, 128, 1023, 1024, 1025, 2000] {
        let is_good = depth <= 1024;
        lines.push((["[".repeat(depth), "]".repeat(depth)].concat().into_bytes(), is_good));
        lines.push((["{\"a\":".repeat(depth), "1".into(), "}".repeat(depth)].concat().into_bytes(), is_good));
        let mixed = ["[{\"a\":".repeat(depth / 2), "1".into(), "}]".repeat(depth / 2)].concat();
        lines.push((mixed.into_bytes(), depth <= 1025));
        lines.push((["[".repeat(depth), "}".repeat(depth)].concat().into_bytes(), false));
    }
    check(&lines, b"\n", &all());
}

/// The configurations with blocks of a useful size, for lines of megabytes.
fn few() -> Vec<Configuration> {
    all().into_iter().filter(|configuration| configuration.block_size == 4096).collect()
}

#[test]
fn very_long_lines_are_no_trouble() {
    let million = 1 << 20;
    let mut keys: Vec<String> = (0..100_000).map(|n| format!("\"key{n}\":{n}")).collect();
    keys.push("\"key0\":\"again\"".to_owned());
    let lines: Vec<Line> = vec![
        (vec![b'['; 10_000_000], false),
        ("[]".repeat(5_000_000).into_bytes(), false),
        (format!("{{\"{}\":1}}", "k".repeat(million)).into_bytes(), true),
        (format!("{{{}}}", keys.join(",")).into_bytes(), true),
        (format!("[\"{}\"]", "é".repeat(10 * million)).into_bytes(), true),
        (format!("[{}]", "1".repeat(10_000)).into_bytes(), true),
        (format!("[1.{}e1]", "5".repeat(10_000)).into_bytes(), true),
        (format!("[1{}1]", " ".repeat(million)).into_bytes(), false),
        (format!("[{}1]", "\t ".repeat(million)).into_bytes(), true),
        (format!("[{}1]", "1,".repeat(million)).into_bytes(), true),
        (format!("\"{}\"", "\\\\".repeat(million)).into_bytes(), true),
        (format!("\"{}", "\\\"".repeat(million)).into_bytes(), false),
    ];
    check(&lines, b"\n", &few());
}

/// For a machine with a few GB to spare: `cargo test --release -p ndskim --test robustness -- --ignored`.
#[test]
#[ignore = "takes a GB of memory"]
fn a_string_of_300_mb_is_a_record() {
    let mut input = b"{\"a\":\"".to_vec();
    input.resize(300_000_000, b'x');
    input.extend_from_slice(b"\"}\n{\"a\":\"y\"}\n");
    for configuration in few().into_iter().map(|few| Configuration { block_size: 1 << 20, ..few }) {
        let lengths = configuration
            .bytes(&input)
            .map(|record| record.get("a").unwrap().unwrap().as_str().unwrap().unwrap().len())
            .unwrap();
        assert_eq!(lengths.value, [299_999_994, 1], "{configuration:?}");
    }
}

#[test]
fn a_million_groups_are_counted() {
    let input: String = (0..1_000_000).map(|n| format!("{{\"k\":\"{n}\"}}\n{{\"k\":{}}}\n", n % 10)).collect();
    let outcome = Scan::bytes(input.as_bytes()).threads(2).count_by(Pointer::parse("/k").unwrap()).unwrap();
    assert_eq!((outcome.value.len(), outcome.value.total()), (1_000_010, 2_000_000));
}

#[test]
fn keys_made_to_collide_cost_no_more_than_others() {
    // Equal lengths, equal first and last bytes, and all permutations of the same few blocks: what weak hashes map to one.
    let blocks = ["Aa", "BB"];
    let keys: Vec<String> = (0..1 << 14).map(|n| (0..14).map(|bit| blocks[n >> bit & 1]).collect()).collect();
    let input: String = keys.iter().map(|key| format!("{{\"k\":\"{key}\"}}\n")).collect();
    let counts: CountTable = Scan::bytes(input.as_bytes()).count_by(Pointer::parse("/k").unwrap()).unwrap().value;
    assert_eq!((counts.len(), counts.total()), (1 << 14, 1 << 14));
    assert!(counts.sorted().into_iter().all(|(_, count)| count == 1));
}

#[test]
fn pointers_find_what_they_name_and_nothing_else() {
    let cases: &[(&str, &str, Option<&str>)] = &[
        (r#"{"a":1,"a":2}"#, "/a", Some("1")),
        (r#"{"\u0061":1,"a":2}"#, "/a", Some("1")),
        (r#"{"b":0,"\u0061":2}"#, "/a", Some("2")),
        (r#"{"ab":1,"a":2}"#, "/a", Some("2")),
        (r#"{"a":1}"#, "/ab", None),
        (r#"{"":1}"#, "/", Some("1")),
        (r#"{"":{"":2}}"#, "//", Some("2")),
        (r#"{"a/b":1,"~":2}"#, "/a~1b", Some("1")),
        (r#"{"a/b":1,"~":2}"#, "/~0", Some("2")),
        (r#"{"a":[10,[20,30]]}"#, "/a/1/0", Some("20")),
        (r#"{"a":[10,20]}"#, "/a/2", None),
        (r#"{"a":[10,20]}"#, "/a/01", None),
        (r#"{"a":[10,20]}"#, "/a/-", None),
        (r#"{"a":{"0":1}}"#, "/a/0", Some("1")),
        (r#"{"a":1}"#, "/a/b", None),
        (r#"{"a":null}"#, "/a/b", None),
        (r#"{"a":null}"#, "/a", Some("null")),
        (r#"{"a":"b"}"#, "/a/0", None),
        (r#"{"a":{"b":{"c":1}},"a":{"b":{"c":2}}}"#, "/a/b/c", Some("1")),
        (r#"{"x":"\"a\":1","a":2}"#, "/a", Some("2")),
        (r#"{"x":{"a":1},"a":2}"#, "/a", Some("2")),
        (r#"{"A":1,"a ":2," a":3}"#, "/a", None),
        (r#"[1]"#, "/a", None),
        (r#"5"#, "", Some("5")),
        (r#"{"é":1}"#, "/é", Some("1")),
        (r#"{"\u00e9":1}"#, "/é", Some("1")),
        (r#"{"\ud83d\ude00":1}"#, "/😀", Some("1")),
        (r#"{"\ud800":1,"a":2}"#, "/a", Some("2")),
        (r#"{"a\\":1,"a":2}"#, "/a", Some("2")),
        (r#"{"a\"b":1}"#, "/a\"b", Some("1")),
    ];
    for configuration in all() {
        for (record, pointer, expected) in cases {
            let pointer = Pointer::parse(pointer).unwrap();
            let raw = |value: ndskim::Value<'_>| String::from_utf8(value.raw().unwrap().to_vec()).unwrap();
            let input = [record.as_bytes(), b"\n"].concat();
            let got =
                configuration.bytes(&input).map(|record| record.pointer(&pointer).unwrap().map(raw)).unwrap().value;
            assert_eq!(got, [expected.map(str::to_owned)], "{configuration:?} {record} {pointer}");
            let scan = configuration.bytes(&input).project(Projection::from(vec![pointer.clone()]));
            let got = scan.map(|record| record.field(0).map(raw)).unwrap().value;
            assert_eq!(got, [expected.map(str::to_owned)], "{configuration:?} {record} {pointer}, projected");
        }
    }
}

#[test]
fn numbers_are_exact_or_not_given() {
    use ValueError::Unrepresentable;
    let cases: &[(&str, Exact<i64>, Exact<u64>)] = &[
        ("9007199254740991", Ok(9_007_199_254_740_991), Ok(9_007_199_254_740_991)),
        ("9007199254740993", Ok(9_007_199_254_740_993), Ok(9_007_199_254_740_993)),
        ("9223372036854775807", Ok(i64::MAX), Ok(i64::MAX as u64)),
        ("9223372036854775808", Err(()), Ok(1 << 63)),
        ("18446744073709551615", Err(()), Ok(u64::MAX)),
        ("18446744073709551616", Err(()), Err(())),
        ("-9223372036854775808", Ok(i64::MIN), Err(())),
        ("-9223372036854775809", Err(()), Err(())),
        ("-0", Ok(0), Ok(0)),
        ("1e2", Ok(100), Ok(100)),
        ("1.5", Err(()), Err(())),
        ("1e400", Err(()), Err(())),
    ];
    for configuration in all() {
        for &(text, signed, unsigned) in cases {
            let input = format!("[{text}]\n");
            let get = |record: ndskim::Record<'_>| {
                let value = record.pointer(&Pointer::parse("/0").unwrap()).unwrap().unwrap();
                (value.as_i64(), value.as_u64())
            };
            let got = configuration.bytes(input.as_bytes()).map(get).unwrap().value;
            let expected =
                (signed.map(Some).map_err(|()| Unrepresentable), unsigned.map(Some).map_err(|()| Unrepresentable));
            assert_eq!(got, [expected], "{configuration:?} {text}");
        }
    }
}

#[test]
fn lone_surrogates_are_valid_and_have_no_exact_text() {
    for configuration in all() {
        for escape in [r"\ud800", r"\udfff", r"\udc00\ud800", r"\ud800x"] {
            let input = format!("{{\"a\":\"{escape}\"}}\n");
            let read = |record: ndskim::Record<'_>| {
                let value = record.get("a").unwrap().unwrap();
                (value.as_str().map(|_| ()), value.to_str_lossy().unwrap().unwrap().into_owned())
            };
            let (exact, lossy) = configuration.bytes(input.as_bytes()).map(read).unwrap().value.remove(0);
            assert_eq!(exact, Err(ValueError::Unrepresentable), "{configuration:?}");
            assert!(lossy.starts_with('\u{fffd}'), "{configuration:?} {lossy:?}");
        }
    }
}
