//! Random documents with random damage, scanned with random settings, against a reference that is plain to read: line by line,
//! with `str::from_utf8` and serde_json.

use ndskim::{Format, OnFault, Projection, Scan, Validation};
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::support::{ENGINES, Script};

/// What a scan should find: the offset and length of each good record with the kind of its member `a`, the lines of the bad
/// ones, and the number of blank lines.
#[derive(Debug, Default, PartialEq)]
struct Found {
    good: Vec<(u64, usize, Option<&'static str>)>,
    bad: Vec<u64>,
    blank: u64,
}

/// The reference.
fn reference(text: &[u8]) -> Found {
    let mut found = Found::default();
    let mark = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut offset = mark;
    let lines = text[mark..].split_inclusive(|&byte| byte == b'\n');
    for (number, line) in lines.enumerate() {
        let record = line.strip_suffix(b"\n").unwrap_or(line);
        if record.iter().all(|byte| b" \t\r".contains(byte)) {
            found.blank += 1;
        } else {
            match kind_of_a(record) {
                Some(kind) => found.good.push((offset as u64, record.len(), kind)),
                None => found.bad.push(number as u64 + 1),
            }
        }
        offset += line.len();
    }
    found
}

/// The kind of the first member `a`, if the record is JSON; `None` if it is not.
fn kind_of_a(record: &[u8]) -> Option<Option<&'static str>> {
    let text = std::str::from_utf8(record).ok()?;
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    IgnoredAny::deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let is_object = text.trim_ascii_start().starts_with('{');
    Some(is_object.then(|| reader.deserialize_map(FirstA).unwrap()).flatten())
}

struct FirstA;

impl<'de> Visitor<'de> for FirstA {
    type Value = Option<&'static str>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut first = None;
        // Keys as bytes, in which serde_json lets a lone surrogate through, as RFC 8259 does.
        while let Some(Bytes(key)) = map.next_key()? {
            let kind = map.next_value::<KindOf>()?.0;
            if key == b"a" {
                first.get_or_insert(kind);
            }
        }
        Ok(first)
    }
}

struct Bytes(Vec<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AsBytes;
        impl Visitor<'_> for AsBytes {
            type Value = Bytes;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
            fn visit_str<E>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }
        }
        deserializer.deserialize_bytes(AsBytes)
    }
}

/// The kind of a value, which is otherwise only checked.
struct KindOf(&'static str);

impl<'de> Deserialize<'de> for KindOf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&serde_json::value::RawValue>::deserialize(deserializer)?;
        Ok(Self(match raw.get().as_bytes()[0] {
            b'{' => "object",
            b'[' => "array",
            b'"' => "string",
            b't' | b'f' => "boolean",
            b'n' => "null",
            _ => "number",
        }))
    }
}

/// JSON text of one value, on one line.
fn json() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|n| n.to_string()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,18})?([eE][+-]?[0-9]{1,4})?",
        string(),
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..5), space())
                .prop_map(|(items, s)| format!("[{s}{}{s}]", items.join(&format!("{s},{s}")))),
            prop::collection::vec((key(), space(), inner), 0..5).prop_map(|members| {
                let members: Vec<_> = members.iter().map(|(k, s, v)| format!("{s}{k}{s}:{s}{v}{s}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![4 => "\"[ab]{0,2}\"", 1 => Just("\"\\u0061\"".to_owned()), 1 => string()]
}

fn string() -> impl Strategy<Value = String> {
    let escapes = ["\\\"", "\\\\", "\\/", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\uD800"];
    let piece = prop_oneof![
        4 => "[ -!#-\\[\\]-~]{0,70}",
        1 => "[é漢😀\u{7f}\u{2028}]{0,12}",
        1 => prop::sample::select(escapes.to_vec()).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn space() -> impl Strategy<Value = String> {
    prop_oneof![6 => Just(String::new()), 1 => "[ \t\r]{0,3}"]
}

/// A text that shows as one where a test fails.
#[derive(Clone)]
struct Text(Vec<u8>);

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Lines of JSON with some blank ones, and perhaps a mark before them and no newline behind.
fn document() -> impl Strategy<Value = Text> {
    let line = prop_oneof![8 => json(), 1 => "[ \t\r]{0,3}"];
    let end = prop_oneof![4 => Just("\n"), 1 => Just("\r\n"), 1 => Just(" \t\n")];
    (prop::collection::vec((line, end), 0..30), any::<bool>(), prop::bool::weighted(0.2)).prop_map(
        |(lines, cut, mark)| {
            let mut text = if mark { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
            lines.iter().for_each(|(line, end)| text.extend([line.as_bytes(), end.as_bytes()].concat()));
            if cut && text.last() == Some(&b'\n') {
                text.pop();
            }
            Text(text)
        },
    )
}

/// Bytes put in place of others: overwritten, inserted, taken away.
type Damage = (prop::sample::Index, usize, Vec<u8>);

fn damage() -> impl Strategy<Value = Vec<Damage>> {
    let telling = prop::sample::select(b"\"\\{}[],:0-.eEtn \n\r\t\x00\x1f\x80\xc3\xed\xf4\xff".to_vec());
    let byte = prop_oneof![3 => telling, 1 => any::<u8>()];
    let one = (any::<prop::sample::Index>(), 0..3_usize, prop::collection::vec(byte, 0..3));
    prop_oneof![1 => Just(Vec::new()), 3 => prop::collection::vec(one, 1..6)]
}

fn damaged(Text(mut text): Text, damage: Vec<Damage>) -> Vec<u8> {
    for (at, taken, put) in damage {
        if text.is_empty() {
            continue;
        }
        let at = at.index(text.len());
        let end = text.len().min(at + taken);
        text.splice(at..end, put);
    }
    text
}

/// Whether a text begins like a compressed file, or in UTF-16, which is none of these tests' business.
fn is_stored_otherwise(text: &[u8]) -> bool {
    matches!(text, [0x1f, 0x8b, ..] | [0x28, 0xb5, ..] | [0x50..=0x5f, 0x2a, ..] | [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

/// Something about how to scan.
#[derive(Clone, Debug)]
struct Setting {
    block: usize,
    threads: usize,
    engine: usize,
    /// Bytes that a reader gives at a time; none: bytes in memory.
    step: Option<usize>,
}

fn setting() -> impl Strategy<Value = Setting> {
    let block = prop_oneof![4 => 1..300_usize, 1 => Just(1 << 20)];
    let threads = prop::sample::select(vec![1, 2, 3, 8]);
    (block, threads, 0..3_usize, prop::option::of(1..100_usize)).prop_map(|(block, threads, engine, step)| Setting {
        block,
        threads,
        engine,
        step,
    })
}

fn scan<'t>(text: &'t [u8], setting: &Setting) -> Scan<'t> {
    let scan = match setting.step {
        Some(step) => Scan::reader(Script::new(text.chunks(step).map(|chunk| Ok(chunk.to_vec())))),
        None => Scan::bytes(text),
    };
    scan.block_size(setting.block).threads(setting.threads).engine(ENGINES[setting.engine])
}

/// The place and reason of the first fault, by the exact reader alone.
fn first_fault(record: &[u8]) -> (u64, String) {
    let ended = Scan::bytes(record).engine(ndskim::Engine::Exact).threads(1).for_each(|_| ());
    let fault = super::support::fault(ended, "reference");
    (fault.place().column(), fault.reason().to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_scan_finds_what_the_reference_finds(
        text in document(),
        damage in damage(),
        settings in prop::collection::vec(setting(), 3),
    ) {
        let text = damaged(text, damage);
        // What begins like a compressed file is none of this test's business.
        prop_assume!(!is_stored_otherwise(&text));
        let expected = reference(&text);
        for setting in settings {
            let projection = Projection::new(["/a"]).unwrap();
            let outcome = scan(&text, &setting)
                .on_fault(OnFault::Skip)
                .keep_faults(usize::MAX)
                .project(projection)
                .map(|record| {
                    let kind = record.field(0).map(|value| value.kind().name());
                    assert_eq!(record.get("a").unwrap().map(|value| value.kind().name()), kind);
                    (record.offset(), record.text().len(), kind)
                })
                .unwrap();
            let bad = outcome.faults.iter().map(|fault| fault.place().line().unwrap()).collect();
            let found = Found { good: outcome.value, bad, blank: outcome.stats.blank };
            prop_assert_eq!(&found, &expected, "{:?}", setting);
            let counts = (outcome.stats.records, outcome.stats.rejected, outcome.stats.bytes);
            prop_assert_eq!(counts, (expected.good.len() as u64, expected.bad.len() as u64, text.len() as u64));
            for fault in &outcome.faults {
                let place = fault.place();
                let start = (place.offset() + 1 - place.column()) as usize;
                let line = text[start..].split(|&byte| byte == b'\n').next().unwrap();
                // A mark on the first line counts in its columns.
                prop_assert_eq!((place.column(), fault.reason().to_string()), first_fault(line), "{:?}", setting);
            }
            // Without skipping: the first bad line, or all is well.
            let ended = scan(&text, &setting).for_each(|_| ());
            prop_assert_eq!(ended.is_ok(), expected.bad.is_empty());
            if let Err(error) = ended {
                prop_assert_eq!(error.place().unwrap().line(), Some(expected.bad[0]), "{:?}", setting);
            }
        }
    }

    #[test]
    fn valid_input_is_answered_alike_in_visited_mode(text in document(), settings in prop::collection::vec(setting(), 3)) {
        let Text(text) = text;
        let expected = reference(&text);
        prop_assert_eq!(&expected.bad, &Vec::<u64>::new());
        for setting in settings {
            let outcome = scan(&text, &setting)
                .validation(Validation::Visited)
                .project(Projection::new(["/a"]).unwrap())
                .map(|record| {
                    (record.offset(), record.text().len(), record.field(0).map(|value| value.kind().name()))
                })
                .unwrap();
            prop_assert_eq!(&outcome.value, &expected.good, "{:?}", setting);
            prop_assert_eq!(outcome.stats.blank, expected.blank);
        }
    }

    #[test]
    fn damaged_input_in_visited_mode_gives_faults_and_never_worse(
        text in document(),
        damage in damage(),
        settings in prop::collection::vec(setting(), 3),
    ) {
        let text = damaged(text, damage);
        prop_assume!(!is_stored_otherwise(&text));
        let expected = reference(&text);
        for setting in settings {
            let outcome = scan(&text, &setting)
                .validation(Validation::Visited)
                .on_fault(OnFault::Skip)
                .keep_faults(usize::MAX)
                .project(Projection::new(["/a", "/a/b", "/b/0"]).unwrap())
                .map(|record| {
                    let kind = record.field(0).map(|value| value.kind().name());
                    let _ = record.field(0).map(|value| (value.raw().is_ok(), value.to_str_lossy().is_ok()));
                    (record.offset(), record.text().len(), kind)
                })
                .unwrap();
            // Whatever full validation accepts is answered alike; some of what it rejects may be counted.
            for good in &expected.good {
                prop_assert!(outcome.value.contains(good), "{:?} {:?}", setting, good);
            }
            for fault in &outcome.faults {
                prop_assert!(expected.bad.contains(&fault.place().line().unwrap()), "{:?} {}", setting, fault);
            }
            let seen = outcome.stats.records + outcome.stats.rejected;
            prop_assert_eq!(seen, (expected.good.len() + expected.bad.len()) as u64);
        }
    }

    #[test]
    fn concatenated_input_does_not_depend_on_the_blocks(
        text in document(),
        damage in damage(),
        settings in prop::collection::vec(setting(), 4),
    ) {
        let text = damaged(text, damage);
        prop_assume!(!is_stored_otherwise(&text));
        let found = |setting: &Setting| {
            let outcome = scan(&text, setting)
                .format(Format::Concatenated)
                .on_fault(OnFault::Skip)
                .keep_faults(usize::MAX)
                .map(|record| (record.offset(), record.text().to_vec()))
                .unwrap();
            let faults: Vec<_> = outcome.faults.iter().map(ToString::to_string).map(|fault| {
                fault.strip_prefix("<reader>").or(fault.strip_prefix("<bytes>")).unwrap().to_owned()
            }).collect();
            (outcome.value, faults)
        };
        let expected = found(&Setting { block: 1 << 20, threads: 1, engine: 1, step: None });
        for setting in settings {
            prop_assert_eq!(&found(&setting), &expected, "{:?}", setting);
        }
    }
}
