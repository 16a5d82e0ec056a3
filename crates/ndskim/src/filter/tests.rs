use proptest::prelude::*;
use serde_json::Value as Json;

use super::*;
use crate::{Engine, Error, Format, Kernel, OnFault, Scan, Validation};

const NONE: [usize; 0] = [];

fn at(pointer: &str) -> Pointer {
    Pointer::parse(pointer).unwrap()
}

/// Every way to read the same bytes.
fn readers(text: &[u8]) -> Vec<(String, Scan<'_>)> {
    let mut readers = Vec::new();
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
        for (engine, validation) in [
            (Engine::Auto, Validation::Full),
            (Engine::Auto, Validation::Visited),
            (Engine::Exact, Validation::Full),
            (Engine::Exact, Validation::Visited),
            (Engine::SimdJson, Validation::Full),
        ] {
            for format in [Format::Lines, Format::Concatenated] {
                let scan =
                    Scan::bytes(text).threads(1).engine(engine).validation(validation).kernel(kernel).format(format);
                readers.push((format!("{engine:?} {validation:?} {kernel:?} {format:?}"), scan));
            }
        }
    }
    readers
}

/// Which of the lines a filter lets through, the same with every reader.
fn matches(text: &str, filter: &Filter) -> Vec<usize> {
    let starts: Vec<_> = text.lines().map(|line| line.as_ptr() as usize - text.as_ptr() as usize).collect();
    let mut answers = readers(text.as_bytes()).into_iter().map(|(name, scan)| {
        let outcome = scan.filter(filter.clone()).map(|record| record.offset() as usize).unwrap();
        assert_eq!(outcome.stats.records, starts.len() as u64, "{name}");
        assert_eq!(outcome.stats.matched, outcome.value.len() as u64, "{name}");
        let lines: Vec<_> = outcome.value.iter().map(|offset| starts.binary_search(offset).unwrap()).collect();
        (name, lines)
    });
    let (_, first) = answers.next().unwrap();
    for (name, answer) in answers {
        assert_eq!(answer, first, "{name} {filter:?}\n{text}");
    }
    first
}

#[test]
fn the_documented_table_holds() {
    let lines = "{\"a\":2.0}\n{\"a\":1}\n{\"a\":10}\n{\"a\":\"2\"}\n{\"a\":null}\n{\"a\":true}\n{\"a\":[2]}\n{\"a\":{}}\n{}\n[2]\n";
    use Comparison::*;
    let compare = |comparison, literal: Literal| matches(lines, &Filter::compare(at("/a"), comparison, literal));
    assert_eq!(compare(Equal, 2.into()), [0]);
    assert_eq!(compare(NotEqual, 2.into()), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(compare(Less, 2.into()), [1]);
    assert_eq!(compare(LessOrEqual, 2.into()), [0, 1]);
    assert_eq!(compare(Greater, 2.into()), [2]);
    assert_eq!(compare(GreaterOrEqual, 2.into()), [0, 2]);
    assert_eq!(compare(Equal, "2".into()), [3]);
    assert_eq!(compare(Greater, "1".into()), [3]);
    assert_eq!(compare(Less, "10".into()), NONE);
    assert_eq!(compare(Equal, Literal::NULL), [4]);
    assert_eq!(compare(NotEqual, Literal::NULL), [0, 1, 2, 3, 5, 6, 7]);
    assert_eq!(compare(LessOrEqual, Literal::NULL), NONE);
    assert_eq!(compare(Equal, true.into()), [5]);
    assert_eq!(compare(Less, true.into()), NONE);
    assert_eq!(matches(lines, &Filter::exists(at("/a"))), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(matches(lines, &!Filter::exists(at("/a"))), [8, 9]);
    assert_eq!(matches(lines, &!Filter::eq(at("/a"), 2)), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(matches(lines, &Filter::is_kind(at("/a"), Kind::Array)), [6]);
    assert_eq!(matches(lines, &Filter::is_kind(at(""), Kind::Array)), [9]);
    assert_eq!(matches(lines, &Filter::one_of(at("/a"), [2.into(), "2".into(), Literal::NULL])), [0, 3, 4]);
    assert_eq!(matches(lines, &Filter::one_of(at("/a"), [])), NONE);
}

#[test]
fn strings_compare_by_code_point_after_unescaping() {
    let lines =
        "\"e\\u0301\"\n\"\\u00e9\"\n\"é\"\n\"z\\n\"\n\"z\"\n\"\\ud83d\\ude00\"\n\"\u{ffff}\"\n\"\\ud800\"\n\"\"\n";
    use Comparison::*;
    let compare = |comparison, text: &str| matches(lines, &Filter::compare(at(""), comparison, text));
    assert_eq!(compare(Equal, "é"), [1, 2]);
    assert_eq!(compare(Equal, "z\n"), [3]);
    assert_eq!(compare(Less, "z"), [0, 8]);
    assert_eq!(compare(Greater, "z"), [1, 2, 3, 5, 6, 7]);
    assert_eq!(compare(Greater, "\u{ffff}"), [5]);
    assert_eq!(compare(Equal, "\u{fffd}"), NONE);
    assert_eq!(compare(Equal, ""), [8]);
}

#[test]
fn the_closure_sees_the_fields_that_the_caller_projected() {
    let text = b"{\"a\":1,\"b\":2,\"c\":3}\n{\"a\":1,\"b\":3,\"c\":4}\n";
    for (name, scan) in readers(text) {
        let projection = Projection::new(["/c", "/b"]).unwrap();
        let outcome =
            scan.filter(Filter::eq(at("/b"), 3)).filter(Filter::eq(at("/a"), 1)).project(projection).map(|record| {
                let fields = record.fields().iter().map(|field| field.unwrap().as_i64().unwrap().unwrap());
                fields.collect::<Vec<_>>()
            });
        assert_eq!(outcome.unwrap().value, [[4, 3]], "{name}");
    }
}

#[test]
fn what_stands_behind_the_decision_is_not_read_in_visited_mode() {
    let text =
        b"{\"type\":\"a\",\"b\":[1,{\"c\":\n{\"type\":\"b\",\"n\":1,\"b\":[1,{\"c\":\n{\"n\":1,\"type\":\"b\"}\n";
    let scan = || Scan::bytes(text).threads(1).validation(Validation::Visited).on_fault(OnFault::Skip);
    let run = |filter: Filter| {
        let stats = scan().project(Projection::new(["/n"]).unwrap()).filter(filter).for_each(|_| ()).unwrap().stats;
        (stats.records, stats.matched, stats.rejected)
    };
    let type_is = |text: &str| Filter::eq(at("/type"), text);
    let nested = || Filter::exists(at("/b/1/c"));
    assert_eq!(run(type_is("b")), (3, 2, 0));
    assert_eq!(run(!type_is("a")), (3, 2, 0));
    assert_eq!(run(type_is("x").and(nested())), (3, 0, 0));
    assert_eq!(run(type_is("b").and(nested())), (2, 0, 1));
    assert_eq!(run(nested().and(type_is("x"))), (3, 0, 0));
    // The first record is let through at once, but its field `n` is still to be found.
    assert_eq!(run(type_is("a").or(nested())), (1, 0, 2));
    assert_eq!(run(!(type_is("b").or(nested()))), (2, 0, 1));
}

#[test]
fn a_malformed_value_that_the_filter_meets_is_a_fault() {
    for text in [
        "{\"a\":\"x\ty\"}\n",
        "{\"a\":01}\n",
        "{\"a\":tru}\n",
        "{\"a\":\"\\x\"}\n",
        "{\"a\":nul}\n",
        "{\"a\":\"\u{1}\"}\n",
    ] {
        for (name, scan) in readers(text.as_bytes()) {
            for literal in [Literal::from("x"), 1.into(), true.into(), Literal::NULL] {
                let value = text.as_bytes()[5];
                let meets = match literal.kind() {
                    Kind::String => value == b'"',
                    Kind::Bool => value == b't',
                    Kind::Null => value == b'n',
                    _ => value == b'0',
                };
                let ended = scan_again(text, &name, &scan).filter(Filter::eq(at("/a"), literal)).for_each(|_| ());
                if meets || !name.contains("Visited") {
                    assert!(matches!(ended, Err(Error::Fault(_))), "{name} {text}");
                } else {
                    assert_eq!(ended.unwrap().stats.records, 1, "{name} {text}");
                }
            }
        }
    }
}

/// The same scan once more: a scan is used up when it runs.
fn scan_again<'t>(text: &'t str, name: &str, _: &Scan<'_>) -> Scan<'t> {
    readers(text.as_bytes()).into_iter().find(|(other, _)| other == name).unwrap().1
}

/// What a test must answer, by serde_json.
fn judge(test: &Test, value: Option<&Json>) -> bool {
    let Some(value) = value else { return false };
    let ordering = |literal: &Literal| match (&literal.0, value) {
        (Constant::String(text), Json::String(value)) => Some(value.as_str().cmp(text)),
        (Constant::Number(number), Json::Number(value)) => {
            let number: f64 = std::str::from_utf8(number).unwrap().parse().unwrap();
            value.as_f64().unwrap().partial_cmp(&number)
        }
        (Constant::Bool(a), Json::Bool(b)) if a == b => Some(Ordering::Equal),
        (Constant::Null, Json::Null) => Some(Ordering::Equal),
        _ => None,
    };
    match test {
        Test::Exists => true,
        Test::Kind(kind) => match value {
            Json::Null => *kind == Kind::Null,
            Json::Bool(_) => *kind == Kind::Bool,
            Json::Number(_) => *kind == Kind::Number,
            Json::String(_) => *kind == Kind::String,
            Json::Array(_) => *kind == Kind::Array,
            Json::Object(_) => *kind == Kind::Object,
        },
        Test::OneOf(literals) => literals.iter().any(|literal| ordering(literal) == Some(Ordering::Equal)),
        Test::Compare(comparison, literal) => {
            let equal = ordering(literal) == Some(Ordering::Equal);
            let is_ordered = !matches!(literal.0, Constant::Bool(_) | Constant::Null);
            let order = ordering(literal).filter(|_| is_ordered);
            match comparison {
                Comparison::Equal => equal,
                Comparison::NotEqual => !equal,
                Comparison::Less => order == Some(Ordering::Less),
                Comparison::LessOrEqual => order.is_some_and(|order| order != Ordering::Greater),
                Comparison::Greater => order == Some(Ordering::Greater),
                Comparison::GreaterOrEqual => order.is_some_and(|order| order != Ordering::Less),
            }
        }
    }
}

fn judge_filter(filter: &Filter, record: &Json) -> bool {
    match &filter.0 {
        Expression::Test(pointer, test) => judge(test, record.pointer(&pointer.to_string())),
        Expression::All(filters) => filters.iter().all(|filter| judge_filter(filter, record)),
        Expression::Any(filters) => filters.iter().any(|filter| judge_filter(filter, record)),
        Expression::Not(filter) => !judge_filter(filter, record),
    }
}

fn filters() -> impl Strategy<Value = Filter> {
    let pointer = prop::sample::select(vec!["/a", "/b", "/b/c", "/b/c/d", "/b/0", "/b/1/a", "", "/é"]).prop_map(at);
    let literal = prop_oneof![
        prop::sample::select(vec!["1", "1.0", "0.5", "-2", "25e-1", "100"]).prop_map(|n| Literal::number(n).unwrap()),
        prop::sample::select(vec!["", "x", "y", "x\n", "é"]).prop_map(Literal::from),
        any::<bool>().prop_map(Literal::from),
        Just(Literal::NULL),
    ];
    use Comparison::*;
    let comparison = prop::sample::select(vec![Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual]);
    let kind =
        prop::sample::select(vec![Kind::Null, Kind::Bool, Kind::Number, Kind::String, Kind::Array, Kind::Object]);
    let test = prop_oneof![
        6 => (comparison, literal.clone()).prop_map(|(comparison, literal)| Test::Compare(comparison, literal)),
        1 => prop::collection::vec(literal, 0..3).prop_map(Test::OneOf),
        1 => Just(Test::Exists),
        1 => kind.prop_map(Test::Kind),
    ];
    let leaf = (pointer, test).prop_map(|(pointer, test)| Filter(Expression::Test(pointer, test)));
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            inner.prop_map(|a| !a),
        ]
    })
}

/// Records in which the fields of [`filters`] are common, in any order, without equal keys.
fn records() -> impl Strategy<Value = String> {
    let scalar = prop::sample::select(vec![
        "1",
        "1.00",
        "0.5",
        "-2",
        "2.5",
        "1e2",
        "\"x\"",
        "\"\\u0078\"",
        "\"y\"",
        "\"x\\n\"",
        "\"é\"",
        "\"\"",
        "true",
        "false",
        "null",
        "[]",
        "{}",
    ]);
    let member =
        |key: &'static str, value: BoxedStrategy<String>| value.prop_map(move |value| format!("\"{key}\":{value}"));
    let plain = || scalar.clone().prop_map(str::to_owned).boxed();
    let object = |members: Vec<BoxedStrategy<String>>| {
        let all = members.len();
        let chosen = prop::sample::subsequence((0..all).collect::<Vec<_>>(), 0..=all).prop_shuffle();
        (members, chosen)
            .prop_map(|(members, chosen)| {
                let chosen: Vec<_> = chosen.into_iter().map(|n| members[n].clone()).collect();
                format!("{{{}}}", chosen.join(","))
            })
            .boxed()
    };
    let c = prop_oneof![plain(), object(vec![member("d", plain()).boxed(), member("x", plain()).boxed()])].boxed();
    let array = prop::collection::vec(prop_oneof![plain(), object(vec![member("a", plain()).boxed()])], 0..3)
        .prop_map(|items| format!("[{}]", items.join(",")));
    let b = prop_oneof![plain(), object(vec![member("c", c).boxed(), member("0", plain()).boxed()]), array].boxed();
    let members = vec![
        member("a", plain()).boxed(),
        member("b", b).boxed(),
        member("é", plain()).boxed(),
        member("other", plain()).boxed(),
    ];
    prop_oneof![9 => object(members), 1 => plain()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_reader_lets_the_same_records_through(filter in filters(), records in prop::collection::vec(records(), 1..20)) {
        let text: String = records.iter().map(|record| format!("{record}\n")).collect();
        let expected: Vec<_> = records.iter().enumerate()
            .filter(|(_, record)| judge_filter(&filter, &serde_json::from_str(record).unwrap()))
            .map(|(number, _)| number)
            .collect();
        prop_assert_eq!(matches(&text, &filter), expected);
    }
}
