//! What `bakeoff init` writes to begin with beside the small experiment: guests of the user's own, each with
//! the lines by which an experiment uses it.

/// An evaluator to begin with, and one of bakeoff's own, which is written under its own name.
const EVALUATOR: &str = include_str!("template/evaluator.rs");
const BRANCHES: &str = include_str!("../../../components/branches/branches.rs");
/// An aggregator to begin with.
const AGGREGATOR: &str = include_str!("template/aggregator.rs");

/// A file to begin with, and the lines by which an experiment uses it.
pub(super) struct Start {
    /// Its path in the experiment's folder.
    pub(super) file: String,
    /// Its text.
    pub(super) text: &'static str,
    /// The lines that belong into bakeoff.toml.
    pub(super) lines: String,
}

/// The path of a Rust file for a name.
fn path(folder: &str, name: &str) -> String {
    format!("{folder}/{}.rs", name.replace('-', "_"))
}

/// An evaluator of this name.
pub(super) fn evaluator(name: &str) -> Start {
    let file = path("evaluators", name);
    let (text, criterion) = match name {
        "branches" => (
            BRANCHES,
            "name = \"simple control\"\nweight = 0.5\nfrom = \"evaluator:branches\"\nrange = [1, 51]",
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

/// An aggregator of this name.
pub(super) fn aggregator(name: &str) -> Start {
    let file = path("aggregators", name);
    let lines = format!("[[aggregator]]\nname = \"{name}\"\nsource = \"{file}\"\n");
    Start {
        text: AGGREGATOR,
        file,
        lines,
    }
}
