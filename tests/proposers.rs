//! Proposers that a user brings: from their file to approaches in the experiment.

use crate::evaluators::{experiment, replaced};
use crate::support::{CommandOutput, root, run_bakeoff};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn generate(dir: &Path, proposer: &str, more: &[&str]) -> CommandOutput {
    let (dir, file) = (dir.to_str().unwrap(), dir.join(proposer));
    let words = [
        "generate",
        dir,
        "--proposer",
        file.to_str().unwrap(),
        "--format",
        "json",
    ];
    run_bakeoff(&[&words, more].concat())
}

fn approaches(output: &CommandOutput) -> Vec<Value> {
    output.json()["approaches"].as_array().unwrap().clone()
}

#[test]
fn a_proposer_that_init_writes_adds_what_passes_and_the_grid_gets_finer_around_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("question");
    let named = dir.to_str().unwrap();
    let first = run_bakeoff(&["init", named, "--proposer", "variations"]);
    assert_eq!(first.status, 0, "{}", first.stderr);
    assert!(first.stdout.contains("--proposer"), "{}", first.stdout);
    let output = generate(&dir, "proposers/variations.rs", &[]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let made = approaches(&output);
    assert_eq!(
        (&made[0]["name"], &made[0]["outcome"]),
        (&"sort-stable".into(), &"passed".into())
    );
    assert!(output.json()["model"].is_null());
    let text = fs::read_to_string(dir.join("approaches/generated-1.rs")).unwrap();
    assert!(text.contains("values.sort();"), "{text}");

    // The grid knows nothing to do before there is a sweep, nor before there are results.
    assert_eq!(
        run_bakeoff(&["init", named, "--proposer", "grid"]).status,
        0
    );
    let none = generate(&dir, "proposers/grid.rs", &[]);
    assert_eq!(none.status, 1);
    assert!(
        none.explains("no approach has a `sweep`"),
        "{}",
        none.stderr
    );
    let file = dir.join("bakeoff.toml");
    let swept = "use crate::bakeoff::param;
pub fn count_distinct(mut values: Vec<u32>) -> u32 {
    for _ in 0..param::get::<u32>(\"waste\") { std::hint::black_box(&mut values).reverse(); }
    values.sort_unstable();
    values.dedup();
    values.len() as u32
}
";
    fs::write(dir.join("approaches/swept.rs"), swept).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replacen(
        "[measure]\nbudget = \"20 s\"",
        "[measure]\nprecision = 0.5\nbudget = \"10 s\"",
        1,
    ) + "\n[[approach]]\nname = \"swept\"\nsource = \"approaches/swept.rs\"\nsweep = { waste = [400, 0, 200] }\n";
    let text = text.replace("sizes = [10_000, 40_000, 160_000]", "sizes = [10_000]");
    fs::write(&file, &text).unwrap();
    let none = generate(&dir, "proposers/grid.rs", &[]);
    assert!(none.explains("there are no results yet"), "{}", none.stderr);
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        text,
        "nothing was written"
    );

    let slot = crate::support::measuring_slot();
    let run = run_bakeoff(&["run", named]);
    drop(slot);
    assert!(run.ended_a_run(), "{}", run.stderr);
    let output = generate(&dir, "proposers/grid.rs", &["--approaches", "2"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let made = approaches(&output);
    assert_eq!(made.len(), 1);
    assert_eq!(
        (&made[0]["name"], &made[0]["attempts"]),
        (&"swept-finer".into(), &1.into())
    );
    let text = fs::read_to_string(&file).unwrap();
    let (_, added) = text.split_once("name = \"swept-finer\"").unwrap();
    // Of 0, 200 and 400 the first is the best, and nothing is below it.
    assert!(added.contains("sweep = { waste = [0, 100] }"), "{added}");
    // The same again is what there is.
    let again = generate(&dir, "proposers/grid.rs", &[]);
    let again = approaches(&again);
    let same = again
        .iter()
        .find(|one| one["name"] == "swept-finer-2")
        .unwrap();
    assert_eq!(same["outcome"], "duplicate", "{same}");
}

const MANY: &str = r#"use crate::bakeoff::{Error, Proposal, SourceFile, Task};
pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
    let right = task.known[0].source().unwrap();
    let slow = right.replace("let mut total = 0;", "let mut total = 0; for i in 0..9_u64 { std::hint::black_box(i); }");
    let mut two = Proposal::new("two", right);
    two.files.push(SourceFile { name: "../../escape.rs".into(), text: String::new() });
    Ok(vec![
        Proposal::new("\u{1b}[2J../../etc/x", &slow).about("\u{202e}A\nB"),
        two,
        Proposal::new("exact", right),
        Proposal::new("same words", right).sweep("../x", ["1"]),
        Proposal::new("broken", "pub fn total("),
        Proposal::new("wrong", "pub fn total(_: Vec<u32>) -> u64 { 0 }"),
        Proposal::new("endless", "pub fn total(_: Vec<u32>) -> u64 { loop {} }"),
        Proposal::new("reads", "pub fn total(_: Vec<u32>) -> u64 { include_str!(\"/etc/passwd\").len() as u64 }"),
        Proposal::new("beyond the count", &slow),
    ])
}
"#;

#[test]
fn case_122_what_a_proposer_returns_is_as_foreign_as_a_prototype() {
    let fault = |act: &str| {
        format!(
            "use crate::bakeoff::{{Error, Proposal, Task}};
#[allow(unreachable_code)]
pub fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {{ let _ = task; {act} }}\n"
        )
    };
    let trap = fault("panic!(\"no idea\")");
    let endless = fault("loop { std::hint::black_box(0); }");
    let flood = fault("Ok(vec![Proposal::new(\"x\", &\"a\".repeat(10_000_000))])");
    let files = [
        ("many.rs", MANY.as_bytes()),
        ("trap.rs", trap.as_bytes()),
        ("endless.rs", endless.as_bytes()),
        ("flood.rs", flood.as_bytes()),
    ];
    let folder = experiment("", &files);
    let dir = folder.path();
    let before = fs::read_to_string(dir.join("bakeoff.toml")).unwrap();
    for (file, why) in [
        ("trap.rs", "no idea"),
        ("endless.rs", "fuel-limit"),
        ("flood.rs", "output-limit"),
    ] {
        let output = generate(dir, file, &[]);
        assert_eq!(output.status, 1, "{file}: {}", output.stderr);
        assert!(
            output.explains("proposes nothing") && output.explains(why),
            "{file}: {}",
            output.stderr
        );
    }
    assert_eq!(
        fs::read_to_string(dir.join("bakeoff.toml")).unwrap(),
        before
    );
    let output = generate(dir, "many.rs", &["--approaches", "8"]);
    assert_eq!(output.status, 3, "{}", output.stderr);
    let made = approaches(&output);
    let of =
        |key: &str| -> Vec<&str> { made.iter().map(|one| one[key].as_str().unwrap()).collect() };
    assert_eq!(
        of("name"),
        [
            "2j-etc-x",
            "two",
            "exact-2",
            "same-words",
            "broken",
            "wrong",
            "endless",
            "reads"
        ]
    );
    assert_eq!(
        of("outcome"),
        [
            "passed",
            "invalid-proposal",
            "duplicate",
            "invalid-proposal",
            "build-failed",
            "wrong-answer",
            "fuel-limit",
            "build-failed"
        ]
    );
    assert!(!output.stdout.contains(['\u{1b}', '\u{202e}']));
    let after = fs::read_to_string(dir.join("bakeoff.toml")).unwrap();
    assert_eq!(after.matches("[[approach]]").count(), 3, "{after}");
    let written: Vec<_> = fs::read_dir(dir.join("approaches")).unwrap().collect();
    assert_eq!(written.len(), 1);
}

#[test]
fn case_124_a_proposer_of_another_version_or_world_is_refused_and_0_1_0_is_taken() {
    let bytes = fs::read(root().join("tests/fixtures/proposer-0.1.0/proposer.wasm")).unwrap();
    let other = replaced(bytes.clone(), "@0.1.0", "@0.7.0");
    let folder = experiment("", &[("proposer.wasm", &bytes), ("other.wasm", &other)]);
    let output = generate(folder.path(), "proposer.wasm", &[]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let made = &approaches(&output)[0];
    let about = "pub fn total(values: Vec<u32>) -> u64 of 3 with 2 cases, 0 outcomes, 2 texts";
    assert_eq!(
        (&made["name"], &made["description"]),
        (&"again".into(), &about.into()),
        "{made}"
    );
    let output = generate(folder.path(), "other.wasm", &[]);
    assert_eq!(output.status, 1);
    assert!(
        output.explains("@0.1.0`: build it against that"),
        "{}",
        output.stderr
    );
    let neither = run_bakeoff(&["generate", folder.path().to_str().unwrap()]);
    assert_eq!(neither.status, 2);
    assert!(neither.stderr.contains("--provider"), "{}", neither.stderr);
}
