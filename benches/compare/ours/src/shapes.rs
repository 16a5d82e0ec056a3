//! The documents that `run.py` makes, as types: what the work `typed` decodes into.

use std::borrow::Cow;

use clap::ValueEnum;
use serde::Deserialize;

use crate::found::{Found, crc};

/// The values of `--shape`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shape {
    /// An article: four of its members
    Article,
    /// A list of small objects, all members
    Items,
    /// A list of users with ten numbers each, all members
    Users,
}

/// Text, borrowed where it has no escapes.
#[derive(Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
pub(crate) struct Article<'a> {
    id: u64,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    author: Author<'a>,
    score: f64,
}

#[derive(Deserialize)]
struct Author<'a> {
    #[serde(borrow)]
    email: Text<'a>,
}

#[derive(Deserialize)]
pub(crate) struct Item<'a> {
    id: u64,
    #[serde(borrow)]
    name: Text<'a>,
    active: bool,
    score: f64,
}

#[derive(Deserialize)]
pub(crate) struct User<'a> {
    id: u64,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    email: Text<'a>,
    age: u32,
    active: bool,
    #[serde(borrow)]
    city: Text<'a>,
    values: [f64; 10],
}

/// What a document of a shape holds, as far as every parser can tell it from its types.
pub(crate) trait Typed {
    fn found(&self, found: &mut Found);
}

impl Found {
    fn text(&mut self, text: &Text<'_>) {
        self.strings += 1;
        self.crc_sum = self.crc_sum.wrapping_add(crc(&text.0));
    }

    fn double(&mut self, number: f64) {
        self.numbers += 1;
        self.number_bits = self.number_bits.wrapping_add(number.to_bits());
    }
}

impl Typed for Article<'_> {
    fn found(&self, found: &mut Found) {
        found.double(self.id as f64);
        found.text(&self.name);
        found.text(&self.author.email);
        found.double(self.score);
    }
}

impl Typed for Vec<Item<'_>> {
    fn found(&self, found: &mut Found) {
        for item in self {
            found.double(item.id as f64);
            found.text(&item.name);
            found.literals += 1 + u64::from(item.active);
            found.double(item.score);
        }
    }
}

impl Typed for Vec<User<'_>> {
    fn found(&self, found: &mut Found) {
        for user in self {
            found.double(user.id as f64);
            [&user.name, &user.email, &user.city].into_iter().for_each(|text| found.text(text));
            found.double(f64::from(user.age));
            found.literals += 1 + u64::from(user.active);
            user.values.iter().for_each(|value| found.double(*value));
        }
    }
}
