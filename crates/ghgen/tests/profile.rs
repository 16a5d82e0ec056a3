//! Profiles: generated events measure like real ones, and the command shows it.

mod judge;

use ghgen::Options;
use ghgen::profile::{Comparison, Profile};
use judge::make;
use serde_json::Value;
use std::process::Command;

/// Measures of public events of 2017 and 2018 by type, with the shares of 2024: taken by a
/// separate program that walks each record byte by byte. A tenth more or less is allowed.
const REAL: [(&str, f64); 11] = [
    ("bytes per record", 2_852.5),
    ("bytes per structural character", 19.973),
    ("bytes per string", 25.596),
    ("share of bytes in strings", 0.928),
    ("escapes per kB", 1.342),
    ("brackets per kB", 6.525),
    ("deepest nesting in a record, mean", 4.144),
    ("depth of a structural character, mean", 3.434),
    ("position of /type", 27.0),
    ("position of /payload/action", 393.9),
    ("position of /payload/pull_request/base/repo/language", 14_693.0),
];

/// Types of which the sample of real events has none.
const NOT_IN_SAMPLE: [&str; 6] =
    ["PullRequestReviewEvent", "ReleaseEvent", "GollumEvent", "MemberEvent", "CommitCommentEvent", "PublicEvent"];

/// The lines of a text whose event type the sample has.
fn sampled_types(text: &[u8]) -> Vec<u8> {
    let in_sample = |line: &&[u8]| {
        let event: Value = serde_json::from_slice(line).unwrap();
        !NOT_IN_SAMPLE.contains(&event["type"].as_str().unwrap())
    };
    text.split_inclusive(|&b| b == b'\n').filter(in_sample).flatten().copied().collect()
}

#[test]
fn generated_events_measure_like_real_ones() {
    let (text, _) = make(&Options { bytes: 40_000_000, ..Options::default() });
    let profile = Profile::read(&sampled_types(&text)[..]).unwrap();
    // Beside itself a file is weighted by the mix, which is how the real events were.
    let measures = Comparison::new(&profile, &profile).measures;
    let value = |name: &str| measures.iter().find(|row| row.name == name).unwrap().values[0];
    for (name, real) in REAL {
        let ratio = value(name) / real;
        assert!((0.9..1.1).contains(&ratio), "{name}: {} is {ratio} of {real}", value(name));
    }
    // The real events have 0.127 and a file this small a few thousand: chance weighs more.
    let non_ascii = value("non-ASCII bytes per kB");
    assert!((0.09..0.17).contains(&non_ascii), "{non_ascii}");
}

#[test]
fn styles_change_only_what_they_are_about() {
    let profile = |style| {
        let (text, _) = make(&Options { bytes: 500_000, style, ..Options::default() });
        Profile::read(&text[..100_000 + text[100_000..].iter().position(|&b| b == b'\n').unwrap()]).unwrap()
    };
    let comparison = Comparison::new(&profile(ghgen::Style::Spaced), &profile(ghgen::Style::Compact));
    let row = |name: &str| comparison.measures.iter().find(|row| row.name == name).unwrap().ratio();
    assert!(row("bytes per structural character") > 1.03);
    assert!(row("position of /type") > 1.0);
}

#[test]
fn unlike_files_are_told_apart() {
    let first = Profile::read(&br#"{"type":"A","x":"\u00e9\n"}"#[..]).unwrap();
    let other = br#"{"type":"A","x":"yyyyyyyyyyyyyyyyyyyy","z":[[1]]}
{"id":1,"type":"A"}
{"type":"B"}
"#;
    let comparison = Comparison::new(&first, &Profile::read(&other[..]).unwrap());
    assert_eq!(comparison.compared, [(1, 1), (1, 3)]);
    let values = |name: &str| &comparison.measures.iter().find(|row| row.name == name).unwrap().values;
    assert_eq!(values("bytes per record"), &[27.0, 49.0]);
    assert_eq!(values("escapes per kB"), &[2_000.0 / 27.0, 0.0]);
    assert_eq!(values("deepest nesting in a record, mean"), &[1.0, 3.0]);
}

#[test]
fn a_broken_line_is_named() {
    let error = Profile::read(&b"{\"a\":1}\n\n{\"a\":\n"[..]).unwrap_err();
    assert!(error.to_string().contains("line 3"), "{error}");
}

#[test]
fn the_command_prints_a_table_or_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("events.json").into_os_string().into_string().unwrap();
    std::fs::write(&file, make(&Options::default()).0).unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ghgen")).args(arguments).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(run(&["--profile", &file]).contains("bytes per PushEvent"));
    assert!(run(&["--profile", &file, "--against", &file]).contains("   1.000\n"));
    let json: Value = serde_json::from_str(&run(&["--profile", &file, "--format", "json"])).unwrap();
    assert!(json["records"].as_u64().unwrap() > 200);
    let both = run(&["--profile", &file, "--against", &file, "--format", "json"]);
    let both: Value = serde_json::from_str(&both).unwrap();
    assert_eq!(both["measures"][0]["ratio"], 1.0);
}
