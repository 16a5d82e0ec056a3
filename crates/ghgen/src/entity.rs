//! Users and repositories. In goes a number out of a fixed pool, out come the properties that
//! this user or repository has in every event that names it: login, kind, identifiers, owner,
//! language. They depend on the seed and the number alone, so nothing is remembered.

use crate::mix;
use crate::put::{NodeId, Put, Time, put};
use crate::rng::{Rng, Stream};
use crate::words::{REPO_SUFFIXES, SYLLABLES};

/// Users and repositories in the pool, of each.
const POOL: u32 = 1 << 20;

/// A short ASCII name, kept in place.
#[derive(Clone, Copy)]
pub(crate) struct Name {
    bytes: [u8; 47],
    length: u8,
}

impl Name {
    /// Keeps what `write` writes; a name longer than the room is cut.
    fn new(scratch: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        scratch.clear();
        write(scratch);
        let mut name = Self { bytes: [0; 47], length: 0 };
        let length = scratch.len().min(name.bytes.len());
        name.bytes[..length].copy_from_slice(&scratch[..length]);
        name.length = length as u8;
        name
    }
}

impl Put for Name {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[..usize::from(self.length)]);
    }
}

/// What kind of account a user object describes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    User,
    Organization,
    Bot,
}

impl Put for Kind {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::User => "User",
            Self::Organization => "Organization",
            Self::Bot => "Bot",
        }
        .put(out);
    }
}

/// An account.
#[derive(Clone, Copy)]
pub(crate) struct User {
    /// As it stands in `login`; a bot's ends in `[bot]`.
    pub(crate) login: Name,
    /// As it stands in addresses, where the brackets of a bot's are escaped.
    pub(crate) in_urls: Name,
    pub(crate) id: u32,
    pub(crate) kind: Kind,
}

impl User {
    /// The user or bot `index`.
    fn new(seed: u64, index: u32) -> Self {
        Self::of_kind(seed, index, if index.is_multiple_of(37) { Kind::Bot } else { Kind::User })
    }

    fn of_kind(seed: u64, index: u32, kind: Kind) -> Self {
        let mut rng = Rng::new(seed, Stream::User, u64::from(index) << 2 | kind as u64);
        let mut scratch = Vec::with_capacity(64);
        let stem = Name::new(&mut scratch, |out| login(out, &mut rng));
        let (login, in_urls) = match kind {
            Kind::Bot => (
                Name::new(&mut scratch, |out| put!(out; stem, "[bot]")),
                Name::new(&mut scratch, |out| put!(out; stem, "%5Bbot%5D")),
            ),
            _ => (stem, stem),
        };
        // Low numbers are old accounts, and there are as many digits as it takes.
        let id = 1_000 + rng.skewed(160_000_000);
        Self { login, in_urls, id, kind }
    }

    /// Somebody, popular ones more often.
    pub(crate) fn draw(rng: &mut Rng, seed: u64) -> Self {
        Self::new(seed, rng.skewed(POOL))
    }

    pub(crate) fn node_id(&self) -> NodeId {
        let (prefix, letters) = match self.kind {
            Kind::User => ("U_kgDO", 5),
            Kind::Organization => ("O_kgDO", 5),
            Kind::Bot => ("MDM6Qm90", 12),
        };
        NodeId { prefix, value: u64::from(self.id), letters }
    }
}

fn login(out: &mut Vec<u8>, rng: &mut Rng) {
    let at = out.len();
    for _ in 0..rng.range(2, 5) {
        put!(out; rng.pick(SYLLABLES));
    }
    match rng.below(8) {
        0 => put!(out; rng.below(10_000)),
        1 => put!(out; "-", rng.pick(SYLLABLES), rng.pick(SYLLABLES)),
        2 => out[at] = out[at].to_ascii_uppercase(),
        3 => put!(out; "-dev"),
        _ => {}
    }
}

/// A repository.
#[derive(Clone, Copy)]
pub(crate) struct Repo {
    pub(crate) owner: User,
    pub(crate) name: Name,
    pub(crate) id: u32,
    pub(crate) language: Option<&'static str>,
    pub(crate) default_branch: &'static str,
    pub(crate) fork: bool,
    pub(crate) created: Time,
    pub(crate) size: u32,
    pub(crate) stars: u32,
    pub(crate) forks: u32,
    pub(crate) open_issues: u32,
    /// What else is to be fixed about it (flags, licence, description).
    pub(crate) traits: u64,
}

impl Repo {
    /// Repository `index` of the pool.
    fn new(seed: u64, index: u32, now: Time) -> Self {
        let mut rng = Rng::new(seed, Stream::Repo, u64::from(index));
        let kind = if rng.below(100) < 27 { Kind::Organization } else { Kind::User };
        let owner_index = rng.below(POOL);
        let owner = User::of_kind(seed, owner_index, kind);
        Self::owned(&mut rng, owner, now)
    }

    fn owned(rng: &mut Rng, owner: User, now: Time) -> Self {
        let mut scratch = Vec::with_capacity(64);
        Self {
            owner,
            name: Name::new(&mut scratch, |out| repo_name(out, rng)),
            id: 1_000_000 + rng.below(770_000_000),
            language: mix::language(rng),
            default_branch: rng.pick(&["main", "main", "master", "master", "master", "develop"]),
            fork: rng.below(6) == 0,
            created: now.before(rng.below(300_000_000)),
            size: rng.long_tailed(4_000),
            stars: rng.magnitude(0, 10),
            forks: rng.magnitude(0, 7),
            open_issues: rng.magnitude(0, 8),
            traits: rng.bits(),
        }
    }

    /// Some repository, popular ones more often.
    pub(crate) fn draw(rng: &mut Rng, seed: u64, now: Time) -> Self {
        Self::new(seed, rng.skewed(POOL), now)
    }

    /// The same project as `owner`'s copy of it.
    pub(crate) fn fork_by(&self, rng: &mut Rng, owner: User, now: Time) -> Self {
        let copy = Self::owned(rng, owner, now);
        Self { name: self.name, language: self.language, fork: true, stars: 0, forks: 0, ..copy }
    }

    pub(crate) fn node_id(&self) -> NodeId {
        NodeId { prefix: "R_kgDO", value: u64::from(self.id), letters: 10 }
    }

    /// A stream for the properties that an object spells out.
    pub(crate) fn stream(&self) -> Rng {
        Rng::new(self.traits, Stream::Repo, 0)
    }
}

/// `owner/name`.
impl Put for Repo {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        put!(out; self.owner.in_urls, "/", self.name);
    }
}

fn repo_name(out: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..rng.range(2, 6) {
        put!(out; rng.pick(SYLLABLES));
    }
    put!(out; rng.pick(REPO_SUFFIXES));
}
