//! Blocks: the ordered primitive beneath the ends of a scan.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use ndskim::{Block, Error, Fault, Format, Scan};

use super::support::{Script, THREADS, Text, broken, place, within};

fn lines(count: usize) -> Vec<u8> {
    (0..count)
        .map(|n| format!("{{\"n\":{n},\"pad\":\"{}\"}}\n", "x".repeat(n * 13 % 90)))
        .collect::<String>()
        .into_bytes()
}

/// A block as it goes through `map_blocks`: its offset and its bytes.
fn whole(block: &Block<'_>) -> (u64, Vec<u8>) {
    (block.offset(), block.bytes().to_vec())
}

#[test]
fn blocks_come_in_order_and_their_bytes_are_the_input() {
    let text = Text::new(lines(300));
    text.each(|scan, name| {
        let (mut bytes, mut newlines) = (Vec::new(), 0);
        let sink = |(offset, more): (u64, Vec<u8>), lines| {
            // A block without text may name any place up to where the next one begins.
            if !more.is_empty() {
                assert_eq!(offset, bytes.len() as u64, "{name}");
            }
            assert_eq!(lines, newlines, "{name}");
            newlines += more.iter().filter(|&&byte| byte == b'\n').count() as u64;
            bytes.extend(more);
        };
        let outcome = scan.map_blocks(whole, sink).expect(name);
        assert!(bytes == text.bytes, "{name}");
        assert_eq!(outcome.stats.bytes, text.bytes.len() as u64, "{name}");
    });
}

#[test]
fn pulled_blocks_are_the_input_too() {
    let text = Text::new(lines(300));
    text.each_on(1, |scan, name| {
        let (mut bytes, mut blocks) = (Vec::new(), scan.blocks());
        while let Some(block) = blocks.next().expect(name) {
            assert_eq!(block.input(), "text");
            if !block.bytes().is_empty() {
                assert_eq!(block.offset(), bytes.len() as u64, "{name}");
            }
            bytes.extend_from_slice(block.bytes());
        }
        assert!(bytes == text.bytes, "{name}");
        assert!(blocks.next().expect(name).is_none());
    });
}

#[test]
fn lines_count_anew_in_each_input() {
    let (a, b) = (Text::new(b"1\n2\n\n3\n".to_vec()), Text::new(b"{\n1\n2".to_vec()));
    for threads in THREADS {
        for block in [1, 3, 100] {
            let mut seen = Vec::new();
            let scan = Scan::new([a.path(), b.path(), a.path()]).threads(threads).block_size(block);
            let map = |block: &Block<'_>| {
                let faults = std::cell::RefCell::new(Vec::<Fault>::new());
                block.for_each(|_| (), |fault| faults.borrow_mut().push(fault));
                (block.input().to_owned(), block.bytes().len(), faults.into_inner())
            };
            let mut faults = Vec::new();
            scan.map_blocks(map, |(input, bytes, found), lines| {
                if bytes > 0 {
                    seen.push((input, lines));
                }
                faults.extend(found.into_iter().map(|fault| fault.after_lines(lines)));
            })
            .unwrap();
            let firsts: Vec<_> = seen.iter().enumerate().filter(|(n, row)| *n == 0 || seen[n - 1].0 != row.0).collect();
            assert_eq!(firsts.len(), 3);
            assert!(firsts.iter().all(|(_, (_, lines))| *lines == 0));
            assert_eq!(faults.len(), 1);
            assert_eq!((faults[0].place().line(), faults[0].place().column()), (Some(1), 2));
        }
    }
}

#[test]
fn faults_of_blocks_get_their_lines() {
    let mut bytes = lines(50);
    bytes.extend_from_slice(b"{\"a\":]\n \n\n");
    bytes.extend(lines(50));
    bytes.extend_from_slice(b"tru");
    let text = Text::new(bytes);
    let (first, last) = (lines(50).len() as u64 + 5, text.bytes.len() as u64);
    let expected = [
        ("text".to_owned(), Some(51), 6, first, "expected a value, found `]`".to_owned()),
        ("text".to_owned(), Some(104), 4, last, "expected the literal `true`, found the end of the record".to_owned()),
    ];
    text.each(|scan, name| {
        let mut faults = Vec::new();
        let map = |block: &Block<'_>| {
            let mut found = Vec::new();
            let stats = block.for_each(|_| (), |fault| found.push(fault));
            assert_eq!(stats.rejected, found.len() as u64, "{name}");
            found
        };
        let sink = |found: Vec<Fault>, lines| faults.extend(found.into_iter().map(|fault| fault.after_lines(lines)));
        let stats = scan.map_blocks(map, sink).expect(name).stats;
        assert_eq!(faults.iter().map(place).collect::<Vec<_>>(), expected, "{name}");
        assert_eq!((stats.records, stats.rejected, stats.blank), (100, 2, 2), "{name}");
    });
    text.each_on(1, |scan, name| {
        let (mut faults, mut blocks) = (Vec::new(), scan.blocks());
        while let Some(block) = blocks.next().expect(name) {
            block.for_each(|_| (), |fault| faults.push(fault));
        }
        assert_eq!(faults.iter().map(place).collect::<Vec<_>>(), expected, "{name}");
    });
}

#[test]
fn no_more_blocks_are_under_way_than_promised() {
    for threads in [1, 2, 8] {
        let most = within(60, move || {
            let text = lines(2000);
            let (begun, handed_on, most) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
            let map = |_: &Block<'_>| {
                let under_way = begun.fetch_add(1, Ordering::SeqCst) + 1 - handed_on.load(Ordering::SeqCst);
                most.fetch_max(under_way, Ordering::SeqCst);
            };
            let mut blocks = 0;
            // The sink is slow at first, so that all others come as far ahead as they may.
            let sink = |(), _| {
                if blocks < 5 {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                blocks += 1;
                handed_on.fetch_add(1, Ordering::SeqCst);
            };
            Scan::bytes(&text).threads(threads).block_size(100).map_blocks(map, sink).unwrap();
            assert_eq!(begun.into_inner(), blocks);
            assert!(blocks > 500);
            most.into_inner()
        });
        assert!(most <= 4 * threads, "{threads} threads: {most} blocks under way");
        assert!(threads == 1 || most > threads, "{threads} threads: only {most} blocks under way");
    }
}

#[test]
fn workers_that_were_held_back_come_back() {
    within(60, || {
        let text = lines(2000);
        let late = (text.len() / 2) as u64;
        let (at_once, changed) = (std::sync::Mutex::new(0), std::sync::Condvar::new());
        // Late blocks wait until two of them are worked on at once, which one worker alone never does.
        let map = |block: &Block<'_>| {
            if block.offset() > late {
                let mut count = at_once.lock().unwrap();
                *count += 1;
                changed.notify_all();
                drop(changed.wait_while(count, |count| *count < 2).unwrap());
            }
        };
        let mut blocks = 0;
        let sink = |(), _| {
            blocks += 1;
            if blocks < 5 {
                // All others come as far ahead as they may, and end.
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        };
        Scan::bytes(&text).threads(2).block_size(100).map_blocks(map, sink).unwrap();
    });
}

#[test]
fn a_block_that_is_slow_holds_the_others_back() {
    let most = within(60, || {
        let text = lines(2000);
        let done = AtomicUsize::new(0);
        let map = |block: &Block<'_>| {
            if block.offset() == 0 {
                // Until nothing moves any more: the first result is what all others wait for.
                let mut before = usize::MAX;
                while before != done.load(Ordering::SeqCst) {
                    before = done.load(Ordering::SeqCst);
                    std::thread::sleep(std::time::Duration::from_millis(50));
                }
                return before;
            }
            done.fetch_add(1, Ordering::SeqCst)
        };
        let mut first = None;
        let sink = |value: usize, _| {
            first.get_or_insert(value);
        };
        Scan::bytes(&text).threads(4).block_size(100).map_blocks(map, sink).unwrap();
        first.unwrap()
    });
    assert!(most < 16, "{most} blocks went ahead");
}

#[test]
fn a_sink_that_breaks_is_handed_nothing_more() {
    let text = Text::new(lines(300));
    text.each(|scan, name| {
        let mut handed_on = Vec::new();
        let sink = |(offset, _): (u64, Vec<u8>), _| {
            handed_on.push(offset);
            if handed_on.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let outcome = scan.map_blocks(whole, sink).expect(name);
        assert!(handed_on.is_sorted() && handed_on.len() <= 3, "{name}");
        assert_eq!(outcome.stats.stopped, handed_on.len() == 3, "{name}");
    });
}

#[test]
fn panics_of_both_closures_reach_the_caller() {
    for threads in THREADS {
        for in_sink in [false, true] {
            let caught = within(60, move || {
                let text = lines(500);
                let scan = Scan::bytes(&text).threads(threads).block_size(100);
                let panics = |here: bool, offset: u64| {
                    if here && offset > 5000 {
                        std::panic::panic_any(77_u8);
                    }
                };
                let map = |block: &Block<'_>| {
                    panics(!in_sink, block.offset());
                    block.offset()
                };
                catch_unwind(AssertUnwindSafe(|| scan.map_blocks(map, |offset, _| panics(in_sink, offset))))
                    .unwrap_err()
            });
            assert_eq!(caught.downcast_ref(), Some(&77_u8), "{threads} threads");
        }
    }
}

#[test]
fn blocks_before_a_failed_read_are_handed_on() {
    let mut text = lines(300);
    let whole_lines = text.len();
    text.extend_from_slice(b"{\"n\":");
    for threads in THREADS {
        for block in [64, 1000, 1 << 20] {
            let steps = || text.chunks(90).map(|chunk| Ok(chunk.to_vec())).chain([Err(broken())]);
            let mut bytes = Vec::new();
            let scan = Scan::reader(Script::new(steps())).threads(threads).block_size(block);
            let ended = scan.map_blocks(whole, |(_, more), _| bytes.extend(more));
            assert!(matches!(ended, Err(Error::Read { offset: Some(at), .. }) if at == text.len() as u64));
            assert!(bytes == text[..whole_lines], "{threads} threads, blocks of {block}");
        }
    }
}

#[test]
fn a_pulled_scan_ends_with_its_first_error() {
    // A good file behind a missing one, and a file that shrinks.
    let text = Text::new(lines(300));
    let mut blocks = Scan::new(["/no/such/file".as_ref(), text.path()]).blocks();
    assert!(matches!(blocks.next(), Err(Error::Read { action: "open", .. })));
    assert!(blocks.next().unwrap().is_none());

    let mut blocks = Scan::new([text.path(), text.path()]).block_size(100).blocks();
    let (mut bytes, mut error) = (blocks.next().unwrap().unwrap().bytes().len(), None);
    std::fs::OpenOptions::new().write(true).open(text.path()).unwrap().set_len(5000).unwrap();
    while error.is_none() {
        match blocks.next() {
            Ok(block) => bytes += block.expect("an error comes first").bytes().len(),
            Err(found) => error = Some(found),
        }
    }
    let last_line = text.bytes[..5000].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    assert_eq!(bytes, last_line);
    assert!(matches!(error, Some(Error::Read { action: "read", offset: Some(5000), .. })));
    assert!(blocks.next().unwrap().is_none());
}

#[test]
fn a_block_can_be_gone_through_again() {
    let text = lines(100);
    let sums = std::sync::Mutex::new(0);
    let map = |block: &Block<'_>| {
        let count = || block.for_each(|_| (), |_| ()).records;
        // Once inside another: the engine's scratch must not be shared.
        let inner = std::cell::Cell::new(0);
        let outer = block.for_each(
            |record| {
                let before = record.get("n").unwrap().unwrap().as_u64();
                inner.set(count());
                assert_eq!(record.get("n").unwrap().unwrap().as_u64(), before);
            },
            |_| (),
        );
        assert!(outer.records == count() && (outer.records == 0 || inner.get() == outer.records));
        *sums.lock().unwrap() += outer.records;
    };
    for engine in super::support::ENGINES {
        let outcome = Scan::bytes(&text).threads(2).engine(engine).block_size(500).map_blocks(map, |(), _| ()).unwrap();
        assert_eq!(outcome.stats.records, 100);
    }
    assert_eq!(sums.into_inner().unwrap(), 300);
}

#[test]
fn concatenated_values_make_blocks_of_whole_values() {
    let text = Text::new(b"{\"a\":\n[1,\n2]}\n\n {\"b\":\"}\"}{}[]\"x\" 12\n".repeat(50));
    for threads in THREADS {
        for size in [1, 7, 64, 1 << 20] {
            let (mut bytes, mut records) = (Vec::new(), 0);
            let scan = Scan::new(text.path()).format(Format::Concatenated).threads(threads).block_size(size);
            let map = |block: &Block<'_>| {
                let stats = block.for_each(|_| (), |_| ());
                assert_eq!(stats.rejected, 0);
                (stats.records, block.bytes().to_vec())
            };
            scan.map_blocks(map, |(count, more): (u64, Vec<u8>), _| {
                records += count;
                bytes.extend(more);
            })
            .unwrap();
            assert!(bytes == text.bytes);
            assert_eq!(records, 300);
        }
    }
}
