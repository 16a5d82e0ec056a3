//! Decoding: serde types and owned JSON, with the same fixed choices as everywhere.

use std::collections::{BTreeMap, HashMap};

use ndskim::{Record, Scan, Validation, ValueError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::support::ENGINES;

/// What a closure makes of one record, which must be the same with every engine and in both modes.
fn decoded<R: Send + PartialEq + std::fmt::Debug>(text: &str, closure: impl Fn(Record<'_>) -> R + Sync) -> R {
    let mut results = Vec::new();
    for engine in ENGINES {
        for validation in [Validation::Full, Validation::Visited] {
            let scan = Scan::bytes(text.as_bytes()).engine(engine).validation(validation);
            results.extend(scan.map(&closure).unwrap_or_else(|error| panic!("{engine:?}: {error}")).value);
        }
    }
    let first = results.swap_remove(0);
    assert!(results.iter().all(|result| *result == first), "{text}: {first:?}, {results:?}");
    first
}

fn parse<T: DeserializeOwned + Send + PartialEq + std::fmt::Debug>(text: &str) -> Result<T, String> {
    decoded(text, |record| record.deserialize::<T>().map_err(|error| error.to_string()))
}

fn value(text: &str) -> Result<serde_json::Value, ValueError> {
    decoded(text, |record| record.to_value())
}

#[derive(Deserialize, Debug, PartialEq)]
struct Event {
    r#type: String,
    payload: Option<Payload>,
    #[serde(default)]
    public: bool,
}

#[derive(Deserialize, Debug, PartialEq)]
struct Payload {
    size: u32,
    tags: Vec<String>,
}

#[test]
fn a_struct_takes_what_it_names() {
    let text =
        r#"{"id":1e400,"type":"Push\u0045vent","payload":{"deep":[[[]]],"size":3,"tags":["a","b"]},"public":true}"#;
    let payload = Some(Payload { size: 3, tags: vec!["a".into(), "b".into()] });
    assert_eq!(parse(text), Ok(Event { r#type: "PushEvent".into(), payload, public: true }));
    assert_eq!(parse(r#"{"type":"a","payload":null}"#), Ok(Event { r#type: "a".into(), payload: None, public: false }));
    assert_eq!(parse::<Event>(r#"{"payload":null}"#), Err("missing field `type`".into()));
    assert_eq!(
        parse::<Event>(r#"{"type":"a","payload":{"size":-1,"tags":[]}}"#),
        Err("at /payload/size: invalid value: integer `-1`, expected u32".into())
    );
}

#[test]
fn the_first_of_equal_keys_counts_in_every_type() {
    let text = r#"{"a":1,"\u0061":2,"b":3,"a":"x"}"#;
    #[derive(Deserialize, Debug, PartialEq)]
    struct Ab {
        a: i64,
        b: i64,
    }
    assert_eq!(parse(text), Ok(Ab { a: 1, b: 3 }));
    let map = [("a".to_owned(), 1), ("b".to_owned(), 3)];
    assert_eq!(parse(text), Ok(HashMap::from(map.clone())));
    assert_eq!(parse(text), Ok(BTreeMap::from(map)));
    assert_eq!(value(text), Ok(json!({"a": 1, "b": 3})));
    // What comes second is not even looked at.
    assert_eq!(value(r#"{"a":1,"a":1e400,"a":"\ud800"}"#), Ok(json!({"a": 1})));
    assert_eq!(parse(r#"{"a":1,"b":2,"a":1e400}"#), Ok(Ab { a: 1, b: 2 }));
    #[derive(Deserialize, Debug, PartialEq)]
    enum One {
        A(i64),
        B,
    }
    assert_eq!(parse(r#"{"A":1,"A":2}"#), Ok(One::A(1)));
    assert_eq!(parse("\"B\""), Ok(One::B));
    assert!(parse::<One>(r#"{"A":1,"B":null}"#).is_err());
}

#[test]
fn a_key_that_is_no_text_matters_only_to_who_asks_for_it() {
    #[derive(Deserialize, Debug, PartialEq)]
    struct A {
        a: i64,
    }
    assert_eq!(parse(r#"{"\ud800":1,"a":2}"#), Ok(A { a: 2 }));
    #[derive(Deserialize, Debug, PartialEq)]
    struct Replacement {
        #[serde(rename = "\u{fffd}", default)]
        it: i64,
    }
    assert_eq!(parse(r#"{"\ud800":1}"#), Ok(Replacement { it: 0 }));
    #[derive(Deserialize, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Strict {}
    assert!(parse::<Strict>(r#"{"\ud800":1}"#).unwrap_err().contains("unknown field"));
    assert!(parse::<BTreeMap<String, i64>>(r#"{"\ud800":1}"#).is_err());
}

#[test]
fn numbers_are_exact_or_refused() {
    assert_eq!(parse("[1,-2.0,1.5e3,0.1]"), Ok(vec![1.0, -2.0, 1500.0, 0.1_f64]));
    assert_eq!(parse("18446744073709551615"), Ok(u64::MAX));
    assert_eq!(parse("-9223372036854775808"), Ok(i64::MIN));
    assert_eq!(parse("9007199254740992"), Ok(9007199254740992.0_f64));
    assert_eq!(parse("18446744073709551616"), Ok(18446744073709551616.0_f64));
    let refused = "the value cannot be represented in the type asked for";
    for text in ["9007199254740993", "18446744073709551615", "1e400", "-1e400"] {
        assert_eq!(parse::<f64>(text), Err(refused.into()), "{text}");
    }
    assert_eq!(parse("[16777216,0.1,-3.4e38]"), Ok(vec![16777216.0, 0.1, -3.4e38_f32]));
    for text in ["16777217", "1e39", "-123456789"] {
        assert_eq!(parse::<f32>(text), Err(refused.into()), "{text}");
    }
    // Just below the middle of two floats, where the nearest double stands: rounded once, not twice.
    assert_eq!(parse("1.00000017881393432617187499"), Ok(1.000_000_1_f32));
    for text in ["1.5", "18446744073709551616", "-1", "\"1\"", "null"] {
        assert!(parse::<u64>(text).is_err(), "{text}");
    }
    assert!(parse::<u8>("256").is_err());
}

#[test]
fn an_array_has_as_many_elements_as_the_type_takes() {
    assert_eq!(parse("[1,\"a\"]"), Ok((1, "a".to_owned())));
    assert_eq!(parse("[1,2,3]"), Ok([1, 2, 3]));
    assert!(parse::<(i64, i64)>("[1,2,3]").is_err());
    assert!(parse::<[i64; 2]>("[1,2,3]").is_err());
    assert!(parse::<[i64; 2]>("[1]").is_err());
    assert!(parse::<()>("[]").is_err());
}

#[test]
fn owned_json_is_what_the_text_says() {
    let text = r#"{"a":[1,-2,1.5,1e2,true,null,"\u00e9\n"],"b":{},"":[[]]}"#;
    assert_eq!(value(text), Ok(serde_json::from_str(text).unwrap()));
    assert_eq!(value("18446744073709551615"), Ok(json!(u64::MAX)));
    assert_eq!(value("0.1"), Ok(json!(0.1)));
    for text in ["18446744073709551616", "-9223372036854775809", "1e400", r#""\ud800""#, r#"{"\ud800":1}"#] {
        assert_eq!(value(text), Err(ValueError::Unrepresentable), "{text}");
    }
    let nested = |levels| ["[".repeat(levels), "]".repeat(levels)].concat();
    assert!(value(&nested(257)).is_ok());
    assert_eq!(value(&nested(258)), Err(ValueError::Unrepresentable));
}

#[test]
fn text_is_borrowed_where_it_stands_as_it_is() {
    #[derive(Deserialize)]
    struct Borrowed<'a> {
        name: &'a str,
    }
    let text = r#"{"name":"as it is"}"#;
    assert_eq!(decoded(text, |record| record.deserialize::<Borrowed<'_>>().unwrap().name.to_owned()), "as it is");
    let inside = Scan::bytes(text.as_bytes()).engine(ndskim::Engine::Exact).threads(1).map(|record| {
        let name = record.deserialize::<Borrowed<'_>>().unwrap().name;
        record.text().as_ptr_range().contains(&name.as_ptr())
    });
    assert_eq!(inside.unwrap().value, [true]);
}

#[test]
fn a_malformed_value_is_a_fault_however_it_is_met() {
    for text in
        ["{\"type\":\"\\q\"}\n", "{\"type\":\"a\",\"payload\":{\"size\":1x}}\n", "{\"type\":\"a\",\"payload\":nul}\n"]
    {
        let scan = Scan::bytes(text.as_bytes()).validation(Validation::Visited);
        let ended = scan.try_map(|record| {
            let decoded = record.deserialize::<Event>();
            if let Err(error) = &decoded {
                assert_eq!(error.value_error(), Some(ValueError::Malformed), "{text}");
            }
            decoded
        });
        super::support::fault(ended, text);
        let scan = Scan::bytes(text.as_bytes()).validation(Validation::Visited);
        super::support::fault(scan.map(|record| record.to_value().is_ok()), text);
    }
}
