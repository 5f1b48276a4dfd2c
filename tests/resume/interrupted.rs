//! Runs that a user stops with Ctrl-C: what is finished is kept, and the way on is said.

use super::small::Small;
use super::{Sieve, assert_repeats_nothing, command, events, replicas, wait_for};
use crate::support::{CommandOutput, bakeoff, measuring_slot, root};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Asks a run to stop, as Ctrl-C does, and hears it out.
fn interrupt(run: Child) -> CommandOutput {
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    let said: CommandOutput = run.wait_with_output().unwrap().into();
    assert_eq!(said.status, 130, "{}", said.stderr);
    said
}

/// Gives a printed command to a shell, in the folder and with the cache of the first one.
fn in_shell(line: &str) -> CommandOutput {
    let arguments = line.strip_prefix("bakeoff ").unwrap();
    let mut shell = Command::new("sh");
    let environment = bakeoff(&[]);
    let variables = environment.get_envs();
    shell
        .args(["-c", &format!("exec \"$0\" {arguments}")])
        .arg(env!("CARGO_BIN_EXE_bakeoff"))
        .envs(variables.filter_map(|(name, value)| Some((name, value?))))
        .current_dir(root())
        .stdin(Stdio::null());
    shell.output().unwrap().into()
}

#[test]
fn the_command_that_an_interrupted_run_prints_goes_on_and_repeats_nothing() {
    let _slot = measuring_slot();
    let sieve = Sieve::new();
    let (experiment, out) = (sieve.experiment(), sieve.results());
    let mut run = command(&experiment, &out)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(1, &out, &mut run);
    let said = interrupt(run);
    assert_eq!(said.stdout, "", "there is no report yet");
    let before: BTreeSet<u64> = replicas(&out, "new").into_iter().collect();
    assert!(!before.is_empty());
    let mut lines = said.stderr.lines().map(str::trim);
    let line = lines.find(|line| line.starts_with("bakeoff ")).unwrap();
    let experiment = experiment.display();
    let start = format!("bakeoff run {experiment} --quiet --format json --budget 60s");
    assert!(
        line.starts_with(&start) && line.contains(" --workers 1 --out '"),
        "{line}"
    );
    let last = events(&out).pop().unwrap();
    assert_eq!(last["name"], "bakeoff:run:interrupted");
    assert_eq!(last["data"]["resume"], line);

    let report: Value = in_shell(line).json();
    assert_repeats_nothing(&out, &before, &report);
}

/// Ctrl-C on a terminal reaches a command with all its children.
#[test]
fn a_comparison_that_is_interrupted_before_anything_is_timed_says_so() {
    let _slot = measuring_slot();
    let approaches = "examples/top-k/approaches";
    let files = ["heap.rs", "sort.rs"].map(|file| format!("{approaches}/{file}"));
    let mut run = bakeoff(&["compare", &files[0], &files[1], "--careful"])
        .args(["--verbose", "--format", "json"])
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(run.stderr.take().unwrap()).lines();
    let trying =
        said.any(|line| line.unwrap() == r#"{"note":"trying the same inputs on all files"}"#);
    assert!(trying, "nothing was tried");
    kill_process_group(Pid::from_child(&run), Signal::INT).unwrap();
    let last = said.map_while(Result::ok).last().unwrap();
    let ended = run.wait_with_output().unwrap();
    assert_eq!(
        (ended.status.code(), &*ended.stdout),
        (Some(130), &b""[..]),
        "{last}"
    );
    let error: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(error["error"]["class"], "interrupted", "{last}");
}

#[test]
fn a_gate_that_ends_after_the_user_asked_to_stop_is_kept() {
    let _slot = measuring_slot();
    let small = Small::new();
    let out = small.path("out");
    // Nothing but gates is going on then: the first thing that ends is one.
    let is_checking = || {
        let events = events(&out);
        let has = |name: &str, stage: &str| {
            let of_stage = |event: &&Value| stage.is_empty() || event["data"]["stage"] == stage;
            let named = events.iter().filter(|event| event["name"] == name);
            named.filter(of_stage).count() > 0
        };
        has("bakeoff:check:start", "") && has("bakeoff:stage:complete", "build")
    };
    let mut run = bakeoff(&["run", small.dir(), "--quiet", "--out"])
        .arg(&out)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let patience = Instant::now() + Duration::from_secs(120);
    while !is_checking() && run.try_wait().unwrap().is_none() {
        assert!(Instant::now() < patience, "nothing happens");
        std::thread::sleep(Duration::from_millis(1));
    }
    interrupt(run);
    let db = rusqlite::Connection::open(out.join("bakeoff.db")).unwrap();
    let gates: i64 = db
        .query_row(
            "SELECT count(*) FROM v_results WHERE kind = 'gate'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(gates > 0, "a gate ended and was thrown away");
}
