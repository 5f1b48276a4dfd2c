//! `bakeoff compare main HEAD --package NAME`: functions of a package at two revisions of a git repository.

use crate::support::{CommandOutput, bakeoff, measuring_slot};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// True if there is a git whose repositories can be read.
pub(crate) fn has_git() -> bool {
    let has = Command::new("git").arg("--version").output().is_ok();
    if !has {
        println!("skipped: there is no `git`");
    }
    has
}

/// A git repository in a folder of its own.
pub(crate) struct Repository {
    pub(crate) folder: TempDir,
}

impl Repository {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let repository = Self { folder };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(self.path())
            .args(["-c", "user.name=a", "-c", "user.email=a@b.c"])
            .args(["-c", "commit.gpgsign=false"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits all files, and returns the id of the commit.
    pub(crate) fn commit(&self) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn compare(&self, arguments: &[&str]) -> CommandOutput {
        let _slot = measuring_slot();
        let mut command = bakeoff(&[&["compare"], arguments].concat());
        command.current_dir(self.path()).output().unwrap().into()
    }
}

pub(crate) const MANIFEST: &str =
    "[package]\nname = \"codec-core\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

/// A library that folds its values so many times, and more.
fn library(times: u32, before: &str) -> String {
    format!(
        "//! A library.
{before}
mod lines;
pub mod words;
pub use lines::last_line;
use std::collections::BTreeMap;

/// Sums.
///
/// ```
/// assert_eq!(codec_core::sum(&[4, 5]), 9);
/// ```
pub fn sum(values: &[u64]) -> u64 {{
    let found: u64 = values.iter().fold(0, |sum: u64, value| sum.wrapping_add(*value));
    assert!(found < u64::MAX, \"too many\");
    found
}}

pub fn fold(values: &[u64]) -> u64 {{
    let mut folded = 7;
    for _ in 0..{times} {{
        folded = std::hint::black_box(std::hint::black_box(values).iter().fold(folded, |sum: u64, value: &u64| {{
            (sum ^ value).rotate_left(7).wrapping_mul(0x9E37_79B9)
        }}));
    }}
    // The same answer, however often it is folded.
    values.iter().fold(folded & 1, |sum: u64, value| (sum >> 1) ^ value)
}}

pub fn counts(texts: Vec<String>) -> BTreeMap<String, u32> {{
    let mut counts = BTreeMap::new();
    for text in texts {{
        *counts.entry(text).or_insert(0) += 1;
    }}
    counts
}}

pub fn by(values: Vec<u64>, visit: fn(u64)) -> Vec<u64> {{
    values.iter().for_each(|value| visit(*value));
    values
}}
"
    )
}

/// A repository with a slower `fold` and another `last_line` at HEAD, of which all else only moved.
fn changed() -> (Repository, [String; 2]) {
    let repository = Repository::new();
    repository.write("Cargo.toml", "[workspace]\nmembers = [\"codec\"]\n");
    repository.write("codec/Cargo.toml", MANIFEST);
    repository.write("codec/src/lib.rs", &library(4, ""));
    let last_line =
        "pub fn last_line(text: &str) -> &str { text.lines().last().unwrap_or(\"none\") }\n";
    repository.write("codec/src/lines.rs", last_line);
    let words = "pub fn count(text: &str) -> usize { text.split_whitespace().count() }\n";
    repository.write("codec/src/words.rs", words);
    let before = repository.commit();
    repository.write("codec/src/lib.rs", &library(40, "\n// Moved.\n\n"));
    repository.write("codec/src/lines.rs", &last_line.replace("none", ""));
    let after = repository.commit();
    (repository, [before, after])
}

pub(crate) fn function<'a>(report: &'a Value, name: &str) -> &'a Value {
    let mut functions = report["functions"].as_array().unwrap().iter();
    functions
        .find(|function| function["name"] == name)
        .unwrap_or_else(|| panic!("{name}: {report:#}"))
}

const ALL: [&str; 6] = [
    "HEAD~1",
    "main",
    "--package",
    "codec-core",
    "--budget",
    "5s",
];

#[test]
fn each_function_of_a_package_has_its_row_and_what_only_moved_is_not_timed() {
    if !has_git() {
        return;
    }
    let (repository, commits) = changed();
    let json = ["--seed", "5", "--format", "json"];
    let call = ["--call", "fold,sum,counts,last_line,words::count"];
    let said = repository.compare(&[&ALL[..], &call, &json].concat());
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    let report = said.json();
    assert_eq!(
        report["before"]["commit"],
        commits[0].as_str(),
        "{report:#}"
    );
    assert_eq!(report["after"]["commit"], commits[1].as_str(), "{report:#}");
    assert_eq!(report["confidence_of_each"], 0.99);
    for same in ["sum", "counts", "words::count"] {
        let row = function(&report, same);
        assert_eq!(row["is_same_code"], true, "{row:#}");
        assert_eq!(row["outcome"], "tie", "{row:#}");
    }
    let slower = function(&report, "fold");
    assert_eq!(slower["outcome"], "winner", "{slower:#}");
    assert_eq!(slower["time"]["verdict"], "beaten", "{slower:#}");
    assert!(slower["time"]["low"].as_f64().unwrap() > 2.0, "{slower:#}");
    let differs = function(&report, "last_line");
    assert_eq!(differs["outcome"], "disagreement", "{differs:#}");
    let details = differs["details"].as_str().unwrap();
    assert!(details.contains("none"), "{differs:#}");
    for part in ["Disagreement", "these files"] {
        assert!(!details.contains(part), "{differs:#}");
    }
    let answer = report["answer"].as_str().unwrap();
    assert!(answer.contains("surely slower: fold"), "{answer}");

    let allowed = ["--fail-if-slower", "5%", "--call", "sum,words::count"];
    let said = repository.compare(&[&ALL[..], &allowed].concat());
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    let said =
        repository.compare(&[&ALL[..], &["--call", "sum,fold", "--fail-if-slower", "5%"]].concat());
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("Slower"), "{}", said.stdout);
}

#[test]
fn without_names_all_functions_at_the_root_are_compared_and_others_are_said() {
    if !has_git() {
        return;
    }
    let repository = Repository::new();
    repository.write("Cargo.toml", MANIFEST);
    repository.write(
        "src/lines.rs",
        "pub fn last_line(text: &str) -> &str { text }\n",
    );
    repository.write("src/words.rs", "");
    repository.write("src/lib.rs", &library(2, ""));
    repository.commit();
    repository.write("src/lib.rs", &library(2, "pub fn more(x: u8) -> u8 { x }"));
    std::os::unix::fs::symlink("/etc/passwd", repository.path().join("outside")).unwrap();
    // A lock that is left out of the repository, and fits another version of the package.
    repository.write(".gitignore", "Cargo.lock\n");
    let lock = "version = 4\n\n[[package]]\nname = \"codec-core\"\nversion = \"0.0.9\"\n";
    repository.write("Cargo.lock", lock);
    repository.commit();
    let said = repository.compare(&[&ALL[..], &["--format", "md"]].concat());
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    for part in [
        "sum",
        "fold",
        "counts",
        "the same code: ",
        "more can be called at main alone",
        "by: ",
    ] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
    assert!(
        said.stdout.contains("Not read at main") && said.stdout.contains("outside"),
        "{}",
        said.stdout
    );
    // A root that exports a function of a module does not show its signature: it is named.
    assert!(!said.stdout.contains("last\\_line"), "{}", said.stdout);
}

#[test]
fn one_function_has_the_report_of_two_files() {
    if !has_git() {
        return;
    }
    let (repository, commits) = changed();
    let one = ["--call", "fold", "--seed", "5", "--format", "json"];
    let said = repository.compare(&[&ALL[..], &one].concat());
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    let report = said.json();
    let answer = report["recommendation"]["text"].as_str().unwrap();
    assert!(answer.starts_with("Take HEAD~1: "), "{answer}");
    let notes = report["notes"].to_string();
    assert!(
        commits.iter().all(|commit| notes.contains(commit)),
        "{notes}"
    );
}

#[test]
fn what_cannot_be_compared_is_named() {
    if !has_git() {
        return;
    }
    let (repository, _) = changed();
    for (arguments, status, parts) in [
        (
            &["none", "HEAD", "--package", "codec-core"][..],
            2,
            &["none", "no such revision"][..],
        ),
        (
            &["main", "HEAD", "--package", "other"],
            2,
            &["other", "codec-core"],
        ),
        (
            &[
                "main",
                "HEAD",
                "--package",
                "codec-core",
                "--call",
                "nothing",
            ],
            2,
            &["no public function nothing", "fold"],
        ),
        (
            &["main", "HEAD", "--package", "codec-core", "--call", "by"],
            2,
            &["by at main cannot be called"],
        ),
        (
            &["main", "HEAD", "--package", "codec-core", "--call", "a b"],
            2,
            &["a b", "NAME"],
        ),
        (
            &["main", "HEAD", "--package", "codec-core", "--call", ","],
            2,
            &["--call names no function"],
        ),
        (&["main", "HEAD~1"], 2, &["--package NAME"]),
        (&["main", "--package", "codec-core"], 2, &["two revisions"]),
        (
            &["main", "HEAD", "--package", "codec-core", "--out", "x"],
            2,
            &["--out is for one function"],
        ),
        (
            &["--", "--output=x", "HEAD", "--package", "codec-core"],
            2,
            &[],
        ),
    ] {
        let said = repository.compare(arguments);
        assert_eq!(
            said.status, status,
            "{arguments:?}: {}{}",
            said.stdout, said.stderr
        );
        let text = said.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = text.replace("│ ", "");
        for part in parts {
            assert!(text.contains(part), "{arguments:?}: {part}: {text}");
        }
    }
    repository.write(
        "codec/src/lib.rs",
        "pub fn sum(values: &[u64]) -> u64 { values.len() }",
    );
    repository.commit();
    let one = ["HEAD~1", "HEAD", "--package", "codec-core", "--call", "sum"];
    let said = repository.compare(&[&one[..], &["--format", "json"]].concat());
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    assert!(said.stderr.contains("mismatched types"), "{}", said.stderr);
    let report = said.json();
    assert_eq!(report["outcome"], "build-failed", "{report:#}");
    let outside = TempDir::new().unwrap();
    let mut command = bakeoff(&["compare", "main", "HEAD", "--package", "codec-core"]);
    let said: CommandOutput = command.current_dir(outside.path()).output().unwrap().into();
    assert_eq!(said.status, 2, "{}", said.stderr);
    assert!(said.stderr.contains("repository"), "{}", said.stderr);
}

#[test]
fn enums_and_structs_of_the_file_are_passed_and_a_failure_of_one_function_leaves_the_others() {
    if !has_git() {
        return;
    }
    let repository = Repository::new();
    let library = |more: &str| {
        format!(
            "#![no_std]
extern crate alloc;
use alloc::vec::Vec;
#[derive(Debug, Clone, PartialEq)]
pub struct Point {{ pub x: i64, pub y: i64 }}
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {{ Left, Right }}
pub fn kind(point: &Point) -> Kind {{ if point.x < {more} {{ Kind::Left }} else {{ Kind::Right }} }}
pub fn largest(points: Vec<Point>) -> Option<Point> {{ points.into_iter().max_by_key(|point| point.x) }}
pub fn other(x: {other}) -> u8 {{ x as u8 }}
#[cfg(any())]
pub fn gone(x: u8) -> u8 {{ x }}
pub mod deep {{
    pub mod er {{
        /// Doubles.
        pub fn twice(x: u8) -> u8 {{ x.wrapping_mul(2) }}
    }}
}}
",
            other = if more == "0" { "u8" } else { "u16" }
        )
    };
    repository.write("Cargo.toml", MANIFEST);
    repository.write("src/lib.rs", &library("0"));
    repository.commit();
    repository.write("src/lib.rs", &library("1"));
    repository.commit();
    let said = repository.compare(&[&ALL[..], &["--format", "json"]].concat());
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    let report = said.json();
    let kind = function(&report, "kind");
    assert_eq!(kind["outcome"], "disagreement", "{kind:#}");
    assert!(
        kind["found"].as_str().unwrap().contains("kind((0, "),
        "{kind:#}"
    );
    assert_eq!(function(&report, "largest")["is_same_code"], true);
    // Whoever did not ask for a function by its name is told of it.
    let notes = report["notes"].to_string();
    for part in ["Not compared: gone: ", "Not compared: other: "] {
        assert!(notes.contains(part), "{notes}");
    }
    let named = ["--call", "gone,deep::er::twice", "--format", "json"];
    let said = repository.compare(&[&ALL[..], &named].concat());
    assert_eq!(said.status, 1, "{}{}", said.stdout, said.stderr);
    let report = said.json();
    let gone = function(&report, "gone");
    assert_eq!(gone["outcome"], "build-failed", "{gone:#}");
    assert!(
        gone["details"].as_str().unwrap().contains("gone"),
        "{gone:#}"
    );
    assert_eq!(function(&report, "deep::er::twice")["is_same_code"], true);
    let junit = ["--call", "kind,gone", "--format", "junit"];
    let said = repository.compare(&[&ALL[..], &junit].concat());
    for part in [
        "value=\"disagreement\"",
        "message=\"Disagreement: another answer",
        "message=\"Build failed: not compared",
    ] {
        assert!(said.stdout.contains(part), "{part}: {}", said.stdout);
    }
}
