//! The first fault in input order, with its place and reason, whatever the setting.

use ndskim::{Error, Input, OnFault, Scan, Validation};

use super::support::{ENGINES, THREADS, Text, WAYS, fault, place, reading};

/// Two hundred lines; those with these numbers (from 1) are replaced.
fn lines_with(bad: &[(usize, &[u8])]) -> Vec<u8> {
    let mut text = Vec::new();
    for line in 1..=200 {
        match bad.iter().find(|(number, _)| *number == line) {
            Some((_, bytes)) => text.extend_from_slice(bytes),
            None => text.extend(format!("{{\"id\":{line},\"text\":\"{}\"}}", "é".repeat(line % 60)).bytes()),
        }
        text.push(b'\n');
    }
    text
}

/// Where a line (from 1) begins.
fn line_start(text: &[u8], line: usize) -> u64 {
    text.split_inclusive(|&b| b == b'\n').take(line - 1).map(|line| line.len() as u64).sum()
}

#[test]
fn each_kind_of_fault_has_its_place() {
    let deep = ["[".repeat(1025), "]".repeat(1025)].concat();
    let cases: [(&[u8], u64, &str); 12] = [
        (b"{\"a\":1,}", 8, "expected a key in double quotes, found `}`"),
        (b"{\"a\":1", 7, "expected `,` or `}`, found the end of the record"),
        (b"{\"a\":1  \r", 10, "expected `,` or `}`, found the end of the record"),
        (b"{\"a\":\"b", 8, "expected a closing quote, found the end of the record"),
        (b"  {\"a\" 1}", 8, "expected `:` after the key, found `1`"),
        (b"[1,2]]", 6, "expected nothing after the value, found `]`"),
        (b"{} \x00\x00\x00", 4, "expected nothing after the value, found byte 0x00"),
        (b"[\"ab\xffc\"]", 5, "expected well-formed UTF-8, found byte 0xff"),
        (b"[\"ab\xe2\x82\"]", 5, "expected well-formed UTF-8, found byte 0xe2"),
        (b"[01]", 3, "expected no digit after a leading zero, found `1`"),
        (b"\xef\xbb\xbf{}", 1, "expected a value, found a byte order mark"),
        (deep.as_bytes(), 1025, "expected no deeper nesting (see the limit on depth), found `[`"),
    ];
    for (line, column, reason) in cases {
        let text = Text::new(lines_with(&[(77, line)]));
        let offset = line_start(&text.bytes, 77) + column - 1;
        text.each_on(2, |scan, name| {
            let found = place(&fault(scan.for_each(|_| ()), name));
            assert_eq!(found, ("text".to_owned(), Some(77), column, offset, reason.to_owned()), "{name}");
        });
    }
}

#[test]
fn of_several_faults_the_first_counts() {
    let bad: [(usize, &[u8]); 4] = [(101, b"{\"id\":101,\"text\":}"), (102, b"nope"), (103, b"\"\xff\""), (200, b"{")];
    let text = Text::new(lines_with(&bad));
    let expected =
        ("text".to_owned(), Some(101), 18, line_start(&text.bytes, 101) + 17, "expected a value, found `}`".to_owned());
    text.each(|scan, name| assert_eq!(place(&fault(scan.for_each(|_| ()), name)), expected, "{name}"));
    text.each_on(2, |scan, name| assert_eq!(place(&fault(scan.map(|_| 1), name)), expected, "{name}"));
    text.each_on(8, |scan, name| {
        assert_eq!(place(&fault(scan.fold(|| 0, |n, _| *n += 1, |a, b| a + b), name)), expected, "{name}");
    });
}

#[test]
fn a_fault_of_an_earlier_input_counts_before_one_of_a_later() {
    let good = Text::new(lines_with(&[]));
    let late = Text::new(lines_with(&[(199, b"[")]));
    let early = Text::new(lines_with(&[(1, b"]")]));
    for threads in THREADS {
        for block in [64, 1000, 1 << 20] {
            for engine in ENGINES {
                for way in WAYS {
                    let inputs = vec![
                        good.input(way).named("a"),
                        late.input(way).named("b"),
                        early.input(way).named("c"),
                        Input::path("/no/such/file"),
                    ];
                    let scan =
                        Scan::new(inputs).reading(reading(way)).threads(threads).block_size(block).engine(engine);
                    let fault = fault(scan.for_each(|_| ()), "inputs");
                    let place = fault.place();
                    assert_eq!((place.input(), place.line(), place.column()), ("b", Some(199), 2));
                }
            }
        }
    }
}

#[test]
fn between_a_fault_and_an_error_of_the_closure_the_first_counts() {
    let text = Text::new(lines_with(&[(100, b"{\"id\":}")]));
    let fails_at = |id: i64| {
        move |record: ndskim::Record<'_>| match record.get("id").unwrap().and_then(|value| value.as_i64().unwrap()) {
            Some(found) if found == id => Err("no more"),
            _ => Ok(()),
        }
    };
    text.each(|scan, name| match scan.try_for_each(fails_at(99)) {
        Err(Error::Closure { place, source }) => {
            assert_eq!((place.line(), source.to_string().as_str()), (Some(99), "no more"), "{name}");
        }
        other => panic!("{name}: {other:?}"),
    });
    text.each(|scan, name| {
        assert_eq!(fault(scan.try_for_each(fails_at(101)), name).place().line(), Some(100), "{name}");
    });
}

#[test]
fn a_malformed_value_met_by_a_closure_is_a_fault_of_its_record() {
    // The fault stands where only the closure looks.
    let text =
        Text::new(lines_with(&[(60, b"{\"id\":60,\"text\":\"\xff\"}"), (150, b"{\"id\":150,\"text\":\"\\x\"}")]));
    let expected = (
        "text".to_owned(),
        Some(60),
        18,
        line_start(&text.bytes, 60) + 17,
        "expected well-formed UTF-8, found byte 0xff".to_owned(),
    );
    text.each(|scan, name| {
        let ended = scan.validation(Validation::Visited).map(|record| {
            record.get("text").ok().flatten().map(|value| value.as_str().map(|text| text.map(|text| text.len())))
        });
        assert_eq!(place(&fault(ended, name)), expected, "{name}");
    });
    // The closure's own error says the same thing again, and counts for nothing.
    text.each_on(8, |scan, name| {
        let ended = scan.validation(Validation::Visited).try_map(|record| {
            Ok::<_, ndskim::ValueError>(
                record.get("text")?.map(|value| value.as_str().map(|text| text.map(|t| t.len()))),
            )
        });
        assert_eq!(place(&fault(ended, name)), expected, "{name}");
    });
}

#[test]
fn an_excerpt_can_be_printed() {
    let text = Text::new(lines_with(&[(3, b"{\"a\":\"\x1b[2J\xff\xe2\x80\xae\"}")]));
    text.each_on(1, |scan, name| {
        let message = scan.for_each(|_| ()).unwrap_err().to_string();
        assert!(message.chars().all(|c| !c.is_control() && c != '\u{202e}'), "{name}: {message}");
        assert!(message.contains("expected an escape in place of this control character"), "{name}: {message}");
    });
}

#[test]
fn the_limit_on_depth_is_a_setting() {
    let text = Text::new(lines_with(&[(20, b"[[[[{\"a\":[1]}]]]]")]));
    text.each_on(2, |scan, name| assert_eq!(scan.max_depth(6).for_each(|_| ()).expect(name).stats.records, 200));
    text.each_on(2, |scan, name| {
        let fault = fault(scan.max_depth(5).for_each(|_| ()), name);
        assert_eq!((fault.place().line(), fault.place().column()), (Some(20), 10), "{name}");
        assert_eq!(fault.reason().kind(), ndskim::FaultKind::TooDeep, "{name}");
    });
    text.each_on(2, |scan, name| {
        let outcome = scan.max_depth(5).on_fault(OnFault::Skip).for_each(|_| ()).expect(name);
        assert_eq!((outcome.stats.records, outcome.stats.rejected), (199, 1), "{name}");
    });
}
