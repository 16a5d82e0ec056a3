//! `--on-fault` and its companions, and `ndskim check`.

use serde_json::{Value, json};

use crate::command::Place;

/// Line 2 is joined, line 3 cut, line 5 no JSON at all.
const BAD: &[u8] = b"{\"id\":1,\"type\":\"a\"}\n{\"id\":2,\"type\":\"a\"}{\"id\":3,\"type\":\"b\"}\n\
{\"id\":4,\"url\":\"https://api.{\"id\":5,\"type\":\"c\",\"x\":{\"id\":6}}\n{\"id\":7,\"type\":\"a\"}\nno\n";

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The groups of an answer by one key.
pub(crate) fn rows(text: &str) -> Value {
    let answer = json_of(text);
    let groups = answer["groups"].as_array().unwrap();
    groups.iter().map(|group| json!({"key": group["key"][0], "count": group["count"]})).collect()
}

#[test]
fn fail_names_the_first_fault_and_writes_no_report() {
    let place = Place::with(&[("bad.json", BAD)]);
    for command in
        ["ndskim count --by /type bad.json", "ghcount bad.json", "ghcount --threads 8 --format json bad.json"]
    {
        let ended = place.run(command);
        assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "{command}");
        assert!(
            ended.stderr.contains("bad.json:2:20 (byte 39): expected nothing after the value, found `{`"),
            "{ended:?}"
        );
    }
}

#[test]
fn skip_counts_and_says_what_and_where() {
    let place = Place::with(&[("bad.json", BAD)]);
    let ended = place.run("ndskim count --by /type --format json --on-fault skip bad.json");
    assert_eq!(ended.code, Some(0));
    assert_eq!(rows(&ended.stdout), json!([{"key": "a", "count": 2}]));
    assert_eq!(json_of(&ended.stdout)["rejected"], 3);
    assert!(
        ended.stderr.contains("ndskim: 3 of 5 records were bad and left out; the first at bad.json:2:20"),
        "{ended:?}"
    );
}

#[test]
fn strict_writes_the_report_and_ends_with_1() {
    let place = Place::with(&[("bad.json", BAD), ("good.json", b"{\"type\":\"a\"}\n")]);
    let ended = place.run("ndskim count --by /type --format json --on-fault skip --strict bad.json");
    assert_eq!(ended.code, Some(1));
    assert_eq!(rows(&ended.stdout), json!([{"key": "a", "count": 2}]));
    let ended = place.run("ndskim count --by /type --format json --on-fault skip --strict good.json");
    assert_eq!((ended.code, &*ended.stderr), (Some(0), ""));
}

#[test]
fn too_many_faults_are_a_failure() {
    let place = Place::with(&[("bad.json", BAD)]);
    for (limit, code) in [("2", 1), ("3", 0), ("59%", 1), ("60%", 0), ("0", 1), ("100%", 0)] {
        let ended = place.run(&format!("ndskim count --by /type --on-fault skip --max-faults {limit} bad.json"));
        assert_eq!(ended.code, Some(code), "{limit}: {ended:?}");
        assert_eq!(ended.stdout.is_empty(), code == 1);
        assert_eq!(ended.stderr.contains("the first: bad.json:2:20"), code == 1, "{ended:?}");
    }
}

#[test]
fn rejects_are_written_verbatim_with_their_places_beside_them() {
    let place = Place::with(&[("bad.json", BAD)]);
    for threads in [1, 8] {
        let ended = place.run(&format!("ghcount --on-fault skip --threads {threads} --rejects out bad.json"));
        assert_eq!(ended.code, Some(0));
        let lines: Vec<_> = str::from_utf8(BAD).unwrap().lines().collect();
        assert_eq!(place.read("out").lines().collect::<Vec<_>>(), [lines[1], lines[2], lines[4]]);
        let faults: Vec<_> = place.read("out.faults.ndjson").lines().map(json_of).collect();
        let places: Vec<_> =
            faults.iter().map(|f| (f["line"].as_u64(), f["offset"].as_u64(), f["byte"].as_u64())).collect();
        assert_eq!(
            places,
            [(Some(2), Some(20), Some(39)), (Some(3), Some(59), Some(88)), (Some(5), Some(139), Some(140))]
        );
        assert_eq!(faults[0]["reason"], "expected nothing after the value, found `{`");
        assert_eq!((&faults[2]["input"], &faults[2]["length"]), (&json!("bad.json"), &json!(2)));
        assert!(!place.path("out.partial").exists() && !place.path("out.faults.ndjson.partial").exists());
    }
}

#[test]
fn rejects_of_a_failed_command_do_not_look_whole() {
    let place = Place::with(&[("bad.json", BAD)]);
    let ended = place.run("ghcount --on-fault skip --rejects out bad.json missing.json");
    assert_eq!((ended.code, &*ended.stdout), (Some(1), ""));
    assert!(!place.path("out").exists() && !place.path("out.faults.ndjson").exists());
    assert_eq!(place.read("out.partial").lines().count(), 3);
}

#[test]
fn rejects_never_overwrite_an_input() {
    let place = Place::with(&[("bad.json", BAD)]);
    let ended = place.run("ghcount --on-fault skip --rejects ./bad.json bad.json");
    assert_eq!(ended.code, Some(2));
    assert_eq!(place.read("bad.json").as_bytes(), BAD);
}

#[test]
fn rejects_that_cannot_be_written_are_a_failure() {
    let place = Place::with(&[("bad.json", BAD)]);
    for target in ["/dev/full", "no/such/directory"] {
        let ended = place.run(&format!("ghcount --on-fault skip --rejects {target} bad.json"));
        assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "{ended:?}");
        assert!(ended.stderr.contains(&format!("cannot write rejects to {target}")), "{ended:?}");
    }
}

#[test]
fn salvage_keeps_whole_records_and_counts_what_is_lost() {
    let place = Place::with(&[("bad.json", BAD)]);
    let ended = place.run("ndskim count --by /type --format json --on-fault salvage --rejects out bad.json");
    assert_eq!(ended.code, Some(0));
    let expected = json!([{"key": "a", "count": 3}, {"key": "b", "count": 1}, {"key": "c", "count": 1}]);
    assert_eq!(rows(&ended.stdout), expected);
    // 38, 59 and 2 bytes are bad; of them 38 and 32 are kept.
    assert!(
        ended.stderr.contains("of their 99 bytes, 3 records with 70 bytes were salvaged, and 29 bytes lost"),
        "{ended:?}"
    );
    assert_eq!(place.read("out"), "{\"id\":4,\"url\":\"https://api.\nno\n");
    let faults: Vec<_> = place.read("out.faults.ndjson").lines().map(json_of).collect();
    assert_eq!(faults[0]["salvaged"], json!([{"offset": 20, "length": 19}, {"offset": 39, "length": 19}]));
}

#[test]
fn what_cannot_be_done_together_is_wrong_usage() {
    let place = Place::with(&[("good.json", b"{}\n")]);
    for command in [
        "ghcount --on-fault salvage --validate visited good.json",
        "ghcount --on-fault salvage --input-format concatenated good.json",
        "ndskim check --validate visited good.json",
        "ghcount --rejects out good.json",
        "ghcount --max-faults 3 good.json",
        "ghcount --strict good.json",
        "ghcount --on-fault skip --max-faults many good.json",
    ] {
        let ended = place.run(command);
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{command}: {ended:?}");
        assert!(!ended.stderr.is_empty());
    }
}

#[test]
fn check_says_whether_all_is_valid() {
    let place = Place::with(&[("bad.json", BAD), ("good.json", b"{}\n\n[1]")]);
    let ended = place.run("ndskim check good.json");
    assert_eq!((ended.code, &*ended.stderr), (Some(0), ""));
    assert!(ended.stdout.starts_with("valid: 2 records, 1 blank line, 7 bytes in "), "{ended:?}");

    let ended = place.run("ndskim check good.json bad.json --show 2");
    assert_eq!(ended.code, Some(1));
    let lines: Vec<_> = ended.stdout.lines().collect();
    assert!(lines[0].starts_with("bad.json:2:20 (byte 39): expected nothing"), "{ended:?}");
    assert!(lines[1].starts_with("bad.json:3:30 (byte 88): expected `,` or `}`, found `i`"), "{ended:?}");
    assert_eq!(lines[2], "and 1 more");

    let ended = place.run("ndskim check --format json --show 1 bad.json");
    assert_eq!(ended.code, Some(1));
    let report = json_of(&ended.stdout);
    assert_eq!((&report["valid"], &report["records"], &report["rejected"]), (&json!(false), &json!(2), &json!(3)));
    assert_eq!(report["faults"].as_array().unwrap().len(), 1);
    assert_eq!((&report["faults"][0]["line"], &report["faults"][0]["byte"]), (&json!(2), &json!(39)));

    let ended = place.run("ndskim check --on-fault fail bad.json");
    assert_eq!((ended.code, &*ended.stdout), (Some(1), ""));
}

#[test]
fn a_second_value_on_a_line_names_the_flag_that_reads_it() {
    let place = Place::with(&[("two.json", b"{\"type\":\"a\"} {\"type\":\"b\"}\n")]);
    let ended = place.run("ghcount two.json");
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("hint: --several-per-line reads all values of a line"), "{ended:?}");
    let ended = place.run("ndskim count --by /type --format json --several-per-line two.json");
    assert_eq!(rows(&ended.stdout), json!([{"key": "a", "count": 1}, {"key": "b", "count": 1}]));
    assert_eq!(place.run("ghcount --several-per-line --input-format array two.json").code, Some(2));
    // It does not help against what begins no value.
    let ended = place.run_with("ghcount --on-fault skip", b"\"type\": \"a\"\n1]\n");
    assert!(!ended.stderr.contains("hint:"), "{ended:?}");
}

#[test]
fn a_pretty_printed_document_is_one_helpful_error() {
    let document = format!("{{\n{}  \"type\": \"a\"\n}}\n", "  \"x\": 1,\n".repeat(1000));
    let place = Place::with(&[("pretty.json", document.as_bytes())]);
    for command in ["ghcount", "ghcount --on-fault fail", "ndskim check --on-fault fail", "ndskim paths"] {
        let ended = place.run(&format!("{command} pretty.json"));
        assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "{ended:?}");
        assert_eq!(ended.stderr.lines().count(), 2, "{ended:?}");
        assert!(ended.stderr.contains("pretty.json:1:2 (byte 1): expected the whole value on one line"), "{ended:?}");
        assert!(ended.stderr.contains("hint: --input-format concatenated reads"), "{ended:?}");
    }
    let ended = place.run("ndskim count --by /type --format json --input-format concatenated pretty.json");
    assert_eq!(rows(&ended.stdout), json!([{"key": "a", "count": 1}]));
}

#[test]
fn a_pretty_printed_document_is_read_line_by_line_where_bad_lines_are_left_out() {
    // As it stands in a document, and as it stands in a file of lines of which the first was broken in two.
    let pretty = format!("{{\n{}  \"type\": \"a\"\n}}\n", "  \"x\": 1,\n".repeat(1000));
    let broken = format!("{{\n\"type\":\"a\"}}\n{}", "{\"type\":\"a\"}\n".repeat(1000));
    let place = Place::with(&[("pretty.json", pretty.as_bytes()), ("broken.json", broken.as_bytes())]);
    for (file, records, bad) in [("pretty.json", 0, 1003), ("broken.json", 1000, 2)] {
        let said = format!(
            "ndskim: warning: {file}: looks pretty-printed, and is read line by line all the same\n\
             hint: --input-format concatenated reads"
        );
        for on_fault in ["skip", "salvage"] {
            let ended = place.run(&format!("ndskim count --by type --format json --on-fault {on_fault} {file}"));
            assert_eq!(ended.code, Some(0), "{ended:?}");
            let answer = json_of(&ended.stdout);
            assert_eq!((&answer["records"], &answer["rejected"]), (&json!(records), &json!(bad)));
            assert!(ended.stderr.starts_with(&said), "{ended:?}");
            assert_eq!(ended.stderr.matches("hint:").count(), 1, "{ended:?}");
        }
        let ended = place.run(&format!("ndskim check --format json {file}"));
        let answer = json_of(&ended.stdout);
        assert_eq!((ended.code, &answer["records"], &answer["rejected"]), (Some(1), &json!(records), &json!(bad)));
        assert!(ended.stderr.starts_with(&said), "{ended:?}");
    }
    // The two of them are named, and what helps is said once.
    let ended = place.run("ghcount --on-fault skip broken.json pretty.json");
    assert_eq!((ended.stderr.matches("warning:").count(), ended.stderr.matches("hint:").count()), (2, 1), "{ended:?}");
    // Too many are a failure, whose reader must learn why.
    let ended = place.run("ghcount --on-fault skip --max-faults 5 pretty.json");
    assert_eq!((ended.code, &*ended.stdout), (Some(1), ""));
    assert!(ended.stderr.contains("pretty.json: looks pretty-printed"), "{ended:?}");
    assert!(!ended.stderr.contains("--on-fault"), "{ended:?}");
}

#[test]
fn a_failure_names_skip_only_where_it_was_not_given() {
    let place = Place::with(&[("bad.json", b"{\"type\":\"a\"}\n{\"type\":}\n")]);
    let hint = "hint: --on-fault skip leaves such records out and counts them";
    for command in ["ghcount", "ndskim count --by type", "ndskim paths", "ndskim check --on-fault fail"] {
        let ended = place.run(&format!("{command} bad.json"));
        assert_eq!((ended.code, ended.stderr.lines().last()), (Some(1), Some(hint)), "{ended:?}");
    }
    for on_fault in ["skip", "salvage"] {
        let ended = place.run(&format!("ghcount --on-fault {on_fault} --max-faults 0 bad.json"));
        assert_eq!((ended.code, ended.stderr.contains("hint")), (Some(1), false), "{ended:?}");
    }
}

#[test]
fn auto_says_what_it_took_also_when_it_fails() {
    let place = Place::with(&[("a.json", b"[{\"type\":\"a\"},\n{\"type\":}]\n")]);
    for command in ["ghcount", "ndskim count --by type", "ndskim paths", "ndskim check --on-fault fail"] {
        let ended = place.run(&format!("{command} --input-format auto a.json"));
        assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "{ended:?}");
        let program = command.split(' ').next().unwrap();
        assert!(ended.stderr.starts_with(&format!("{program}: a.json: read as array\n")), "{ended:?}");
        assert!(ended.stderr.contains("a.json:2:9 (byte 23): expected a value, found `}`"), "{ended:?}");
    }
}

#[test]
fn auto_says_what_it_took() {
    let place = Place::with(&[("a.json", b"[{\"type\":\"a\"},\n{\"type\":\"b\"}]\n")]);
    for command in ["ndskim count --by /type --format json", "ndskim check"] {
        let ended = place.run(&format!("{command} --input-format auto a.json"));
        assert_eq!((ended.code, &*ended.stderr), (Some(0), "ndskim: a.json: read as array\n"), "{ended:?}");
    }
    let formats = [("seq", "\x1e{\"type\":\"a\"}\n"), ("comma", "{\"type\":\"a\"},"), ("array", "[{\"type\":\"a\"}]")];
    for (format, text) in formats {
        let ended =
            place.run_with(&format!("ndskim count --by /type --format json --input-format {format}"), text.as_bytes());
        assert_eq!(rows(&ended.stdout), json!([{"key": "a", "count": 1}]), "{ended:?}");
    }
}
