//! The exact reader against `str::from_utf8` and serde_json's `IgnoredAny`, which together decide whether a text is JSON.

use std::cell::RefCell;

use proptest::prelude::*;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::*;
use crate::testing::Fenced;

/// The outside judge. `serde_json::Value` would refuse what RFC 8259 allows (`1e400`, lone surrogates, depth over 128).
fn judge(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    IgnoredAny::deserialize(&mut reader).is_ok() && reader.end().is_ok()
}

thread_local! {
    static FENCED: RefCell<Fenced> = RefCell::new(Fenced::new(1 << 16));
}

/// Where the exact reader refuses a text behind which nothing can be read.
fn place(text: &[u8]) -> Option<usize> {
    FENCED.with_borrow_mut(|fenced| validate_record(fenced.bare(text), 1024).err().map(|refusal| refusal.offset))
}

fn agree(text: &[u8]) {
    assert_eq!(place(text).is_none(), judge(text), "{:?}", String::from_utf8_lossy(text));
}

/// The place of a fault is right if the text before it can still become valid and the text with the byte cannot.
/// Completing is tried with each of these rests, and then with the brackets that are open.
fn completable(prefix: &[u8]) -> bool {
    const RESTS: [&str; 19] = [
        "", "0", "\"", "\":0", ":0", "\"\":0", "n\"", "n\":0", "00000\"", "0000\":0", "rue", "ue", "e", "ull", "ll",
        "l", "alse", "lse", "se",
    ];
    let open = open_brackets(prefix);
    RESTS.iter().any(|rest| judge(&[prefix, rest.as_bytes(), &open].concat()))
}

/// The closing brackets that a text outside strings still needs, innermost first.
fn open_brackets(text: &[u8]) -> Vec<u8> {
    let (mut open, mut in_string, mut escaped) = (Vec::new(), false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => open.push(byte + 2),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
    }
    open.reverse();
    open
}

#[test]
fn accepts_and_refuses_as_the_grammar_says() {
    let valid = [
        "0",
        "-0",
        "10",
        "1.5",
        "1e5",
        "1E+5",
        "1e-05",
        "-1.5e400",
        "true",
        "false",
        "null",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        " [ ] ",
        "[1,2]",
        "{\"a\":{\"b\":[]}}",
        "\"\\u00e9\\ud800\\n\\/\"",
        "\"\u{7f}é漢😀\"",
        "\t{\r\n}\n",
    ];
    for text in valid {
        assert_eq!(validate_record(text.as_bytes(), 1024), Ok(()), "{text}");
    }
    let refused: [(&[u8], usize, &str); 40] = [
        (b"", 0, "expected a value, found the end of the record"),
        (b"  ", 2, "expected a value, found the end of the record"),
        (b"{", 1, "expected a key in double quotes, found the end of the record"),
        (b"{1:2}", 1, "expected a key in double quotes, found `1`"),
        (b"{'a':2}", 1, "expected a key in double quotes, found `'`"),
        (b"{\"a\"}", 4, "expected `:` after the key, found `}`"),
        (b"{\"a\":}", 5, "expected a value, found `}`"),
        (b"{\"a\":1,}", 7, "expected a key in double quotes, found `}`"),
        (b"{\"a\":1 \"b\":2}", 7, "expected `,` or `}`, found `\"`"),
        (b"{\"a\":1]", 6, "expected `,` or `}`, found `]`"),
        (b"[1}", 2, "expected `,` or `]`, found `}`"),
        (b"[1,]", 3, "expected a value, found `]`"),
        (b"[,1]", 1, "expected a value, found `,`"),
        (b"[1 2]", 3, "expected `,` or `]`, found `2`"),
        (b"[1", 2, "expected `,` or `]`, found the end of the record"),
        (b"]", 0, "expected a value, found `]`"),
        (b"1 2", 2, "expected nothing after the value, found `2`"),
        (b"{}{}", 2, "expected nothing after the value, found `{`"),
        (b"01", 1, "expected no digit after a leading zero, found `1`"),
        (b"-01", 2, "expected no digit after a leading zero, found `1`"),
        (b"+1", 0, "expected a value, found `+`"),
        (b"-", 1, "expected a digit, found the end of the record"),
        (b"-a", 1, "expected a digit, found `a`"),
        (b".5", 0, "expected a value, found `.`"),
        (b"1.", 2, "expected a digit after the decimal point, found the end of the record"),
        (b"1.e5", 2, "expected a digit after the decimal point, found `e`"),
        (b"1e", 2, "expected a digit of the exponent, found the end of the record"),
        (b"1e+", 3, "expected a digit of the exponent, found the end of the record"),
        (b"tru", 3, "expected the literal `true`, found the end of the record"),
        (b"nul1", 3, "expected the literal `null`, found `1`"),
        (b"NaN", 0, "expected a value, found `N`"),
        (b"Infinity", 0, "expected a value, found `I`"),
        (b"\"a", 2, "expected a closing quote, found the end of the record"),
        (b"\"\t\"", 1, "expected an escape in place of this control character, found byte 0x09"),
        (b"\"\\x\"", 2, "expected an escape such as `\\n`, `\\\"` or `\\u0041`, found `x`"),
        (b"\"\\u12g4\"", 5, "expected four hexadecimal digits after `\\u`, found `g`"),
        (b"\"ab\xff\"", 3, "expected well-formed UTF-8, found byte 0xff"),
        (b"\"\xed\xa0\x80\"", 1, "expected well-formed UTF-8, found byte 0xed"),
        ("é".as_bytes(), 0, "expected a value, found `é`"),
        ("\u{feff}1".as_bytes(), 0, "expected a value, found a byte order mark"),
    ];
    for (text, offset, reason) in refused {
        let refusal = validate_record(text, 1024).unwrap_err();
        assert_eq!(
            (refusal.offset, refusal.reason.to_string().as_str()),
            (offset, reason),
            "{:?}",
            String::from_utf8_lossy(text)
        );
        assert!(!judge(text));
    }
}

#[test]
fn depth_is_limited_at_the_bracket_beyond_the_limit() {
    for depth in [1, 63, 64, 65, 127, 128, 129, 1024] {
        let nested = |levels: usize| ["[".repeat(levels), "]".repeat(levels)].concat();
        assert_eq!(validate_record(nested(depth).as_bytes(), depth as u32), Ok(()));
        let refusal = validate_record(nested(depth + 1).as_bytes(), depth as u32).unwrap_err();
        assert_eq!((refusal.offset, refusal.reason.kind()), (depth, FaultKind::TooDeep));
        // Kinds of container must survive the way to the heap and back.
        let mixed = ["[{\"a\":".repeat(depth), "0".into(), "}]".repeat(depth)].concat();
        assert_eq!(validate_record(mixed.as_bytes(), 4096), Ok(()));
        let wrong = ["[{\"a\":".repeat(depth), "0".into(), "}]".repeat(depth - 1), "]]".into()].concat();
        assert!(validate_record(wrong.as_bytes(), 4096).is_err());
    }
}

#[test]
fn every_short_text_over_significant_bytes_is_judged_alike() {
    let bytes = b"{}[],:\"\\0-1.eE+tu \nn/a\x00\x80\xc3\xa9";
    for a in bytes {
        agree(&[*a]);
        for b in bytes {
            agree(&[*a, *b]);
            for c in bytes {
                agree(&[*a, *b, *c]);
                agree(&[b'"', *a, *b, *c, b'"']);
                agree(&[b'[', *a, *b, *c, b']']);
            }
        }
    }
}

#[test]
fn every_string_of_up_to_five_tokens_is_judged_alike() {
    let tokens = ["{", "}", "[", "]", ",", ":", "\"\"", "\"a\"", "0", "-1.5", "true", " "];
    let mut texts = vec![String::new()];
    for _ in 0..5 {
        texts = texts.iter().flat_map(|text| tokens.iter().map(move |token| format!("{text}{token}"))).collect();
        for text in &texts {
            agree(text.as_bytes());
        }
    }
}

#[test]
fn every_utf8_sequence_of_up_to_three_bytes_is_judged_alike() {
    for a in 0x7f..=0xff_u8 {
        for b in [0x00, 0x22, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff] {
            for c in [0x22, 0x7f, 0x80, 0xbf, 0xc0] {
                for d in [0x22, 0x7f, 0x80, 0xbf, 0xc0] {
                    for length in 1..=4 {
                        let sequence = &[a, b, c, d][..length];
                        assert_eq!(
                            utf8_length(sequence).is_some_and(|n| n == length),
                            one_character(sequence),
                            "{sequence:x?}"
                        );
                    }
                    agree(&[b'"', a, b, c, d, b'"']);
                }
            }
        }
    }
}

fn one_character(sequence: &[u8]) -> bool {
    std::str::from_utf8(sequence).is_ok_and(|s| s.chars().count() == 1 && sequence[0] >= 0x80)
}

proptest! {
    #[test]
    fn damaged_texts_are_judged_alike(text in crate::testing::json(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut text = text.into_bytes();
        agree(&text);
        let at = at.index(text.len());
        text[at] = byte;
        agree(&text);
        text.truncate(at);
        agree(&text);
    }

    #[test]
    fn the_place_is_the_first_byte_that_cannot_continue(text in "[\\[\\]{},:\"\\\\0-9.eE+tu n-]{0,8}") {
        if let Some(offset) = place(text.as_bytes()) {
            prop_assert!(!completable(&text.as_bytes()[..(offset + 1).min(text.len())]) || offset == text.len());
            prop_assert!(completable(&text.as_bytes()[..offset]), "{text:?} at {offset}");
        }
    }
}
