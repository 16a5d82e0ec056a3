//! The parts of a scan, one by one: `cargo bench -p ndskim-parts`, or `... -- index/` for one of them.
//!
//! Each reads some MiB in the cache on one thread. For whole scans, other systems, and figures to quote, see `ndskim bench`
//! and `benches/compare`.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use ghgen::Style;
use ndskim::{Block, Format, Kernel, Pointer, Projection, Record, Scan, Validation, Value, ValueError};
use ndskim_parts::{events, geojson, weblog};
use serde::Deserialize;

const LANGUAGE: &str = "/payload/pull_request/base/repo/language";

fn group<'c>(c: &'c mut Criterion, name: &str, bytes: usize) -> BenchmarkGroup<'c, WallTime> {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Bytes(bytes as u64)).sample_size(20).measurement_time(Duration::from_secs(2));
    group
}

fn scan(text: &[u8]) -> Scan<'_> {
    Scan::bytes(text).threads(1)
}

/// Calls `use_block` with the whole text as one block.
fn with_block<R>(text: &[u8], use_block: impl FnOnce(&Block<'_>) -> R) -> R {
    let mut blocks = scan(text).block_size(2 * text.len()).blocks();
    let mut largest = blocks.next().expect("memory can be read").expect("the text is not empty");
    while largest.bytes().len() < text.len() / 2 {
        largest = blocks.next().expect("memory can be read").expect("there is a larger block");
    }
    use_block(&largest)
}

fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.into_iter().filter(|kernel| kernel.is_available())
}

/// Where records end: memchr as the ceiling, and what the formats do.
fn split(c: &mut Criterion) {
    let (compact, pretty) = (events(Style::Compact), events(Style::Pretty));
    let mut group = group(c, "split", compact.len());
    group.bench_function("memchr", |b| b.iter(|| memchr::memchr_iter(b'\n', black_box(&compact)).count()));
    let blocks = |text: &[u8], format| {
        let mut blocks = scan(text).format(format).block_size(1 << 20).blocks();
        let mut bytes = 0;
        while let Some(block) = blocks.next().expect("memory can be read") {
            bytes += block.bytes().len();
        }
        bytes
    };
    group.bench_function("blocks of lines", |b| b.iter(|| blocks(&compact, Format::Lines)));
    group.throughput(Throughput::Bytes(pretty.len() as u64));
    group.bench_function("blocks of concatenated values", |b| b.iter(|| blocks(&pretty, Format::Concatenated)));
}

/// Full validation by each kernel: all passes of the engine and nothing else.
fn kernel(c: &mut Criterion) {
    for (name, text) in [("events", events(Style::Compact)), ("spaced", events(Style::Spaced)), ("geojson", geojson())]
    {
        let mut group = group(c, &format!("kernel/{name}"), text.len());
        for kernel in kernels() {
            group.bench_function(kernel.name(), |b| {
                b.iter(|| scan(&text).kernel(kernel).validate().expect("the text is valid").stats.records)
            });
        }
    }
}

/// The first pass alone.
fn index(c: &mut Criterion) {
    let text = events(Style::Compact);
    let mut group = group(c, "index", text.len());
    for kernel in kernels() {
        group.bench_function(kernel.name(), |b| {
            with_block(&text, |block| b.iter(|| ndskim::internals::index(black_box(block), kernel)))
        });
    }
}

/// Every value of every record, decoded.
fn walk(c: &mut Criterion) {
    let text = events(Style::Compact);
    let mut group = group(c, "walk", text.len());
    for (name, validation) in [("tape", Validation::Full), ("text", Validation::Visited)] {
        group.bench_function(name, |b| {
            let sum = |sum: &mut usize, record: Record<'_>| {
                *sum += decode(record.value())?;
                Ok::<_, ValueError>(())
            };
            b.iter(|| {
                scan(&text).validation(validation).try_fold(|| 0, sum, |a, b| a + b).expect("the text is valid").value
            })
        });
    }
}

fn decode(value: Value<'_>) -> Result<usize, ValueError> {
    let mut sum = 0;
    for member in value.members().into_iter().flatten() {
        let (key, value) = member?;
        sum += decode(key)? + decode(value)?;
    }
    for element in value.elements().into_iter().flatten() {
        sum += decode(element?)?;
    }
    Ok(sum + value.to_str_lossy()?.map_or(0, |text| text.len()) + usize::from(value.as_bool()? == Some(true)))
}

/// Fields found in text that is not validated.
fn skim(c: &mut Criterion) {
    let text = events(Style::Compact);
    let mut group = group(c, "skim", text.len());
    for (name, pointers) in
        [("near", vec!["/type"]), ("far", vec!["/created_at"]), ("deep", vec!["/type", "/payload/action", LANGUAGE])]
    {
        let projection = Projection::new(pointers).expect("these are pointers");
        group.bench_function(name, |b| {
            b.iter(|| count(scan(&text).validation(Validation::Visited).project(projection.clone())))
        });
    }
}

/// Fields found on the tape: declared before, and asked for one by one.
fn lookup(c: &mut Criterion) {
    let text = events(Style::Compact);
    let mut group = group(c, "lookup", text.len());
    let projection = Projection::new(["/type", "/payload/action", LANGUAGE]).expect("these are pointers");
    group.bench_function("projection", |b| b.iter(|| count(scan(&text).project(projection.clone()))));
    let pointer = Pointer::parse(LANGUAGE).expect("this is a pointer");
    group.bench_function("pointer", |b| {
        let language = |found: &mut u64, record: Record<'_>| {
            *found += u64::from(record.pointer(&pointer)?.is_some());
            Ok::<_, ValueError>(())
        };
        b.iter(|| scan(&text).try_fold(|| 0, language, |a, b| a + b).expect("the text is valid").value)
    });
    group.bench_function("nothing", |b| b.iter(|| count(scan(&text))));
}

fn count(scan: Scan<'_>) -> u64 {
    let add = |found: &mut u64, record: Record<'_>| *found += record.fields().iter().flatten().count() as u64;
    scan.fold(|| 0, add, |a, b| a + b).expect("the text is valid").value
}

#[derive(Deserialize)]
struct Event<'a> {
    r#type: &'a str,
    #[serde(borrow)]
    payload: Payload<'a>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    action: Option<&'a str>,
}

/// Records as typed structs that name few of their members.
fn deserialize(c: &mut Criterion) {
    let text = events(Style::Compact);
    let mut group = group(c, "deserialize", text.len());
    for kernel in kernels() {
        group.bench_function(kernel.name(), |b| {
            let add = |sum: &mut usize, record: Record<'_>| {
                let event = record.deserialize::<Event<'_>>()?;
                *sum += event.r#type.len() + event.payload.action.map_or(0, str::len);
                Ok::<_, ndskim::DeserializeError>(())
            };
            b.iter(|| scan(&text).kernel(kernel).try_fold(|| 0, add, |a, b| a + b).expect("the text is valid").value)
        });
    }
}

/// Counting by a field of short records: few keys, and a key for almost every record.
fn count_table(c: &mut Criterion) {
    let text = weblog();
    let mut group = group(c, "count", text.len());
    for field in ["/status", "/ip", "/path"] {
        let pointer = Pointer::parse(field).expect("this is a pointer");
        group.bench_function(&field[1..], |b| {
            b.iter(|| scan(&text).count_by(pointer.clone()).expect("the text is valid").value)
        });
    }
    let numbers: Vec<u8> = (0..1_000_000).flat_map(|n| format!("{n}\n").into_bytes()).collect();
    let root = Pointer::parse("").expect("this is a pointer");
    group.throughput(Throughput::Bytes(numbers.len() as u64));
    group.bench_function("a million keys", |b| {
        b.iter(|| scan(&numbers).count_by(root.clone()).expect("the text is valid").value.len())
    });
}

criterion_group!(parts, split, kernel, index, walk, skim, lookup, deserialize, count_table);
criterion_main!(parts);
