//! Rounds of a search, and the race that confirms what they found.

use crate::finished::copy_experiment;
use crate::support::{CommandOutput, bakeoff, root, run_bakeoff};
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

/// A copy of an experiment, which a test may change.
struct Valley(tempfile::TempDir);

impl Valley {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy_experiment(&root().join("tests/planted/valley"), folder.path());
        Self(folder)
    }

    /// An approach whose source is changed, and no parameters.
    fn fixed() -> Self {
        let valley = Self::new();
        let text = valley.text();
        let (before, rest) = text.split_once("[[approach]]").unwrap();
        let (_, after) = rest.split_once("[rounds]").unwrap();
        let approach = "[[approach]]\nname = \"fixed\"\nsource = \"fixed.rs\"\n\n[rounds]\npropose = [\"mutate\"]";
        fs::write(valley.file(), format!("{before}{approach}{after}")).unwrap();
        valley
    }

    fn file(&self) -> std::path::PathBuf {
        self.0.path().join("bakeoff.toml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    fn change(&self, from: &str, to: &str) {
        let text = self.text();
        assert!(text.contains(from), "{from}");
        fs::write(self.file(), text.replace(from, to)).unwrap();
    }

    fn dir(&self) -> &str {
        self.0.path().to_str().unwrap()
    }

    fn run(&self, words: &[&str]) -> CommandOutput {
        let mut all = vec![words[0], self.dir()];
        all.extend(&words[1..]);
        run_bakeoff(&all)
    }

    fn report(&self, words: &[&str]) -> Value {
        let mut all = words.to_vec();
        all.extend(["--format", "json"]);
        let output = self.run(&all);
        assert!(output.ended_a_run(), "{}", output.stderr);
        output.json()
    }

    fn record(&self) -> std::path::PathBuf {
        self.0.path().join(".bakeoff/valley/rounds/rounds.json")
    }
}

/// Everything of a search's candidates that no clock decides.
fn lineage(report: &Value) -> Vec<String> {
    let rows = report["rounds"]["lineage"].as_array().unwrap();
    let row = |one: &Value| {
        format!(
            "{} {} {} {} {}",
            one["name"], one["parent"], one["change"], one["outcome"], one["reading"]
        )
    };
    rows.iter().map(row).collect()
}

fn loss(report: &Value, approach: &str) -> f64 {
    let mut variants = report["variants"].as_array().unwrap().iter();
    let variant = variants.find(|one| one["approach"] == approach).unwrap();
    variant["readings"]["assess:loss"]["value"]
        .as_f64()
        .unwrap()
}

#[test]
fn climbing_passes_a_gate_that_no_first_variant_passes_in_fewer_trials_than_the_grid() {
    let valley = Valley::new();
    let report = valley.report(&["run"]);
    let rounds = &report["rounds"];
    assert_eq!(
        rounds["ended"], "a candidate passes every gate",
        "{rounds:#}"
    );
    let tried = rounds["candidates"].as_u64().unwrap();
    assert!(tried < 300, "{tried} of 10,000");
    let best = rounds["finalists"][0]["name"].as_str().unwrap();
    assert!(loss(&report, best) <= 2.0);
    assert!(loss(&report, "walker") > 1_000.0);
    assert_eq!(
        report["recommendation"]["winner"],
        report["variants"][0]["id"]
    );
    assert_eq!(report["variants"][0]["approach"], best);
    // The first one is shown, and not ranked.
    let mut variants = report["variants"].as_array().unwrap().iter();
    let first = variants.find(|one| one["approach"] == "walker").unwrap();
    assert_eq!(first["status"], "eliminated");

    // What was found is the run's: it can be made again, looked at and taken.
    let again = valley.report(&["run"]);
    assert_eq!(lineage(&again), lineage(&report));
    let verified = valley.run(&["verify"]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    let shown = valley.run(&["report"]);
    for words in [
        "The search before the race",
        "was found at loss ",
        "walker with: ",
        "in the race it has loss ",
    ] {
        assert!(shown.stdout.contains(words), "{words}: {}", shown.stdout);
    }
    let tree = valley.run(&["archive", "--tree"]);
    assert!(
        tree.stdout.starts_with("walker, fails a gate"),
        "{}",
        tree.stdout
    );
    assert!(
        tree.stdout.contains("\n  walker 1.1 (climb, "),
        "{}",
        tree.stdout
    );
    let source = valley.run(&["archive", "--source", best]);
    assert_eq!(source.status, 2);
    assert!(
        source
            .stderr
            .contains("is the code of the approach \"walker\", with x="),
        "{}",
        source.stderr
    );
}

#[test]
fn an_evolution_strategy_finds_a_known_optimum_and_drawing_does_not() {
    let valley = Valley::new();
    valley.change(
        "until = \"gates\"",
        "propose = [\"evolve\"]\npatience = 30\ncontrol = true",
    );
    let report = valley.report(&["run"]);
    let rounds = &report["rounds"];
    let finalist = |control: bool| {
        let mut finalists = rounds["finalists"].as_array().unwrap().iter();
        let one = finalists.find(|one| one["control"] == control).unwrap();
        loss(&report, one["name"].as_str().unwrap())
    };
    assert!(finalist(false) <= 4.0, "{}", finalist(false));
    assert!(finalist(true) > finalist(false), "{}", finalist(true));
    let drawn = rounds["control"].as_u64().unwrap();
    assert_eq!(rounds["candidates"], drawn);
    assert!(drawn > 100, "{drawn}");
    let shown = valley.run(&["report"]);
    assert!(
        shown.stdout.contains(&format!(
            "{drawn} candidates were drawn without regard to any result"
        )),
        "{}",
        shown.stdout
    );
}

#[test]
fn a_place_in_a_source_changes_until_it_is_right() {
    let valley = Valley::fixed();
    let report = valley.report(&["run"]);
    let best = report["rounds"]["finalists"][0]["name"].as_str().unwrap();
    assert!(loss(&report, best) <= 2.0, "{report:#}");
    let source = valley.run(&["archive", "--source", best]);
    assert!(source.stdout.contains("pub fn place"), "{}", source.stdout);
    assert!(!source.stdout.contains("let x = 40;"), "{}", source.stdout);
    // It can be taken, though no file of the experiment has it.
    let picked = valley.0.path().join("picked.rs");
    let taken = valley.run(&["pick", "--copy", picked.to_str().unwrap()]);
    assert_eq!(taken.status, 0, "{}", taken.stderr);
    assert_eq!(fs::read_to_string(picked).unwrap(), source.stdout);
}

#[test]
fn a_search_that_was_killed_goes_on_along_the_same_path() {
    let whole = Valley::new();
    let expected = lineage(&whole.report(&["run"]));
    for millis in [400, 1_500, 3_000] {
        let valley = Valley::new();
        let mut child = bakeoff(&["run", valley.dir()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(
            lineage(&valley.report(&["run"])),
            expected,
            "killed after {millis} ms"
        );
    }
}

#[test]
fn more_rounds_and_new_approaches_join_a_search_that_is_over() {
    let valley = Valley::new();
    valley.change("until = \"gates\"", "patience = 1000");
    // 10,000 variants are the most of an experiment.
    valley.change("to = 99, step = 1 }, y", "to = 98, step = 1 }, y");
    let first = valley.report(&["evolve", "--rounds", "2"]);
    assert_eq!(first["rounds"]["count"], 2);
    let more = valley.report(&["evolve", "--more", "1"]);
    assert_eq!(more["rounds"]["count"], 3);
    assert_eq!(
        more["rounds"]["ended"],
        "as many more were made as were asked for"
    );
    let (first, more) = (lineage(&first), lineage(&more));
    assert_eq!(more[..first.len()], first);

    valley.change(
        "[rounds]",
        "[[approach]]\nname = \"fixed\"\nsource = \"fixed.rs\"\n\n[rounds]",
    );
    let joined = valley.report(&["evolve", "--more", "1"]);
    let rows = lineage(&joined);
    assert_eq!(rows[..more.len()], more);
    assert!(
        rows.iter().any(|row| row.starts_with("\"fixed\" ")),
        "{rows:#?}"
    );
    assert!(loss(&joined, "fixed") < 11.0);

    // Another problem is another search; nothing is lost.
    valley.change("max = 2", "max = 3");
    let other = valley.run(&["evolve", "--rounds", "1"]);
    assert!(
        other.stderr.contains("the search begins anew"),
        "{}",
        other.stderr
    );
    assert!(
        other.stderr.contains("was set aside as"),
        "{}",
        other.stderr
    );
}

#[test]
fn case_213_rounds_that_came_with_a_folder_are_set_aside() {
    let valley = Valley::new();
    let forged = valley.record();
    fs::create_dir_all(forged.parent().unwrap()).unwrap();
    fs::write(&forged, format!("{}\n{{}}", "0".repeat(64))).unwrap();
    let output = valley.run(&["evolve", "--rounds", "1"]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    assert!(
        output.stderr.contains("not written by your bakeoff"),
        "{}",
        output.stderr
    );
    // Behind a link nothing is read or written.
    let outside = tempfile::tempdir().unwrap();
    fs::remove_dir_all(valley.0.path().join(".bakeoff/valley/rounds")).unwrap();
    std::os::unix::fs::symlink(
        outside.path(),
        valley.0.path().join(".bakeoff/valley/rounds"),
    )
    .unwrap();
    let output = valley.run(&["evolve", "--rounds", "1"]);
    assert_eq!(output.status, 5, "{}", output.stderr);
    assert!(output.stderr.contains("link"), "{}", output.stderr);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_searched_is_said_before_anything_is_built() {
    let says = |valley: &Valley, words: &[&str], why: &str| {
        let output = valley.run(words);
        assert_eq!(output.status, 2, "{}", output.stderr);
        assert!(output.explains(why), "{why}: {}", output.stderr);
    };
    let valley = Valley::fixed();
    valley.change("propose = [\"mutate\"]", "propose = [\"climb\"]");
    says(&valley, &["run"], "no approach has a `sweep`");
    valley.change("propose = [\"climb\"]", "propose = [\"model\"]");
    says(&valley, &["run"], "is not asked without leave");
    let valley = Valley::new();
    valley.change("gate = { reading = { max = 2 } }", "");
    says(&valley, &["run"], "no criterion has a `gate`");
    // Answers that nobody judges: most of what a search makes is wrong.
    let valley = Valley::new();
    let workload = valley.0.path().join("workload.rs");
    let text = fs::read_to_string(&workload).unwrap();
    let (before, rest) = text.split_once("pub fn check").unwrap();
    let (_, after) = rest.split_once("pub fn assess").unwrap();
    fs::write(&workload, format!("{before}pub fn assess{after}")).unwrap();
    let wit = valley.0.path().join("wit/valley.wit");
    let text = fs::read_to_string(&wit).unwrap();
    let lines = text.lines().filter(|line| !line.contains("check:"));
    fs::write(&wit, lines.collect::<Vec<_>>().join("\n")).unwrap();
    says(&valley, &["run"], "nothing judges their answers");
    let top_k = root().join("examples/top-k");
    let output = run_bakeoff(&["run", top_k.to_str().unwrap(), "--dry-run"]);
    assert_eq!(output.status, 2);
    assert!(
        output.explains("there is nothing to forecast"),
        "{}",
        output.stderr
    );
    assert_eq!(run_bakeoff(&["archive", valley.dir()]).status, 2);
}

#[test]
fn a_forecast_begins_nothing_and_without_rounds_everything_races() {
    let valley = Valley::new();
    let forecast = valley.run(&["evolve", "--dry-run"]);
    assert_eq!(forecast.status, 0, "{}", forecast.stderr);
    for words in [
        "30 rounds of 8 candidates",
        "240 to build and check",
        "up to 500 ms",
        "up to 3 approaches",
    ] {
        assert!(
            forecast.stdout.contains(words),
            "{words}: {}",
            forecast.stdout
        );
    }
    assert!(!valley.0.path().join(".bakeoff").exists());
    valley.change(
        "{ from = 0, to = 99, step = 1 }, y = { from = 0, to = 99, step = 1 }",
        "[36, 37], y = [70, 71]",
    );
    let report = valley.report(&["run", "--no-rounds"]);
    assert!(report["rounds"].is_null());
    assert_eq!(report["variants"].as_array().unwrap().len(), 4);
}

#[test]
fn a_model_is_told_what_was_learnt_and_its_candidates_race() {
    let valley = Valley::fixed();
    valley.change(
        "propose = [\"mutate\"]",
        "propose = [\"model\"]\nwidth = 2\n",
    );
    valley.change("width = 8\n", "");
    valley.change(
        "[rounds]",
        "[generate]\nprovider = \"replay\"\ncassette = \"model.jsonl\"\napproaches = 0\n\n[rounds]",
    );
    let source = |x: i32| format!("pub fn place(_turn: u32) -> (i32, i32) {{ ({x}, 71) }}");
    let reply = |round: u32, place: u32, purpose: &str, change: &str, source: &str| {
        let mut reply = serde_json::json!({ "source": source });
        if purpose == "prototype" {
            reply["change"] = change.into();
        }
        let subject = format!("round {round} candidate {place}");
        serde_json::json!({ "purpose": purpose, "subject": subject, "reply": reply }).to_string()
    };
    let lines = [
        reply(1, 1, "prototype", "a little to the left", &source(39)),
        reply(1, 2, "prototype", "does not compile", "pub fn place("),
        reply(1, 2, "repair", "", &source(41)),
        reply(2, 1, "prototype", "outside", &source(-5)),
        reply(2, 1, "repair", "", &source(-6)),
        reply(2, 1, "repair", "", &source(-7)),
        reply(2, 2, "prototype", "the lowest", &source(37)),
    ];
    fs::write(valley.0.path().join("model.jsonl"), lines.join("\n")).unwrap();
    let report = valley.report(&["run", "--generate"]);
    let rounds = &report["rounds"];
    let told: Vec<(&str, &str)> = rounds["lineage"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["change"].as_str().unwrap(),
                one["outcome"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("", "gated"),
            ("a little to the left", "gated"),
            ("does not compile", "gated"),
            ("outside", "wrong-answer"),
            ("the lowest", "passed"),
        ],
        "{rounds:#}"
    );
    assert!(
        rounds["model"].as_str().unwrap().contains("replay"),
        "{rounds:#}"
    );
    assert_eq!(
        loss(&report, rounds["finalists"][0]["name"].as_str().unwrap()),
        1.0
    );
    // Without leave nobody is asked.
    let output = valley.run(&["run"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
}
