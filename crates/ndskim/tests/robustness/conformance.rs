//! RFC 8259's grammar, written out: what a reader must accept and what it must refuse, alone and between good lines.

use ndskim::OnFault;

use crate::configurations::full;
use crate::judge::is_record;

/// Section 2, white space and structure; 3, literals and values; 4, objects; 5, arrays; 6, numbers; 7, strings; 8.1, encoding.
const ACCEPT: [&str; 72] = [
    // 2: any value is a text, with any white space around it and each structural character.
    "1",
    "\"a\"",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    " 1",
    "\t1",
    "\r1",
    "1 ",
    "1\t",
    "1\r",
    " \t\r1 \t\r",
    "[ ]",
    "{ }",
    " [ 1 , 2 ] ",
    "\t{\t\"a\"\t:\t1\t}\t",
    "{\r\"a\"\r:\r1\r,\r\"b\"\r:\r2\r}",
    // 4: names are strings; they need not be unique, and may be empty.
    "{\"a\":1}",
    "{\"a\":1,\"b\":2}",
    "{\"a\":1,\"a\":2}",
    "{\"\":0}",
    "{\"\\u0000\":0}",
    "{\"a\":{\"b\":{\"c\":[]}}}",
    "{\"\\\"\":1}",
    "{\"a\":null,\"b\":true,\"c\":false,\"d\":[],\"e\":{},\"f\":\"\",\"g\":0}",
    // 5: values of an array need not be of one type.
    "[1]",
    "[1,2]",
    "[[]]",
    "[[],[]]",
    "[{}]",
    "[null]",
    "[\"\"]",
    "[[[[[[[[[[1]]]]]]]]]]",
    "[1,\"a\",null,true,[],{}]",
    // 6: numbers.
    "0",
    "-0",
    "1",
    "-1",
    "10",
    "1234567890",
    "0.0",
    "-0.0",
    "0.1",
    "1.0",
    "1.5",
    "-1.25",
    "0e0",
    "0E0",
    "1e1",
    "1E1",
    "1e+1",
    "1e-1",
    "1e00",
    "1E+05",
    "1.5e10",
    "-1.5E-10",
    "123456789012345678901234567890",
    "1e400",
    "-1e-400",
    "0.00000000000000000000001",
    // 7: strings.
    "\"\"",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\\u0000\\uFFFF\\uabcd\\uABCD\"",
    "\"\\uD834\\uDD1E\"",
    "\"\\uD834\"",
    "\"\\uDD1E\"",
    "\"\u{7f}\u{80}\u{7ff}\u{800}\u{fffd}\u{10000}\u{10ffff}\"",
    "\"\u{2028}\u{2029}\u{feff}\"",
    "\"// no comment /* */ #\"",
    "\"{}[],:\"",
];

const REFUSE: [&[u8]; 105] = [
    // 2: white space is four characters, and structural characters stand where the grammar has them.
    b"\x0b1",
    b"\x0c1",
    b"1\x00",
    b"\xc2\xa01",
    b"\xe2\x80\xa81",
    b"1 1",
    b"1,",
    b",1",
    b",",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b"[]]",
    b"[[]",
    b"{}}",
    b"{{}",
    b"[}",
    b"{]",
    b"[1}",
    b"{\"a\":1]",
    b"[]{}",
    b"[] []",
    b"{}1",
    b"\"a\"\"b\"",
    // 3: three literals, in lower case.
    b"True",
    b"TRUE",
    b"tru",
    b"truee",
    b"nul",
    b"Null",
    b"nil",
    b"undefined",
    b"fals",
    b"False",
    b"t",
    b"truefalse",
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"inf",
    // 4: objects.
    b"{\"a\"}",
    b"{\"a\":}",
    b"{:1}",
    b"{a:1}",
    b"{'a':1}",
    b"{1:1}",
    b"{null:1}",
    b"{\"a\":1,}",
    b"{,\"a\":1}",
    b"{\"a\":1,,\"b\":2}",
    b"{\"a\":1 \"b\":2}",
    b"{\"a\" 1}",
    b"{\"a\"::1}",
    b"{\"a\":1:2}",
    b"{\"a\":1,2}",
    b"{\"a\",1}",
    b"{[]:1}",
    b"{\"a\":1",
    // 5: arrays.
    b"[1,]",
    b"[,]",
    b"[,1]",
    b"[1,,2]",
    b"[1 2]",
    b"[1:2]",
    b"[\"a\":1]",
    b"[1",
    b"[1,",
    b"[\"a",
    // 6: numbers.
    b"-",
    b"+1",
    b"+",
    b"01",
    b"-01",
    b"00",
    b"1.",
    b".1",
    b"-.1",
    b"1.e1",
    b"1e",
    b"1e+",
    b"1E-",
    b"e1",
    b"1e1.5",
    b"1.1.1",
    b"0x1",
    b"1f",
    b"1_0",
    b"--1",
    b"1-",
    b"1+1",
    b"\xef\xbc\x91",
    // 7: strings.
    b"\"",
    b"\"\\\"",
    b"\"\\x41\"",
    b"\"\\u004\"",
    b"\"\\u 041\"",
    b"\"\\uG000\"",
    b"\"\\\x00\"",
    b"'a'",
    b"\"a\tb\"",
    b"\"\x00\"",
    b"\"\x1f\"",
    // 8.1: UTF-8.
    b"\"\xff\"",
];

#[test]
fn the_table_says_what_the_judge_says() {
    assert!(ACCEPT.iter().all(|text| is_record(text.as_bytes())));
    for text in REFUSE {
        assert!(!is_record(text), "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn texts_alone_are_accepted_and_refused_as_the_grammar_says() {
    for configuration in full() {
        for text in ACCEPT {
            for end in ["", "\n"] {
                let input = format!("{text}{end}");
                let outcome = configuration.bytes(input.as_bytes()).for_each(|_| ());
                assert_eq!(outcome.map(|outcome| outcome.stats.records).ok(), Some(1), "{configuration:?} {text:?}");
            }
        }
        for text in REFUSE {
            for end in [&b""[..], b"\n"] {
                let input = [text, end].concat();
                assert!(
                    configuration.bytes(&input).for_each(|_| ()).is_err(),
                    "{configuration:?} {}",
                    String::from_utf8_lossy(text)
                );
            }
        }
    }
}

#[test]
fn texts_between_good_lines_are_accepted_and_refused_as_the_grammar_says() {
    let good = "{\"good\":[1,\"two\",null]}";
    let mut input = Vec::new();
    let mut accepted = vec![good.as_bytes()];
    let mut refused = Vec::new();
    input.extend_from_slice(format!("{good}\n").as_bytes());
    // Accepted and refused by turns, so that each follows the other.
    let longest = ACCEPT.len().max(REFUSE.len());
    for n in 0..longest {
        let (accept, refuse) = (ACCEPT[n % ACCEPT.len()].as_bytes(), REFUSE[n % REFUSE.len()]);
        for text in [accept, refuse, good.as_bytes()] {
            input.extend_from_slice(text);
            input.push(b'\n');
        }
        accepted.extend([accept, good.as_bytes()]);
        refused.push(refuse);
    }
    for configuration in full() {
        let mut rejects = Vec::new();
        let scan =
            configuration.bytes(&input).on_fault(OnFault::Skip).rejects(|reject| rejects.push(reject.text().to_vec()));
        let records = scan.map(|record| record.text().to_vec()).unwrap().value;
        assert_eq!(records, accepted, "{configuration:?}");
        assert_eq!(rejects, refused, "{configuration:?}");
    }
}
