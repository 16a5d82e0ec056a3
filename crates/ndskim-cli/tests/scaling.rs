//! `ndskim scaling`: right answers at every thread count, figures that follow from the runs, and predictions that are called
//! so. Nothing here depends on how long a run takes.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;

fn dataset(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets").join(name).to_str().unwrap().to_owned()
}

fn scaling(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ndskim"));
    command.arg("scaling").args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn report(arguments: &[&str]) -> Json {
    let output = scaling(&[arguments, &["--format", "json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn list(json: &Json) -> &[Json] {
    json.as_array().unwrap()
}

fn real(json: &Json) -> f64 {
    json.as_f64().unwrap_or_else(|| panic!("{json}"))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 2e-3 * b.abs() + 2e-6
}

/// Rows of counts in an order that does not depend on how equal counts are sorted.
fn sorted(rows: &Json) -> Vec<String> {
    let mut rows: Vec<_> = list(rows).iter().map(Json::to_string).collect();
    rows.sort();
    rows
}

/// Holds the answer of a report against what the generator wrote down.
fn is_the_truth(answer: &Json) {
    let truth: Json = serde_json::from_slice(&fs::read(dataset("events.truth.json")).unwrap()).unwrap();
    assert_eq!(answer["records"], truth["records"]);
    assert_eq!(sorted(&answer["types"]), sorted(&truth["types"]));
    let languages = |report: &Json| sorted(&report["opened_pull_requests"]["languages"]);
    assert_eq!(languages(answer), languages(&truth));
}

#[test]
fn figures_follow_from_the_runs() {
    let events = dataset("events.json");
    let report = report(&[&events, "--threads", "3,1,2,2", "--repeat", "4", "--predict", "64,7"]);
    is_the_truth(&report["answer"]);
    let bytes = fs::metadata(&events).unwrap().len() as f64;
    assert_eq!((real(&report["bytes"]), &report["job"], &report["repeat"]), (bytes, &"count-gh".into(), &4.into()));
    let rows = list(&report["rows"]);
    let keys: Vec<_> =
        rows.iter().map(|row| (row["validate"].as_str().unwrap(), row["threads"].as_u64().unwrap())).collect();
    assert_eq!(keys, [("full", 1), ("full", 2), ("full", 3), ("visited", 1), ("visited", 2), ("visited", 3)]);
    for (number, row) in rows.iter().enumerate() {
        let mut seconds: Vec<f64> = list(&row["seconds"]).iter().map(real).collect();
        seconds.sort_by(f64::total_cmp);
        assert_eq!(seconds.len(), 4);
        let best = bytes / seconds[0] / 1e9;
        assert!(near(real(&row["gb_per_s_best"]), best), "{row}");
        assert!(near(real(&row["gb_per_s_median"]), bytes / ((seconds[1] + seconds[2]) / 2.0) / 1e9), "{row}");
        let one = real(&rows[number / 3 * 3]["gb_per_s_best"]);
        assert!(near(real(&row["speed_up"]), best / one), "{row}");
        assert!(near(real(&row["efficiency"]), best / one / real(&row["threads"])), "{row}");
        assert_eq!(row["plain_read_gb_per_s"], report["plain_read"][number % 3]["gb_per_s_best"]);
    }
}

#[test]
fn predictions_are_the_laws_capped_by_the_plain_read() {
    let report = report(&[&dataset("events.json"), "--threads", "1,2", "--repeat", "2", "--predict", "64,1000000"]);
    let cap = list(&report["plain_read"]).iter().map(|row| real(&row["gb_per_s_best"])).fold(0.0, f64::max);
    let fits = list(&report["fits"]);
    assert_eq!(fits.len(), 4);
    for prediction in list(&report["predictions"]) {
        assert_eq!(prediction["prediction"], true);
        let is_its = |fit: &&Json| fit["validate"] == prediction["validate"] && fit["law"] == prediction["law"];
        let fit = fits.iter().find(is_its).unwrap();
        let (lambda, sigma, kappa) = (real(&fit["lambda_gb_per_s"]), real(&fit["sigma"]), real(&fit["kappa"]));
        let n = real(&prediction["threads"]);
        let law = lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0));
        assert!(near(real(&prediction["uncapped_gb_per_s"]), law), "{prediction} {fit}");
        assert!(near(real(&prediction["gb_per_s"]), law.min(cap)), "{prediction} {cap}");
        assert_eq!(list(&prediction["uncapped_of_single_rounds"]).len(), 2);
    }
    // Two thread counts fix two parameters and judge none.
    let cores = report["machine"]["cores"].as_u64().unwrap();
    for fit in fits.iter().filter(|fit| fit["law"] == "usl") {
        assert_eq!((&fit["fitted"], &fit["sigma"]), (&false.into(), &Json::Null));
    }
    for fit in fits.iter().filter(|fit| fit["law"] == "amdahl" && cores >= 2) {
        assert_eq!((&fit["fitted"], &fit["judged"], &fit["r_squared"]), (&true.into(), &false.into(), &Json::Null));
        assert!(fit["verdict"].as_str().unwrap().starts_with("2 points cannot judge a fit"), "{fit}");
    }
}

#[test]
fn the_report_says_what_it_was_measured_on() {
    let report = report(&[&dataset("events.json"), "--threads", "1", "--repeat", "1", "--validate", "visited"]);
    let machine = &report["machine"];
    for name in ["cpu", "os", "architecture"] {
        assert!(machine[name].as_str().is_some_and(|text| !text.is_empty()), "{machine}");
    }
    assert!(machine["cores"].as_u64() >= Some(1) && machine["hardware_threads"].as_u64() >= machine["cores"].as_u64());
    assert!(["avx512", "avx2", "portable"].contains(&report["kernel"].as_str().unwrap()));
    assert_eq!(report["versions"]["ndskim"], env!("CARGO_PKG_VERSION"));
    assert!(report["time"].as_str().is_some_and(|time| time.len() == 20 && time.ends_with('Z')));
    assert_eq!(list(&report["rows"]).len(), 1);
}

#[test]
fn files_are_read_in_every_way_with_one_answer() {
    let folder = TempDir::new().unwrap();
    let text = fs::read(dataset("events.json")).unwrap();
    let half = text.iter().take(text.len() / 2).rposition(|&byte| byte == b'\n').unwrap() + 1;
    let write = |name: &str, bytes: &[u8]| -> PathBuf {
        let path = folder.path().join(name);
        let gzip = |file| flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        let file = fs::File::create(&path).unwrap();
        if name.ends_with(".gz") {
            gzip(file).write_all(bytes).unwrap()
        } else {
            fs::write(&path, bytes).unwrap()
        }
        path
    };
    let (first, second) = (write("a.json", &text[..half]), write("b.json.gz", &text[half..]));
    let files = [first.to_str().unwrap(), second.to_str().unwrap()];
    for more in [&[][..], &["--from-file"]] {
        let report = report(&[&files[..], &["--threads", "1,4", "--repeat", "1"], more].concat());
        is_the_truth(&report["answer"]);
        assert_eq!(report["bytes"].as_u64(), Some(text.len() as u64));
        // Compressed bytes are not those of the text, so there is nothing to compare with where they are read each time.
        assert_eq!(list(&report["plain_read"]).is_empty(), !more.is_empty());
    }
    let report = report(&[&dataset("events.json"), "--threads", "1,4", "--repeat", "1", "--from-file"]);
    is_the_truth(&report["answer"]);
    assert_eq!(list(&report["plain_read"]).len(), 2);
}

#[test]
fn records_that_are_no_events_are_counted_right_too() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("log.json");
    let text: String = (0..500).map(|n| format!("{{\"status\":{},\"n\":{n}}}\n", [200, 404, 500][n % 3])).collect();
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let events = report(&[file, "--threads", "1,2", "--repeat", "1"]);
    assert_eq!(events["answer"]["types"], serde_json::json!([{"absent": true, "count": 500}]));
    assert!(list(&events["notes"]).iter().any(|note| note.as_str().unwrap().contains("no record has a `type`")));
    let field = report(&[file, "--threads", "1,2", "--repeat", "1", "--job", "field", "--pointer", "/status"]);
    let expected = ["{\"count\":166,\"key\":500}", "{\"count\":167,\"key\":200}", "{\"count\":167,\"key\":404}"];
    assert_eq!(sorted(&field["answer"]["groups"]), expected);
    let count = report(&[file, "--threads", "2", "--repeat", "1", "--job", "validate"]);
    assert_eq!(count["answer"]["records"], 500);
}

#[test]
fn people_read_what_is_measured_and_what_is_predicted() {
    let folder = TempDir::new().unwrap();
    let chart = folder.path().join("scaling.svg");
    let events = dataset("events.json");
    let output =
        scaling(&[&events, "--threads", "1,2", "--repeat", "2", "--predict", "64", "--chart", chart.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for part in [
        "events.json: 843,134 bytes, 299 records, in memory",
        "best GB/s",
        "efficiency",
        "plain read GB/s",
        "cannot be enough",
        "note: ",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let svg = fs::read_to_string(&chart).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<_> =
        document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
    let has = |part: &str| texts.iter().any(|text| text.trim() == part);
    for part in [
        "threads (logarithmic)",
        "throughput, GB/s (logarithmic)",
        "full, measured",
        "visited, ideal",
        "plain read (memory bandwidth)",
        "1",
        "2",
    ] {
        assert!(has(part), "no {part:?} in {texts:?}");
    }
    // On one core nothing can be fitted to two thread counts.
    if std::thread::available_parallelism().unwrap().get() >= 2 {
        assert!(text.contains("\nPredictions, not measured:\n  full, 64 threads: "), "{text}");
        assert!(has("full, prediction (Amdahl's law)") && has("64"), "{texts:?}");
        assert!(texts.iter().any(|text| text.contains("predictions, not measurements")), "{texts:?}");
    }
}

#[test]
fn rows_are_for_spreadsheets_too() {
    let events = dataset("events.json");
    let base = [&*events, "--threads", "1", "--repeat", "1", "--format"];
    let csv = String::from_utf8(scaling(&[&base[..], &["csv"]].concat()).stdout).unwrap();
    assert!(
        csv.starts_with("validate,threads,best GB/s,median GB/s,speed-up,efficiency,plain read GB/s\r\nfull,1,"),
        "{csv}"
    );
    let rows = String::from_utf8(scaling(&[&base[..], &["ndjson"]].concat()).stdout).unwrap();
    let rows: Vec<Json> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((rows.len(), &rows[1]["validate"]), (2, &"visited".into()));
}

#[test]
fn wrong_usage_and_bad_data_have_their_exit_codes() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (good, bad, empty) = (file("good.json", "{}\n"), file("bad.json", "{}\n{\"a\"\n"), file("empty.json", ""));
    let chart = folder.path().join("x.svg");
    let chart = chart.to_str().unwrap();
    let rows: &[(&[&str], i32, &str)] = &[
        (&[], 2, "FILES"),
        (&[&good, "--threads", "0"], 2, "--threads"),
        (&[&good, "--threads", ""], 2, "--threads"),
        (&[&good, "--threads", "1,,2"], 2, "--threads"),
        (&[&good, "--threads", "-1"], 2, "--threads"),
        (&[&good, "--threads", "1,two"], 2, "--threads"),
        (&[&good, "--repeat", "0"], 2, "--repeat"),
        (&[&good, "--predict", "0"], 2, "--predict"),
        (&[&good, "--validate", "none"], 2, "full, visited"),
        (&[&good, "--job", "field"], 2, "--pointer"),
        (&[&good, "--job", "field", "--pointer", "status"], 2, "--pointer"),
        (&[&good, "--chart", "x.pdf"], 2, "ends with .svg"),
        (&[&good, "--chart", chart, "--output", chart], 2, "cannot both be"),
        (&[&good, "no-such-file.json"], 1, "no-such-file.json: cannot read: No such file"),
        (&[folder.path().to_str().unwrap()], 1, "no regular file"),
        (&["-"], 1, "-: "),
        (&[&empty], 1, "nothing to measure"),
        (&[&bad, "--chart", chart], 1, "bad.json:2:5 (byte 7)"),
    ];
    for (arguments, code, part) in rows {
        let output = scaling(arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(*code), &b""[..]), "{arguments:?}: {stderr}");
        assert!(stderr.contains(part) && !stderr.contains("panicked"), "{arguments:?} should say {part:?}: {stderr}");
    }
    assert!(!Path::new(chart).exists());
    // What is only visited may be broken elsewhere, as everywhere else.
    assert!(
        scaling(&[&file("late.json", "{\"type\":1,\"a\":01}\n"), "--validate", "visited", "--repeat", "1"])
            .status
            .success()
    );
}

#[test]
fn help_is_short_or_long_with_examples_first() {
    let help = |flag: &str| String::from_utf8(scaling(&[flag]).stdout).unwrap();
    assert!(help("-h").starts_with("Examples:") && help("--help").starts_with("Examples:"));
    assert!(help("--help").len() > help("-h").len() && help("--help").contains("Exit codes:"));
}
