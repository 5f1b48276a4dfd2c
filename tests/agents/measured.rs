//! What passed, measured against the base and each other.

use super::{OBEYS, agents, command};
use crate::revisions::{Repository, has_git};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

fn repository() -> Option<Repository> {
    repository_of("sleep 0.06; echo 3\n")
}

/// A repository with this program, which takes its time, and its test.
pub(super) fn repository_of(program: &str) -> Option<Repository> {
    if !has_git() {
        return None;
    }
    let repository = Repository::new();
    repository.write("work.sh", program);
    repository.write("tests/run.sh", "[ \"$(sh work.sh)\" = 3 ]\n");
    repository.commit();
    Some(repository)
}

pub(super) const MEASURED: [&str; 6] = [
    "--verify",
    "sh tests/run.sh",
    "--measure",
    "sh work.sh",
    "--budget",
    "30s",
];

fn names(report: &Value) -> Vec<&str> {
    let variants = report["measured"]["report"]["variants"].as_array().unwrap();
    let names = variants.iter().map(|variant| variant["name"].as_str());
    names.map(Option::unwrap).collect()
}

#[test]
fn what_passed_is_compared_with_the_base_and_each_other() {
    let Some(repository) = repository() else {
        return;
    };
    let variants = [
        "fast=echo 'echo 3' >work.sh",
        "slow=echo 'sleep 0.2; echo 3' >work.sh",
        "wrong=echo 'echo 4' >work.sh",
    ];
    let output = agents(&repository, &variants, OBEYS, &MEASURED);
    assert_eq!(output.status, 3, "{}", output.stderr);
    let report = output.json();
    assert_eq!(names(&report), ["the base", "fast", "slow"]);
    let compared = &report["measured"]["report"];
    assert_eq!(compared["winner"], "fast", "{compared}");
    let answer = report["answer"].as_str().unwrap();
    assert!(
        answer.starts_with("2 of 3 passed the verification. "),
        "{answer}"
    );
    assert!(answer.ends_with(compared["text"].as_str().unwrap()));
    let first_note = compared["notes"][0].as_str().unwrap();
    assert!(first_note.contains("behind a fence"), "{first_note}");
    // No agent is asked again, and the same words stand in the other formats.
    for format in ["human", "md"] {
        let mut again = vec!["agents", "Do it", "--agent", OBEYS, "--format", format];
        for variant in &variants {
            again.extend(["--variant", variant]);
        }
        again.extend(MEASURED);
        let again = command(&repository, &again);
        assert!(
            !again.stderr.contains("its agent works"),
            "{}",
            again.stderr
        );
        assert!(again.stdout.contains("Take fast"), "{}", again.stdout);
        assert!(again.stdout.contains("the base"), "{}", again.stdout);
    }
    let seed = compared["seed"].as_str().unwrap();
    let same = [&MEASURED[..], &["--seed", seed]].concat();
    let same = agents(&repository, &variants, OBEYS, &same).json();
    assert_eq!(same["measured"]["report"]["seed"], seed);
    let unverified = agents(&repository, &variants, OBEYS, &["--measure", "true"]);
    assert_eq!(unverified.status, 2);
    assert!(unverified.explains("--verify"), "{}", unverified.stderr);
}

#[test]
fn case_245_a_measured_program_keeps_nothing_from_run_to_run_and_stays_inside() {
    let Some(repository) = repository() else {
        return;
    };
    let secret = TempDir::new().unwrap();
    fs::write(secret.path().join("key"), "secret-key").unwrap();
    let top = repository.path().canonicalize().unwrap();
    let places = format!(
        "cache ../cache \"$HOME/cache\" {top}/cache {secret}/cache",
        secret = secret.path().display(),
        top = top.display()
    );
    let tries = format!(
        "cat {secret}/key {top}/.git/config; for at in {places}; do [ -e \"$at\" ] && exit 9; done; for at in {places}; do \
         echo x >\"$at\"; done; echo 3",
        secret = secret.path().display(),
        top = top.display()
    );
    repository.write("caching.sh", &format!("{{ {tries}; }} 2>/dev/null\n"));
    repository.commit();
    let variants = ["caches=cp caching.sh work.sh"];
    let more = ["--build", "sh caching.sh; rm -f cache"];
    let output = agents(
        &repository,
        &variants,
        OBEYS,
        &[&MEASURED[..], &more].concat(),
    );
    assert_eq!(output.status, 0, "{}", output.stderr);
    let report = output.json();
    let measured = &report["measured"];
    assert_eq!(names(&report), ["the base", "caches"]);
    let caches = &measured["report"]["variants"][1];
    assert!(caches["failure"].is_null(), "{caches}");
    assert_eq!(measured["not_built"], serde_json::json!([]));
    assert!(!top.join("cache").exists() && !secret.path().join("cache").exists());
    assert!(!measured.to_string().contains("secret-key"));
}

#[test]
fn what_cannot_be_built_or_writes_while_it_is_measured_is_said() {
    let Some(repository) = repository() else {
        return;
    };
    let build = "printf '#!/bin/sh\\nsleep 0.03\\n' >made; chmod +x made\n";
    repository.write("build.sh", build);
    repository.commit();
    let variants = [
        "broken=echo 'echo why >&2; exit 3' >build.sh",
        "writes=printf 'printf \"#!/bin/sh\\\\necho x >file\\\\n\" >made; chmod +x made' >build.sh",
        "same=echo x >other",
    ];
    let more = [
        "--verify",
        "true",
        "--build",
        "sh build.sh",
        "--measure",
        "./made",
        "--budget",
        "2s",
    ];
    let report = agents(&repository, &variants, OBEYS, &more).json();
    let measured = &report["measured"];
    assert_eq!(measured["not_built"][0]["name"], "broken", "{measured}");
    let reason = measured["not_built"][0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("status 3") && reason.contains("why"),
        "{reason}"
    );
    assert_eq!(names(&report), ["the base", "writes", "same"]);
    let failure = measured["report"]["variants"][1]["failure"]
        .as_str()
        .unwrap();
    assert!(failure.contains("$TMPDIR"), "{failure}");
    assert!(measured["report"]["variants"][2]["failure"].is_null());
}

#[test]
fn a_number_that_a_command_writes_decides_in_its_direction() {
    let Some(repository) = repository_of("echo 3 # of\n") else {
        return;
    };
    let variants = [
        "short=do: echo 'echo 3' >work.sh",
        "long=do: echo 'echo 3 # is longer than that of all' >work.sh",
    ];
    let does = "sh -c 'eval \"$(sed -n \"s/^do: //p\")\"'";
    let measured = |more: &[&str], status| {
        let begin = [
            "--verify",
            "sh tests/run.sh",
            "--measure",
            "echo METRIC bytes=$(wc -c <work.sh) of",
            "--metric",
            "bytes",
        ];
        let output = agents(&repository, &variants, does, &[&begin, more].concat());
        assert_eq!(output.status, status, "{}", output.stderr);
        output.json()
    };
    let pattern = ["--metric-pattern", "bytes=([0-9]+) of"];
    let report = measured(&pattern, 0);
    let compared = &report["measured"]["report"];
    assert_eq!(compared["winner"], "short", "{compared}");
    assert_eq!(compared["quantity"]["name"], "bytes");
    let more = [&pattern[..], &["--higher-is-better", "--rounds", "2"]].concat();
    let more = [&more[..], &["--name", "rounds"]].concat();
    // In the next round one changes nothing, and the other is shorter.
    let report = measured(&more, 3);
    assert_eq!(report["rounds"][0]["best"]["variant"], "long", "{report}");
    let text = report["rounds"][1]["text"].as_str().unwrap();
    assert!(text.starts_with("None is surely better than"), "{text}");
    let none = agents(&repository, &variants, OBEYS, &["--metric", "bytes"]);
    assert_eq!(none.status, 2);
    assert!(none.explains("--measure COMMAND"), "{}", none.stderr);
}
