//! Events in the timeline format that GH Archive has for the years before 2015: other key order,
//! `actor` a string, the repository spelled out under `repository` (without `language` if it has
//! none), and short payloads but for pull requests.

use super::{Draw, Facts, facts, gh, pulls};
use crate::entity::{Kind, Repo, User};
use crate::mix::{self, Event};
use crate::put::{Gravatar, Quoted, Sha, Time, put};
use crate::text;

/// From the time of the newer layouts back to 2013.
const SECONDS_BACK: u32 = 352_000_000;

/// Writes an event.
pub(super) fn event(out: &mut Vec<u8>, draw: &mut Draw) -> Facts {
    draw.now = draw.now.before(SECONDS_BACK);
    let event = loop {
        // Reviews came later.
        match mix::event(&mut draw.rng) {
            Event::PullRequestReview => {}
            event => break event,
        }
    };
    let (repo, actor) = gh::scene(draw, event);
    put!(out; r#"{"created_at":""#, Pacific(draw.now), r#"","payload":{"#);
    payload(out, draw, event, &repo, &actor);
    put!(out; r#"},"public":true,"type":""#, event.name(), r#"","url":"https://github.com/"#, repo,
        r#"","actor":""#, actor.login, r#"","actor_attributes":{"login":""#, actor.login, r#"","type":"User","gravatar_id":""#,
        Gravatar([draw.rng.bits(), draw.rng.bits()]), "\"");
    if draw.rng.below(2) == 0 {
        put!(out; r#","name":""#, actor.login, r#"","location":""#);
        text::title(out, &mut draw.rng);
        put!(out; r#"","email":"mail@users.example.org""#);
    }
    put!(out; r#"},"repository":"#);
    repository(out, draw, &repo);
    put!(out; "}");
    facts(event, repo.language)
}

/// A time in the zone that those years' files were written in.
struct Pacific(Time);

impl crate::put::Put for Pacific {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.before(8 * 3_600).put(out);
        out.pop();
        put!(out; "-08:00");
    }
}

fn payload(out: &mut Vec<u8>, draw: &mut Draw, event: Event, repo: &Repo, actor: &User) {
    let id = 20_000_000 + draw.rng.below(20_000_000);
    match event {
        Event::Push => push(out, draw),
        Event::Issues => {
            put!(out; r#""action":"#, Quoted(draw.rng.pick(&["opened", "closed", "reopened"])),
            r#","issue":"#, id, r#","number":"#, draw.rng.range(1, 5_000))
        }
        Event::IssueComment => {
            put!(out; r#""issue_id":"#, id, r#","comment_id":"#, id + draw.rng.below(9_000_000))
        }
        Event::CommitComment => {
            put!(out; r#""comment_id":"#, id, r#","commit":"#, Quoted(Sha::new(&mut draw.rng)))
        }
        Event::PullRequestReviewComment => {
            put!(out; r#""comment":{"id":"#, id, r#","path":null,"position":-1,"body":""#);
            text::body(out, &mut draw.rng, 150);
            put!(out; r#"","commit_id":"#, Quoted(Sha::new(&mut draw.rng)), "}");
        }
        Event::PullRequestOpened | Event::PullRequestClosed | Event::PullRequestReopened => {
            pulls::payload(out, draw, repo, actor, event);
        }
        _ => gh::payload(out, draw, event, repo, actor),
    }
}

/// Commits are arrays here: hash, address, message, name, whether it is new.
fn push(out: &mut Vec<u8>, draw: &mut Draw) {
    let commits = draw.rng.range(1, 4);
    put!(out; r#""shas":["#);
    for n in 0..commits {
        put!(out; if n > 0 { "," } else { "" }, "[", Quoted(Sha::new(&mut draw.rng)), r#","mail@users.example.org",""#);
        text::message(out, &mut draw.rng);
        put!(out; r#"",""#);
        text::title(out, &mut draw.rng);
        put!(out; r#"",true]"#);
    }
    put!(out; r#"],"size":"#, commits, r#","ref":"refs/heads/master","head":"#, Quoted(Sha::new(&mut draw.rng)));
}

fn repository(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo) {
    put!(out; r#"{"id":"#, repo.id / 50, r#","name":""#, repo.name, r#"","url":"https://github.com/"#, repo,
        r#"","description":""#);
    text::line(out, &mut repo.stream(), 70);
    put!(out; r#"","watchers":"#, repo.stars, r#","stargazers":"#, repo.stars, r#","forks":"#, repo.forks,
        r#","fork":"#, repo.fork, r#","size":"#, repo.size, r#","owner":""#, repo.owner.login,
        r#"","private":false,"open_issues":"#, repo.open_issues,
        r#","has_issues":true,"has_downloads":true,"has_wiki":true,"#);
    if let Some(language) = repo.language {
        put!(out; r#""language":""#, language, r#"","#);
    }
    put!(out; r#""created_at":""#, Pacific(draw.earlier(100_000_000)), r#"","pushed_at":""#, Pacific(draw.now),
        r#"","master_branch":"master""#);
    if repo.owner.kind == Kind::Organization {
        put!(out; r#","organization":""#, repo.owner.login, "\"");
    }
    put!(out; "}");
}
