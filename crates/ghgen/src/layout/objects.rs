//! The objects that most events nest: users, repositories, organizations, labels, reactions. In
//! goes an entity, out comes its object as the REST interface gives it, with every address
//! spelled out.

use super::Draw;
use crate::entity::{Kind, Repo, User};
use crate::put::{NodeId, Quoted, put};
use crate::text;
use crate::words::LABELS;

/// The addresses in a user object: what stands before and after the login.
const USER_URLS: [(&str, &str); 11] = [
    (r#","gravatar_id":"","url":"https://api.github.com/users/"#, "\""),
    (r#","html_url":"https://github.com/"#, "\""),
    (r#","followers_url":"https://api.github.com/users/"#, r#"/followers""#),
    (r#","following_url":"https://api.github.com/users/"#, r#"/following{/other_user}""#),
    (r#","gists_url":"https://api.github.com/users/"#, r#"/gists{/gist_id}""#),
    (r#","starred_url":"https://api.github.com/users/"#, r#"/starred{/owner}{/repo}""#),
    (r#","subscriptions_url":"https://api.github.com/users/"#, r#"/subscriptions""#),
    (r#","organizations_url":"https://api.github.com/users/"#, r#"/orgs""#),
    (r#","repos_url":"https://api.github.com/users/"#, r#"/repos""#),
    (r#","events_url":"https://api.github.com/users/"#, r#"/events{/privacy}""#),
    (r#","received_events_url":"https://api.github.com/users/"#, r#"/received_events""#),
];

/// The addresses in a repository object that follow `fork`.
const REPO_URLS: [(&str, &str); 37] = [
    (r#","url":"https://api.github.com/repos/"#, "\""),
    (r#","forks_url":"https://api.github.com/repos/"#, r#"/forks""#),
    (r#","keys_url":"https://api.github.com/repos/"#, r#"/keys{/key_id}""#),
    (r#","collaborators_url":"https://api.github.com/repos/"#, r#"/collaborators{/collaborator}""#),
    (r#","teams_url":"https://api.github.com/repos/"#, r#"/teams""#),
    (r#","hooks_url":"https://api.github.com/repos/"#, r#"/hooks""#),
    (r#","issue_events_url":"https://api.github.com/repos/"#, r#"/issues/events{/number}""#),
    (r#","events_url":"https://api.github.com/repos/"#, r#"/events""#),
    (r#","assignees_url":"https://api.github.com/repos/"#, r#"/assignees{/user}""#),
    (r#","branches_url":"https://api.github.com/repos/"#, r#"/branches{/branch}""#),
    (r#","tags_url":"https://api.github.com/repos/"#, r#"/tags""#),
    (r#","blobs_url":"https://api.github.com/repos/"#, r#"/git/blobs{/sha}""#),
    (r#","git_tags_url":"https://api.github.com/repos/"#, r#"/git/tags{/sha}""#),
    (r#","git_refs_url":"https://api.github.com/repos/"#, r#"/git/refs{/sha}""#),
    (r#","trees_url":"https://api.github.com/repos/"#, r#"/git/trees{/sha}""#),
    (r#","statuses_url":"https://api.github.com/repos/"#, r#"/statuses/{sha}""#),
    (r#","languages_url":"https://api.github.com/repos/"#, r#"/languages""#),
    (r#","stargazers_url":"https://api.github.com/repos/"#, r#"/stargazers""#),
    (r#","contributors_url":"https://api.github.com/repos/"#, r#"/contributors""#),
    (r#","subscribers_url":"https://api.github.com/repos/"#, r#"/subscribers""#),
    (r#","subscription_url":"https://api.github.com/repos/"#, r#"/subscription""#),
    (r#","commits_url":"https://api.github.com/repos/"#, r#"/commits{/sha}""#),
    (r#","git_commits_url":"https://api.github.com/repos/"#, r#"/git/commits{/sha}""#),
    (r#","comments_url":"https://api.github.com/repos/"#, r#"/comments{/number}""#),
    (r#","issue_comment_url":"https://api.github.com/repos/"#, r#"/issues/comments{/number}""#),
    (r#","contents_url":"https://api.github.com/repos/"#, r#"/contents/{+path}""#),
    (r#","compare_url":"https://api.github.com/repos/"#, r#"/compare/{base}...{head}""#),
    (r#","merges_url":"https://api.github.com/repos/"#, r#"/merges""#),
    (r#","archive_url":"https://api.github.com/repos/"#, r#"/{archive_format}{/ref}""#),
    (r#","downloads_url":"https://api.github.com/repos/"#, r#"/downloads""#),
    (r#","issues_url":"https://api.github.com/repos/"#, r#"/issues{/number}""#),
    (r#","pulls_url":"https://api.github.com/repos/"#, r#"/pulls{/number}""#),
    (r#","milestones_url":"https://api.github.com/repos/"#, r#"/milestones{/number}""#),
    (r#","notifications_url":"https://api.github.com/repos/"#, r#"/notifications{?since,all,participating}""#),
    (r#","labels_url":"https://api.github.com/repos/"#, r#"/labels{/name}""#),
    (r#","releases_url":"https://api.github.com/repos/"#, r#"/releases{/id}""#),
    (r#","deployments_url":"https://api.github.com/repos/"#, r#"/deployments""#),
];

/// Licences: key, name, SPDX identifier.
const LICENSES: &[(&str, &str, &str)] = &[
    ("mit", "MIT License", "MIT"),
    ("apache-2.0", "Apache License 2.0", "Apache-2.0"),
    ("gpl-3.0", "GNU General Public License v3.0", "GPL-3.0"),
    ("bsd-3-clause", "BSD 3-Clause \\\"New\\\" or \\\"Revised\\\" License", "BSD-3-Clause"),
    ("other", "Other", "NOASSERTION"),
];

/// A user object.
pub(super) fn user(out: &mut Vec<u8>, user: &User) {
    put!(out; r#"{"login":""#, user.login, r#"","id":"#, user.id, r#","node_id":""#, user.node_id(),
        r#"","avatar_url":"https://avatars.githubusercontent.com/u/"#, user.id, r#"?v=4""#);
    for (before, after) in &USER_URLS {
        put!(out; before, user.in_urls, after);
    }
    put!(out; r#","type":""#, user.kind, r#"","site_admin":false}"#);
}

/// A repository object.
pub(super) fn repo(out: &mut Vec<u8>, repo: &Repo, draw: &mut Draw) {
    let mut of_repo = repo.stream();
    put!(out; r#"{"id":"#, repo.id, r#","node_id":""#, repo.node_id(), r#"","name":""#, repo.name,
        r#"","full_name":""#, repo, r#"","private":false,"owner":"#);
    user(out, &repo.owner);
    put!(out; r#","html_url":"https://github.com/"#, repo, r#"","description":"#);
    match of_repo.below(4) {
        0 => put!(out; "null"),
        _ => {
            put!(out; "\"");
            text::line(out, &mut of_repo, 70);
            put!(out; "\"");
        }
    }
    put!(out; r#","fork":"#, repo.fork);
    for (before, after) in &REPO_URLS {
        put!(out; before, repo, after);
    }
    put!(out; r#","created_at":""#, repo.created, r#"","updated_at":""#, draw.earlier(9_000_000),
        r#"","pushed_at":""#, draw.earlier(90_000), r#"","git_url":"git://github.com/"#, repo,
        r#".git","ssh_url":"git@github.com:"#, repo, r#".git","clone_url":"https://github.com/"#, repo,
        r#".git","svn_url":"https://github.com/"#, repo, r#"","homepage":"#);
    match of_repo.below(6) {
        0 => put!(out; r#""https://"#, repo.name, r#".example.org/""#),
        1 | 2 => put!(out; r#""""#),
        _ => put!(out; "null"),
    }
    put!(out; r#","size":"#, repo.size, r#","stargazers_count":"#, repo.stars, r#","watchers_count":"#,
        repo.stars, r#","language":"#, repo.language.map(Quoted),
        r#","has_issues":"#, of_repo.below(8) > 0, r#","has_projects":"#, of_repo.below(8) > 0,
        r#","has_downloads":true,"has_wiki":"#, of_repo.below(4) > 0,
        r#","has_pages":"#, of_repo.below(5) == 0, r#","has_discussions":"#, of_repo.below(6) == 0,
        r#","forks_count":"#, repo.forks, r#","mirror_url":null,"archived":false,"disabled":false,"open_issues_count":"#,
        repo.open_issues, r#","license":"#);
    if of_repo.below(2) == 0 {
        let (key, name, spdx) = LICENSES[of_repo.below(LICENSES.len() as u32) as usize];
        let node = NodeId { prefix: "MDc6TGljZW5zZT", value: u64::from(key.as_bytes()[0]), letters: 2 };
        put!(out; r#"{"key":""#, key, r#"","name":""#, name, r#"","spdx_id":""#, spdx,
            r#"","url":"https://api.github.com/licenses/"#, key, r#"","node_id":""#, node, r#""}"#);
    } else {
        put!(out; "null");
    }
    put!(out; r#","allow_forking":true,"is_template":false,"web_commit_signoff_required":false,"topics":["#);
    for n in 0..of_repo.below(12).saturating_sub(8) {
        if n > 0 {
            put!(out; ",");
        }
        put!(out; Quoted(of_repo.pick(crate::words::ENGLISH)));
    }
    put!(out; r#"],"visibility":"public","forks":"#, repo.forks, r#","open_issues":"#, repo.open_issues,
        r#","watchers":"#, repo.stars, r#","default_branch":""#, repo.default_branch, "\"}");
}

/// The short object at `/org`, for repositories that an organization owns.
pub(super) fn org(out: &mut Vec<u8>, repo: &Repo) {
    if repo.owner.kind == Kind::Organization {
        let org = &repo.owner;
        put!(out; r#","org":{"id":"#, org.id, r#","login":""#, org.login,
            r#"","gravatar_id":"","url":"https://api.github.com/orgs/"#, org.in_urls,
            r#"","avatar_url":"https://avatars.githubusercontent.com/u/"#, org.id, r#"?"}"#);
    }
}

/// An array of labels: mostly none.
pub(super) fn labels(out: &mut Vec<u8>, repo: &Repo, draw: &mut Draw) {
    put!(out; "[");
    for n in 0..draw.rng.below(8).saturating_sub(5) {
        if n > 0 {
            put!(out; ",");
        }
        let id = u64::from(draw.rng.below(u32::MAX)) + 1_000_000_000;
        let colour = draw.rng.bits() as u32 & 0xff_ff_ff;
        put!(out; r#"{"id":"#, id, r#","node_id":""#, NodeId { prefix: "LA_kwDO", value: id, letters: 16 },
            r#"","url":"https://api.github.com/repos/"#, repo, r#"/labels/"#, id % 100, r#"","name":""#,
            draw.rng.pick(LABELS), r#"","color":""#);
        for shift in [20, 16, 12, 8, 4, 0] {
            out.push(b"0123456789abcdef"[(colour >> shift & 15) as usize]);
        }
        put!(out; r#"","default":"#, draw.rng.below(2) == 0, r#","description":null}"#);
    }
    put!(out; "]");
}

/// A user or `null`.
pub(super) fn maybe_user(out: &mut Vec<u8>, somebody: Option<&User>) {
    match somebody {
        Some(somebody) => user(out, somebody),
        None => put!(out; "null"),
    }
}

/// The object that counts reactions to the issue or comment whose address in `repo` is `path` and
/// `id`.
pub(super) fn reactions(out: &mut Vec<u8>, draw: &mut Draw, repo: &Repo, path: &str, id: u64) {
    let plus = draw.rng.below(40).saturating_sub(36);
    let minus = draw.rng.below(80).saturating_sub(78);
    put!(out; r#"{"url":"https://api.github.com/repos/"#, repo, path, id, r#"/reactions","total_count":"#,
        plus + minus, r#","+1":"#, plus, r#","-1":"#, minus,
        r#","laugh":0,"hooray":0,"confused":0,"heart":0,"rocket":0,"eyes":0}"#);
}

/// How somebody relates to a repository.
pub(super) fn association(draw: &mut Draw) -> &'static str {
    draw.rng.pick(&["NONE", "CONTRIBUTOR", "MEMBER", "OWNER", "COLLABORATOR", "FIRST_TIME_CONTRIBUTOR"])
}
