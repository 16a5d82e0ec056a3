//! `ndskim count --chart`: what is drawn is what was counted, as well-formed SVG with words that people need.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use roxmltree::{Document, Node};
use tempfile::TempDir;

/// The colour of the first line and of all bars.
const BLUE: &str = "#0072B2";

/// Runs `ndskim count` on a file with this text, in a folder of its own.
fn count(folder: &Path, text: &str, arguments: &[&str]) -> Output {
    fs::write(folder.join("in.json"), text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ndskim"));
    command.arg("count").args(arguments).arg("in.json").current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// The chart of an answer.
fn chart(text: &str, arguments: &[&str]) -> String {
    let folder = TempDir::new().unwrap();
    let output = count(folder.path(), text, &[arguments, &["--chart", "chart.svg"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(folder.path().join("chart.svg")).unwrap()
}

fn texts(document: &Document<'_>) -> Vec<String> {
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().trim().to_owned()).collect()
}

fn of_colour<'a>(document: &'a Document<'_>, tag: &str, attribute: &str) -> Vec<Node<'a, 'a>> {
    let is = |node: &Node<'_, '_>| node.tag_name().name() == tag && node.attribute(attribute) == Some(BLUE);
    document.descendants().filter(is).collect()
}

fn number(node: Node<'_, '_>, attribute: &str) -> f64 {
    node.attribute(attribute).unwrap().parse().unwrap()
}

/// The points of all lines of the first colour, one after the other.
fn points(document: &Document<'_>) -> Vec<Vec<(f64, f64)>> {
    let point = |point: &str| {
        let (x, y) = point.split_once(',').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    };
    let lines = of_colour(document, "polyline", "stroke");
    lines.iter().map(|line| line.attribute("points").unwrap().split_whitespace().map(point).collect()).collect()
}

fn has(texts: &[String], text: &str) {
    assert!(texts.iter().any(|found| found == text), "no {text:?} in {texts:?}");
}

/// Records with these keys, each so many times.
fn records(keys: &[(&str, usize)]) -> String {
    keys.iter().map(|(key, count)| format!("{{\"k\":{key}}}\n").repeat(*count)).collect()
}

#[test]
fn bars_are_as_long_as_the_counts() {
    let svg = chart(&records(&[("\"a\"", 40), ("\"b\"", 30), ("\"c\"", 10), ("\"d\"", 1)]), &["--by", "k"]);
    let document = Document::parse(&svg).unwrap();
    let texts = texts(&document);
    for text in ["Records by k", "in.json", "records", "a", "d", "40 (49.4 %)", "1 (1.2 %)", "0", "40"] {
        has(&texts, text);
    }
    let bars = of_colour(&document, "rect", "fill");
    let widths: Vec<_> = bars.iter().map(|bar| number(*bar, "width")).collect();
    let full = widths[0];
    for (width, count) in widths.iter().zip([40.0, 30.0, 10.0, 1.0]) {
        assert!((width - full * count / 40.0).abs() <= 1.0, "{widths:?}");
    }
    // A white page of the size that it says.
    let page = document.descendants().find(|node| node.has_tag_name("rect")).unwrap();
    assert_eq!((page.attribute("fill"), number(page, "width")), (Some("#FFFFFF"), 760.0));
}

#[test]
fn every_kind_of_key_has_its_label() {
    let keys =
        ["null", "\"null\"", "12", "\"北京市\"", "\"<&>\\\"'\"", "\"\\u0001\\ufffe\"", "[1]"].map(|key| (key, 1));
    let text = records(&keys) + "{}\n" + &format!("{{\"k\":\"{}end\"}}\n", "long ".repeat(50));
    let svg = chart(&text, &["--by", "k"]);
    let document = Document::parse(&svg).unwrap();
    let texts = texts(&document);
    // As in tables: what is no string looks like none (see `label`).
    for text in ["null", "\"null\"", "12", "北京市", "<&>\"'", "[1]", "(absent)"] {
        has(&texts, text);
    }
    assert!(texts.iter().any(|text| text.starts_with("long long") && text.ends_with('…')), "{texts:?}");
    assert_eq!(of_colour(&document, "rect", "fill").len(), 9);
    // No text is longer than what is kept of a name.
    assert!(texts.iter().all(|text| text.chars().count() < 60), "{texts:?}");
}

#[test]
fn many_bars_are_limited_and_the_rest_is_stated() {
    // 50 groups: the first has 51 records, the last 2.
    let text: String = (0..50).map(|key| format!("{{\"k\":\"key {key:02}\"}}\n").repeat(51 - key)).collect();
    let svg = chart(&text, &["--by", "k"]);
    let document = Document::parse(&svg).unwrap();
    assert_eq!(of_colour(&document, "rect", "fill").len(), 40);
    // 11 + 10 + ... + 2 of 51 + 50 + ... + 2.
    has(&texts(&document), "Not drawn: 10 more groups with 65 records (4.9 %).");
    let svg = chart(&text, &["--by", "k", "--top", "3"]);
    let document = Document::parse(&svg).unwrap();
    assert_eq!(of_colour(&document, "rect", "fill").len(), 3);
    has(&texts(&document), "Not drawn: 47 more groups with 1,175 records (88.7 %).");
}

#[test]
fn one_bar_and_none() {
    let svg = chart("{\"k\":1}\n", &["--by", "k"]);
    let document = Document::parse(&svg).unwrap();
    assert_eq!(of_colour(&document, "rect", "fill").len(), 1);
    has(&texts(&document), "1 (100.0 %)");
    for by in ["k", "trunc(k, day)"] {
        let svg = chart("{\"k\":1}\n", &["--by", by, "--where", "k > 1"]);
        let document = Document::parse(&svg).unwrap();
        let texts = texts(&document);
        assert!(texts.iter().any(|text| text.contains("no groups")), "{texts:?}");
        has(&texts, "in.json; where k > 1");
    }
}

#[test]
fn what_the_groups_are_in_order_of_is_drawn() {
    let text = "{\"k\":\"a\",\"n\":-5}\n{\"k\":\"b\",\"n\":15}\n{\"k\":\"c\",\"n\":\"x\"}\n";
    let svg = chart(text, &["--by", "k", "--sum", "n", "--sort", "sum"]);
    let document = Document::parse(&svg).unwrap();
    let texts = texts(&document);
    for text in ["sum(n) by k", "sum(n)", "15", "-5", "−5", "–"] {
        has(&texts, text);
    }
    let bars = of_colour(&document, "rect", "fill");
    let (plus, minus) = (bars[0], bars[1]);
    assert_eq!(bars.len(), 2);
    assert!((number(plus, "width") - 3.0 * number(minus, "width")).abs() <= 2.0);
    // Both begin at zero, on either side of it.
    assert!((number(minus, "x") + number(minus, "width") - number(plus, "x")).abs() <= 1.0);
}

/// Records at these times.
fn at(times: &[&str]) -> String {
    times.iter().map(|time| format!("{{\"t\":\"{time}\",\"k\":\"a\",\"n\":2}}\n")).collect()
}

#[test]
fn a_line_over_time_is_zero_where_there_is_nothing() {
    let times = ["2024-03-01T08:00:00Z", "2024-03-01T09:00:00Z", "2024-03-05T00:00:00Z", "2024-03-06T23:00:00Z"];
    let svg = chart(&(at(&times) + "{\"t\":\"never\"}\n"), &["--by", "trunc(t, day)"]);
    let document = Document::parse(&svg).unwrap();
    let texts = texts(&document);
    for text in ["Records by trunc(t, day)", "records", "time (UTC)", "2024-03-01", "2024-03-06", "2"] {
        has(&texts, text);
    }
    has(&texts, "Not drawn: 1 record without a time.");
    let lines = points(&document);
    let [line] = &lines[..] else { panic!("{lines:?}") };
    // 1 March: 2; 2 and 4 March: 0; 5 and 6 March: 1. Days are evenly apart, and so are counts.
    let (left, right) = (line[0].0, line[4].0);
    let (top, bottom) = (line[0].1, line[1].1);
    let expected = [(0.0, 2.0), (1.0, 0.0), (3.0, 0.0), (4.0, 1.0), (5.0, 1.0)];
    for ((x, y), (day, count)) in line.iter().zip(expected) {
        assert!((x - (left + (right - left) * day / 5.0)).abs() <= 1.0, "{line:?}");
        assert!((y - (bottom + (top - bottom) * count / 2.0)).abs() <= 1.0, "{line:?}");
    }
}

#[test]
fn lines_are_broken_where_nothing_is_known() {
    let times = ["2024-01-31T00:00:00Z", "2024-02-01T00:00:00Z", "2024-04-01T00:00:00Z", "2024-05-01T00:00:00Z"];
    // A sum of nothing is not zero.
    let svg = chart(&at(&times), &["--by", "trunc(t, month)", "--sum", "n", "--sort", "sum"]);
    assert_eq!(points(&Document::parse(&svg).unwrap()).len(), 2);
    // Nor is a group that `--top` leaves out.
    let svg = chart(&at(&times), &["--by", "trunc(t, month)", "--top", "3"]);
    let document = Document::parse(&svg).unwrap();
    let texts = texts(&document);
    assert!(texts.iter().any(|text| text.starts_with("Not drawn: 1 more group with 1 record (25.0 %).")), "{texts:?}");
}

#[test]
fn a_line_for_each_group_beside_the_time() {
    let line = |kind: usize, hour: usize| format!("{{\"k\":\"kind {kind}\",\"t\":\"2024-03-13T{hour:02}:30:00Z\"}}\n");
    let text: String = (0..10).flat_map(|kind| (0..12 - kind).map(move |hour| line(kind, hour))).collect();
    let svg = chart(&text, &["--by", "k", "--by", "trunc(t, hour)"]);
    let document = Document::parse(&svg).unwrap();
    let texts = texts(&document);
    for text in ["kind 0", "kind 7", "time (UTC), 2024", "03-13 00:00", "Not drawn: 2 more lines with 7 records."] {
        has(&texts, text);
    }
    assert!(!texts.iter().any(|text| text == "kind 8"));
    // A single point has a mark and no line.
    let svg = chart(&at(&["2024-03-13T15:00:00Z"]), &["--by", "trunc(t, hour)"]);
    let document = Document::parse(&svg).unwrap();
    assert_eq!((points(&document).len(), of_colour(&document, "circle", "fill").len()), (0, 1));
}

#[test]
fn a_chart_is_written_whole_or_not_at_all() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("chart.svg");
    fs::write(&file, "before").unwrap();
    let output = count(folder.path(), "{\"k\":1}\n{\n", &["--by", "k", "--chart", "chart.svg"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&file).unwrap(), "before");
    let output = count(folder.path(), "{\"k\":1}\n", &["--by", "k", "--chart", "chart.svg"]);
    let plain = count(folder.path(), "{\"k\":1}\n", &["--by", "k"]);
    let answer =
        |output: &Output| String::from_utf8(output.stdout.clone()).unwrap().lines().take(3).collect::<String>();
    assert!(output.status.success() && answer(&output) == answer(&plain));
    assert!(fs::read_to_string(&file).unwrap().ends_with("</svg>\n"));
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.count(), 2, "nothing but the input and the chart");
}

#[test]
fn wrong_usage_is_said() {
    let folder = TempDir::new().unwrap();
    let rows: [(&[&str], i32, &str); 5] = [
        (&["--chart", "x.svg"], 2, "--by"),
        (&["--by", "k", "--chart", "x.png"], 2, "ends with .svg"),
        (&["--by", "k", "--chart", "x.svg", "-o", "x.svg"], 2, "cannot both be"),
        (&["--by", "k", "--chart", "none/x.svg"], 1, "make the folder first"),
        (&["--by", "k", "--chart", "."], 1, "name a file in that folder"),
    ];
    for (arguments, code, part) in rows {
        let output = count(folder.path(), "{}\n", arguments);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(code), &b""[..]), "{arguments:?}: {stderr}");
        assert!(stderr.contains(part), "{arguments:?}: {stderr}");
    }
}
