//! Fields and the tape, against serde_json.

use std::ops::ControlFlow;

use super::super::output::{BadLine, Output, RecordView};
use super::super::tape::{Tape, TapeValue};
use super::json::{Style, Writer};
use super::{Fenced, Random, drivers, drivers_with, effort, has_room, notes_of};
use crate::kernel::Kernel;
use crate::pointer::Projection;
use serde_json::Value;

const POINTERS: [&str; 19] = [
    "",
    "/a",
    "/b/a",
    "/b/a",
    "/ab/0",
    "/0",
    "/1/1",
    "/type",
    "/typ/type",
    "/é",
    "/x~1y",
    "/m~0n/a",
    "/a\"b",
    // Never a key: what looks like it is a string, a comma and a key.
    "/1\",\"a",
    "/a\\",
    "/key of more than 16 bytes/key of more than 16 bytez",
    "/\u{1F600}",
    "/",
    "/a/b/a/b",
];

fn parse(raw: &[u8]) -> Value {
    serde_json::from_slice(raw).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(raw)))
}

/// Serde_json's pointers take `+1`, `01` and the like for no index too; but its numbers overflow, so none here does.
fn check_fields(record: &RecordView<'_>, block: &[u8], pointers: &[&str]) {
    let (tape, root) = record.tape.expect("a tape");
    let expected = parse(&block[record.start..record.end]);
    assert_eq!(parse(tape.raw(root)), expected);
    for (pointer, field) in pointers.iter().zip(record.fields) {
        let found = field.map(|value| parse(tape.raw(value)));
        let wanted = expected.pointer(pointer).cloned();
        assert_eq!(found, wanted, "{pointer} of {}", String::from_utf8_lossy(&block[record.start..record.end]));
    }
}

fn random_block(random: &mut Random, style: Style, floats: usize, newline: &[u8]) -> Vec<u8> {
    let mut writer = Writer { random, style, floats, escaped_keys: 10, distinct_keys: true, out: Vec::new() };
    for _ in 0..30 {
        let depth = 1 + writer.random.below(5);
        if writer.random.below(5) == 0 {
            writer.value(depth)
        } else {
            writer.object(depth)
        }
        writer.out.extend_from_slice(newline);
    }
    writer.out
}

fn random_containers(random: &mut Random, style: Style, floats: usize, separator: &[u8]) -> Vec<u8> {
    let mut writer = Writer { random, style, floats, escaped_keys: 10, distinct_keys: true, out: Vec::new() };
    for _ in 0..30 {
        let depth = 1 + writer.random.below(5);
        writer.object(depth);
        writer.out.extend_from_slice(separator);
    }
    writer.out
}

/// Single keys, which are found by columns.
const KEYS: [&str; 6] = ["/type", "/a", "", "/ab", "/0", "/a"];

#[test]
fn fields_are_those_of_serde_json() {
    check_all(&POINTERS);
}

#[test]
fn fields_by_columns_are_those_of_serde_json() {
    check_all(&KEYS);
}

fn check_all(pointers: &[&str]) {
    let projection = Projection::new(pointers.iter().copied()).unwrap();
    let mut random = Random(11);
    let mut fenced = Fenced::new(1 << 20);
    for (name, driver) in &mut drivers_with(&projection) {
        if !has_room(name) {
            continue;
        }
        for round in 0..60 * effort() {
            let (style, newline) = [
                (Style::Compact, &b"\n"[..]),
                (Style::Spaced, b"\n"),
                (Style::Compact, b"\r\n"),
                (Style::Loose, b" \t\n"),
            ][round / 2 % 4];
            let block = random_block(&mut random, style, [1, 1000][round % 2], newline);
            let mut records = 0;
            notes_of(driver, fenced.at_end(&block, b'"'), &mut |record| {
                check_fields(record, &block, pointers);
                records += 1;
            });
            assert_eq!(records, 30, "{name}");
        }
    }
}

/// Hands each record to a function.
struct Each<'a>(&'a mut dyn FnMut(&RecordView<'_>));

impl Output for Each<'_> {
    fn looks(&self) -> bool {
        true
    }

    fn unseen(&mut self, _: u64) {
        panic!("records were asked for");
    }

    fn record(&mut self, record: &RecordView<'_>) -> ControlFlow<()> {
        (self.0)(record);
        ControlFlow::Continue(())
    }

    fn fault(&mut self, bad: BadLine) -> ControlFlow<()> {
        panic!("no record is bad: {bad:?}");
    }
}

#[test]
fn fields_of_values_that_are_not_lines() {
    for pointers in [&POINTERS[..], &KEYS] {
        let projection = Projection::new(pointers.iter().copied()).unwrap();
        let mut random = Random(13);
        let mut fenced = Fenced::new(1 << 20);
        for (name, driver) in &mut drivers_with(&projection) {
            if !has_room(name) {
                continue;
            }
            for round in 0..40 * effort() {
                let style = [Style::Pretty, Style::Compact, Style::Loose, Style::Spaced][round / 2 % 4];
                let separator = [&b"\n"[..], b"", b" \r\n\t"][round % 3];
                let block = random_containers(&mut random, style, [1, 1000][round % 2], separator);
                let mut records = 0;
                driver.run_values(
                    fenced.at_end(&block, b'"'),
                    &mut Each(&mut |record| {
                        check_fields(record, &block, pointers);
                        records += 1;
                    }),
                );
                assert_eq!(records, 30, "{name}");
            }
        }
    }
}

/// A key that holds a quote can only be met with an escape; without one, it must not match what is on both sides of a quote.
#[test]
fn a_key_does_not_begin_within_another() {
    let projection = Projection::new(["/a\",\"b", "/b", "/xb"]).unwrap();
    let mut fenced = Fenced::new(4096);
    for text in ["{\"x\":\"a\",\"b\":1}\n", "{ \"x\" : \"a\",\"b\" : 1 }\n", "{\"x\":\"a\",\n\"b\":1}"] {
        for (name, driver) in &mut drivers_with(&projection) {
            if has_room(name) {
                let block = fenced.at_end(text.as_bytes(), b'"');
                let mut found = Vec::new();
                driver.run_values(
                    block,
                    &mut Each(&mut |record| found.extend(record.fields.iter().map(Option::is_some))),
                );
                assert_eq!(found, [false, true, false], "{name}: {text}");
            }
        }
    }
}

/// Compact lines, and behind them a line that needs another variant, which may begin anywhere in a window.
#[test]
fn fields_where_the_style_changes_within_a_window() {
    let lines = [
        r#"{"k\u0061"  :1,"b" :	2}"#,
        r#"{"a\"b" : [1,	2 ] , "k\u0061":3}"#,
        r#"{ "b":"\"" , "ka" 	: "x" }"#,
        r#"{"\u006ba" 	 :{"\u0062"  : 1} , "b":0 }"#,
    ];
    let projection = Projection::new(["/ka", "/b", "/ka/b", "/a\"b/1"]).unwrap();
    let pointers = ["/ka", "/b", "/ka/b", "/a\"b/1"];
    let mut fenced = Fenced::new(1 << 16);
    for (name, driver) in &mut drivers_with(&projection) {
        if !has_room(name) {
            continue;
        }
        for offset in 0..130 {
            let mut block = format!("[\"{}\"]\n", "x".repeat(offset)).into_bytes();
            for line in lines.iter().chain(&lines) {
                block.extend_from_slice(b"{\"b\":1,\"ka\":[true]}\n");
                block.extend_from_slice(line.as_bytes());
                block.push(b'\n');
            }
            let mut records = 0;
            notes_of(driver, fenced.at_end(&block, b'"'), &mut |record| {
                check_fields(record, &block, &pointers);
                records += 1;
            });
            assert_eq!(records, 17, "{name}");
        }
    }
}

/// Walks a whole record over the tape and builds the value that it is.
pub(super) fn rebuild<'a>(tape: &'a Tape<'a>, value: TapeValue) -> Value {
    match tape.first_byte(value) {
        b'{' => {
            let mut members = serde_json::Map::new();
            for member in tape.members(value) {
                let key = &tape.text[member.key_start - 1..member.key_end + 1];
                let Value::String(key) = parse(key) else { panic!("a key is a string") };
                assert!(
                    tape.key_is(member, key.as_bytes()),
                    "{key:?} in {:?}",
                    String::from_utf8_lossy(&tape.text[value.start.saturating_sub(100)..member.key_end + 10])
                );
                for kernel in kernels() {
                    assert_eq!(tape.get(kernel, value, &key), Some(member.value));
                }
                members.insert(key, rebuild(tape, member.value));
            }
            Value::Object(members)
        }
        b'[' => {
            let elements: Vec<_> = tape.elements(value).collect();
            for (index, element) in elements.iter().enumerate() {
                assert_eq!(tape.index(value, index), Some(*element));
            }
            assert_eq!(tape.index(value, elements.len()), None);
            for kernel in kernels() {
                assert_eq!(tape.get(kernel, value, "a"), None);
            }
            Value::Array(elements.into_iter().map(|element| rebuild(tape, element)).collect())
        }
        _ => {
            assert_eq!(tape.members(value).count() + tape.elements(value).count(), 0);
            parse(tape.raw(value))
        }
    }
}

#[test]
fn a_walk_over_the_tape_gives_the_whole_record() {
    let mut random = Random(12);
    let mut fenced = Fenced::new(1 << 20);
    for (name, driver) in &mut drivers() {
        for round in 0..20 * effort() {
            let (style, newline) =
                [(Style::Compact, &b"\n"[..]), (Style::Spaced, b"\n"), (Style::Spaced, b"\r\n")][round % 3];
            let block = random_block(&mut random, style, [1, 1000][round % 2], newline);
            notes_of(driver, fenced.at_start(&block, b'{'), &mut |record| {
                let Some((tape, root)) = record.tape else { return };
                assert_eq!(rebuild(tape, root), parse(&block[record.start..record.end]), "{name}");
            });
        }
    }
}

/// What one record's fields are, as text.
fn fields_of(record: &str, pointers: &[&str]) -> Vec<Option<String>> {
    let projection = Projection::new(pointers.iter().copied()).unwrap();
    let mut fenced = Fenced::new(1 << 12);
    let mut all = Vec::new();
    for (name, driver) in &mut drivers_with(&projection) {
        if !has_room(name) {
            continue;
        }
        let mut found = Vec::new();
        notes_of(driver, fenced.at_end(record.as_bytes(), b'"'), &mut |record| {
            let (tape, _) = record.tape.expect("a tape");
            let text = |value: TapeValue| String::from_utf8(tape.raw(value).to_vec()).unwrap();
            found = record.fields.iter().map(|field| field.map(text)).collect();
        });
        all.push(found);
    }
    assert!(all.iter().all(|found| *found == all[0]), "kernels differ: {all:?}");
    all.swap_remove(0)
}

fn some(values: &[&str]) -> Vec<Option<String>> {
    values.iter().map(|value| Some((*value).to_owned())).collect()
}

#[test]
fn the_first_of_equal_keys_wins() {
    assert_eq!(fields_of(r#"{"a":1,"b":2,"a":3}"#, &["/a", "/b"]), some(&["1", "2"]));
    // Even if it leads nowhere.
    assert_eq!(fields_of(r#"{"a":1,"a":{"b":2}}"#, &["/a/b"]), [None]);
    assert_eq!(fields_of(r#"{"a":{"b":2},"a":{"b":3}}"#, &["/a/b", "/a"]), some(&["2", r#"{"b":2}"#]));
}

#[test]
fn escaped_keys_are_the_keys_that_they_mean() {
    assert_eq!(fields_of(r#"{"\u0061":1,"a":2}"#, &["/a"]), some(&["1"]));
    assert_eq!(fields_of(r#"{"a":1,"\u0061":2}"#, &["/a"]), some(&["1"]));
    // Equal as bytes, but not once unescaped.
    assert_eq!(fields_of(r#"{"\u0061":1}"#, &[r"/\u0061"]), [None]);
    assert_eq!(fields_of(r#"{"\\u0061":1,"a":2}"#, &["/a", "/\\u0061"]), some(&["2", "1"]));
    assert_eq!(fields_of(r#"{"\"":"\"","x":{"\u00e9":[{"\/":0}]}}"#, &["/\"", "/x/é/0/~1"]), some(&[r#""\"""#, "0"]));
}

#[test]
fn a_token_is_a_key_or_an_index_by_the_container() {
    assert_eq!(
        fields_of(r#"[{"0":"k"},[1,2]]"#, &["/0/0", "/1/0", "/1/1", "/0", "/1/2", "/-"])[..3],
        some(&[r#""k""#, "1", "2"])
    );
    assert_eq!(fields_of(r#"[[],[[]],{}]"#, &["/0/0", "/1/0", "/2/0", "/3"]), [None, Some("[]".into()), None, None]);
    assert_eq!(
        fields_of(r#"{"a":[ 1, {"b": [2, 3]}]}"#, &["/a/1/b/1", "/a/0", "/a/01"]),
        [Some("3".into()), Some("1".into()), None]
    );
}

#[test]
fn pointers_of_all_relations() {
    let record = r#"{"a":{"b":{"c":[true]}},"ab":null}"#;
    let found = fields_of(record, &["", "/a", "/a/b", "/a/b/c", "/a/b/c/0", "/ab", "/a", "/a/b/c/0/x", "/c"]);
    let mut expected =
        some(&[record, r#"{"b":{"c":[true]}}"#, r#"{"c":[true]}"#, "[true]", "true", "null", r#"{"b":{"c":[true]}}"#]);
    expected.extend([None, None]);
    assert_eq!(found, expected);
}

#[test]
fn records_that_are_scalars() {
    for record in ["1", "-0.5e7", "\"a\"", "true", "\"\\n\""] {
        assert_eq!(fields_of(record, &["", "/a", "/0"]), [Some(record.to_owned()), None, None]);
    }
}

#[test]
fn more_keys_than_distances_are_compared() {
    let keys: Vec<_> = (0..40).map(|n| format!("k{n}")).collect();
    let members: Vec<_> = keys.iter().enumerate().map(|(n, key)| format!("\"{key}\":{n}")).collect();
    let pointers: Vec<_> = keys.iter().map(|key| format!("/{key}")).collect();
    let pointers: Vec<_> = pointers.iter().map(String::as_str).collect();
    let record = format!("{{{}}}", members.join(","));
    let expected: Vec<_> = (0..40).map(|n| Some(n.to_string())).collect();
    assert_eq!(fields_of(&record, &pointers), expected);
}

fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.into_iter().filter(|kernel| kernel.is_available())
}
