//! Templates of an experiment's own for the questions to a model.

use super::example;
use crate::mock_model::Mock;
use crate::support::{CommandOutput, bakeoff, run_bakeoff};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A template for sources, which begins with its own word.
fn template(word: &str) -> String {
    format!(
        "{word} of ours.\n{{{{problem}}}}\n{{{{idea}}}}\n{{{{instructions}}}}\n{{{{rules}}}}\n- {{{{depth}}}}\n"
    )
}

/// Has an idea of the user's own written by a mock, and returns what was asked for it.
fn asked_for(folder: &Path, (mock, address): (&Arc<Mutex<Mock>>, &str)) -> (Value, Vec<String>) {
    let words = [
        "generate",
        folder.to_str().unwrap(),
        "--provider=openai",
        "--model=m",
        "--tokens=1000000",
        "--approaches=0",
        "--idea=pairs=Compare all pairs.",
        "--repairs=0",
        "--format=json",
        "--base-url",
        address,
    ];
    mock.lock().unwrap().left = usize::MAX;
    let output = CommandOutput::from(bakeoff(&words).output().unwrap());
    assert_eq!(output.status, 1, "{}{}", output.stdout, output.stderr);
    let asked = std::mem::take(&mut mock.lock().unwrap().asked);
    (output.json(), asked)
}

#[test]
fn a_question_is_asked_by_the_template_of_the_experiment_and_anew_only_when_it_changes() {
    let folder = example();
    let at = |name: &str| folder.path().join(name);
    let text = fs::read_to_string(at("bakeoff.toml")).unwrap();
    let text = text.replacen(
        "problem = \"",
        "problem = \"Mind {{depth}} and {{rules}}. ",
        1,
    );
    fs::write(
        at("bakeoff.toml"),
        text + "\n[prompts]\nprototype = \"prompts/own.md\"\n",
    )
    .unwrap();
    fs::create_dir(at("prompts")).unwrap();
    fs::write(at("prompts/own.md"), template("FIRST")).unwrap();
    let wrong = json!({"source": "pub fn count_inversions(_: Vec<i32>) -> u64 { 7 }"});
    let (mock, address) = Mock::start(vec![("\npairs:".to_owned(), wrong.to_string())]);
    let api = (&mock, &*address);

    let (made, asked) = asked_for(folder.path(), api);
    assert_eq!(asked.len(), 1, "{asked:#?}");
    // What stands in the problem is told as it is.
    for part in [
        "FIRST of ours.",
        "Mind {{depth}} and {{rules}}.",
        "edition 2024",
        "Write the idea as well as it can be written",
    ] {
        assert!(asked[0].contains(part), "{part}: {}", asked[0]);
    }
    assert!(!asked[0].contains("Write the file."), "{}", asked[0]);
    let used = &made["prompts"][0];
    assert_eq!(used["question"], "prototype");
    assert_eq!(used["file"], "prompts/own.md");
    let shown = run_bakeoff(&["prompts", folder.path().to_str().unwrap(), "--format=json"]);
    let shown = shown.json();
    let mut all = shown.as_array().unwrap().iter();
    let own = all.find(|one| one["question"] == "prototype").unwrap();
    assert_eq!(own["digest"], used["digest"]);
    assert_eq!(own["text"], template("FIRST").trim_end());

    // The same question again is answered from the record; by another template it is another one.
    let (_, again) = asked_for(folder.path(), api);
    assert_eq!(again, Vec::<String>::new());
    fs::write(at("prompts/own.md"), template("SECOND")).unwrap();
    let (made, other) = asked_for(folder.path(), api);
    assert!(other[0].contains("SECOND of ours."), "{other:#?}");
    assert_ne!(made["prompts"][0]["digest"], used["digest"]);
}

#[test]
fn templates_that_are_written_to_files_ask_what_those_that_are_built_in_ask() {
    let folder = example();
    let dir = folder.path().to_str().unwrap();
    let to = folder.path().join("prompts");
    let written = run_bakeoff(&["prompts", "--out", to.to_str().unwrap()]);
    assert_eq!(written.status, 0, "{}", written.stderr);
    let (_, table) = written.stdout.split_once("[prompts]").unwrap();
    let wrong = json!({"source": "pub fn count_inversions(_: Vec<i32>) -> u64 { 7 }"});
    let (mock, address) = Mock::start(vec![("\npairs:".to_owned(), wrong.to_string())]);
    let (_, built_in) = asked_for(folder.path(), (&mock, &address));
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\n[prompts]{table}")).unwrap();
    let (_, own) = asked_for(folder.path(), (&mock, &address));
    assert_eq!(built_in.len(), 1);
    // The question is the same, so the record answers it.
    assert_eq!(own, Vec::<String>::new());

    // Nothing is written over what is there.
    let again = run_bakeoff(&["prompts", "--out", to.to_str().unwrap()]);
    assert_eq!(again.status, 2, "{}", again.stderr);
    let one = run_bakeoff(&["prompts", dir, "--kind", "repair"]);
    assert!(one.stdout.contains("{{fault}}"), "{}", one.stdout);
    let none = run_bakeoff(&["prompts", "--kind", "judge"]);
    assert_eq!(none.status, 2, "{}", none.stdout);
    assert!(none.stderr.contains("combine"), "{}", none.stderr);
}
