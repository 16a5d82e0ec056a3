//! Answers do not depend on threads, blocks, the order of the records, or how they are spread over files.

use ndskim::{Input, Scan};
use ndskim_query::{Aggregate, Answer, Condition, Expression, Measure, Order, Question, Scalar, Survey, SurveyOptions};
use proptest::prelude::*;

/// Records with numbers of all sizes, strings, and values that no aggregate can use.
fn record(n: u64) -> String {
    let random = n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let value = match random % 11 {
        0 => "null".to_owned(),
        1 => format!("\"text {}\"", random % 7),
        2 => format!("{}", random as i64),
        3 => format!("{}e{}", random % 1000, (random >> 12) % 60),
        4 => format!("-{}.{}", random % 10_000, (random >> 20) % 1000),
        5 => "[1,2]".to_owned(),
        6 => format!("{}000000000000000001", random % 100_000 + 1),
        7 => "1e999".to_owned(),
        _ => format!("0.{}", random % 100_000),
    };
    let tags: Vec<_> =
        (0..random % 4).map(|tag| format!("{{\"name\":\"t{}\",\"n\":{tag}}}", (random >> 7) % 5)).collect();
    let x = if random.is_multiple_of(13) { String::new() } else { format!(",\"x\":{value}") };
    format!("{{\"g\":\"{}\",\"k\":{}{x},\"tags\":[{}]}}", random % 5, random % 3, tags.join(","))
}

fn question(approx: bool) -> Question {
    let path = |text: &str| Expression::parse(text).unwrap();
    let measures = [
        Measure::Sum,
        Measure::Average,
        Measure::Minimum,
        Measure::Maximum,
        Measure::Distinct,
        Measure::Quantiles(vec![0.0, 0.25, 0.5, 0.99, 1.0]),
    ];
    let aggregates = measures.into_iter().map(|measure| Aggregate::new(measure, path("x")));
    let question = Question::new().by(path("g")).by(path("bucket(k, 2)"));
    aggregates
        .fold(question, |question, aggregate| question.aggregate(if approx { aggregate.approx() } else { aggregate }))
}

/// All of an answer but the figures of the scan.
fn parts(answer: Answer) -> String {
    let Answer { columns, rows, other, matched, left_out, .. } = answer;
    format!("{columns:?} {rows:?} {other:?} {matched} {left_out:?}")
}

fn ask(question: Question, scan: Scan<'_>) -> String {
    parts(question.prepare().unwrap().ask(scan).unwrap().sorted(Order::Column(0), Some(4)))
}

fn text(records: impl Iterator<Item = u64>) -> Vec<u8> {
    records.flat_map(|n| (record(n) + "\n").into_bytes()).collect()
}

#[test]
fn every_aggregate_is_the_same_for_any_threads_and_blocks() {
    let records = text(0..6000);
    for approx in [false, true] {
        let expected = ask(question(approx), Scan::bytes(&records).threads(1));
        for threads in [1, 2, 8, 64] {
            for block_size in [100, 5_000, 1 << 20] {
                let scan = Scan::bytes(&records).threads(threads).block_size(block_size);
                assert_eq!(ask(question(approx), scan), expected, "{threads} threads, blocks of {block_size}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn every_aggregate_is_the_same_for_any_order_and_split(
        order in Just((0..400).collect::<Vec<u64>>()).prop_shuffle(),
        cuts in prop::collection::vec(0_usize..400, 0..5),
        approx: bool,
    ) {
        let expected = ask(question(approx), Scan::bytes(&text(0..400)));
        let mut cuts = cuts;
        cuts.sort_unstable();
        let bounds: Vec<_> = std::iter::once(0).chain(cuts).chain([400]).collect();
        let files: Vec<_> = bounds.windows(2).map(|cut| text(order[cut[0]..cut[1]].iter().copied())).collect();
        let inputs: Vec<_> = files.iter().map(|file| Input::bytes(file)).collect();
        prop_assert_eq!(ask(question(approx), Scan::new(inputs).threads(2).block_size(4000)), expected);
    }
}

#[test]
fn elements_are_the_same_for_any_threads_and_blocks() {
    let records = text(0..2000);
    let question = || {
        Question::new()
            .by(Expression::parse("tags[].name").unwrap())
            .filter(Condition::parse("tags[].n > 0 and g != '3'").unwrap())
            .aggregate(Aggregate::new(Measure::Sum, Expression::parse("tags[].n").unwrap()))
    };
    let expected = ask(question(), Scan::bytes(&records).threads(1));
    for (threads, block_size) in [(2, 100), (8, 3000), (64, 1 << 20)] {
        assert_eq!(ask(question(), Scan::bytes(&records).threads(threads).block_size(block_size)), expected);
    }
}

#[test]
fn of_an_integer_and_a_double_that_are_equal_the_integer_is_the_answer_in_any_order() {
    let big = ["9223372036854775808", "9223372036854775808.00000000001", "-0.0", "0", "1e-400"];
    let small = ["1", "1.00000000000000000000001"];
    for texts in [&big[..], &small[..]] {
        let records = |order: Vec<&str>| order.iter().map(|text| format!("{{\"x\":{text}}}\n")).collect::<String>();
        let orders = [records(texts.to_vec()), records(texts.iter().rev().copied().collect())];
        let [first, second] = orders.map(|records| {
            let of = |measure| Aggregate::new(measure, Expression::parse("x").unwrap());
            let question = Question::new()
                .aggregate(of(Measure::Minimum))
                .aggregate(of(Measure::Maximum))
                .aggregate(of(Measure::Quantiles(vec![0.2, 0.4, 0.6, 0.8, 1.0])));
            let survey = Survey::of(Scan::bytes(records.as_bytes()), SurveyOptions::default()).unwrap();
            let answer = question.prepare().unwrap().ask(Scan::bytes(records.as_bytes())).unwrap();
            let results = answer.sorted(Order::Count, None).rows.remove(0).results;
            assert!(matches!(results[..2], [Scalar::Int(_), Scalar::Int(_)]), "{results:?}");
            format!("{results:?} {:?}", survey.paths[1].range)
        });
        assert_eq!(first, second);
    }
}
