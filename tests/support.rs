//! The built binary, run as a user would.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// A command of the built binary, with a build cache that all tests share and nobody else.
pub(crate) fn bakeoff(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    command
        .args(arguments)
        .current_dir(root())
        .env(
            "BAKEOFF_CACHE_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
        )
        .env_remove("NO_COLOR")
        .stdin(Stdio::null());
    command
}

/// What a finished command said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Said {
    /// Its stdout as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }
}

impl Said {
    /// Whether stderr has these words. Messages are wrapped to the terminal's width, and so may be
    /// broken anywhere.
    pub(crate) fn explains(&self, why: &str) -> bool {
        let solid = |text: &str| {
            let seen = text.chars().filter(|c| !c.is_whitespace() && *c != '│');
            seen.collect::<String>()
        };
        solid(&self.stderr).contains(&solid(why))
    }
}

/// Whether this process may mount in a namespace of its own: as a rule, root.
pub(crate) fn can_mount() -> bool {
    let probe = Command::new("unshare")
        .args(["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        .output();
    probe.is_ok_and(|output| output.status.success())
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs the binary to its end; what measures waits for its turn.
pub(crate) fn say(arguments: &[&str]) -> Said {
    let measures = matches!(arguments.first(), Some(&"run" | &"compare"));
    let _turn = measures.then(|| ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner));
    bakeoff(arguments).output().unwrap().into()
}

/// Experiments use all cores and a budget of time: two at once would take it from each other.
pub(crate) static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs an experiment into a folder of its own, and gives its status and report.
pub(crate) fn run_experiment(experiment: &str, more: &[&str]) -> (Said, Value, tempfile::TempDir) {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap().to_owned();
    let mut arguments = vec!["run", experiment, "--format", "json", "--out", &folder];
    arguments.extend(more);
    let said = say(&arguments);
    let report = said.json();
    (said, report, out)
}

/// The variant of an id.
pub(crate) fn variant<'a>(report: &'a Value, id: &str) -> &'a Value {
    let variants = report["variants"].as_array().unwrap();
    variants
        .iter()
        .find(|variant| variant["id"] == id)
        .unwrap_or_else(|| panic!("no variant {id}: {report:#}"))
}

/// The verdict of one variant against another, over all cases.
pub(crate) fn verdict(report: &Value, a: &str, b: &str) -> String {
    let rows = report["verdicts"].as_array().unwrap();
    let row = rows.iter().find(|row| {
        row["case"].is_null()
            && ((row["a"] == a && row["b"] == b) || (row["a"] == b && row["b"] == a))
    });
    let row = row.unwrap_or_else(|| panic!("no verdict on {a} and {b}: {:#}", report["verdicts"]));
    let verdict = row["verdict"].as_str().unwrap();
    match (row["a"] == a, verdict) {
        (false, "beats") => "beaten".to_owned(),
        (false, "beaten") => "beats".to_owned(),
        (_, other) => other.to_owned(),
    }
}
