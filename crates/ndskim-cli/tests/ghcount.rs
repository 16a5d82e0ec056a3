//! `ghcount` from the outside: what it prints where, and how it ends.
//!
//! The small input's counts were made by hand, and are asked of jq too where there is one.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Seven events and a blank line: four opened pull requests, of which two have a language, one has none and one does not say.
const EVENTS: &str = r#"{"id":"1","type":"PushEvent","payload":{"size":1,"action":"opened"}}
{"id":"2","type":"PullRequestEvent","payload":{"action":"opened","pull_request":{"base":{"repo":{"language":"Rust"}},"head":{"repo":null}}}}
{"id":"3","type":"PullRequestEvent","payload":{"action":"closed","pull_request":{"base":{"repo":{"language":"Go"}}}}}

{"id":"4","type":"PullReque\u0073tEvent","payload":{"pull_request":{"base":{"repo":{"language":null}}},"action":"opened"}}
{"id":"5","type":"PullRequestEvent","payload":{"action":"opened","pull_request":{"base":{"ref":"main"}}}}
{"payload":{"action":"opened"},"id":"6"}
{"id":"7","type":"PullRequestEvent","payload":{"action":"opened","pull_request":{"base":{"repo":{"language":"R\u0075st"}}}}}"#;

const REPORT: &str = concat!(
    r#"{"records":7,"bytes":BYTES,"blank":1,"rejected":0,"#,
    r#""types":[{"key":"PullRequestEvent","count":5},{"key":"PushEvent","count":1},{"absent":true,"count":1}],"#,
    r#""opened_pull_requests":{"total":4,"languages":"#,
    r#"[{"key":"Rust","count":2},{"key":null,"count":1},{"absent":true,"count":1}]}}"#,
    "\n"
);

/// The same question to jq: events by type, and opened pull requests by language.
const JQ: &str = r#"[inputs] | {
    records: length,
    types: (group_by(if has("type") then [.type] else [] end)
        | map((if .[0] | has("type") then {key: .[0].type} else {absent: true} end) + {count: length})),
    languages: (map(select(.type == "PullRequestEvent" and .payload.action == "opened") | .payload.pull_request.base.repo)
        | group_by(if type == "object" and has("language") then [.language] else [] end)
        | map((if .[0] | type == "object" and has("language") then {key: .[0].language} else {absent: true} end)
            + {count: length}))
}"#;

/// The report of this many bytes.
fn report(bytes: usize) -> String {
    REPORT.replace("BYTES", &bytes.to_string())
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

fn ghcount() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ghcount"));
    command.stdin(Stdio::null());
    command
}

type Ended = (Option<i32>, String, String);

/// Exit code, standard output, standard error.
fn ended(Output { status, stdout, stderr }: Output) -> Ended {
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn run(command: &mut Command) -> Ended {
    ended(command.output().unwrap())
}

fn run_with_input(command: &mut Command, input: &[u8]) -> Ended {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    ended(child.wait_with_output().unwrap())
}

/// All ways to ask that must not matter.
fn each_way(mut test: impl FnMut(&[&str])) {
    for threads in ["1", "2", "8", "64"] {
        for validate in ["full", "visited"] {
            for engine in ["auto", "simd-json"] {
                for read in ["auto", "blocks", "map"] {
                    test(&["--threads", threads, "--validate", validate, "--engine", engine, "--read", read]);
                }
            }
        }
    }
}

#[test]
fn the_report_is_the_same_however_it_is_asked_for() {
    let files = Files::new();
    let path = files.write("events.json", EVENTS);
    let expected = (Some(0), report(EVENTS.len()), String::new());
    each_way(|flags| {
        assert_eq!(run(ghcount().args(["--format", "json"]).args(flags).arg(&path)), expected, "{flags:?}");
        let piped = run_with_input(ghcount().args(["--format", "json"]).args(flags), EVENTS.as_bytes());
        assert_eq!(piped, expected, "piped, {flags:?}");
    });
    for flags in [&["--on-fault", "skip"][..], &["-"], &[]] {
        let mut command = ghcount();
        command.args(["--format", "json"]).args(flags).stdin(File::open(&path).unwrap());
        assert_eq!(run(&mut command), expected, "{flags:?}");
    }
    // Between concatenated values white space is white space: no line is blank.
    let mut command = ghcount();
    command.args(["--format", "json", "--input-format", "concatenated"]).arg(&path);
    assert_eq!(run(&mut command).1, expected.1.replace(r#""blank":1"#, r#""blank":0"#));
}

#[test]
fn jq_says_the_same() {
    let files = Files::new();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/events.json");
    for path in [files.write("events.json", EVENTS), sample] {
        let Ok(jq) = Command::new("jq").args(["-n", "-c", JQ]).arg(&path).output() else {
            eprintln!("no jq here: not compared");
            return;
        };
        assert!(jq.status.success(), "{}", String::from_utf8_lossy(&jq.stderr));
        let theirs: serde_json::Value = serde_json::from_slice(&jq.stdout).unwrap();
        let (code, report, _) = run(ghcount().args(["--format", "json"]).arg(&path));
        assert_eq!(code, Some(0));
        let ours: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!(ours["records"], theirs["records"]);
        let sorted = |rows: &serde_json::Value| {
            let mut rows: Vec<_> = rows.as_array().unwrap().iter().map(ToString::to_string).collect();
            rows.sort();
            rows
        };
        assert_eq!(sorted(&ours["types"]), sorted(&theirs["types"]));
        assert_eq!(sorted(&ours["opened_pull_requests"]["languages"]), sorted(&theirs["languages"]));
    }
}

#[test]
fn the_table_is_for_people() {
    let files = Files::new();
    let (code, report, messages) = run(ghcount().arg(files.write("events.json", EVENTS)));
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    let lines: Vec<_> = report.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        lines[..11],
        [
            "type events share",
            "PullRequestEvent 5 71.4 %",
            "PushEvent 1 14.3 %",
            "(absent) 1 14.3 %",
            "total 7",
            "",
            "language opened pull requests share",
            "Rust 2 50.0 %",
            "(no language) 1 25.0 %",
            "(absent) 1 25.0 %",
            "total 4",
        ]
    );
    let last = &lines[12];
    assert!(last.starts_with(&format!("7 records, 1 blank line, {} bytes in ", EVENTS.len())), "{last}");
    assert!(last.ends_with(" GB/s)"), "{last}");
}

#[test]
fn a_bad_record_is_named_with_its_place_and_what_to_do() {
    let files = Files::new();
    let path = files.write("events.json", format!("{EVENTS}\n{{\"type\":}}\n{EVENTS}\n{{\"type\"\n"));
    let expected = format!(
        "ghcount: {}:9:9 (byte {}): expected a value, found `}}`, at `{{\"type\":}}`\n\
         hint: --on-fault skip leaves such records out and counts them\n",
        path.display(),
        EVENTS.len() + 1 + 8
    );
    each_way(|flags| {
        let expected = (Some(1), String::new(), expected.clone());
        assert_eq!(run(ghcount().args(flags).arg(&path)), expected, "{flags:?}");
    });
    let (code, report, messages) = run_with_input(&mut ghcount(), b"{}\n\"\xff\"\n");
    assert_eq!((code, report.as_str()), (Some(1), ""));
    let expected = "ghcount: <stdin>:2:2 (byte 4): expected well-formed UTF-8, found byte 0xff, at ";
    assert!(messages.starts_with(expected), "{messages}");
}

#[test]
fn bad_records_can_be_skipped_and_are_told() {
    let files = Files::new();
    let text = format!("{{\"type\":}}\n{EVENTS}\n{{\"type\"\n");
    let path = files.write("events.json", &text);
    for threads in ["1", "2", "64"] {
        let mut command = ghcount();
        command.args(["--on-fault", "skip", "--format", "json", "--threads", threads]).arg(&path);
        let (code, found, messages) = run(&mut command);
        assert_eq!(code, Some(0));
        assert_eq!(found, report(text.len()).replace(r#""rejected":0"#, r#""rejected":2"#));
        let lines: Vec<_> = messages.lines().collect();
        assert_eq!(lines.len(), 3, "{messages}");
        let skipped = format!("ghcount: bad record: {}", path.display());
        assert!(lines[0].starts_with(&format!("{skipped}:1:9 (byte 8): expected a value")), "{messages}");
        let at = text.len() - 1;
        assert!(lines[1].starts_with(&format!("{skipped}:10:8 (byte {at}): expected `:`")), "{messages}");
        let first = format!("{}:1:9 (byte 8)", path.display());
        assert_eq!(lines[2], format!("ghcount: 2 of 9 records were bad and left out; the first at {first}"));
    }
}

#[test]
fn what_cannot_be_read_is_named_and_prints_no_report() {
    let files = Files::new();
    let good = files.write("events.json", EVENTS);
    let missing = files.0.path().join("missing.json");
    let folder = files.0.path().to_owned();
    let cases = [
        (&missing, "cannot open: No such file or directory (os error 2)"),
        (&folder, "cannot open: it is a directory; name the files in it"),
    ];
    for (path, reason) in cases {
        let message = format!("ghcount: {}: {reason}\n", path.display());
        assert_eq!(run(ghcount().arg(&good).arg(path).arg(&good)), (Some(1), String::new(), message));
    }
    // Files are read in the order in which they are named: the first that is wrong counts.
    let bad = files.write("bad.json", "nope\n");
    let (code, _, messages) = run(ghcount().args([&good, &bad, &missing]));
    assert_eq!(code, Some(1));
    assert!(messages.contains("bad.json:1:2 (byte 1): expected the literal `null`, found `o`"), "{messages}");
}

#[test]
fn wrong_usage_is_2_and_says_where_help_is() {
    for arguments in
        [&["--threads", "many"][..], &["--no-such-flag"], &["--format", "xml"], &["--validate", "some", "x"]]
    {
        let (code, report, messages) = run(ghcount().args(arguments));
        assert_eq!((code, report.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(messages.contains("--help"), "{messages}");
    }
}

#[test]
fn nothing_piped_and_no_file_is_wrong_usage() {
    // On a terminal of its own, which `script` makes.
    let mut script = Command::new("script");
    let command = ["--quiet", "--return", "--command", env!("CARGO_BIN_EXE_ghcount"), "/dev/null"];
    let Ok(output) = script.args(command).stdin(Stdio::null()).output() else {
        eprintln!("no `script` here: not tested");
        return;
    };
    let shown = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    assert_eq!(output.status.code(), Some(2), "{shown}");
    let expected = "ghcount: no input: name a file, or pipe something into standard input\nhint: see --help\n";
    assert!(shown.ends_with(expected), "{shown:?}");
}

#[test]
fn a_reader_of_the_report_may_go_away() {
    for format in ["table", "json"] {
        let mut command = ghcount();
        command.args(["--format", format, "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Nobody listens any more before the report can be there.
        drop(child.stdout.take());
        child.stdin.take().unwrap().write_all(EVENTS.as_bytes()).unwrap();
        let mut messages = String::new();
        child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
        assert_eq!((child.wait().unwrap().code(), messages.as_str()), (Some(0), ""), "{format}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_a_failure() {
    let files = Files::new();
    let path = files.write("events.json", EVENTS);
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        eprintln!("no /dev/full here: not tested");
        return;
    };
    let (code, _, messages) = run(ghcount().arg(&path).stdout(full));
    assert_eq!(code, Some(1));
    assert!(messages.starts_with("ghcount: cannot write the report: No space left on device"), "{messages}");
}

#[test]
fn version_and_help_are_there() {
    let version = format!("ghcount {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(ghcount().arg("--version")), (Some(0), version, String::new()));
    let (code, help, messages) = run(ghcount().arg("--help"));
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    for part in ["Usage: ghcount", "Examples:", "ghcount --threads 4", "Exit codes:", "--on-fault", "--input-format"] {
        assert!(help.contains(part), "{part} is not in {help}");
    }
}
