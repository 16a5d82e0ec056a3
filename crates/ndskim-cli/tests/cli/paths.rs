//! `ndskim paths`: the paths, kinds and ranges are those that jq finds.

use serde_json::{Value, json};

use crate::{judge, run, run_json, world};

/// For each path: how many records have it, how many values of each kind there are, the smallest and the largest number.
const PROGRAM: &str = r#"
def shown: reduce .[] as $s (""; if ($s|type) == "number" then . + "[]" elif . == "" then $s else . + "." + $s end)|if . == "" then "." else . end;
[inputs|. as $r|[path(..)|. as $p|($r|getpath($p)) as $v|{path: ($p|shown), kind: ($v|type), n: (if ($v|type) == "number" then $v else null end)}]]
|(map(map(.path)|unique)|add|group_by(.)|map({key: .[0], value: length})|from_entries) as $records
|add|group_by(.path)|map({
    path: .[0].path,
    records: $records[.[0].path],
    kinds: (group_by(.kind)|map({key: .[0].kind, value: length})|from_entries),
    min: (map(.n|numbers)|min),
    max: (map(.n|numbers)|max)})
|sort_by(.path)
"#;

#[test]
fn paths_kinds_and_ranges_are_those_of_jq() {
    for file in ["chat.json", "sensors.json", "events.json"] {
        let expected = judge::expected(&format!("paths-{file}"), &world().join(file), PROGRAM);
        for threads in ["1", "2", "8"] {
            let answer = run_json(&["paths", "--wide", "10000", "--threads", threads, file]);
            let mut paths: Vec<_> = answer["paths"].as_array().unwrap().clone();
            paths.sort_by(|a, b| a["path"].as_str().cmp(&b["path"].as_str()));
            let rows: Vec<Value> = paths
                .iter()
                .map(|path| json!({"path": path["path"], "records": path["records"], "kinds": path["kinds"], "min": path["min"], "max": path["max"]}))
                .collect();
            judge::assert_equal(file, &Value::from(rows), &expected);
        }
    }
}

#[test]
fn every_path_can_be_asked_for() {
    let answer = run_json(&["paths", "events.json"]);
    let mut arrays = 0;
    for path in answer["paths"].as_array().unwrap() {
        let text = path["path"].as_str().unwrap();
        // A question goes through one array, and the members of a map have no path of their own.
        if text.matches("[]").count() > 1 || text.contains('*') {
            continue;
        }
        let count = run_json(&["count", "--where", &format!("{text} exists"), "events.json"]);
        if text.contains("[]") {
            arrays += 1;
            let values: u64 = path["kinds"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
            assert_eq!(count["matched"].as_u64(), Some(values), "{text}");
        } else {
            assert_eq!(count["matched"], path["records"], "{text}");
        }
    }
    assert!(arrays > 3);
}

#[test]
fn examples_do_not_depend_on_threads_and_maps_are_one_path() {
    let odd: Vec<_> = (0..300)
        .map(|n| {
            format!("{{\"by id\":{{\"k{n}\":{{\"x\":{n}}}}},\"a.b\":\"t{n}\",\"and\":1,\"a\":1,\"a\":\"second\"}}\n")
        })
        .collect();
    std::fs::write(world().join("map.json"), odd.concat()).unwrap();
    let answer = run_json(&["paths", "--threads", "1", "map.json"]);
    let names: Vec<_> = answer["paths"].as_array().unwrap().iter().map(|path| path["path"].as_str().unwrap()).collect();
    assert_eq!(names, [".", "a", "\"a.b\"", "\"and\"", "\"by id\"", "\"by id\".*", "\"by id\".*.x"]);
    assert_eq!(answer["paths"][1]["kinds"], json!({"number": 300}));
    assert_eq!(
        answer["paths"][5],
        json!({"path": "\"by id\".*", "records": null, "kinds": {"object": 300}, "members": 1, "examples": []})
    );
    assert_eq!(answer["paths"][6]["max"], json!(299));
    for threads in ["2", "8"] {
        assert_eq!(run_json(&["paths", "--threads", threads, "map.json"])["paths"], answer["paths"]);
    }
    let shallow = run(&["paths", "--depth", "1", "--limit", "1", "--format", "csv", "map.json"]);
    assert_eq!(shallow.stdout.lines().count(), 1 + 5, "{}", shallow.stdout);
}
