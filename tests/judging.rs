//! `bakeoff time` and `bakeoff judge`. Numbers that commands write and rows of a file decide here, which are the same
//! wherever this runs; nothing depends on how long anything takes.

mod fence;
mod kept;
mod progress;
mod rows;

use crate::support::{CommandOutput, bakeoff, measuring_slot, run_bakeoff};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn time(arguments: &[&str]) -> CommandOutput {
    let _slot = measuring_slot();
    let arguments: Vec<&str> = std::iter::once("time")
        .chain(arguments.iter().copied())
        .collect();
    run_bakeoff(&arguments)
}

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).unwrap();
        self.text(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }
}

#[test]
fn commands_are_compared_by_a_number_that_they_write() {
    let files = Files::new();
    let (csv, page) = (files.text("runs.csv"), files.text("page.html"));
    let said = time(&[
        "echo METRIC rate=2",
        "echo METRIC rate=3",
        "echo METRIC rate=2.5",
        "-n",
        "old",
        "-n",
        "new",
        "--metric",
        "rate",
        "--higher-is-better",
        // One order in a hundred looks as if it was not drawn; this one does not.
        "--seed",
        "1",
        "--format",
        "json",
        "--export",
        &csv,
        "--export",
        &page,
    ]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let report = said.json();
    assert_eq!(report["winner"], "new");
    assert_eq!(report["outcome"], "winner");
    assert_eq!(report["quantity"]["name"], "rate");
    let verdicts = report["verdicts"].as_array().unwrap();
    let of = |a: &str, b: &str| {
        let mut found = verdicts.iter();
        found.find(|row| row["a"] == a && row["b"] == b).unwrap()
    };
    assert_eq!(of("old", "new")["verdict"], "beaten");
    let ratio = of("old", "new")["value"].as_f64().unwrap();
    assert!((ratio - 2.0 / 3.0).abs() < 1e-6, "{ratio}");
    // What was measured besides is there, and decides nothing.
    let also = report["variants"][0]["also"].to_string();
    for name in ["wall time", "CPU time", "peak memory"] {
        assert!(also.contains(name), "{also}");
    }
    assert!(fs::read_to_string(page).unwrap().contains("Take new"));
    // The same values say the same once more.
    let judged = run_bakeoff(&["judge", &csv, "--higher-is-better", "--format", "json"]);
    assert_eq!(judged.status, 0, "{}", judged.stderr);
    let judged = judged.json();
    assert_eq!(judged["winner"], "new");
    assert_eq!(judged["blocks"], report["blocks"]);
    assert!(
        judged["warnings"].to_string().len() < 200,
        "{}",
        judged["warnings"]
    );
}

#[test]
fn where_the_number_of_runs_ended_it_more_runs_are_advised_and_no_longer_time() {
    let said = time(&["true", "true", "--runs", "3", "--budget", "60s"]);
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("(--runs 8)"), "{}", said.stdout);
    assert!(!said.stdout.contains("--budget"), "{}", said.stdout);
}

#[test]
fn a_report_is_junit_with_a_test_for_each_command_and_question() {
    let number = |value: u32| format!("echo METRIC n={value}");
    let (first, second) = (number(100), number(150));
    let junit = ["--metric", "n", "--runs", "10", "--format", "junit"];
    let said = time(&[&[first.as_str(), second.as_str(), "false"][..], &junit].concat());
    assert_eq!(said.status, 3, "{}{}", said.stdout, said.stderr);
    for part in [
        "value=\"winner\"",
        "tests=\"4\" failures=\"1\"",
        "name=\"answer\"",
    ] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    let asked = ["--fail-if-worse", "5%"];
    let said = time(&[&[first.as_str(), second.as_str()][..], &junit, &asked].concat());
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("value=\"slower\""), "{}", said.stdout);
    assert!(said.stdout.contains("is not worse than"), "{}", said.stdout);
    assert!(said.stdout.contains("failures=\"1\""), "{}", said.stdout);
}

#[test]
fn the_seed_repeats_the_orders() {
    let files = Files::new();
    let orders = |name: &str| {
        let file = files.text(name);
        let said = time(&[
            "echo METRIC x=2",
            "echo METRIC x=2",
            "-n",
            "a",
            "-n",
            "b",
            "--metric",
            "x",
            "--seed",
            "7",
            "-M",
            "12",
            "--practical",
            "0.001%",
            "--export",
            &file,
            "-q",
        ]);
        assert!([0, 1].contains(&said.status), "{}", said.stderr);
        let text = fs::read_to_string(file).unwrap();
        let rows: Vec<String> = text.lines().map(|line| line[..9].to_owned()).collect();
        rows
    };
    let first = orders("first.csv");
    assert_eq!(first, orders("second.csv"));
    let blocks: Vec<&[String]> = first[1..].chunks(2).collect();
    let starts_with_a = blocks
        .iter()
        .filter(|block| block[0].starts_with("\"a\""))
        .count();
    assert!((1..blocks.len()).contains(&starts_with_a), "{first:?}");
}

#[test]
fn who_fails_is_named_and_the_others_are_compared() {
    let said = time(&[
        "sh -c 'echo METRIC x=2'",
        "sh -c 'echo oh no >&2; exit 3'",
        "sh -c 'echo METRIC x=low'",
        "sh -c 'echo METRIC x=3'",
        "-n",
        "good",
        "-n",
        "exits",
        "-n",
        "words",
        "-n",
        "worse",
        "--metric",
        "x",
        "--format",
        "json",
    ]);
    assert_eq!(said.status, 3, "{}", said.stderr);
    let report = said.json();
    assert_eq!(report["winner"], "good");
    let failure = |name: &str| {
        let variants = report["variants"].as_array().unwrap();
        let variant = variants.iter().find(|one| one["name"] == name).unwrap();
        variant["failure"].as_str().unwrap_or_default().to_owned()
    };
    assert!(
        failure("exits").contains("status 3"),
        "{}",
        failure("exits")
    );
    assert!(failure("exits").contains("oh no"));
    assert!(failure("words").contains("\"low\""), "{}", failure("words"));
    assert_eq!(failure("good") + &failure("worse"), "");
    let alone = time(&["true", "false", "-q"]);
    assert_eq!(alone.status, 1);
    assert!(
        alone
            .stdout
            .contains("Nothing to compare: true is the only one"),
        "{}",
        alone.stdout
    );
}

#[test]
fn different_output_is_said_and_can_be_made_a_failure() {
    let texts = [
        "sh -c 'echo METRIC x=1'",
        "sh -c 'echo METRIC x=1; echo more'",
    ];
    let said = time(&[texts[0], texts[1], "-n", "a", "-n", "b", "--metric", "x"]);
    assert!(
        said.stdout.contains("a and b write different output"),
        "{}",
        said.stdout
    );
    let failed = time(&[texts[0], texts[1], "--metric", "x", "--same-output", "-q"]);
    assert_eq!(failed.status, 1);
    assert!(failed.stdout.contains("--same-output"), "{}", failed.stdout);
}

#[test]
fn commands_around_a_command_run_in_their_places_and_their_failure_is_an_error() {
    let files = Files::new();
    let log = files.text("log");
    let step = |what: &str| format!("sh -c 'echo {what} >> {log}'");
    let said = time(&[
        "sh -c 'echo METRIC x=1'",
        "sh -c 'echo METRIC x=2'",
        "-n",
        "a",
        "-n",
        "b",
        "--metric",
        "x",
        "--setup",
        &step("setup"),
        "--prepare",
        &step("prepare"),
        "--cleanup",
        &step("cleanup"),
        "-q",
    ]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let log = fs::read_to_string(&log).unwrap();
    let steps: Vec<&str> = log.lines().collect();
    assert_eq!(steps[..2], ["setup", "setup"]);
    assert_eq!(steps[steps.len() - 2..], ["cleanup", "cleanup"]);
    let between = &steps[2..steps.len() - 2];
    assert!(
        between.len() >= 18 && between.iter().all(|step| *step == "prepare"),
        "{steps:?}"
    );
    for option in ["--setup", "--cleanup"] {
        let failed = time(&["true", "true", option, "false", "-M", "1"]);
        assert_eq!(failed.status, 2, "{option}");
        assert!(
            failed.explains(&format!("{option} \"false\" failed")),
            "{}",
            failed.stderr
        );
    }
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_next_step() {
    for (arguments, why) in [
        (&["true"][..], "one command cannot be compared"),
        (
            &["true", "no-such-program-here"],
            "there is no program no-such-program-here",
        ),
        (&["true", "echo 'x"], "a quotation without its end"),
        (&["true", "true", "--metric", "a b"], "the metric's name"),
        (
            &["true", "true", "--export", "x.txt"],
            "its ending says no format",
        ),
        (
            &["true", "true", "--input", "/no/such/file"],
            "cannot read /no/such/file",
        ),
        (
            &["true", "true", "--input", "/"],
            "is a folder: name a file",
        ),
        (
            &["true", "true", "-m", "20", "-M", "10"],
            "--min-runs 20 is more than --max-runs 10",
        ),
    ] {
        let said = time(arguments);
        assert_eq!(said.status, 2, "{arguments:?}");
        assert_eq!(said.stdout, "");
        assert!(said.explains(why), "{arguments:?}: {}", said.stderr);
    }
}

/// A pipe would be empty for all runs but the first, and whoever opens it waits.
#[test]
fn what_every_run_reads_is_a_file_that_stays() {
    let files = Files::new();
    let pipe = files.text("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let refused = time(&["cat", "cat", "--input", &pipe]);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    assert!(
        refused.explains("is a pipe or a socket"),
        "{}",
        refused.stderr
    );
    let input = files.write("input", "1\n");
    let remove = format!("rm -f {input}");
    let gone = time(&["cat", "cat", "-q", "--input", &input, "--prepare", &remove]);
    assert_eq!(gone.status, 1, "{}", gone.stderr);
    let reason = format!("the file of --input, {input}, cannot be read");
    assert!(gone.stdout.contains(&reason), "{}", gone.stdout);
}

/// Whoever detaches itself is ended with the command, as is what runs when the user interrupts.
#[test]
fn nothing_is_left_running() {
    let mark = "31.0815";
    let script = format!("sh -c 'setsid sleep {mark} & echo METRIC x=1'");
    let said = time(&[&script, &script, "--metric", "x", "-M", "2", "-q"]);
    assert_eq!(said.status, 1, "{}", said.stderr);
    assert_eq!(processes(mark), 0);
    let _slot = measuring_slot();
    let mark = "31.0816";
    let sleeps = format!("sleep {mark}");
    let mut child = bakeoff(&["time", &sleeps, &sleeps])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while processes(mark) < 2 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = child.id().cast_signed();
    // SAFETY: it is a child of this process that was not waited for.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGINT) }, 0);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(processes(mark), 0);
}

/// The number of processes that have this word among their arguments, but for bakeoff's own.
fn processes(word: &str) -> usize {
    let is_such = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        line.split('\0').any(|argument| argument == word)
    };
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    entries.filter(is_such).count()
}
