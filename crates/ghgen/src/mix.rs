//! How often what occurs: event types and actions, languages. The figures for opened pull
//! requests and for the five commonest languages are those of eight hours of 2024-03-13 in GH
//! Archive (65,269 opened pull requests in 2.2 million events); the rest is set so that an event
//! has 3.4 kB on average.

use crate::rng::Rng;

/// The type of an event, with its action where two actions differ in shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Push,
    Create,
    PullRequestOpened,
    PullRequestClosed,
    PullRequestReopened,
    IssueComment,
    Watch,
    Delete,
    Issues,
    PullRequestReview,
    PullRequestReviewComment,
    Fork,
    Release,
    Gollum,
    Member,
    CommitComment,
    Public,
}

impl Event {
    /// The value of `type`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Push => "PushEvent",
            Self::Create => "CreateEvent",
            Self::PullRequestOpened | Self::PullRequestClosed | Self::PullRequestReopened => "PullRequestEvent",
            Self::IssueComment => "IssueCommentEvent",
            Self::Watch => "WatchEvent",
            Self::Delete => "DeleteEvent",
            Self::Issues => "IssuesEvent",
            Self::PullRequestReview => "PullRequestReviewEvent",
            Self::PullRequestReviewComment => "PullRequestReviewCommentEvent",
            Self::Fork => "ForkEvent",
            Self::Release => "ReleaseEvent",
            Self::Gollum => "GollumEvent",
            Self::Member => "MemberEvent",
            Self::CommitComment => "CommitCommentEvent",
            Self::Public => "PublicEvent",
        }
    }
}

/// Events in a million, commonest first so that the search is short.
const EVENTS: &[(Event, u32)] = &[
    (Event::Push, 541_000),
    (Event::Create, 117_000),
    (Event::IssueComment, 62_000),
    (Event::Watch, 57_000),
    (Event::Delete, 42_000),
    (Event::PullRequestClosed, 39_332),
    (Event::Issues, 30_000),
    (Event::PullRequestOpened, 29_668),
    (Event::PullRequestReview, 28_000),
    (Event::PullRequestReviewComment, 18_000),
    (Event::Fork, 14_000),
    (Event::Release, 8_500),
    (Event::Gollum, 4_500),
    (Event::Member, 3_500),
    (Event::CommitComment, 2_500),
    (Event::PullRequestReopened, 1_000),
    (Event::Public, 2_000),
];

/// Draws an event type.
pub(crate) fn event(rng: &mut Rng) -> Event {
    *draw(EVENTS, rng)
}

/// The share of events, in a million, whose `type` is `name`; `None` if there is no such type.
pub(crate) fn share(name: &str) -> Option<u32> {
    let of_type = EVENTS.iter().filter(|(event, _)| event.name() == name);
    let sum = of_type.map(|&(_, share)| share).sum();
    (sum > 0).then_some(sum)
}

/// Languages of the repositories of opened pull requests, by their counts; `None` is a
/// repository without one. The first five rows were counted, the others share the rest.
const LANGUAGES: &[(Option<&str>, u32)] = &[
    (Some("TypeScript"), 11_565),
    (Some("JavaScript"), 7_778),
    (Some("Python"), 7_057),
    (None, 5_857),
    (Some("Java"), 4_668),
    (Some("Go"), 3_700),
    (Some("HTML"), 3_400),
    (Some("C++"), 2_700),
    (Some("C#"), 2_650),
    (Some("PHP"), 2_300),
    (Some("Rust"), 2_050),
    (Some("Ruby"), 1_700),
    (Some("Kotlin"), 1_300),
    (Some("Shell"), 1_150),
    (Some("C"), 1_100),
    (Some("CSS"), 820),
    (Some("Jupyter Notebook"), 800),
    (Some("Dart"), 700),
    (Some("Swift"), 600),
    (Some("Vue"), 560),
    (Some("HCL"), 520),
    (Some("Nix"), 480),
    (Some("Scala"), 360),
    (Some("SCSS"), 300),
    (Some("Elixir"), 220),
    (Some("Lua"), 200),
    (Some("Dockerfile"), 180),
    (Some("Svelte"), 170),
    (Some("Makefile"), 100),
    (Some("R"), 90),
    (Some("Objective-C"), 74),
    (Some("Julia"), 60),
    (Some("Visual Basic .NET"), 30),
    (Some("Emacs Lisp"), 20),
    (Some("F*"), 6),
    (Some("1C Enterprise"), 3),
    (Some("Ren'Py"), 1),
];

/// Draws a repository's language.
pub(crate) fn language(rng: &mut Rng) -> Option<&'static str> {
    *draw(LANGUAGES, rng)
}

/// Draws a row of a table as often as its weight says.
fn draw<'a, T>(table: &'a [(T, u32)], rng: &mut Rng) -> &'a T {
    let total = table.iter().map(|&(_, weight)| weight).sum();
    let mut lot = rng.below(total);
    for (item, weight) in table {
        if lot < *weight {
            return item;
        }
        lot -= weight;
    }
    unreachable!("the lot is below the sum of the weights")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_add_up() {
        assert_eq!(EVENTS.iter().map(|(_, n)| n).sum::<u32>(), 1_000_000);
        assert_eq!(LANGUAGES.iter().map(|(_, n)| n).sum::<u32>(), 65_269);
        assert_eq!(share("PullRequestEvent"), Some(70_000));
        assert_eq!(share("NoSuchEvent"), None);
    }
}
