//! The engines against each other, through the public interface: the same records, fields, faults, places and reasons, for
//! any kernel, block size and format.

use ndskim::{Engine, Format, Kernel, OnFault, Projection, Scan, Validation};

/// Small and repeatable random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const POINTERS: [&str; 6] = ["/a", "/a/b", "/b/0", "/ab/1/a", "", "/0"];
const KEYS: [&str; 6] = [r#""a""#, r#""b""#, r#""ab""#, r#""0""#, r#""\u0061""#, r#""é\n""#];
const SCALARS: [&str; 14] = [
    "0",
    "1",
    "-0",
    "17",
    "-1.5",
    "2.5e-3",
    "1E400",
    "true",
    "false",
    "null",
    r#""""#,
    r#""x\"y\\""#,
    r#""\ud800""#,
    r#""long enough to cross from one vector into the next, with 字 and 😀 in it""#,
];

fn value(random: &mut Random, depth: usize, spaces: &[&str], out: &mut String) {
    let kinds = if depth == 0 { 2 } else { 6 };
    match random.below(kinds) {
        0 | 1 => *out += random.pick(&SCALARS),
        2 | 3 => container(random, depth, spaces, out, false),
        _ => container(random, depth, spaces, out, true),
    }
}

fn container(random: &mut Random, depth: usize, spaces: &[&str], out: &mut String, is_object: bool) {
    out.push(if is_object { '{' } else { '[' });
    for number in 0..random.below(5) {
        if number > 0 {
            *out += random.pick(spaces);
            out.push(',');
        }
        *out += random.pick(spaces);
        if is_object {
            *out += random.pick(&KEYS);
            *out += random.pick(spaces);
            out.push(':');
            *out += random.pick(spaces);
        }
        value(random, depth - 1, spaces, out);
    }
    *out += random.pick(spaces);
    out.push(if is_object { '}' } else { ']' });
}

/// Records of one style, `damaged` of a hundred of them spoilt.
fn text(random: &mut Random, format: Format, damaged: usize) -> Vec<u8> {
    let styles: [&[&str]; 3] = [&[""], &["", " "], &["", " ", "\t", "  ", "\n"]];
    let style = random.below(if format == Format::Lines { 2 } else { 3 });
    let end = if format == Format::Lines {
        random.pick(&["\n", "\r\n", "\n\n", "\n \t\n"])
    } else {
        random.pick(&["\n", "", " "])
    };
    let mut text = Vec::new();
    for _ in 0..30 {
        let mut record = String::new();
        let is_object = random.below(4) > 0;
        container(random, 4, styles[style], &mut record, is_object);
        let mut record = record.into_bytes();
        if random.below(100) < damaged {
            let at = random.below(record.len());
            match random.below(4) {
                0 => record.truncate(at),
                1 => drop(record.remove(at)),
                2 => record[at] = b"{}[],:\"\\0-e\x00\xff \n"[random.below(15)],
                _ => record.insert(at, b"{}[],:\"\\0-e\x01\xc3 "[random.below(14)]),
            }
        }
        text.extend_from_slice(&record);
        text.extend_from_slice(end.as_bytes());
    }
    text
}

/// All that a scan says of some text: each record with its place and fields, and each fault.
fn said(scan: Scan<'_>) -> (Vec<String>, Vec<String>, [u64; 3]) {
    let outcome = scan
        .project(Projection::new(POINTERS).unwrap())
        .on_fault(OnFault::Skip)
        .keep_faults(1000)
        .threads(2)
        .map(|record| {
            let fields: Vec<_> =
                record.fields().iter().map(|field| field.map(|field| field.raw().unwrap().to_vec())).collect();
            let lazy: Vec<_> = [&["a"][..], &["a", "b"], &["b"]]
                .map(|keys| {
                    let found = keys.iter().try_fold(record.value(), |value, key| value.get(key).unwrap());
                    found.map(|value| String::from_utf8_lossy(value.raw().unwrap()).into_owned())
                })
                .into();
            let shown: Vec<_> = fields
                .iter()
                .map(|field| field.as_deref().map(|raw| String::from_utf8_lossy(raw).into_owned()))
                .collect();
            format!("byte {} {shown:?} {lazy:?} {:?}", record.offset(), String::from_utf8_lossy(record.text()))
        })
        .unwrap();
    let stats = outcome.stats;
    (
        outcome.value,
        outcome.faults.iter().map(ToString::to_string).collect(),
        [stats.records, stats.rejected, stats.blank],
    )
}

fn compare(seed: u64, format: Format, damaged: usize) {
    let mut random = Random(seed);
    let mut rejected = 0;
    for round in 0..60 {
        let text = text(&mut random, format, damaged);
        let scan = |engine| Scan::bytes(&text).format(format).engine(engine).validation(Validation::Full);
        let exact = said(scan(Engine::Exact));
        assert_eq!(exact, said(scan(Engine::SimdJson)), "simd-json, round {round}");
        rejected += exact.2[1];
        let counts =
            |outcome: ndskim::Outcome<()>| [outcome.stats.records, outcome.stats.rejected, outcome.stats.blank];
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            for block_size in [1 + random.below(200), 1 + 2 * random.below(3000), 1 << 20] {
                let scan = || scan(Engine::Auto).kernel(kernel).block_size(block_size);
                let name = format!("{} in blocks of {block_size}, round {round}", kernel.name());
                assert_eq!(said(scan()), exact, "{name}: {:?}", String::from_utf8_lossy(&text));
                let counted = counts(scan().on_fault(OnFault::Skip).validate().unwrap());
                assert_eq!(counted, exact.2, "{name}, validated");
            }
        }
    }
    assert_eq!(rejected > 0, damaged > 0);
}

#[test]
fn engines_agree_on_valid_lines() {
    compare(1, Format::Lines, 0);
}

#[test]
fn engines_agree_on_damaged_lines() {
    compare(2, Format::Lines, 20);
}

#[test]
fn engines_agree_on_valid_values() {
    compare(3, Format::Concatenated, 0);
}

#[test]
fn engines_agree_on_damaged_values() {
    compare(4, Format::Concatenated, 20);
}

/// Records that no window holds, and nesting that no tape holds, have the same fields.
#[test]
fn engines_agree_on_long_and_deep_records() {
    let long = format!("{{\"x\":\"{}\",\"a\":{{\"b\":[1, 2.5,{{}}]}}}}\n", "long \\n".repeat(30_000));
    let wide = format!("{{\"ab\":[0,{{\"a\":7}}{}],\"a\":1}}\n", ",{\"a\":[true,null]}".repeat(20_000));
    let deep = |depth: usize| format!("{{\"a\":{}1{},\"b\":[0]}}\n", "[".repeat(depth), "]".repeat(depth));
    let small = "{\"a\":{\"b\":2}}\n";
    let mut text = String::new();
    for record in
        [&long, small, &wide, &deep(61), &deep(62), &deep(63), &deep(500), &deep(1023), &deep(1024), small, &long]
    {
        text += record;
    }
    text += &long[..200_000];
    for format in [Format::Lines, Format::Concatenated] {
        let scan = |engine| Scan::bytes(text.as_bytes()).format(format).engine(engine);
        let exact = said(scan(Engine::Exact));
        assert_eq!(exact.2[1], 2, "one too deep, one cut short");
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            assert_eq!(said(scan(Engine::Auto).kernel(kernel)), exact, "{}", kernel.name());
        }
    }
}
