//! Events as GH Archive has them in 2024 or, trimmed, since October 2025: the envelope, and the
//! payloads that are short.

use super::objects::{association, org, repo as repo_object, user};
use super::{Draw, Facts, Language, facts, issues, pulls};
use crate::entity::{Kind, Repo, User};
use crate::mix::{self, Event};
use crate::put::{Fixed, NodeId, Quoted, Sha, put};
use crate::text;
use crate::words::{ENGLISH, PATHS, SYLLABLES};

/// Writes an event.
pub(super) fn event(out: &mut Vec<u8>, draw: &mut Draw) -> Facts {
    let event = mix::event(&mut draw.rng);
    let (repo, actor) = scene(draw, event);
    open(out, draw, event, &repo, &actor);
    payload(out, draw, event, &repo, &actor);
    close(out, draw, &repo);
    if draw.trimmed { facts(event, Language::Absent) } else { facts(event, repo.language) }
}

/// Where an event happens and who did it. One who pushes to a user's repository is mostly its owner.
pub(super) fn scene(draw: &mut Draw, event: Event) -> (Repo, User) {
    let repo = draw.repo();
    let by_owner = matches!(event, Event::Push | Event::Create | Event::Delete | Event::Public);
    let actor =
        if by_owner && repo.owner.kind == Kind::User && draw.rng.below(5) > 0 { repo.owner } else { draw.user() };
    (repo, actor)
}

/// From the brace to that of `payload`.
pub(super) fn open(out: &mut Vec<u8>, draw: &mut Draw, event: Event, repo: &Repo, actor: &User) {
    let id = 36_500_000_000 + 13 * draw.index + u64::from(draw.rng.below(13));
    put!(out; r#"{"id":""#, id, r#"","type":""#, event.name(), r#"","actor":{"id":"#, actor.id, r#","login":""#,
        actor.login, r#"","display_login":""#, actor.login,
        r#"","gravatar_id":"","url":"https://api.github.com/users/"#, actor.login,
        r#"","avatar_url":"https://avatars.githubusercontent.com/u/"#, actor.id, r#"?"},"repo":{"id":"#, repo.id,
        r#","name":""#, repo, r#"","url":"https://api.github.com/repos/"#, repo, r#""},"payload":{"#);
}

/// From the end of `payload` to the brace.
pub(super) fn close(out: &mut Vec<u8>, draw: &Draw, repo: &Repo) {
    put!(out; r#"},"public":true,"created_at":""#, draw.now, "\"");
    org(out, repo);
    put!(out; "}");
}

/// The inside of `payload`.
pub(super) fn payload(out: &mut Vec<u8>, draw: &mut Draw, event: Event, repo: &Repo, actor: &User) {
    match event {
        Event::Push => push(out, draw, repo),
        Event::PullRequestOpened | Event::PullRequestClosed | Event::PullRequestReopened => {
            pulls::payload(out, draw, repo, actor, event);
        }
        Event::PullRequestReview => pulls::review(out, draw, repo, actor),
        Event::PullRequestReviewComment => pulls::review_comment(out, draw, repo, actor),
        Event::Issues => issues::payload(out, draw, repo, actor),
        Event::IssueComment => issues::comment(out, draw, repo, actor),
        Event::CommitComment => issues::commit_comment(out, draw, repo, actor),
        Event::Create => create(out, draw, repo),
        Event::Delete => {
            put!(out; r#""ref":""#);
            branch(out, draw, repo);
            put!(out; r#"","ref_type":""#, draw.rng.pick(&["branch", "branch", "branch", "tag"]),
                r#"","pusher_type":"user""#);
        }
        Event::Watch => put!(out; r#""action":"started""#),
        Event::Fork => fork(out, draw, repo, actor),
        Event::Release => release(out, draw, repo, actor),
        Event::Gollum => gollum(out, draw, repo),
        Event::Member => {
            put!(out; r#""member":"#);
            let member = draw.user();
            user(out, &member);
            put!(out; r#","action":"added""#);
        }
        Event::Public => {}
    }
}

/// A branch's name.
fn branch(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo) {
    match draw.rng.below(3) {
        0 => put!(out; repo.default_branch),
        1 => {
            put!(out; draw.rng.pick(ENGLISH), "/", draw.rng.pick(ENGLISH), "-", draw.rng.pick(ENGLISH))
        }
        _ => put!(out; draw.rng.pick(SYLLABLES), draw.rng.pick(SYLLABLES), draw.rng.below(1_000)),
    }
}

fn push(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo) {
    let commits = match draw.rng.below(32) {
        0..=2 => 0,
        3..=25 => 1,
        26..=30 => draw.rng.range(2, 3),
        _ => draw.rng.range(4, 16),
    };
    let head = Sha::new(&mut draw.rng);
    let push_id = 17_400_000_000 + 5 * draw.index + u64::from(draw.rng.below(5));
    put!(out; r#""repository_id":"#, repo.id, r#","push_id":"#, push_id);
    if !draw.trimmed {
        put!(out; r#","size":"#, commits, r#","distinct_size":"#, commits - draw.rng.below(commits / 2 + 1));
    }
    put!(out; r#","ref":"refs/heads/"#);
    branch(out, draw, repo);
    put!(out; r#"","head":""#, head, r#"","before":""#, Sha::new(&mut draw.rng), "\"");
    if draw.trimmed {
        return;
    }
    put!(out; r#","commits":["#);
    for n in 1..=commits {
        let sha = if n == commits { head } else { Sha::new(&mut draw.rng) };
        put!(out; if n > 1 { "," } else { "" }, r#"{"sha":""#, sha, r#"","author":{"email":""#,
            draw.rng.pick(ENGLISH), draw.rng.below(10_000), r#"@users.example.org","name":""#);
        name(out, draw);
        put!(out; r#""},"message":""#);
        text::message(out, &mut draw.rng);
        put!(out; r#"","distinct":"#, draw.rng.below(6) > 0, r#","url":"https://api.github.com/repos/"#, repo,
            "/commits/", sha, r#""}"#);
    }
    put!(out; "]");
}

/// An author's name, made of syllables.
fn name(out: &mut Vec<u8>, draw: &mut Draw) {
    for n in 0..draw.rng.range(1, 3) {
        if n > 0 {
            out.push(b' ');
        }
        let at = out.len();
        for _ in 0..draw.rng.range(2, 3) {
            put!(out; draw.rng.pick(SYLLABLES));
        }
        out[at] = out[at].to_ascii_uppercase();
    }
}

fn create(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo) {
    let kind = draw.rng.pick(&["branch", "branch", "branch", "tag", "repository"]);
    put!(out; r#""ref":"#);
    match kind {
        "repository" => put!(out; "null"),
        "tag" => {
            put!(out; "\"v", draw.rng.below(20), ".", draw.rng.below(30), ".", draw.rng.below(9), "\"")
        }
        _ => {
            put!(out; "\"");
            branch(out, draw, repo);
            put!(out; "\"");
        }
    }
    put!(out; r#","ref_type":""#, kind, r#"","master_branch":""#, repo.default_branch, r#"","description":"#);
    if draw.rng.below(4) == 0 {
        put!(out; "null");
    } else {
        put!(out; "\"");
        text::line(out, &mut repo.stream(), 60);
        put!(out; "\"");
    }
    put!(out; r#","pusher_type":"user""#);
}

fn fork(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo, actor: &User) {
    let copy = repo.fork_by(&mut draw.rng, *actor, draw.now);
    put!(out; r#""forkee":"#);
    repo_object(out, &copy, draw);
    // The object ends here with one member more than elsewhere.
    out.pop();
    put!(out; r#","public":true}"#);
}

fn release(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo, actor: &User) {
    let id = 146_000_000 + u64::from(draw.rng.below(2_000_000));
    put!(out; r#""action":"published","release":{"url":"https://api.github.com/repos/"#, repo, "/releases/", id,
        r#"","assets_url":"https://api.github.com/repos/"#, repo, "/releases/", id,
        r#"/assets","upload_url":"https://uploads.github.com/repos/"#, repo, "/releases/", id,
        r#"/assets{?name,label}","html_url":"https://github.com/"#, repo, "/releases/tag/v", id % 40,
        r#"","id":"#, id, r#","author":"#);
    user(out, actor);
    put!(out; r#","node_id":""#, NodeId { prefix: "RE_kwDO", value: id, letters: 16 }, r#"","tag_name":"v"#, id % 40,
        r#"","target_commitish":""#, repo.default_branch, r#"","name":""#);
    text::title(out, &mut draw.rng);
    put!(out; r#"","draft":false,"prerelease":"#, draw.rng.below(6) == 0, r#","created_at":""#, draw.now,
        r#"","published_at":""#, draw.now, r#"","assets":["#);
    for n in 0..draw.rng.below(4) {
        let size = draw.rng.long_tailed(4_000_000);
        put!(out; if n > 0 { "," } else { "" }, r#"{"url":"https://api.github.com/repos/"#, repo, "/releases/assets/",
            id + u64::from(n), r#"","id":"#, id + u64::from(n), r#","name":""#, repo.name, "-", n,
            r#".tar.gz","label":null,"uploader":"#);
        user(out, actor);
        put!(out; r#","content_type":"application/gzip","state":"uploaded","size":"#, size,
            r#","compression_ratio":"#, Fixed(i64::from(draw.rng.below(9_000)), 3), r#","download_count":0}"#);
    }
    put!(out; r#"],"tarball_url":"https://api.github.com/repos/"#, repo, "/tarball/v", id % 40,
        r#"","zipball_url":"https://api.github.com/repos/"#, repo, "/zipball/v", id % 40,
        r#"","author_association":""#, association(draw), r#"","body":""#);
    let length = draw.rng.long_tailed(500);
    text::body(out, &mut draw.rng, length);
    put!(out; r#""}"#);
}

fn gollum(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo) {
    put!(out; r#""pages":["#);
    for n in 0..draw.rng.range(1, 2) {
        let [page, title] = [draw.rng.pick(ENGLISH), draw.rng.pick(PATHS)];
        put!(out; if n > 0 { "," } else { "" }, r#"{"page_name":""#, page, r#"","title":""#, title,
            r#"","summary":null,"action":""#, draw.rng.pick(&["created", "edited", "edited"]), r#"","sha":"#,
            Quoted(Sha::new(&mut draw.rng)), r#","html_url":"https://github.com/"#, repo, "/wiki/", page, r#""}"#);
    }
    put!(out; "]");
}
