//! Every operator of a condition with every kind of value, also missing and null: the records for which it holds are those of
//! jq. Each is asked twice, as a filter of the scan and, behind a limit, as a predicate.

use std::fs;

use serde_json::json;

use crate::{judge, run_json, world};

/// The values; a record without one comes first.
const VALUES: &str = r#"null true false 0 1 1.0 1e0 -3 0.5 100 "" "a" "A" "ab" "null" "1" "true" "café" "caf\u00e9" "E" "🦀" [] [1,2] {} {"a":1}"#;

/// What is compared, and the same for jq: a list of the value, or of nothing.
const SUBJECTS: [(&str, &str); 4] = [
    ("v", "."),
    ("lower(v)", r#"map(if type == "string" then ascii_downcase elif . == null then . else empty end)"#),
    ("len(v)", r#"map(if type == "number" or type == "boolean" then empty elif . == null then . else length end)"#),
    ("bucket(v, 0.5)", r#"map(if type == "number" then . * 2|floor / 2 elif . == null then . else empty end)"#),
];

/// Conditions on S, and the same for jq, of the list of the value.
fn conditions() -> Vec<(String, String)> {
    let mut rows = vec![
        ("S exists".to_owned(), "length == 1".to_owned()),
        (
            "S in (1, 'a', null, true)".to_owned(),
            r#"(. == [1] or . == ["a"] or . == [null] or . == [true])"#.to_owned(),
        ),
        ("S in ('null', 0.5)".to_owned(), r#"(. == ["null"] or . == [0.5])"#.to_owned()),
    ];
    for literal in
        [r#""""#, r#""a""#, r#""null""#, r#""1""#, r#""café""#, "1", "0.5", "-3", "1e2", "true", "false", "null"]
    {
        rows.push((format!("S = {literal}"), format!("(. == [{literal}])")));
        rows.push((format!("S != {literal}"), format!("(length == 1 and . != [{literal}])")));
        if !matches!(literal, "true" | "false" | "null") {
            for operator in ["<", "<=", ">", ">="] {
                let same = format!("(length == 1 and (.[0]|type) == ({literal}|type) and .[0] {operator} {literal})");
                rows.push((format!("S {operator} {literal}"), same));
            }
        }
    }
    for pattern in ["a", "^$", "^[a-z]+$", "é", "^.$"] {
        let found = format!(r#"(.[0]|type) == "string" and (.[0]|test("{pattern}"))"#);
        rows.push((format!("S ~ '{pattern}'"), format!("(length == 1 and {found})")));
        rows.push((format!("S !~ '{pattern}'"), format!("(length == 1 and ({found}|not))")));
    }
    let negated: Vec<_> = rows.iter().map(|(mine, same)| (format!("not {mine}"), format!("({same}|not)"))).collect();
    rows.extend(negated);
    rows.push(("S not in (1, null)".to_owned(), "(. != [1] and . != [null])".to_owned()));
    rows.push((
        "S > 0 and S < 2 or S = 'a'".to_owned(),
        r#"(((.[0]|type) == "number" and .[0] > 0 and .[0] < 2) or . == ["a"])"#.to_owned(),
    ));
    rows
}

#[test]
fn every_operator_on_every_kind_holds_where_it_does_for_jq() {
    let values = VALUES.split(' ').enumerate().map(|(id, value)| format!("{{\"id\":{},\"v\":{value}}}\n", id + 1));
    let file = world().join("kinds.json");
    fs::write(&file, std::iter::once("{\"id\":0}\n".to_owned()).chain(values).collect::<String>()).unwrap();
    // For each subject and each condition, the records for which it holds. What is no field is a predicate in any case.
    let mut programs = Vec::new();
    let mut asked = Vec::new();
    for (subject, same_subject) in SUBJECTS {
        let is_field = subject == "v";
        for (condition, same) in
            conditions().into_iter().filter(|(condition, _)| is_field || !condition.starts_with("not"))
        {
            programs.push(format!("[$all[]|.id as $id|(at([\"v\"])|{same_subject})|select({same})|$id]"));
            let ways: &[&[&str]] =
                if is_field { &[&[], &["--limit", "1000"], &["--validate", "visited"]] } else { &[&[]] };
            asked.push((condition.replace('S', subject), ways));
        }
    }
    let expected = judge::expected("operators", &file, &format!("[inputs] as $all|[{}]", programs.join(",\n")));
    assert_eq!(expected.as_array().unwrap().len(), asked.len());
    for ((condition, ways), expected) in asked.iter().zip(expected.as_array().unwrap()) {
        for way in *ways {
            let arguments = ["count", "--by", "id", "--sort", "key", "--where", condition.as_str(), "kinds.json"];
            let answer = run_json(&[&arguments[..], way].concat());
            let ids: Vec<_> = answer["groups"].as_array().unwrap().iter().map(|group| &group["key"][0]).collect();
            assert_eq!(json!(ids), *expected, "{condition} {way:?}");
        }
    }
}
