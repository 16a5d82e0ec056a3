//! Files that the tests ask questions of: events in the shape of GH Archive, and three that are made here.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ghgen::{Layout, Options};

/// Numbers that look random and are the same on every machine (xorshift64*, Vigna 2016).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % bound
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Writes all files into a folder.
pub(crate) fn write_all(folder: &Path) {
    let generate = |layout, seed, bytes| {
        let mut text = Vec::new();
        ghgen::generate(&Options { bytes, seed, layout, ..Options::default() }, &mut text).unwrap();
        text
    };
    fs::write(folder.join("events.json"), generate(Layout::default(), 7, 1_500_000)).unwrap();
    fs::write(folder.join("access.json"), generate(Layout::Weblog, 8, 200_000)).unwrap();
    fs::write(folder.join("chat.json"), chat()).unwrap();
    fs::write(folder.join("sensors.json"), sensors()).unwrap();
    fs::write(folder.join("odd.json"), ODD).unwrap();
}

/// Messages with epoch milliseconds, names in many scripts, and reactions as arrays of objects.
fn chat() -> String {
    let mut dice = Dice(3);
    let mut text = String::new();
    for number in 0..1500_u64 {
        let time = 1_710_288_000_123 + number * 61_007 + dice.below(50_000);
        let channel = dice.one_of(&["#general", "#general", "#random", "#日本語", "#🦀 rust"]);
        let name = dice.one_of(&["Ana", "李雷", "bob", "Zoë", "null", "O'Neil \"x\""]);
        let words: Vec<_> =
            (0..1 + dice.below(12)).map(|_| dice.one_of(&["the", "crash", "Build", "is", "red", "😀", "好"])).collect();
        let reactions: Vec<_> = (0..dice.below(4))
            .map(|_| {
                format!("{{\"emoji\":\"{}\",\"count\":{}}}", dice.one_of(&["👍", "🎉", "❤️", "+1"]), 1 + dice.below(5))
            })
            .collect();
        let edited =
            dice.one_of(&["", ",\"edited\":null", ",\"edited\":true", ",\"edited\":false", ",\"edited\":\"null\""]);
        writeln!(
            text,
            "{{\"time\":{time},\"channel\":\"{channel}\",\"user\":{{\"name\":{}}},\"text\":\"{}\",\"reactions\":[{}]{edited}}}",
            serde_json::to_string(name).unwrap(),
            words.join(" "),
            reactions.join(",")
        )
        .unwrap();
    }
    text
}

/// Readings with fractions, some missing, some null, some text.
fn sensors() -> String {
    let mut dice = Dice(5);
    let mut text = String::new();
    for number in 0..2000_u64 {
        let sensor = dice.below(8);
        let temperature = match dice.below(20) {
            0 => String::new(),
            1 => ",\"temperature\":null".to_owned(),
            2 => ",\"temperature\":\"n/a\"".to_owned(),
            _ => format!(",\"temperature\":{}{}.{}", dice.one_of(&["", "", "-"]), dice.below(40), dice.below(100)),
        };
        let volts = 3000 + dice.below(600);
        writeln!(
            text,
            "{{\"t\":{},\"sensor\":\"s{sensor}\"{temperature},\"battery\":{{\"volts\":{}.{:03}}},\"samples\":{}}}",
            1_710_201_600 + number * 97,
            volts / 1000,
            volts % 1000,
            dice.below(1_000_000) * 1_000_003,
        )
        .unwrap();
    }
    text
}

/// One of each kind, written in different ways.
const ODD: &str = r#"{"v":"null","n":1}
{"v":null,"n":1.0}
{"n":1e0}
{"v":"caf\u00e9","n":10}
{"v":"café","n":2}
{"v":1,"n":"2"}
{"v":1.0,"n":null}
{"v":true,"n":true}
{"v":false}
{"v":"true","n":-3}
{"v":[1, 2],"n":[3]}
{"v":{"a": 1},"n":{"b":2}}
{"v":{"absent":true},"n":0.5}
{"v":"","n":100}
{"v":"a\nb,\"c\"","n":7}
{"v":"A","w":{"x":[{"y":1},{"y":2},5,{"z":null}]},"n":0}
{"v":"first","v":"second","n":4}
[1,2]
"text"
7
null
"#;
