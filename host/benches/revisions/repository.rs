//! A git repository, and what is said of two of its revisions.

use super::Failure;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use tempfile::TempDir;

/// A git repository in a folder of its own, with a build cache beside it.
pub(crate) struct Repository {
    folder: TempDir,
    cache: TempDir,
}

impl Repository {
    pub(crate) fn new() -> Result<Self, Failure> {
        let repository = Self {
            folder: TempDir::new()?,
            cache: TempDir::new()?,
        };
        repository.git(&["init", "--quiet"])?;
        Ok(repository)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn git(&self, arguments: &[&str]) -> Result<(), Failure> {
        let status = Command::new("git")
            .current_dir(self.path())
            .args(["-c", "user.name=bench", "-c", "user.email=bench@localhost"])
            .args(["-c", "commit.gpgsign=false"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .status()?;
        if !status.success() {
            return Err(format!("git {arguments:?}: {status}").into());
        }
        Ok(())
    }

    /// Commits all files.
    pub(crate) fn commit(&self) -> Result<(), Failure> {
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--allow-empty", "-m", "a revision"])
    }

    /// Returns what a comparison of two revisions says, and the seconds that it took.
    pub(crate) fn compare(&self, arguments: &[&str]) -> Result<(Value, f64), Failure> {
        let start = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
            .arg("compare")
            .args(arguments)
            .args(["--quiet", "--format", "json", "--cache-dir"])
            .arg(self.cache.path())
            .current_dir(self.path())
            .stdin(Stdio::null())
            .output()?;
        let seconds = start.elapsed().as_secs_f64();
        let said = serde_json::from_slice(&output.stdout)
            .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
        Ok((said, seconds))
    }
}

/// Returns the rows of all functions.
pub(crate) fn functions(said: &Value) -> impl Iterator<Item = &Value> {
    said["functions"].as_array().into_iter().flatten()
}
