//! Rounds of a search, and the race that confirms what they found.

mod asked;
mod cells;
mod fuel;
mod places;

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
    let ended = rounds["ended"].as_str().unwrap();
    assert!(ended.ends_with("passes every gate"), "{rounds:#}");
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
    // The page lets each step to the best be opened, with what it changed.
    let page = valley.run(&["report", "--format", "html"]).stdout;
    let changed = rounds["differences"].as_array().unwrap();
    let own = changed.iter().find(|one| one["candidate"] == best).unwrap();
    let value = &own["values"][0];
    let value = ["name", "before", "after"].map(|key| value[key].as_str().unwrap());
    for words in [
        &format!("<h2>The way to {best}</h2>"),
        &format!("<p>{}: {} → {}</p>", value[0], value[1], value[2]),
        "<p>It became the best in round ",
        " That steered the search, and claims nothing.</p>",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let state = valley.run(&["status"]);
    for words in ["rounds over, ", "best so far: walker ", "loss "] {
        assert!(state.stdout.contains(words), "{words}: {}", state.stdout);
    }
    let known = valley.run(&["archive", "--format", "json"]).json();
    assert_eq!(known["search"]["best"], best);
    assert_eq!(known["candidates"], rounds["lineage"]);
    assert_eq!(
        rounds["took"].as_array().unwrap().len() as u64,
        rounds["count"].as_u64().unwrap() + 1
    );
    let charts = valley.0.path().join(".bakeoff/valley/charts");
    for name in ["search.svg", "search-time.svg"] {
        let drawn = fs::read_to_string(charts.join(name)).unwrap();
        assert!(drawn.contains("Best so far, by "), "{drawn}");
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
fn a_search_goes_through_more_combinations_than_can_race() {
    let valley = Valley::new();
    let wide = "x = { from = 0, to = 9_999, step = 1 }, y = { from = 0, to = 9_999, step = 1 }";
    valley.change(
        "x = { from = 0, to = 99, step = 1 }, y = { from = 0, to = 99, step = 1 }",
        wide,
    );
    let workload = valley.0.path().join("workload.rs");
    let text = fs::read_to_string(&workload).unwrap();
    fs::write(&workload, text.replace("(0..100)", "(0..10_000)")).unwrap();
    let report = valley.report(&["run"]);
    let rounds = &report["rounds"];
    let ended = rounds["ended"].as_str().unwrap();
    assert!(ended.ends_with("passes every gate"), "{rounds:#}");
    let output = valley.run(&["run", "--no-rounds"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    for words in ["100000000 variants", "[rounds]"] {
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
    // Without rounds in the file it is refused where it stands.
    let (head, tail) = valley
        .text()
        .split_once("[rounds]")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .unwrap();
    let (_, tail) = tail.split_once("[measure]").unwrap();
    fs::write(valley.file(), format!("{head}[measure]{tail}")).unwrap();
    let output = valley.run(&["run"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("add [rounds]"), "{}", output.stderr);
}

#[test]
fn the_backtest_is_refined_until_it_earns_what_no_first_variant_earns() {
    let folder = tempfile::tempdir().unwrap();
    copy_experiment(&root().join("examples/backtest"), folder.path());
    let file = folder.path().join("refine.toml");
    let words = ["evolve", file.to_str().unwrap(), "--format", "json"];
    let output = run_bakeoff(&[&words[..], &["--budget", "10s", "--rounds", "4"]].concat());
    assert!(output.ended_a_run(), "{}", output.stderr);
    let report = output.json();
    let first = &report["variants"][0];
    let sharpe = |one: &Value| one["readings"]["assess:sharpe"]["value"].as_f64().unwrap();
    assert_eq!(first["status"], "ranked", "{first:#}");
    assert!(sharpe(first) >= 0.8, "{first:#}");
    let variants = report["variants"].as_array().unwrap().iter();
    let begun = variants.filter(|one| one["approach"] == "momentum" || one["approach"] == "tuned");
    for one in begun {
        assert_eq!(one["status"], "eliminated", "{one:#}");
    }
    let tried = report["rounds"]["candidates"].as_u64().unwrap();
    assert!(tried < 108, "{tried} of 1,080");
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

    // Stopped and begun again, as many more are made as were asked for, and not more.
    let mut child = bakeoff(&["evolve", valley.dir(), "--more", "8"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let over = || {
        let known = valley.run(&["archive", "--format", "json"]).json();
        known["search"]["rounds"].as_u64().unwrap()
    };
    while over() < 4 {
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(child.try_wait().unwrap(), None);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let rest = valley.report(&["evolve", "--more", "8"]);
    assert_eq!(rest["rounds"]["count"], 11);
    let more = lineage(&rest);

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
    says(&valley, &["run"], "there is no [generate] that says which");
    says(&valley, &["run", "--dry-run"], "there is no [generate]");
    valley.change("propose = [\"model\"]", "mix = [\"new\"]");
    says(&valley, &["run"], "`propose` does not name \"model\"");
    let valley = Valley::new();
    valley.change("gate = { reading = { max = 2 } }", "");
    says(&valley, &["run"], "no criterion has a `gate`");
    says(&valley, &["run", "--dry-run"], "no criterion has a `gate`");
    valley.change("until = \"gates\"", "select = \"passing\"");
    says(&valley, &["run"], "no criterion has a `gate`");
    valley.change("select = \"passing\"", "propose = [\"mutate\"]");
    says(&valley, &["run"], "every approach has a `sweep`");
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
fn a_round_that_found_nothing_is_followed_by_a_wider_one_that_begins_anew() {
    let valley = Valley::new();
    valley.change(
        "count = 30\nwidth = 8",
        "count = 4\nwidth = \"adaptive\"\nafter_failure = \"new\"\npropose = [\"evolve\"]\npatience = 4",
    );
    let report = valley.report(&["evolve"]);
    let rows = report["rounds"]["lineage"].as_array().unwrap();
    let mut without_new = 0;
    for round in 1..=4 {
        let own: Vec<&Value> = rows.iter().filter(|one| one["round"] == round).collect();
        let ways: Vec<&str> = own.iter().map(|one| one["by"].as_str().unwrap()).collect();
        let wanted = if without_new == 0 { "evolve" } else { "draw" };
        assert!(ways.iter().all(|way| *way == wanted), "{round}: {ways:?}");
        assert_eq!(own.len(), (4 << without_new).min(32), "{round}: {ways:?}");
        // The one that was the best when the round was over may be one of it, or an earlier one that came back.
        let found = own.iter().any(|one| one["best"] == true);
        without_new = if found { 0 } else { without_new + 1 };
    }
}

#[test]
fn all_of_a_round_are_timed_where_each_gets_as_much() {
    let valley = Valley::new();
    valley.change(
        "count = 30\nwidth = 8",
        "count = 1\nwidth = 12\nallocate = \"equal\"",
    );
    valley.change("budget = \"500 ms\"", "budget = \"60 s\"");
    let text = valley.text() + "\n[[criterion]]\nname = \"speed\"\nweight = 0.1\nfrom = \"time\"\n";
    fs::write(valley.file(), text).unwrap();
    let report = valley.report(&["evolve"]);
    let rows = report["rounds"]["lineage"].as_array().unwrap();
    let timed = rows.iter().filter(|one| one["ratio"].is_number()).count();
    assert_eq!((rows.len(), timed), (13, 13), "{}", report["rounds"]);
}
