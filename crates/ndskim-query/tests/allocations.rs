//! Where records fall into groups that are there, nothing is allocated for them: a question to many records allocates no more
//! often than one to few. What has to keep values (`--distinct`, quantiles) grows with them, not with the records.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use ndskim::{Engine, Scan, Validation};
use ndskim_query::{Aggregate, Condition, Expression, Measure, Order, Question};

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

/// Lines with few different values, of which some have escapes, floats, containers and capitals.
fn lines(count: usize) -> Vec<u8> {
    let kinds = ["\"Push\"", "\"P\\u0075ll\"", "1.50", "2", "null", "[1, 2]", "true"];
    let line = |n: usize| {
        let (kind, pad, id, part) = (kinds[n % 7], "x".repeat(n % 90), n % 5, n % 3);
        let (day, hour) = (n % 28 + 1, n % 24);
        format!(
            "{{\"id\":{id},\"pad\":\"{pad}\\n\",\"type\":{kind},\"name\":\"user-{id}\",\"Name\":\"USER-{id}\",\"n\":{part}.25,\
             \"url\":\"https://{id}.example.org/x\",\"Url\":\"https://{id}.Example.org:80/x\",\
             \"at\":\"2024-03-{day:02}T{hour:02}:30:00Z\",\"ms\":17100000{n:05},\
             \"tags\":[{{\"t\":\"a\",\"n\":{part}}},{{\"t\":\"b\\u0062\",\"n\":1.5}}],\"o\":{{\"k\":1,\"l\":[]}}}}\n"
        )
    };
    (0..count).flat_map(|n| line(n).into_bytes()).collect()
}

/// A question with these paths, conditions and aggregates.
fn question(by: &[&str], conditions: &[&str], aggregates: &[(Measure, &str)], approx: bool) -> Question {
    let question = by.iter().fold(Question::new(), |question, path| question.by(path.parse().unwrap()));
    let question =
        conditions.iter().fold(question, |question, text| question.filter(text.parse::<Condition>().unwrap()));
    aggregates.iter().fold(question, |question, (measure, path)| {
        let aggregate = Aggregate::new(measure.clone(), path.parse::<Expression>().unwrap());
        question.aggregate(if approx { aggregate.approx() } else { aggregate })
    })
}

/// How often a question to so many lines allocates, on one thread and in one block.
fn allocations(text: &[u8], validation: Validation, engine: Engine, question: &Question) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut least = u64::MAX;
    for _ in 0..3 {
        let prepared = question.clone().prepare().unwrap();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let scan = Scan::bytes(text).validation(validation).engine(engine).block_size(1 << 30);
        let reply = pool.install(|| prepared.ask(scan)).unwrap();
        least = least.min(ALLOCATIONS.load(Ordering::Relaxed) - before);
        assert!(reply.sorted(Order::Count, None).matched > 0, "{question:?} finds nothing, which proves nothing");
    }
    least
}

#[test]
fn allocations_do_not_grow_with_the_number_of_records() {
    let numbers =
        |path| [Measure::Sum, Measure::Average, Measure::Minimum, Measure::Maximum].map(|measure| (measure, path));
    let questions = [
        ("by a string", question(&["name"], &[], &[], false)),
        ("by kinds of all sorts", question(&["type"], &[], &[], false)),
        ("by several", question(&["type", "name", "n", "o", "absent", "/tags/0/t"], &[], &[], false)),
        (
            "where a filter does it",
            question(&["name"], &["n > 0.5 and type != 'Pull' and absent = null or id in (1, 2)"], &[], false),
        ),
        (
            "where a predicate does it",
            question(&["name"], &["name ~ '^user' and (type !~ 'x' or len(name) > 3)"], &[], false),
        ),
        (
            "where functions are compared",
            question(&["name"], &["len(tags) >= 2", "bucket(n, 1) < 3", "prefix(name, 4) = 'user'"], &[], false),
        ),
        ("parts of times", question(&["hour(at)", "weekday(ms, ms)", "month(at)", "year(at)"], &[], &[], false)),
        ("spans of time", question(&["trunc(at, day)", "trunc(at, week)"], &[], &[], false)),
        (
            "functions of text",
            question(&["lower(name)", "lower(Name)", "prefix(Name, 3)", "kind(type)", "file()"], &[], &[], false),
        ),
        ("functions of escaped text", question(&["lower(type)", "prefix(type, 2)", "len(type)"], &[], &[], false)),
        ("hosts", question(&["host(url)", "host(Url)"], &[], &[], false)),
        ("lengths", question(&["len(tags)", "len(o)", "len(name)"], &[], &[], false)),
        ("buckets", question(&["bucket(id, 2)", "bucket(n, 0.5)"], &[], &[], false)),
        ("aggregates of numbers", question(&["name"], &[], &numbers("n"), false)),
        ("aggregates of integers", question(&[], &[], &numbers("id"), false)),
        (
            "aggregates of text",
            question(&["id"], &[], &[(Measure::Minimum, "name"), (Measure::Maximum, "type")], false),
        ),
        ("distinct", question(&["id"], &[], &[(Measure::Distinct, "type"), (Measure::Distinct, "n")], false)),
        ("sketches", question(&["id"], &[], &[(Measure::Distinct, "n"), (Measure::Quantiles(vec![0.5]), "n")], true)),
        ("elements", question(&["tags[].t", "name"], &["tags[].n >= 1"], &numbers("tags[].n"), false)),
    ];
    let (few, many) = (lines(2_000), lines(20_000));
    let mut failed = Vec::new();
    for (name, question) in &questions {
        for (validation, engine) in [(Validation::Full, Engine::Auto), (Validation::Visited, Engine::Auto)] {
            let count = |text| allocations(text, validation, engine, question);
            let (few, many) = (count(&few), count(&many));
            if many > few + 20 {
                failed.push(format!("{name}, {validation:?}: {few} allocations for 2,000 records, {many} for 20,000"));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
