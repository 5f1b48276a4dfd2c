//! This machine, and poorer ones that it plays: the right level is reported, and what it means for
//! a run.

use crate::support::{ONE_AT_A_TIME, Said, bakeoff, run_experiment, say};
use serde_json::Value;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::PoisonError;

/// Runs a command to its end while nothing else measures.
fn alone(command: &mut Command) -> Said {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    command.output().unwrap().into()
}

fn doctor(adjust: impl FnOnce(&mut Command)) -> Said {
    let mut command = bakeoff(&["doctor", "--format", "json"]);
    adjust(&mut command);
    alone(&mut command)
}

/// A build of one prototype, which needs a compiler and a fence around it, and no cache.
fn build(cache: &Path) -> Command {
    let arguments = ["build", "examples/top-k/approaches/heap.rs"];
    let interface = ["--wit", "examples/top-k/wit", "--call", "top-k"];
    let mut command = bakeoff(&[&arguments[..], &interface, &["--format", "json"]].concat());
    command.env("BAKEOFF_CACHE_DIR", cache);
    command
}

fn without_landlock(command: &mut Command) {
    command.env("BAKEOFF_LANDLOCK_AT_MOST", "0");
}

#[test]
fn this_machine_is_described_as_documented() {
    let said = doctor(|_| ());
    assert_eq!(said.status, 0, "{}", said.stderr);
    let answer = said.json();
    assert_eq!(answer["version"], 1);
    assert_eq!(answer["can_run"], true);
    let facts = &answer["facts"];
    assert!(["full", "standard"].contains(&facts["confinement"]["level"].as_str().unwrap()));
    assert_eq!(facts["toolchain"]["target"], "wasm32-unknown-unknown");
    assert!(facts["toolchain"]["build_cpu_s"].as_f64().unwrap() > 0.0);
    let clocks = &facts["clocks"];
    let cost = clocks["thread_cpu"]["cost_ns"].as_f64().unwrap();
    assert!(cost > 0.0 && clocks["call_ns_min"].as_f64().unwrap() >= 20.0 * cost);
    let noise = &facts["noise"];
    assert_eq!(noise["problem"], Value::Null);
    let ratio = noise["ratio"].as_f64().unwrap();
    // Wide enough for any machine; were two different programs measured, it would be far off.
    assert!((0.5..2.0).contains(&ratio), "{noise}");
    assert!(!facts["cores"]["usable"].as_array().unwrap().is_empty());
    let topics: Vec<&str> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["topic"].as_str().unwrap())
        .collect();
    let expected = [
        "confinement",
        "bubblewrap",
        "cgroup",
        "toolchain",
        "clocks",
        "noise",
        "cores",
        "frequency",
        "load",
        "results",
        "cache",
        "temporary",
    ];
    assert_eq!(topics, expected);
    for finding in answer["findings"].as_array().unwrap() {
        let means = finding["means"].as_str().unwrap();
        assert!(means.ends_with('.'), "says what it means: {finding}");
    }
}

#[test]
fn without_landlock_nothing_runs_and_the_reason_is_named() {
    let said = doctor(without_landlock);
    assert_eq!(said.status, 5, "{}", said.stderr);
    let answer = said.json();
    assert_eq!(answer["can_run"], false);
    assert_eq!(answer["facts"]["confinement"]["level"], Value::Null);
    assert_eq!(answer["findings"][0]["state"], "bad");

    let cache = tempfile::tempdir().unwrap();
    let mut refused = build(cache.path());
    without_landlock(&mut refused);
    let said: Said = refused.output().unwrap().into();
    assert_eq!(said.status, 5, "{}", said.stdout);
    // Messages are wrapped to the terminal's width, and so may be broken anywhere.
    let solid = |text: &str| {
        let seen = text.chars().filter(|c| !c.is_whitespace() && *c != '│');
        seen.collect::<String>()
    };
    for part in ["this kernel has no Landlock", "pass --allow-unconfined if"] {
        assert!(
            solid(&said.stderr).contains(&solid(part)),
            "{}",
            said.stderr
        );
    }
    assert_eq!(said.stdout, "");
}

#[test]
fn what_the_user_allows_is_done_and_stamped() {
    let said = doctor(|command| {
        without_landlock(command.arg("--allow-unconfined"));
    });
    assert_eq!(said.status, 0, "{}", said.stderr);
    let answer = said.json();
    assert_eq!(answer["facts"]["confinement"]["level"], "unconfined");
    assert_eq!(answer["findings"][0]["state"], "limited");

    let out = tempfile::tempdir().unwrap();
    let mut run = bakeoff(&[
        "run",
        "examples/top-k",
        "--allow-unconfined",
        "--format",
        "json",
    ]);
    run.args(["--budget", "2s", "--out"]).arg(out.path());
    without_landlock(&mut run);
    let said = alone(&mut run);
    assert!(said.status == 0 || said.status == 1, "{}", said.stderr);
    let environment = &said.json()["environment"];
    assert_eq!(environment["confinement"], "unconfined");
    assert_eq!(environment["fences"], serde_json::json!(["seccomp"]));

    // What is kept from it is not taken for a result of a confined run.
    let folder = out.path().to_str().unwrap();
    let said = say(&[
        "run",
        "examples/top-k",
        "--budget",
        "2s",
        "--format",
        "json",
        "--out",
        folder,
    ]);
    let report = said.json();
    assert_ne!(report["environment"]["confinement"], "unconfined");
    let events = std::fs::read_to_string(out.path().join("events.jsonl")).unwrap();
    let measured: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["name"] == "bakeoff:check:complete")
        .collect();
    assert!(measured.len() >= 4, "{events}");
    assert!(
        measured
            .iter()
            .all(|event| event["data"]["origin"] == "new")
    );
}

#[test]
fn an_older_landlock_is_the_level_standard() {
    let older = |command: &mut Command| {
        command.env("BAKEOFF_LANDLOCK_AT_MOST", "2");
    };
    let said = doctor(older);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let confinement = &said.json()["facts"]["confinement"];
    assert_eq!(confinement["level"], "standard");
    assert_eq!(confinement["means"]["landlock_abi"], 2);
    let cache = tempfile::tempdir().unwrap();
    let mut built = build(cache.path());
    older(&mut built);
    let said: Said = built.output().unwrap().into();
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert_eq!(said.json()["confinement"], "standard");
}

/// Root gives its privileges up for the children; an ordinary user has none to begin with.
#[test]
fn an_ordinary_user_has_the_same_level_as_root() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: this is an ordinary user, as in all other tests");
        return;
    }
    const NOBODY: u32 = 65_534;
    let home = tempfile::tempdir().unwrap();
    let (program, cache) = (home.path().join("bakeoff"), home.path().join("cache"));
    std::fs::copy(env!("CARGO_BIN_EXE_bakeoff"), &program).unwrap();
    std::fs::create_dir(&cache).unwrap();
    for path in [home.path(), &program, &cache] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let mut command = Command::new(&program);
    command
        .args(["doctor", "--format", "json"])
        .current_dir(home.path())
        .env("BAKEOFF_CACHE_DIR", &cache)
        .env("HOME", home.path())
        .uid(NOBODY)
        .gid(NOBODY);
    let said = alone(&mut command);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let ordinary = said.json()["facts"]["confinement"].clone();
    assert_eq!(ordinary["root"], false);
    let root = doctor(|_| ()).json()["facts"]["confinement"].clone();
    assert_eq!(root["root"], true);
    assert_eq!(ordinary["level"], root["level"]);
    assert_eq!(
        ordinary["means"]["landlock_abi"],
        root["means"]["landlock_abi"]
    );
}

/// A `bwrap` that is this script, before all others on the search path.
fn with_bwrap(script: &str) -> (tempfile::TempDir, OsString) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bwrap");
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.path().to_owned()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).unwrap();
    (folder, path)
}

/// The real one, if it is installed and works here.
fn bubblewrap() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut folders = std::env::split_paths(&path);
    let found = folders.find_map(|folder| Some(folder.join("bwrap")).filter(|file| file.is_file()));
    let works = found.filter(|bwrap| {
        let mut trial = Command::new(bwrap);
        trial.args([
            "--unshare-all",
            "--ro-bind",
            "/",
            "/",
            "--proc",
            "/proc",
            "--",
            "/bin/true",
        ]);
        trial.output().is_ok_and(|output| output.status.success())
    });
    if works.is_none() {
        eprintln!("skipped: bubblewrap is not installed, or does not work here");
    }
    works
}

/// As where user namespaces are switched off.
#[test]
fn a_bubblewrap_that_does_not_work_is_left_out() {
    let (_folder, path) = with_bwrap("echo 'No permissions to create new namespace' >&2; exit 1");
    let said = doctor(|command| {
        command.env("PATH", &path);
    });
    assert_eq!(said.status, 0, "{}", said.stderr);
    let confinement = &said.json()["facts"]["confinement"];
    assert_eq!(confinement["bubblewrap_installed"], true);
    assert_eq!(confinement["means"]["outer_layer"], Value::Null);
    let cache = tempfile::tempdir().unwrap();
    let said: Said = build(cache.path())
        .env("PATH", &path)
        .output()
        .unwrap()
        .into();
    assert_eq!(said.status, 0, "{}", said.stderr);
}

/// One in which a builder works, but not the compiler: the dynamic linker finds no libraries
/// without /proc.
#[test]
fn a_bubblewrap_that_the_compiler_does_not_start_in_is_left_out() {
    let Some(real) = bubblewrap() else { return };
    let script = format!(
        "n=$#\nwhile [ $n -gt 0 ]; do\n  a=$1; shift; n=$((n - 1))\n  \
         if [ \"$a\" = --proc ]; then shift; n=$((n - 1)); else set -- \"$@\" \"$a\"; fi\ndone\n\
         exec '{}' \"$@\"",
        real.display()
    );
    let (_folder, path) = with_bwrap(&script);
    let said = doctor(|command| {
        command.env("PATH", &path);
    });
    let confinement = &said.json()["facts"]["confinement"];
    assert_eq!(confinement["means"]["outer_layer"], Value::Null);
    let cache = tempfile::tempdir().unwrap();
    let said: Said = build(cache.path())
        .env("PATH", &path)
        .output()
        .unwrap()
        .into();
    assert_eq!(said.status, 0, "{}", said.stderr);
}

#[test]
fn inside_bubblewrap_the_same_comes_out_of_a_build() {
    if bubblewrap().is_none() {
        return;
    }
    let confinement = doctor(|_| ()).json()["facts"]["confinement"].clone();
    assert_eq!(confinement["means"]["outer_layer"], "bubblewrap");
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let inside: Said = build(inside.path()).output().unwrap().into();
    assert_eq!(inside.status, 0, "{}", inside.stderr);
    let (_folder, path) = with_bwrap("exit 1");
    let outside: Said = build(outside.path())
        .env("PATH", path)
        .output()
        .unwrap()
        .into();
    let (inside, outside) = (inside.json(), outside.json());
    assert_eq!(inside["digest"], outside["digest"]);
    // The time of a build is known although bubblewrap itself does not tell.
    assert!(inside["build_cpu_seconds"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_report_says_what_the_confinement_is_made_of() {
    let (said, report, _out) = run_experiment("examples/top-k", &["--budget", "2s"]);
    assert!(said.status == 0 || said.status == 1, "{}", said.stderr);
    let fences = report["environment"]["fences"].as_array().unwrap();
    let fences: Vec<&str> = fences.iter().filter_map(Value::as_str).collect();
    assert!(fences[0].starts_with("landlock "), "{fences:?}");
    assert_eq!(fences[1], "seccomp");
}

#[test]
fn other_formats_are_refused() {
    let said = say(&["doctor", "--format", "html"]);
    assert_eq!(said.status, 2);
    assert!(said.stderr.contains("human or json"), "{}", said.stderr);
}
