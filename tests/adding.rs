//! `bakeoff add` and `bakeoff withdraw`: approaches of an experiment, without an editor.

use crate::support::{root, run_bakeoff};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// What is written anew, so that the rest of the file is seen to stay.
const FILE: &str = "name = \"x\" # mine\nproblem = '''\n[[approach]]\n'''\n\n[interface]\nwit = \"wit\"\ncall = \"count-inversions\"\n\n\
    [workload]\nsource = \"workload.rs\"\nsizes = [ 100,200 ]\n\n# the plain one\n[[approach]]\nname = \"all pairs\"\n\
    source = \"approaches/all_pairs.rs\"\n";

fn example() -> TempDir {
    let folder = TempDir::new().unwrap();
    let from = root().join("examples/inversions");
    for name in [
        "workload.rs",
        "wit/inversions.wit",
        "approaches/all_pairs.rs",
    ] {
        let to = folder.path().join("x").join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from.join(name), to).unwrap();
    }
    fs::write(folder.path().join("x/bakeoff.toml"), FILE).unwrap();
    folder
}

fn on(dir: &Path, command: &str, more: &[&str]) -> crate::support::CommandOutput {
    run_bakeoff(&[&[command, dir.to_str().unwrap()], more].concat())
}

#[test]
fn files_become_approaches_and_go_again_and_the_rest_of_the_file_stays() {
    let folder = example();
    let dir = &folder.path().join("x");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let text = || fs::read_to_string(dir.join("bakeoff.toml")).unwrap();
    fs::write(at("heap.rs"), "heap").unwrap();
    fs::write(at("all_pairs.rs"), "another").unwrap();
    fs::write(at("x/approaches/own.rs"), "own").unwrap();
    let added = on(
        dir,
        "add",
        &[&at("heap.rs"), "--name=Heap", "--description=Keep \"it\"."],
    );
    assert_eq!(added.status, 0, "{}", added.stderr);
    assert!(
        added.stdout.contains("Heap: approaches/heap.rs"),
        "{}",
        added.stdout
    );
    // One of two has the name of a file that is there, the other lies where approaches are.
    let more = [
        &*at("all_pairs.rs"),
        &at("x/approaches/own.rs"),
        "--format=json",
    ];
    let added = on(dir, "add", &more);
    assert_eq!(added.status, 2, "{}", added.stdout);
    assert!(
        added.explains("there is an approach all pairs already"),
        "{}",
        added.stderr
    );
    let added = on(
        dir,
        "add",
        &[&at("all_pairs.rs"), "--name=other", "--format=json"],
    )
    .json();
    assert_eq!(added["added"][0]["file"], "approaches/all_pairs-2.rs");
    let added = on(dir, "add", &[&at("x/approaches/own.rs"), "--format=json"]).json();
    assert_eq!(added["added"][0]["file"], "approaches/own.rs");
    assert!(text().starts_with(FILE), "{}", text());
    assert!(
        text().contains("description = 'Keep \"it\".'\nsource = \"approaches/heap.rs\""),
        "{}",
        text()
    );
    assert_eq!(
        fs::read_to_string(dir.join("approaches/all_pairs-2.rs")).unwrap(),
        "another"
    );

    for name in ["Heap", "other", "own"] {
        let gone = on(dir, "withdraw", &[name]);
        assert_eq!(gone.status, 0, "{}", gone.stderr);
        assert!(gone.stdout.contains("stays"), "{}", gone.stdout);
    }
    assert_eq!(text().trim_end(), FILE.trim_end());
    assert!(dir.join("approaches/heap.rs").exists());
}

#[test]
fn duplicates_and_what_is_no_approach_are_refused_and_nothing_is_written() {
    let folder = example();
    let dir = &folder.path().join("x");
    let at = |name: &str| folder.path().join(name).display().to_string();
    fs::copy(dir.join("approaches/all_pairs.rs"), at("same.rs")).unwrap();
    fs::write(at("new.rs"), "new").unwrap();
    fs::write(at("ALL-pairs.rs"), "other").unwrap();
    fs::write(at("notes.txt"), "").unwrap();
    fs::write(at("bytes.rs"), [0xff]).unwrap();
    for (files, why) in [
        (
            &["same.rs"][..],
            "the approach all pairs has the same content",
        ),
        (&["ALL-pairs.rs"], "there is an approach all pairs already"),
        (&["new.rs", "same.rs"], "has the same content"),
        (&["new.rs", "new.rs"], "there is an approach new already"),
        (&["notes.txt"], "notes.txt is no source in Rust (.rs)"),
        (&["bytes.rs"], "no text in UTF-8"),
        (&["none.rs"], "cannot add"),
    ] {
        let files: Vec<String> = files.iter().map(|name| at(name)).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let refused = on(dir, "add", &files);
        assert_eq!(refused.status, 2, "{files:?}: {}", refused.stdout);
        assert!(refused.explains(why), "{files:?}: {}", refused.stderr);
    }
    for (file, why) in [
        (
            &*at("notes.txt"),
            "a program is named in bakeoff.toml by `command`",
        ),
        (
            "oci://ghcr.io/team/heap:1",
            "a component in a registry is named in bakeoff.toml by `component`",
        ),
    ] {
        let refused = on(dir, "add", &[file]);
        assert_eq!(refused.status, 2, "{file}: {}", refused.stdout);
        assert!(refused.explains(why), "{file}: {}", refused.stderr);
    }
    let two = on(
        dir,
        "add",
        &[&at("new.rs"), &at("ALL-pairs.rs"), "--name=a"],
    );
    assert!(two.explains("one after the other"), "{}", two.stderr);
    for (name, why) in [("none", "there are all pairs"), ("all pairs", "approach")] {
        let refused = on(dir, "withdraw", &[name]);
        assert_eq!(refused.status, 2, "{}", refused.stdout);
        assert!(refused.explains(why), "{}", refused.stderr);
    }
    assert_eq!(fs::read_to_string(dir.join("bakeoff.toml")).unwrap(), FILE);
    assert_eq!(fs::read_dir(dir.join("approaches")).unwrap().count(), 1);
}

#[test]
fn what_is_kept_of_the_others_stays_where_one_is_added() {
    let folder = example();
    let dir = &folder.path().join("x");
    let run = |dir: &Path| -> Value {
        let output = on(dir, "run", &["--seed=7", "--budget=200ms", "--format=json"]);
        assert!(output.ended_a_run(), "{}", output.stderr);
        output.json()
    };
    // By their names: both do the same, and either may be shown first.
    let names = |report: &Value| -> Vec<String> {
        let variants = report["variants"].as_array().unwrap().iter();
        let mut names: Vec<String> = variants
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    };
    let code = fs::read_to_string(dir.join("approaches/all_pairs.rs")).unwrap();
    let new = folder.path().join("second.rs");
    fs::write(&new, format!("// the same, in other words\n{code}")).unwrap();
    assert_eq!(on(dir, "add", &[new.to_str().unwrap()]).status, 0);
    assert_eq!(names(&run(dir)), ["all pairs", "second"]);
    assert_eq!(on(dir, "withdraw", &["second"]).status, 0);
    assert_eq!(names(&run(dir)), ["all pairs"]);
    let kept = dir.join("approaches/second.rs");
    assert_eq!(on(dir, "add", &[kept.to_str().unwrap()]).status, 0);
    let output = on(dir, "run", &["--seed=7", "--budget=200ms", "--format=json"]);
    assert_eq!(names(&output.json()), ["all pairs", "second"]);
    assert!(
        output.stderr.contains("reused 2 checks"),
        "{}",
        output.stderr
    );
}

#[test]
fn an_idea_becomes_an_approach_that_a_model_is_to_write() {
    let folder = example();
    let dir = &folder.path().join("x");
    let text = || fs::read_to_string(dir.join("bakeoff.toml")).unwrap();
    let before = text();
    let idea = "--idea=radix=Count by \"digits\".";
    let added = on(dir, "add", &[idea, "--format=json"]);
    assert_eq!(added.status, 0, "{}", added.stderr);
    assert_eq!(
        added.json(),
        serde_json::json!({"added": [{"name": "radix", "file": null}]})
    );
    assert!(text().starts_with(before.trim_end()), "{}", text());
    let loaded = bakeoff_config::load(dir).unwrap();
    assert_eq!(loaded.wished.len(), 1);
    assert_eq!(loaded.wished[0].name, "radix");
    // A run says of it what is to be done, and measures the rest.
    let said = on(dir, "add", &["--idea=merge=Sort and count."]);
    assert!(
        said.stdout.contains("merge: to be written"),
        "{}",
        said.stdout
    );
    assert!(said.stdout.contains("--generate"), "{}", said.stdout);
    // No two names read alike, and an idea says something.
    let kept = text();
    for (idea, why) in [
        ("--idea=Radix=Again.", "there is an approach radix already"),
        (
            "--idea=ALL pairs=Again.",
            "there is an approach all pairs already",
        ),
        ("--idea=empty", "it says nothing of the idea"),
    ] {
        let refused = on(dir, "add", &[idea]);
        assert_eq!(refused.status, 2, "{idea}");
        assert!(refused.explains(why), "{}", refused.stderr);
    }
    assert_eq!(on(dir, "add", &[]).status, 2);
    assert_eq!(text(), kept);
}
