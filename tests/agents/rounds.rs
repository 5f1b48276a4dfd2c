//! Rounds: what agents begin with and are told after the first one, and what rounds are held to.

use super::measured::{MEASURED, repository_of};
use super::{OBEYS, agents, command, row};
use crate::revisions::Repository;
use crate::support::{CommandOutput, bakeoff};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use tempfile::TempDir;

fn repository() -> Option<Repository> {
    repository_of("sleep 0.12; echo 3\n")
}

/// Does what stands in the variant's idea, which comes before the remarks.
const OBEYS_IDEA: &str = "sh -c 'eval \"$(grep \"^do: \" | cut -c5-)\"'";

fn rounds(repository: &Repository, variants: &[&str], more: &[&str]) -> CommandOutput {
    agents(repository, variants, OBEYS_IDEA, more)
}

fn read(repository: &Repository, path: &str) -> String {
    fs::read_to_string(repository.path().join(path)).unwrap()
}

fn pick(repository: &Repository, more: &[&str]) -> CommandOutput {
    command(
        repository,
        &[&["pick", ".bakeoff/agents"][..], more].concat(),
    )
}

/// Makes what is there faster by as much again, and nothing in the third round.
const FASTER: &str = "faster=do: cp TASK.md told; case $(cat work.sh) in *0.12*) t=0.05;; *0.05*) t=0.01;; *) t=0.2;; esac; \
                      echo \"sleep $t; echo 3 # faster\" >work.sh";
const SLOWER: &str = "slower=do: echo 'sleep 0.2; echo 3' >work.sh; echo 'Take mine.' >DONE.md";

#[test]
fn a_round_begins_with_the_best_before_it_is_told_why_and_the_last_brings_nothing_better() {
    let Some(repository) = repository() else {
        return;
    };
    let head = repository.git(&["rev-parse", "HEAD"]);
    let more = [&MEASURED[..], &["--rounds", "4"]].concat();
    let output = rounds(&repository, &[FASTER, SLOWER], &more);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    let all = report["rounds"].as_array().unwrap();
    assert_eq!(all.len(), 3, "{report}");
    assert_eq!(all[0]["best"]["variant"], "faster");
    assert_eq!(all[1]["best"]["variant"], "faster.round-2");
    assert!(all[2]["best"].is_null(), "{}", all[2]);
    assert_eq!(all[0]["base"], head.as_str());
    assert_eq!(all[1]["base"], all[0]["best"]["commit"]);
    assert_eq!(all[2]["base"], all[1]["best"]["commit"]);
    // All rounds together claim no more than one would.
    let confidence = all[0]["measured"]["report"]["confidence"].as_f64();
    assert_eq!(confidence, Some(1.0 - 0.05 / 4.0));
    let second = row(&report, "faster.round-2");
    assert_eq!(second["first_base"], head.as_str());
    assert_eq!(second["branch"], "bakeoff/agents/faster.round-2");
    let answer = report["answer"].as_str().unwrap();
    assert!(
        answer.starts_with(
            "faster.round-2 of round 2 is the best. Round 3 was the last one: None is surely faster"
        ),
        "{answer}"
    );
    // Agents of the first round are told nothing, and those of the second what became of it.
    let told = |branch: &str| repository.git(&["show", &format!("bakeoff/agents/{branch}:told")]);
    assert!(!told("faster").contains("# Remarks"));
    let told = told("faster.round-2");
    for part in [
        "This is round 2 of at most 4.",
        "- faster: passed; against these files: ",
        "Your files are those of faster, the best of them.",
        "slower, its DONE.md:\n> Take mine.",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // The pick has what both rounds did, in the user's own files.
    let picked = pick(&repository, &["--apply", "--format", "json"]);
    assert_eq!(picked.status, 0, "{}", picked.stderr);
    let picked = picked.json();
    assert_eq!(picked["variant"], "faster.round-2");
    assert_eq!(picked["base"], head.as_str());
    assert_eq!(
        read(&repository, "work.sh"),
        "sleep 0.01; echo 3 # faster\n"
    );
    let status = command(&repository, &["status", ".bakeoff/agents"]).stdout;
    assert!(
        status.starts_with("round 1: Take faster")
            && status.contains("agents/slower.round-3  passed"),
        "{status}"
    );
    // Fewer rounds, or other variants, are not these.
    let fewer = rounds(&repository, &[FASTER, SLOWER], &MEASURED);
    assert_eq!(fewer.status, 2, "{}", fewer.stdout);
    assert!(fewer.explains("--rounds 3"), "{}", fewer.stderr);
    let others = rounds(&repository, &[FASTER], &more);
    assert!(others.explains("other variants"), "{}", others.stderr);
    // The same command asks nobody, and measures the last round alone.
    let again = rounds(&repository, &[FASTER, SLOWER], &more);
    assert!(!again.stderr.contains("agent works"), "{}", again.stderr);
    let again = again.json();
    assert!(again["rounds"][1]["measured"].is_null());
    assert_eq!(
        again["measured"]["report"]["variants"][0]["name"],
        "the base"
    );
    let removed = command(&repository, &["worktrees", "--remove", "agents", "--force"]);
    assert_eq!(removed.status, 0, "{}", removed.stderr);
    assert!(!repository.path().join(".bakeoff/agents").exists());
}

#[test]
fn without_a_measurement_rounds_go_on_until_one_passes() {
    let Some(repository) = repository() else {
        return;
    };
    repository.write(
        "tests/run.sh",
        "[ \"$(sh work.sh)\" = 5 ] || { echo not five; exit 1; }\n",
    );
    repository.commit();
    let head = repository.git(&["rev-parse", "HEAD"]);
    let learns = "learns=do: if grep -q '^> .*not f[i]ve' TASK.md; then echo 'echo 5' >work.sh; else echo 'echo 4' >work.sh; fi";
    let more = ["--verify", "sh tests/run.sh", "--rounds", "5"];
    let output = rounds(&repository, &[learns], &more);
    assert_eq!(output.status, 3, "{}{}", output.stdout, output.stderr);
    let report = output.json();
    assert_eq!(row(&report, "learns")["outcome"], "verification-failed");
    assert_eq!(row(&report, "learns.round-2")["outcome"], "passed");
    assert_eq!(report["rounds"].as_array().unwrap().len(), 2, "{report}");
    assert_eq!(report["rounds"][1]["base"], head.as_str());
    assert_eq!(pick(&repository, &[]).status, 0);
    for format in ["human", "md"] {
        let mut again = vec!["agents", "Do it", "--agent", OBEYS_IDEA, "--format", format];
        again.extend(["--variant", learns]);
        again.extend(more);
        let text = command(&repository, &again).stdout;
        let heading = format!("round 2, from {}", &head[..12]);
        assert!(text.contains(&heading), "{text}");
    }
    // Where no agent leaves anything, there is no second round.
    let idle = ["--verify", "true", "--rounds", "3", "--name", "idle"];
    let idle = rounds(&repository, &["a=do: exit 3"], &idle);
    assert_eq!(idle.status, 1, "{}", idle.stdout);
    assert_eq!(idle.json()["rounds"].as_array().unwrap().len(), 1);
    let unverified = rounds(&repository, &["a"], &["--rounds", "2"]);
    assert!(unverified.explains("--verify"), "{}", unverified.stderr);
    let taken = ["--rounds", "2", "--verify", "true", "--name", "taken"];
    let taken = agents(&repository, &["a", "a.round-2"], OBEYS, &taken);
    assert!(taken.explains("\"a.round-2\""), "{}", taken.stderr);
}

#[test]
fn case_253_a_test_that_one_round_weakened_holds_in_the_next_one_as_it_was() {
    let Some(repository) = repository() else {
        return;
    };
    // Right but weakened at first, and then wrong, which the weak test would let pass.
    let weakens = "weakens=do: if grep -q '^# Remarks' TASK.md; then echo 'echo 4' >work.sh; else echo 'echo 3' >work.sh; echo \
                   true >tests/run.sh; fi";
    let more = [&MEASURED[..], &["--rounds", "2"]].concat();
    let report = rounds(&repository, &[weakens], &more).json();
    assert_eq!(row(&report, "weakens")["outcome"], "passed", "{report}");
    let second = row(&report, "weakens.round-2");
    assert_eq!(second["outcome"], "verification-failed", "{report}");
    // It is named again, although it was changed before.
    assert_eq!(second["changes"]["tests"][0], "tests/run.sh");
    assert_eq!(report["rounds"][1]["best"], Value::Null);
}

#[test]
fn case_254_rounds_that_came_with_a_folder_or_were_changed_count_for_nothing() {
    let Some(repository) = repository() else {
        return;
    };
    let variants = [
        "a=do: echo 'echo 3' >work.sh",
        "b=do: echo 'echo 4' >work.sh",
    ];
    let more = ["--verify", "sh tests/run.sh", "--rounds", "2"];
    let output = rounds(&repository, &variants, &more);
    assert_eq!(output.status, 3, "{}", output.stderr);
    assert_eq!(pick(&repository, &[]).status, 0);
    let file = ".bakeoff/agents/rounds.json";
    // Nobody is told of the last round.
    assert!(!read(&repository, file).contains("This is round"));
    let forged = read(&repository, file).replace("\"a\"", "\"b\"");
    fs::write(repository.path().join(file), &forged).unwrap();
    let status = command(&repository, &["status", ".bakeoff/agents"]).stdout;
    assert!(!status.contains("round 1"), "{status}");
    let picked = pick(&repository, &["--format", "json"]).json();
    assert_eq!(picked["variant"], "a");
    // The same command writes it anew from what has the seal.
    let again = rounds(&repository, &variants, &more);
    assert!(!again.stderr.contains("agent works"), "{}", again.stderr);
    assert_eq!(again.json()["rounds"][0]["best"]["variant"], "a");
    assert_ne!(read(&repository, file), forged);
}

#[test]
fn rounds_that_are_killed_go_on_with_what_they_had() {
    let Some(repository) = repository() else {
        return;
    };
    let outside = TempDir::new().unwrap();
    let stops = outside.path().join("stops");
    fs::write(&stops, "").unwrap();
    let idea = format!(
        "one=do: cp TASK.md told; if grep -q '^# Remarks' TASK.md; then [ ! -e {} ] || sleep 4326; echo 'echo 3' >work.sh; \
         else echo 'echo 4' >work.sh; fi",
        stops.display()
    );
    let read = outside.path().to_str().unwrap();
    let more = [
        "--verify",
        "sh tests/run.sh",
        "--rounds",
        "2",
        "--read",
        read,
    ];
    let begin = ["agents", "Do it", "--agent", OBEYS_IDEA, "--variant", &idea];
    let mut begun = bakeoff(&[&begin[..], &more].concat());
    begun.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = begun.current_dir(repository.path()).spawn().unwrap();
    let second = repository
        .path()
        .join(".bakeoff/agents/worktrees/one.round-2/told");
    while !second.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let listed = command(&repository, &["worktrees"]).stdout;
    assert!(listed.contains("agents/one.round-2  not ended"), "{listed}");
    fs::remove_file(&stops).unwrap();
    let again = rounds(&repository, &[&idea], &more);
    assert_eq!(again.status, 3, "{}", again.stderr);
    assert!(
        !again.stderr.contains("one: its agent works"),
        "{}",
        again.stderr
    );
    let report = again.json();
    assert_eq!(row(&report, "one.round-2")["outcome"], "passed", "{report}");
    let told = repository.git(&["show", "bakeoff/agents/one.round-2:told"]);
    assert!(told.contains("This is round 2 of at most 2."));
}
