//! Random valid JSON, in several styles.

use super::Random;

/// How white space and numbers are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    Compact,
    /// `, ` and `: `.
    Spaced,
    /// Any white space but newlines anywhere between tokens.
    Loose,
    /// Newlines and indentation too.
    Pretty,
}

pub(super) struct Writer<'a> {
    pub(super) random: &'a mut Random,
    pub(super) style: Style,
    /// One in so many numbers has a fraction or exponent.
    pub(super) floats: usize,
    /// One in so many keys is written with an escape.
    pub(super) escaped_keys: usize,
    /// Keys of one object differ.
    pub(super) distinct_keys: bool,
    pub(super) out: Vec<u8>,
}

impl Writer<'_> {
    pub(super) fn value(&mut self, depth: usize) {
        let kinds = if depth == 0 { 6 } else { 10 };
        match self.random.below(kinds) {
            0 => self.literal(),
            1 | 2 => self.number(),
            3..=5 => {
                let text = text(self.random);
                self.string(&text);
            }
            6 | 7 => self.array(depth),
            _ => self.object(depth),
        }
    }

    pub(super) fn object(&mut self, depth: usize) {
        self.out.push(b'{');
        let mut used: Vec<String> = Vec::new();
        for member in 0..self.random.below(6) {
            let key = key(self.random);
            if self.distinct_keys && used.contains(&key) {
                continue;
            }
            self.comma(!used.is_empty(), member);
            if self.random.below(self.escaped_keys) == 0 {
                self.string_all_escaped(&key);
            } else {
                self.string(&key);
            }
            self.space();
            self.out.push(b':');
            self.space_behind();
            self.value(depth - 1);
            used.push(key);
        }
        self.space();
        self.out.push(b'}');
    }

    pub(super) fn array(&mut self, depth: usize) {
        self.out.push(b'[');
        for element in 0..self.random.below(6) {
            self.comma(element > 0, element);
            self.value(depth - 1);
        }
        self.space();
        self.out.push(b']');
    }

    fn comma(&mut self, wanted: bool, _: usize) {
        if wanted {
            self.space();
            self.out.push(b',');
            self.space_behind();
        } else {
            self.space();
        }
    }

    fn space(&mut self) {
        if self.style == Style::Pretty {
            let count = self.random.below(3);
            self.out.extend_from_slice(&b"\n    "[..count * 2]);
        }
        if self.style == Style::Loose {
            for _ in 0..self.random.below(3) {
                let space = *self.random.pick(&[&b' ', &b' ', &b'\t', &b'\r']);
                self.out.push(space);
            }
        }
    }

    fn space_behind(&mut self) {
        if self.style == Style::Spaced {
            self.out.push(b' ');
        }
        self.space();
    }

    fn literal(&mut self) {
        let word = self.random.pick(&["true", "false", "null"]);
        self.out.extend_from_slice(word.as_bytes());
    }

    fn number(&mut self) {
        let r = self.random.next();
        let integer = match r % 5 {
            0 => 0,
            1 => r >> 8 & 0xf,
            2 => r >> 8 & 0xffff,
            3 => r >> 8 & 0xffff_ffff,
            _ => r >> 8,
        };
        let sign = if self.random.below(4) == 0 { "-" } else { "" };
        let mut number = format!("{sign}{integer}");
        if self.random.below(self.floats) == 0 {
            let fraction = self.random.next() % 100_000;
            match self.random.below(5) {
                0 => number += &format!(".{fraction}"),
                1 => number += &format!(".{fraction}e{}", fraction % 90),
                2 => number += &format!("E-0{}", fraction % 90),
                3 => number += &format!("e+{}", fraction % 90),
                _ => number += ".0",
            }
        }
        self.out.extend_from_slice(number.as_bytes());
    }

    pub(super) fn string(&mut self, text: &str) {
        self.out.push(b'"');
        for character in text.chars() {
            match character {
                '"' => self.out.extend_from_slice(br#"\""#),
                '\\' => self.out.extend_from_slice(br"\\"),
                '\n' => self.out.extend_from_slice(br"\n"),
                '\0'..'\x20' => self.escaped(character),
                _ if self.random.below(40) == 0 => self.escaped(character),
                _ => self.out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        self.out.push(b'"');
    }

    fn string_all_escaped(&mut self, text: &str) {
        self.out.push(b'"');
        text.chars().for_each(|character| self.escaped(character));
        self.out.push(b'"');
    }

    fn escaped(&mut self, character: char) {
        for unit in character.encode_utf16(&mut [0; 2]) {
            self.out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
        }
    }
}

/// A key: few, so that keys meet, some of them prefixes of others, some long.
pub(super) fn key(random: &mut Random) -> String {
    let key = random.pick(&[
        "a",
        "b",
        "ab",
        "",
        "type",
        "typ",
        "0",
        "1",
        "é",
        "x/y",
        "m~n",
        "a\"b",
        "a\\",
        "key of more than 16 bytes",
        "key of more than 16 bytez",
        "\u{1F600}",
    ]);
    key.to_owned()
}

/// A string's text: plain, with quotes, backslashes and controls, other scripts, short and long.
fn text(random: &mut Random) -> String {
    let parts =
        ["a", "word ", "\"", "\\", "\\\\", "\n", "\t", "{", "}", "[", "]", ",", ":", "é", "字", "\u{1F680}", "1", "/"];
    let mut text = String::new();
    let longest = if random.below(12) == 0 { 150 } else { 12 };
    let len = random.below(longest);
    for _ in 0..len {
        text += random.pick(&parts);
    }
    text
}

/// Spoils a line in one of several ways.
pub(super) fn damage(random: &mut Random, line: &mut Vec<u8>) {
    const BYTES: &[u8] = b"{}[],:\"\"\\019-+.eEtrufalsn \t\r\x00\x1f\x7f\x80\xc3\xe2\xf0\xff";
    for _ in 0..1 + random.below(2) {
        let at = random.below(line.len() + 1);
        let byte = BYTES[random.below(BYTES.len())];
        let bit = 1 << random.below(8);
        match random.below(7) {
            0 if at < line.len() => line[at] = byte,
            1 if at < line.len() => drop(line.remove(at)),
            2 => line.insert(at, byte),
            3 => line.truncate(at),
            4 if at < line.len() => line[at] ^= bit,
            5 => {
                let end = (at + random.below(8)).min(line.len());
                let copy = line[at..end].to_vec();
                line.splice(at..at, copy);
            }
            _ if at + 1 < line.len() => line.swap(at, at + 1),
            _ => {}
        }
    }
    line.retain(|byte| *byte != b'\n');
}
