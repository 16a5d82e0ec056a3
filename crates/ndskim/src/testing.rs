//! Random JSON for the property tests of this crate.

use proptest::prelude::*;

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
