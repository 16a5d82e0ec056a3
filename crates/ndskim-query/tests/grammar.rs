//! The grammar of paths, expressions and conditions: what is printed is read back as the same, and nothing panics.

use ndskim_query::{Condition, Expression, Path};
use proptest::prelude::*;

fn space() -> impl Strategy<Value = String> {
    "[ \t]{0,2}"
}

fn member() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-zA-Z_@$:#+*%-][a-z0-9_-]{0,6}",
        1 => "[日本語é🦀]{1,3}",
        1 => any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        1 => prop::sample::select(vec!["\"and\"", "\"not\"", "\"\"", "\"true\"", "\"a.b\"", "\"x[]\"", "a7", "\"12\""]).prop_map(String::from),
    ]
    .prop_filter("reserved", |word| !["and", "or", "not", "in", "exists", "true", "false", "null"].contains(&word.as_str()))
    .prop_filter("a number is an element", |word| !word.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
}

fn dotted() -> impl Strategy<Value = String> {
    let step = prop_oneof![member().prop_map(|name| format!(".{name}")), (0_u32..20).prop_map(|n| format!("[{n}]"))];
    let steps = || prop::collection::vec(step.clone(), 0..4).prop_map(|steps| steps.concat());
    (member(), steps(), prop_oneof![Just(""), Just("[]")], steps())
        .prop_map(|(first, a, each, b)| format!("{first}{a}{each}{b}"))
}

fn pointer() -> impl Strategy<Value = String> {
    prop::collection::vec("([a-z0-9.]|~0|~1|é){0,5}", 1..4).prop_map(|tokens| format!("/{}", tokens.join("/")))
}

fn expression() -> impl Strategy<Value = String> {
    let unit = || prop_oneof![Just(""), Just(",s"), Just(" , ms"), Just(",us"), Just(", ns")];
    let leaf = prop_oneof![dotted(), pointer(), Just("file()".to_owned()), Just(".".to_owned())];
    leaf.prop_recursive(3, 8, 1, move |inner| {
        prop_oneof![
            (prop::sample::select(vec!["year", "month", "day", "hour", "weekday"]), inner.clone(), unit())
                .prop_map(|(name, inner, unit)| format!("{name}({inner}{unit})")),
            (inner.clone(), prop::sample::select(vec!["hour", "day", "week", "month"]), unit())
                .prop_map(|(inner, span, unit)| format!("trunc( {inner} ,{span}{unit})")),
            (prop::sample::select(vec!["len", "lower", "host", "kind"]), inner.clone())
                .prop_map(|(name, inner)| format!("{name}({inner} )")),
            (inner.clone(), 0_u32..100).prop_map(|(inner, n)| format!("prefix({inner},{n})")),
            (inner, "[1-9][0-9]{0,3}(\\.[0-9]{1,3})?(e-?[0-9])?")
                .prop_map(|(inner, width)| format!("bucket({inner}, {width})")),
        ]
    })
}

fn literal() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        any::<String>().prop_map(|text| format!("'{}'", text.replace('\'', "''"))),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?",
        prop::sample::select(vec!["true", "false", "null"]).prop_map(String::from),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    let ordered = "(-?[1-9][0-9]{0,5}|'[a-z]{0,4}')";
    let leaf = prop_oneof![
        (expression(), space(), prop::sample::select(vec!["=", "!="]), space(), literal())
            .prop_map(|(path, a, operator, b, value)| format!("{path}{a} {operator}{b}{value}")),
        (expression(), prop::sample::select(vec!["<", "<=", ">", ">="]), ordered)
            .prop_map(|(path, operator, value)| format!("{path} {operator}{value}")),
        (expression(), prop::sample::select(vec!["~", "!~"]), "'[a-z0-9.*+? ]{0,5}'").prop_filter_map(
            "no regex",
            |(path, operator, pattern)| {
                let text = format!("{path} {operator} {pattern}");
                Condition::parse(&text).is_ok().then_some(text)
            }
        ),
        (expression(), prop::sample::select(vec!["in", "not in"]), prop::collection::vec(literal(), 1..4))
            .prop_map(|(path, word, values)| format!("{path} {word} ({})", values.join(" ,"))),
        expression().prop_map(|path| format!("{path} exists")),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" and "))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" or "))),
            inner.clone().prop_map(|inner| format!("not {inner}")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{a} and {b}")),
        ]
    })
}

proptest! {
    #[test]
    fn a_path_is_read_back(text in prop_oneof![dotted(), pointer()]) {
        let path = Path::parse(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let printed = path.to_string();
        prop_assert_eq!(&Path::parse(&printed).unwrap(), &path, "{} printed as {}", text, printed);
        prop_assert_eq!(Path::parse(&printed).unwrap().to_string(), printed);
    }

    #[test]
    fn an_expression_is_read_back(text in expression()) {
        let expression = Expression::parse(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let printed = expression.to_string();
        prop_assert_eq!(&Expression::parse(&printed).unwrap(), &expression, "{} printed as {}", text, printed);
    }

    #[test]
    fn a_condition_is_read_back(text in condition()) {
        let condition = Condition::parse(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let printed = condition.to_string();
        let again = Condition::parse(&printed).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&again, &condition, "{} printed as {}", text, printed);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in any::<String>(), cut in 0_usize..40, valid in condition()) {
        for text in [&text, &valid.chars().take(cut).collect(), &(valid.clone() + &text)] {
            for message in [Condition::parse(text).err(), Expression::parse(text).err(), Path::parse(text).err()].into_iter().flatten() {
                prop_assert!(message.span().end <= text.len());
                prop_assert!(message.to_string().contains('^'));
            }
        }
    }
}

#[test]
fn spellings_of_one_path_are_equal() {
    let pairs = [
        ("/a/b", "a.b"),
        ("/a/0", "a[0]"),
        ("/a~1b/c d", "\"a/b\".\"c d\""),
        ("", "."),
        ("/", "\"\""),
        ("/é", "\"\\u00e9\""),
    ];
    for (pointer, dotted) in pairs {
        assert_eq!(Path::parse(pointer).unwrap(), Path::parse(dotted).unwrap(), "{pointer} {dotted}");
    }
    assert_ne!(Path::parse("a[]").unwrap(), Path::parse("a").unwrap());
}

#[test]
fn errors_point_at_the_place_and_say_what_to_write() {
    let rows = [
        ("type == 'a'", "there is no operator `==`\n  type == 'a'\n       ^^\n  write a single `=`"),
        ("type = 'a", "the closing ' is missing\n  type = 'a\n         ^^"),
        ("type = 'a' && x = 1", "there is no operator `&&`\n  type = 'a' && x = 1\n             ^^\n  write `and`"),
        ("(a = 1", "expected `)`, `and` or `or`\n  (a = 1\n        ^\n  a bracket was opened at character 1"),
        ("日本 < true", "only text and numbers are more or less than others\n  日本 < true\n         ^^^^"),
        ("a ~ '('", "this is no regular expression: unclosed group\n  a ~ '('\n      ^^^"),
        ("a[].b[].c = 1", "only one array of a path can be gone through with []\n  a[].b[].c = 1\n       ^^"),
        (
            "hour(a, x) = 1",
            "expected a unit: s, ms, us or ns\n  hour(a, x) = 1\n          ^\n  write hour(PATH) or hour(PATH, s|ms|us|ns)",
        ),
        ("", "expected a path, such as /actor/login or actor.login\n  \n  ^"),
    ];
    for (text, message) in rows {
        assert_eq!(Condition::parse(text).unwrap_err().to_string(), message);
    }
}
