//! Approaches that a model writes for a program.

use super::cache;
use bakeoff::{
    Depth, Diversity, Error, ErrorKind, Experiment, GenerateOptions, GeneratedApproach, Generation,
    ModelCost, ModelOptions, Status,
};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Replies of a model to the questions about the example.
const CASSETTE: &str = "model.jsonl";

fn example() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/inversions");
    for name in [
        "bakeoff.toml",
        "workload.rs",
        CASSETTE,
        "wit/inversions.wit",
        "approaches/all_pairs.rs",
    ] {
        let to = folder.path().join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from.join(name), to).unwrap();
    }
    folder
}

fn opened(folder: &Path) -> Experiment {
    Experiment::open(folder).unwrap().cache(cache())
}

fn replayed(cassette: PathBuf) -> GenerateOptions {
    GenerateOptions::new(ModelOptions::replay(cassette))
}

pub(super) fn what_passes_is_run() {
    let folder = example();
    let options = replayed(folder.path().join(CASSETTE)).approaches(3);
    let events: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = events.clone();
    let opened_first = opened(folder.path());
    let told = opened_first.on_event(move |line: &str| heard.lock().unwrap().push(line.to_owned()));
    let made: Generation = told.generate(&options).unwrap();
    assert!(made.is_complete() && made.reason().is_none());
    let approaches: Vec<GeneratedApproach<'_>> = made.approaches().collect();
    let names: Vec<&str> = approaches.iter().map(|one| one.name).collect();
    assert_eq!(names, ["merge-sort", "fenwick-tree", "sorted-insertion"]);
    let attempts: Vec<u64> = approaches.iter().map(|one| one.attempts).collect();
    assert_eq!(attempts, [1, 2, 1]);
    for approach in &approaches {
        assert_eq!((approach.outcome, approach.message), ("passed", None));
        assert!(!approach.description.is_empty() && approach.cost.calls > 0);
        let file = approach.file.unwrap();
        assert!(folder.path().join(file).is_file(), "{file}");
    }
    let cost: ModelCost = made.cost();
    assert_eq!((cost.calls, cost.is_upper_bound), (5, false));
    assert!(made.text().contains(made.model()), "{}", made.text());
    let kept = fs::read_to_string(folder.path().join(".bakeoff/generation.events.jsonl")).unwrap();
    assert_eq!(
        kept.lines().collect::<Vec<_>>(),
        events
            .lock()
            .unwrap()
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
    );

    let report = opened(folder.path())
        .budget(Duration::from_millis(500))
        .run()
        .unwrap();
    let ids: Vec<&str> = report.variants().map(|variant| variant.id()).collect();
    assert_eq!(ids.len(), 4, "{ids:?}");
    for name in names {
        // The budget is too short for ranks.
        let variant = report.variant(name).unwrap();
        assert_ne!(variant.status(), Status::Failed, "{variant:?}");
    }

    // The ideas are known now, and the model has no others: what it was asked for until then is no error.
    let again = opened(folder.path()).generate(&options).unwrap();
    assert!(!again.is_complete(), "{}", again.text());
    assert_eq!(again.approaches().count(), 0);
    let reason = again.reason().unwrap();
    assert!(reason.starts_with("model-unavailable"), "{reason}");
}

pub(super) fn is_what_the_command_says() {
    let folders = [example(), example()];
    let [of_program, of_command] = folders.each_ref().map(|folder| folder.path());
    let options = replayed(of_program.join(CASSETTE))
        .approaches(2)
        .repairs(0)
        .depth(Depth::Sketch)
        .diversity(Diversity::High)
        .timeout(Duration::from_secs(600));
    let made = opened(of_program).generate(&options).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .args([
            "generate",
            "--provider=replay",
            "--approaches=2",
            "--repairs=0",
        ])
        .args([
            "--depth=sketch",
            "--diversity=high",
            "--format=json",
            "--quiet",
        ])
        .arg("--cassette")
        .arg(of_command.join(CASSETTE))
        .arg("--cache-dir")
        .arg(cache())
        .arg(of_command)
        .env("BAKEOFF_POLICY", "")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let failed = String::from_utf8_lossy(&output.stderr);
    // The model of a replay is the name of its file.
    let [here, there] = folders
        .each_ref()
        .map(|folder| folder.path().display().to_string());
    assert_eq!(made.json().replace(&here, &there), said, "{failed}");
    let record = |folder: &Path| -> Value {
        let text = fs::read(folder.join(".bakeoff/generation.json")).unwrap();
        serde_json::from_slice(&text).unwrap()
    };
    let wanted = "approaches 2, depth sketch, diversity high, 0 repairs";
    for folder in [of_program, of_command] {
        assert_eq!(record(folder)["wanted"], wanted);
    }
    let file = |folder: &Path| fs::read_to_string(folder.join("bakeoff.toml")).unwrap();
    assert_eq!(file(of_program), file(of_command));
}

pub(super) fn what_cannot_be_asked_is_an_error() {
    let folder = example();
    let before = fs::read_to_string(folder.path().join("bakeoff.toml")).unwrap();
    let refused = |options: GenerateOptions| -> Error {
        opened(folder.path()).generate(&options).unwrap_err()
    };
    let is_of = |kind: ErrorKind, options: GenerateOptions, words: &str| {
        let error = refused(options);
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    };
    let cassette = folder.path().join(CASSETTE);
    let missing = replayed(folder.path().join("nowhere.jsonl"));
    is_of(ErrorKind::Model, missing, "nowhere.jsonl");
    let unknown = GenerateOptions::new(ModelOptions::new("oracle", "delphi"));
    is_of(ErrorKind::Model, unknown, "\"oracle\" is no provider");
    let free = GenerateOptions::new(ModelOptions::replay(&cassette).usd(0.0));
    is_of(ErrorKind::Model, free, "0 US dollars");
    let many = replayed(cassette.clone()).approaches(11);
    is_of(ErrorKind::Experiment, many, "11 approaches");
    let none = replayed(cassette.clone()).approaches(0);
    is_of(ErrorKind::Experiment, none, "0 approaches");
    let known = replayed(cassette.clone()).idea("All Pairs", "Compare all.");
    is_of(
        ErrorKind::Experiment,
        known,
        "has an approach all pairs already",
    );
    let told = replayed(cassette.clone()).context(folder.path().join("notes.md"));
    is_of(ErrorKind::Experiment, told, "notes.md");
    let stopped = opened(folder.path());
    stopped.stopper()();
    let stopped = stopped.generate(&replayed(cassette)).unwrap_err();
    assert_eq!(stopped.kind(), ErrorKind::Stopped, "{stopped}");
    let after = fs::read_to_string(folder.path().join("bakeoff.toml")).unwrap();
    assert_eq!(before, after);
}
