use proptest::prelude::*;

use super::*;
use crate::exact;
use crate::padded::TEXT_PAD;
use crate::pointer::{Pointer, Projection, array_index};
use crate::testing;
use crate::text::content_is;

fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.into_iter().filter(|kernel| kernel.is_available())
}

/// Calls `test` with the text before paddings of different kinds, which must make no difference, and nothing readable behind.
fn in_paddings(text: &[u8], mut test: impl FnMut(Text<'_>)) {
    let mut fenced = testing::Fenced::new(text.len() + TEXT_PAD);
    for padding in [b"\n", b"\"", b"}", b"\\"] {
        let mut padded = text.to_vec();
        padded.extend(padding.repeat(TEXT_PAD));
        test(Text::new(fenced.bare(&padded), text.len()).unwrap());
    }
}

fn fields_of(kernel: Kernel, text: Text<'_>, projection: &Projection) -> Result<Vec<Option<usize>>> {
    let mut fields = vec![None; projection.len()];
    find_fields(kernel, text, 0, projection, &mut Frames::default(), &mut fields, &mut NoWatch)?;
    Ok(fields)
}

/// The offset of the value that a pointer leads to in valid text, with the exact reader's help and nothing of this module.
fn judge(text: &[u8], pointer: &Pointer) -> Option<usize> {
    let space = |at| exact::skip_white_space(text, at);
    let mut at = 0;
    for token in pointer.tokens() {
        let (open, mut next, mut element) = (text[at], space(at + 1), 0);
        at = loop {
            if !matches!(open, b'{' | b'[') || matches!(text[next], b'}' | b']') {
                return None;
            }
            let mut hit = array_index(token) == Some(element);
            if open == b'{' {
                let end = exact::string(text, next).unwrap();
                hit = content_is(&text[next + 1..end - 1], token.as_bytes());
                next = space(space(end) + 1);
            }
            if hit {
                break next;
            }
            next = space(exact::validate_value(text, next, 1000).unwrap());
            next = if text[next] == b',' { space(next + 1) } else { next };
            element += 1;
        };
    }
    Some(at)
}

/// Pointers that often lead somewhere in what [`testing::json`] makes.
fn pointers() -> impl Strategy<Value = Vec<Pointer>> {
    let token = prop_oneof![
        6 => "[abc]{0,2}".prop_map(String::from),
        1 => "[01]".prop_map(String::from),
        1 => prop::sample::select(vec!["a/b", "~", "é", "\"", "\\"]).prop_map(String::from),
    ];
    let pointer = prop::collection::vec(token, 0..4).prop_map(Pointer::from_tokens);
    prop::collection::vec(pointer, 0..8)
}

/// JSON with members of all lengths in front, so that what is looked for stands anywhere in a vector.
fn shifted_json() -> impl Strategy<Value = String> {
    (testing::json(), testing::json(), 0..140_usize, 0..3_usize).prop_map(|(a, b, length, style)| {
        let filler = match length % 3 {
            0 => "x".repeat(length),
            1 => r#"\""#.repeat(length / 2),
            _ => r"{\\".repeat(length / 3),
        };
        match style {
            0 => format!("{{\"{filler}\":{a},\"a\":{b}}}"),
            1 => format!("{{\"b\":\"{filler}\" , \"a\" :\t{a},\"c\":{b}}}"),
            _ => format!("[\"{filler}\",{a},{{\"b\":{b},\"a\":[{a}]}}]"),
        }
    })
}

/// Text that is nearly JSON, or not at all.
fn any_text() -> impl Strategy<Value = Vec<u8>> {
    let soup = prop::sample::select(br#"{}[]",:\ abx01tn"#.to_vec());
    let damaged = (shifted_json(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(text, place, byte)| {
        let mut bytes = text.into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        bytes
    });
    let cut = (shifted_json(), any::<prop::sample::Index>()).prop_map(|(text, place)| {
        let end = place.index(text.len()) + 1;
        text.into_bytes()[..end].to_vec()
    });
    let soup = prop::collection::vec(soup, 1..300).prop_map(|rest| [b"{".to_vec(), rest].concat());
    prop_oneof![soup, damaged, cut, prop::collection::vec(any::<u8>(), 1..200)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn fields_are_found_as_the_exact_reader_finds_them(text in shifted_json(), pointers in pointers()) {
        let expected: Vec<_> = pointers.iter().map(|pointer| judge(text.as_bytes(), pointer)).collect();
        let projection = Projection::from(pointers);
        for kernel in kernels() {
            in_paddings(text.as_bytes(), |padded| {
                assert_eq!(fields_of(kernel, padded, &projection), Ok(expected.clone()), "{}", kernel.name());
            });
        }
    }

    #[test]
    fn every_member_and_element_of_valid_text_is_met(text in shifted_json()) {
        for kernel in kernels() {
            in_paddings(text.as_bytes(), |padded| walk_all(kernel, padded, 0));
        }
    }

    #[test]
    fn any_bytes_are_read_alike_by_all_kernels(text in any_text(), pointers in pointers()) {
        let projection = Projection::from(pointers);
        let mut answers = Vec::new();
        for kernel in kernels() {
            in_paddings(&text, |padded| {
                let mut values = Vec::new();
                for at in 0..=text.len() {
                    values.push((skip_value(kernel, padded, at), skip_string(kernel, padded, at)));
                    prop_assert_within(&values, text.len());
                }
                answers.push((fields_of(kernel, padded, &projection), values, plain_content(kernel, padded)));
            });
        }
        for answer in &answers {
            prop_assert_eq!(answer, &answers[0]);
        }
    }

    #[test]
    fn a_plain_string_is_valid_and_stands_for_itself(text in any_text(), quoted in "\"[ -~]{0,70}\"?") {
        for text in [text, quoted.into_bytes()] {
            for kernel in kernels() {
                in_paddings(&text, |padded| if let Some(string) = plain_str(kernel, padded) {
                    assert_eq!(exact::string(&text, 0), Ok(string.len() + 2));
                    assert!(string.as_bytes() == &text[1..string.len() + 1] && !string.contains('\\'));
                });
            }
        }
    }
}

fn prop_assert_within(values: &[(Result<usize>, Result<usize>)], length: usize) {
    let within = |end: Result<usize>| end.is_err() || end.is_ok_and(|end| end <= length);
    assert!(values.iter().all(|&(value, string)| within(value) && within(string)));
}

/// Walks through everything at `at`, and finds that the walks and skips end where the exact reader says.
fn walk_all(kernel: Kernel, text: Text<'_>, at: usize) {
    assert_eq!(skip_value(kernel, text, at).ok(), exact::validate_value(&text, at, 1000).ok());
    let mut walk = Walk::new(at, text[at]);
    match text[at] {
        b'{' => {
            while let Some(member) = next_member(kernel, &mut walk, text).unwrap() {
                assert_eq!(exact::string(&text, member.key), Ok(member.content.end + 1));
                walk_all(kernel, text, member.value);
            }
        }
        b'[' => {
            let mut count = 0;
            while let Some(element) = next_element(kernel, &mut walk, text).unwrap() {
                assert_eq!(find_element(kernel, text, at, count), Ok(Some(element)));
                walk_all(kernel, text, element);
                count += 1;
            }
            assert_eq!(find_element(kernel, text, at, count), Ok(None));
        }
        _ => {}
    }
}

#[test]
fn every_short_token_string_is_read_alike_by_all_kernels() {
    let projection = Projection::new(["/a", "/a/a", "/0", ""]).unwrap();
    let mut number = 0;
    testing::sequences(&testing::TOKENS, 3 + testing::effort().min(2), &mut |tokens| {
        number += 1;
        // Behind white space of all lengths, so that the tokens straddle the edges of vectors.
        let start = 40 + number % 27;
        let text = [&b" ".repeat(start)[..], tokens].concat();
        let mut answers = Vec::new();
        for kernel in kernels() {
            in_paddings(&text, |padded| {
                let from = padded.part(start..text.len());
                let fields = fields_of(kernel, from, &projection);
                let ends = [0, 1, 2]
                    .map(|at| (skip_value(kernel, padded, start + at), skip_string(kernel, padded, start + at)));
                prop_assert_within(&ends, text.len());
                answers.push((fields, ends, plain_content(kernel, from)));
                if exact::validate_record(tokens, 1000).is_ok() {
                    walk_all(kernel, padded, exact::skip_white_space(&text, 0));
                }
            });
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{:?}", String::from_utf8_lossy(tokens));
    });
}

#[test]
fn keys_are_found_at_every_place_of_a_vector() {
    for kernel in kernels() {
        for shift in 0..200 {
            for key in ["", "k", "key", &"k".repeat(31), &"k".repeat(32), &"k".repeat(70), "\\u006b", "\\\\"] {
                let decoded = key.replace("\\u006b", "k").replace("\\\\", "\\");
                let text = format!("{{\"x\":\"{}\",\"y\":{{\"{key}\":0}},\"{key}\":1}}", "-".repeat(shift));
                let expected = text.rfind(":1").map(|colon| colon + 1);
                in_paddings(text.as_bytes(), |padded| {
                    assert_eq!(find_member(kernel, padded, 0, decoded.as_bytes()), Ok(expected), "{text}");
                    assert_eq!(find_member(kernel, padded, 0, b"kk"), Ok(None), "{text}");
                });
            }
        }
    }
}

#[test]
fn many_fields_of_one_object_are_found() {
    let members: Vec<_> = (0..200).map(|n| format!("\"k{n}\":{n}")).collect();
    let text = format!("{{{}}}", members.join(","));
    let projection = Projection::from((0..220).map(|n| Pointer::from_tokens([format!("k{n}")])).collect::<Vec<_>>());
    for kernel in kernels() {
        in_paddings(text.as_bytes(), |padded| {
            let fields = fields_of(kernel, padded, &projection).unwrap();
            for (n, field) in fields.iter().enumerate() {
                assert_eq!(
                    field.map(|at| skip_scalar(&padded, at).unwrap() - at),
                    (n < 200).then(|| n.to_string().len())
                );
            }
        });
    }
}

#[test]
fn an_object_that_does_not_end_is_malformed_where_its_end_is_needed() {
    let projection = Projection::new(["/a", "/b/c"]).unwrap();
    for kernel in kernels() {
        for text in ["{\"a\":1,\"c\":{\"d\":2}", "{\"a\":1,\"b\":{\"d\":2", "{\"a\":}", "{", "{\"a\":1"] {
            in_paddings(text.as_bytes(), |padded| assert_eq!(fields_of(kernel, padded, &projection), Err(Malformed)));
        }
        in_paddings(b"{\"b\":{\"c\":1},\"a\":2,", |padded| {
            assert_eq!(fields_of(kernel, padded, &projection), Ok(vec![Some(17), Some(10)]));
        });
    }
}

/// What goes on behind an array goes on there, in the container around it and nowhere else.
#[test]
fn the_search_goes_on_behind_an_array() {
    let text = br#"{"b":1,"o":{"x":[7,8],"b":2},"x":3}"#;
    let at = |digit: u8| text.iter().position(|&byte| byte == digit);
    let projection = Projection::new(["/o/x/5", "/o/b", "/x", "/o/x/1"]).unwrap();
    for kernel in kernels() {
        in_paddings(text, |padded| {
            assert_eq!(fields_of(kernel, padded, &projection), Ok(vec![None, at(b'2'), at(b'3'), at(b'8')]));
        });
    }
}

#[test]
fn a_walk_needs_commas_between_and_nowhere_else() {
    for kernel in kernels() {
        for (text, members) in
            [("{,\"a\":1}", 0), ("{\"a\":1 \"b\":2}", 1), ("{\"a\":1,,\"b\":2}", 1), ("{\"a\":1,}", 1)]
        {
            in_paddings(text.as_bytes(), |padded| {
                let mut walk = Walk::new(0, b'{');
                for _ in 0..members {
                    assert!(next_member(kernel, &mut walk, padded).unwrap().is_some(), "{text}");
                }
                assert_eq!(next_member(kernel, &mut walk, padded).err(), Some(Malformed), "{text}");
            });
        }
        for (text, elements) in [("[,1]", 0), ("[1 2]", 1), ("[1,,2]", 1), ("[1,]", 1), ("[1}", 1)] {
            in_paddings(text.as_bytes(), |padded| {
                let mut walk = Walk::new(0, b'[');
                for _ in 0..elements {
                    assert!(next_element(kernel, &mut walk, padded).unwrap().is_some(), "{text}");
                }
                assert_eq!(next_element(kernel, &mut walk, padded), Err(Malformed), "{text}");
            });
        }
    }
}
