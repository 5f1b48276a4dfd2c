//! The pick of a branch: what is named and shown, and what becomes of the user's own files.

use super::{OBEYS, agents, command, repository, row};
use crate::revisions::Repository;
use crate::support::{CommandOutput, measuring_slot};
use std::fs;
use tempfile::TempDir;

const VERIFY: [&str; 2] = ["--verify", "sh tests/run.sh"];

fn pick(repository: &Repository, arguments: &[&str]) -> CommandOutput {
    command(
        repository,
        &[&["pick", ".bakeoff/agents"][..], arguments].concat(),
    )
}

fn read(repository: &Repository, file: &str) -> String {
    fs::read_to_string(repository.path().join(file)).unwrap()
}

#[test]
fn the_only_one_that_passed_is_named_and_its_changes_are_made_when_asked() {
    let Some(repository) = repository() else {
        return;
    };
    let none = pick(&repository, &[]);
    assert!(none.explains("`bakeoff worktrees`"), "{}", none.stderr);
    assert!(!repository.path().join(".bakeoff").exists());
    let lines = "#\n".repeat(20);
    repository.write("add.sh", &format!("echo $(($1 + $2))\n{lines}"));
    repository.commit();
    let variants = [
        "good=sed -i 's/^echo.*/expr $1 + $2/' add.sh; mkdir deep; echo x >deep/new",
        "wrong=echo 'echo 4' >add.sh",
        "fails=exit 7",
    ];
    agents(&repository, &variants, OBEYS, &VERIFY).json();
    let head = repository.git(&["rev-parse", "HEAD"]);
    let shown = pick(&repository, &[]);
    assert_eq!(shown.status, 0, "{}", shown.stderr);
    for part in [
        "bakeoff/agents/good",
        "2 files changed",
        "+expr $1 + $2",
        "--apply",
    ] {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    assert!(!repository.path().join("deep").exists());
    // A file that the user changed is not touched, even where both changes would fit; other files are none of its business.
    let mine = format!("{}# mine\n", read(&repository, "add.sh"));
    repository.write("add.sh", &mine);
    repository.write("other", "mine\n");
    let refused = pick(&repository, &["--apply"]);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    assert!(refused.explains("add.sh"), "{}", refused.stderr);
    assert_eq!(read(&repository, "add.sh"), mine);
    assert!(!repository.path().join("deep").exists());
    repository.git(&["checkout", "add.sh"]);
    let applied = pick(&repository, &["--apply", "--format", "json"]);
    assert_eq!(applied.status, 0, "{}", applied.stderr);
    let report = applied.json();
    assert_eq!(report["applied"], true);
    assert_eq!(report["variant"], "good");
    assert_eq!(
        read(&repository, "add.sh"),
        format!("expr $1 + $2\n{lines}")
    );
    assert_eq!(read(&repository, "deep/new"), "x\n");
    assert_eq!(repository.git(&["rev-parse", "HEAD"]), head);
    assert_eq!(repository.git(&["diff", "--cached", "--name-only"]), "");
    // A second time they are no longer the files that the agent began with.
    assert_eq!(pick(&repository, &["--apply"]).status, 2);
    let failed = pick(&repository, &["--variant", "fails"]);
    assert!(failed.explains("no commit"), "{}", failed.stderr);
    let unknown = pick(&repository, &["--variant", "nobody"]);
    assert!(unknown.explains("no variant"), "{}", unknown.stderr);
    let elsewhere = command(&repository, &["pick", ".", "--apply"]);
    assert!(
        elsewhere.explains(".bakeoff/agents"),
        "{}",
        elsewhere.stderr
    );
}

#[test]
fn of_several_that_passed_none_is_picked_without_a_measurement_of_all() {
    let Some(repository) = repository() else {
        return;
    };
    let variants = [
        "fast=echo 'echo $(($1 + $2)) # fast' >add.sh",
        "slow=echo 'sleep 0.1; expr $1 + $2' >add.sh",
    ];
    agents(&repository, &variants, OBEYS, &VERIFY).json();
    let unknown = pick(&repository, &[]);
    assert_eq!(unknown.status, 1, "{}", unknown.stdout);
    assert!(unknown.explains("fast, slow passed"), "{}", unknown.stderr);
    let measured = ["--measure", "sh add.sh 1 2", "--budget", "5s"];
    agents(
        &repository,
        &variants,
        OBEYS,
        &[&VERIFY[..], &measured].concat(),
    )
    .json();
    // By the time alone, what was there before is as fast as one of them: nobody is surely ahead.
    let tied = pick(&repository, &[]);
    assert_eq!(tied.status, 1, "{}", tied.stdout);
    assert!(!tied.explains("no measurement"), "{}", tied.stderr);
    let named = pick(&repository, &["--variant", "slow"]);
    assert!(
        named.stdout.contains("bakeoff/agents/slow"),
        "{}",
        named.stdout
    );
    // An answer that somebody else wrote counts for nothing.
    let file = ".bakeoff/agents/measured.json";
    let text = read(&repository, file);
    repository.write(
        file,
        &text.replace("\"winner\": null", "\"winner\": \"slow\""),
    );
    assert_ne!(read(&repository, file), text);
    let forged = pick(&repository, &[]);
    assert!(forged.explains("no measurement"), "{}", forged.stderr);
    let removed = command(&repository, &["worktrees", "--remove", "agents"]);
    assert_eq!(removed.status, 0, "{}", removed.stderr);
    assert!(!repository.path().join(".bakeoff/agents").exists());
}

#[test]
fn case_246_changes_that_are_picked_lead_nowhere_run_nothing_and_control_no_terminal() {
    let Some(repository) = repository() else {
        return;
    };
    let elsewhere = TempDir::new().unwrap();
    let mark = elsewhere.path().join("ran");
    let variants = [
        "out=mkdir out; echo bad >out/evil",
        "escapes=printf '\\033]0;title\\007\\033[2J\\n' >add.sh; printf x >\"$(printf 'a\\033[2Jb')\"",
        "filters=echo '* filter=evil diff=evil' >.gitattributes; echo y >filtered",
    ];
    let report = agents(&repository, &variants, OBEYS, &[]).json();
    for variant in ["out", "escapes", "filters"] {
        assert_eq!(row(&report, variant)["outcome"], "unverified", "{report}");
    }
    // The user's own link, which git does not know, has the name of a new folder.
    std::os::unix::fs::symlink(elsewhere.path(), repository.path().join("out")).unwrap();
    repository.write(".git/info/exclude", "out\n");
    let out = pick(&repository, &["--variant", "out", "--apply"]);
    assert_eq!(out.status, 2, "{}", out.stdout);
    assert!(!elsewhere.path().join("evil").exists());
    for format in ["human", "json"] {
        // Without colours, what is written to no terminal would lose its escapes in any case.
        let coloured = ["--format", format, "--color", "always"];
        let shown = pick(
            &repository,
            &[&["--variant", "escapes"][..], &coloured].concat(),
        );
        assert_eq!(shown.status, 0, "{}", shown.stderr);
        assert!(shown.stdout.contains("title"), "{}", shown.stdout);
        let active = ['\u{1b}', '\u{7}'];
        assert!(!shown.stdout.contains(active), "{:?}", shown.stdout);
    }
    let script = format!("touch {}", mark.display());
    for key in [
        "filter.evil.smudge",
        "filter.evil.clean",
        "filter.evil.process",
        "diff.evil.command",
        "diff.evil.textconv",
        "core.fsmonitor",
    ] {
        repository.git(&["config", key, &script]);
    }
    let filters = pick(&repository, &["--variant", "filters", "--apply"]);
    assert_eq!(filters.status, 0, "{}", filters.stderr);
    assert_eq!(read(&repository, "filtered"), "y\n");
    assert!(!mark.exists());
}

#[test]
fn nothing_is_picked_by_a_measurement_without_one_that_passed() {
    let Some(repository) = repository() else {
        return;
    };
    repository.write("run.sh", "sleep 0.1\n");
    repository.write("build.sh", "true\n");
    repository.commit();
    let variants = ["fast=echo true >run.sh", "unbuilt=echo exit 3 >build.sh"];
    let more = [
        "--verify",
        "true",
        "--build",
        "sh build.sh",
        "--measure",
        "sh run.sh",
        "--budget",
        "3s",
    ];
    let _slot = measuring_slot();
    let report = agents(&repository, &variants, OBEYS, &more).json();
    assert_eq!(
        report["measured"]["not_built"][0]["name"], "unbuilt",
        "{report}"
    );
    let picked = command(&repository, &["pick", ".bakeoff/agents"]);
    assert_eq!(picked.status, 1, "{}", picked.stdout);
    assert!(
        picked.explains("no measurement of all of them"),
        "{}",
        picked.stderr
    );
}
