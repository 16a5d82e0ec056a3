//! The cookbook: each of its command lines is run, and its answer is that of the jq program in the comment above it.

use std::process::Command;

use crate::{judge, world};

/// A jq program and the command line that it judges.
fn recipes() -> Vec<(String, String)> {
    let text = include_str!("../../../../docs/cookbook.md");
    let mut program = None;
    let mut recipes = Vec::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("<!-- jq: ") {
            program = comment.strip_suffix(" -->").map(str::to_owned);
        } else if let Some(command) = line.strip_prefix("$ ") {
            recipes.push((program.take().unwrap_or_else(|| panic!("no jq for {command}")), command.to_owned()));
        }
    }
    recipes
}

#[test]
fn every_command_line_gives_the_answer_of_jq() {
    let recipes = recipes();
    assert!(recipes.len() >= 10, "{recipes:?}");
    for (number, (program, command)) in recipes.iter().enumerate() {
        let name = format!("cookbook-{}", number + 1);
        let file = command.split(' ').next_back().unwrap();
        let expected = judge::expected(&name, &world().join(file), program);
        let run = |command: &str| {
            let folder = std::path::Path::new(env!("CARGO_BIN_EXE_ndskim")).parent().unwrap();
            let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
            let output =
                Command::new("sh").args(["-c", command]).env("PATH", path).current_dir(world()).output().unwrap();
            assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        // As it stands there, for people, and for the judge.
        assert!(run(command).lines().count() >= 3, "{command}");
        let answer = serde_json::from_str(&run(&format!("{command} --format json"))).unwrap();
        judge::compare(&name, &answer, &expected);
        assert!(expected["matched"].as_u64() > Some(0), "{command} finds nothing, which proves nothing");
    }
}
