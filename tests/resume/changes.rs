//! Runs whose inputs changed since: what changed is said, what it touches is done again, and the
//! rest is kept.

use super::events;
use super::small::Small;
use crate::support::run_bakeoff;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// What the last run said that changed, as `stage: variant: inputs`, and the variants that were
/// checked anew.
#[derive(Debug, PartialEq)]
pub(super) struct Again {
    pub(super) changed: BTreeSet<String>,
    pub(super) checked: BTreeSet<String>,
    pub(super) measured: bool,
    pub(super) stderr: String,
    pub(super) run: i64,
}

pub(super) fn again(small: &Small, more: &[&str]) -> Again {
    let results = small.path(".bakeoff/small");
    let before = events(&results).len();
    let said = run_bakeoff(&[&["run", small.dir()][..], more].concat());
    assert!(said.ended_a_run(), "{}", said.stderr);
    let events: Vec<Value> = events(&results).split_off(before);
    let of = |name: &str| {
        events
            .iter()
            .filter(|event| event["name"] == name)
            .map(|event| event["data"].clone())
            .collect::<Vec<Value>>()
    };
    let changed = |data: &Value| {
        let inputs: Vec<&str> = data["inputs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|input| input.as_str().unwrap())
            .collect();
        let who = data["variant_id"].as_str().unwrap_or("all");
        format!(
            "{}: {who}: {}",
            data["stage"].as_str().unwrap(),
            inputs.join(" ")
        )
    };
    let checked = of("bakeoff:check:complete")
        .into_iter()
        .filter(|data| data["origin"] == "new")
        .map(|data| data["variant_id"].as_str().unwrap().to_owned());
    Again {
        changed: of("bakeoff:input:changed").iter().map(changed).collect(),
        checked: checked.collect(),
        measured: !of("bakeoff:pilot:complete").is_empty(),
        run: events.last().unwrap()["run"].as_i64().unwrap(),
        stderr: said.stderr,
    }
}

pub(super) fn set<const N: usize>(texts: [&str; N]) -> BTreeSet<String> {
    texts.into_iter().map(str::to_owned).collect()
}

fn edit(small: &Small, file: &str, from: &str, to: &str) {
    let path = small.path(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn what_changed_is_said_and_done_again_and_the_rest_is_kept() {
    let small = Small::new();
    let first = again(&small, &[]);
    assert_eq!(first.changed, set([]), "nothing was there to change");
    assert_eq!(first.checked, set(["good", "same-work"]));
    assert!(first.measured && first.run == 1);

    let same = again(&small, &[]);
    assert_eq!((same.changed, same.checked), (set([]), set([])));
    assert!(!same.measured && same.run == 1);
    assert!(same.stderr.contains("stored results"), "{}", same.stderr);

    edit(
        &small,
        "good.rs",
        "{",
        "{\n    let _unused = std::hint::black_box(7);",
    );
    let source = again(&small, &[]);
    assert_eq!(
        source.changed,
        set([
            "build: good: source",
            "check: good: component",
            "measure: all: components"
        ])
    );
    assert_eq!(source.checked, set(["good"]));
    assert!(source.measured && source.run == 2);
    assert!(
        source.stderr.contains("source of good; building it again"),
        "{}",
        source.stderr
    );

    edit(&small, "bakeoff.toml", "seed = 7", "seed = 8");
    let seed = again(&small, &[]);
    assert_eq!(
        seed.changed,
        set(["check: all: check-seed"]),
        "the file's seed decides what is checked, and nothing that is timed"
    );
    assert_eq!(seed.checked, set(["good", "same-work"]));
    assert!(!seed.measured);

    // Back to what there was: nothing is done, because its results are still there.
    edit(&small, "bakeoff.toml", "seed = 8", "seed = 7");
    let back = again(&small, &[]);
    assert_eq!((back.changed, back.checked), (set([]), set([])));
    assert!(!back.measured && back.run == 4);

    edit(
        &small,
        "bakeoff.toml",
        "[measure]",
        "[limits]\nwall = \"9 s\"\n[measure]",
    );
    let limits = again(&small, &[]);
    assert_eq!(
        limits.changed,
        set(["check: all: limits", "measure: all: limits"])
    );

    edit(&small, "bakeoff.toml", "budget", "confidence = 0.9\nbudget");
    let measure = again(&small, &[]);
    assert_eq!(measure.changed, set(["measure: all: measure"]));
    assert_eq!(measure.checked, set([]));

    edit(
        &small,
        "workload.rs",
        "pub fn generate",
        "pub fn unused() -> u32 {\n    3\n}\n\npub fn generate",
    );
    edit(&small, "bakeoff.toml", "64000", "64001");
    let workload = again(&small, &[]);
    assert_eq!(
        workload.changed,
        set(["check: all: workload", "measure: all: workload"])
    );

    edit(
        &small,
        "wit/top-k.wit",
        "package",
        "// Another word.\npackage",
    );
    let interface = again(&small, &[]);
    assert!(
        interface.changed.contains("build: all: interface")
            && interface.changed.contains("check: all: interface"),
        "{interface:?}"
    );
    assert!(
        interface.measured,
        "the components are the same, and the seed is not: it was known when the interface changed"
    );

    edit(
        &small,
        "bakeoff.toml",
        "budget = \"60 s\"",
        "budget = \"61 s\"",
    );
    let budget = again(&small, &[]);
    assert_eq!((budget.changed, budget.checked), (set([]), set([])));
    assert_eq!(budget.run, interface.run, "more time is the same run");

    let fresh = again(&small, &["--fresh"]);
    assert_eq!(fresh.changed, set([]));
    assert_eq!(fresh.checked, set(["good", "same-work"]));
    assert!(fresh.measured && fresh.run == interface.run + 1);
}

/// The seed of the run that was made last, and what is known of how its builds came about.
fn seed_and_builds(small: &Small) -> (String, Vec<(String, String)>) {
    let report = fs::read_to_string(small.results().join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let run = events(&small.results()).last().unwrap()["run"].clone();
    let of_run = |event: &&Value| event["run"] == run && event["name"] == "bakeoff:build:complete";
    let builds = events(&small.results());
    let builds = builds.iter().filter(of_run).map(|event| {
        let text = |name: &str| event["data"][name].as_str().unwrap().to_owned();
        (text("variant_id"), text("origin"))
    });
    (report["experiment"]["seed"].to_string(), builds.collect())
}

#[test]
fn a_latecomer_costs_nobody_a_build_or_a_check_and_races_on_a_seed_of_its_own() {
    let small = Small::new();
    again(&small, &[]);
    let (seed, _) = seed_and_builds(&small);
    let text = fs::read_to_string(small.path("good.rs")).unwrap();
    // Another one each time: the tests share a build cache, which outlives them.
    let number = std::process::id();
    let unused = format!("{{\n    let _unused = std::hint::black_box({number}_u32);");
    let text = text.replacen('{', &unused, 1);
    fs::write(small.path("late.rs"), text).unwrap();
    let file = small.path("bakeoff.toml");
    let experiment = fs::read_to_string(&file).unwrap();
    let late = "[[approach]]\nname = \"late\"\nsource = \"late.rs\"\n";
    // First of all, so that the places of all others change.
    let experiment = experiment.replacen("[[approach]]", &format!("{late}[[approach]]"), 1);
    fs::write(file, experiment).unwrap();
    let late = again(&small, &[]);
    assert!(late.measured && late.run == 2, "{late:?}");
    assert_eq!(late.checked, set(["late"]));
    let (other, builds) = seed_and_builds(&small);
    assert_ne!(
        seed, other,
        "who came late could know the inputs of the race"
    );
    for (id, origin) in builds {
        assert_eq!(origin == "kept", id != "late", "{id} is {origin}");
    }
    // The seed belongs to the race: there are two of them, and the first is as it was.
    let seeds: Vec<String> = races(&small);
    let texts = [seed, other].map(|seed| seed.trim_matches('"').to_owned());
    assert_eq!(seeds, texts);
}

/// The seeds of the races that are kept, in the order in which they began.
fn races(small: &Small) -> Vec<String> {
    let db = rusqlite::Connection::open(small.results().join("bakeoff.db")).unwrap();
    let sql = "SELECT inputs FROM result WHERE kind = 'race' ORDER BY id";
    let mut statement = db.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get::<_, String>(0));
    let seed = |inputs: String| {
        let inputs: Vec<(String, String)> = serde_json::from_str(&inputs).unwrap();
        inputs
            .into_iter()
            .find(|(name, _)| name == "seed")
            .unwrap()
            .1
    };
    rows.unwrap().map(|inputs| seed(inputs.unwrap())).collect()
}

#[test]
fn an_approach_that_is_called_otherwise_races_again_on_the_same_seed() {
    let small = Small::new();
    let seeded = |more: &[&str]| {
        let mut words = vec!["run", small.dir(), "--seed", "5", "--format", "json"];
        words.extend(more);
        run_bakeoff(&words)
    };
    let first = seeded(&[]);
    assert!(first.ended_a_run(), "{}", first.stderr);
    let file = small.path("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let renamed = text.replace("name = \"good\"", "name = \"better\"");
    assert_ne!(text, renamed);
    fs::write(&file, renamed).unwrap();
    let again = seeded(&[]);
    assert!(again.ended_a_run(), "{}", again.stderr);
    let report = again.json();
    let variants = report["variants"].as_array().unwrap().iter();
    let ranked: Vec<&str> = variants
        .filter(|one| one["status"] == "ranked")
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert!(ranked.contains(&"better"), "{ranked:?}");
    let verified = run_bakeoff(&["report", small.dir()]);
    assert!(verified.ended_a_run(), "{}", verified.stderr);
}

#[test]
fn a_file_that_cannot_be_read_fails_by_its_own_name() {
    let small = Small::new();
    for name in ["panics", "does_not_compile"] {
        fs::write(small.path(&format!("{name}.rs")), b"pub fn \xff").unwrap();
    }
    let output = run_bakeoff(&["run", small.dir(), "--format", "json"]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    let report = output.json();
    for name in ["panics", "does_not_compile"] {
        let mut variants = report["variants"].as_array().unwrap().iter();
        let variant = variants.find(|one| one["name"] == name).unwrap();
        let message = variant["failure"]["message"].as_str().unwrap();
        assert!(message.contains(&format!("{name}.rs")), "{name}: {message}");
    }
}
