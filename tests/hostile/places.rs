//! Folders in which something else is in the place of a file or folder that a command opens: one row for each place, and
//! one for each command.

use super::planting::{Plant, Planted, Rule, each};
use crate::finished::{FinishedRun, SharedRun};
use crate::mcp::client::Client;
use crate::support::{bakeoff, measuring_slot, root, run_bakeoff};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// Everything that is planted.
const ALL: [Plant; 9] = [
    Plant::Link,
    Plant::SecondName,
    Plant::Pipe,
    Plant::DeviceLink,
    Plant::Device,
    Plant::Huge,
    Plant::Unreadable,
    Plant::OtherKind,
    Plant::Changing,
];

/// What leads out in ways of its own, or makes a command wait.
const OUT: [Plant; 3] = [Plant::Link, Plant::SecondName, Plant::Pipe];

/// The same for those that read an experiment.
const READ: [Plant; 2] = [Plant::Link, Plant::Changing];

/// What a folder of results may have, and what lies beside it.
const KEPT: [&str; 31] = [
    ".bakeoff",
    ".bakeoff/planted-cases",
    ".bakeoff/planted-cases/bakeoff.db",
    ".bakeoff/planted-cases/bakeoff.db-wal",
    ".bakeoff/planted-cases/bakeoff.db-shm",
    ".bakeoff/planted-cases/bakeoff.db-journal",
    ".bakeoff/planted-cases/bakeoff.db.new",
    ".bakeoff/planted-cases/bakeoff.db.new-wal",
    ".bakeoff/planted-cases/lock",
    ".bakeoff/planted-cases/events.jsonl",
    ".bakeoff/planted-cases/progress.json",
    ".bakeoff/planted-cases/report.json",
    ".bakeoff/planted-cases/report.md",
    ".bakeoff/planted-cases/report.html",
    ".bakeoff/planted-cases/summary.md",
    ".bakeoff/planted-cases/.report.json.tmp",
    ".bakeoff/planted-cases/contents",
    ".bakeoff/planted-cases/variants",
    ".bakeoff/planted-cases/variants/sort.json",
    ".bakeoff/planted-cases/variants/sort/iteration-1/source.rs",
    ".bakeoff/planted-cases/charts",
    ".bakeoff/planted-cases/aside-1",
    ".bakeoff/models.jsonl",
    ".bakeoff/models.jsonl.under-way",
    ".bakeoff/models.progress.json",
    ".bakeoff/generation.json",
    ".bakeoff/generation.attempts",
    "baselines",
    "it.bundle",
    "new.db",
    "times",
];

/// What an experiment consists of.
const OWN: [&str; 17] = [
    "bakeoff.toml",
    "bakeoff.lock",
    "cases.toml",
    "wit",
    "wit/top-k.wit",
    "approaches",
    "approaches/sort.rs",
    "granted.wasm",
    "data",
    "data/table",
    "evaluators/panics.rs",
    "aggregators/summary.rs",
    "replies.jsonl",
    "instructions.md",
    ".bakeoff/models.jsonl",
    ".bakeoff/generation.json",
    ".bakeoff/generation.attempts",
];

/// The folders that a run writes into. What is a folder when it begins stays one: nothing is promised where somebody
/// else changes them meanwhile.
const WRITTEN_INTO: [&str; 5] = [
    ".bakeoff",
    ".bakeoff/planted-cases",
    ".bakeoff/planted-cases/variants",
    ".bakeoff/planted-cases/contents",
    ".bakeoff/planted-cases/charts",
];

/// The files that a run writes, or goes on with.
const WRITTEN: [&str; 9] = [
    ".bakeoff/planted-cases/bakeoff.db",
    ".bakeoff/planted-cases/bakeoff.db-wal",
    ".bakeoff/planted-cases/bakeoff.db-shm",
    ".bakeoff/planted-cases/bakeoff.db.new",
    ".bakeoff/planted-cases/lock",
    ".bakeoff/planted-cases/events.jsonl",
    ".bakeoff/planted-cases/progress.json",
    ".bakeoff/planted-cases/report.md",
    ".bakeoff/planted-cases/.report.json.tmp",
];

/// What commands that read look into themselves: for all that is planted.
const LOOKED_INTO: [&str; 7] = [
    ".bakeoff/planted-cases/bakeoff.db",
    ".bakeoff/planted-cases/report.json",
    ".bakeoff/planted-cases/lock",
    ".bakeoff/planted-cases/contents",
    ".bakeoff/models.jsonl",
    ".bakeoff/models.progress.json",
    ".bakeoff/generation.json",
];

/// What a tool of an agent opens by itself, or has a command open.
const OF_AGENTS: [&str; 6] = [
    "bakeoff.toml",
    ".bakeoff",
    ".bakeoff/planted-cases/bakeoff.db",
    ".bakeoff/planted-cases/report.json",
    ".bakeoff/planted-cases/contents",
    "approaches/sort.rs",
];

/// Commands that read what is kept.
pub(super) const READING: [&[&str]; 10] = [
    &["report", "."],
    &["report", ".bakeoff/planted-cases", "--format", "html"],
    &["pick", "."],
    &["runs", "."],
    &["status", "."],
    &["compare", "1", ".bakeoff/planted-cases:1"],
    &["export", ".", "--format", "jsonl", "--table", "samples"],
    &["export", ".", "--format", "criterion", "--out", "times"],
    &["pack", ".", "--out", "it.bundle"],
    &["baseline", ".", "sort", "--name", "kept"],
];

/// Commands that read an experiment, and take next to no time.
const CHECKING: [&[&str]; 4] = [
    &["check", "."],
    &[
        "build",
        "approaches/sort.rs",
        "--wit",
        "wit",
        "--call",
        "top-k",
        "-o",
        "built.wasm",
    ],
    &[
        "generate",
        ".",
        "--approaches",
        "1",
        "--provider",
        "replay",
        "--cassette",
        "none.jsonl",
        "--yes",
    ],
    &["vendor", "."],
];

/// Commands that make something of it.
const MAKING: [&[&str]; 2] = [
    &["run", ".", "--budget", "100ms"],
    &["run", ".", "--budget", "100ms", "--generate", "--yes"],
];

/// Commands that start a run, or go on with it.
const RUNNING: [&[&str]; 2] = [
    &["run", ".", "--budget", "100ms"],
    &["run", ".", "--budget", "100ms", "--fresh"],
];

/// Commands that make something of results, or of files.
const REPEATING: [&[&str]; 4] = [
    &["verify", "."],
    &[
        "compare",
        "approaches/select.rs",
        "approaches/reversed.rs",
        "--wit",
        "wit",
        "--call",
        "top-k",
        "--cases",
        "cases.toml",
        "--budget",
        "100ms",
    ],
    &["init", "."],
    &[
        "explore",
        "A statement.",
        "--out",
        ".",
        "--provider",
        "replay",
        "--cassette",
        "replies.jsonl",
        "--no-run",
    ],
];

/// What these open.
const REPEATED: [&str; 6] = [
    "bakeoff.toml",
    "wit",
    "cases.toml",
    ".bakeoff/planted-cases/contents",
    ".bakeoff/generation.json",
    ".bakeoff/models.jsonl",
];

/// An experiment that names a file of every kind, with results, and with what a model was asked.
static STRANGER: LazyLock<SharedRun> =
    LazyLock::new(|| SharedRun::new("tests/planted/cases", name_files));

/// What is added to it: files of every kind that an experiment may name.
const NAMED: &str = r#"
[[approach]]
name = "granted"
component = "granted.wasm"
grant = { files = { "/data" = "data" } }

[[evaluator]]
name = "panics"
source = "evaluators/panics.rs"

[[aggregator]]
name = "summary"
source = "aggregators/summary.rs"

[generate]
provider = "replay"
cassette = "replies.jsonl"
instructions = "instructions.md"
approaches = 1
"#;

fn name_files(folder: &Path) {
    let at = |name: &str| folder.join(name);
    let text = fs::read_to_string(at("bakeoff.toml")).unwrap();
    let text = text.replace("[measure]", "[measure]\nprecision = 0.5");
    fs::write(at("bakeoff.toml"), text + NAMED).unwrap();
    let starts = tempfile::tempdir().unwrap();
    for (option, name, file) in [
        ("--evaluator", "panics", "evaluators/panics.rs"),
        ("--aggregator", "summary", "aggregators/summary.rs"),
    ] {
        let start = starts.path().join(name);
        let begun = run_bakeoff(&["init", start.to_str().unwrap(), option, name]);
        assert_eq!(begun.status, 0, "{}", begun.stderr);
        fs::create_dir_all(at(file).parent().unwrap()).unwrap();
        fs::copy(start.join(file), at(file)).unwrap();
    }
    let arguments = [
        "build",
        "approaches/select.rs",
        "--wit",
        "wit",
        "--call",
        "top-k",
        "-o",
        "granted.wasm",
    ];
    let built = bakeoff(&arguments).current_dir(folder).output().unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    fs::create_dir(at("data")).unwrap();
    for name in ["data/table", "instructions.md"] {
        fs::write(at(name), "Keep it short.\n").unwrap();
    }
    // A plan and ideas; there is no reply to what is asked then.
    let task = |kind: &str| json!({"kind": kind, "title": kind, "depends_on": [], "priority": 0, "output_tokens": 400});
    let plan = json!({
        "purpose": "plan", "subject": "plan",
        "reply": {
            "complexity": {"level": "moderate", "reasons": ["Several ideas."]},
            "tasks": [task("sketch"), task("approach")],
        },
        "usage": {"input_tokens": 500, "output_tokens": 100, "microdollars": 7}
    });
    let recorded = fs::read_to_string(root().join("examples/inversions/model.jsonl")).unwrap();
    let ideas = recorded.lines().next().unwrap();
    fs::write(at("replies.jsonl"), format!("{plan}\n{ideas}\n")).unwrap();
}

/// A copy of the folder, with what somebody's models left.
fn stranger() -> FinishedRun {
    let run = STRANGER.copy();
    let progress = json!({"model": "m", "calls": 1, "tokens": 1, "usd": 0.5, "upper_bound": false, "under_way": []});
    for (name, text) in [
        ("models.jsonl", "{\"purpose\":\"plan\"}\n".to_owned()),
        ("models.jsonl.under-way", "[]\n".to_owned()),
        ("models.progress.json", progress.to_string()),
        ("generation.json", json!({"approaches": []}).to_string()),
        ("generation.attempts/a/1.rs", String::new()),
    ] {
        let path = run.path(".bakeoff").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    run
}

fn hold(file: &str, plant: Plant, rule: Rule, commands: &[&[&str]]) {
    let run = stranger();
    Planted::new(Path::new(run.dir()), file, plant, rule).hold(commands);
}

/// The rule for a file: one of an experiment that has a second name is a file of the experiment, since it cannot be
/// told whose it is first.
fn rule_of(file: &str) -> Rule {
    match file.starts_with(".bakeoff") {
        true => Rule::Nothing,
        false => Rule::OwnBySecondName,
    }
}

#[test]
fn nothing_outside_is_read_written_quoted_or_waited_for_by_commands_that_read() {
    let hold = |file, plant| hold(file, plant, Rule::Nothing, &READING);
    each(&KEPT, &OUT, hold);
    let others: Vec<Plant> = ALL
        .into_iter()
        .filter(|plant| !OUT.contains(plant))
        .collect();
    each(&LOOKED_INTO, &others, hold);
}

#[test]
fn nothing_outside_is_read_quoted_or_waited_for_in_the_place_of_an_experiments_files() {
    each(&OWN, &ALL, |file, plant| {
        hold(file, plant, rule_of(file), &CHECKING)
    });
    let _slot = measuring_slot();
    each(&OWN, &READ, |file, plant| {
        hold(file, plant, rule_of(file), &MAKING)
    });
}

#[test]
fn nothing_outside_is_read_written_quoted_or_waited_for_by_commands_that_write() {
    let _slot = measuring_slot();
    let hold_running = |file, plant| hold(file, plant, Rule::Nothing, &RUNNING);
    each(
        &WRITTEN_INTO,
        &[Plant::Link, Plant::SecondName],
        hold_running,
    );
    let files = [Plant::Link, Plant::SecondName, Plant::Changing];
    each(&WRITTEN, &files, hold_running);
    each(&REPEATED, &[Plant::Link], |file, plant| {
        hold(file, plant, rule_of(file), &REPEATING)
    });
}

#[test]
fn nothing_outside_is_told_to_an_agent() {
    let _slot = measuring_slot();
    let ask = |file, plant| {
        let run = stranger();
        let planted = Planted::new(Path::new(run.dir()), file, plant, rule_of(file));
        planted.watch("mcp", false, || {
            let mut client = Client::start(&[run.dir()]);
            client.initialize();
            let here = json!({"folder": "."});
            let source = json!({"path": "approaches/sort.rs"});
            let calls: [(&str, Value); 4] = [
                ("report", here.clone()),
                ("pick", here.clone()),
                ("run", json!({"folder": ".", "budget_seconds": 1})),
                (
                    "check",
                    json!({"file": source, "wit": {"path": "wit/top-k.wit"}, "call": "top-k"}),
                ),
            ];
            let answers = calls
                .iter()
                .map(|(tool, arguments)| client.call(tool, arguments).to_string());
            let answers = answers.collect();
            client.end();
            answers
        });
    };
    each(&OF_AGENTS, &[Plant::Link, Plant::Pipe], ask);
    each(
        &[OF_AGENTS[0], OF_AGENTS[2], OF_AGENTS[3]],
        &[Plant::Changing],
        ask,
    );
}
