//! Cargo projects that depend on the guest SDK: from the page that tells of them to an evaluator in the matrix.

use super::{criterion, experiment, reading, run};
use crate::support::{root, run_bakeoff};
use std::fs;
use std::path::Path;
use std::process::Command;

const AGGREGATOR: &str = r#"#![forbid(unsafe_code)]
use bakeoff_guest::aggregator::{Aggregator, Error, Section};
use bakeoff_guest::json::Json;

struct Field;

impl Aggregator for Field {
    fn aggregate(report: &str) -> Result<Vec<Section>, Error> {
        let count = Json::parse(report)?.key("variants").items().len();
        Ok(vec![Section::new("Size of the field").paragraph(format!("{count} variants"))])
    }
}

bakeoff_guest::export_aggregator!(Field);
"#;

const PROPOSER: &str = r#"#![forbid(unsafe_code)]
use bakeoff_guest::proposer::{Error, Proposal, Proposer, Task};

struct Folded;

impl Proposer for Folded {
    fn propose(task: &Task) -> Result<Vec<Proposal>, Error> {
        let name = format!("{} folded", task.known.first().ok_or("nothing is known")?.name);
        let text = "pub fn total(values: Vec<u32>) -> u64 { values.iter().fold(0, |sum, one| sum + u64::from(*one)) }";
        Ok(vec![Proposal::new(&name, text)])
    }
}

bakeoff_guest::export_proposer!(Folded);
"#;

/// The blocks of a language in a section of a page.
fn blocks(page: &str, heading: &str, language: &str) -> Vec<String> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let fence = format!("\n```{language}\n");
    section
        .split(&fence)
        .skip(1)
        .map(|text| text.split("\n```").next().unwrap().to_owned() + "\n")
        .collect()
}

/// Builds projects by the manifest of the page, and returns the bytes of what cargo made.
fn built(folder: &Path, manifest: &str, projects: &[(&str, &str)]) -> Vec<Vec<u8>> {
    let names: Vec<&str> = projects.iter().map(|(name, _)| *name).collect();
    let workspace = format!("[workspace]\nresolver = \"3\"\nmembers = {names:?}\n");
    fs::write(folder.join("Cargo.toml"), workspace).unwrap();
    for (name, text) in projects {
        let source = folder.join(name).join("src");
        fs::create_dir_all(&source).unwrap();
        fs::write(source.join("lib.rs"), text).unwrap();
        let sdk = root().join("guest-sdk");
        let manifest = manifest
            .replacen("\"loops\"", &format!("{name:?}"), 1)
            .replacen("\"../bakeoff/guest-sdk\"", &format!("{sdk:?}"), 1);
        fs::write(folder.join(name).join("Cargo.toml"), manifest).unwrap();
    }
    let mut command = Command::new("cargo");
    command
        .args(["build", "--release", "--offline", "--quiet", "--target"])
        .arg("wasm32-unknown-unknown")
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(folder.join("target"))
        // The toolchain is that of this repository.
        .current_dir(root());
    for name in [
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_WRAPPER",
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_TARGET",
    ] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let made = folder.join("target/wasm32-unknown-unknown/release");
    let bytes = |name: &&str| fs::read(made.join(format!("{name}.wasm"))).unwrap();
    names.iter().map(bytes).collect()
}

#[test]
fn a_cargo_project_of_each_world_is_built_as_the_page_says_taken_and_used() {
    let page = fs::read_to_string(root().join("docs/plugging-in.md")).unwrap();
    let manifests = blocks(&page, "A cargo project", "toml");
    let sources = blocks(&page, "A cargo project", "rust,ignore");
    let folder = tempfile::tempdir().unwrap();
    let projects = [
        ("loops", sources[0].as_str()),
        ("field", AGGREGATOR),
        ("folded", PROPOSER),
    ];
    let modules = built(folder.path(), &manifests[0], &projects);
    let sections = "[[evaluator]]\nname = \"mine\"\ncomponent = \"loops.wasm\"\n\
                    [[aggregator]]\nname = \"field\"\ncomponent = \"field.wasm\"\n"
        .to_owned()
        + &criterion("simplicity", "evaluator:loops", "");
    let files = [
        ("loops.wasm", modules[0].as_slice()),
        ("field.wasm", &modules[1]),
        ("folded.wasm", &modules[2]),
    ];
    let folder = experiment(&sections, &files);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let worlds = ["evaluator", "aggregator", "proposer"];
    for ((name, _), world) in files.iter().zip(worlds) {
        let checked = run_bakeoff(&["check", &path(name), "--world", world]);
        assert_eq!(checked.status, 0, "{name}: {}", checked.stderr);
        let others = worlds.iter().filter(|one| **one != world);
        for other in others {
            let refused = run_bakeoff(&["check", &path(name), "--world", other]);
            assert_eq!(refused.status, 1, "{name} is no {other}");
        }
    }
    let (_, report, _results) = run(&folder);
    // `exact` has a loop in its source, `rough` an iterator.
    for (id, loops) in [("exact", 1.0), ("rough", 0.0)] {
        assert_eq!(reading(&report, id, "loops")["value"], loops, "{id}");
    }
    assert_eq!(report["sections"][0]["paragraphs"][0], "2 variants");
    let proposer = path("folded.wasm");
    let dir = folder.path().to_str().unwrap();
    let words = ["generate", dir, "--proposer", &proposer, "--format", "json"];
    let generated = run_bakeoff(&words);
    assert_eq!(generated.status, 0, "{}", generated.stderr);
    let made = &generated.json()["approaches"][0];
    assert_eq!(
        (&made["name"], &made["outcome"]),
        (&"exact-folded".into(), &"passed".into())
    );
}
