//! Approaches with parameters: each combination of values is a variant, and all are one component.

use crate::finished::FinishedRun;
use crate::support::{bakeoff, root, run_bakeoff, variant, verdict};
use serde_json::Value;
use std::fs;
use std::path::Path;

const EXPERIMENT: &str = "tests/planted/sweep";

fn change(folder: &Path, from: &str, to: &str) {
    let file = folder.join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(&file, text.replace(from, to)).unwrap();
}

fn only_rounds(folder: &Path) {
    let file = folder.join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let (before, rest) = text.split_once("[[approach]]\nname = \"misses\"").unwrap();
    let (_, after) = rest.split_once("[measure]").unwrap();
    fs::write(&file, format!("{before}[measure]{after}")).unwrap();
}

#[test]
fn values_make_variants_of_one_component() {
    let (finished, output) = FinishedRun::of_changed(EXPERIMENT, |_| ());
    assert_eq!(output.status, 3, "{}", output.stderr);
    let report = output.json();
    let none = variant(&report, "rounds-rounds-0");
    let many = variant(&report, "rounds-rounds-40");
    assert_eq!(many["name"], "rounds[rounds=40]");
    assert_eq!(many["parameters"]["rounds"], "40");
    assert_eq!(
        none["readings"]["component-size"],
        many["readings"]["component-size"]
    );
    // They differ, though their components are the same.
    assert_eq!(
        verdict(&report, "rounds-rounds-0", "rounds-rounds-40"),
        "beats"
    );
    let results = finished.results("sweep").join("variants");
    assert!(results.join("rounds-rounds-0/iteration-1").exists());
    assert!(
        !results.join("rounds-rounds-40/iteration-1").exists(),
        "written twice"
    );

    let message = |id: &str| variant(&report, id)["failure"]["message"].to_string();
    let missed = message("misses-rounds-1");
    assert!(missed.contains("there is no parameter `round`"), "{missed}");
    let forgets = message("forgets-rounds-1-spare-2");
    assert!(forgets.contains("never asks for `spare`"), "{forgets}");
    let unswept = message("unswept");
    assert!(
        unswept.contains("only an approach with a `sweep`"),
        "{unswept}"
    );

    // The call that a report names is made again with the same values.
    let file = finished.path("rounds.rs");
    let made = |values: &[&str]| {
        let mut words = vec![
            "check",
            file.to_str().unwrap(),
            "--case",
            "4000",
            "--seed",
            "1",
        ];
        words.extend(values);
        run_bakeoff(&words)
    };
    assert_eq!(made(&["--parameter", "rounds=3"]).status, 0);
    let wrong = made(&["--parameter", "rounds=three"]);
    assert!(
        wrong.stdout.contains("which is not a whole number"),
        "{}",
        wrong.stdout
    );
}

#[test]
fn of_more_variants_than_race_a_screening_chooses_eight() {
    let (finished, output) = FinishedRun::of_changed(EXPERIMENT, |folder| {
        only_rounds(folder);
        change(folder, "[0, 40]", "{ from = 0, to = 69, step = 1 }");
    });
    assert!(output.ended_a_run(), "{}", output.stderr);
    let report = output.json();
    let variants = report["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 70);
    let screened: Vec<&Value> = variants
        .iter()
        .filter(|one| one["status"] == "screened")
        .collect();
    assert_eq!(screened.len(), 62);
    for one in &screened {
        assert_eq!(one["screening"]["chosen"], false, "{one:#}");
        assert!(
            one["rank"].is_null() && one["readings"]["time"].is_null(),
            "{one:#}"
        );
    }
    // Which of two neighbours is quicker is for the times to say; who has half of the rounds is not.
    let mut places = Vec::new();
    for one in variants
        .iter()
        .filter(|one| one["screening"]["chosen"] == true)
    {
        assert!(one["readings"]["time"].is_object(), "{one:#}");
        let rounds: u32 = one["parameters"]["rounds"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        assert!(rounds < 35, "{one:#}");
        places.push(one["screening"]["place"].as_u64().unwrap());
    }
    places.sort_unstable();
    assert_eq!(places, [1, 2, 3, 4, 5, 6, 7, 8]);
    let about = |row: &Value| [row["a"].to_string(), row["b"].to_string()];
    let named: std::collections::BTreeSet<String> = report["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(about)
        .collect();
    assert_eq!(named.len(), 8, "nothing is claimed of the others");

    let folder = finished.dir();
    let text = run_bakeoff(&["report", folder]);
    assert!(
        text.stdout
            .contains("rounds by rounds: the best with each value"),
        "{}",
        text.stdout
    );
    assert!(
        text.stdout.contains("62 variants were screened out"),
        "{}",
        text.stdout
    );
    let again = run_bakeoff(&["verify", folder]);
    assert_eq!(again.status, 0, "{}", again.stdout);
}

#[test]
fn a_component_may_import_the_store_of_values_where_there_is_a_sweep() {
    let (_, output) = FinishedRun::of_changed(EXPERIMENT, |folder| {
        only_rounds(folder);
        let wit = folder.join("wit");
        let built = bakeoff(&["build"])
            .arg(folder.join("rounds.rs"))
            .args(["--call", "total", "--wit"])
            .arg(wit)
            .arg("-o")
            .arg(folder.join("rounds.wasm"))
            .output()
            .unwrap();
        assert!(
            built.status.success(),
            "{}",
            String::from_utf8_lossy(&built.stderr)
        );
        change(
            folder,
            "source = \"rounds.rs\"",
            "component = \"rounds.wasm\"",
        );
        change(
            folder,
            "[measure]",
            "[[approach]]\nname = \"bare\"\ncomponent = \"rounds.wasm\"\n[measure]",
        );
    });
    let report = output.json();
    assert!(
        variant(&report, "rounds-rounds-40")["failure"].is_null(),
        "{report:#}"
    );
    let bare = &variant(&report, "bare")["failure"];
    assert_eq!(bare["class"], "forbidden-import", "{bare:#}");
    let said = bare["message"].as_str().unwrap();
    assert!(said.contains("only an approach with a `sweep`"), "{said}");
    assert!(root().join(EXPERIMENT).exists());
}

/// Many cheap instructions for small numbers, which is fuel; fewer that wait for a division for large ones, which is
/// time.
const FUEL_MISLEADS: &str = "use crate::bakeoff::param;

pub fn total(values: Vec<u64>) -> u64 {
    let number: u64 = param::get(\"number\");
    let mut spent = 0_u64;
    for step in 0..(40_000 - 500 * number) {
        spent = std::hint::black_box(spent ^ step);
    }
    let mut divided = u64::MAX;
    for step in 0..(100 * number) {
        divided = u64::MAX / (divided >> 40 | 1 | step);
    }
    std::hint::black_box((divided, spent));
    values.iter().sum()
}
";

#[test]
fn fuel_that_misleads_does_not_choose_who_races() {
    let (finished, output) = FinishedRun::of_changed(EXPERIMENT, |folder| {
        only_rounds(folder);
        let sweep = "{ number = { from = 1, to = 70, step = 1 } }";
        change(folder, "{ rounds = [0, 40] }", sweep);
        change(folder, "[4_000]", "[100]");
        fs::write(folder.join("rounds.rs"), FUEL_MISLEADS).unwrap();
    });
    assert!(output.status <= 1, "{}", output.stderr);
    let report = output.json();
    let mut raced = Vec::new();
    for variant in report["variants"].as_array().unwrap() {
        let number: u64 = variant["parameters"]["number"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        let screening = &variant["screening"];
        if screening["chosen"] == true {
            raced.push(number);
        }
        // The 64 with the least fuel were timed.
        assert_eq!(
            screening["time_ns"].is_f64(),
            number > 6,
            "{number}: {screening}"
        );
    }
    assert_eq!(raced.len(), 8, "{raced:?}");
    // By fuel these would be 63 to 70, which take several times as long.
    assert!(
        raced.iter().all(|number| (7..30).contains(number)),
        "{raced:?}"
    );
    let verified = run_bakeoff(&["verify", finished.dir(), "--format", "json"]);
    assert_eq!(verified.json()["differ"], 0, "{}", verified.stdout);
}

/// Few instructions, each of which waits for a division.
const SLOW: &str = "use crate::bakeoff::param;

pub fn total(values: Vec<u64>) -> u64 {
    let number: u64 = param::get(\"number\");
    let mut divided = u64::MAX;
    for step in 0..(20_000 + number) {
        divided = u64::MAX / (divided >> 40 | 1 | step);
    }
    std::hint::black_box(divided);
    values.iter().sum()
}
";

/// Much fuel, which counts every byte of a bulk operation, and little time.
const FAST: &str = "pub fn total(values: Vec<u64>) -> u64 {
    let room = vec![1_u8; 400_000];
    std::hint::black_box(room.as_slice());
    values.iter().sum()
}
";

#[test]
fn case_183_sweep_takes_places() {
    let (finished, output) = FinishedRun::of_changed(EXPERIMENT, |folder| {
        only_rounds(folder);
        let sweep = "{ number = { from = 1, to = 70, step = 1 } }";
        change(folder, "{ rounds = [0, 40] }", sweep);
        change(folder, "[4_000]", "[100]");
        let fast = "[[approach]]\nname = \"fast\"\nsource = \"fast.rs\"\n[measure]";
        change(folder, "[measure]", fast);
        // Time for all 64 to be timed, on a busy machine too.
        change(folder, "budget = \"10 s\"", "budget = \"120 s\"");
        fs::write(folder.join("rounds.rs"), SLOW).unwrap();
        fs::write(folder.join("fast.rs"), FAST).unwrap();
    });
    assert_eq!(output.status, 0, "{}", output.stderr);
    let report = output.json();
    assert_eq!(report["recommendation"]["winner"], "fast", "{report:#}");
    let fast = variant(&report, "fast");
    assert_eq!(fast["screening"]["chosen"], true, "{fast:#}");
    let mut untimed = 0;
    for one in report["variants"].as_array().unwrap() {
        let fuel = |one: &Value| one["readings"]["fuel"]["value"].as_f64().unwrap();
        let is_fast = one["id"] == "fast";
        assert!(is_fast || fuel(one) < fuel(fast), "{one:#}");
        if one["screening"]["time_ns"].is_null() {
            untimed += 1;
            assert_eq!(one["status"], "screened", "{one:#}");
            assert!(one["rank"].is_null(), "{one:#}");
            assert_eq!(one["scores"], serde_json::json!({}), "{one:#}");
        }
    }
    // There are 64 places; beside other programs the time may end before all of them were tried.
    assert!((7..40).contains(&untimed), "{untimed}");
    let text = report["recommendation"]["text"].as_str().unwrap();
    let said = format!(
        "Never timed, since by their checks others came first: {untimed} of the 70 of rounds."
    );
    assert!(text.contains(&said), "{text}");
    let verified = run_bakeoff(&["verify", finished.dir(), "--format", "json"]);
    assert_eq!(verified.json()["differ"], 0, "{}", verified.stdout);
}
