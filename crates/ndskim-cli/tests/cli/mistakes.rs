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
    (&["count", "--limit", "many", "chat.json"], 2, &["--limit", "write a whole number"]),
    (&["count", "--output", "no/such/folder/x.csv", "chat.json"], 1, &["no/such/folder/x.csv", "make the folder first"]),
    (&["count", "--output", ".", "chat.json"], 1, &["name a file in that folder"]),
    (&["count", "--sort", "sum", "--by", "channel", "chat.json"], 2, &["none of count, key"]),
    (&["count", "--quantile", "50", "time", "chat.json"], 2, &["numbers from 0 to 1"]),
    (&["count", "--quantile", "0.5"], 2, &["2 values required"]),
    (&["count", "--by", "a[].b", "--by", "c[].d", "odd.json"], 2, &["one array with []", "/a and /c"]),
    (&["count", "--validate", "none", "chat.json"], 2, &["full, visited"]),
    (&["chat.json"], 2, &["unrecognized subcommand", "`ndskim paths chat.json` lists what is in it"]),
    (&["--by", "type", "chat.json"], 2, &["`ndskim count` has --by"]),
    (&["count", "--group-by", "type", "chat.json"], 2, &["--by PATH"]),
    (&["count", "--json", "chat.json"], 2, &["--format table|json"]),
    (&["count", "--by", "channel", "--by", "channel", "chat.json"], 2, &["--by channel is asked for twice"]),
    (&["count", "--sum", "time", "--sum", "time", "chat.json"], 2, &["sum(time) is asked for twice"]),
    (&["count", "--by", "channel, text", "chat.json"], 2, &["give each path its own flag"]),
    (&["count", "--by"], 2, &["a value is required"]),
    (&["count", "--by", "a[\"b\"]", "chat.json"], 2, &["names go behind a dot"]),
    (&["count", "--where", "channel = 'a' AND text = 'b'", "chat.json"], 2, &["write `and` in small letters"]),
    (&["count", "--where", "channel is null", "chat.json"], 2, &["write `= null` or `!= null`"]),
    (&["count", "--where", "channel LIKE 'a%'", "chat.json"], 2, &["write `~` and a regular expression"]),
    (&["count", "--where", "\"#random\" = channel", "chat.json"], 2, &["a path stands on the left"]),
    (&["count", "--where", "edited = True", "chat.json"], 2, &["write true"]),
    (&["count", "--where", "time > 007", "chat.json"], 2, &["write '007'"]),
    (&["count", "--where", "", "chat.json"], 2, &["expected a path"]),
    (&["count", "--sort", "-count", "chat.json"], 2, &["none of count, key"]),
    (&["count", "--quantile", "2", "time", "chat.json"], 2, &["numbers from 0 to 1"]),
    (&["count", "--format", "xlsx", "chat.json"], 2, &["possible values: table, json"]),
    (&["count", "--threads", "two", "chat.json"], 2, &["write a whole number"]),
    (&["count", "-", "-"], 2, &["standard input, which can be read once"]),
    (&["count", "--files-from", "-", "-"], 2, &["standard input, which can be read once"]),
    (&["count", "--files-from", "nowhere.txt"], 1, &["nowhere.txt", "names are looked for in"]),
    (&["count", "*.jsn"], 1, &["*.jsn", "the shell hands on a pattern"]),
    (&["count", "--output", "chat.json", "chat.json"], 2, &["--output chat.json would overwrite an input"]),
    (&["count", "--output", "./chat.json", "sensors.json", "chat.json"], 2, &["would overwrite an input"]),
    (&["count", "--on-fault", "skip", "--rejects", "chat.json", "chat.json"], 2, &["--rejects chat.json would overwrite"]),
    (&["count", "--on-fault", "skip", "--rejects", "new", "--output", "new", "chat.json"], 2, &["name two files"]),
    (&["count", "--rejects", "new", "chat.json"], 2, &["--rejects is for --on-fault skip"]),
    (&["count", "--on-fault", "skip", "--rejects", "no/folder/x", "chat.json"], 1, &["no/folder/x", "make the folder first"]),
    (&["check", "--validate", "visited", "chat.json"], 2, &["check looks at every byte"]),
    (&["check", "--output", "chat.json", "chat.json"], 2, &["would overwrite an input"]),
    (&["paths", "--depth", "-1", "chat.json"], 2, &["--depth", "write a whole number"]),
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
fn a_file_that_is_not_as_compressed_as_its_name_and_one_that_is_cut_off() {
    use std::io::Write;
    std::fs::write(world().join("named.json.gz"), "nothing of the kind\n").unwrap();
    let said = run(&["count", "named.json.gz"]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    assert!(said.stderr.contains("its first bytes are neither gzip's nor zstd's"), "{}", said.stderr);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&std::fs::read(world().join("chat.json")).unwrap()).unwrap();
    let whole = encoder.finish().unwrap();
    std::fs::write(world().join("cut.json.gz"), &whole[..whole.len() / 2]).unwrap();
    let said = run(&["count", "cut.json.gz"]);
    assert_eq!((said.code, said.stdout.as_str()), (1, ""));
    assert!(said.stderr.contains("cut off or damaged"), "{}", said.stderr);
}

#[test]
fn a_path_that_no_record_has_is_said_to_be_none() {
    let said = run(&["count", "--by", "$.channel", "chat.json"]);
    assert_eq!(
        (said.code, said.stderr.as_str()),
        (0, "ndskim: no record has $.channel; `ndskim paths` lists what there is\n")
    );
    assert_eq!(run(&["count", "--by", "edited", "chat.json"]).stderr, "");
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
