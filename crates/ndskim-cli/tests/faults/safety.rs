//! What is read is never overwritten, no temporary file stays behind, and nothing reaches the terminal that could move its
//! cursor.

use std::fs::{self, File};
use std::process::{Command, Output, Stdio};

use crate::command::Place;
use crate::inputs::{ended, wait_until_it_listens};

const BAD: &[u8] = b"{\"type\":\"a\"}\nno\n";

/// Names in the directory, in order.
fn names(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path("")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs a command that must be refused, with each file as it was before and no other.
fn refused(place: &Place, line: &str, stdin: Option<&str>) -> String {
    let before: Vec<_> = names(place).into_iter().map(|name| (fs::read(place.path(&name)).unwrap(), name)).collect();
    let stdin = stdin.map_or(Stdio::null(), |name| File::open(place.path(name)).unwrap().into());
    let output = place.command(line).stdin(stdin).output().unwrap();
    let after: Vec<_> = names(place).into_iter().map(|name| (fs::read(place.path(&name)).unwrap(), name)).collect();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{line}: {stderr}");
    assert_eq!(before, after, "{line}");
    stderr
}

#[test]
fn no_file_beside_the_rejects_is_an_input() {
    for suffix in ["", ".partial", ".faults.ndjson", ".faults.ndjson.partial"] {
        let input = format!("x{suffix}");
        let place = Place::with(&[(&input, BAD)]);
        let stderr = refused(&place, &format!("ghcount --on-fault skip --rejects x {input}"), None);
        assert!(stderr.contains(&format!("--rejects {input} would overwrite an input")), "{stderr}");
        // By another name too.
        fs::hard_link(place.path(&input), place.path("link")).unwrap();
        refused(&place, "ndskim check --rejects ./x link", None);
    }
}

#[test]
fn no_two_files_to_write_are_one() {
    let place = Place::with(&[("bad.json", BAD)]);
    for suffix in ["", ".partial", ".faults.ndjson", ".faults.ndjson.partial"] {
        let stderr = refused(&place, &format!("ghcount --on-fault skip --rejects x -o ./x{suffix} bad.json"), None);
        assert!(stderr.contains("--output and --rejects cannot both be"), "{stderr}");
    }
    let rejects = "--on-fault skip --rejects x.svg";
    let stderr = refused(&place, &format!("ndskim count --by type --chart x.svg {rejects} bad.json"), None);
    assert!(stderr.contains("--chart and --rejects cannot both be"), "{stderr}");
    let stderr = refused(&place, "ndskim count --by type --chart x.svg -o ./x.svg bad.json", None);
    assert!(stderr.contains("--output and --chart cannot both be"), "{stderr}");
}

#[test]
fn what_standard_input_and_lists_name_is_an_input() {
    let place = Place::with(&[("a.svg", BAD), ("list.svg", b"a.svg\n")]);
    for flag in ["-o", "--chart", "--on-fault skip --rejects"] {
        let count = format!("ndskim count --by type {flag}");
        refused(&place, &format!("{count} a.svg"), Some("a.svg"));
        refused(&place, &format!("{count} a.svg -"), Some("a.svg"));
        refused(&place, &format!("{count} a.svg --files-from list.svg"), None);
        refused(&place, &format!("{count} list.svg --files-from list.svg"), None);
        refused(&place, &format!("{count} list.svg --files-from -"), Some("list.svg"));
    }
    // A file of that name is no input if nothing is read from there.
    let output =
        place.command("ndskim count -o new.txt list.svg --on-fault skip").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_folder_in_the_way_of_the_list_of_faults_is_named_before_anything_is_written() {
    let place = Place::with(&[("bad.json", BAD)]);
    fs::create_dir(place.path("y.faults.ndjson")).unwrap();
    let ended = place.run("ghcount --on-fault skip --rejects y bad.json");
    assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "{ended:?}");
    assert!(ended.stderr.contains("cannot write rejects to y.faults.ndjson: "), "{ended:?}");
    assert!(!place.path("y").exists());
}

#[test]
fn messages_name_no_temporary_file() {
    let place = Place::with(&[("a.json", b"{\"type\":\"a\"}\n")]);
    for flag in ["-o", "--by type --chart"] {
        let ended = place.run(&format!("ndskim count {flag} none/x.svg a.json"));
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.starts_with("ndskim: cannot write none/x.svg: No such file or directory"), "{ended:?}");
        assert!(!ended.stderr.contains(".ndskim-"), "{ended:?}");
    }
}

#[test]
fn signals_end_a_command_with_their_code_and_leave_no_temporary_file() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let place = Place::with(&[]);
        let mut command = place.command("ndskim count -o out.txt -");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_until_it_listens(&child);
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        assert_eq!(ended(child), Some(code), "{signal}");
        assert_eq!(names(&place), Vec::<String>::new(), "{signal}");
    }
}

#[test]
fn too_many_threads_are_wrong_usage() {
    let place = Place::with(&[("a.json", b"{\"type\":\"a\"}\n")]);
    for command in ["ghcount", "ndskim count", "ndskim paths", "ndskim check", "ndskim bench", "ndskim scaling"] {
        let ended = place.run(&format!("{command} --threads 100000 a.json"));
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{command}: {ended:?}");
        assert!(ended.stderr.contains("--threads") && ended.stderr.replace(',', "").contains("1024"), "{ended:?}");
    }
    assert_eq!(place.run("ghcount --threads 1024 a.json").code, Some(0));
}

/// Characters that no output for people may hold: all but plain ones and line ends.
fn assert_harmless(output: &Output, what: &str) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = str::from_utf8(bytes).unwrap().replace("\r\n", "\n");
        let hidden = ['\u{ad}', '\u{200b}', '\u{202e}', '\u{2066}', '\u{2028}', '\u{feff}'];
        let odd = text.chars().find(|&c| c.is_control() && !"\n\t".contains(c) || hidden.contains(&c));
        assert_eq!(odd, None, "{what}: {text:?}");
    }
}

#[test]
fn keys_cannot_steer_the_terminal() {
    let odd = ["\u{9b}31m", "\u{7f}", "\u{202e}", "\u{2066}", "\u{200b}", "\u{feff}", "\u{ad}", "\u{2028}"];
    for odd in odd {
        let text = format!("{{\"k{odd}x\":{{\"{odd}\":1}}}}\n");
        let place = Place::with(&[("a.json", text.as_bytes())]);
        for format in ["table", "csv", "tsv", "markdown"] {
            let output = place.command(&format!("ndskim paths --format {format} a.json")).output().unwrap();
            assert_eq!(output.status.code(), Some(0));
            assert_harmless(&output, format);
        }
        // The path that is shown is one that can be asked for.
        let listed = place.run("ndskim paths --format json a.json").stdout;
        let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
        let path = listed["paths"][2]["path"].as_str().unwrap();
        let mut command = place.command("ndskim count a.json --format json --by");
        let output = command.arg(path).output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["groups"][0]["key"][0], 1, "{path}: {output:?}");
    }
}

#[test]
fn file_names_cannot_steer_the_terminal() {
    let name = "a\u{1b}[31m\n\u{202e}.json";
    let place = Place::with(&[(name, BAD)]);
    for line in ["ndskim check", "ghcount", "ghcount --on-fault skip", "ndskim count --files-from", "ndskim bench"] {
        assert_harmless(&place.command(line).arg(name).output().unwrap(), line);
    }
    let chart = "ndskim count --on-fault skip --by type --chart";
    assert_harmless(&place.command(chart).args([name, name]).output().unwrap(), chart);
    assert_harmless(&place.command("ghcount").arg("none\u{1b}[1m\n*").output().unwrap(), "missing");
}
