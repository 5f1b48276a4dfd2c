//! Experiments that cannot be run as they are: one clear error each, at its place, with a next step.

use crate::golden;
use crate::support::{root, run_bakeoff};
use std::fs;
use std::path::Path;

/// A copy of the planted experiment's skeleton, with one approach and its parts as given.
struct Broken<'a> {
    name: &'a str,
    wit: &'a str,
    call: &'a str,
    workload: &'a str,
    criterion: &'a str,
}

const WIT: &str = "package example:top-k;

world prototype {
  export top-k: func(values: list<s64>, k: u32) -> list<s64>;
}

world workload {
  export generate: func(size: u32, seed: u64) -> tuple<list<s64>, u32>;
  export check: func(values: list<s64>, k: u32, answer: list<s64>) -> result<_, string>;
}
";

const PROTOTYPE: &str = "pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values
}
";

const WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> (Vec<i64>, u32) {
    ((0..size).map(|i| (seed ^ u64::from(i)) as i64).collect(), 3)
}

pub fn check(_: Vec<i64>, _: u32, _: Vec<i64>) -> Result<(), String> {
    Ok(())
}
";

impl Default for Broken<'_> {
    fn default() -> Self {
        Self {
            name: "",
            wit: WIT,
            call: "top-k",
            workload: WORKLOAD,
            criterion: "",
        }
    }
}

impl Broken<'_> {
    /// Writes it, runs it, and holds what it says to a golden file.
    fn says(&self, status: i32) {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("wit/top-k.wit", self.wit);
        write("workload.rs", self.workload);
        write("sort.rs", PROTOTYPE);
        let (call, criterion) = (self.call, self.criterion);
        write(
            "bakeoff.toml",
            &format!(
                "name = \"broken\"\nproblem = \"?\"\n\n[interface]\nwit = \"wit\"\ncall = \"{call}\"\n\n\
                 [workload]\nsource = \"workload.rs\"\nsizes = [1_000]\n\n\
                 [measure]\nbudget = \"200 ms\"\n\n[[approach]]\nname = \"sort\"\nsource = \"sort.rs\"\n{criterion}"
            ),
        );
        let path = folder.path().to_str().unwrap();
        let said = run_bakeoff(&["run", path, "--quiet", "--color", "never"]);
        assert_eq!(said.status, status, "{}: {}", self.name, said.stderr);
        assert!(!said.stderr.contains("thread '"), "{}", said.stderr);
        let text = said.stderr.replace(path, "FOLDER");
        hold(self.name, &text);
    }
}

/// Compares with `tests/golden/run/NAME.txt`.
fn hold(name: &str, text: &str) {
    let mut different = Vec::new();
    let path = root()
        .join("tests/golden/run")
        .join(name)
        .with_extension("txt");
    golden::compare(&path, text, &mut different);
    golden::assert_none(&different);
}

#[test]
fn wit_that_does_not_parse() {
    let wit = WIT.replace("export top-k: func", "export top-k func");
    Broken {
        name: "wit-does-not-parse",
        wit: &wit,
        ..Broken::default()
    }
    .says(2);
}

#[test]
fn a_call_that_is_not_exported() {
    Broken {
        name: "call-not-exported",
        call: "top-n",
        ..Broken::default()
    }
    .says(2);
}

#[test]
fn a_workload_whose_types_do_not_fit() {
    let wit = WIT.replace("tuple<list<s64>, u32>", "list<s64>");
    Broken {
        name: "workload-misfit",
        wit: &wit,
        ..Broken::default()
    }
    .says(2);
}

#[test]
fn a_program_reads_an_error_as_a_line_of_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    fs::write(
        folder.path().join("bakeoff.toml"),
        "name = \"x\"\nbudgett = 1\n",
    )
    .unwrap();
    let said = run_bakeoff(&["run", path, "--verbose", "--format", "json"]);
    assert_eq!((said.status, said.stdout.as_str()), (2, ""));
    let line: serde_json::Value = serde_json::from_str(&said.stderr).unwrap();
    let error = &line["error"];
    assert_eq!(error["class"], "usage");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("bakeoff.toml, line ") && message.contains("budgett"),
        "{message}"
    );
    assert!(error["advice"].is_string(), "{line}");
    // For a person it stays what it was.
    let said = run_bakeoff(&["run", path, "--format", "json"]);
    assert!(said.stderr.contains("budgett = 1"), "{}", said.stderr);
}

const QUALITY: &str = "
[[criterion]]
name = \"quality\"
from = \"assess:wasted\"
direction = \"lower-is-better\"
range = [0, 100]
";

#[test]
fn a_criterion_that_the_workload_does_not_assess() {
    Broken {
        name: "workload-assesses-nothing",
        criterion: QUALITY,
        ..Broken::default()
    }
    .says(2);
}

#[test]
fn a_criterion_that_assess_never_gives() {
    let wit = WIT.replace(
        "-> result<_, string>;\n",
        "-> result<_, string>;\n  export assess: func(values: list<s64>, k: u32, answer: list<s64>) -> list<tuple<string, f64>>;\n",
    );
    let assess = "\npub fn assess(_: Vec<i64>, _: u32, _: Vec<i64>) -> Vec<(String, f64)> {\n    \
                  vec![(\"waste\".to_owned(), 1.0), (\"bins\".to_owned(), 2.0)]\n}\n";
    Broken {
        name: "assess-gives-other-names",
        wit: &wit,
        workload: &format!("{WORKLOAD}{assess}"),
        criterion: QUALITY,
        ..Broken::default()
    }
    .says(2);
}

#[test]
fn a_workload_that_does_not_compile() {
    let workload = WORKLOAD.replace("Ok(())", "Ok(1)");
    Broken {
        name: "workload-does-not-compile",
        workload: &workload,
        ..Broken::default()
    }
    .says(2);
}

#[test]
fn a_workload_that_panics() {
    let workload = WORKLOAD.replace("    ((0..size)", "    assert!(seed == 7);\n    ((0..size)");
    Broken {
        name: "workload-panics",
        workload: &workload,
        ..Broken::default()
    }
    .says(2);
}

#[test]
fn nothing_there() {
    let said = run_bakeoff(&["run", "no/such/folder", "--color", "never"]);
    assert_eq!(said.status, 2);
    hold("nothing-there", &said.stderr);
}

#[test]
fn the_goldens_are_all_used() {
    let folder = root().join("tests/golden/run");
    let known = [
        "assess-gives-other-names.txt",
        "call-not-exported.txt",
        "nothing-there.txt",
        "wit-does-not-parse.txt",
        "workload-assesses-nothing.txt",
        "workload-does-not-compile.txt",
        "workload-misfit.txt",
        "workload-panics.txt",
    ];
    let is_known = |path: &Path| known.iter().any(|name| path.ends_with(name));
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert!(is_known(&path), "{} belongs to no test", path.display());
    }
}
