//! Results in input order, panics and errors that reach the caller.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ndskim::{Error, Input, Scan, map_many};

use super::support::{Text, within};

/// Lines `{"n":0}`, `{"n":1}` and so on, of different lengths.
fn numbered(count: u64) -> Vec<u8> {
    let line = |n: u64| format!("{{\"n\":{n},\"pad\":\"{}\"}}\n", "x".repeat((n * 7 % 50) as usize));
    (0..count).map(line).collect::<String>().into_bytes()
}

fn number(record: ndskim::Record<'_>) -> u64 {
    record.get("n").unwrap().unwrap().as_u64().unwrap().unwrap()
}

#[test]
fn results_come_in_input_order_whatever_the_setting() {
    let text = Text::new(numbered(500));
    let expected: Vec<u64> = (0..500).collect();
    text.each(|scan, name| assert_eq!(scan.map(number).unwrap().value, expected, "{name}"));
}

#[test]
fn map_many_reads_many_inputs_in_their_order() {
    let texts: Vec<_> = (0..40).map(|_| Text::new(numbered(50))).collect();
    let expected: Vec<u64> = (0..40).flat_map(|_| 0..50).collect();
    for threads in [1, 2, 64] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let paths: Vec<_> = texts.iter().map(|text| text.path().to_owned()).collect();
        assert_eq!(pool.install(|| map_many(paths, number)).unwrap(), expected, "{threads} threads");
        let inputs: Vec<_> = texts.iter().map(|text| Input::reader(&text.bytes[..])).collect();
        assert_eq!(Scan::new(inputs).threads(threads).block_size(100).map(number).unwrap().value, expected);
    }
}

#[test]
fn a_panic_of_the_closure_reaches_the_caller_as_it_is() {
    #[derive(Debug, PartialEq)]
    struct Mine(u64);
    for threads in [1, 2, 64] {
        for own_pool in [false, true] {
            let caught = within(60, move || {
                let text = numbered(2000);
                let scan = Scan::bytes(&text).block_size(1000);
                let scan = if own_pool { scan.threads(threads) } else { scan };
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let closure = |record: ndskim::Record<'_>| match number(record) {
                    1234 => std::panic::panic_any(Mine(1234)),
                    n => n,
                };
                catch_unwind(AssertUnwindSafe(|| pool.install(|| scan.map(closure).map(drop)))).unwrap_err()
            });
            assert_eq!(caught.downcast_ref::<Mine>(), Some(&Mine(1234)), "{threads} threads");
        }
    }
}

#[test]
fn after_a_panic_no_new_blocks_are_worked_on() {
    use std::sync::atomic::{AtomicU64, Ordering};
    let text = numbered(20_000);
    let seen = AtomicU64::new(0);
    let scan = Scan::bytes(&text).threads(2).block_size(256);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        scan.for_each(|record| {
            seen.fetch_add(1, Ordering::Relaxed);
            // The other worker goes on with its block until it hears of the panic.
            assert!(number(record) != 0, "the first record");
            std::thread::sleep(std::time::Duration::from_micros(100));
        })
    }));
    assert!(ended.is_err());
    assert!(seen.into_inner() < 10_000);
}

#[test]
fn the_first_error_of_try_map_counts() {
    #[derive(Debug, thiserror::Error, PartialEq)]
    #[error("record {0} is not wanted")]
    struct Unwanted(u64);
    let bytes = numbered(500);
    let offset = bytes.windows(9).position(|window| window == b"{\"n\":137,").unwrap() as u64;
    let text = Text::new(bytes);
    text.each(|scan, name| {
        let unwanted = |n| n % 100 == 37 && n > 100;
        let ended = scan.try_map(|record| match number(record) {
            n if unwanted(n) => Err(Unwanted(n)),
            n => Ok(n),
        });
        match ended {
            Err(Error::Closure { place, source }) => {
                assert_eq!(source.downcast_ref(), Some(&Unwanted(137)), "{name}");
                assert_eq!((place.line(), place.column(), place.offset()), (Some(138), 1, offset), "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
    });
}

#[test]
fn the_first_error_of_try_fold_and_try_for_each_counts() {
    let text = Text::new(numbered(500));
    let closure = |n: u64| if n >= 300 { Err(format!("{n}")) } else { Ok(()) };
    text.each(|scan, name| {
        let error = scan.try_for_each(|record| closure(number(record))).unwrap_err();
        assert!(error.to_string().starts_with("text:301:1 (byte "), "{name}: {error}");
        assert!(error.to_string().ends_with("): 300"), "{name}: {error}");
    });
    text.each_on(2, |scan, name| {
        let error = scan.try_fold(|| (), |(), record| closure(number(record)), |(), ()| ()).unwrap_err();
        assert!(error.to_string().ends_with("): 300"), "{name}: {error}");
    });
}

#[test]
fn a_fold_takes_every_record_once() {
    let text = Text::new(numbered(500));
    text.each(|scan, name| {
        let sum = scan.fold(
            || (0, 0),
            |sum, record| {
                sum.0 += 1;
                sum.1 += number(record)
            },
            |a, b| (a.0 + b.0, a.1 + b.1),
        );
        let outcome = sum.unwrap();
        assert_eq!(outcome.value, (500, 499 * 500 / 2), "{name}");
        assert_eq!((outcome.stats.records, outcome.stats.bytes), (500, text.bytes.len() as u64), "{name}");
    });
}
