//! On the counting path nothing is allocated per record: a scan of many records allocates no more often than one of few.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use ndskim::{Comparison, CountTable, Filter, Literal, Pointer, Projection, Record, Scan, Validation, ValueError};

/// The system's allocator, counting.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: all calls are handed on as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller says.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller says.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller says.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Lines with few different values, of which some have escapes, floats and containers.
fn lines(count: usize) -> Vec<u8> {
    let kinds = ["\"push\"", "\"p\\u0075ll\"", "1.50", "2", "null", "[1, 2]", "true"];
    let line = |n: usize| {
        let (kind, pad) = (kinds[n % 7], "x".repeat(n % 90));
        format!(
            "{{\"id\":{},\"pad\":\"{pad}\\n\",\"type\":{kind},\"payload\":{{\"n\":{}.25,\"action\":\"opened\"}}}}\n",
            n % 5,
            n % 3
        )
    };
    (0..count).flat_map(|n| line(n).into_bytes()).collect()
}

fn pointer(text: &str) -> Pointer {
    Pointer::parse(text).unwrap()
}

/// What is done with a scan.
type End = fn(Scan<'_>);

/// How often a scan of so many lines allocates, on one thread and in one block.
fn allocations(count: usize, validation: Validation, run: End) -> u64 {
    let text = lines(count);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut least = u64::MAX;
    for _ in 0..3 {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        pool.install(|| run(Scan::bytes(&text).validation(validation).block_size(1 << 30)));
        least = least.min(ALLOCATIONS.load(Ordering::Relaxed) - before);
    }
    least
}

#[test]
fn allocations_do_not_grow_with_the_number_of_records() {
    let ends: [(&str, End); 5] = [
        ("empty closure", |scan| drop(scan.for_each(|_| ()).unwrap())),
        ("count_by", |scan| assert_eq!(scan.count_by(pointer("/type")).unwrap().value.len(), 7)),
        ("projection", |scan| {
            let projection = Projection::new(["/type", "/payload/n", "/payload/action", "/absent/0"]).unwrap();
            let add = |counts: &mut CountTable, record: Record<'_>| -> Result<(), ValueError> {
                record.fields().iter().try_for_each(|field| counts.add(*field))
            };
            assert_eq!(
                scan.project(projection).try_fold(CountTable::new, add, CountTable::merged).unwrap().value.len(),
                12
            );
        }),
        ("filter", |scan| {
            let number = Filter::compare(pointer("/payload/n"), Comparison::Greater, Literal::number("0.5").unwrap());
            let filter = number.and(!Filter::eq(pointer("/type"), "pull")).or(Filter::exists(pointer("/absent")));
            assert!(scan.filter(filter).count_by(pointer("/type")).unwrap().stats.matched > 0);
        }),
        ("lazy", |scan| {
            let add = |counts: &mut CountTable, record: Record<'_>| {
                let Some(payload) = record.get("payload")? else { return Ok(()) };
                if payload.get("action")?.map_or(Ok(false), |action| action.is_str("opened"))? {
                    counts.add(payload.get("n")?)?;
                }
                Ok::<_, ValueError>(())
            };
            assert_eq!(scan.try_fold(CountTable::new, add, CountTable::merged).unwrap().value.len(), 3);
        }),
    ];
    for (name, run) in ends {
        for validation in [Validation::Full, Validation::Visited] {
            let (few, many) = (allocations(2_000, validation, run), allocations(20_000, validation, run));
            assert!(many <= few + 20, "{name}, {validation:?}: {few} allocations for 2,000 records, {many} for 20,000");
        }
    }
}
