//! Pull requests: the events about them, their reviews and the comments in those. The object
//! holds users and repositories twice, under `head` and `base`, which makes these lines the
//! longest.

use super::Draw;
use super::objects::{association, labels, maybe_user, reactions, repo, user};
use crate::entity::{Repo, User};
use crate::mix::Event;
use crate::put::{NodeId, Put as _, Quoted, Sha, put};
use crate::text;
use crate::words::{ENGLISH, PATHS};

/// What one pull request is, so that the objects which mention it agree.
struct Pull {
    number: u32,
    id: u64,
    author: User,
    head: Sha,
    merged: bool,
    closed: bool,
}

impl Pull {
    fn new(draw: &mut Draw, author: User, event: Event) -> Self {
        let closed = event == Event::PullRequestClosed;
        Self {
            number: 1 + draw.rng.magnitude(3, 14),
            id: 1_700_000_000 + u64::from(draw.rng.below(100_000_000)),
            author,
            head: Sha::new(&mut draw.rng),
            merged: closed && draw.rng.below(4) > 0,
            closed,
        }
    }
}

/// The inside of `payload` of a `PullRequestEvent`.
pub(super) fn payload(out: &mut Vec<u8>, draw: &mut Draw, base: &Repo, actor: &User, event: Event) {
    let action = match event {
        Event::PullRequestOpened => "opened",
        Event::PullRequestClosed => "closed",
        _ => "reopened",
    };
    let pull = Pull::new(draw, *actor, event);
    put!(out; r#""action":""#, action, r#"","number":"#, pull.number, r#","pull_request":"#);
    object(out, draw, base, &pull, Some(actor));
}

/// The inside of `payload` of a `PullRequestReviewEvent`.
pub(super) fn review(out: &mut Vec<u8>, draw: &mut Draw, base: &Repo, actor: &User) {
    let author = draw.user();
    let pull = Pull::new(draw, author, Event::PullRequestReview);
    let id = 1_900_000_000 + u64::from(draw.rng.below(40_000_000));
    put!(out; r#""action":"created","review":{"id":"#, id, r#","node_id":""#,
        NodeId { prefix: "PRR_kwDO", value: id, letters: 16 }, r#"","user":"#);
    user(out, actor);
    put!(out; r#","body":"#);
    match draw.rng.below(3) {
        0 => {
            put!(out; "\"");
            text::body(out, &mut draw.rng, 60);
            put!(out; "\"");
        }
        _ => put!(out; "null"),
    }
    put!(out; r#","commit_id":""#, pull.head, r#"","submitted_at":""#, draw.now, r#"","state":""#,
        draw.rng.pick(&["approved", "commented", "commented", "changes_requested", "dismissed"]),
        r#"","html_url":"https://github.com/"#, base, "/pull/", pull.number, "#pullrequestreview-", id,
        r#"","pull_request_url":"https://api.github.com/repos/"#, base, "/pulls/", pull.number,
        r#"","author_association":""#, association(draw), r#"","_links":{"html":{"href":"https://github.com/"#,
        base, "/pull/", pull.number, "#pullrequestreview-", id,
        r#""},"pull_request":{"href":"https://api.github.com/repos/"#, base, "/pulls/", pull.number,
        r#""}}},"pull_request":"#);
    object(out, draw, base, &pull, None);
}

/// The inside of `payload` of a `PullRequestReviewCommentEvent`.
pub(super) fn review_comment(out: &mut Vec<u8>, draw: &mut Draw, base: &Repo, actor: &User) {
    let author = draw.user();
    let pull = Pull::new(draw, author, Event::PullRequestReviewComment);
    let id = 1_500_000_000 + u64::from(draw.rng.below(40_000_000));
    put!(out; r#""action":"created","comment":{"url":"https://api.github.com/repos/"#, base, "/pulls/comments/", id,
        r#"","pull_request_review_id":"#, id + 400_000_000, r#","id":"#, id, r#","node_id":""#,
        NodeId { prefix: "PRRC_kwDO", value: id, letters: 16 }, r#"","diff_hunk":""#);
    let length = 60 + draw.rng.long_tailed(360);
    text::diff_hunk(out, &mut draw.rng, length);
    let position = (draw.rng.below(5) > 0).then(|| draw.rng.range(1, 200));
    put!(out; r#"","path":""#, draw.rng.pick(PATHS), r#"","position":"#, position,
        r#","original_position":"#, draw.rng.range(1, 200), r#","commit_id":""#, pull.head,
        r#"","original_commit_id":""#, pull.head, r#"","user":"#);
    user(out, actor);
    put!(out; r#","body":""#);
    let length = draw.rng.long_tailed(60);
    text::body(out, &mut draw.rng, length);
    put!(out; r#"","created_at":""#, draw.now, r#"","updated_at":""#, draw.now,
        r#"","html_url":"https://github.com/"#, base, "/pull/", pull.number, "#discussion_r", id,
        r#"","pull_request_url":"https://api.github.com/repos/"#, base, "/pulls/", pull.number,
        r#"","author_association":""#, association(draw), r#"","_links":{"self":{"href":"https://api.github.com/repos/"#,
        base, "/pulls/comments/", id, r#""},"html":{"href":"https://github.com/"#, base, "/pull/", pull.number,
        "#discussion_r", id, r#""},"pull_request":{"href":"https://api.github.com/repos/"#, base, "/pulls/",
        pull.number, r#""}},"reactions":"#);
    reactions(out, draw, base, "/pulls/comments/", id);
    put!(out; r#","start_line":null,"side":"RIGHT","subject_type":"line"},"pull_request":"#);
    object(out, draw, base, &pull, None);
}

/// The object itself. `actor`, who opened or closed it, is given where the event is about the
/// pull request as a whole: then the counts follow.
fn object(out: &mut Vec<u8>, draw: &mut Draw, base: &Repo, pull: &Pull, actor: Option<&User>) {
    if draw.trimmed {
        return trimmed(out, draw, base, pull);
    }
    let number = pull.number;
    put!(out; r#"{"url":"https://api.github.com/repos/"#, base, "/pulls/", number, r#"","id":"#, pull.id,
        r#","node_id":""#, NodeId { prefix: "PR_kwDO", value: pull.id, letters: 16 },
        r#"","html_url":"https://github.com/"#, base, "/pull/", number,
        r#"","diff_url":"https://github.com/"#, base, "/pull/", number,
        r#".diff","patch_url":"https://github.com/"#, base, "/pull/", number,
        r#".patch","issue_url":"https://api.github.com/repos/"#, base, "/issues/", number,
        r#"","number":"#, number, r#","state":""#, if pull.closed { "closed" } else { "open" },
        r#"","locked":false,"title":""#);
    text::title(out, &mut draw.rng);
    put!(out; r#"","user":"#);
    user(out, &pull.author);
    put!(out; r#","body":"#);
    if draw.rng.below(5) < 2 {
        put!(out; "null");
    } else {
        put!(out; "\"");
        let length = draw.rng.long_tailed(40);
        text::body(out, &mut draw.rng, length);
        put!(out; "\"");
    }
    dates(out, draw, pull);
    put!(out; r#","assignee":"#);
    let assignee = (draw.rng.below(20) == 0).then(|| draw.user());
    maybe_user(out, assignee.as_ref());
    put!(out; r#","assignees":["#);
    if let Some(assignee) = &assignee {
        user(out, assignee);
    }
    put!(out; r#"],"requested_reviewers":["#);
    if draw.rng.below(20) == 0 {
        let reviewer = draw.user();
        user(out, &reviewer);
    }
    put!(out; r#"],"requested_teams":[],"labels":"#);
    labels(out, base, draw);
    put!(out; r#","milestone":null,"draft":"#, draw.rng.below(12) == 0);
    addresses(out, base, pull);
    sides(out, draw, base, pull);
    links(out, base, pull);
    put!(out; r#","author_association":""#, association(draw), r#"","auto_merge":null,"active_lock_reason":null"#);
    if let Some(actor) = actor {
        counts(out, draw, pull, actor);
    }
    put!(out; "}");
}

/// The object as it is since October 2025.
fn trimmed(out: &mut Vec<u8>, draw: &mut Draw, base: &Repo, pull: &Pull) {
    put!(out; r#"{"url":"https://api.github.com/repos/"#, base, "/pulls/", pull.number, r#"","id":"#, pull.id,
        r#","number":"#, pull.number);
    let branch = draw.rng.pick(ENGLISH);
    let sides = [("head", branch, pull.head), ("base", base.default_branch, Sha::new(&mut draw.rng))];
    for (side, branch, sha) in sides {
        put!(out; r#",""#, side, r#"":{"ref":""#, branch, r#"","sha":""#, sha, r#"","repo":{"id":"#, base.id,
            r#","url":"https://api.github.com/repos/"#, base, r#"","name":""#, base.name, r#""}}"#);
    }
    put!(out; "}");
}

fn dates(out: &mut Vec<u8>, draw: &mut Draw, pull: &Pull) {
    let opened = if pull.closed { draw.earlier(2_000_000) } else { draw.earlier(30) };
    let closed = pull.closed.then_some(Quoted(draw.now));
    let merged = pull.merged.then_some(Quoted(draw.now));
    let merge = (draw.rng.below(4) > 0).then(|| Quoted(Sha::new(&mut draw.rng)));
    put!(out; r#","created_at":""#, opened, r#"","updated_at":""#, draw.now, r#"","closed_at":"#, closed,
        r#","merged_at":"#, merged, r#","merge_commit_sha":"#, merge);
}

fn addresses(out: &mut Vec<u8>, base: &Repo, pull: &Pull) {
    put!(out; r#","commits_url":"https://api.github.com/repos/"#, base, "/pulls/", pull.number,
        r#"/commits","review_comments_url":"https://api.github.com/repos/"#, base, "/pulls/", pull.number,
        r#"/comments","review_comment_url":"https://api.github.com/repos/"#, base,
        r#"/pulls/comments{/number}","comments_url":"https://api.github.com/repos/"#, base, "/issues/", pull.number,
        r#"/comments","statuses_url":"https://api.github.com/repos/"#, base, "/statuses/", pull.head, "\"");
}

/// `head` and `base`. The head's repository is the base's own, a fork of it, or, if that was
/// deleted, `null`.
fn sides(out: &mut Vec<u8>, draw: &mut Draw, base: &Repo, pull: &Pull) {
    let (owner, fork) = if draw.rng.below(5) < 3 {
        (base.owner, None)
    } else {
        (pull.author, Some(base.fork_by(&mut draw.rng, pull.author, draw.now)))
    };
    let gone = fork.is_some() && draw.rng.below(30) == 0;
    let [first, second] = [draw.rng.pick(ENGLISH), draw.rng.pick(ENGLISH)];
    put!(out; r#","head":{"label":""#, owner.in_urls, ":", first, "-", second, r#"","ref":""#, first, "-", second,
        r#"","sha":""#, pull.head, r#"","user":"#);
    user(out, &owner);
    put!(out; r#","repo":"#);
    if gone {
        put!(out; "null");
    } else {
        repo(out, fork.as_ref().unwrap_or(base), draw);
    }
    let sha = Sha::new(&mut draw.rng);
    put!(out; r#"},"base":{"label":""#, base.owner.in_urls, ":", base.default_branch, r#"","ref":""#,
        base.default_branch, r#"","sha":""#, sha, r#"","user":"#);
    user(out, &base.owner);
    put!(out; r#","repo":"#);
    repo(out, base, draw);
    put!(out; "}");
}

fn links(out: &mut Vec<u8>, base: &Repo, pull: &Pull) {
    let number = pull.number;
    let rest =
        [("issue", "/issues/", ""), ("comments", "/issues/", "/comments"), ("review_comments", "/pulls/", "/comments")];
    put!(out; r#","_links":{"self":{"href":"https://api.github.com/repos/"#, base, "/pulls/", number,
        r#""},"html":{"href":"https://github.com/"#, base, "/pull/", number, r#""}"#);
    for (name, before, after) in rest {
        put!(out; r#",""#, name, r#"":{"href":"https://api.github.com/repos/"#, base, before, number, after, r#""}"#);
    }
    put!(out; r#","review_comment":{"href":"https://api.github.com/repos/"#, base,
        r#"/pulls/comments{/number}"},"commits":{"href":"https://api.github.com/repos/"#, base, "/pulls/", number,
        r#"/commits"},"statuses":{"href":"https://api.github.com/repos/"#, base, "/statuses/", pull.head, r#""}}"#);
}

fn counts(out: &mut Vec<u8>, draw: &mut Draw, pull: &Pull, actor: &User) {
    let mergeable = (draw.rng.below(10) == 0).then_some(true);
    put!(out; r#","merged":"#, pull.merged, r#","mergeable":"#, mergeable, r#","rebaseable":"#, mergeable,
        r#","mergeable_state":""#, draw.rng.pick(&["unknown", "unknown", "clean", "blocked", "dirty", "unstable"]),
        r#"","merged_by":"#);
    maybe_user(out, pull.merged.then_some(actor));
    for (name, scale) in [
        (r#","comments":"#, 2),
        (r#","review_comments":"#, 2),
        (r#","maintainer_can_modify":false,"commits":"#, 3),
        (r#","additions":"#, 200),
        (r#","deletions":"#, 90),
        (r#","changed_files":"#, 8),
    ] {
        name.put(out);
        draw.rng.long_tailed(scale).put(out);
    }
}
