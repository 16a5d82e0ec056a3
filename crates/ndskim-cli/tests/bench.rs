//! `ndskim bench`: every row finds the truth, and what is printed is what programs expect.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value as Json;

fn dataset(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets").join(name)
}

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ndskim")).arg("bench").args(arguments).output().unwrap()
}

fn rows(arguments: &[&str]) -> Vec<Json> {
    let output = bench(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Json = serde_json::from_slice(&output.stdout).unwrap();
    report["rows"].as_array().unwrap().clone()
}

/// Rows of counts in an order that does not depend on how equal counts are sorted.
fn sorted(rows: &Json) -> Vec<String> {
    let mut rows: Vec<_> = rows.as_array().unwrap().iter().map(Json::to_string).collect();
    rows.sort();
    rows
}

#[test]
fn every_row_of_the_report_finds_the_truth() {
    let events = dataset("events.json");
    let truth: Json = serde_json::from_slice(&std::fs::read(dataset("events.truth.json")).unwrap()).unwrap();
    let rows = rows(&[events.to_str().unwrap(), "--format", "json", "--runs", "2", "--threads", "2"]);
    assert!(rows.len() >= 12, "{} rows", rows.len());
    for row in &rows {
        let answer = &row["answer"];
        assert_eq!(answer["records"], truth["records"], "{row}");
        for part in ["types", "opened_pull_requests"] {
            if answer.get(part).is_some() {
                let counts = |report: &Json| match part {
                    "types" => sorted(&report["types"]),
                    _ => sorted(&report["opened_pull_requests"]["languages"]),
                };
                assert_eq!(counts(answer), counts(&truth), "{row}");
            }
        }
        assert_eq!(row["seconds"].as_array().unwrap().len(), 2, "{row}");
        assert!(row["name"].is_string() && row["class"].is_string(), "{row}");
    }
}

#[test]
fn the_other_jobs_count_too() {
    let events = dataset("events.json");
    let events = events.to_str().unwrap();
    for row in rows(&[events, "--job", "field", "--pointer", "/public", "--format", "json", "--runs", "1"]) {
        if row["class"] != "search" {
            assert_eq!(row["answer"]["groups"][0]["key"], Json::Bool(true), "{row}");
        }
    }
    let rows =
        rows(&[events, "--job", "validate", "--input-format", "concatenated", "--format", "json", "--runs", "1"]);
    assert!(rows.iter().all(|row| row["answer"]["records"] == rows[0]["answer"]["records"]));
}

#[test]
fn wrong_usage_and_bad_data_have_their_exit_codes() {
    let code = |arguments: &[&str]| bench(arguments).status.code();
    assert_eq!(code(&["no-such-file.json"]), Some(1));
    assert_eq!(code(&["x.json", "--job", "field"]), Some(2));
    assert_eq!(code(&["x.json", "--job", "loads"]), Some(2));
    let bad = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&bad, "{\"type\":1}\n{\"type\"\n").unwrap();
    let output = bench(&[bad.path().to_str().unwrap(), "--runs", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&output.stderr).contains(":2:8 (byte 18)"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
