//! Free text: titles, commit messages, bodies in Markdown, diffs. In goes a random stream and a
//! wanted length, out comes the inside of a JSON string, escaped already: quotes, backslashes,
//! line ends and control bytes as escapes, other scripts as UTF-8 or, now and then, as `\uXXXX`
//! with surrogate pairs. It never writes the quotes around the string.

use crate::put::{Put as _, put};
use crate::rng::Rng;
use crate::words::{EMOJI, ENGLISH, PATHS, SCRIPTS, SIGNS};

/// How many sentences in a million are in another script.
const FOREIGN_SENTENCE: u32 = 1_000;
/// How many of those in a million are written with `\uXXXX` escapes.
const ESCAPED_SENTENCE: u32 = 150_000;
/// How many words in a million are followed by an emoji, a typographic sign, or something that
/// needs an escape.
const EMOJI_WORD: u32 = 250;
const SIGN_WORD: u32 = 300;
const ESCAPED_WORD: u32 = 8_500;

/// A title of a few words: 25 bytes on average.
pub(crate) fn title(out: &mut Vec<u8>, rng: &mut Rng) {
    let words = rng.range(2, 6);
    sentence(out, rng, words);
}

/// A commit message: a line, sometimes with a paragraph or trailers after a blank line; 40 bytes
/// on average.
pub(crate) fn message(out: &mut Vec<u8>, rng: &mut Rng) {
    let words = rng.range(1, 8);
    sentence(out, rng, words);
    match rng.below(40) {
        0 => {
            put!(out; "\\n\\n");
            prose(out, rng, 120, "\\n");
        }
        1 => put!(out; " (#", rng.below(20_000), ")"),
        2 => put!(out; "\\n\\nCo-authored-by: bot <bot@users.example.org>"),
        _ => {}
    }
}

/// A description of a repository, one line of up to `longest` bytes or a little more.
pub(crate) fn line(out: &mut Vec<u8>, rng: &mut Rng, longest: u32) {
    let end = out.len() + rng.below(longest.max(1)) as usize;
    loop {
        let words = rng.range(2, 9);
        sentence(out, rng, words);
        if out.len() >= end {
            return;
        }
        put!(out; ". ");
    }
}

/// A body in Markdown of about `length` bytes (never less than a few words), with the line ends
/// that a browser (`\r\n`) or a program (`\n`) sends.
pub(crate) fn body(out: &mut Vec<u8>, rng: &mut Rng, length: u32) {
    let end = out.len() + length as usize;
    let line_end = if rng.below(3) > 0 { "\\r\\n" } else { "\\n" };
    loop {
        match rng.below(16) {
            0 => list(out, rng, line_end),
            1 => code(out, rng, line_end),
            2 => {
                put!(out; "## ");
                title(out, rng);
            }
            3 => link(out, rng),
            4 => {
                put!(out; "> ");
                prose(out, rng, 80, line_end);
            }
            _ => {
                let length = rng.range(60, 400);
                prose(out, rng, length, line_end);
            }
        }
        if out.len() >= end {
            return;
        }
        put!(out; line_end, line_end);
    }
}

/// A hunk of a diff, of about `length` bytes.
pub(crate) fn diff_hunk(out: &mut Vec<u8>, rng: &mut Rng, length: u32) {
    let end = out.len() + length as usize;
    let line = rng.range(1, 900);
    put!(out; "@@ -", line, ",", rng.range(1, 40), " +", line, ",", rng.range(1, 40), " @@");
    while out.len() < end {
        put!(out; "\\n", rng.pick(&["+", "-", " ", " "]), rng.pick(&["", "  ", "    ", "\\t", "\\t\\t"]));
        let words = rng.range(2, 9);
        sentence(out, rng, words);
        put!(out; rng.pick(&[";", "", ",", " {", ")", "();"]));
    }
}

/// Sentences up to about `length` bytes, some of them on lines of their own.
fn prose(out: &mut Vec<u8>, rng: &mut Rng, length: u32, line_end: &str) {
    let end = out.len() + length as usize;
    loop {
        let words = rng.range(4, 14);
        sentence(out, rng, words);
        if out.len() >= end {
            put!(out; ".");
            return;
        }
        put!(out; ". ");
        if rng.below(8) == 0 {
            put!(out; line_end);
        }
    }
}

/// `words` words without a full stop at the end, in English or, now and then, in another script.
fn sentence(out: &mut Vec<u8>, rng: &mut Rng, words: u32) {
    if rng.chance(FOREIGN_SENTENCE) {
        return foreign(out, rng, words);
    }
    for n in 0..words {
        if n > 0 {
            out.push(b' ');
        }
        let at = out.len();
        rng.pick(ENGLISH).put(out);
        if n == 0 {
            out[at] = out[at].to_ascii_uppercase();
        }
        let lot = rng.below(1_000_000);
        if lot < EMOJI_WORD {
            put!(out; " ", rng.pick(EMOJI));
        } else if lot < EMOJI_WORD + SIGN_WORD {
            put!(out; rng.pick(SIGNS));
        } else if lot < EMOJI_WORD + SIGN_WORD + ESCAPED_WORD {
            awkward(out, rng);
        } else if lot > 980_000 {
            put!(out; " #", rng.below(9_000));
        }
    }
}

/// Something that a string can only hold as an escape, or that looks like structure.
fn awkward(out: &mut Vec<u8>, rng: &mut Rng) {
    match rng.below(14) {
        0..=2 => put!(out; " \\\"", rng.pick(ENGLISH), "\\\""),
        3 => put!(out; " C:\\\\", rng.pick(ENGLISH), "\\\\", rng.pick(ENGLISH)),
        4 => put!(out; " {\\\"type\\\":\\\"PullRequestEvent\\\",\\\"id\\\":", rng.below(99), "}"),
        5 => put!(out; " \\\\\\\""),
        6 => put!(out; " \\t"),
        7 => put!(out; " \\u003c", rng.pick(ENGLISH), "\\u003e"),
        8 => put!(out; " \\ud83d\\ude80"),
        9 => put!(out; " caf\\u00e9"),
        10 => put!(out; " [", rng.below(99), ", {", rng.pick(ENGLISH), ": null}]"),
        11 => put!(out; " \\/", rng.pick(ENGLISH), "\\/"),
        12 => put!(out; " \\b\\f\\u001b[0m"),
        _ => put!(out; " }{ ", rng.pick(ENGLISH), "}],[{"),
    }
}

/// Words in another script, raw or escaped.
fn foreign(out: &mut Vec<u8>, rng: &mut Rng, words: u32) {
    let script = &SCRIPTS[rng.below(SCRIPTS.len() as u32) as usize];
    let escaped = rng.chance(ESCAPED_SENTENCE);
    for n in 0..words {
        if n > 0 {
            put!(out; script.space);
        }
        let word = rng.pick(script.words);
        if escaped {
            escape_all(out, word);
        } else {
            put!(out; word);
        }
    }
    if rng.below(4) == 0 {
        let emoji = rng.pick(EMOJI);
        if escaped {
            escape_all(out, emoji);
        } else {
            put!(out; emoji);
        }
    }
    put!(out; script.stop);
}

/// Writes every UTF-16 unit of `text` as `\uXXXX`; both cases of the digits occur in the wild.
fn escape_all(out: &mut Vec<u8>, text: &str) {
    for unit in text.encode_utf16() {
        put!(out; "\\u");
        for shift in [12, 8, 4, 0] {
            out.push(b"0123456789abcdef"[usize::from(unit >> shift & 15)]);
        }
    }
}

fn list(out: &mut Vec<u8>, rng: &mut Rng, line_end: &str) {
    let mark = rng.pick(&["- ", "* ", "- [ ] ", "- [x] "]);
    for n in 0..rng.range(2, 6) {
        if n > 0 {
            put!(out; line_end);
        }
        put!(out; mark);
        title(out, rng);
    }
}

fn code(out: &mut Vec<u8>, rng: &mut Rng, line_end: &str) {
    put!(out; "```", rng.pick(&["", "rust", "js", "json", "sh"]));
    for _ in 0..rng.range(1, 6) {
        put!(out; line_end);
        match rng.below(4) {
            0 => {
                put!(out; "\\t", rng.pick(ENGLISH), "(\\\"", rng.pick(ENGLISH), "\\\", ", rng.below(1_000), ");")
            }
            1 => {
                put!(out; "    at ", rng.pick(ENGLISH), " (", rng.pick(PATHS), ":", rng.below(400), ")")
            }
            2 => put!(out; "$ ", rng.pick(ENGLISH), " --", rng.pick(ENGLISH), "=", rng.below(64)),
            _ => sentence(out, rng, 4),
        }
    }
    put!(out; line_end, "```");
}

fn link(out: &mut Vec<u8>, rng: &mut Rng) {
    put!(out; "[", rng.pick(ENGLISH), "](https://example.org/", rng.pick(ENGLISH), "/", rng.pick(PATHS),
        "?", rng.pick(ENGLISH), "=", rng.below(10_000), "#L", rng.below(900), ")");
}
