//! Typical mistakes: each message says what to do, and the exit code is the documented one.

use std::os::unix::fs::PermissionsExt;

use crate::{run, run_program, world};

/// Arguments, exit code, and what the message must contain.
#[rustfmt::skip]
const MISTAKES: &[(&[&str], i32, &[&str])] = &[
    (&["count", "--bye", "type", "chat.json"], 2, &["--bye", "similar argument exists: '--by'"]),
    (&["cuont", "chat.json"], 2, &["similar subcommand exists: 'count'"]),
    (&["count", "--by", "type..name", "chat.json"], 2, &["type..name", "     ^", "expected a member's name"]),
    (&["count", "--by", "/a~2", "chat.json"], 2, &["`~0` stands for `~`"]),
    (&["count", "--by", "'channel'", "chat.json"], 2, &["odd names go in double quotes"]),
    (&["count", "--by", "hours(time)", "chat.json"], 2, &["did you mean `hour`?", "^^^^^"]),
    (&["count", "--by", "prefix(text)", "chat.json"], 2, &["write prefix(PATH, N)"]),
    (&["count", "--by", "bucket(n, 0)", "odd.json"], 2, &["a number above 0"]),
    (&["count", "--where", "channel == '#random'", "chat.json"], 2, &["write a single `=`"]),
    (&["count", "--where", "channel = random", "chat.json"], 2, &["write 'random'"]),
    (&["count", "--where", "channel ~ '['", "chat.json"], 2, &["no regular expression"]),
    (&["count", "--where", "channel", "chat.json"], 2, &["in or exists behind the path"]),
    (&["count", "missing.json"], 1, &["missing.json", "No such file"]),
    (&["count", "."], 1, &["it is a directory"]),
    (&["count", "--format", "jsn", "chat.json"], 2, &["similar value exists: 'json'", "possible values"]),
    (&["count", "--threads", "-1", "chat.json"], 2, &["--threads"]),
    (&["count", "--top", "0", "chat.json"], 2, &["--top"]),
    (&["count", "--limit", "many", "chat.json"], 2, &["--limit", "invalid digit"]),
    (&["count", "--output", "no/such/folder/x.csv", "chat.json"], 1, &["no/such/folder/x.csv", "make the folder first"]),
    (&["count", "--output", ".", "chat.json"], 1, &["name a file in that folder"]),
    (&["count", "--sort", "sum", "--by", "channel", "chat.json"], 2, &["none of count, key"]),
    (&["count", "--quantile", "50", "time", "chat.json"], 2, &["numbers from 0 to 1"]),
    (&["count", "--quantile", "0.5"], 2, &["2 values required"]),
    (&["count", "--by", "a[].b", "--by", "c[].d", "odd.json"], 2, &["one array with []", "/a and /c"]),
    (&["count", "--validate", "none", "chat.json"], 2, &["full, visited"]),
    (&["completions", "bsh"], 2, &["similar value exists: 'bash'"]),
    (&["man", "cuont"], 2, &["there are ndskim, ghcount, count"]),
];

#[test]
fn a_mistake_is_answered_with_what_to_do() {
    for (arguments, code, parts) in MISTAKES {
        let said = run(arguments);
        assert_eq!((said.code, said.stdout.as_str()), (*code, ""), "{arguments:?}: {}", said.stderr);
        for part in *parts {
            assert!(said.stderr.contains(part), "{arguments:?} should say {part:?}: {}", said.stderr);
        }
        assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
    }
}

#[test]
fn a_file_that_is_no_json_and_one_that_may_not_be_read() {
    std::fs::write(world().join("page.html"), "<html>\n").unwrap();
    let said = run(&["count", "page.html"]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    assert!(said.stderr.contains("page.html:1:1") && said.stderr.contains("--on-fault skip"), "{}", said.stderr);
    let secret = world().join("secret.json");
    std::fs::write(&secret, "1\n").unwrap();
    std::fs::set_permissions(&secret, PermissionsExt::from_mode(0o0)).unwrap();
    // Root may read everything.
    if std::fs::read(&secret).is_err() {
        let said = run(&["count", "secret.json"]);
        assert!(said.code == 1 && said.stderr.contains("Permission denied"), "{}", said.stderr);
    }
    std::fs::remove_file(&secret).unwrap();
}

#[test]
fn ghcount_has_the_same_flags() {
    let ghcount = env!("CARGO_BIN_EXE_ghcount");
    let said = run_program(ghcount, &["--formt", "json", "events.json"]);
    assert_eq!(said.code, 2);
    assert!(said.stderr.contains("similar argument exists: '--format'"), "{}", said.stderr);
    let said = run_program(ghcount, &["--output", "none/x", "events.json"]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    let said = run_program(ghcount, &["--format", "csv", "--stats", "json", "events.json"]);
    assert!(said.stdout.starts_with("report,key,count\r\ntypes,"), "{}", said.stdout);
    let stats: serde_json::Value = serde_json::from_str(&said.stderr).unwrap();
    assert_eq!(stats["bytes"].as_u64(), Some(std::fs::metadata(world().join("events.json")).unwrap().len()));
}

#[test]
fn help_is_short_or_long_with_examples_first() {
    let (short, long) = (run(&["count", "-h"]), run(&["count", "--help"]));
    for help in [&short, &long] {
        assert_eq!(help.code, 0);
        assert!(help.stdout.starts_with("Examples:"), "{}", help.stdout);
    }
    assert!(long.stdout.len() > short.stdout.len() && long.stdout.contains("Exit codes:"));
}

#[test]
fn completions_and_manual_pages_are_written() {
    for shell in ["bash", "zsh", "fish"] {
        for program in ["ndskim", "ghcount"] {
            let said = run(&["completions", shell, "--program", program]);
            assert!(said.code == 0 && said.stdout.contains(program) && said.stdout.contains("on-fault"), "{shell}");
        }
    }
    for page in ["ndskim", "count", "ghcount"] {
        let said = run(&["man", page]);
        assert!(said.code == 0 && said.stdout.contains(".TH"), "{page}");
    }
}
