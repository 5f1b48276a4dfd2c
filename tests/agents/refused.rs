//! What is refused before an agent is started.

use super::{OBEYS, agents, command, repository, set_executable};
use crate::revisions::Repository;
use crate::support::{CommandOutput, bakeoff};
use std::fs;
use tempfile::TempDir;

#[test]
fn what_worktrees_cannot_be_made_of_is_said() {
    let folder = TempDir::new().unwrap();
    let mut none = bakeoff(&["agents", "x", "--variant", "a", "--agent", "true"]);
    let none: CommandOutput = none.current_dir(folder.path()).output().unwrap().into();
    assert_eq!(none.status, 2);
    let Some(repository) = repository() else {
        return;
    };
    let unknown = agents(&repository, &["a"], "true", &["--base", "nowhere"]);
    assert!(unknown.explains("is no revision"), "{}", unknown.stderr);
    assert_eq!(agents(&repository, &["a/b"], "true", &[]).status, 2);
    let head = repository.git(&["rev-parse", "HEAD"]);
    let entry = format!("160000,{head},sub");
    repository.git(&["update-index", "--add", "--cacheinfo", &entry]);
    repository.git(&["commit", "--quiet", "-m", "sub"]);
    let submodule = agents(&repository, &["a"], "true", &[]);
    assert!(submodule.explains("is a submodule"), "{}", submodule.stderr);
    let empty = Repository::new();
    let unborn = agents(&empty, &["a"], "true", &[]);
    assert!(
        unborn.explains("without a commit has none"),
        "{}",
        unborn.stderr
    );
}

#[test]
fn what_is_in_the_way_is_said_before_an_agent_is_started() {
    let Some(repository) = repository() else {
        return;
    };
    repository.git(&["branch", "bakeoff/agents/b"]);
    let variants = ["a=echo x >new", "b=echo y >new"];
    let refused = agents(&repository, &variants, OBEYS, &[]);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    assert!(refused.explains("there is a branch"), "{}", refused.stderr);
    assert!(!repository.path().join(".bakeoff/agents/worktrees").exists());
    repository.git(&["branch", "-D", "bakeoff/agents/b"]);
    // Two at a time would judge each other's work.
    let held = repository.path().join(".bakeoff/agents/lock");
    let held = fs::File::create(held).unwrap();
    held.lock().unwrap();
    let second = agents(&repository, &variants, OBEYS, &[]);
    assert!(second.explains("somebody works in"), "{}", second.stderr);
    drop(held);
    let output = agents(&repository, &variants, OBEYS, &[]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    use std::os::unix::fs::PermissionsExt as _;
    let folder = fs::metadata(repository.path().join(".bakeoff/agents")).unwrap();
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);
}

#[test]
fn an_agent_that_is_no_file_of_the_base_is_refused_before_anything_begins() {
    let Some(repository) = repository() else {
        return;
    };
    let here = |name: &str| repository.path().join(name);
    repository.write("agent.sh", "#!/bin/sh\necho x >new\n");
    set_executable(&here("agent.sh"));
    let started = || agents(&repository, &["a"], "./agent.sh", &[]);
    let refused = |output: &CommandOutput, why: &str| {
        assert_eq!(output.status, 2, "{}", output.stdout);
        for part in [
            "has the files of the base alone",
            why,
            "absolute path",
            "--read",
        ] {
            assert!(output.explains(part), "{part}: {}", output.stderr);
        }
        assert!(!here(".bakeoff/agents/worktrees").exists());
    };
    refused(&started(), "is not committed there: commit it");
    let above = agents(&repository, &["a"], "../agent.sh", &[]);
    refused(&above, "leads out of it");
    let tasks = "[[task]]\nname = \"a\"\nprompt = \"x\"\n";
    repository.write("tasks.toml", tasks);
    let work = ["work", "tasks.toml", "--yes", "--agent", "./agent.sh"];
    let work = command(&repository, &work);
    refused(&work, "is not committed there: commit it");
    repository.git(&["add", "agent.sh"]);
    repository.git(&["update-index", "--chmod=-x", "agent.sh"]);
    repository.git(&["commit", "--quiet", "-m", "agent"]);
    refused(&started(), "git update-index --chmod=+x");
    repository.git(&["update-index", "--chmod=+x", "agent.sh"]);
    repository.git(&["commit", "--quiet", "-m", "mode"]);
    let output = started();
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
}
