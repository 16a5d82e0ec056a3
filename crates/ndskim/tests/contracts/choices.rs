//! Choices that are fixed: what counts as a record, which of two equal keys, and what a number or a string is worth.

use ndskim::{Engine, Kind, Pointer, Projection, Record, Scan, Validation, Value, ValueError};

use super::support::{ENGINES, Text, WAYS, fault};

/// Runs a test on one record, with every engine and both modes.
fn on_record(text: &str, test: impl Fn(Record<'_>) + Sync) {
    for engine in ENGINES {
        for validation in [Validation::Full, Validation::Visited] {
            let scan = Scan::bytes(text.as_bytes()).engine(engine).validation(validation);
            let stats = scan.for_each(&test).unwrap_or_else(|error| panic!("{engine:?}: {error}")).stats;
            assert_eq!(stats.records, 1, "{engine:?}");
        }
    }
}

/// Runs a test on one value, as the record itself and as a field of one.
fn on_value(text: &str, test: impl Fn(Value<'_>) + Sync) {
    on_record(text, |record| test(record.value()));
    on_record(&format!("{{\"a\":[0,{text}]}}"), |record| {
        test(record.pointer(&Pointer::parse("/a/1").unwrap()).unwrap().unwrap());
    });
    on_record(&format!("{{\"a\": {text} , \"b\":1}}"), |record| test(record.get("a").unwrap().unwrap()));
}

fn text(value: Option<Value<'_>>) -> String {
    String::from_utf8(value.unwrap().raw().unwrap().to_vec()).unwrap()
}

#[test]
fn the_first_of_two_equal_keys_counts() {
    let object = r#"{"b":0,"a":1,"\u0061":2,"a":{"c":3},"b":{"c":4},"d":{"c":5,"c":6}}"#;
    on_record(object, |record| {
        assert_eq!(text(record.get("a").unwrap()), "1");
        assert_eq!(text(record.pointer(&Pointer::parse("/d/c").unwrap()).unwrap()), "5");
        // The first `a` is no object: nothing is looked for in the second.
        assert!(record.pointer(&Pointer::parse("/a/c").unwrap()).unwrap().is_none());
        // All members are there for who goes through them.
        let keys: Vec<_> = record.value().members().unwrap().map(|m| m.unwrap().0.as_str().unwrap().unwrap()).collect();
        assert_eq!(keys, ["b", "a", "a", "a", "b", "d"]);
    });
    for engine in ENGINES {
        for validation in [Validation::Full, Validation::Visited] {
            let projection = Projection::new(["/a", "/a/c", "/d/c", "/b", "/b/c", "/a"]).unwrap();
            let scan = Scan::bytes(object.as_bytes()).engine(engine).validation(validation).project(projection);
            let fields =
                scan.map(|record| record.fields().iter().map(|field| field.map(|f| text(Some(f)))).collect::<Vec<_>>());
            let expected = [Some("1"), None, Some("5"), Some("0"), None, Some("1")];
            assert_eq!(
                fields.unwrap().value[0],
                expected.map(|field| field.map(str::to_owned)),
                "{engine:?} {validation:?}"
            );
        }
    }
}

#[test]
fn an_escaped_key_counts_as_what_it_says() {
    let object = r#"{"a\/b":1,"\u00e9\ud83d\ude00":2,"a~b":3,"":4,"a\"\\":5,"\u0000":6,"a\u002fb":7}"#;
    on_record(object, |record| {
        for (key, value) in [("a/b", "1"), ("é😀", "2"), ("a~b", "3"), ("", "4"), ("a\"\\", "5"), ("\0", "6")] {
            assert_eq!(text(record.get(key).unwrap()), value, "{key:?}");
        }
        for (pointer, value) in [("/a~1b", "1"), ("/é😀", "2"), ("/a~0b", "3"), ("/", "4")] {
            assert_eq!(text(record.pointer(&Pointer::parse(pointer).unwrap()).unwrap()), value, "{pointer}");
        }
        assert!(record.get(r"a\/b").unwrap().is_none());
        assert!(record.get(r"\u0000").unwrap().is_none());
    });
    for engine in ENGINES {
        let projection = Projection::new(["/a~1b", "/é😀", "/a~0b", "/"]).unwrap();
        let scan = Scan::bytes(object.as_bytes()).engine(engine).project(projection);
        let fields = scan.map(|record| record.fields().iter().map(|field| text(*field)).collect::<Vec<_>>());
        assert_eq!(fields.unwrap().value[0], ["1", "2", "3", "4"], "{engine:?}");
    }
}

#[test]
fn a_token_that_is_a_number_names_a_member_or_an_element() {
    let projection = || Projection::new(["/a/0", "/a/01", "/a/-", "/a/1", "/a/2"]).unwrap();
    let cases = [
        (r#"{"a":[5,[6]]}"#, [Some("5"), None, None, Some("[6]"), None]),
        (r#"{"a":{"01":1,"0":2,"-":3}}"#, [Some("2"), Some("1"), Some("3"), None, None]),
        (r#"{"a":"text"}"#, [None; 5]),
        (r#"[{"a":1}]"#, [None; 5]),
    ];
    for (record, expected) in cases {
        for engine in ENGINES {
            for validation in [Validation::Full, Validation::Visited] {
                let scan = Scan::bytes(record.as_bytes()).engine(engine).validation(validation).project(projection());
                let fields = scan.map(|record| record.field_array::<5>().map(|field| field.map(|f| text(Some(f)))));
                assert_eq!(
                    fields.unwrap().value[0],
                    expected.map(|field| field.map(str::to_owned)),
                    "{engine:?} {record}"
                );
            }
        }
    }
}

#[test]
fn any_value_can_be_a_record() {
    let lines = b"null\ntrue\n-1.5e3\n\"text\"\n[]\n{}\n  [1]  \n\t{}\t\n";
    let kinds =
        [Kind::Null, Kind::Bool, Kind::Number, Kind::String, Kind::Array, Kind::Object, Kind::Array, Kind::Object];
    let text = Text::new(&lines[..]);
    text.each(|scan, name| assert_eq!(scan.map(|record| record.value().kind()).expect(name).value, kinds, "{name}"));
    text.each_on(2, |scan, name| {
        let scan = scan.project(Projection::new(["", "/a"]).unwrap()).validation(Validation::Visited);
        let fields = scan.map(|record| (record.field(0).unwrap().kind(), record.field(1).is_none()));
        assert_eq!(fields.expect(name).value, kinds.map(|kind| (kind, true)), "{name}");
    });
}

#[test]
fn line_ends_blank_lines_and_a_missing_last_newline_do_not_matter() {
    for (separator, blank) in [("\n", 0), ("\r\n", 0), ("\n\n", 1), ("\n \t\r\n", 1), ("\r\n\r\n\r\n", 2)] {
        for (end, blank_end) in [("", 0), ("\n", 0), ("\r\n", 0), ("\n\n", 1), ("\n ", 1)] {
            let records: Vec<_> = (0..20).map(|n| format!("{{\"n\":{n}}}")).collect();
            let text = Text::new(records.join(separator) + end);
            text.each_on(2, |scan, name| {
                let outcome =
                    scan.map(|record| record.get("n").unwrap().unwrap().as_i64().unwrap().unwrap()).expect(name);
                assert_eq!(outcome.value, (0..20).collect::<Vec<_>>(), "{separator:?} {end:?} {name}");
                let stats = outcome.stats;
                assert_eq!((stats.records, stats.blank), (20, 19 * blank + blank_end), "{separator:?} {end:?} {name}");
            });
        }
    }
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_start_and_nowhere_else() {
    let mark = "\u{feff}";
    let good = Text::new(format!("{mark}{{\"n\":1}}\n{{\"n\":2}}\n"));
    good.each(|scan, name| {
        let outcome = scan.map(|record| (record.offset(), record.place().column(), record.text().len())).expect(name);
        // Offsets and columns are those of the input, the mark's three bytes included.
        assert_eq!(outcome.value, [(3, 4, 7), (11, 1, 7)], "{name}");
        assert_eq!(outcome.stats.bytes, 19, "{name}");
    });
    // Each file has its own; a second one is no mark.
    let inputs: Vec<_> = WAYS.map(|way| good.input(way)).into_iter().collect();
    assert_eq!(Scan::new(inputs).block_size(10).for_each(|_| ()).unwrap().stats.records, 10);
    let twice = Text::new(format!("{mark}{mark}1\n"));
    twice.each_on(2, |scan, name| {
        let place = fault(scan.for_each(|_| ()), name).place().clone();
        assert_eq!((place.line(), place.column(), place.offset()), (Some(1), 4, 3), "{name}");
    });
    let middle = Text::new(format!("1\n{mark}2\n"));
    middle.each_on(2, |scan, name| {
        let fault = fault(scan.for_each(|_| ()), name);
        assert_eq!((fault.place().line(), fault.place().column()), (Some(2), 1), "{name}");
        assert_eq!(fault.reason().to_string(), "expected a value, found a byte order mark", "{name}");
    });
    let faulty = Text::new(format!("{mark}{{\"n\":}}\n"));
    faulty.each_on(2, |scan, name| {
        let place = fault(scan.for_each(|_| ()), name).place().clone();
        assert_eq!((place.line(), place.column(), place.offset()), (Some(1), 9, 8), "{name}");
    });
}

#[test]
fn what_a_number_gives_is_exact_or_said() {
    const NO: ValueError = ValueError::Unrepresentable;
    type Row = (&'static str, Result<i64, ValueError>, Result<u64, ValueError>, Result<f64, ValueError>);
    let rows: [Row; 18] = [
        ("0", Ok(0), Ok(0), Ok(0.0)),
        ("-0", Ok(0), Ok(0), Ok(-0.0)),
        ("-0.0", Ok(0), Ok(0), Ok(-0.0)),
        ("1", Ok(1), Ok(1), Ok(1.0)),
        ("1.0", Ok(1), Ok(1), Ok(1.0)),
        ("1e0", Ok(1), Ok(1), Ok(1.0)),
        ("1200e-2", Ok(12), Ok(12), Ok(12.0)),
        ("1.5", Err(NO), Err(NO), Ok(1.5)),
        ("-1", Ok(-1), Err(NO), Ok(-1.0)),
        ("0.1", Err(NO), Err(NO), Ok(0.1)),
        ("1e400", Err(NO), Err(NO), Err(NO)),
        ("-1e400", Err(NO), Err(NO), Err(NO)),
        ("9007199254740993", Ok(9007199254740993), Ok(9007199254740993), Err(NO)),
        ("9223372036854775807", Ok(i64::MAX), Ok(9223372036854775807), Err(NO)),
        ("-9223372036854775808", Ok(i64::MIN), Err(NO), Ok(-9223372036854775808.0)),
        ("-9223372036854775809", Err(NO), Err(NO), Err(NO)),
        ("18446744073709551615", Err(NO), Ok(u64::MAX), Err(NO)),
        ("18446744073709551616", Err(NO), Err(NO), Ok(18446744073709551616.0)),
    ];
    for (number, signed, unsigned, float) in rows {
        on_value(number, |value| {
            assert_eq!(value.as_i64(), signed.map(Some), "{number}");
            assert_eq!(value.as_u64(), unsigned.map(Some), "{number}");
            let bits = |float: Option<f64>| float.map(f64::to_bits);
            assert_eq!(value.as_f64().map(bits), float.map(Some).map(bits), "{number}");
            assert_eq!((value.as_str(), value.as_bool(), value.is_null()), (Ok(None), Ok(None), Ok(false)), "{number}");
            assert_eq!(value.raw().unwrap(), number.as_bytes());
        });
    }
}

#[test]
fn what_a_string_gives_is_exact_or_said() {
    const NO: ValueError = ValueError::Unrepresentable;
    type Row = (&'static str, Result<&'static str, ValueError>, &'static str);
    let rows: [Row; 8] = [
        (r#""""#, Ok(""), ""),
        (r#""a é 漢 😀""#, Ok("a é 漢 😀"), "a é 漢 😀"),
        (r#""\"\\\/\b\f\n\r\t""#, Ok("\"\\/\u{8}\u{c}\n\r\t"), "\"\\/\u{8}\u{c}\n\r\t"),
        (r#""\u00e9\uD83D\uDE00""#, Ok("é😀"), "é😀"),
        (r#""\ud800""#, Err(NO), "\u{fffd}"),
        (r#""a\udc00b""#, Err(NO), "a\u{fffd}b"),
        (r#""\ud800\ud800\udc00""#, Err(NO), "\u{fffd}\u{10000}"),
        (r#""\ud800x\udc00""#, Err(NO), "\u{fffd}x\u{fffd}"),
    ];
    for (string, strict, lossy) in rows {
        on_value(string, |value| {
            let strict = strict.map(|text| Some(text.to_owned()));
            assert_eq!(value.as_str().map(|text| text.map(|t| t.into_owned())), strict, "{string}");
            assert_eq!(value.to_str_lossy().unwrap().as_deref(), Some(lossy), "{string}");
            assert_eq!(value.is_str(lossy).unwrap(), strict.is_ok(), "{string}");
            assert_eq!(value.raw().unwrap(), string.as_bytes());
            assert_eq!((value.as_i64(), value.as_f64()), (Ok(None), Ok(None)), "{string}");
        });
    }
}

#[test]
fn absent_null_and_malformed_stay_apart() {
    on_record(r#"{"null":null,"list":[null],"object":{}}"#, |record| {
        assert!(record.get("absent").unwrap().is_none());
        let null = record.get("null").unwrap().unwrap();
        assert_eq!((null.is_null(), null.as_i64(), null.kind()), (Ok(true), Ok(None), Kind::Null));
        assert!(null.get("a").unwrap().is_none() && null.index(0).unwrap().is_none());
        let list = record.get("list").unwrap().unwrap();
        assert!(list.index(0).unwrap().unwrap().is_null().unwrap() && list.index(1).unwrap().is_none());
        assert!(list.elements().is_some() && list.members().is_none());
        assert_eq!(record.get("object").unwrap().unwrap().members().unwrap().count(), 0);
    });
    let malformed = Scan::bytes(b"{\"a\":tru}\n").engine(Engine::Exact).validation(Validation::Visited).map(|record| {
        let value = record.get("a").unwrap().unwrap();
        assert_eq!(value.as_bool(), Err(ValueError::Malformed));
    });
    assert_eq!(fault(malformed, "malformed").place().column(), 9);
}

#[test]
fn valid_input_gets_the_same_answers_in_both_modes() {
    let lines = r#"{"type":"PushEvent","payload":{"size":3,"list":[1,{"a":[]},"x"]},"t":"\u0041"}
 { "type" : "PullRequestEvent" , "payload" : { "action" : "opened" , "n" : -0.5e-3 } , "type" : null }
{"payload":{"list":[[],[[]],{"a":{"b":{}}}],"action":null},"type":{"a":"b"}}
["type","payload"]
{}
"#;
    let text = Text::new(lines);
    let projection = Projection::new(["/type", "/payload/action", "/payload/list/1", "/payload", "/t", "/1"]).unwrap();
    let mut answers = std::collections::BTreeSet::new();
    text.each_on(2, |scan, _| {
        answers.insert(all_fields(scan.project(projection.clone())));
    });
    text.each_on(2, |scan, _| {
        answers.insert(all_fields(scan.project(projection.clone()).validation(Validation::Visited)));
    });
    assert_eq!(answers.len(), 1);
    let absent = None::<&str>;
    let first = [
        Some(r#""PushEvent""#),
        absent,
        Some(r#"{"a":[]}"#),
        Some(r#"{"size":3,"list":[1,{"a":[]},"x"]}"#),
        Some(r#""\u0041""#),
        absent,
    ];
    let answers = answers.first().unwrap();
    assert_eq!(answers[0], first.map(|field| field.map(str::to_owned)));
    assert_eq!(answers[1][0].as_deref(), Some(r#""PullRequestEvent""#));
    assert_eq!(answers[2][2].as_deref(), Some("[[]]"));
    assert_eq!(answers[3][5].as_deref(), Some(r#""payload""#));
    assert!(answers[4].iter().all(Option::is_none));
}

fn all_fields(scan: Scan<'_>) -> Vec<Vec<Option<String>>> {
    scan.map(|record| record.fields().iter().map(|field| field.map(|f| text(Some(f)))).collect()).unwrap().value
}
