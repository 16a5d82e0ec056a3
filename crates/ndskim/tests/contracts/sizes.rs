//! Inputs of unusual sizes: one line that is longer than any block, a million that are as short as can be, and none at all.
//!
//! The long line has 40 MB here; with `NDSKIM_BIG=1` in the environment it has 300 MB.

use ndskim::{Format, OnFault, Scan};

use super::support::{ENGINES, Text, WAYS};

/// How many bytes the long line has.
fn long() -> usize {
    if std::env::var_os("NDSKIM_BIG").is_some() { 300_000_000 } else { 40_000_000 }
}

/// A short line, a line of `length` bytes with a field at its end, a short line.
fn with_a_long_line(length: usize) -> Vec<u8> {
    let mut text = b"{\"n\":1}\n".to_vec();
    let start = text.len();
    text.extend_from_slice(b"{\"list\":[");
    while text.len() - start < length - 100 {
        text.extend_from_slice(b"{\"id\":12345,\"text\":\"some words \\n\"},");
    }
    text.extend_from_slice(b"0],\"text\":\"");
    text.resize(start + length - 8, b'x');
    text.extend_from_slice(b"\",\"n\":2}\n{\"n\":3}\n");
    text
}

fn number(record: ndskim::Record<'_>) -> u64 {
    record.get("n").unwrap().unwrap().as_u64().unwrap().unwrap()
}

#[test]
fn a_line_longer_than_any_block_is_one_record() {
    let text = Text::new(with_a_long_line(long()));
    for way in WAYS {
        // The trickle gives a few bytes at a time, which tells nothing more here.
        if matches!(way, super::support::Way::Trickle) {
            continue;
        }
        let outcome = text.scan(way).threads(2).map(|record| (number(record), record.text().len())).unwrap();
        assert_eq!(outcome.value, [(1, 7), (2, long()), (3, 7)], "{way:?}");
    }
    // The smallest blocks: the line costs no more than a look at each range that it covers.
    let outcome = text.scan(super::support::Way::Blocks).threads(2).block_size(4096).map(number).unwrap();
    assert_eq!((outcome.value, outcome.stats.bytes), (vec![1, 2, 3], text.bytes.len() as u64));
    let outcome = Scan::bytes(&text.bytes).engine(ndskim::Engine::SimdJson).threads(2).map(number).unwrap();
    assert_eq!(outcome.value, [1, 2, 3]);
}

#[test]
fn a_fault_at_the_end_of_a_long_line_has_its_place() {
    let mut bytes = with_a_long_line(long() / 4);
    let at = bytes.len() - 10;
    assert_eq!(bytes[at], b'}');
    bytes[at] = b']';
    let column = at as u64 - 8 + 1;
    let text = Text::new(bytes);
    for way in [super::support::Way::Blocks, super::support::Way::Bytes, super::support::Way::Reader] {
        let fault = super::support::fault(text.scan(way).threads(2).for_each(|_| ()), "long");
        let place = fault.place();
        assert_eq!((place.line(), place.column(), place.offset()), (Some(2), column, at as u64), "{way:?}");
        let outcome = text.scan(way).threads(2).on_fault(OnFault::Skip).map(number).unwrap();
        assert_eq!((outcome.value, outcome.stats.rejected), (vec![1, 3], 1), "{way:?}");
    }
}

#[test]
fn a_long_value_among_concatenated_ones() {
    let mut bytes = with_a_long_line(long() / 4);
    bytes.retain(|&byte| byte != b'\n');
    let outcome = Scan::bytes(&bytes).format(Format::Concatenated).threads(2).map(number).unwrap();
    assert_eq!(outcome.value, [1, 2, 3]);
}

#[test]
fn a_million_lines_of_nothing() {
    let text = Text::new(b"{}\n".repeat(1_000_000));
    for engine in ENGINES {
        for (threads, block) in [(1, 1 << 20), (2, 1000), (8, 1 << 16)] {
            let scan = Scan::new(text.path()).engine(engine).threads(threads).block_size(block);
            let outcome = scan.fold(|| 0_u64, |count, _| *count += 1, |a, b| a + b).unwrap();
            assert_eq!((outcome.value, outcome.stats.records, outcome.stats.bytes), (1_000_000, 1_000_000, 3_000_000));
        }
        let outcome = Scan::bytes(&text.bytes).engine(engine).threads(2).map(|record| record.offset()).unwrap();
        assert!(outcome.value.iter().copied().eq((0..1_000_000).map(|n| 3 * n)));
    }
    let mut last = text.bytes.clone();
    last.extend_from_slice(b"{");
    let fault = super::support::fault(Scan::bytes(&last).threads(2).for_each(|_| ()), "million");
    assert_eq!((fault.place().line(), fault.place().column()), (Some(1_000_001), 2));
}

#[test]
fn nothing_and_next_to_nothing() {
    let cases: [(&[u8], u64, u64); 9] = [
        (b"", 0, 0),
        (b"\n", 0, 1),
        (b"\r\n", 0, 1),
        (b" ", 0, 1),
        (b"\n\n \n\t\n", 0, 4),
        (b"1", 1, 0),
        (b"1\n", 1, 0),
        (b"\n1", 1, 1),
        (b"\xef\xbb\xbf", 0, 0),
    ];
    for (bytes, records, blank) in cases {
        let text = Text::new(bytes);
        text.each(|scan, name| {
            let stats = scan.for_each(|_| ()).expect(name).stats;
            let found = (stats.records, stats.blank, stats.bytes);
            assert_eq!(found, (records, blank, bytes.len() as u64), "{bytes:?}, {name}");
        });
    }
    assert_eq!(Scan::new(Vec::<ndskim::Input<'_>>::new()).map(|_| ()).unwrap().value, []);
}

#[test]
fn a_hundred_thousand_blank_lines() {
    let text = Text::new(b"\n \n\t\r\n\r\n".repeat(25_000));
    for engine in ENGINES {
        for block in [100, 1 << 20] {
            let stats =
                Scan::new(text.path()).engine(engine).threads(2).block_size(block).for_each(|_| ()).unwrap().stats;
            assert_eq!((stats.records, stats.blank, stats.bytes), (0, 100_000, 200_000));
        }
    }
}

#[test]
fn any_block_size_that_can_be_asked_for() {
    let text = Text::new(b"{\"n\":1}\n".repeat(5000));
    for size in [0, 1, 1 << 30, usize::MAX / 2, usize::MAX - 640, usize::MAX] {
        for way in [super::support::Way::Blocks, super::support::Way::Map, super::support::Way::Bytes] {
            let outcome = text.scan(way).block_size(size).for_each(|_| ()).unwrap();
            assert_eq!((outcome.stats.records, outcome.stats.bytes), (5000, 40_000), "blocks of {size}, {way:?}");
        }
    }
}
