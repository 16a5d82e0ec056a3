//! Every kind of question, asked of made files: the answer is jq's.

use crate::{judge, run_json, world};

/// Name, arguments, file, and the program for jq.
type Case = (&'static str, &'static [&'static str], &'static str, &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("no-groups", &[], "odd.json",
     r#"groups(inputs; []; {})"#),
    ("by-kinds", &["--by", "v"], "odd.json",
     r#"groups(inputs; [key(["v"])]; {})|.groups |= map(if .key == ["second"] then .key = ["first"] else . end)"#),
    ("by-number", &["--by", "/n"], "odd.json",
     r#"groups(inputs; [key(["n"])]; {})"#),
    ("by-tuple", &["--by", "type", "--by", "/payload/action", "--by", "public"], "events.json",
     r#"groups(inputs; [key(["type"]), key(["payload","action"]), key(["public"])]; {})"#),
    ("by-element", &["--by", "payload.commits[0].author.name"], "events.json",
     r#"groups(inputs; [key(["payload","commits",0,"author","name"])]; {})"#),
    ("year-month-day", &["--by", "year(created_at)", "--by", "month(created_at)", "--by", "day(created_at)"], "events.json",
     r#"groups(inputs; [.created_at[0:4], .created_at[5:7], .created_at[8:10]|tonumber]; {})"#),
    ("hour-weekday", &["--by", "hour(ts)", "--by", "weekday(ts)"], "access.json",
     r#"groups(inputs; [(.ts|fromdate|strftime("%H")|tonumber), (.ts|fromdate|strftime("%u")|tonumber)]; {})"#),
    ("epoch-parts", &["--by", "hour(t, s)", "--by", "weekday(t, s)", "--by", "month(t, s)"], "sensors.json",
     r#"groups(inputs; [(.t|strftime("%H")|tonumber), (.t|strftime("%u")|tonumber), (.t|strftime("%m")|tonumber)]; {})"#),
    ("trunc-hour", &["--by", "trunc(time, hour, ms)"], "chat.json",
     r#"groups(inputs; [.time/1000|floor|strftime("%Y-%m-%dT%H:00:00Z")]; {})"#),
    ("trunc-day", &["--by", "trunc(t, day, s)"], "sensors.json",
     r#"groups(inputs; [.t|strftime("%Y-%m-%dT00:00:00Z")]; {})"#),
    ("trunc-week", &["--by", "trunc(t, week, s)"], "sensors.json",
     r#"groups(inputs; [.t - ((.t|strftime("%u")|tonumber) - 1) * 86400|strftime("%Y-%m-%dT00:00:00Z")]; {})"#),
    ("trunc-month", &["--by", "trunc(created_at, month)"], "events.json",
     r#"groups(inputs; [.created_at[0:7] + "-01T00:00:00Z"]; {})"#),
    ("trunc-text", &["--by", "trunc(ts, week)", "--by", "trunc(ts, day)"], "access.json",
     r#"groups(inputs; [(.ts|fromdate) as $t|($t - (($t|strftime("%u")|tonumber) - 1) * 86400, $t)|strftime("%Y-%m-%dT00:00:00Z")]; {})"#),
    ("trunc-month-epoch", &["--by", "trunc(time, month, ms)", "--by", "year(time, ms)", "--by", "day(time, ms)"], "chat.json",
     r#"groups(inputs; [(.time/1000|floor) as $t|($t|strftime("%Y-%m-01T00:00:00Z")), ($t|strftime("%Y")|tonumber), ($t|strftime("%d")|tonumber)]; {})"#),
    ("epoch-small-units", &["--by", "trunc(samples, hour, us)", "--by", "hour(samples, ns)", "--by", "month(samples, us)"], "sensors.json",
     r#"groups(inputs; [(.samples/1000000|floor|strftime("%Y-%m-%dT%H:00:00Z")), (.samples/1000000000|floor|strftime("%H")|tonumber),
        (.samples/1000000|floor|strftime("%m")|tonumber)]; {})"#),
    ("functions-of-kinds", &["--by", "hour(v)", "--by", "host(v)", "--by", "trunc(v, day)", "--by", "prefix(v, 1)"], "odd.json",
     r#"groups(inputs; [at(["v"])|(if . == [null] then null else {absent:true} end) as $none|$none, $none, $none,
        if length == 1 and (.[0]|type) == "string" then .[0]|if . == "second" then "f" else .[0:1] end else $none end]; {})"#),
    ("bucket-of-kinds", &["--by", "bucket(n, 2)"], "odd.json",
     r#"groups(inputs; [at(["n"])|if . == [null] then null elif (.[0]|type) == "number" then .[0] / 2|floor * 2 else {absent:true} end]; {})"#),
    ("len", &["--by", "len(payload.commits)", "--where", "type = 'PushEvent'"], "events.json",
     r#"groups(inputs|select(.type == "PushEvent"); [.payload.commits|length]; {})"#),
    ("len-text", &["--by", "len(text)"], "chat.json",
     r#"groups(inputs; [.text|length]; {})"#),
    ("len-kinds", &["--by", "len(v)"], "odd.json",
     r#"groups(inputs; [at(["v"])|if length == 0 then {absent:true} elif .[0] == null then null
        elif (.[0]|type) == "number" or (.[0]|type) == "boolean" then {absent:true} else .[0]|if . == "second" then 5 else length end end]; {})"#),
    ("lower", &["--by", "lower(v)"], "odd.json",
     r#"groups(inputs; [at(["v"])|if length == 0 then {absent:true} elif .[0] == null then null
        elif (.[0]|type) != "string" then {absent:true} else .[0]|if . == "second" then "first" else ascii_downcase end end]; {})"#),
    ("prefix", &["--by", "prefix(channel, 2)"], "chat.json",
     r#"groups(inputs; [.channel[0:2]]; {})"#),
    ("prefix-lower", &["--by", "prefix(lower(text), 3)"], "chat.json",
     r#"groups(inputs; [.text|ascii_downcase[0:3]]; {})"#),
    ("bucket", &["--by", "bucket(bytes, 1000)"], "access.json",
     r#"groups(inputs; [.bytes / 1000|floor * 1000]; {})"#),
    ("bucket-half", &["--by", "bucket(temperature, 0.5)", "--where", "temperature > -100"], "sensors.json",
     r#"groups(inputs|select(.temperature|type == "number"); [.temperature * 2|floor / 2]; {})"#),
    ("host", &["--by", "host(repo.url)"], "events.json",
     r#"groups(inputs; [.repo.url|capture("^[a-z]+://(?<h>[^/:?#]+)").h]; {})"#),
    ("kind", &["--by", "kind(v)", "--by", "kind(n)"], "odd.json",
     r#"groups(inputs; [at(["v"]), at(["n"])|if length == 0 then {absent:true} else .[0]|type end]; {})"#),
    ("kind-record", &["--by", "kind(.)"], "odd.json",
     r#"groups(inputs; [type]; {})"#),
    ("where-equal", &["--by", "v", "--where", "n = 1"], "odd.json",
     r#"groups(inputs|select(at(["n"]) == [1]); [key(["v"])]; {})"#),
    ("where-unequal", &["--by", "n", "--where", "n != 1"], "odd.json",
     r#"groups(inputs|select(at(["n"])|length == 1 and . != [1]); [key(["n"])]; {})"#),
    ("where-null", &["--by", "n", "--where", "v = null"], "odd.json",
     r#"groups(inputs|select(at(["v"]) == [null]); [key(["n"])]; {})"#),
    ("where-text", &["--by", "n", "--where", "v = 'café' or v = \"null\" or v='a\nb,\"c\"'"], "odd.json",
     r#"groups(inputs|select(at(["v"]) as $v|[["café"],["null"],["a\nb,\"c\""]]|index([$v])); [key(["n"])]; {})"#),
    ("where-less", &["--where", "n < 2", "--by", "n"], "odd.json",
     r#"groups(inputs|select(at(["n"])|.[0]|type == "number" and . < 2); [key(["n"])]; {})"#),
    ("where-range", &["--where", "bytes >= 1000 and bytes <= 2000 and not (status > 299)"], "access.json",
     r#"groups(inputs|select(.bytes >= 1000 and .bytes <= 2000 and .status <= 299); []; {})"#),
    ("where-text-order", &["--where", "created_at > '2024-03-13T15:30:00Z'", "--by", "type"], "events.json",
     r#"groups(inputs|select(.created_at > "2024-03-13T15:30:00Z"); [.type]; {})"#),
    ("where-regex", &["--where", "path ~ '^/[a-m].*\\.js$'", "--by", "status"], "access.json",
     r#"groups(inputs|select(.path|test("^/[a-m].*\\.js$")); [.status]; {})"#),
    ("where-no-regex", &["--where", "v !~ '^[a-z]+$'", "--by", "n"], "odd.json",
     r#"groups(inputs|select(at(["v"])|length == 1 and (.[0]|(type == "string" and test("^[a-z]+$"))|not)); [key(["n"])]; {})"#),
    ("where-not-equal", &["--by", "n", "--where", "not (n = 1 or not v exists)"], "odd.json",
     r#"groups(inputs|select(at(["n"]) != [1] and (at(["v"])|length == 1)); [key(["n"])]; {})"#),
    ("where-mixed", &["--by", "type", "--where", "public = true and (type ~ 'Push' or len(payload.commits) > 1) and created_at >= '2024'"], "events.json",
     r#"groups(inputs|select(.public == true and ((.type|test("Push")) or (.payload.commits|length) > 1)); [.type]; {})"#),
    ("where-limit", &["--by", "type", "--where", "type = 'PushEvent'", "--limit", "100"], "events.json",
     r#"groups(limit(100; inputs)|select(.type == "PushEvent"); [.type]; {})"#),
    ("where-in", &["--where", "v in ('A', 1, true, null)", "--by", "n"], "odd.json",
     r#"groups(inputs|select(at(["v"]) as $v|[["A"],[1],[true],[null]]|index([$v])); [key(["n"])]; {})"#),
    ("where-not-in", &["--where", "status not in (200, 304)", "--by", "status"], "access.json",
     r#"groups(inputs|select(.status != 200 and .status != 304); [.status]; {})"#),
    ("where-exists", &["--where", "v exists", "--where", "not n exists"], "odd.json",
     r#"groups(inputs|select((at(["v"])|length == 1) and (at(["n"])|length == 0)); []; {})"#),
    ("where-function", &["--where", "len(payload.commits) >= 2", "--by", "hour(created_at)"], "events.json",
     r#"groups(inputs|select((.payload.commits|length) >= 2); [.created_at[11:13]|tonumber]; {})"#),
    ("sum", &["--by", "sensor", "--sum", "samples", "--sum", "temperature"], "sensors.json",
     r#"groups(inputs; [.sensor]; {"sum(samples)": (numbers(["samples"])|add), "sum(temperature)": (numbers(["temperature"])|add)})"#),
    ("avg", &["--by", "sensor", "--avg", "temperature", "--avg", "/battery/volts"], "sensors.json",
     r#"groups(inputs; [.sensor]; {"avg(temperature)": (numbers(["temperature"])|add / length),
        "avg(/battery/volts)": (numbers(["battery","volts"])|add / length)})"#),
    ("min-max", &["--by", "sensor", "--min", "temperature", "--max", "temperature"], "sensors.json",
     r#"groups(inputs; [.sensor]; {"min(temperature)": (numbers(["temperature"])|min), "max(temperature)": (numbers(["temperature"])|max)})"#),
    ("min-max-text", &["--by", "type", "--min", "created_at", "--max", "actor.login"], "events.json",
     r#"groups(inputs; [.type]; {"min(created_at)": (map(.created_at)|min), "max(actor.login)": (map(.actor.login)|max)})"#),
    ("min-max-of-kinds", &["--min", "v", "--max", "v", "--sum", "v", "--avg", "v", "--quantile", "0,1", "v"], "odd.json",
     r#"groups(inputs; []; numbers(["v"]) as $n|{"min(v)": ($n|min), "max(v)": ($n|max), "sum(v)": ($n|add), "avg(v)": ($n|add / length),
        "quantile(v, 0)": ($n|min), "quantile(v, 1)": ($n|max)})"#),
    ("aggregates-of-nothing", &["--sum", "none", "--avg", "none", "--min", "none", "--max", "none", "--distinct", "none", "--quantile", "0.5", "none"], "odd.json",
     r#"groups(inputs; []; {"sum(none)": null, "avg(none)": null, "min(none)": null, "max(none)": null, "distinct(none)": 0, "quantile(none, 0.5)": null})"#),
    ("distinct", &["--by", "type", "--distinct", "actor.login", "--distinct", "repo"], "events.json",
     r#"groups(inputs; [.type]; {"distinct(actor.login)": (map(.actor.login)|unique|length), "distinct(repo)": (map(.repo)|unique|length)})"#),
    ("distinct-kinds", &["--distinct", "v"], "odd.json",
     r#"groups(inputs; []; {"distinct(v)": (map(at(["v"])[])|map(select(. != null))|unique|length)})"#),
    ("quantile", &["--by", "status", "--quantile", "0.5,0.9,1", "bytes"], "access.json",
     r#"groups(inputs; [.status]; {"quantile(bytes, 0.5)": (map(.bytes)|quantile(0.5)), "quantile(bytes, 0.9)": (map(.bytes)|quantile(0.9)),
        "quantile(bytes, 1)": (map(.bytes)|max)})"#),
    ("aggregate-nothing", &["--by", "v", "--sum", "n", "--avg", "n", "--min", "n", "--quantile", "0.5", "n"], "odd.json",
     r#"groups(inputs; [key(["v"])|if . == "second" then "first" else . end]; {"sum(n)": (numbers(["n"])|add), "avg(n)": (numbers(["n"])|if length == 0 then null else add / length end),
        "min(n)": (numbers(["n"]) as $n|if ($n|length) > 0 then $n|min else ([.[]|at(["n"])[]|strings]|min) end),
        "quantile(n, 0.5)": (numbers(["n"])|quantile(0.5))})"#),
    ("aggregate-function", &["--by", "user.name", "--sum", "len(text)", "--max", "hour(time, ms)"], "chat.json",
     r#"groups(inputs; [.user.name]; {"sum(len(text))": (map(.text|length)|add),
        "max(hour(time, ms))": (map(.time / 1000|floor|strftime("%H")|tonumber)|max)})"#),
    ("elements", &["--by", "payload.commits[].author.name"], "events.json",
     r#"groups(inputs|.payload.commits//[]|.[]; [.author.name]; {})"#),
    ("elements-and-record", &["--by", "reactions[].emoji", "--by", "channel", "--sum", "reactions[].count", "--where", "reactions[].count > 1"], "chat.json",
     r#"groups(inputs|. as $r|.reactions[]|select(.count > 1)|{emoji, count, channel: $r.channel}; [.emoji, .channel]; {"sum(reactions[].count)": (map(.count)|add)})"#),
    ("elements-themselves", &["--by", "w.x[]", "--by", "kind(w.x[].y)"], "odd.json",
     r#"groups(inputs|objects|.w.x//[]|.[]; [if type == "object" then {value:.} else . end, (at(["y"])|if length == 0 then {absent:true} else .[0]|type end)]; {})"#),
    ("absent-null-text", &["--by", "edited"], "chat.json",
     r#"groups(inputs; [key(["edited"])]; {})"#),
    ("top", &["--by", "path", "--top", "5"], "access.json",
     r#"groups(inputs; [.path]; {})"#),
    ("limit", &["--by", "type", "--limit", "100"], "events.json",
     r#"groups(limit(100; inputs); [.type]; {})"#),
    ("unicode", &["--by", "channel", "--where", "user.name = '李雷' or user.name = 'O''Neil \"x\"'"], "chat.json",
     r#"groups(inputs|select(.user.name == "李雷" or .user.name == "O'Neil \"x\""); [.channel]; {})"#),
];

#[test]
fn every_kind_of_question_is_answered_as_by_jq() {
    for (name, arguments, file, program) in CASES {
        let expected = judge::expected(name, &world().join(file), program);
        for more in [&["--threads", "1"][..], &["--threads", "2", "--validate", "visited"], &["--engine", "simd-json"]]
        {
            let arguments: Vec<&str> = ["count", file].iter().chain(*arguments).chain(more).copied().collect();
            judge::compare(name, &run_json(&arguments), &expected);
        }
    }
}

#[test]
fn quantiles_and_distinct_are_near_if_that_is_asked_for() {
    let exact =
        run_json(&["count", "--by", "status", "--distinct", "ip", "--quantile", "0.5,0.99", "bytes", "access.json"]);
    let near = run_json(&[
        "count",
        "--by",
        "status",
        "--distinct",
        "ip",
        "--quantile",
        "0.5,0.99",
        "bytes",
        "--approx",
        "access.json",
    ]);
    let columns = [("distinct(ip)", 0.04), ("quantile(bytes, 0.5)", 0.0039), ("quantile(bytes, 0.99)", 0.0039)];
    for (a, b) in exact["groups"].as_array().unwrap().iter().zip(near["groups"].as_array().unwrap()) {
        for (column, error) in columns {
            let (exact, near) = (a[column].as_f64().unwrap(), b[format!("approx_{column}")].as_f64().unwrap());
            assert!((near / exact - 1.0).abs() <= error, "{column}: {near} for {exact}");
        }
    }
    assert!(near["sketches"]["approx_distinct(ip)"].as_str().unwrap().contains("HyperLogLog"));
}

#[test]
fn the_name_of_the_file_is_a_key() {
    let answer = run_json(&["count", "--by", "file()", "chat.json", "sensors.json"]);
    let rows: Vec<_> =
        answer["groups"].as_array().unwrap().iter().map(|group| group["key"][0].as_str().unwrap()).collect();
    assert_eq!(rows, ["sensors.json", "chat.json"]);
}

#[test]
fn order_is_by_count_key_or_result() {
    let keys = |sort: &str| -> Vec<String> {
        let answer = run_json(&["count", "--by", "sensor", "--max", "battery.volts", "--sort", sort, "sensors.json"]);
        answer["groups"].as_array().unwrap().iter().map(|group| group["key"][0].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys("key"), ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"]);
    let answer = run_json(&["count", "--by", "sensor", "--max", "battery.volts", "--sort", "max", "sensors.json"]);
    let results: Vec<_> = answer["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group["max(battery.volts)"].as_f64().unwrap())
        .collect();
    assert!(results.is_sorted_by(|a, b| a >= b), "{results:?}");
    assert_eq!(keys("max"), keys("max(battery.volts)"));
}

#[test]
fn a_sum_that_does_not_fit_is_no_answer() {
    let big = "1".repeat(39);
    let file = world().join("big.json");
    let minus = |n: &str| format!("-{n}");
    let halves = "8".repeat(38);
    std::fs::write(&file, format!("{halves}\n{halves}\n{halves}\n")).unwrap();
    let output = crate::run(&["count", "--sum", ".", "big.json"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    assert!(output.stderr.contains("sum(.) does not fit"), "{}", output.stderr);
    std::fs::write(&file, format!("{halves}\n{halves}\n{}\n", minus(&halves))).unwrap();
    let output = crate::run(&["count", "--sum", ".", "--format", "json", "big.json"]);
    assert!(output.stdout.contains(&format!("\"sum(.)\":{halves}")), "{}", output.stdout);
    assert!(big.len() == 39);
}
