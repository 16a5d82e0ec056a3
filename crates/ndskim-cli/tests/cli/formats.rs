//! The formats of answers, and the file that they go to.

use std::fs;
use std::process::{Command, Stdio};

use crate::{run, run_json, world};

/// Absent, null, the string "null", and other keys that could be taken for something else.
const KEYS: &str = "{}\n{\"k\":null}\n{\"k\":\"null\"}\n{\"k\":\"(absent)\"}\n{\"k\":1}\n{\"k\":\"1\"}\n{\"k\":\"\"}\n{\"k\":\"a,b\\n\\\"c\\\"\"}\n{\"k\":{\"absent\":true}}\n{\"k\":\"x|y\"}\n";

fn keys(format: &str) -> String {
    let name = format!("keys-{format}.json");
    fs::write(world().join(&name), KEYS).unwrap();
    let said = run(&["count", "--by", "k", "--sort", "key", "--format", format, &name]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    said.stdout
}

#[test]
fn no_two_keys_look_alike_in_csv() {
    let expected = [
        "k,records",
        "\"\"\"\"\"\",1",
        "\"\"\"(absent)\"\"\",1",
        "\"\"\"1\"\"\",1",
        "\"\"\"a,b\\n\\\"\"c\\\"\"\"\"\",1",
        "\"\"\"null\"\"\",1",
        "x|y,1",
        "1,1",
        "null,1",
        "\"{\"\"absent\"\":true}\",1",
        "(absent),1",
        "",
    ];
    assert_eq!(keys("csv"), expected.join("\r\n"));
}

#[test]
fn no_two_keys_look_alike_in_tsv_and_markdown() {
    let labels = [
        "\"\"",
        "\"(absent)\"",
        "\"1\"",
        "\"a,b\\n\\\"c\\\"\"",
        "\"null\"",
        "x|y",
        "1",
        "null",
        "{\"absent\":true}",
        "(absent)",
    ];
    let tsv: Vec<_> = labels.iter().map(|label| format!("{label}\t1\n")).collect();
    assert_eq!(keys("tsv"), format!("k\trecords\n{}", tsv.concat()));
    let markdown = keys("markdown");
    let lines: Vec<_> = markdown.lines().collect();
    assert_eq!(lines[..3], ["| k | records | share |", "| --- | ---: | ---: |", "| \"\" | 1 | 10.0 % |"]);
    assert!(lines.contains(&"| x\\|y | 1 | 10.0 % |"), "{markdown}");
}

#[test]
fn no_two_keys_look_alike_in_json_and_ndjson() {
    let expected = [
        "\"\"",
        "\"(absent)\"",
        "\"1\"",
        "\"a,b\\n\\\"c\\\"\"",
        "\"null\"",
        "\"x|y\"",
        "1",
        "null",
        "{\"value\":{\"absent\":true}}",
        "{\"absent\":true}",
    ];
    let rows: Vec<_> = expected.iter().map(|key| format!("{{\"key\":[{key}],\"count\":1}}")).collect();
    assert_eq!(keys("ndjson"), rows.iter().map(|row| format!("{row}\n")).collect::<String>());
    let json = keys("json");
    let start = format!(
        "{{\"records\":10,\"matched\":10,\"bytes\":{},\"rejected\":0,\"groups\":[{}]",
        KEYS.len(),
        rows.join(",")
    );
    assert!(json.starts_with(&start), "{json}");
    serde_json::from_str::<serde_json::Value>(&json).unwrap();
}

#[test]
fn a_table_in_a_pipe_has_no_colour_no_bars_and_nothing_of_the_progress() {
    let said = run(&["count", "--by", "user.name", "--top", "3", "chat.json"]);
    assert!(!said.stdout.contains('\x1b') && !said.stdout.contains('█'), "{}", said.stdout);
    assert_eq!(said.stderr, "");
    let lines: Vec<_> = said.stdout.lines().collect();
    assert!(lines[0].starts_with("user.name") && lines[0].ends_with("records   share"), "{}", said.stdout);
    assert!(lines[4].starts_with("(other)") && lines[5].starts_with("total"), "{}", said.stdout);
    assert_eq!(lines[7], "3 of 6 groups are shown");
}

#[test]
fn no_group_is_an_empty_table_and_no_records_are_a_count_of_zero() {
    fs::write(world().join("empty.json"), "").unwrap();
    assert_eq!(run(&["count", "--by", "x", "--format", "csv", "empty.json"]).stdout, "x,records\r\n");
    assert_eq!(run(&["count", "--sum", "x", "--format", "csv", "empty.json"]).stdout, "records,sum(x)\r\n0,\r\n");
    let table = run(&["count", "--by", "x", "empty.json"]).stdout;
    assert!(table.starts_with("x      records  share\ntotal        0\n\n0 records"), "{table}");
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let file = world().join("answer.csv");
    fs::write(&file, "before").unwrap();
    let names = || {
        fs::read_dir(world())
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains(".ndskim-"))
            .count()
    };
    fs::write(world().join("broken.json"), "{\"a\":1}\n{\"a\":\n").unwrap();
    let said = run(&["count", "--by", "a", "-o", "answer.csv", "--format", "csv", "broken.json"]);
    assert_eq!((said.code, fs::read_to_string(&file).unwrap().as_str(), names()), (1, "before", 0));
    let said = run(&["count", "--by", "sensor", "-o", "answer.csv", "--format", "csv", "sensors.json"]);
    assert_eq!((said.code, said.stdout.as_str(), names()), (0, "", 0));
    assert!(fs::read_to_string(&file).unwrap().starts_with("sensor,records\r\n"));
    // What is no file is written in place.
    assert_eq!(run(&["count", "-o", "/dev/null", "sensors.json"]).code, 0);
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn what_functions_and_aggregates_leave_out_is_said() {
    let answer = run_json(&["count", "--by", "hour(v)", "--sum", "n", "odd.json"]);
    let left_out = answer["left_out"].as_object().unwrap();
    assert_eq!(left_out["sum(n)"].as_u64(), Some(4));
    let said = run(&["count", "--sum", "n", "odd.json"]);
    assert_eq!(said.stderr, "ndskim: sum(n): 4 values of another kind, or out of range, were left out\n");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ndskim"))
        .args(["count", "--by", "text", "--by", "time", "--format", "ndjson", "chat.json"])
        .current_dir(world())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn figures_are_for_people_or_for_programs() {
    let said = run(&["count", "--stats", "chat.json"]);
    for row in ["bytes", "records      1,500", "seconds", "speed", "peak memory", "threads", "kernel", "reading"] {
        assert!(said.stderr.contains(row), "{row}: {}", said.stderr);
    }
    let said = run(&["count", "--stats", "json", "--limit", "10", "chat.json"]);
    let stats: serde_json::Value = serde_json::from_str(&said.stderr).unwrap();
    assert_eq!((stats["records"].as_u64(), stats["stopped"].as_bool()), (Some(10), Some(true)));
    assert!(stats["seconds"]["scan"].as_f64().is_some() && stats["peak_memory"].as_u64() > Some(0));
}

#[test]
fn check_writes_every_format_and_to_a_file() {
    // The fault is where the value is missing: at the end of the second line, six columns on.
    fs::write(world().join("faulty.json"), "{\"a\":1}\n{\"a\":\n{\"a\":3}\n").unwrap();
    let check = |more: &[&str]| run(&[&["check", "faulty.json"], more].concat());
    let csv = check(&["--format", "csv"]);
    assert!(csv.stdout.starts_with("input,line,column,byte,reason,excerpt\r\nfaulty.json,2,6,13,"), "{}", csv.stdout);
    let row: serde_json::Value = serde_json::from_str(&check(&["--format", "ndjson"]).stdout).unwrap();
    assert_eq!(
        (row["input"].as_str(), row["line"].as_u64(), row["byte"].as_u64()),
        (Some("faulty.json"), Some(2), Some(13))
    );
    let markdown = check(&["--format", "markdown"]).stdout;
    assert!(
        markdown.starts_with("| input | line | column | byte |") && markdown.contains("| faulty.json | 2 | 6 | 13 |")
    );
    let written = check(&["--format", "json", "-o", "faults.json", "--stats", "json"]);
    assert_eq!((written.code, written.stdout.as_str()), (1, ""));
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(world().join("faults.json")).unwrap()).unwrap();
    assert_eq!((report["records"].as_u64(), report["rejected"].as_u64()), (Some(2), Some(1)));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&written.stderr).unwrap()["rejected"], 1);
    // What stands behind the limit is not read.
    assert_eq!(check(&["--limit", "1"]).code, 0);
}

#[test]
fn a_limit_is_on_what_is_read_whatever_the_command() {
    for command in [&["count", "--by", "type"][..], &["paths"], &["check"]] {
        let answer = run_json(&[command, &["--limit", "7", "events.json"]].concat());
        assert_eq!(answer["records"].as_u64(), Some(7), "{command:?}");
    }
    let ghcount =
        crate::run_program(env!("CARGO_BIN_EXE_ghcount"), &["--limit", "7", "--format", "json", "events.json"]);
    assert!(ghcount.stdout.starts_with("{\"records\":7,"), "{}", ghcount.stdout);
}
