//! The judge: what jq answers to the same question. Where there is no jq, what it answered when the expectations were recorded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// Definitions for the programs: `at(path)` is a list of the value there, or of nothing; `key(path)` is the value as a key,
/// with the marks for absent and for objects; `numbers(path)` are the numbers there in many records; `quantile(q)` is of
/// numbers.
const PRELUDE: &str = r#"
def at(p): reduce p[] as $s ([.]; if length == 0 then .
  elif (.[0]|type) == "object" and ($s|type) == "string" and (.[0]|has($s)) then [.[0][$s]]
  elif (.[0]|type) == "array" and ($s|type) == "number" and (.[0]|length) > $s then [.[0][$s]] else [] end);
def mark: if length == 0 then {absent:true} elif (.[0]|type) == "object" then {value:.[0]} else .[0] end;
def key(p): at(p)|mark;
def numbers(p): [.[]|at(p)[]|select(type == "number")];
def quantile(q): sort|if length == 0 then null else .[([(q * length|ceil), 1]|max) - 1] end;
def groups(rows; keys; more): [rows]|{matched: length, groups: (group_by(keys)|map({key: (.[0]|keys), count: length} + more))};
"#;

/// jq's answer to a program over a file: groups with their keys, counts and results.
pub(crate) fn expected(name: &str, file: &Path, program: &str) -> Value {
    let recorded = recorded(name);
    let jq = Command::new("jq").arg("-nc").arg(format!("{PRELUDE} {program}")).arg(file).output();
    let Ok(output) = jq else {
        let text =
            fs::read_to_string(&recorded).unwrap_or_else(|_| panic!("there is neither jq nor {}", recorded.display()));
        return serde_json::from_str(&text).unwrap();
    };
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{name}: {error}"));
    if std::env::var_os("RECORD").is_some() {
        fs::create_dir_all(recorded.parent().unwrap()).unwrap();
        fs::write(&recorded, format!("{answer}\n")).unwrap();
    }
    answer
}

fn recorded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/expected").join(format!("{name}.json"))
}

/// Compares an answer of `ndskim count --format json` with the judge's. Groups are compared whatever their order; where only
/// the first are shown, they must be among the judge's, none of the others may be larger, and the rest must come to
/// `(other)`.
pub(crate) fn compare(name: &str, answer: &Value, expected: &Value) {
    assert_eq!(answer["matched"], expected["matched"], "{name}");
    let other = json!({"other": true});
    let is_other = |group: &&Value| group["key"].as_array().is_some_and(|key| key.contains(&other));
    let groups = answer["groups"].as_array().unwrap();
    let all = expected["groups"].as_array().unwrap();
    let shown: Vec<_> = groups.iter().filter(|group| !is_other(group)).collect();
    for group in &shown {
        let same = all.iter().find(|expected| equal(&expected["key"], &group["key"]));
        let same = same.unwrap_or_else(|| panic!("{name}: jq has no group {group}"));
        for (column, value) in same.as_object().unwrap() {
            assert!(equal(value, &group[column]), "{name}: {column} of {group} is {value} for jq");
        }
    }
    match groups.iter().find(is_other) {
        None => assert_eq!(shown.len(), all.len(), "{name}: jq has {expected}"),
        Some(rest) => {
            assert_eq!(rest["groups"], json!(all.len() - shown.len()), "{name}");
            let counts = |groups: &mut dyn Iterator<Item = &Value>| {
                groups.map(|group| group["count"].as_u64().unwrap()).collect::<Vec<_>>()
            };
            let (mut most, mine) = (counts(&mut all.iter()), counts(&mut shown.iter().copied()));
            most.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(mine, most[..mine.len()], "{name}");
            let sum: u64 = most[mine.len()..].iter().sum();
            assert_eq!(rest["count"], json!(sum), "{name}");
        }
    }
}

/// Compares two answers as a whole.
pub(crate) fn assert_equal(name: &str, answer: &Value, expected: &Value) {
    if let (Value::Array(answer), Value::Array(expected)) = (answer, expected) {
        for (row, same) in answer.iter().zip(expected) {
            assert!(equal(row, same), "{name}: {row} is {same} for jq");
        }
        assert_eq!(answer.len(), expected.len(), "{name}");
    } else {
        assert!(equal(answer, expected), "{name}");
    }
}

/// Equal as JSON; numbers as doubles, which is all that jq has, and fractions but for the rounding of a sum.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a == b || (a - b).abs() <= a.abs().max(b.abs()) * 1e-12
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => a == b,
    }
}
