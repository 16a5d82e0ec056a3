//! What the fuzz targets ask of any bytes. Each function panics if the answer is wrong.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::LazyLock;

use ndskim::{Engine, Format, Input, Kernel, OnFault, Pointer, Projection, Scan, Validation};
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A record or a reject, as a scan finds it: where, its text, and of a reject the line, the byte and the reason.
type Found = (u64, Vec<u8>, Option<(u64, u64, String)>);

/// Bytes of a block that holds every input.
const LARGE: usize = 1 << 16;

/// Sizes of blocks that cut it, the last about as large as a vector.
const BLOCK_SIZES: [usize; 3] = [1, 5, 64];

fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.into_iter().filter(|kernel| kernel.is_available())
}

/// Asks one of the questions below, on one thread that stays: to start one for each scan would take longer than the scan.
pub fn ask(question: fn(&[u8]), data: &[u8]) {
    static POOL: LazyLock<ThreadPool> = LazyLock::new(|| ThreadPoolBuilder::new().num_threads(1).build().unwrap());
    POOL.install(|| question(data));
}

/// A scan of bytes in memory.
fn scan(data: &[u8]) -> Scan<'_> {
    scan_of(Input::bytes(data))
}

/// A scan of the same bytes from a reader.
fn read(data: &[u8]) -> Scan<'_> {
    scan_of(Input::reader(data))
}

fn scan_of(input: Input<'_>) -> Scan<'_> {
    Scan::new(input.named("data")).block_size(LARGE)
}

/// All that a scan finds, in input order, or its error.
fn found(scan: Scan<'_>, policy: OnFault) -> Result<Vec<Found>, String> {
    let mut all: Vec<Found> = Vec::new();
    let scan = scan.on_fault(policy).rejects(|reject| {
        let (place, reason) = (reject.fault().place(), reject.fault().reason());
        for span in reject.lost() {
            let fault = (place.line().unwrap_or(0), place.offset(), reason.to_string());
            all.push((reject.offset() + span.start as u64, reject.text()[span].to_vec(), Some(fault)));
        }
    });
    let records =
        scan.map(|record| (record.offset(), record.text().to_vec(), None)).map_err(|error| error.to_string())?;
    all.extend(records.value);
    all.sort();
    Ok(all)
}

/// Whether serde_json takes a text.
fn is_record(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    IgnoredAny::deserialize(&mut reader).is_ok() && reader.end().is_ok()
}

/// The full engine with every kernel, simd-json and the exact reader find the same records, faults, places and reasons, and
/// the same as serde_json.
pub fn full_against_exact(data: &[u8]) {
    let exact = found(scan(data).engine(Engine::Exact), OnFault::Skip);
    for kernel in kernels() {
        for block_size in [64, LARGE] {
            let full = found(scan(data).kernel(kernel).block_size(block_size), OnFault::Skip);
            assert_eq!(full, exact, "{kernel:?} {block_size}");
        }
    }
    assert_eq!(found(scan(data).engine(Engine::SimdJson), OnFault::Skip), exact);
    if data.len().is_multiple_of(8) {
        across_an_edge(data);
    }
    for (_, text, fault) in exact.unwrap_or_default() {
        let too_deep = matches!(&fault, Some((_, _, reason)) if reason.contains("deeper"));
        assert!(too_deep || is_record(&text) == fault.is_none());
    }
}

/// The same with the data where a window of 32 KiB ends, behind records of other sizes.
fn across_an_edge(data: &[u8]) {
    let before = 32 * 1024 - data.len() / 2;
    let record = b"{\"id\":\"01234567890123456789\",\"list\":[1,2.5,null,true,{}]}\n";
    let mut input: Vec<u8> = record.iter().copied().cycle().take(before).collect();
    let start = input.len() - before % record.len();
    input[start..].fill(b' ');
    input.push(b'\n');
    input.extend_from_slice(data);
    let exact = found(scan(&input).engine(Engine::Exact), OnFault::Skip);
    for kernel in kernels() {
        assert_eq!(found(scan(&input).kernel(kernel), OnFault::Skip), exact, "{kernel:?} across an edge");
    }
}

const POINTERS: [&str; 6] = ["/a", "/a/b", "/b/0", "/id", "", "/"];

/// On valid input, visited reading finds what full reading finds; on any other, no kernel finds anything else than another.
pub fn visited_against_full(data: &[u8]) {
    let valid: Vec<u8> = data
        .split(|&byte| byte == b'\n')
        .filter(|line| is_record(line) && scan(line).validate().is_ok())
        .flat_map(|line| [line, b"\n"].concat())
        .collect();
    let exact = values(scan(&valid).engine(Engine::Exact));
    for kernel in kernels() {
        assert_eq!(values(scan(&valid).kernel(kernel)), exact, "full, {kernel:?}");
        let visited = values(scan(&valid).validation(Validation::Visited).kernel(kernel));
        assert_eq!(visited, exact, "visited, {kernel:?}");
    }
    let mut first = None;
    for kernel in kernels() {
        for block_size in [64, LARGE] {
            let visited = scan(data).validation(Validation::Visited).kernel(kernel).block_size(block_size);
            let any = values(visited);
            assert_eq!(*first.get_or_insert_with(|| any.clone()), any, "{kernel:?} {block_size}");
        }
    }
}

/// Where a record begins, and what stands at the pointers in it.
type Fields = (u64, Vec<Option<String>>);

/// What stands at the pointers in each record that counts, and the faults.
fn values(scan: Scan<'_>) -> Result<(Vec<Fields>, Vec<String>), String> {
    let projection = Projection::new(POINTERS).unwrap();
    let scan = scan.project(projection).on_fault(OnFault::Skip).keep_faults(usize::MAX);
    let text = |value: ndskim::Value<'_>| format!("{:?} {:?}", value.raw(), value.to_str_lossy());
    let outcome = scan.map(|record| {
        let fields = record.fields().iter().map(|&field| field.map(text)).collect();
        (record.offset(), fields)
    });
    let outcome = outcome.map_err(|error| error.to_string())?;
    Ok((outcome.value, outcome.faults.iter().map(ToString::to_string).collect()))
}

/// Pointers lead where serde_json's lead. The first line is the pointer, the rest the record.
pub fn pointers(data: &[u8]) {
    let mut parts = data.splitn(2, |&byte| byte == b'\n');
    let (Some(pointer), Some(record)) = (parts.next(), parts.next()) else { return };
    let Ok(pointer) = std::str::from_utf8(pointer) else { return };
    let Ok(parsed) = Pointer::parse(pointer) else { return };
    let Ok(judge) = serde_json::from_slice::<serde_json::Value>(record) else { return };
    let line: Vec<u8> = record.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte }).collect();
    // serde_json keeps the last of equal keys, this the first.
    if has_equal_keys(&line) {
        return;
    }
    for kernel in kernels() {
        for validation in [Validation::Full, Validation::Visited] {
            let scan = scan(&line).kernel(kernel).validation(validation);
            let values =
                scan.map(|record| record.pointer(&parsed).unwrap().map(|value| value.to_value().ok())).unwrap().value;
            for value in values {
                match (value, judge.pointer(pointer)) {
                    (None, None) | (Some(None), Some(_)) => {}
                    (Some(Some(value)), Some(judge)) => assert_eq!(&value, judge),
                    (value, judge) => panic!("{value:?} {judge:?}"),
                }
            }
        }
    }
}

fn has_equal_keys(record: &[u8]) -> bool {
    struct Keys(bool);
    impl<'de> serde::Deserialize<'de> for Keys {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visitor;
            impl<'de> serde::de::Visitor<'de> for Visitor {
                type Value = Keys;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("JSON")
                }
                fn visit_bool<E>(self, _: bool) -> Result<Keys, E> {
                    Ok(Keys(false))
                }
                fn visit_i64<E>(self, _: i64) -> Result<Keys, E> {
                    Ok(Keys(false))
                }
                fn visit_u64<E>(self, _: u64) -> Result<Keys, E> {
                    Ok(Keys(false))
                }
                fn visit_f64<E>(self, _: f64) -> Result<Keys, E> {
                    Ok(Keys(false))
                }
                fn visit_str<E>(self, _: &str) -> Result<Keys, E> {
                    Ok(Keys(false))
                }
                fn visit_unit<E>(self) -> Result<Keys, E> {
                    Ok(Keys(false))
                }
                fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Keys, A::Error> {
                    let mut found = false;
                    while let Some(Keys(equal)) = items.next_element()? {
                        found |= equal;
                    }
                    Ok(Keys(found))
                }
                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut members: A) -> Result<Keys, A::Error> {
                    let (mut found, mut keys) = (false, BTreeSet::new());
                    while let Some((key, Keys(equal))) = members.next_entry::<String, Keys>()? {
                        found |= equal | !keys.insert(key);
                    }
                    Ok(Keys(found))
                }
            }
            deserializer.deserialize_any(Visitor)
        }
    }
    serde_json::from_slice::<Keys>(record).map_or(true, |keys| keys.0)
}

const FORMATS: [Format; 7] = [
    Format::Lines,
    Format::SeveralPerLine,
    Format::Concatenated,
    Format::Sequence,
    Format::Array,
    Format::Comma,
    Format::Auto,
];

/// No format depends on how the input is cut, no byte is in two pieces, and none is passed over that does not separate. The
/// first byte is the number of the format.
pub fn formats(data: &[u8]) {
    let [number, data @ ..] = data else { return };
    let Some(&format) = FORMATS.get(usize::from(*number)) else { return };
    let whole = found(scan(data).format(format), OnFault::Skip);
    for block_size in BLOCK_SIZES {
        let cut = found(scan(data).format(format).block_size(block_size), OnFault::Skip);
        assert_eq!(cut, whole, "{format} {block_size}");
        let read = found(read(data).format(format).block_size(block_size), OnFault::Skip);
        assert_eq!(read, whole, "{format} {block_size}, read");
    }
    for kernel in kernels() {
        let found = found(scan(data).format(format).kernel(kernel), OnFault::Skip);
        assert_eq!(found, whole, "{format} {kernel:?}");
    }
    let exact = found(scan(data).format(format).engine(Engine::Exact), OnFault::Skip);
    assert_eq!(exact, whole, "{format}");
    if let Ok(whole) = whole
        && !is_compressed(data)
    {
        adds_up(data, &whole, format);
    }
}

fn adds_up(data: &[u8], pieces: &[Found], format: Format) {
    let separators: &[u8] = match format {
        Format::Sequence => b" \t\r\n\x1e",
        Format::Array => b" \t\r\n[],",
        Format::Comma => b" \t\r\n,",
        Format::Auto => b" \t\r\n\x1e[],",
        _ => b" \t\r\n",
    };
    let mut at = if data.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let end = (data.len() as u64, Vec::new(), None);
    for (offset, text, _) in pieces.iter().chain([&end]) {
        let between = &data[at..*offset as usize];
        assert!(between.iter().all(|byte| separators.contains(byte)), "{format} {at}");
        at = *offset as usize + text.len();
        assert_eq!(&data[*offset as usize..at], text, "{format}");
    }
}

fn is_compressed(data: &[u8]) -> bool {
    data.starts_with(&[0x1f, 0x8b]) || data.starts_with(&[0x28, 0xb5]) || matches!(data, [0x50..=0x5f, 0x2a, ..])
}

/// Whatever is behind a magic number is text, or an error with a place, however it is read. Text that was compressed is read
/// as it is, and what is damaged never as less than whole.
pub fn decompression(data: &[u8]) {
    for magic in [&b""[..], &[0x1f, 0x8b, 8], &[0x28, 0xb5, 0x2f, 0xfd]] {
        let input = [magic, data].concat();
        let whole = found(read(&input), OnFault::Skip);
        for block_size in [100, 5000] {
            assert_eq!(found(scan(&input).block_size(block_size), OnFault::Skip), whole, "{block_size}");
        }
    }
    let [split, at, mask, text @ ..] = data else { return };
    let expected = found(scan(text), OnFault::Skip);
    if is_compressed(text) || expected.is_err() {
        return;
    }
    let first = text.len() * usize::from(*split) / 255;
    let members = [&text[..first], &text[first..]].map(gzip);
    let mut stored = members.concat();
    assert_eq!(found(scan(&stored), OnFault::Skip), expected);
    let at = stored.len() * usize::from(*at) / 256;
    if at > 0 && at != members[0].len() {
        let cut = found(scan(&stored[..at]), OnFault::Skip);
        // Less than a magic number is text; less than the second member's is garbage behind the first.
        assert!(cut.is_err() || at < 3 || (members[0].len()..members[0].len() + 3).contains(&at), "cut at {at}");
    }
    stored[at] ^= mask;
    let flipped = found(scan(&stored), OnFault::Skip);
    if flipped.is_ok() {
        // Of a header only what matters is looked at, and a broken magic number makes text or garbage.
        let magic = at < 3 || (members[0].len()..members[0].len() + 3).contains(&at);
        assert!(magic || flipped == expected, "flipped at {at}");
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Salvage keeps valid records only, counts every byte once, and does not depend on how the input is cut and read.
pub fn salvage(data: &[u8]) {
    let whole = found(scan(data), OnFault::Salvage);
    for block_size in [1, 64, 300] {
        assert_eq!(found(scan(data).block_size(block_size), OnFault::Salvage), whole, "{block_size}");
    }
    assert_eq!(found(read(data).block_size(7), OnFault::Salvage), whole, "read");
    for kernel in kernels() {
        assert_eq!(found(scan(data).kernel(kernel), OnFault::Salvage), whole, "{kernel:?}");
    }
    let Ok(whole) = whole else { return };
    if !is_compressed(data) {
        adds_up(data, &whole, Format::Lines);
    }
    for (_, text, fault) in whole {
        assert!(fault.is_some() || is_record(&text));
    }
}
