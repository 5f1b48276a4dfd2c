//! Files that `bakeoff init` writes to begin with beside the small experiment: guests of the user's own, each with the
//! lines by which an experiment uses it.

use clap::ValueEnum;

/// Approaches to begin with in other languages than Rust: by sorting, and by a table.
const C: [&str; 2] = [
    include_str!("template/sort.c"),
    include_str!("template/table.c"),
];
const CPP: [&str; 2] = [
    include_str!("template/sort.cpp"),
    include_str!("template/table.cpp"),
];
const ZIG: [&str; 2] = [
    include_str!("template/sort.zig"),
    include_str!("template/table.zig"),
];
/// An evaluator to begin with, and bakeoff's own evaluators, which are written under their own names.
const EVALUATOR: &str = include_str!("template/evaluator.rs");
const BRANCHES: &str = include_str!("template/branches.rs");
const SOURCE_SIZE: &str = include_str!("template/source_size.rs");
/// An aggregator to begin with.
const AGGREGATOR: &str = include_str!("template/aggregator.rs");

/// A proposer to begin with, and bakeoff's own proposers.
const PROPOSER: &str = include_str!("template/proposer.rs");
const GRID: &str = include_str!("template/grid.rs");
const IMPROVE: &str = include_str!("template/improve.rs");
/// Workloads to begin with, and an approach whose answers are of another quality.
const WORKLOAD: &str = include_str!("template/workload_sizes.rs");
const INSTANCES: &str = include_str!("template/workload_instances.rs");
const SKETCH: &str = include_str!("template/sketch.rs");

/// Language of the approaches to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum StartLanguage {
    /// Rust
    Rust,
    /// C, which takes a clang and the C library for WebAssembly
    C,
    /// C++, which takes its library besides
    Cpp,
    /// Zig, which takes its compiler besides
    Zig,
}

/// A file to begin with, with the lines by which an experiment uses it.
pub(super) struct Start {
    /// Path in the experiment's folder.
    pub(super) file: String,
    /// Text of the file.
    pub(super) text: &'static str,
    /// Lines that belong into bakeoff.toml.
    pub(super) lines: String,
}

/// Returns the path of a Rust file for a name.
fn path(folder: &str, name: &str) -> String {
    format!("{folder}/{}.rs", name.replace('-', "_"))
}

/// Returns the evaluator of this name, or one to begin with.
pub(super) fn evaluator(name: &str) -> Start {
    let file = path("evaluators", name);
    let (text, criterion) = match name {
        "branches" => (
            BRANCHES,
            "name = \"simple control\"\nweight = 0.5\nfrom = \"evaluator:branches\"\nrange = [1, 51]",
        ),
        "source-size" => (
            SOURCE_SIZE,
            "name = \"brevity\"\nweight = 0.5\nfrom = \"evaluator:tokens\"",
        ),
        _ => (
            EVALUATOR,
            "name = \"safety\"\nweight = 0.5\nfrom = \"evaluator:unwraps\"",
        ),
    };
    let lines = format!(
        "[[evaluator]]\nname = \"{name}\"\nsource = \"{file}\"\n\n[[criterion]]\n{criterion}\n"
    );
    Start { file, text, lines }
}

/// Returns an aggregator of this name.
pub(super) fn aggregator(name: &str) -> Start {
    let file = path("aggregators", name);
    let lines = format!("[[aggregator]]\nname = \"{name}\"\nsource = \"{file}\"\n");
    Start {
        text: AGGREGATOR,
        file,
        lines,
    }
}

/// Returns path and text of the proposer of this name, or of one to begin with. There are no lines for bakeoff.toml:
/// the command line names a proposer, and an experiment does not.
pub(super) fn proposer(name: &str) -> (String, &'static str) {
    let text = match name {
        "grid" => GRID,
        "improve" => IMPROVE,
        _ => PROPOSER,
    };
    (path("proposers", name), text)
}

/// Writes the approaches of the small experiment in another language.
pub(super) fn in_language(files: &mut [(String, String)], language: StartLanguage) {
    let (name, ending, [sort, table]) = match language {
        StartLanguage::Rust => return,
        StartLanguage::C => ("C", "c", C),
        StartLanguage::Cpp => ("C++", "cpp", CPP),
        StartLanguage::Zig => ("Zig", "zig", ZIG),
    };
    for (path, text) in files {
        match path.as_str() {
            "approaches/sort.rs" => *text = sort.to_owned(),
            "approaches/table.rs" => *text = table.to_owned(),
            "bakeoff.toml" => {
                *text = text
                    .replace("Its Rust form", &format!("Its form in {name}"))
                    .replace("plain Rust files", "files in Rust, C, C++ or Zig")
                    .replace("sort.rs", &format!("sort.{ending}"))
                    .replace("table.rs", &format!("table.{ending}"));
                continue;
            }
            _ => continue,
        }
        *path = path.replace(".rs", &format!(".{ending}"));
    }
}

/// Turns the small experiment into one with a workload of this name, which makes inputs by size or by name, and
/// judges answers that may be a little wrong.
pub(super) fn with_workload(files: &mut Vec<(String, String)>, name: &str, instances: bool) {
    let file = path("workloads", name);
    for (path, text) in files.iter_mut() {
        match path.as_str() {
            "bakeoff.toml" => *text = experiment_with(text, &file, instances),
            "wit/count-distinct.wit" => *text = interface_with(text, instances),
            _ => {}
        }
    }
    let text = if instances { INSTANCES } else { WORKLOAD };
    files.retain(|(path, _)| path != "workload.rs");
    files.push((file, text.to_owned()));
    files.push(("approaches/sketch.rs".to_owned(), SKETCH.to_owned()));
}

/// Returns the experiment file with a workload in this file.
fn experiment_with(text: &str, file: &str, instances: bool) -> String {
    let replaced = text.replace("source = \"workload.rs\"", &format!("source = \"{file}\""));
    let by_size = "sizes = [10_000, 40_000, 160_000]            # or instances = [\"NAME\", …], for fixed inputs";
    let by_name =
        "instances = [\"uniform-40000\", \"uniform-160000\", \"few-40000\", \"few-160000\"]";
    let replaced = if instances {
        replaced.replace(by_size, by_name)
    } else {
        replaced
    };
    let sketch = "[[approach]]\nname = \"sketch\"\ndescription = \"Estimate the number from marked bits.\"\n\
                  source = \"approaches/sketch.rs\"\n\n[measure]";
    let accuracy = "\n# What `assess` in the workload gives each answer: by how many percent it is off.\n\
                    [[criterion]]\nname = \"accuracy\"\nweight = 0.5\nfrom = \"assess:error\"\n\
                    direction = \"lower-is-better\"\nunit = \"%\"\nrange = [0, 10]\n";
    replaced.replace("[measure]", sketch) + accuracy
}

/// Returns the interface with a workload that assesses.
fn interface_with(text: &str, instances: bool) -> String {
    let check = "  export check: func(values: list<u32>, answer: u32) -> result<_, string>;\n";
    let assess =
        "  export assess: func(values: list<u32>, answer: u32) -> list<tuple<string, f64>>;\n";
    let text = text.replace(check, &format!("{check}{assess}"));
    if instances {
        text.replace("func(size: u32, seed: u64)", "func(instance: string)")
    } else {
        text
    }
}
