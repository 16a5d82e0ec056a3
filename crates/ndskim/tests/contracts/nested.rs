//! Closures that use the pool they run on: rayon inside, scans inside scans, on the global pool and on pools of their own.
//!
//! Every test runs under a watchdog, since what would go wrong first is that it never ends.

use ndskim::{Projection, Record, Scan, map_many};
use rayon::prelude::*;

use super::support::{Script, Text, within};

const POOLS: [usize; 3] = [1, 2, 8];

fn lines(count: u64) -> Vec<u8> {
    (0..count)
        .map(|n| format!("{{\"n\":{n},\"list\":[1,2,{n}],\"text\":\"a\\u0062c{n}\"}}\n"))
        .collect::<String>()
        .into_bytes()
}

fn number(record: Record<'_>) -> u64 {
    record.get("n").unwrap().unwrap().as_u64().unwrap().unwrap()
}

/// Runs a test on pools of 1, 2 and 8 threads, and on the global pool.
fn on_pools(test: impl Fn() + Send + Sync + Clone + 'static) {
    for threads in POOLS {
        let test = test.clone();
        within(120, move || {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(test);
        });
    }
    within(120, test);
}

#[test]
fn a_closure_may_use_rayon() {
    on_pools(|| {
        let text = lines(300);
        let closure = |record: Record<'_>| {
            // Work enough for other threads to steal, and for this one to take up another task of the scan meanwhile.
            let sum: u64 = (0..50_u32).into_par_iter().with_max_len(1).map(|n| u64::from(n) + number(record)).sum();
            let (list, text) = rayon::join(
                || record.get("list").unwrap().unwrap().index(2).unwrap().unwrap().as_u64().unwrap().unwrap(),
                || record.get("text").unwrap().unwrap().as_str().unwrap().unwrap().into_owned(),
            );
            (number(record), sum, list, text)
        };
        let expected: Vec<_> = (0..300).map(|n| (n, 50 * n + 1225, n, format!("abc{n}"))).collect();
        let projection = Projection::new(["/n"]).unwrap();
        for engine in super::support::ENGINES {
            let scan = || Scan::bytes(&text).block_size(500).engine(engine).project(projection.clone());
            assert_eq!(scan().map(closure).unwrap().value, expected);
            for threads in POOLS {
                assert_eq!(scan().threads(threads).map(closure).unwrap().value, expected);
            }
        }
    });
}

#[test]
fn a_closure_may_call_map_many() {
    on_pools(|| {
        let inner = Text::new(lines(40));
        let expected: Vec<u64> = (0..40).collect();
        let text = lines(60);
        let check = |record: Record<'_>| {
            let field = record.field(0).unwrap().as_u64().unwrap().unwrap();
            assert_eq!(map_many(inner.path(), number).unwrap(), expected);
            assert_eq!(Scan::new(inner.path()).block_size(64).map(number).unwrap().value, expected);
            // The record and its fields are still what they were.
            assert_eq!(record.field(0).unwrap().as_u64().unwrap(), Some(field));
            assert_eq!(number(record), field);
            field
        };
        for engine in super::support::ENGINES {
            let scan = || {
                let projection = Projection::new(["/n"]).unwrap();
                Scan::bytes(&text).block_size(200).engine(engine).project(projection)
            };
            assert_eq!(scan().map(check).unwrap().value, (0..60).collect::<Vec<_>>());
            assert_eq!(scan().threads(2).map(check).unwrap().value, (0..60).collect::<Vec<_>>());
        }
    });
}

#[test]
fn a_closure_may_scan_on_a_pool_of_its_own() {
    on_pools(|| {
        let inner = lines(30);
        let text = lines(20);
        let closure = |record: Record<'_>| {
            let sum =
                Scan::bytes(&inner).threads(2).block_size(64).fold(|| 0, |sum, r| *sum += number(r), |a, b| a + b);
            (number(record), sum.unwrap().value)
        };
        let expected: Vec<_> = (0..20).map(|n| (n, 435)).collect();
        assert_eq!(Scan::bytes(&text).block_size(200).map(closure).unwrap().value, expected);
        assert_eq!(Scan::bytes(&text).block_size(200).threads(8).map(closure).unwrap().value, expected);
    });
}

#[test]
fn a_closure_may_call_map_blocks() {
    on_pools(|| {
        let (inner, text) = (lines(30), lines(40));
        let closure = |record: Record<'_>| {
            let mut numbers = Vec::new();
            let scan = Scan::bytes(&inner).block_size(64);
            let end = scan.map_blocks(block_numbers, |more: Vec<u64>, _| numbers.extend(more));
            end.unwrap();
            assert_eq!(numbers, (0..30).collect::<Vec<_>>());
            number(record)
        };
        let expected: Vec<u64> = (0..40).collect();
        assert_eq!(Scan::bytes(&text).block_size(200).map(closure).unwrap().value, expected);
        assert_eq!(Scan::bytes(&text).block_size(200).threads(2).map(closure).unwrap().value, expected);
    });
}

fn block_numbers(block: &ndskim::Block<'_>) -> Vec<u64> {
    let mut numbers = Vec::new();
    block.for_each(|record| numbers.push(number(record)), |fault| -> () { panic!("{fault}") });
    numbers
}

#[test]
fn both_closures_of_map_blocks_may_use_the_pool() {
    on_pools(|| {
        let (inner, text) = (Text::new(lines(20)), lines(200));
        for threads in [None, Some(1), Some(2), Some(8)] {
            let scan = Scan::bytes(&text).block_size(150);
            let scan = threads.into_iter().fold(scan, Scan::threads);
            let mut numbers = Vec::new();
            let map = |block: &ndskim::Block<'_>| {
                let more: u32 = (0..20_u32).into_par_iter().with_max_len(1).sum();
                assert_eq!((more, map_many(inner.path(), number).unwrap().len()), (190, 20));
                block_numbers(block)
            };
            let sink = |more: Vec<u64>, _| {
                assert_eq!((0..20_u32).into_par_iter().with_max_len(1).sum::<u32>(), 190);
                assert_eq!(map_many(inner.path(), number).unwrap().len(), 20);
                numbers.extend(more);
            };
            scan.map_blocks(map, sink).unwrap();
            assert_eq!(numbers, (0..200).collect::<Vec<_>>());
        }
    });
}

#[test]
fn many_inputs_with_streams_among_them_and_rayon_inside() {
    on_pools(|| {
        let text = Text::new(lines(50));
        let inputs = (0..30).map(|n| match n % 3 {
            0 => ndskim::Input::path(text.path()),
            1 => ndskim::Input::bytes(&text.bytes),
            _ => ndskim::Input::reader(Script::new(text.bytes.chunks(13).map(|chunk| Ok(chunk.to_vec())))),
        });
        let closure =
            |record: Record<'_>| (0..10_u32).into_par_iter().with_max_len(1).map(|_| number(record)).max().unwrap();
        let outcome = Scan::new(inputs.collect::<Vec<_>>()).block_size(300).map(closure).unwrap();
        assert_eq!(outcome.value, (0..30).flat_map(|_| 0..50).collect::<Vec<u64>>());
    });
}

#[test]
fn a_panic_in_a_scan_inside_a_scan_reaches_the_outside() {
    for threads in POOLS {
        let caught = std::panic::catch_unwind(|| {
            within(60, move || {
                let (inner, text) = (lines(30), lines(30));
                let closure = |record: Record<'_>| {
                    let outer = number(record);
                    Scan::bytes(&inner).block_size(64).for_each(|record| {
                        if outer == 20 && number(record) == 10 {
                            std::panic::panic_any("twenty and ten");
                        }
                    })
                };
                Scan::bytes(&text).threads(threads).block_size(100).map(closure).map(drop)
            })
        });
        assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"twenty and ten"), "{threads} threads");
    }
}
