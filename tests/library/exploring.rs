//! An experiment that a model writes for a program from a statement.

use super::cache;
use bakeoff::{
    Error, ErrorKind, Experiment, Exploration, ExplorationPlan, ExplorationResult, GenerateOptions,
    ModelOptions, Outcome, Report, Sketch,
};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples/explore")
        .join(name)
}

fn statement() -> String {
    fs::read_to_string(example("statement.txt")).unwrap()
}

fn exploration(folder: &Path) -> Exploration {
    let exploration = Exploration::of(statement(), folder).unwrap();
    exploration.criterion("performance", 2.0).cache(cache())
}

fn replayed() -> GenerateOptions {
    GenerateOptions::new(ModelOptions::replay(example("model.jsonl")))
}

pub(super) fn is_what_the_command_says() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).join("increase");
    let plan: ExplorationPlan = exploration(&place("plan")).plan(&replayed()).unwrap();
    assert_eq!((plan.approaches(), plan.expected_usd()), (3, Some(0.0)));
    assert!(plan.text().contains("3 approaches"), "{}", plan.text());
    let planned: Value = serde_json::from_str(&plan.json()).unwrap();
    assert_eq!(planned["expected"]["calls"], 7);
    assert!(!place("plan").join("bakeoff.toml").exists());

    let events: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = events.clone();
    let told = exploration(&place("program"));
    let told = told.on_event(move |line: &str| heard.lock().unwrap().push(line.to_owned()));
    let made: ExplorationResult = told.explore(&replayed()).unwrap();
    let generation = made.generation();
    assert!(generation.is_complete() && made.has_experiment());
    assert_eq!(made.unusable(), None);
    let names: Vec<&str> = generation.approaches().map(|one| one.name).collect();
    let expected = [
        "binary-search",
        "tree-over-ranks",
        "counted-ends",
        "combination-1",
    ];
    assert_eq!(names, expected);
    assert_eq!(generation.cost().calls, 10);
    let criteria = "What counts: performance 2\n";
    assert!(made.text().starts_with(criteria), "{}", made.text());
    let kept = place("program").join(".bakeoff/generation.events.jsonl");
    let kept = fs::read_to_string(kept).unwrap();
    let heard: Vec<String> = events.lock().unwrap().clone();
    assert_eq!(kept.lines().collect::<Vec<_>>(), heard);

    let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .args(["explore", &statement(), "--provider=replay", "--no-run"])
        .args(["--criterion=performance=2", "--format=json", "--quiet"])
        .arg("--cassette")
        .arg(example("model.jsonl"))
        .arg("--cache-dir")
        .arg(cache())
        .arg("--out")
        .arg(place("command"))
        .env("BAKEOFF_POLICY", "")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let failed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(made.json(), said, "{failed}");
    let text = |name: &str| fs::read_to_string(place(name).join("bakeoff.toml")).unwrap();
    assert_eq!(text("program"), text("command"));
    let opened = Experiment::open(place("program")).unwrap();
    assert_eq!(opened.name(), "increase");

    // What is there is left alone.
    let again = told_apart(told.explore(&replayed()));
    assert_eq!(again.0, ErrorKind::Experiment);
    assert!(again.1.contains("has an experiment already"), "{}", again.1);
}

/// Returns the kind and the message of the error.
fn told_apart(explored: Result<ExplorationResult, Error>) -> (ErrorKind, String) {
    let error = explored.unwrap_err();
    (error.kind(), error.to_string())
}

pub(super) fn what_cannot_be_asked_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("out");
    let is_of =
        |kind: ErrorKind, exploration: Exploration, options: GenerateOptions, part: &str| {
            let (found, message) = told_apart(exploration.explore(&options));
            assert_eq!(found, kind, "{message}");
            assert!(message.contains(part), "{part}: {message}");
        };
    let experiment = ErrorKind::Experiment;
    let silent = Exploration::of(" ", &place).unwrap();
    is_of(
        experiment,
        silent,
        replayed(),
        "the problem has 1 characters",
    );
    let none = replayed().approaches(0);
    is_of(experiment, exploration(&place), none, "0 approaches");
    let unknown = exploration(&place).criterion("speed", 1.0);
    is_of(experiment, unknown, replayed(), "performance, memory");
    let twice = exploration(&place).criterion("performance", 1.0);
    is_of(experiment, twice, replayed(), "given twice");
    let light = exploration(&place).criterion("memory", f64::NAN);
    is_of(experiment, light, replayed(), "is no number");
    let both = exploration(&place).criteria(folder.path().join("criteria.toml"));
    is_of(experiment, both, replayed(), "one of the two");
    let like = exploration(&place).like(folder.path().join("nowhere"));
    is_of(experiment, like, replayed(), "`Exploration::like`");
    let context = replayed().context(folder.path().join("notes.md"));
    is_of(experiment, exploration(&place), context, "notes.md");
    let missing = GenerateOptions::new(ModelOptions::replay("nowhere.jsonl"));
    is_of(
        ErrorKind::Model,
        exploration(&place),
        missing,
        "nowhere.jsonl",
    );
    let empty = folder.path().join("empty.jsonl");
    fs::write(&empty, "").unwrap();
    let silent = GenerateOptions::new(ModelOptions::replay(empty));
    is_of(
        ErrorKind::Model,
        exploration(&place),
        silent,
        "model-unavailable",
    );
    let stopped = exploration(&place);
    stopped.stopper()();
    is_of(ErrorKind::Stopped, stopped, replayed(), "stopped");
    assert!(!place.join("bakeoff.toml").exists());
}

const CACHING: &str = "Design a caching strategy for our read-heavy API";

fn caching() -> ModelOptions {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    ModelOptions::replay(examples.join("opinions/caching/opinions.jsonl"))
}

fn question(folder: &Path) -> Exploration {
    let question = Exploration::of(CACHING, folder).unwrap();
    question.in_words(Sketch::Pseudocode)
}

pub(super) fn is_answered_in_words_as_the_command_does() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).join("caching");
    let options = GenerateOptions::new(caching());
    let plan = question(&place("plan")).plan(&options).unwrap();
    assert_eq!((plan.approaches(), plan.expected_usd()), (4, None));
    assert!(plan.text().ends_with("Nothing of it will be run.\n"));
    let planned: Value = serde_json::from_str(&plan.json()).unwrap();
    assert_eq!(planned["question"], CACHING);
    assert!(!place("plan").join("bakeoff.toml").exists());

    let made = question(&place("program")).explore(&options).unwrap();
    assert!(made.generation().is_complete() && made.has_experiment());
    let run = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
            .args(more)
            .args(["--format=json", "--quiet"])
            .env("BAKEOFF_POLICY", "")
            .output()
            .unwrap();
        let failed = String::from_utf8_lossy(&output.stderr).into_owned();
        (String::from_utf8(output.stdout).unwrap(), failed)
    };
    let out = place("command");
    let out = out.to_str().unwrap();
    let cassette = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cassette = cassette.join("../examples/opinions/caching/opinions.jsonl");
    let cassette = format!("--cassette={}", cassette.display());
    let asked = ["explore", CACHING, "--opinion", "--provider=replay"];
    let (said, failed) = run(&[&asked[..], &[&cassette, "--out", out, "--no-run"]].concat());
    assert_eq!(made.json(), said, "{failed}");
    let text = |name: &str| fs::read_to_string(place(name).join("bakeoff.toml")).unwrap();
    assert_eq!(text("program"), text("command"));

    // Nobody is asked for an opinion without leave, and with it only the model that the file names.
    let open = || Experiment::open(place("program")).unwrap();
    let unasked = open().run().unwrap();
    assert_eq!(unasked.outcome(), Outcome::Nothing);
    let replies = place("program").join("opinions.jsonl");
    let judged: Report = open().judge(ModelOptions::replay(&replies)).run().unwrap();
    assert_eq!((judged.outcome(), judged.winner()), (Outcome::Tie, None));
    let redis = judged.variant("redis").unwrap();
    assert_eq!(redis.reading("judge:performance"), Some(8.5));
    assert!(
        judged.text().starts_with("Opinions of replay of"),
        "{}",
        judged.text()
    );
    assert_eq!(open().report().unwrap().json(), judged.json());
    let is_refused = |ended: Result<Report, Error>, part: &str| {
        let error = ended.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Experiment);
        assert!(error.message().contains(part), "{part}: {error}");
    };
    is_refused(
        open().judge(caching()).run(),
        "the replies that [judge] names",
    );
    let other = ModelOptions::new("anthropic", "m");
    is_refused(
        open().judge(other).run(),
        "the program lets anthropic m be asked",
    );

    // Nothing of it can be built, checked or written anew.
    let checked = open().check().unwrap_err();
    assert!(checked.message().contains("question in words"), "{checked}");
    assert!(
        checked
            .advice()
            .is_some_and(|step| step.contains("--judge")),
        "{checked}"
    );
    assert!(open().generate(&options).is_err() && open().verify().is_err());
    let again = told_apart(question(&place("program")).explore(&options));
    assert!(again.1.contains("`Experiment::judge`"), "{}", again.1);
    let like = question(&place("like")).like(place("program"));
    let research = question(&place("like")).explore(&options.clone().research());
    assert!(
        told_apart(research)
            .1
            .contains("`GenerateOptions::research`")
    );
    assert!(like.explore(&options).is_err() && !place("like").exists());
}
