//! The visited engine against full validation: on valid input every question has the same answer; on any other input it reads
//! inside the buffer, ends, and never counts a record twice or not at all.

#![cfg(feature = "serde")]

use std::ops::Range;

use ndskim::{Engine, Format, Kernel, OnFault, Outcome, Pointer, Projection, Record, Scan, Validation};
use proptest::prelude::*;

fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.into_iter().filter(|kernel| kernel.is_available())
}

/// Everything that accessors say of a record.
fn everything(record: Record<'_>, pointers: &[Pointer]) -> Vec<String> {
    let mut said = vec![String::from_utf8_lossy(record.text()).into_owned(), record.offset().to_string()];
    let mut say = |value: Option<ndskim::Value<'_>>| {
        let Some(value) = value else { return said.push("absent".to_owned()) };
        said.push(format!("{:?}", (value.kind(), value.as_bool(), value.as_i64(), value.as_f64(), value.as_str())));
        said.push(format!("{:?}", (value.raw(), value.is_str("a"), value.is_null(), value.to_value())));
        let elements = value.elements().into_iter().flatten();
        said.extend(elements.map(|element| format!("{:?}", element.and_then(|element| element.raw()))));
        let members = value.members().into_iter().flatten();
        said.extend(
            members.map(|member| format!("{:?}", member.and_then(|(key, value)| Ok((key.as_str()?, value.raw()?))))),
        );
    };
    record.fields().iter().for_each(|field| say(*field));
    pointers.iter().for_each(|pointer| say(record.pointer(pointer).unwrap()));
    for key in ["a", "b", ""] {
        say(record.get(key).unwrap());
    }
    say(Some(record.value()));
    said
}

fn answers(text: &str, format: Format, pointers: &[Pointer], set: impl Fn(Scan<'_>) -> Scan<'_>) -> Vec<Vec<String>> {
    let scan = Scan::bytes(text.as_bytes()).threads(1).format(format).project(Projection::from(pointers.to_vec()));
    set(scan).map(|record| everything(record, pointers)).unwrap().value
}

fn pointers() -> impl Strategy<Value = Vec<Pointer>> {
    let token = prop::sample::select(vec!["a", "b", "c", "", "0", "1", "a/b", "~", "é"]);
    prop::collection::vec(prop::collection::vec(token, 0..4).prop_map(Pointer::from_tokens), 0..7)
}

/// Valid JSON with few different keys, equal ones too, and white space here and there.
fn json() -> impl Strategy<Value = String> {
    let string = prop_oneof![
        "[abc]{0,2}",
        "[ -!#-\\[\\]-~]{0,80}",
        prop::sample::select(vec!["\\\"", "\\\\", "\\u0061", "x\\n", "\\\\\\\"", "é", "a/b", "~", "\\ud83d\\ude00"])
            .prop_map(str::to_owned),
    ]
    .prop_map(|content| format!("\"{content}\""));
    let number = prop::sample::select(vec!["0", "-0", "1.0", "12e-1", "9007199254740993", "1e400", "0.1"])
        .prop_map(str::to_owned);
    let word = prop::sample::select(vec!["true", "false", "null"]).prop_map(str::to_owned);
    let space = prop::sample::select(vec!["", "", "", " ", "\t", "  "]);
    prop_oneof![string.clone(), number, word].prop_recursive(4, 40, 6, move |inner| {
        let member = (string.clone(), space.clone(), inner.clone()).prop_map(|(key, space, value)| format!("{key}{space}:{space}{value}"));
        prop_oneof![
            2 => (prop::collection::vec(member, 0..6), space.clone()).prop_map(|(members, space)| format!("{{{space}{}{space}}}", members.join(&format!("{space},")))),
            1 => (prop::collection::vec(inner, 0..6), space.clone()).prop_map(|(items, space)| format!("[{space}{}{space}]", items.join(&format!(",{space}")))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_full_accepts_is_answered_alike(records in prop::collection::vec(json(), 1..8), pointers in pointers(), end in any::<bool>()) {
        let mut text = records.join("\n");
        if end {
            text.push_str("\n \n");
        }
        for format in [Format::Lines, Format::Concatenated] {
            let expected = answers(&text, format, &pointers, |scan| scan.engine(Engine::Exact));
            for kernel in kernels() {
                for validation in [Validation::Full, Validation::Visited] {
                    let found = answers(&text, format, &pointers, |scan| scan.validation(validation).kernel(kernel));
                    prop_assert_eq!(&found, &expected, "{:?} {:?}", kernel, validation);
                }
            }
        }
    }

    #[test]
    fn damage_costs_no_other_record(records in prop::collection::vec(json(), 1..8), pointers in pointers(), place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let text = records.join("\n");
        let mut damaged = text.clone().into_bytes();
        let place = place.index(damaged.len());
        if damaged[place] == b'\n' || byte == b'\n' {
            return Ok(());
        }
        damaged[place] = byte;
        let bad = text.as_bytes()[..place].iter().filter(|&&byte| byte == b'\n').count();
        let expected = answers(&text, Format::Lines, &pointers, |scan| scan.engine(Engine::Exact));
        let line = text.lines().nth(bad).unwrap();
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        for kernel in kernels() {
            let scan = Scan::bytes(&damaged).threads(1).kernel(kernel).validation(Validation::Visited).on_fault(OnFault::Skip);
            let scan = scan.project(Projection::from(pointers.clone()));
            let outcome = scan.map(|record| {
                let is_bad = record.offset() == start as u64;
                if is_bad { vec![] } else { everything(record, &pointers) }
            }).unwrap();
            let Outcome { stats, faults, value, .. } = outcome;
            // A line of white space only is no record.
            prop_assert_eq!(stats.records + stats.rejected + stats.blank, records.len() as u64);
            prop_assert!(faults.iter().all(|fault| fault.place().line() == Some(bad as u64 + 1)));
            let others: Vec<_> = value.into_iter().filter(|said| !said.is_empty()).collect();
            let expected: Vec<_> = expected.iter().enumerate().filter(|(n, _)| *n != bad).map(|(_, said)| said.clone()).collect();
            prop_assert_eq!(others, expected);
        }
    }

    #[test]
    fn any_bytes_are_read_alike_by_all_kernels(bytes in prop::collection::vec(prop_oneof![
        5 => prop::sample::select(b"{}[]\",:\\ \n01at".to_vec()),
        1 => any::<u8>(),
    ], 0..400), pointers in pointers()) {
        let mut answers = Vec::new();
        for kernel in kernels() {
            let page = Page::ending_with(&bytes);
            let scan = Scan::bytes(page.bytes()).threads(1).kernel(kernel).validation(Validation::Visited).on_fault(OnFault::Skip);
            let scan = scan.project(Projection::from(pointers.clone()));
            let ended = scan.map(|record| {
                let fields: Vec<_> = record.fields().iter().map(|field| field.map(|field| (field.raw().map(<[u8]>::to_vec), field.as_str().map(|s| s.map(|s| s.into_owned()))))).collect();
                let members = record.value().members().map(|members| members.map(|member| member.map(|(key, _)| key.raw().map(<[u8]>::to_vec))).collect::<Vec<_>>());
                format!("{:?} {fields:?} {members:?} {:?}", record.offset(), record.get("a").map(|value| value.map(|value| value.raw().map(<[u8]>::to_vec))))
            });
            // Text that looks like one value over several lines is not read as lines at all.
            let outcome = match ended {
                Ok(outcome) => outcome,
                Err(error) => {
                    answers.push((vec![error.to_string()], 0, 0, 0, vec![]));
                    continue;
                }
            };
            let faults: Vec<_> = outcome.faults.iter().map(ToString::to_string).collect();
            answers.push((outcome.value, outcome.stats.records, outcome.stats.rejected, outcome.stats.blank, faults));
        }
        for answer in &answers {
            prop_assert_eq!(answer, &answers[0]);
        }
    }
}

/// Bytes in memory between pages that cannot be read, ending right before one.
struct Page {
    base: *mut libc::c_void,
    length: usize,
    bytes: Range<usize>,
}

impl Page {
    fn ending_with(bytes: &[u8]) -> Self {
        // SAFETY: asking for the size of a page has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let used = bytes.len().div_ceil(page).max(1) * page;
        let length = used + 2 * page;
        let (access, flags) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the system's choice.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), length, access, flags, -1, 0) };
        assert_ne!(base, libc::MAP_FAILED);
        // SAFETY: all but the first and the last page of the mapping become writable, and the bytes fit in there.
        unsafe {
            let first = base.cast::<u8>().add(page);
            assert_eq!(libc::mprotect(first.cast(), used, libc::PROT_READ | libc::PROT_WRITE), 0);
            first.add(used - bytes.len()).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        Self { base, length, bytes: page + used - bytes.len()..page + used }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: these bytes of the mapping were written, and it lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.base.cast::<u8>().add(self.bytes.start), self.bytes.len()) }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `ending_with`, and nothing borrows from it any more.
        unsafe { libc::munmap(self.base, self.length) };
    }
}

#[test]
fn what_need_not_be_read_is_not_read() {
    let text = b"{\"type\":\"a\",\"rest\":[}\n{\"type\":\"b\",\n{\"rest\":\"\x01\",\"type\":\"c\"}\n";
    for kernel in kernels() {
        let scan = Scan::bytes(text).threads(1).kernel(kernel).validation(Validation::Visited);
        let counts = scan.count_by(Pointer::parse("/type").unwrap()).unwrap().value;
        assert_eq!(counts.len(), 3);
    }
}

#[test]
fn a_line_that_ends_inside_a_value_that_is_read_is_a_fault_with_its_place() {
    for (line, column, reason) in [
        ("{\"type\":\"a", 11, "expected a closing quote, found the end of the record"),
        ("{\"a\":{\"b\":1}", 13, "expected `,` or `}`, found the end of the record"),
        ("{\"type\":01}", 10, "expected no digit after a leading zero, found `1`"),
    ] {
        let text = format!("{{\"type\":1}}\n{line}\n{{\"type\":2}}\n");
        for kernel in kernels() {
            let scan = Scan::bytes(text.as_bytes()).threads(1).kernel(kernel).validation(Validation::Visited);
            let counted = scan.on_fault(OnFault::Skip).try_map(|record| {
                record
                    .pointer(&Pointer::parse("/type").unwrap())?
                    .map(|value| value.raw().map(<[u8]>::to_vec))
                    .transpose()
            });
            let outcome = counted.unwrap();
            assert_eq!((outcome.stats.records, outcome.stats.rejected), (2, 1), "{line}");
            let fault = &outcome.faults[0];
            assert_eq!((fault.place().line(), fault.place().column()), (Some(2), column), "{line}");
            assert_eq!(fault.reason().to_string(), reason, "{line}");
        }
    }
}
