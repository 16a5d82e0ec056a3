//! `Scan::limit`: the first records in input order, for any number of threads and any size of block.

use ndskim::{Input, OnFault, Scan};

fn numbers(from: u64, to: u64) -> Vec<u8> {
    (from..to).flat_map(|n| format!("{{\"n\":{n}}}\n").into_bytes()).collect()
}

#[test]
fn the_first_records_are_the_same_for_any_threads_and_blocks() {
    let (a, b) = (numbers(0, 60), numbers(60, 1000));
    for threads in [1, 2, 8, 64] {
        for block_size in [1, 7, 64, 1 << 20] {
            for limit in [0, 1, 59, 60, 61, 500, 1000, 2000] {
                let scan = Scan::new([Input::bytes(&a), Input::bytes(&b)]).threads(threads).block_size(block_size);
                let outcome =
                    scan.limit(limit).map(|r| r.get("n").unwrap().unwrap().as_u64().unwrap().unwrap()).unwrap();
                let expected: Vec<u64> = (0..1000.min(limit)).collect();
                assert_eq!(outcome.value, expected, "{threads} threads, blocks of {block_size}");
                assert_eq!(outcome.stats.records, 1000.min(limit));
                assert_eq!(outcome.stats.stopped, limit <= 1000);
            }
        }
    }
}

#[test]
fn the_bytes_end_with_the_last_record() {
    let outcome = Scan::bytes(b"[1]\n\n[2]\n[3]\n").limit(2).for_each(|_| ()).unwrap();
    assert_eq!((outcome.stats.bytes, outcome.stats.blank), (8, 1));
}

#[test]
fn what_stands_behind_the_last_record_is_not_looked_at() {
    let text = b"1\n2\n{broken\n3\n";
    assert_eq!(Scan::bytes(text).limit(2).for_each(|_| ()).unwrap().stats.records, 2);
    assert!(Scan::bytes(text).limit(3).for_each(|_| ()).is_err());
    let skipped = Scan::bytes(text).limit(3).on_fault(OnFault::Skip).for_each(|_| ()).unwrap();
    assert_eq!((skipped.stats.records, skipped.stats.rejected), (3, 1));
}

#[test]
fn a_limit_holds_for_every_end_and_behind_a_filter() {
    use ndskim::{Filter, Pointer};
    let text = numbers(0, 100);
    assert_eq!(Scan::bytes(&text).limit(7).validate().unwrap().stats.records, 7);
    let sum = Scan::bytes(&text).limit(7).fold(|| 0, |count, _| *count += 1, |a, b| a + b).unwrap();
    assert_eq!(sum.value, 7);
    let five = Filter::eq(Pointer::parse("/n").unwrap(), 5).or(Filter::eq(Pointer::parse("/n").unwrap(), 50));
    let outcome = Scan::bytes(&text).filter(five).limit(1).block_size(64).for_each(|_| ()).unwrap();
    assert_eq!((outcome.stats.matched, outcome.stats.records), (1, 6));
}
