//! What a generated text is: the same for the same options, valid in every layout and style, of
//! the size asked for, and counted right.

mod judge;

use ghgen::{Generator, Layout, Options, Separator, Style};
use judge::{Judge, LAYOUTS, make};
use serde_json::Value;

const STYLES: [Style; 4] = [Style::Compact, Style::Spaced, Style::Pretty, Style::Crlf];

#[test]
fn equal_options_give_equal_text() {
    for layout in LAYOUTS {
        let options = Options { bytes: 300_000, layout, damage: 5, ..Options::default() };
        assert_eq!(make(&options), make(&options));
        let other_seed = Options { seed: 2, ..options.clone() };
        assert_ne!(make(&options).0, make(&other_seed).0);
    }
}

#[test]
fn a_longer_text_begins_with_the_shorter_one() {
    for layout in LAYOUTS {
        let (short, _) = make(&Options { bytes: 100_000, layout, ..Options::default() });
        let (long, _) = make(&Options { bytes: 400_000, layout, ..Options::default() });
        assert!(long.starts_with(&short));
    }
}

#[test]
fn the_record_that_reaches_the_size_is_the_last() {
    for layout in LAYOUTS {
        for bytes in [0, 1, 50_000, 1_000_000] {
            let (text, report) = make(&Options { bytes, layout, ..Options::default() });
            assert_eq!(report.truth.bytes, text.len() as u64);
            assert!(report.truth.bytes >= bytes);
            let last = text.split_inclusive(|&b| b == b'\n').next_back().map_or(0, <[u8]>::len);
            assert!(text.len() as u64 - last as u64 <= bytes.saturating_sub(1));
        }
    }
}

#[test]
fn the_truth_is_what_serde_json_counts_in_every_layout_and_style() {
    for layout in LAYOUTS {
        for style in STYLES {
            let (text, report) = make(&Options { bytes: 1_500_000, layout, style, ..Options::default() });
            let judge = if style == Style::Pretty { Judge::values(&text) } else { Judge::lines(&text) };
            assert_eq!(judge.rejected, 0, "{layout:?} {style:?}");
            let truth: Value = serde_json::from_str(&report.truth.to_json()).unwrap();
            assert_eq!(truth, judge.report(text.len()), "{layout:?} {style:?}");
        }
    }
}

#[test]
fn the_truth_holds_on_megabytes_of_events() {
    for (seed, layout) in [(1, Layout::Gh), (7, Layout::Gh), (8, Layout::Gh2014)] {
        let (text, report) = make(&Options { bytes: 8_000_000, seed, layout, ..Options::default() });
        let truth: Value = serde_json::from_str(&report.truth.to_json()).unwrap();
        assert_eq!(truth, Judge::lines(&text).report(text.len()));
        assert!(report.truth.opened() > 30);
    }
}

#[test]
fn trimmed_events_have_no_language() {
    let (_, report) = make(&Options { bytes: 3_000_000, layout: Layout::GhTrimmed, ..Options::default() });
    let opened = report.truth.opened();
    assert!(opened > 10);
    let only_absent = format!(r#""languages":[{{"absent":true,"count":{opened}}}]"#);
    assert!(report.truth.to_json().contains(&only_absent));
}

#[test]
fn styles_say_the_same() {
    for layout in LAYOUTS {
        let records = STYLES.map(|style| {
            let mut generator = Generator::new(&Options { layout, style, ..Options::default() });
            let mut texts = Vec::new();
            for _ in 0..200 {
                let mut text = Vec::new();
                generator.record(&mut text);
                texts.push(text);
            }
            texts
        });
        let [compact, spaced, pretty, crlf] = &records;
        assert_eq!(compact, crlf);
        for n in 0..200 {
            let value: Value = serde_json::from_slice(&compact[n]).unwrap();
            assert_eq!(serde_json::from_slice::<Value>(&spaced[n]).unwrap(), value);
            assert_eq!(serde_json::from_slice::<Value>(&pretty[n]).unwrap(), value);
            assert!(!spaced[n].contains(&b'\n') && pretty[n].contains(&b'\n'));
        }
    }
}

#[test]
fn separator_none_leaves_events_back_to_back() {
    let options = Options { bytes: 500_000, separator: Separator::None, ..Options::default() };
    let (text, report) = make(&options);
    assert!(!text.contains(&b'\n'));
    let truth: Value = serde_json::from_str(&report.truth.to_json()).unwrap();
    assert_eq!(truth, Judge::values(&text).report(text.len()));
}

#[test]
fn crlf_ends_every_line() {
    let (text, _) = make(&Options { bytes: 200_000, style: Style::Crlf, ..Options::default() });
    let lines = text.split_inclusive(|&b| b == b'\n');
    assert!(lines.into_iter().all(|line| line.ends_with(b"}\r\n")));
}

#[test]
fn events_have_the_key_order_of_gh_archive() {
    let (text, _) = make(&Options { bytes: 1_000_000, ..Options::default() });
    let mut with_org = 0;
    for line in std::str::from_utf8(&text).unwrap().lines() {
        let mut rest = line;
        for key in ["id", "type", "actor", "repo", "payload", "public", "created_at"] {
            let name = format!(r#""{key}":"#);
            let found = rest.find(&name).unwrap_or_else(|| panic!("no {key} in {line}"));
            rest = &rest[found + name.len()..];
        }
        with_org += u32::from(rest.contains(r#""org":{"#));
        assert!(line.starts_with(r#"{"id":""#));
    }
    assert!(with_org > 0);
}

#[test]
fn the_text_holds_what_trips_parsers() {
    let (text, _) = make(&Options { bytes: 40_000_000, ..Options::default() });
    let text = std::str::from_utf8(&text).unwrap();
    for piece in [
        r#"\""#,
        r"\\",
        r"\n",
        r"\r\n",
        r"\t",
        r"\b",
        r"\f",
        r"\/",
        r"\u00e9",
        r"\ud83d\ude80",
        r#"{\"type\":\"PullRequestEvent\""#,
        r#""repo":null"#,
        r#""language":null"#,
        "[bot]",
        "%5Bbot%5D",
        r#""position":-1"#,
        r#""score":-0."#,
        r#""compression_ratio":"#,
        "{/sha}",
        "}{ ",
        r#""topics":[]"#,
        r#""payload":{}"#,
    ] {
        assert!(text.contains(piece), "{piece} is nowhere");
    }
}

#[test]
fn the_text_is_in_several_scripts() {
    let (text, _) = make(&Options { bytes: 40_000_000, ..Options::default() });
    let text = std::str::from_utf8(&text).unwrap();
    for (script, range) in [
        ("Latin with marks", '\u{c0}'..='\u{17f}'),
        ("Greek", '\u{370}'..='\u{3ff}'),
        ("Cyrillic", '\u{400}'..='\u{4ff}'),
        ("Hebrew", '\u{590}'..='\u{5ff}'),
        ("Arabic", '\u{600}'..='\u{6ff}'),
        ("Devanagari", '\u{900}'..='\u{97f}'),
        ("Thai", '\u{e00}'..='\u{e7f}'),
        ("kana", '\u{3040}'..='\u{30ff}'),
        ("Han", '\u{4e00}'..='\u{9fff}'),
        ("Hangul", '\u{ac00}'..='\u{d7af}'),
        ("emoji", '\u{1f300}'..='\u{1faff}'),
    ] {
        assert!(text.chars().any(|c| range.contains(&c)), "no {script}");
    }
}

#[test]
fn languages_come_in_the_published_proportions() {
    // 65,269 opened pull requests were counted; TypeScript, JavaScript, Python, none and Java
    // had these shares. Five standard deviations are allowed on the number that is drawn here.
    let mut generator = Generator::new(&Options::default());
    let (mut record, mut opened, mut counts) = (Vec::new(), 0.0, [0.0; 5]);
    let rows = [
        (ghgen::Language::Named("TypeScript"), 11_565.0),
        (ghgen::Language::Named("JavaScript"), 7_778.0),
        (ghgen::Language::Named("Python"), 7_057.0),
        (ghgen::Language::Null, 5_857.0),
        (ghgen::Language::Named("Java"), 4_668.0),
    ];
    let records = 200_000;
    for _ in 0..records {
        record.clear();
        if let Some(language) = generator.record(&mut record).opened {
            opened += 1.0;
            if let Some(n) = rows.iter().position(|row| row.0 == language) {
                counts[n] += 1.0;
            }
        }
    }
    let near = |count: f64, of: f64, share: f64| {
        let deviation = (of * share * (1.0 - share)).sqrt();
        assert!((count - of * share).abs() < 5.0 * deviation, "{count} of {of}, not {share}");
    };
    near(opened, f64::from(records), 65_269.0 / 2_200_000.0);
    for (count, (_, of_published)) in counts.into_iter().zip(rows) {
        near(count, opened, of_published / 65_269.0);
    }
}

#[test]
fn events_have_the_published_mean_length() {
    let (_, report) = make(&Options { bytes: 30_000_000, ..Options::default() });
    let mean = report.truth.bytes as f64 / report.truth.records as f64;
    assert!((3_200.0..3_600.0).contains(&mean), "{mean}");
}

#[test]
fn other_layouts_have_the_lengths_they_are_for() {
    let (text, report) = make(&Options { layout: Layout::Weblog, ..Options::default() });
    let mean = report.truth.bytes as f64 / report.truth.records as f64;
    assert!((85.0..115.0).contains(&mean), "{mean}");
    let first: Value = serde_json::from_slice(text.split(|&b| b == b'\n').next().unwrap()).unwrap();
    assert_eq!(first.as_object().unwrap().len(), 5);

    let (text, _) = make(&Options { layout: Layout::Geojson, ..Options::default() });
    let in_floats = text.iter().filter(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-')).count();
    assert!(in_floats * 10 > text.len() * 7);
}
