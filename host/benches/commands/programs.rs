//! The folder with the compiled program, its copies and its files; how fast its rounds are; neighbours.

use crate::Failure;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// The program's source.
const WORKER: &str = include_str!("worker.rs");
/// The size of the files that are read.
const FILE_BYTES: usize = 16 << 20;
/// The rounds by which the program's speed is found, and how often they are done.
const PROBE_ROUNDS: u64 = 20_000_000;
const PROBES: usize = 5;

/// A temporary folder, which goes when it is dropped.
pub(crate) struct Programs {
    folder: PathBuf,
    rounds_of_ms: f64,
}

impl Programs {
    /// Compiles the program, copies it and writes the files.
    ///
    /// # Errors
    /// There is no rustc, or the folder cannot be written.
    pub(crate) fn build() -> Result<Self, Failure> {
        let name = format!("bakeoff-commands-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder)?;
        // From here on the folder is removed, whatever comes.
        let mut programs = Self {
            folder,
            rounds_of_ms: 0.0,
        };
        let source = programs.path("worker.rs");
        fs::write(&source, WORKER)?;
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = Command::new(rustc)
            .args(["-O", "--edition", "2024", "-o"])
            .args([programs.path("worker"), source])
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        programs.copy()?;
        let worker = programs.path("worker");
        let mut quickest = f64::INFINITY;
        for _ in 0..PROBES {
            let start = Instant::now();
            let rounds = PROBE_ROUNDS.to_string();
            Command::new(&worker).args(["loop", &rounds]).status()?;
            quickest = quickest.min(start.elapsed().as_secs_f64() * 1e3);
        }
        programs.rounds_of_ms = PROBE_ROUNDS as f64 / quickest;
        Ok(programs)
    }

    /// Makes the same program with another name and in another folder, and a file with two names. A copy of the
    /// file would not do: it lies on other pages, and reading it takes some per cent more or less.
    fn copy(&self) -> Result<(), Failure> {
        let worker = self.path("worker");
        fs::hard_link(&worker, self.path("the-same-program-by-another-name"))?;
        let elsewhere = self.path("another/folder/further/down");
        fs::create_dir_all(&elsewhere)?;
        fs::copy(&worker, elsewhere.join("worker"))?;
        let bytes: Vec<u8> = (0..FILE_BYTES).map(|byte| (byte % 251) as u8).collect();
        for name in ["file.bin", "neighbour.bin"] {
            let mut file = File::create(self.path(name))?;
            file.write_all(&bytes)?;
            // Only what is on the disk can leave the cache.
            file.sync_all()?;
        }
        fs::hard_link(self.path("file.bin"), self.path("the-same-file.bin"))?;
        Ok(())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The command that does something with the program of this name.
    pub(crate) fn command_of(&self, name: &str, does: &str) -> String {
        format!("{} {does}", quoted(&self.path(name)))
    }

    pub(crate) fn command(&self, does: &str) -> String {
        self.command_of("worker", does)
    }

    /// A file, as a word of a command.
    pub(crate) fn file(&self, name: &str) -> String {
        quoted(&self.path(name))
    }

    /// The number of rounds that take so many milliseconds on this machine when it is quick.
    pub(crate) fn rounds(&self, ms: f64) -> u64 {
        (self.rounds_of_ms * ms).round() as u64
    }

    /// Starts a neighbour, which works on and off until it is dropped.
    pub(crate) fn neighbour(&self, kind: Neighbour) -> Result<Disturbing, Failure> {
        let mut command = Command::new(self.path("worker"));
        match kind {
            Neighbour::Burns => command.arg("burn"),
            Neighbour::Reads => command.arg("reads").arg(self.path("neighbour.bin")),
        };
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        Ok(Disturbing(command.spawn()?))
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        // What cannot be removed stays in the system's folder for temporary files.
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

/// Processes beside what is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Neighbour {
    Burns,
    Reads,
}

/// A neighbour that runs.
pub(crate) struct Disturbing(Child);

impl Drop for Disturbing {
    fn drop(&mut self) {
        // It ends when its stdin does.
        drop(self.0.stdin.take());
        drop(self.0.wait());
    }
}
