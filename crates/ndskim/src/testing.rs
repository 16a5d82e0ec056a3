//! What the tests of this crate share: random JSON, and memory that ends where nothing can be read.

use proptest::prelude::*;

use crate::block::{PAD_AFTER, PAD_BEFORE, Padded};

/// JSON text of one value: every kind, escapes, several scripts, white space between tokens, some depth.
pub(crate) fn json() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |f| f.is_finite()).prop_map(|f| format!("{f:e}")),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?",
    ];
    let leaf =
        prop_oneof![Just("null".to_owned()), Just("true".to_owned()), Just("false".to_owned()), number, string(),];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..6), space())
                .prop_map(|(items, s)| { format!("[{s}{}{s}]", items.join(&format!("{s},{s}"))) }),
            (prop::collection::vec((key(), inner), 0..6), space()).prop_map(|(members, s)| {
                let members: Vec<_> = members.iter().map(|(k, v)| format!("{k}{s}:{s}{v}")).collect();
                format!("{{{s}{}{s}}}", members.join(&format!("{s},{s}")))
            }),
        ]
    })
}

/// The text of a key: few of them, so that equal keys and hits are common.
pub(crate) fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[abc]{0,2}".prop_map(|k| format!("\"{k}\"")),
        1 => Just("\"\\u0061\"".to_owned()),
        1 => Just("\"a/b\"".to_owned()),
        1 => Just("\"~\"".to_owned()),
        1 => Just("\"0\"".to_owned()),
        1 => string(),
    ]
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ -!#-\\[\\]-~]{0,40}",
        1 => "[é漢😀\u{7f}\u{2028}]{0,10}",
        1 => prop::sample::select(vec!["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u00e9", "\\ud83d\\ude00", "\\uD800"])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn space() -> impl Strategy<Value = String> {
    prop_oneof![6 => Just(String::new()), 1 => Just(" ".to_owned()), 1 => "[ \t\r]{0,3}"]
}

/// Tokens of which all short sequences are tried.
pub(crate) const TOKENS: [&[u8]; 13] =
    [b"{", b"}", b"[", b"]", b",", b":", b"\"\"", b"\"a\"", b"0", b"-1.5", b"true", b" ", b"\r"];

/// Calls `run` with every sequence of up to `longest` of `parts`, joined.
pub(crate) fn sequences(parts: &[&[u8]], longest: usize, run: &mut dyn FnMut(&[u8])) {
    fn go(parts: &[&[u8]], left: usize, text: &mut Vec<u8>, run: &mut dyn FnMut(&[u8])) {
        run(text);
        if left > 0 {
            for part in parts {
                text.extend_from_slice(part);
                go(parts, left - 1, text, run);
                text.truncate(text.len() - part.len());
            }
        }
    }
    go(parts, longest, &mut Vec::new(), run);
}

/// A mapping between two pages that cannot be read: who reads outside a text and its padding ends the test with a signal.
pub(crate) struct Fenced {
    start: *mut u8,
    len: usize,
}

impl Fenced {
    const PAGE: usize = 4096;

    /// Room for texts of up to `len` bytes.
    pub(crate) fn new(len: usize) -> Self {
        let len = (PAD_BEFORE + len + PAD_AFTER).next_multiple_of(Self::PAGE);
        // SAFETY: a new private mapping, checked below, with a page at each end made unreadable.
        let start = unsafe {
            let whole = libc::mmap(
                std::ptr::null_mut(),
                len + 2 * Self::PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(whole, libc::MAP_FAILED);
            let start = whole.cast::<u8>().add(Self::PAGE);
            assert_eq!(libc::mprotect(whole, Self::PAGE, libc::PROT_NONE), 0);
            assert_eq!(libc::mprotect(start.add(len).cast(), Self::PAGE, libc::PROT_NONE), 0);
            start
        };
        Self { start, len }
    }

    /// Puts a text so that just the promised padding, all `filler`, is readable behind it.
    pub(crate) fn at_end(&mut self, text: &[u8], filler: u8) -> Padded<'_> {
        self.put(self.len - PAD_AFTER - text.len(), text, filler)
    }

    /// Puts a text so that just the promised padding, all `filler`, is readable before it.
    pub(crate) fn at_start(&mut self, text: &[u8], filler: u8) -> Padded<'_> {
        self.put(PAD_BEFORE, text, filler)
    }

    /// Puts bytes so that nothing at all is readable behind them.
    pub(crate) fn bare(&mut self, bytes: &[u8]) -> &[u8] {
        assert!(bytes.len() <= self.len);
        // SAFETY: the mapping is ours alone, and has room for the bytes.
        unsafe {
            let at = self.start.add(self.len - bytes.len());
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len());
            std::slice::from_raw_parts(at, bytes.len())
        }
    }

    fn put(&mut self, offset: usize, text: &[u8], filler: u8) -> Padded<'_> {
        // SAFETY: the mapping is ours alone and as long as asserted.
        unsafe {
            assert!(offset >= PAD_BEFORE && offset + text.len() + PAD_AFTER <= self.len);
            std::ptr::write_bytes(self.start.add(offset - PAD_BEFORE), filler, PAD_BEFORE);
            std::ptr::write_bytes(self.start.add(offset + text.len()), filler, PAD_AFTER);
            std::ptr::copy_nonoverlapping(text.as_ptr(), self.start.add(offset), text.len());
            let whole =
                std::slice::from_raw_parts(self.start.add(offset - PAD_BEFORE), PAD_BEFORE + text.len() + PAD_AFTER);
            Padded::within(whole, PAD_BEFORE, PAD_BEFORE + text.len()).unwrap()
        }
    }
}

impl Drop for Fenced {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `new` with this length, and nothing borrows from it any more.
        unsafe { libc::munmap(self.start.sub(Self::PAGE).cast(), self.len + 2 * Self::PAGE) };
    }
}

/// How long a slow test runs: 1 unless `NDSKIM_TEST_EFFORT` says more.
pub(crate) fn effort() -> usize {
    std::env::var("NDSKIM_TEST_EFFORT").ok().and_then(|value| value.parse().ok()).unwrap_or(1)
}
