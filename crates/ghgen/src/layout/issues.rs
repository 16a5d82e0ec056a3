//! Issues and the comments on them, on pull requests and on commits.

use super::Draw;
use super::objects::{association, labels, maybe_user, reactions, user};
use crate::entity::{Repo, User};
use crate::put::{Fixed, NodeId, Quoted, Sha, put};
use crate::text;
use crate::words::PATHS;

/// The inside of `payload` of an `IssuesEvent`.
pub(super) fn payload(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo, actor: &User) {
    let action = draw.rng.pick(&["opened", "opened", "opened", "closed", "closed", "closed", "reopened"]);
    put!(out; r#""action":""#, action, r#"","issue":"#);
    let length = draw.rng.long_tailed(110);
    issue(out, draw, repo, actor, action == "closed", length, false);
}

/// The inside of `payload` of an `IssueCommentEvent`.
pub(super) fn comment(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo, actor: &User) {
    let author = draw.user();
    put!(out; r#""action":"created","issue":"#);
    let length = 60 + draw.rng.long_tailed(850);
    let on_pull = draw.rng.below(2) == 0;
    let number = issue(out, draw, repo, &author, false, length, on_pull);
    let id = 1_990_000_000 + u64::from(draw.rng.below(40_000_000));
    put!(out; r#","comment":{"url":"https://api.github.com/repos/"#, repo, "/issues/comments/", id,
        r#"","html_url":"https://github.com/"#, repo, if on_pull { "/pull/" } else { "/issues/" }, number,
        "#issuecomment-", id, r#"","issue_url":"https://api.github.com/repos/"#, repo, "/issues/", number,
        r#"","id":"#, id, r#","node_id":""#, NodeId { prefix: "IC_kwDO", value: id, letters: 16 }, r#"","user":"#);
    user(out, actor);
    put!(out; r#","created_at":""#, draw.now, r#"","updated_at":""#, draw.now, r#"","author_association":""#,
        association(draw), r#"","body":""#);
    let length = draw.rng.long_tailed(130);
    text::body(out, &mut draw.rng, length);
    put!(out; r#"","reactions":"#);
    reactions(out, draw, repo, "/issues/comments/", id);
    put!(out; r#","performed_via_github_app":null}"#);
}

/// The inside of `payload` of a `CommitCommentEvent`.
pub(super) fn commit_comment(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo, actor: &User) {
    let id = 139_000_000 + u64::from(draw.rng.below(2_000_000));
    let sha = Sha::new(&mut draw.rng);
    put!(out; r#""comment":{"url":"https://api.github.com/repos/"#, repo, "/comments/", id,
        r#"","html_url":"https://github.com/"#, repo, "/commit/", sha, "#commitcomment-", id, r#"","id":"#, id,
        r#","node_id":""#, NodeId { prefix: "CC_kwDO", value: id, letters: 16 }, r#"","user":"#);
    user(out, actor);
    // A comment on the commit as a whole has no place in it, or -1.
    let position = draw.rng.below(3) as i32 - 1;
    put!(out; r#","position":"#, position, r#","line":"#, (position > 0).then_some(draw.rng.range(1, 400)),
        r#","path":"#, (position > 0).then(|| Quoted(draw.rng.pick(PATHS))), r#","commit_id":""#, sha,
        r#"","created_at":""#, draw.now, r#"","updated_at":""#, draw.now, r#"","author_association":""#,
        association(draw), r#"","body":""#);
    let length = draw.rng.long_tailed(130);
    text::body(out, &mut draw.rng, length);
    put!(out; r#"","score":"#, Fixed(i64::from(draw.rng.below(2_000)) - 1_000, 3), "}");
}

/// An issue object, whose body has about `length` bytes. Returns its number.
fn issue(
    out: &mut Vec<u8>,
    draw: &mut Draw,
    repo: &Repo,
    author: &User,
    closed: bool,
    length: u32,
    is_pull: bool,
) -> u32 {
    let number = 1 + draw.rng.magnitude(3, 15);
    let id = 2_100_000_000 + u64::from(draw.rng.below(100_000_000));
    let page = if is_pull { "/pull/" } else { "/issues/" };
    put!(out; r#"{"url":"https://api.github.com/repos/"#, repo, "/issues/", number,
        r#"","repository_url":"https://api.github.com/repos/"#, repo,
        r#"","labels_url":"https://api.github.com/repos/"#, repo, "/issues/", number,
        r#"/labels{/name}","comments_url":"https://api.github.com/repos/"#, repo, "/issues/", number,
        r#"/comments","events_url":"https://api.github.com/repos/"#, repo, "/issues/", number,
        r#"/events","html_url":"https://github.com/"#, repo, page, number, r#"","id":"#, id,
        r#","node_id":""#, NodeId { prefix: "I_kwDO", value: id, letters: 16 }, r#"","number":"#, number,
        r#","title":""#);
    text::title(out, &mut draw.rng);
    put!(out; r#"","user":"#);
    user(out, author);
    put!(out; r#","labels":"#);
    labels(out, repo, draw);
    put!(out; r#","state":""#, if closed { "closed" } else { "open" }, r#"","locked":false,"assignee":"#);
    let assignee = (draw.rng.below(10) == 0).then(|| draw.user());
    maybe_user(out, assignee.as_ref());
    put!(out; r#","assignees":["#);
    if let Some(assignee) = &assignee {
        user(out, assignee);
    }
    let opened = draw.now.before(draw.rng.magnitude(3, 26));
    put!(out; r#"],"milestone":null,"comments":"#, draw.rng.long_tailed(5), r#","created_at":""#, opened,
        r#"","updated_at":""#, draw.now, r#"","closed_at":"#, closed.then_some(Quoted(draw.now)),
        r#","author_association":""#, association(draw), r#"","active_lock_reason":null"#);
    if is_pull {
        put!(out; r#","draft":false,"pull_request":{"url":"https://api.github.com/repos/"#, repo, "/pulls/", number,
            r#"","html_url":"https://github.com/"#, repo, "/pull/", number, r#"","diff_url":"https://github.com/"#,
            repo, "/pull/", number, r#".diff","patch_url":"https://github.com/"#, repo, "/pull/", number,
            r#".patch","merged_at":null}"#);
    }
    put!(out; r#","body":"#);
    if draw.rng.below(12) == 0 {
        put!(out; "null");
    } else {
        put!(out; "\"");
        text::body(out, &mut draw.rng, length);
        put!(out; "\"");
    }
    put!(out; r#","reactions":"#);
    reactions(out, draw, repo, "/issues/", u64::from(number));
    put!(out; r#","timeline_url":"https://api.github.com/repos/"#, repo, "/issues/", number,
        r#"/timeline","performed_via_github_app":null,"state_reason":"#,
        closed.then_some(Quoted("completed")), "}");
    number
}
