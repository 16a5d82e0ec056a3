//! Records decoded into types: the answers of serde_json, in every mode, where it and this library agree on what is right; and
//! what is said of equal keys and of members that a type does not name.
#![cfg(feature = "serde")]

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use ndskim::{Engine, Kernel, Scan, Validation};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What each way of reading makes of a text of lines; errors as `None`.
fn decode<T: DeserializeOwned + Send + PartialEq + std::fmt::Debug>(text: &str) -> Vec<Option<T>> {
    let mut answers = Vec::new();
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        for (engine, validation) in [
            (Engine::Auto, Validation::Full),
            (Engine::Auto, Validation::Visited),
            (Engine::Exact, Validation::Full),
            (Engine::SimdJson, Validation::Full),
        ] {
            let scan = Scan::bytes(text.as_bytes()).threads(1).kernel(kernel).engine(engine).validation(validation);
            answers.push(scan.map(|record| record.deserialize::<T>().ok()).unwrap().value);
        }
    }
    for answer in &answers {
        assert_eq!(answer, &answers[0], "{text}");
    }
    answers.swap_remove(0)
}

fn one<T: DeserializeOwned + Send + PartialEq + std::fmt::Debug>(text: &str) -> Option<T> {
    decode(text).swap_remove(0)
}

#[derive(Debug, Default, PartialEq, Deserialize)]
struct Lenient {
    a: i64,
    #[serde(default)]
    b: Option<String>,
    #[serde(rename = "see", alias = "C", default)]
    c: Vec<u8>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    a: i64,
    #[serde(default)]
    b: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Flat {
    a: i64,
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

#[test]
fn members_that_a_type_does_not_name_are_passed_over() {
    let expected = Lenient { a: 1, b: Some("x".into()), c: vec![1, 2] };
    for text in [
        r#"{"a":1,"b":"x","see":[1,2]}"#,
        r#"{"z":{"a":9},"a":1,"y":[{"b":0}],"b":"x","see":[1,2],"w":"\"a\":5"}"#,
        r#"{"z":0,"C":[1,2],"\u0061":1,"q":"a","b":"\u0078"}"#,
        "{ \"z\" : 0 , \"see\" : [ 1 , 2 ] , \"b\" : \"x\" , \"a\" : 1 }",
    ] {
        assert_eq!(one::<Lenient>(text).as_ref(), Some(&expected), "{text}");
    }
    assert_eq!(one::<Lenient>(r#"{"z":0,"b":"x"}"#), None, "a is missing");
}

#[test]
fn minus_zero_keeps_its_sign_where_the_text_says_the_type() {
    for text in ["0", "-0", "-0.0", "-1", "[-0]"] {
        let judge: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(one::<serde_json::Value>(text), Some(judge.clone()));
        let owned = Scan::bytes(text.as_bytes()).map(|record| record.to_value().unwrap()).unwrap().value;
        // As text, since the two zeros are equal as numbers.
        assert_eq!(owned[0].to_string(), judge.to_string());
    }
    assert_eq!(one::<i64>("-0"), Some(0));
}

#[test]
fn the_first_of_equal_keys_counts() {
    let expected = Lenient { a: 1, b: Some("x".into()), c: vec![] };
    for text in [
        r#"{"a":1,"a":2,"b":"x","b":"y"}"#,
        r#"{"z":0,"a":1,"z":1,"a":"no","b":"x","\u0062":"y","b":7}"#,
        r#"{"a":1,"z":0,"a":2,"b":"x"}"#,
    ] {
        assert_eq!(one::<Lenient>(text).as_ref(), Some(&expected), "{text}");
    }
    assert_eq!(one::<HashMap<String, u8>>(r#"{"k":1,"k":2}"#), Some(HashMap::from([("k".into(), 1)])));
}

#[test]
fn a_type_that_refuses_members_that_it_does_not_name_hears_of_the_first() {
    assert_eq!(one::<Strict>(r#"{"a":1,"b":"x"}"#), Some(Strict { a: 1, b: Some("x".into()) }));
    assert_eq!(one::<Strict>(r#"{"b":null,"a":1}"#), Some(Strict { a: 1, b: None }));
    for text in [r#"{"a":1,"b":"x","z":0}"#, r#"{"z":0,"a":1,"b":"x"}"#, r#"{"a":1,"z":0}"#, r#"{"a":1,"a":1,"z":0}"#] {
        assert_eq!(one::<Strict>(text), None, "{text}");
        let message =
            Scan::bytes(text.as_bytes()).map(|record| record.deserialize::<Strict>().unwrap_err().to_string());
        assert!(message.unwrap().value[0].contains("unknown field `z`"), "{text}");
    }
}

#[test]
fn a_type_that_gathers_the_rest_gets_all_of_it() {
    let flat = one::<Flat>(r#"{"x":[1,{"y":null}],"a":1,"z":"é","w":1.5}"#).unwrap();
    assert_eq!(
        flat.rest,
        BTreeMap::from([
            ("x".to_owned(), json!([1, {"y": null}])),
            ("z".to_owned(), json!("é")),
            ("w".to_owned(), json!(1.5)),
        ])
    );
}

#[test]
fn strings_can_be_borrowed_where_they_stand_as_they_are() {
    #[derive(Deserialize)]
    struct Names<'a> {
        #[serde(borrow)]
        plain: &'a str,
        #[serde(borrow)]
        escaped: Cow<'a, str>,
    }
    let text = r#"{"other":1,"escaped":"a\nb","plain":"no escapes, é"}"#;
    for validation in [Validation::Full, Validation::Visited] {
        let outcome = Scan::bytes(text.as_bytes()).validation(validation).map(|record| {
            let names: Names<'_> = record.deserialize().unwrap();
            (names.plain.to_owned(), names.escaped.into_owned())
        });
        assert_eq!(outcome.unwrap().value, [("no escapes, é".to_owned(), "a\nb".to_owned())]);
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Unit,
    New(i32),
    Tuple(u8, String),
    Struct { x: f64, y: Option<bool> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    shapes: Vec<Shape>,
    pair: (i64, u64),
    text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Outer {
    id: u64,
    inner: Option<Box<Inner>>,
    by_key: BTreeMap<String, Vec<Option<i16>>>,
    one: u8,
    two: u8,
    three: u8,
    four: u8,
    five: u8,
    six: Option<char>,
    #[serde(rename = "a \"quoted\" key")]
    seven: bool,
}

fn outer() -> impl Strategy<Value = Outer> {
    let shape = prop_oneof![
        Just(Shape::Unit),
        any::<i32>().prop_map(Shape::New),
        (any::<u8>(), any::<String>()).prop_map(|(n, text)| Shape::Tuple(n, text)),
        (any::<i32>(), any::<Option<bool>>()).prop_map(|(x, y)| Shape::Struct { x: f64::from(x) / 4.0, y }),
    ];
    let inner = (prop::collection::vec(shape, 0..4), any::<(i64, u64)>(), "\\PC{0,90}")
        .prop_map(|(shapes, pair, text)| Inner { shapes, pair, text });
    let by_key = prop::collection::btree_map(any::<String>(), prop::collection::vec(any::<Option<i16>>(), 0..3), 0..4);
    let bytes = any::<(u8, u8, u8, u8, u8)>();
    (any::<u64>(), prop::option::of(inner), by_key, bytes, any::<(Option<char>, bool)>()).prop_map(
        |(id, inner, by_key, (one, two, three, four, five), (six, seven))| Outer {
            id,
            inner: inner.map(Box::new),
            by_key,
            one,
            two,
            three,
            four,
            five,
            six,
            seven,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Members that the type does not name are put between its own, and the order is changed.
    #[test]
    fn what_serde_json_writes_is_read_back(outer in outer(), order in any::<u64>(), noise in any::<bool>()) {
        let serde_json::Value::Object(object) = serde_json::to_value(&outer).unwrap() else { unreachable!() };
        let mut members: Vec<_> = object.iter().map(|(key, value)| format!("{}:{value}", json!(key))).collect();
        if noise {
            members.push("\"noise\":{\"id\":0,\"one\":[\"two\",{}]}".to_owned());
            members.push("\"more\":\"\\\"one\\\":1\"".to_owned());
        }
        members.sort_by_key(|member| member.bytes().fold(order, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)));
        let text = format!("{{{}}}", members.join(","));
        let expected: Outer = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&expected, &outer);
        prop_assert_eq!(one::<Outer>(&text), Some(outer));
    }
}
