//! The built binary, run as a user would.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Condvar, Mutex, PoisonError};

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
        .env("BAKEOFF_POLICY", "")
        .env_remove("NO_COLOR")
        .stdin(Stdio::null());
    command
}

/// Gives a program a second name, so that its processes can be told from those of other tests.
///
/// `cp` makes the copy where a link is impossible: a process that another test starts while this one writes would hold
/// the copy open, and the system starts no program that is open for writing.
pub(crate) fn second_name(program: &Path, name: &Path) {
    if std::fs::hard_link(program, name).is_err() {
        let status = Command::new("cp").arg(program).arg(name).status().unwrap();
        assert!(status.success(), "{}", name.display());
    }
}

/// The exit status and the output of a finished command.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    /// Returns true if a run ended, with a verdict or without one, and whether variants failed or
    /// not: for tests that are about neither.
    pub(crate) fn ended_a_run(&self) -> bool {
        [0, 1, 3].contains(&self.status)
    }

    /// Its stdout as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.stdout, self.stderr))
    }

    /// Returns true if stderr has these words, wherever they were wrapped: messages are broken at the
    /// terminal's width.
    pub(crate) fn explains(&self, why: &str) -> bool {
        without_wrapping(&self.stderr).contains(&without_wrapping(why))
    }
}

/// The text without white space and without the bar that wrapped lines begin with.
fn without_wrapping(text: &str) -> String {
    let seen = text.chars().filter(|c| !c.is_whitespace() && *c != '│');
    seen.collect()
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs a command of the binary to its end; one that measures takes a slot for that.
pub(crate) fn run_bakeoff(arguments: &[&str]) -> CommandOutput {
    let measures = matches!(arguments.first(), Some(&"run" | &"compare" | &"doctor"));
    let _slot = measures.then(measuring_slot);
    bakeoff(arguments).output().unwrap().into()
}

/// Commands that measure at the same time. One alone leaves cores idle while it starts and ends; with
/// many of them, each pinned to the same cores, budgets of time would run out before anything is known.
const SLOTS: usize = 2;

static SLOTS_TAKEN: Mutex<usize> = Mutex::new(0);
static SLOT_FREED: Condvar = Condvar::new();

/// The right to measure, until it is dropped.
pub(crate) struct MeasuringSlot(());

/// Waits until fewer than [`SLOTS`] commands measure.
pub(crate) fn measuring_slot() -> MeasuringSlot {
    let taken = SLOTS_TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let free = SLOT_FREED.wait_while(taken, |taken| *taken >= SLOTS);
    *free.unwrap_or_else(PoisonError::into_inner) += 1;
    MeasuringSlot(())
}

impl Drop for MeasuringSlot {
    fn drop(&mut self) {
        *SLOTS_TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        SLOT_FREED.notify_one();
    }
}

/// Runs an experiment into a folder of its own, and gives its output, its report and that folder.
pub(crate) fn run_experiment(
    experiment: &str,
    more: &[&str],
) -> (CommandOutput, Value, tempfile::TempDir) {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap().to_owned();
    let mut arguments = vec!["run", experiment, "--format", "json", "--out", &folder];
    arguments.extend(more);
    let output = run_bakeoff(&arguments);
    let report = output.json();
    (output, report, out)
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
