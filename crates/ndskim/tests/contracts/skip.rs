//! `OnFault::Skip`: what is left out is counted, and the first faults are kept.

use ndskim::{Error, OnFault, Scan, Validation, ValueError};

use super::support::{Text, fault, place};

/// Of a hundred lines those with a number divisible by 10 are broken; two are blank.
fn damaged() -> Vec<u8> {
    let line = |n: usize| match n {
        n if n % 10 == 0 => format!("{{\"n\":{n},\"broken\":}}\n"),
        33 => "\n".to_owned(),
        66 => " \t\r\n".to_owned(),
        n => format!("{{\"n\":{n}}}\n"),
    };
    (1..=100).map(line).collect::<String>().into_bytes()
}

fn number(record: ndskim::Record<'_>) -> u64 {
    record.get("n").unwrap().unwrap().as_u64().unwrap().unwrap()
}

fn good() -> Vec<u64> {
    (1..=100).filter(|n| n % 10 != 0 && *n != 33 && *n != 66).collect()
}

#[test]
fn what_is_skipped_is_counted_and_the_rest_is_read() {
    let text = Text::new(damaged());
    text.each(|scan, name| {
        let outcome = scan.on_fault(OnFault::Skip).map(number).expect(name);
        assert_eq!(outcome.value, good(), "{name}");
        let stats = outcome.stats;
        assert_eq!((stats.records, stats.rejected, stats.blank), (88, 10, 2), "{name}");
        assert_eq!((stats.bytes, stats.stopped), (text.bytes.len() as u64, false), "{name}");
    });
}

#[test]
fn the_first_faults_are_kept_in_order() {
    let text = Text::new(damaged());
    for keep in [0, 1, 3, 10, 1000] {
        let lines: Vec<_> = (1..=10.min(keep)).map(|n| Some(10 * n as u64)).collect();
        text.each_on(8, |scan, name| {
            let outcome = scan.on_fault(OnFault::Skip).keep_faults(keep).for_each(|_| ()).expect(name);
            assert_eq!(outcome.stats.rejected, 10, "{name}");
            let found: Vec<_> = outcome.faults.iter().map(|fault| fault.place().line()).collect();
            assert_eq!(found, lines, "{name}");
            for fault in &outcome.faults {
                let (_, line, column, offset, reason) = place(fault);
                let start =
                    text.bytes.split_inclusive(|&b| b == b'\n').take(line.unwrap() as usize - 1).map(<[u8]>::len);
                assert_eq!(offset, start.sum::<usize>() as u64 + column - 1, "{name}");
                assert_eq!(reason, "expected a value, found `}`", "{name}");
            }
        });
    }
}

#[test]
fn ten_faults_are_kept_if_nothing_is_said() {
    let text = b"]\n".repeat(25);
    let outcome = Scan::bytes(&text).on_fault(OnFault::Skip).for_each(|_| ()).unwrap();
    assert_eq!((outcome.stats.rejected, outcome.faults.len()), (25, 10));
}

#[test]
fn every_end_of_a_scan_skips() {
    let text = Text::new(damaged());
    text.each_on(2, |scan, name| {
        let seen = std::sync::Mutex::new(Vec::new());
        let outcome = scan.on_fault(OnFault::Skip).for_each(|record| seen.lock().unwrap().push(number(record)));
        assert_eq!(outcome.expect(name).stats.rejected, 10, "{name}");
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, good(), "{name}");
    });
    text.each_on(2, |scan, name| {
        let scan = scan.on_fault(OnFault::Skip);
        let sum = scan.fold(|| 0, |sum, record| *sum += number(record), |a, b| a + b).expect(name);
        assert_eq!((sum.value, sum.stats.rejected), (good().iter().sum(), 10), "{name}");
    });
    text.each_on(2, |scan, name| {
        let outcome = scan.on_fault(OnFault::Skip).try_map(|record| Ok::<_, ValueError>(number(record))).expect(name);
        assert_eq!((outcome.value, outcome.stats.rejected), (good(), 10), "{name}");
    });
    text.each_on(2, |scan, name| {
        let outcome = scan.on_fault(OnFault::Skip).count_by(ndskim::Pointer::parse("/n").unwrap()).expect(name);
        assert_eq!((outcome.value.total(), outcome.value.len(), outcome.stats.rejected), (88, 88, 10), "{name}");
    });
}

/// Valid as far as the key `n`; what is wrong with `late` is only met by who asks for it.
fn broken_late() -> Vec<u8> {
    let late = |n: usize| match n % 4 {
        0 => "\"\\q\"",
        1 => "[1,2",
        _ => "true",
    };
    (0..100).map(|n| format!("{{\"n\":{n},\"late\":{}}}\n", late(n))).collect::<String>().into_bytes()
}

/// What a closure makes of a record when it looks at all of it: whether `late` is what it should be.
fn look(record: ndskim::Record<'_>) -> Result<u64, ValueError> {
    let late = record.get("late")?.unwrap();
    late.raw()?;
    late.as_str()?;
    Ok(number(record))
}

#[test]
fn a_malformed_value_leaves_its_record_out() {
    let text = Text::new(broken_late());
    let expected: Vec<u64> = (0..100).filter(|n| n % 4 > 1).collect();
    let visited = |scan: Scan<'_>, name: &str, check: &dyn Fn(Scan<'_>) -> ndskim::Outcome<Vec<u64>>| {
        let outcome = check(scan.validation(Validation::Visited).on_fault(OnFault::Skip));
        assert_eq!(outcome.value, expected, "{name}");
        assert_eq!((outcome.stats.records, outcome.stats.rejected), (50, 50), "{name}");
        let lines: Vec<_> = outcome.faults.iter().map(|fault| fault.place().line().unwrap()).collect();
        assert_eq!(lines, [1, 2, 5, 6, 9, 10, 13, 14, 17, 18], "{name}");
    };
    // The closure may fail, or make something of it all the same: it counts for nothing.
    text.each_on(2, |scan, name| visited(scan, name, &|scan| scan.try_map(look).expect(name)));
    text.each_on(8, |scan, name| {
        visited(scan, name, &|scan| scan.map(|record| look(record).unwrap_or(7)).expect(name))
    });
    text.each_on(8, |scan, name| {
        visited(scan, name, &|scan| {
            let seen = std::sync::Mutex::new(Vec::new());
            let outcome = scan.try_for_each(|record| {
                let n = look(record)?;
                seen.lock().unwrap().push(n);
                Ok::<_, ValueError>(())
            });
            let outcome = outcome.expect(name);
            let mut value = seen.into_inner().unwrap();
            value.sort_unstable();
            let (stats, faults) = (outcome.stats, outcome.faults);
            let mut outcome = Scan::bytes(b"").map(|_| 0).unwrap();
            (outcome.value, outcome.stats, outcome.faults) = (value, stats, faults);
            outcome
        })
    });
}

#[test]
fn a_malformed_value_that_nobody_asks_for_is_not_met() {
    let text = Text::new(broken_late());
    // simd-json always validates in full.
    for engine in [ndskim::Engine::Auto, ndskim::Engine::Exact] {
        let scan = Scan::bytes(&text.bytes).engine(engine).validation(Validation::Visited);
        assert_eq!(scan.map(number).unwrap().value, (0..100).collect::<Vec<_>>());
    }
}

#[test]
fn a_break_said_of_a_malformed_record_counts_for_nothing() {
    use std::ops::ControlFlow;
    let text = broken_late();
    let scan = Scan::bytes(&text).threads(1).validation(Validation::Visited).on_fault(OnFault::Skip);
    let outcome = scan.for_each(|record| match look(record) {
        Ok(_) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    });
    let stats = outcome.unwrap().stats;
    assert_eq!((stats.records, stats.rejected, stats.stopped), (50, 50, false));
}

#[test]
fn a_malformed_value_met_in_a_fold_ends_the_scan_under_every_policy() {
    // Only an engine that does not validate everything first can meet one in a fold.
    for engine in [ndskim::Engine::Auto, ndskim::Engine::Exact] {
        for threads in super::support::THREADS {
            for block in super::support::BLOCKS {
                for policy in [OnFault::Fail, OnFault::Skip] {
                    let text = broken_late();
                    let scan = Scan::bytes(&text).engine(engine).threads(threads).block_size(block);
                    let scan = scan.validation(Validation::Visited).on_fault(policy);
                    let ended =
                        scan.fold(|| 0, |count, record| *count += u64::from(look(record).is_ok()), |a, b| a + b);
                    let fault = fault(ended, "fold");
                    assert_eq!((fault.place().line(), fault.place().column()), (Some(1), 17));
                }
            }
        }
    }
}

#[test]
fn a_projected_field_is_checked_before_the_closure_is_called() {
    // So a fold over fields skips a record whose field is malformed: nothing was accumulated. An array that nobody enters is
    // not read to its end.
    let text = Text::new(broken_late());
    text.each_on(2, |scan, name| {
        let scan = scan.validation(Validation::Visited).on_fault(OnFault::Skip);
        let scan = scan.project(ndskim::Projection::new(["/late"]).unwrap());
        let outcome = scan.fold(
            || 0,
            |count, record| *count += u64::from(record.field(0).unwrap().as_bool().unwrap() == Some(true)),
            |a, b| a + b,
        );
        let outcome = outcome.expect(name);
        // simd-json's engine validates all of every record.
        let rejected = if name.contains("SimdJson") { 50 } else { 25 };
        let found = (outcome.value, outcome.stats.records, outcome.stats.rejected);
        assert_eq!(found, (50, 100 - rejected, rejected), "{name}");
    });
}

#[test]
fn an_error_of_the_closure_is_not_skipped() {
    let text = Text::new(damaged());
    text.each_on(2, |scan, name| {
        let closure = |record: ndskim::Record<'_>| if number(record) == 45 { Err("not this one") } else { Ok(()) };
        match scan.on_fault(OnFault::Skip).try_for_each(closure) {
            Err(Error::Closure { place, .. }) => assert_eq!(place.line(), Some(45), "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    });
}

#[test]
fn what_cannot_be_represented_is_the_closures_own_business() {
    let text = Text::new(b"{\"n\":1e400}\n{\"n\":\"\\ud800\"}\n{\"n\":18446744073709551616}\n".to_vec());
    for validation in [Validation::Full, Validation::Visited] {
        text.each_on(2, |scan, name| {
            let outcome = scan.validation(validation).map(|record| {
                let n = record.get("n").unwrap().unwrap();
                (n.as_f64().is_err(), n.as_str().is_err(), n.as_u64().is_err())
            });
            let outcome = outcome.expect(name);
            assert_eq!(outcome.value, [(true, false, true), (false, true, false), (false, false, true)], "{name}");
            assert_eq!(outcome.stats.rejected, 0, "{name}");
        });
    }
}
