//! The layouts of records. In goes a record's number, out come its bytes, compact and without a
//! line end, and the facts about it that the truth counts. A layout writes what it decided: it
//! never reads back what it wrote.

mod geojson;
mod gh;
mod issues;
mod objects;
mod pulls;
mod timeline;
mod weblog;

use crate::entity::{Repo, User};
use crate::mix;
use crate::put::Time;
use crate::rng::{Rng, Stream};

/// What the records look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Layout {
    /// GH Archive events as of 2024: `id type actor repo payload public created_at [org]`.
    #[default]
    Gh,
    /// GH Archive events since October 2025, whose trimmed payload has no `language`.
    GhTrimmed,
    /// The timeline format before 2015: `actor` is a string, the repository is `repository`.
    #[value(name = "gh-2014")]
    Gh2014,
    /// A web server's log: five members, about 100 bytes a record.
    Weblog,
    /// GeoJSON features: polygons, mostly floats.
    Geojson,
}

/// The language of the base repository of an opened pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// A string.
    Named(&'static str),
    /// `null`: GitHub found no language in it.
    Null,
    /// There is no such path in the event.
    Absent,
}

impl From<Option<&'static str>> for Language {
    fn from(name: Option<&'static str>) -> Self {
        name.map_or(Self::Null, Self::Named)
    }
}

/// What a record counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The string at `/type`, or `None` if the layout has no such member.
    pub event_type: Option<&'static str>,
    /// For a `PullRequestEvent` whose `/payload/action` is `opened`: what stands at
    /// `/payload/pull_request/base/repo/language`.
    pub opened: Option<Language>,
}

/// What a layout draws from while it writes one record.
pub(crate) struct Draw {
    pub(crate) rng: Rng,
    pub(crate) seed: u64,
    pub(crate) index: u64,
    /// When the event happened.
    pub(crate) now: Time,
    /// Whether payloads are short, as they are since October 2025.
    pub(crate) trimmed: bool,
}

impl Draw {
    /// Events begin at 15:00 on 2024-03-13 and come 76 a second.
    pub(crate) fn new(layout: Layout, seed: u64, index: u64) -> Self {
        let now = Time(1_710_342_000 + (index / 76) as u32);
        let rng = Rng::new(seed, Stream::Record, index);
        Self { rng, seed, index, now, trimmed: layout == Layout::GhTrimmed }
    }

    fn user(&mut self) -> User {
        User::draw(&mut self.rng, self.seed)
    }

    fn repo(&mut self) -> Repo {
        Repo::draw(&mut self.rng, self.seed, self.now)
    }

    /// A moment before the event, at most about `seconds` earlier.
    fn earlier(&mut self, seconds: u32) -> Time {
        self.now.before(self.rng.below(seconds))
    }
}

/// The facts of an event, given what was drawn for it.
fn facts(event: mix::Event, language: impl Into<Language>) -> Facts {
    let opened = (event == mix::Event::PullRequestOpened).then(|| language.into());
    Facts { event_type: Some(event.name()), opened }
}

/// Writes one record at the end of `out`.
pub(crate) fn write(layout: Layout, out: &mut Vec<u8>, draw: &mut Draw) -> Facts {
    match layout {
        Layout::Gh | Layout::GhTrimmed => gh::event(out, draw),
        Layout::Gh2014 => timeline::event(out, draw),
        Layout::Weblog => weblog::request(out, draw),
        Layout::Geojson => geojson::feature(out, draw),
    }
}
