//! Rounds whose candidates others are asked for: a model, or a proposer.

use super::{Valley, loss};
use crate::finished::copy_experiment;
use crate::support::{root, run_bakeoff};
use std::fs;

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
    let wishes: Vec<&str> = rounds["lineage"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["wish"].as_str())
        .collect();
    assert_eq!(wishes, ["improve", "improve", "improve", "combine"]);
    let page = valley.run(&["report", "--format", "html"]).stdout;
    let made = "by model, asked for the best of two in one, from fixed";
    assert!(page.contains(made), "{page}");
    assert!(
        rounds["model"].as_str().unwrap().contains("replay"),
        "{rounds:#}"
    );
    assert_eq!(
        loss(&report, rounds["finalists"][0]["name"].as_str().unwrap()),
        1.0
    );
    // Not even with leave is a round begun that is only forecast.
    let over = fs::read(valley.record()).unwrap();
    let forecast = valley.run(&["evolve", "--more", "1", "--generate", "--dry-run"]);
    assert_eq!(forecast.status, 0, "{}", forecast.stderr);
    assert!(
        forecast.stdout.contains("nothing was begun"),
        "{}",
        forecast.stdout
    );
    assert_eq!(fs::read(valley.record()).unwrap(), over);
    let forecast = valley.run(&["run", "--dry-run"]);
    let words = "a model writes up to 56 of them, with up to 2 repairs each: 168 questions at most; one whose reply is not";
    assert!(forecast.stdout.contains(words), "{}", forecast.stdout);
    // Without leave nobody is asked.
    let output = valley.run(&["run"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
}

/// A reply to the question for a candidate, in a cassette.
fn improvement(subject: &str, change: &str, (x, y): (i32, i32)) -> String {
    let source = format!("pub fn place(_turn: u32) -> (i32, i32) {{ ({x}, {y}) }}");
    let reply = serde_json::json!({ "change": change, "source": source });
    serde_json::json!({ "purpose": "prototype", "subject": subject, "reply": reply }).to_string()
}

#[test]
fn first_tries_of_a_model_are_what_its_rounds_are_held_against() {
    let valley = Valley::fixed();
    valley.change(
        "propose = [\"mutate\"]",
        "propose = [\"model\"]\nwidth = 1\ncontrol = true\nselect = \"passing\"\n",
    );
    valley.change("width = 8\n", "");
    valley.change("count = 30", "count = 2");
    valley.change(
        "[rounds]",
        "[generate]\nprovider = \"replay\"\ncassette = \"model.jsonl\"\napproaches = 0\n\n[rounds]",
    );
    let lines = [
        improvement("round 1 candidate 1", "nearer", (39, 71)),
        improvement("round 1 first try 1", "anywhere", (38, 72)),
        improvement("round 2 candidate 1", "nearer still", (38, 71)),
        improvement("round 2 first try 1", "elsewhere", (90, 2)),
    ];
    fs::write(valley.0.path().join("model.jsonl"), lines.join("\n")).unwrap();
    let report = valley.report(&["run", "--generate"]);
    let rounds = &report["rounds"];
    let rows = rounds["lineage"].as_array().unwrap().iter();
    let told: Vec<String> = rows
        .map(|one| format!("{} {} {}", one["name"], one["parent"], one["control"]))
        .collect();
    assert_eq!(
        told,
        [
            "\"fixed\" \"\" null",
            "\"fixed 1.1\" \"fixed\" null",
            "\"fixed 1.2\" \"fixed\" true",
            "\"fixed 2.1\" \"fixed 1.1\" null",
            "\"fixed 2.2\" \"fixed\" true",
        ],
        "{rounds:#}"
    );
    // Of the candidates those race that pass the gate, and of the first tries the best.
    let finalists = rounds["finalists"].as_array().unwrap().iter();
    let names: Vec<&str> = finalists.map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["fixed 2.1", "fixed 1.2"], "{rounds:#}");
}

#[test]
fn a_round_that_is_asked_for_ahead_is_told_what_was_known_before() {
    let valley = Valley::fixed();
    valley.change(
        "propose = [\"mutate\"]",
        "propose = [\"model\"]\nwidth = 1\nahead = true\n",
    );
    valley.change("width = 8\n", "");
    valley.change("count = 30", "count = 3");
    valley.change("until = \"gates\"", "until = \"count\"");
    valley.change(
        "[rounds]",
        "[generate]\nprovider = \"replay\"\ncassette = \"model.jsonl\"\napproaches = 0\n\n[rounds]",
    );
    let lines = [
        improvement("round 1 candidate 1", "nearer", (39, 71)),
        improvement("round 2 candidate 1", "nearer still", (38, 71)),
        improvement("round 3 candidate 1", "the lowest", (37, 71)),
    ];
    fs::write(valley.0.path().join("model.jsonl"), lines.join("\n")).unwrap();
    let report = valley.report(&["run", "--generate"]);
    let rounds = &report["rounds"];
    let rows = rounds["lineage"].as_array().unwrap().iter();
    let told: Vec<String> = rows
        .map(|one| format!("{} of {}", one["name"], one["parent"]))
        .collect();
    // The second round was asked for before the first was looked at, and the third before the second was.
    assert_eq!(
        told,
        [
            "\"fixed\" of \"\"",
            "\"fixed 1.1\" of \"fixed\"",
            "\"fixed 2.1\" of \"fixed\"",
            "\"fixed 3.1\" of \"fixed 1.1\"",
        ],
        "{rounds:#}"
    );
    assert_eq!(rounds["cost"]["calls"], 3);
    assert_eq!(rounds["cost"]["usd"], 0.0);
    // What an earlier session paid for counts once.
    fs::remove_dir_all(valley.0.path().join(".bakeoff")).unwrap();
    let first = valley.report(&["run", "--generate", "--rounds", "2"]);
    assert_eq!(first["rounds"]["cost"]["calls"], 2);
    let more = valley.report(&["run", "--generate", "--rounds", "3"]);
    assert_eq!(more["rounds"]["cost"]["calls"], 3);
}

#[test]
fn the_example_with_replies_says_what_its_first_tries_came_to() {
    let folder = tempfile::tempdir().unwrap();
    copy_experiment(&root().join("examples/inversions"), folder.path());
    let file = folder.path().join("rounds.toml");
    let words = [
        "run",
        file.to_str().unwrap(),
        "--generate",
        "--budget",
        "2s",
    ];
    let output = run_bakeoff(&words);
    assert!(output.ended_a_run(), "{}", output.stderr);
    for words in [
        "3 rounds made 6 candidates",
        "Beside the search, 6 first tries were made, told nothing of it.",
        ", the best first try: ",
        "is merging with: ",
    ] {
        assert!(output.stdout.contains(words), "{words}: {}", output.stdout);
    }
    assert!(!output.stdout.contains("1 failed"), "{}", output.stdout);
}

/// Of two well-known problems the rounds end with something that nobody tried first. How much faster that is, no test says.
#[test]
fn the_examples_of_known_problems_replay_and_find_what_no_first_try_is() {
    let bits = [
        "a column as bits, all of its rows at once",
        "bits for the bytes that there are, without the common ends",
    ];
    let parts = [
        "blocks with maxima from both ends",
        "parts that double, in place",
        "parts that double, from one list to another, by vectors",
    ];
    for (name, found) in [
        ("edit-distance", &bits[..]),
        ("sliding-maximum", &parts[..]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        copy_experiment(&root().join("examples").join(name), folder.path());
        let file = folder.path().join("rounds.toml");
        let words = [
            "run",
            file.to_str().unwrap(),
            "--generate",
            "--budget=2s",
            "--format=json",
        ];
        let output = run_bakeoff(&words);
        assert!(output.ended_a_run(), "{name}: {}", output.stderr);
        let report = output.json();
        let rounds = &report["rounds"];
        let of = |key: &str| rounds[key].as_u64().unwrap();
        assert_eq!(
            (of("count"), of("candidates"), of("control")),
            (3, 6, 6),
            "{rounds:#}"
        );
        // Of the second round one is repaired, and nothing fails in the end.
        assert_eq!(
            (of("failed"), &rounds["cost"]["calls"]),
            (0, &13.into()),
            "{rounds:#}"
        );
        let lineage = rounds["lineage"].as_array().unwrap().iter();
        let best = &rounds["finalists"][0]["name"];
        let best = lineage.clone().find(|one| one["name"] == *best).unwrap();
        assert!(
            found.contains(&best["change"].as_str().unwrap()),
            "{rounds:#}"
        );
        let first = lineage.filter(|one| one["control"] == true);
        assert!(
            first
                .clone()
                .all(|one| one["outcome"] == "passed" || one["outcome"] == "same")
        );
        assert_eq!(first.count(), 6);
    }
}

#[test]
fn case_214_what_a_proposer_names_in_a_round_is_as_foreign_as_a_prototype() {
    let head = "use crate::bakeoff::{Error, Proposal, SourceFile, Task};\n\n\
        pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {\n\
        let own = task.known[0].source().unwrap_or_default().to_owned();\n";
    let cases = [
        // Endless work, and memory without end.
        (
            "loop { std::hint::black_box(&own); }",
            "the proposer names nothing",
        ),
        (
            "let mut all = vec![own]; loop { let last = all[0].clone() + &all[0]; all = vec![last]; }",
            "the proposer names nothing",
        ),
        // No prototype.
        (
            "let mut one = Proposal::new(\"two\", &own); one.files.push(SourceFile { name: \"b.rs\".into(), text: own });\n\
             Ok(vec![one])",
            "a prototype is one Rust file",
        ),
        (
            "Ok(vec![Proposal::new(\"../x\", &own).sweep(\"../x\", [\"1\"])])",
            "a parameter has a name of up to",
        ),
        (
            "let many: Vec<String> = (0..3_000).map(|one| one.to_string()).collect();\n\
             Ok(vec![Proposal::new(\"many\", &own).sweep(\"x\", many.clone()).sweep(\"y\", many)])",
            "variants, more than",
        ),
        (
            "let many: Vec<String> = (0..3_000).map(|one| one.to_string()).collect();\n\
             let many = Proposal::new(\"many\", &own).sweep(\"x\", many.clone()).sweep(\"y\", many);\n\
             Ok(vec![many, Proposal::new(\"other\", &(own + \"// other\"))])",
            "round 1: 1 tried",
        ),
        // One that cannot be tried beside one that can.
        (
            "Ok(vec![Proposal::new(\"empty\", \"\"), Proposal::new(\"other\", &(own + \"// other\"))])",
            "round 1: 1 tried",
        ),
        // A program that does not compile, called by what would clear a screen.
        (
            "Ok(vec![Proposal::new(\"\\u{1b}[2J</script>\", \"pub fn place(\")])",
            "1 failed",
        ),
    ];
    for (body, why) in cases {
        let valley = Valley::new();
        fs::write(
            valley.0.path().join("foreign.rs"),
            format!("{head}{body}\n}}\n"),
        )
        .unwrap();
        valley.change(
            "count = 30\nwidth = 8\n",
            "count = 2\nwidth = 3\npropose = [\"component\"]\nproposer = \"foreign.rs\"\n",
        );
        let output = valley.run(&["run"]);
        assert!(output.ended_a_run(), "{body}: {}", output.stderr);
        assert!(output.stderr.contains(why), "{body}: {}", output.stderr);
        let all = format!("{}{}", output.stdout, output.stderr);
        assert!(!all.contains('\u{1b}'), "{body}: {all:?}");
        let page = valley.0.path().join(".bakeoff/valley/report.html");
        let page = fs::read_to_string(page).unwrap();
        assert!(!page.contains("2J</script>"), "{body}");
        assert!(
            output.stdout.contains("walker"),
            "{body}: {}",
            output.stdout
        );
    }
}

/// A proposer that moves to the neighbours of the best point so far, and further the fewer results there are.
const NEIGHBOURS: &str = r#"
use crate::bakeoff::{Error, Proposal, Task};

pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
    let walker = task.known.iter().find(|one| one.name == "walker");
    let walker = walker.and_then(|one| one.source()).ok_or(Error::Other("no walker".into()))?;
    let best = task.outcomes.iter().filter(|one| one.approach == "walker" && one.rank.is_some());
    let best = best.min_by_key(|one| one.rank).ok_or(Error::NothingToPropose("no results".into()))?;
    let loss = best.readings.iter().find(|one| one.source == "assess:loss");
    let loss = loss.ok_or(Error::Other("no loss".into()))?.value;
    let at = |name: &str| best.parameter(name).and_then(|value| value.parse::<i64>().ok()).unwrap_or(0);
    let step = (loss.sqrt() / 2.0).ceil() as i64;
    let near = |value: i64| [value - step, value, value + step].map(|one| one.clamp(0, 99).to_string());
    let different = |value: i64| {
        let mut all = near(value).to_vec();
        all.dedup();
        all
    };
    let proposal = Proposal::new("near", walker).about(format!("within {step}"));
    Ok(vec![proposal.sweep("x", different(at("x"))).sweep("y", different(at("y")))])
}
"#;

#[test]
fn a_search_ends_with_the_reason_of_those_that_named_nothing_new() {
    let propose = |body: &str| {
        let valley = Valley::new();
        let text = format!(
            "use crate::bakeoff::{{Error, Proposal, Task}};\n\npub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {{\n\
             let own = task.known[0].source().unwrap_or_default().to_owned();\n{body}\n}}\n"
        );
        fs::write(valley.0.path().join("same.rs"), text).unwrap();
        valley.change(
            "width = 8\n",
            "width = 2\npropose = [\"component\"]\nproposer = \"same.rs\"\n",
        );
        let report = valley.report(&["run"]);
        report["rounds"]["ended"].as_str().unwrap().to_owned()
    };
    let known = propose("Ok(vec![Proposal::new(\"same\", &(own + \"// other\"))])");
    assert_eq!(known, "all that was named for it had been tried before");
    let asking = propose("let _ = own; Err(Error::NothingToPropose(\"enough\".into()))");
    assert_eq!(
        asking,
        "the proposer names nothing (the proposer says: enough)"
    );
}

#[test]
fn a_proposer_is_told_what_was_learnt_and_its_candidates_race() {
    let valley = Valley::new();
    fs::write(valley.0.path().join("near.rs"), NEIGHBOURS).unwrap();
    valley.change(
        "width = 8\n",
        "width = 9\npropose = [\"component\"]\nproposer = \"near.rs\"\n",
    );
    let report = valley.report(&["run"]);
    let rounds = &report["rounds"];
    let ended = rounds["ended"].as_str().unwrap();
    assert!(ended.ends_with("passes every gate"), "{rounds:#}");
    let best = rounds["finalists"][0]["name"].as_str().unwrap();
    assert!(loss(&report, best) <= 2.0, "{rounds:#}");
    let mut made = rounds["lineage"].as_array().unwrap().iter().skip(1);
    assert!(made.all(|one| one["by"] == "component"), "{rounds:#}");
    assert!(rounds["candidates"].as_u64().unwrap() > 20, "{rounds:#}");

    // Another proposer is another search, and one that cannot be built is named before anything is.
    fs::write(valley.0.path().join("near.rs"), "pub fn propose() {}").unwrap();
    let output = valley.run(&["run"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    for words in ["the proposer near.rs cannot be asked", "near.rs:1"] {
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
}
