//! A small experiment that is over soon.

use crate::support::{bakeoff, root};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A small experiment: two equals, so that the race is long enough to be killed in, one that panics
/// and one that does not compile.
pub(crate) struct Small {
    folder: tempfile::TempDir,
}

impl Small {
    /// One whose race ends as soon as there is something to say.
    pub(crate) fn new() -> Self {
        Self::with("precision = 0.5\n")
    }

    /// One whose race goes on for many replicas.
    pub(crate) fn long() -> Self {
        Self::with("")
    }

    fn with(measure: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let planted = root().join("tests/planted");
        for file in ["workload.rs", "wit/top-k.wit"] {
            let to = folder.path().join(file);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(planted.join(file), to).unwrap();
        }
        let mut text = "name = \"small\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\n\
            call = \"top-k\"\n[workload]\nsource = \"workload.rs\"\nsizes = [64000, 256000]\n\
            seed = 7\n[measure]\nbudget = \"60 s\"\n"
            .to_owned()
            + measure;
        for name in ["good", "same_work", "panics", "does_not_compile"] {
            let from = planted.join(format!("approaches/{name}.rs"));
            fs::copy(from, folder.path().join(format!("{name}.rs"))).unwrap();
            text += &format!("[[approach]]\nname = \"{name}\"\nsource = \"{name}.rs\"\n");
        }
        fs::write(folder.path().join("bakeoff.toml"), text).unwrap();
        Self { folder }
    }

    /// A sweep of so many variants: more than race, so that they are screened.
    pub(crate) fn sweep(variants: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let planted = root().join("tests/planted/sweep");
        fs::create_dir(folder.path().join("wit")).unwrap();
        for file in ["workload.rs", "rounds.rs", "wit/total.wit"] {
            fs::copy(planted.join(file), folder.path().join(file)).unwrap();
        }
        let text = format!(
            "name = \"small\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"total\"\n\
             [workload]\nsource = \"workload.rs\"\nsizes = [4_000]\nseed = 7\n\
             [[approach]]\nname = \"a\"\nsource = \"rounds.rs\"\n\
             sweep = {{ rounds = {{ from = 1, to = {variants}, step = 1 }} }}\n\
             [measure]\nbudget = \"20 s\"\nprecision = 0.5\n"
        );
        fs::write(folder.path().join("bakeoff.toml"), text).unwrap();
        Self { folder }
    }

    pub(crate) fn dir(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub(crate) fn results(&self) -> PathBuf {
        self.path(".bakeoff/small")
    }

    fn command(&self) -> Command {
        let dir = self.dir();
        bakeoff(&["run", dir, "--seed", "11", "--quiet", "--format", "json"])
    }

    /// Starts the run, to be killed.
    pub(crate) fn start(&self) -> Child {
        self.command()
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Lets the run end, and gives its report.
    pub(crate) fn end(&self) -> Value {
        let output = self.command().output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            let stderr = String::from_utf8_lossy(&output.stderr);
            panic!("{error}: {}: {stderr}", output.status)
        })
    }
}
