//! Tasks that are experiments: what is run, what becomes of the winner's source, and what is no answer.

use super::{DOES, command, repository, row, state};
use crate::revisions::Repository;
use crate::support::{CommandOutput, measuring_slot};

/// Writes an experiment of two sources into `sums`, of which the quick one is still to be written.
fn write_experiment(repository: &Repository) {
    let numbers: Vec<u32> = (0..2_000).collect();
    let spins = |rounds: u32, more: u64| {
        format!(
            "pub fn total(values: Vec<u32>) -> u64 {{\n    let mut state = 1u64;\n    for _ in 0..{rounds} {{ state ^= state \
             << 13; state ^= state >> 7; state ^= state << 17; }}\n    let sum: u64 = values.iter().map(|value| \
             u64::from(*value)).sum();\n    sum + u64::from(state == 0) + {more}\n}}\n"
        )
    };
    let world =
        "package test:sums;\nworld prototype { export total: func(values: list<u32>) -> u64; }\n";
    let case = format!("[[case]]\ncall = \"total({numbers:?})\"\nexpect = \"1999000\"\n");
    for (file, text) in [
        ("sums/wit/sums.wit", world),
        ("sums/cases.toml", &case),
        ("sums/slow.rs", &spins(400_000, 0)),
        ("ideas/quick", &spins(100_001, 0)),
        ("ideas/wrong", &spins(100_002, 1)),
        (
            "sums/sums.toml",
            "name = \"sums\"\nproblem = \"Add up.\"\ninterface = { wit = \"wit\", call = \"total\" }\n\
             workload = { cases = \"cases.toml\" }\nmeasure = { precision = 0.5 }\napproach = [\n  \
             { name = \"slow\", source = \"slow.rs\" },\n  { name = \"quick\", source = \"quick.rs\" },\n]\n",
        ),
    ] {
        repository.write(file, text);
    }
    repository.commit();
}

/// A task whose agent does this.
fn by_agent(name: &str, after: &str, does: &str) -> String {
    format!("[[task]]\nname = {name:?}\nafter = {after}\nprompt = '''\ndo: {does}\n'''\n")
}

/// A task that is the experiment.
fn by_experiment(name: &str, after: &str, into: &str) -> String {
    format!(
        "[[task]]\nname = {name:?}\nafter = {after}\nexperiment = \"sums/sums.toml\"\ninto = {into:?}\n"
    )
}

fn work(repository: &Repository, tasks: &[String], more: &[&str]) -> CommandOutput {
    repository.write("todo/tasks.toml", &tasks.concat());
    let begin = [
        "work",
        "todo",
        "--agent",
        DOES,
        "--yes",
        "--retry-wait",
        "10ms",
        "--format",
        "json",
    ];
    command(repository, &[&begin[..], more].concat())
}

#[test]
fn the_source_of_the_winner_becomes_a_file_that_later_tasks_have() {
    let Some(repository) = repository() else {
        return;
    };
    write_experiment(&repository);
    let best = by_experiment("best", "[\"quick\"]", "src/total.rs")
        + "check = \"grep -q 100001 src/total.rs\"\n";
    let tasks = [
        by_agent("quick", "[]", "cp ideas/quick sums/quick.rs"),
        best,
        by_agent(
            "uses",
            "[\"best\"]",
            "grep -q 100001 src/total.rs && touch used",
        ),
    ];
    let slot = measuring_slot();
    let output = work(&repository, &tasks, &[]);
    drop(slot);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    assert!(
        output.stderr.contains("best: its experiment is run\n")
            && output
                .stderr
                .contains("experiment: sums/sums.toml, whose winner becomes src/total.rs"),
        "{}",
        output.stderr
    );
    let report = output.json();
    for task in ["quick", "best", "uses"] {
        assert_eq!(state(&report, task), ("done", 1), "{report}");
    }
    assert_eq!(row(&report, "best")["changes"]["files_added"], 1);
    let files = repository.git(&["diff", "--name-only", "HEAD", "bakeoff/work/result"]);
    assert_eq!(files, "src/total.rs\nsums/quick.rs\nused");
    assert_eq!(
        repository.git(&["show", "bakeoff/work/best:src/total.rs"]),
        repository.git(&["show", "HEAD:ideas/quick"])
    );
    // The evidence stays, and is a report like any other.
    let shown = command(&repository, &["report", ".bakeoff/work/experiments/best"]);
    assert!(shown.stdout.contains("Take quick"), "{}", shown.stdout);
    let again = work(&repository, &tasks, &[]);
    assert!(
        !again.stderr.contains("is run\n") && !again.stderr.contains("agent works"),
        "{}",
        again.stderr
    );
    let removed = command(&repository, &["worktrees", "--remove", "work", "--force"]);
    assert_eq!(removed.status, 0, "{}", removed.stderr);
    assert!(!repository.path().join(".bakeoff/work").exists());
}

#[test]
fn case_256_an_experiment_is_run_as_its_user_wrote_it_and_its_winner_changes_no_test() {
    let Some(repository) = repository() else {
        return;
    };
    write_experiment(&repository);
    let changes =
        "cp ideas/quick sums/quick.rs; sed -i s/1999000/1/ sums/cases.toml; echo >>sums/sums.toml";
    let tasks = [
        by_agent("changes", "[]", changes),
        by_experiment("best", "[\"changes\"]", "src/total.rs"),
        by_agent("quick", "[]", "cp ideas/quick sums/quick.rs"),
        by_experiment("weakens", "[\"quick\"]", "tests/run.sh"),
    ];
    let slot = measuring_slot();
    let output = work(&repository, &tasks, &[]);
    drop(slot);
    assert_eq!(output.status, 3, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    for (task, outcome, why) in [
        ("best", "no-winner", "a task before it changed"),
        ("weakens", "verification-failed", "tests/run.sh"),
    ] {
        let row = row(&report, task);
        assert_eq!(state(&report, task), ("given-up", 1), "{report}");
        assert_eq!(row["outcome"], outcome, "{row}");
        assert!(row["reason"].as_str().unwrap().contains(why), "{row}");
        assert!(row["branch"].is_null(), "{row}");
    }
    let files = repository.git(&["ls-tree", "-r", "--name-only", "bakeoff/work/result"]);
    assert!(!files.contains("src/total.rs"), "{files}");
}

#[test]
fn an_experiment_without_a_winner_says_why_and_is_not_tried_again() {
    let Some(repository) = repository() else {
        return;
    };
    write_experiment(&repository);
    repository.write("sums/slow.rs", "pub fn total(_: Vec<u32>) -> u64 { 0 }\n");
    repository.commit();
    let none = by_experiment("none", "[]", "src/x.rs").replace("sums.toml", "missing.toml");
    let tasks = [
        by_agent("wrong", "[]", "cp ideas/wrong sums/quick.rs"),
        by_experiment("best", "[\"wrong\"]", "src/total.rs"),
        by_agent("after", "[\"best\"]", "touch after"),
        none,
    ];
    let slot = measuring_slot();
    let output = work(&repository, &tasks, &[]);
    drop(slot);
    assert_eq!(output.status, 3, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    assert_eq!(state(&report, "best"), ("given-up", 1), "{report}");
    let reason = row(&report, "best")["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("no variant is to be taken"), "{reason}");
    assert_eq!(row(&report, "after")["state"], "unreachable");
    let reason = row(&report, "none")["reason"].as_str().unwrap().to_owned();
    assert!(
        reason.contains("there is no \"sums/missing.toml\""),
        "{reason}"
    );
}
