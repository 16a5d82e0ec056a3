//! Skip, rejects and the limit on faults.

use std::io::{Read, Write};
use std::sync::mpsc;

use ndskim::{Error, Fault, FaultLimit, Input, OnFault, Scan};
use proptest::prelude::*;

use crate::configurations::{Configuration, all, full};

/// What a reject says.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    line: u64,
    column: u64,
    at: u64,
    offset: u64,
    text: String,
    reason: String,
}

fn rejects_of(scan: Scan<'_>) -> (u64, Vec<Seen>) {
    let mut seen = Vec::new();
    let outcome = scan
        .on_fault(OnFault::Skip)
        .rejects(|reject| {
            let place = reject.fault().place();
            seen.push(Seen {
                line: place.line().expect("the line of a reject is known"),
                column: place.column(),
                at: place.offset(),
                offset: reject.offset(),
                text: String::from_utf8_lossy(reject.text()).into_owned(),
                reason: reject.fault().reason().to_string(),
            });
        })
        .for_each(|_| ())
        .unwrap();
    assert_eq!(outcome.stats.rejected, seen.len() as u64);
    assert_eq!(outcome.stats.rejected_bytes, seen.iter().map(|seen| seen.text.len() as u64).sum::<u64>());
    (outcome.stats.records, seen)
}

#[test]
fn rejects_come_verbatim_in_input_order_with_place_and_reason() {
    let input = b"{\"id\":1}\n\n{\"id\":}\r\n{\"id\":3}\nx\n  {\"id\":4,}";
    let expected = [
        (3, 7, 16, 10, "{\"id\":}\r", "expected a value, found `}`"),
        (5, 1, 28, 28, "x", "expected a value, found `x`"),
        (6, 11, 40, 30, "  {\"id\":4,}", "expected a key in double quotes, found `}`"),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(line, column, at, offset, text, reason)| Seen {
            line,
            column,
            at,
            offset,
            text: text.to_owned(),
            reason: reason.to_owned(),
        })
        .collect();
    for configuration in full() {
        assert_eq!(rejects_of(configuration.bytes(input)), (2, expected.clone()), "{configuration:?}");
    }
}

#[test]
fn rejects_of_many_inputs_come_in_their_order_whatever_is_read_first() {
    let texts: Vec<String> = (0..7).map(|n| format!("{n}\nbad{n}\n").repeat(200)).collect();
    let expected: Vec<_> = (0..7).flat_map(|n| vec![format!("bad{n}"); 200]).collect();
    for threads in [1, 2, 8] {
        let inputs: Vec<Input<'_>> = texts
            .iter()
            .enumerate()
            .map(|(n, text)| if n % 2 == 0 { Input::bytes(text.as_bytes()) } else { Input::reader(text.as_bytes()) })
            .collect();
        let (records, seen) = rejects_of(Scan::new(inputs).threads(threads).block_size(50));
        assert_eq!(records, 1400);
        assert!(seen.iter().map(|seen| &seen.text).eq(&expected));
        assert!(seen.iter().enumerate().all(|(n, seen)| seen.line == (n as u64 % 200) * 2 + 2), "{threads} threads");
    }
}

#[test]
fn the_first_faults_are_kept_and_all_are_counted() {
    let input = "1\n2,\n".repeat(1000);
    for configuration in full() {
        let scan = configuration.bytes(input.as_bytes()).on_fault(OnFault::Skip).keep_faults(3);
        let outcome = scan.for_each(|_| ()).unwrap();
        assert_eq!((outcome.stats.records, outcome.stats.rejected), (1000, 1000));
        let lines: Vec<_> = outcome.faults.iter().map(|fault| fault.place().line()).collect();
        assert_eq!(lines, [Some(2), Some(4), Some(6)], "{configuration:?}");
    }
}

fn too_many(error: Error) -> (u64, Option<u64>, Fault) {
    match error {
        Error::TooManyFaults { rejected, records, first, .. } => (rejected, records, *first),
        other => panic!("{other}"),
    }
}

#[test]
fn too_many_faults_are_an_error_that_names_the_first() {
    // Lines 3, 6, 9, ... are bad: 100 of 300.
    let input = "1\n2\nx\n".repeat(100);
    for configuration in full() {
        let scan = |limit: FaultLimit| {
            configuration.bytes(input.as_bytes()).on_fault(OnFault::Skip).keep_faults(0).max_faults(limit)
        };
        for limit in [0, 1, 42, 99] {
            let (rejected, records, first) = too_many(scan(FaultLimit::Count(limit)).for_each(|_| ()).unwrap_err());
            assert_eq!((rejected, records, first.place().line()), (limit + 1, None, Some(3)), "{configuration:?}");
            let mut heard = 0;
            scan(FaultLimit::Count(limit)).rejects(|_| heard += 1).for_each(|_| ()).unwrap_err();
            assert_eq!(heard, limit + 1, "{configuration:?}");
        }
        assert_eq!(scan(FaultLimit::Count(100)).for_each(|_| ()).unwrap().stats.rejected, 100);
        let (rejected, records, first) = too_many(scan(FaultLimit::Percent(33.3)).for_each(|_| ()).unwrap_err());
        assert_eq!((rejected, records, first.place().line()), (100, Some(300), Some(3)));
        assert_eq!(scan(FaultLimit::Percent(33.4)).for_each(|_| ()).unwrap().stats.rejected, 100);
    }
}

#[test]
fn of_two_reasons_to_end_the_first_in_input_order_counts() {
    // The fourth bad line is line 8; the closure fails at line 7, or at line 9.
    let input = b"x\nx\n1\n1\nx\n1\n2\nx\n3\n";
    for configuration in full() {
        let ends = |fails_at: i64| {
            let scan = configuration.bytes(input).on_fault(OnFault::Skip).max_faults(3);
            scan.try_for_each(|record| if record.value().as_i64() == Ok(Some(fails_at)) { Err("no") } else { Ok(()) })
        };
        let Error::Closure { place, .. } = ends(2).unwrap_err() else { panic!("{configuration:?}") };
        assert_eq!(place.line(), Some(7));
        assert_eq!(too_many(ends(3).unwrap_err()).2.place().line(), Some(1), "{configuration:?}");
    }
}

#[test]
fn a_failed_read_lets_the_rejects_before_it_out() {
    let failing = || (&b"1\nx\n2\ny\n3"[..]).chain(Failing);
    let mut heard = Vec::new();
    let scan = Scan::reader(failing()).block_size(4).threads(3).on_fault(OnFault::Skip);
    let error = scan.rejects(|reject| heard.push(reject.text().to_vec())).for_each(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "<reader>: cannot read at byte 9: the disk is gone");
    assert_eq!(heard, [b"x", b"y"]);
}

#[test]
fn rejects_that_wait_take_no_memory_and_come_in_order() {
    // The first input gives nothing before all of the second is read, whose rejects are more than may wait in memory.
    let bad = |n: usize| format!("{n} {}", "x".repeat(10_000));
    let second: String = (0..3000).map(|n| bad(n) + "\n").collect();
    for threads in [2, 3] {
        let (said, heard) = mpsc::sync_channel(10_000);
        let first = Waiting { heard, until: second.len() as u64, text: b"no\n" };
        let mut seen = Vec::new();
        let scan = Scan::new(vec![Input::reader(first), Input::bytes(second.as_bytes())]).threads(threads);
        let scan = scan.progress(move |progress| _ = said.send(progress.bytes)).on_fault(OnFault::Skip);
        let outcome = scan.rejects(|reject| seen.push(reject.text().to_vec())).for_each(|_| ()).unwrap();
        assert_eq!((outcome.stats.rejected, seen.len()), (3001, 3001));
        assert_eq!(seen[0], b"no");
        assert!(seen[1..].iter().enumerate().all(|(n, text)| *text == bad(n).as_bytes()), "{threads} threads");
    }
}

/// Text that is there once so many bytes of other inputs were read.
struct Waiting {
    heard: mpsc::Receiver<u64>,
    until: u64,
    text: &'static [u8],
}

impl Read for Waiting {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        while self.until > 0 {
            if self.heard.recv().unwrap() >= self.until {
                self.until = 0;
            }
        }
        self.text.read(room)
    }
}

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("the disk is gone"))
    }
}

#[test]
fn fail_ends_with_the_first_fault_and_hears_of_no_rejects() {
    let input = "1\n".repeat(500) + "{\n" + &"x\n".repeat(500);
    for configuration in full() {
        let scan = configuration.bytes(input.as_bytes()).rejects(|_| panic!("a reject"));
        let Error::Fault(fault) = scan.for_each(|_| ()).unwrap_err() else { panic!("no fault") };
        assert_eq!((fault.place().line(), fault.place().offset()), (Some(501), 1001), "{configuration:?}");
    }
}

/// Where the records and rejects of a text lie; every byte of it that is in neither.
pub(crate) fn spans(configuration: Configuration, policy: OnFault, input: &[u8]) -> (Vec<(u64, u64)>, Vec<u8>) {
    let mut lost = Vec::new();
    let scan = configuration.bytes(input).on_fault(policy).rejects(|reject| {
        lost.extend(reject.lost().map(|span| (reject.offset() + span.start as u64, span.len() as u64)));
    });
    let outcome = scan.map(|record| (record.offset(), record.text().len() as u64)).unwrap();
    let mut all = outcome.value;
    all.extend(lost);
    all.sort_unstable();
    let mut between = Vec::new();
    let mut at = 0;
    for &(offset, length) in &all {
        assert!(offset >= at, "two spans share byte {offset}");
        between.write_all(&input[at as usize..offset as usize]).unwrap();
        at = offset + length;
    }
    between.write_all(&input[at as usize..]).unwrap();
    assert_eq!(outcome.stats.bytes, input.len() as u64);
    (all, between)
}

/// Lines, good and bad.
pub(crate) fn lines() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => Just(&b"{\"id\":1,\"name\":\"x\"}"[..]),
        1 => Just(&b"[1,2,{\"id\":[]}]"[..]),
        1 => Just(&b"{\"id\":1}{\"id\":2,\"a\":{\"id\":3}}"[..]),
        1 => Just(&b"{\"id\":1,\"url\":\"https://api.{\"id\":2}"[..]),
        1 => Just(&b"{\"id\":1}\0\0\0\0"[..]),
        1 => Just(&b"{\"id\":1,"[..]),
        1 => Just(&b"\"unclosed"[..]),
        1 => Just(&b"\"\xff\""[..]),
        1 => Just(&b" \t"[..]),
        1 => Just(&b""[..]),
    ];
    let end = prop_oneof![4 => Just(&b"\n"[..]), 1 => Just(&b"\r\n"[..])];
    (prop::collection::vec((line, end), 0..30), any::<bool>()).prop_map(|(lines, cut)| {
        let mut text: Vec<u8> = lines.into_iter().flat_map(|(line, end)| [line, end].concat()).collect();
        if cut {
            text.truncate(text.len().saturating_sub(2));
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn every_byte_is_in_a_record_a_separator_or_a_reject(input in lines(), mark in any::<bool>()) {
        let input = if mark { [b"\xef\xbb\xbf", &input[..]].concat() } else { input };
        for policy in [OnFault::Skip, OnFault::Salvage] {
            let mut first = None;
            for configuration in full() {
                let (spans, between) = spans(configuration, policy, &input);
                let separators = between.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&between);
                prop_assert!(separators.iter().all(|byte| b" \t\r\n".contains(byte)), "{:?} {:?}", configuration, between);
                let newlines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
                prop_assert_eq!(newlines(separators), newlines(&input));
                let first = first.get_or_insert_with(|| spans.clone());
                prop_assert_eq!(&*first, &spans, "{:?}", configuration);
            }
        }
    }
}

#[test]
fn without_a_policy_for_faults_visited_reading_still_adds_up() {
    let input = b"{\"id\":1}\n{\"id\":2}\n";
    for configuration in all() {
        let (spans, between) = spans(configuration, OnFault::Skip, input);
        assert_eq!((spans.len(), &between[..]), (2, &b"\n\n"[..]), "{configuration:?}");
    }
}
