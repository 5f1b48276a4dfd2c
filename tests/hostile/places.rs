//! Folders in which something else is in the place of a file or folder that a command opens: one row for each place, and
//! one for each command.

use super::place_tables::{
    ALL, CHECKING, EXAMINING, FOLDERS, KEEPING, KEPT, KEPT_BY_THEM, LOOKED_INTO, MAKING, OF_AGENTS,
    OF_THE_USERS, OUT, OWN, READ, READING, REPEATED, REPEATING, RUNNING, USING, WRITTEN,
    WRITTEN_INTO,
};
use super::planting::{OF_USER, Plant, Planted, Rule, each};
use crate::finished::{CASES, FinishedRun, SharedRun};
use crate::mcp::client::Client;
use crate::support::{bakeoff, measuring_slot, root, run_bakeoff};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

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

[prompts]
prototype = "prototype.md"
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
    let template = "{{problem}}\n{{idea}}\n{{instructions}}\n{{rules}}\n{{depth}}\n";
    fs::write(at("prototype.md"), template).unwrap();
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
    let are_ideas = |line: &&str| line.contains(r#""purpose": "approaches""#);
    let ideas = recorded.lines().find(are_ideas).unwrap();
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
    if file.starts_with(OF_USER) || OF_THE_USERS.contains(&file) {
        for folder in ["of-user/cache/crates", "of-user/keys/bakeoff"] {
            fs::create_dir_all(run.path(folder)).unwrap();
        }
        // Of a run that was granted nothing: a bundle holds no granted files.
        let packed = CASES.copy();
        fs::copy(packed.pack(), run.path("packed.bundle")).unwrap();
    }
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
    each(&WRITTEN_INTO, &FOLDERS, hold_running);
    let files = [Plant::Link, Plant::SecondName, Plant::Changing];
    each(&WRITTEN, &files, hold_running);
    each(
        &WRITTEN[..1],
        &[Plant::Pipe, Plant::OtherKind],
        hold_running,
    );
    each(&REPEATED, &[Plant::Link], |file, plant| {
        hold(file, plant, rule_of(file), &REPEATING)
    });
    each(&KEPT_BY_THEM, &[Plant::Link], |file, plant| {
        hold(file, plant, Rule::Nothing, &KEEPING[..1])
    });
}

/// Each place with each plant, under each command.
#[test]
#[ignore = "takes minutes: one of the campaigns in CONTRIBUTING"]
fn nothing_outside_is_reached_from_any_place_by_any_command() {
    let _slot = measuring_slot();
    let commands: Vec<&[&str]> = [
        &READING[..],
        &CHECKING,
        &USING,
        &EXAMINING,
        &REPEATING,
        &RUNNING,
        &MAKING,
        &KEEPING,
    ]
    .concat();
    let mut places = [&KEPT[..], &OWN, &WRITTEN, &OF_THE_USERS].concat();
    places.sort_unstable();
    places.dedup();
    each(&places, &ALL, |file, plant| {
        hold(file, plant, rule_of(file), &commands)
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
            let named = |name: &str| json!({"name": name, "path": format!("approaches/{name}.rs")});
            let calls: [(&str, Value); 5] = [
                ("report", here.clone()),
                ("pick", here.clone()),
                ("run", json!({"folder": ".", "budget_seconds": 1})),
                (
                    "compare",
                    json!({
                        "sources": [named("sort"), named("select")], "wit": {"path": "wit/top-k.wit"},
                        "call": "top-k", "cases": [{"call": "top-k([3, 1, 2], 1)"}], "budget_seconds": 0.1
                    }),
                ),
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
