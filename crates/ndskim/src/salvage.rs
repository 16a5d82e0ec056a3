//! Salvage: the complete records that can still be told apart in a line that is not valid.
//!
//! In goes the text of a bad line, and the first key of the good records around it; out come the spans of the records that are
//! whole. A candidate starts at the line's start, or with that first key (`{"id":`); it runs to the line's end, to a NUL byte
//! or to the next such key, and it must be valid. An object nested in a record, whole or cut, is never taken for one.
//!
//! It must cost time in proportion to the line, however hostile: see [`salvage`] for why it does.

use std::ops::Range;

use memchr::memmem::Finder;

use crate::exact::{self, skip_white_space};

/// The spans of the complete records in a bad line, in order; `key` is the first key of the last good record before it, as
/// [`first_key`] gives it. Without one, the line's own first key serves.
///
/// The exact reader runs from a start until the value ends, or until it cannot go on. What begins with the key inside that
/// stretch was met where a value may stand, and so is nested, or inside a string: then the string was cut, and a record may
/// begin there. A run from inside a string of another sees strings where that one saw none. So a place where it could begin
/// once more lies outside strings for the first, is nested there, and is left out; no byte is read by more than two runs that
/// fail, and by one that does not.
pub(crate) fn salvage(line: &[u8], key: Option<&[u8]>, max_depth: u32) -> Vec<Range<usize>> {
    let first = line.iter().position(|&byte| byte != 0 && !exact::is_white_space(byte)).unwrap_or(line.len());
    let Some(key) = key.or_else(|| first_key(&line[first..])) else {
        return whole_value(line, first, None, max_depth).into_iter().collect();
    };
    let mut kept = Vec::new();
    each_run(line, key, first, max_depth, |run, whole| {
        if whole && ends_well(line, run.end, Some(key)) {
            kept.push(run);
        }
    });
    kept
}

/// Runs the exact reader from every place where a record may begin, `first` on; tells how far each came, and whether it read a
/// whole value.
fn each_run(line: &[u8], key: &[u8], first: usize, max_depth: u32, mut run: impl FnMut(Range<usize>, bool)) {
    let starts = Starts { line, finder: Finder::new(key) };
    let mut start = Some(first);
    // The furthest place that a run has come to which failed.
    let mut reached = 0;
    while let Some(at) = start {
        start = match exact::validate_value(line, at, max_depth) {
            Ok(end) => {
                run(at..end, true);
                starts.next(end)
            }
            Err(refusal) => {
                run(at..refusal.offset, false);
                let next = starts.after_failure(at, refusal.offset, reached);
                reached = reached.max(refusal.offset);
                next
            }
        };
    }
}

/// The value that begins at `at`, if it is valid and nothing but a record's end follows.
fn whole_value(line: &[u8], at: usize, key: Option<&[u8]>, max_depth: u32) -> Option<Range<usize>> {
    let end = exact::validate_value(line, at, max_depth).ok()?;
    ends_well(line, end, key).then_some(at..end)
}

/// Whether a record may end at `end`: the line ends there, NUL bytes follow, or another candidate.
fn ends_well(line: &[u8], end: usize, key: Option<&[u8]>) -> bool {
    let rest = &line[skip_white_space(line, end)..];
    matches!(rest.first(), None | Some(0)) || key.is_some_and(|key| rest.starts_with(key))
}

/// Where the first key of good records stands in a line.
struct Starts<'l> {
    line: &'l [u8],
    finder: Finder<'l>,
}

impl Starts<'_> {
    /// The first at or after `from`.
    fn next(&self, from: usize) -> Option<usize> {
        Some(from + self.finder.find(self.line.get(from..)?)?)
    }

    /// The first place behind `start` where a record may begin, when the run from there could not go on at `failed`: inside a
    /// string of that run, behind what earlier runs have `reached`; or at or behind `failed`.
    fn after_failure(&self, start: usize, failed: usize, reached: usize) -> Option<usize> {
        let mut quotes = Quotes { line: self.line, at: start, in_string: false };
        let mut from = start + 1;
        loop {
            let next = self.next(from)?;
            if next >= failed || (quotes.in_string_at(next) && next >= reached) {
                return Some(next);
            }
            from = next + 1;
        }
    }
}

/// Follows the strings of valid text.
struct Quotes<'l> {
    line: &'l [u8],
    at: usize,
    in_string: bool,
}

impl Quotes<'_> {
    /// Whether `place`, which must not lie before that of the last call, is inside a string.
    fn in_string_at(&mut self, place: usize) -> bool {
        while self.at < place {
            match memchr::memchr2(b'"', b'\\', &self.line[self.at..place]) {
                None => self.at = place,
                Some(length) => {
                    self.at += length;
                    match self.line[self.at] {
                        b'"' => self.in_string = !self.in_string,
                        // A backslash stands only in strings, and the byte behind it is no quote of theirs.
                        _ => self.at += 1,
                    }
                    self.at += 1;
                }
            }
        }
        self.in_string
    }
}

/// The text of an object from its opening bracket to the colon behind its first key, as it is written.
pub(crate) fn first_key(record: &[u8]) -> Option<&[u8]> {
    let start = skip_white_space(record, 0);
    let key = skip_white_space(record, start + 1);
    if record.get(start) != Some(&b'{') || record.get(key) != Some(&b'"') {
        return None;
    }
    let colon = skip_white_space(record, exact::string(record, key).ok()?);
    (record.get(colon) == Some(&b':')).then(|| &record[start..=colon])
}

/// The first key of the last good record in some lines, if there is one that is an object and has a key.
pub(crate) fn last_key(lines: &[u8], max_depth: u32) -> Option<&[u8]> {
    let mut end = lines.len();
    while end > 0 {
        let start = memchr::memrchr(b'\n', &lines[..end - 1]).map_or(0, |newline| newline + 1);
        let line = &lines[start..end];
        let key = first_key(line).filter(|_| exact::validate_record(line, max_depth).is_ok());
        if key.is_some() {
            return key;
        }
        end = start;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &[u8] = b"{\"id\":";

    fn kept(line: &str) -> Vec<&str> {
        salvage(line.as_bytes(), Some(KEY), 1024).into_iter().map(|span| &line[span]).collect()
    }

    #[test]
    fn whole_records_of_a_line_are_kept() {
        assert_eq!(kept(r#"{"id":1}{"id":2}"#), [r#"{"id":1}"#, r#"{"id":2}"#]);
        assert_eq!(kept(r#"{"id":1} {"id":2}  "#), [r#"{"id":1}"#, r#"{"id":2}"#]);
        assert_eq!(kept("{\"id\":1}\0\0\0"), ["{\"id\":1}"]);
        assert_eq!(kept("\0\0{\"id\":1}\0\0{\"id\":2}"), ["{\"id\":1}", "{\"id\":2}"]);
        assert_eq!(kept(r#"{"a":0}{"id":2}"#), [r#"{"a":0}"#, r#"{"id":2}"#], "the line's start needs no key");
        assert_eq!(kept(r#"{"id":1,"url":"https://api.{"id":2,"a":{"id":3}}"#), [r#"{"id":2,"a":{"id":3}}"#]);
        assert_eq!(kept(r#"{"id":1,"x":"\{"id":2}"#), [r#"{"id":2}"#], "a cut behind a backslash");
        assert_eq!(kept(r#"{"id":1,"x":"\u00{"id":2}"#), [r#"{"id":2}"#], "a cut in an escape");
        assert_eq!(kept(r#"{"id":1,"x{"id":2}"#), [r#"{"id":2}"#], "a cut in a key");
        assert_eq!(kept(r#"{"id":1,"x":tr{"id":2}"#), [r#"{"id":2}"#], "a cut in a literal");
        assert_eq!(kept(r#""},{"x"}{"id":1}"#), [r#"{"id":1}"#], "the rest of a record in front");
        let cut_in_a_character = [&b"{\"id\":1,\"x\":\"\xe6\xbc"[..], b"{\"id\":2}"].concat();
        let end = cut_in_a_character.len();
        assert!(salvage(&cut_in_a_character, Some(KEY), 1024).into_iter().eq(std::iter::once(end - 8..end)));
    }

    #[test]
    fn a_nested_object_is_never_taken_for_a_record() {
        assert_eq!(kept(r#"{"id":1,"a":{"id":2},"b":[{"id":3}],"c":nope}"#), [""; 0]);
        assert_eq!(kept(r#"{"id":1,"a":{"id":2}"#), [""; 0], "cut right behind a nested object");
        assert_eq!(kept(r#"{"id":1,"a":{"id":2}{"id":3}"#), [r#"{"id":3}"#]);
        assert_eq!(kept(r#"{"id":1,"a":"cut{"id":2,"a":{"id":3}"#), [""; 0]);
        assert_eq!(kept(r#"[{"id":1},{"id":2}"#), [""; 0]);
        assert_eq!(kept(r#"nope{"id":1,"a":{"id":2},"b":"#), [""; 0]);
    }

    #[test]
    fn what_is_not_followed_by_an_end_is_not_kept() {
        assert_eq!(kept(r#"{"id":1}garbage{"id":2}"#), [r#"{"id":2}"#]);
        assert_eq!(kept(r#"{"id":1},{"id":2}"#), [r#"{"id":2}"#]);
        assert_eq!(kept(r#"{"id":1}]"#), [""; 0]);
    }

    #[test]
    fn without_a_good_record_the_own_first_key_of_the_line_serves() {
        let spans = |line: &str| salvage(line.as_bytes(), None, 1024).len();
        assert_eq!(spans(r#"{"id":1}{"id":2}"#), 2);
        assert_eq!(spans("[1]\0\0"), 1);
        assert_eq!(spans("[1][2]"), 0);
    }

    #[test]
    fn the_first_key_is_taken_as_it_is_written() {
        assert_eq!(first_key(b" { \"id\" : 1}"), Some(&b"{ \"id\" :"[..]));
        assert_eq!(first_key(b"{\"a\\\"b\":1}"), Some(&b"{\"a\\\"b\":"[..]));
        assert_eq!([first_key(b"{}"), first_key(b"[1]"), first_key(b""), first_key(b"{\"a")], [None; 4]);
    }

    #[test]
    fn the_last_good_record_with_a_key_is_found_backwards() {
        assert_eq!(last_key(b"{\"a\":1}\n{\"b\":2}\n{\"c\":\n[3]\n\n", 9), Some(&b"{\"b\":"[..]));
        assert_eq!(last_key(b"{\"a\":1}", 9), Some(&b"{\"a\":"[..]));
        assert_eq!(last_key(b"{\"a\":\n\n1", 9), None);
    }

    /// Bytes that the exact reader looks at, counted instead of timed.
    fn work(line: &[u8], key: &[u8]) -> usize {
        let mut work = 0;
        each_run(line, key, 0, u32::MAX, |run, _| work += run.len());
        work
    }

    #[test]
    fn hostile_lines_cost_no_more_than_a_few_times_their_length() {
        let times = |piece: &str| piece.repeat(20_000 / piece.len());
        let lines: [(String, &[u8]); 9] = [
            (times(r#"{"id":"#), KEY),
            (times(r#"{"id":1,"a":"#), KEY),
            (times(r#"{"id":""#), KEY),
            (times(r#"{"id":"x"#), KEY),
            (times(r#"{"id":1}x"#), KEY),
            (times(r#"[{"id":["#), KEY),
            // Keys with which a quote too many or too few does not show at once.
            (format!("[\"{}", times(r#"{",":"#)), b"{\",\":"),
            (format!("[\"{}", times(r#"{",":["","#)), b"{\",\":"),
            (times(r#"{":":{":":"","#), b"{\":\":"),
        ];
        for (line, key) in lines {
            assert!(work(line.as_bytes(), key) <= 3 * line.len(), "{}", &line[..40]);
        }
    }

    proptest::proptest! {
        #[test]
        fn random_lines_cost_no_more_and_only_give_valid_records(
            pieces in proptest::collection::vec(proptest::sample::select(vec![
                "{\"id\":", "{\",\":", "\"", ",", ":", "}", "]", "[", "1", "\\", "\0", " ", "{\":\":", "\"a\"", "{\"id\":1}",
            ]), 0..60),
            key in proptest::sample::select(vec!["{\"id\":", "{\",\":", "{\":\":"]),
        ) {
            let line = pieces.concat();
            proptest::prop_assert!(work(line.as_bytes(), key.as_bytes()) <= 3 * line.len() + 3);
            let mut end = 0;
            for span in salvage(line.as_bytes(), Some(key.as_bytes()), 1024) {
                proptest::prop_assert!(span.start >= end);
                proptest::prop_assert!(exact::validate_record(&line.as_bytes()[span.clone()], 1024).is_ok());
                end = span.end;
            }
        }
    }
}
