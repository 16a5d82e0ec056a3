//! Words: what stands on standard output and error in small cases, where one thing is one and help is what would help.

use std::fs;
use std::process::Stdio;

use crate::command::Place;

#[test]
fn good_input_is_said_to_be_valid_and_one_is_one() {
    let place = Place::with(&[("a.json", b"{\"a\":[1]}\n"), ("bad.json", b"no\n{}\n{}\n")]);
    let ended = place.run("ndskim check a.json");
    assert!(ended.stdout.starts_with("valid: 1 record, 10 bytes in "), "{ended:?}");
    assert!(!place.run("ndskim check bad.json").stdout.contains("valid:"));
    let ended = place.run("ndskim paths a.json");
    assert!(ended.stdout.contains("1 member\n") && ended.stdout.contains("1 element\n"), "{ended:?}");
    let ended = place.run("ghcount --on-fault skip bad.json");
    assert!(ended.stderr.contains("1 of 3 records was bad"), "{ended:?}");
}

#[test]
fn a_comma_behind_each_value_names_the_format() {
    let hint = "hint: --input-format comma";
    let place = Place::with(&[("a.json", b"{\"a\":1},\n{\"a\":2}\n"), ("b.json", b"{\"a\":1},x\n")]);
    for command in ["ghcount", "ndskim count", "ndskim count --on-fault skip", "ndskim check"] {
        let ended = place.run(&format!("{command} a.json"));
        assert!(ended.stderr.contains(hint) || ended.stdout.contains(hint), "{command}: {ended:?}");
        let ended = place.run(&format!("{command} b.json"));
        assert!(!ended.stderr.contains(hint) && !ended.stdout.contains(hint), "{command}: {ended:?}");
    }
    assert!(place.run("ndskim count --input-format comma a.json").stdout.contains("2 records"));
}

#[test]
fn bench_names_the_file_and_what_else_it_can_do() {
    let place = Place::with(&[("a.json", b"{\"a\":1}\n"), ("bad.json", b"{}\nno\n")]);
    let ended = place.run("ndskim bench --runs 1 bad.json");
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("bad.json:2:2") && !ended.stderr.contains("<bytes>"), "{ended:?}");
    let ended = place.run("ndskim bench --runs 1 a.json");
    assert!(ended.code == Some(1) && ended.stderr.contains("--job field --pointer"), "{ended:?}");
    for command in ["bench", "scaling"] {
        let ended = place.run(&format!("ndskim {command} --pointer /a a.json"));
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{ended:?}");
        assert!(ended.stderr.contains("--pointer is for --job field"), "{ended:?}");
    }
}

#[test]
fn help_that_cannot_be_written_is_a_failure() {
    let place = Place::with(&[]);
    for command in ["ndskim --help", "ghcount --version"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(command).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}: {output:?}");
    }
    assert!(place.run("ghcount --help").stdout.contains("of check: skip"));
}

#[test]
fn values_of_another_kind_are_not_said_to_be_missing() {
    let place = Place::with(&[("a.json", b"{\"t\":1}\n{\"t\":2}\n"), ("b.json", b"{\"t\":\"x\"}\n")]);
    let run = |by: &str, file: &str| {
        let output = place.command("ndskim count --by").args([by, file]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, stderr) = run("bucket(t, 1)", "b.json");
    assert!(code == Some(0) && stderr.contains("no record has a value that bucket(t, 1) is for\n"), "{stderr}");
    let (_, stderr) = run("hour(t)", "a.json");
    assert!(stderr.contains("hour(t) is for, which is RFC 3339 text; of numbers, name the unit"), "{stderr}");
    let (_, stderr) = run("hour(u)", "a.json");
    assert_eq!(stderr, "ndskim: no record has hour(u); `ndskim paths` lists what there is\n");
}

#[test]
fn one_path_in_two_spellings_is_asked_for_once() {
    let place = Place::with(&[("a.json", b"{\"t\":1}\n")]);
    for (one, other) in [("t", "/t"), ("a[0].b", "/a/0/b"), ("lower(t)", "lower(/t)")] {
        let ended = place.run(&format!("ndskim count --by {one} --by {other} a.json"));
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{ended:?}");
        assert!(ended.stderr.contains(&format!("--by {other} is asked for twice")), "{ended:?}");
    }
    assert_eq!(place.run("ndskim count --by t --by lower(t) --by t[] a.json").code, Some(0));
}
