//! Finished runs of experiments: each is made once, and every test that needs one gets a copy of its
//! folder, which it may change.

use crate::support::{CommandOutput, root, run_bakeoff};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The example that the README shows, with two of its approaches and sizes: enough for every figure
/// that a report has, and few enough to be settled soon. `heap` is several times as fast as `sort`.
pub(crate) static TOP_K: LazyLock<SharedRun> =
    LazyLock::new(|| SharedRun::new("examples/top-k", shorten_top_k));

/// Prototypes that are wrong on purpose, beside some that are not.
pub(crate) static PLANTED: LazyLock<SharedRun> =
    LazyLock::new(|| SharedRun::new("tests/planted", |_| ()));

/// Calls and answers in a file.
pub(crate) static CASES: LazyLock<SharedRun> =
    LazyLock::new(|| SharedRun::new("tests/planted/cases", |_| ()));

/// A workload that judges no answers.
pub(crate) static NO_ORACLE: LazyLock<SharedRun> =
    LazyLock::new(|| SharedRun::new("tests/planted/no-oracle", |_| ()));

/// Heuristics on a set of instances; what the report says of speed need not be sharp.
pub(crate) static BIN_PACKING: LazyLock<SharedRun> =
    LazyLock::new(|| SharedRun::new("examples/bin-packing", be_content_with_little));

fn be_content_with_little(folder: &Path) {
    let file = folder.join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("[measure]", "[measure]\nprecision = 0.5");
    fs::write(&file, text).unwrap();
}

fn shorten_top_k(folder: &Path) {
    let file = folder.join("bakeoff.toml");
    let text = fs::read_to_string(&file).unwrap();
    let (before, rest) = text.split_once("[[approach]]").unwrap();
    let (approaches, after) = rest.split_once("[measure]").unwrap();
    let before = before.replace("[4_000, 16_000, 64_000]", "[16_000, 64_000]");
    let wanted = |text: &&str| text.contains("\"sort\"") || text.contains("\"heap\"");
    let approaches = approaches.split("[[approach]]").filter(wanted);
    let approaches: String = approaches
        .map(|text| format!("[[approach]]{text}"))
        .collect();
    // The order of two is one of time, and the same on a busy machine.
    let after = after.replace("weight = 0.5", "weight = 0.1");
    fs::write(&file, format!("{before}{approaches}[measure]{after}")).unwrap();
}

/// A finished run that is kept in memory, so that nothing is left of it when the tests end.
pub(crate) struct SharedRun {
    /// Paths below the experiment's folder, and contents.
    files: Vec<(PathBuf, Vec<u8>)>,
    pub(crate) output: CommandOutput,
    pub(crate) report: Value,
}

impl SharedRun {
    pub(crate) fn new(experiment: &str, change: impl FnOnce(&Path)) -> Self {
        let (finished, output) = FinishedRun::of_changed(experiment, change);
        let mut files = Vec::new();
        read_files(finished.folder.path(), Path::new(""), &mut files);
        let report = output.json();
        Self {
            files,
            output,
            report,
        }
    }

    /// A copy of the experiment's folder with its results.
    pub(crate) fn copy(&self) -> FinishedRun {
        let folder = tempfile::tempdir().unwrap();
        for (path, bytes) in &self.files {
            let to = folder.path().join(path);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, bytes).unwrap();
        }
        FinishedRun { folder }
    }
}

fn read_files(folder: &Path, below: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let below = below.join(path.file_name().unwrap());
        match path.is_dir() {
            true => read_files(&path, &below, found),
            false => found.push((below, fs::read(&path).unwrap())),
        }
    }
}

/// The folder of an experiment that was run.
pub(crate) struct FinishedRun {
    folder: tempfile::TempDir,
}

impl FinishedRun {
    /// Runs an experiment of this repository after a change.
    pub(crate) fn of_changed(
        experiment: &str,
        change: impl FnOnce(&Path),
    ) -> (Self, CommandOutput) {
        let folder = tempfile::tempdir().unwrap();
        copy_experiment(&root().join(experiment), folder.path());
        change(folder.path());
        let finished = Self { folder };
        // The budget is for a machine with much else to do. What the report says of speed need not be
        // sharp: a verdict is given as soon as there is one.
        let arguments = ["run", finished.dir(), "--quiet", "--format", "json"];
        let output = run_bakeoff(&[&arguments[..], &["--budget", "60s"]].concat());
        assert!(output.ended_a_run(), "{}", output.stderr);
        (finished, output)
    }

    pub(crate) fn dir(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The folder of its results, by the experiment's name.
    pub(crate) fn results(&self, name: &str) -> PathBuf {
        self.path(".bakeoff").join(name)
    }

    /// Packs it, and gives the bundle's path.
    pub(crate) fn pack(&self) -> PathBuf {
        let bundle = self.path("it.bundle");
        let output = run_bakeoff(&["pack", self.dir(), "--out", bundle.to_str().unwrap()]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        bundle
    }
}

/// Copies a folder with all that is in it, results left out.
pub(crate) fn copy_experiment(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        match path.is_dir() {
            _ if name == ".bakeoff" => {}
            true => copy_experiment(&path, &to.join(name)),
            false => {
                fs::copy(&path, to.join(name)).unwrap();
            }
        }
    }
}
