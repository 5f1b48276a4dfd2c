//! Experiments whose true ratio is known: `components/spin` or `components/walk`, several times
//! with a given amount of work each. All are run by the built binary, from source files to a
//! verdict.

use serde_json::Value;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Any error that ends a bench.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// Clock ticks of `/proc` in a second: the same on every Linux that this runs on.
const TICKS_PER_S: f64 = 100.0;

/// The kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Arithmetic: `components/spin`.
    Spin,
    /// Waiting for memory: `components/walk`, with a list of 16 MiB.
    Walk,
    /// The same with a list of 1 MiB, and with one of 32 MiB.
    WalkSmall,
    WalkLarge,
    /// Allocating: `components/boxes`.
    Boxes,
}

/// The length of the list in `components/walk`.
const PLACES: &str = "1 << 21";

impl Source {
    /// Returns the name of the folder and of the file, which is also the name in the file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Spin => "spin",
            Self::Walk | Self::WalkSmall | Self::WalkLarge => "walk",
            Self::Boxes => "boxes",
        }
    }

    /// Returns the length of the list that is walked.
    fn places(self) -> &'static str {
        match self {
            Self::WalkSmall => "1 << 17",
            Self::WalkLarge => "1 << 22",
            Self::Spin | Self::Walk | Self::Boxes => PLACES,
        }
    }
}

/// The declaration of an experiment with a known ratio.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup<'a> {
    /// The kind of work.
    pub(crate) source: Source,
    /// The work of each variant, in per mille of the rounds asked for.
    pub(crate) work: &'a [u64],
    /// The number of rounds of a call, for each size; 100,000 of `spin` take some 0.2 ms.
    pub(crate) rounds: &'a [u32],
    /// Additional lines for `[measure]`, and tables after it.
    pub(crate) measure: &'a str,
    /// The order in which the variants are listed: that of their numbers, or the reverse one.
    pub(crate) listed: Listed,
}

/// The order of the variants in the experiment file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Listed {
    #[default]
    AsNumbered,
    Reversed,
}

/// An experiment in a folder of its own.
pub(crate) struct Spin {
    folder: tempfile::TempDir,
    cache: PathBuf,
    binary: PathBuf,
}

/// The result of a run.
pub(crate) struct Ran {
    /// The report, as in `report.json`.
    pub(crate) report: Value,
    /// CPU time of the command with all its processes, in seconds.
    pub(crate) cpu_s: f64,
    /// The folder of the results.
    pub(crate) results: tempfile::TempDir,
}

/// The verdict on a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// The first is faster.
    First,
    /// The second is faster.
    Second,
    /// They differ by no more than the practical threshold.
    Tie,
    /// There is no call.
    Nothing,
}

/// Returns the name of a variant.
pub(crate) fn name(variant: usize) -> String {
    format!("v{variant}")
}

impl Spin {
    /// Writes the experiment to a folder of its own.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn new(setup: &Setup<'_>) -> Result<Self, Failure> {
        let components = Path::new(env!("CARGO_MANIFEST_DIR")).join("../components");
        let (spin, own) = (components.join("spin"), setup.source.name());
        let folder = tempfile::tempdir()?;
        let to = folder.path();
        std::fs::create_dir(to.join("wit"))?;
        std::fs::copy(spin.join("wit/spin.wit"), to.join("wit/spin.wit"))?;
        std::fs::copy(spin.join("workload.rs"), to.join("workload.rs"))?;
        let source = std::fs::read_to_string(components.join(format!("{own}/{own}.rs")))?;
        let mut text = format!(
            "name = \"spin\"\nproblem = \"Which spins less?\"\n\
             [interface]\nwit = \"wit\"\ncall = \"spin\"\n\
             [workload]\nsource = \"workload.rs\"\nsizes = {:?}\n[measure]\n{}\n",
            setup.rounds, setup.measure
        );
        let mut variants: Vec<(usize, &u64)> = setup.work.iter().enumerate().collect();
        if setup.listed == Listed::Reversed {
            variants.reverse();
        }
        for (variant, work) in variants {
            let (name, file) = (name(variant), format!("{}.rs", name(variant)));
            let mine = source
                .replace("PER_MILLE: u64 = 1000", &format!("PER_MILLE: u64 = {work}"))
                .replace(&format!("b\"{own}\""), &format!("b\"{name}\""))
                .replace(PLACES, setup.source.places());
            std::fs::write(to.join(&file), mine)?;
            text.push_str(&format!(
                "[[approach]]\nname = \"{name}\"\nsource = \"{file}\"\n"
            ));
        }
        std::fs::write(to.join("bakeoff.toml"), text)?;
        Ok(Self::in_folder(folder))
    }

    /// Takes the experiment that lies in a folder.
    pub(crate) fn in_folder(folder: tempfile::TempDir) -> Self {
        Self {
            folder,
            cache: Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
            binary: PathBuf::from(env!("CARGO_BIN_EXE_bakeoff")),
        }
    }

    /// Returns the experiment as another build of bakeoff runs it, with a cache of its own.
    pub(crate) fn by(self, binary: &Path) -> Self {
        Self {
            cache: self.cache.with_file_name("cache-of-another"),
            binary: binary.to_owned(),
            ..self
        }
    }

    /// Runs the experiment with a seed of its own, without any stored results.
    ///
    /// # Errors
    /// The command failed; the error has its output.
    pub(crate) fn run(&self, seed: u64) -> Result<Ran, Failure> {
        let results = tempfile::tempdir()?;
        let before = children_cpu_s()?;
        let output = self.command(seed, results.path()).output()?;
        let cpu_s = children_cpu_s()? - before;
        // 1 stands for a report that recommends nothing: there was no time to measure at all.
        if !matches!(output.status.code(), Some(0 | 1)) {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("bakeoff run: {}: {said}", output.status).into());
        }
        Ok(Ran {
            report: serde_json::from_slice(&output.stdout)?,
            cpu_s,
            results,
        })
    }

    /// Returns the command that runs the experiment with a seed of its own, and leaves the results in
    /// a folder.
    pub(crate) fn command(&self, seed: u64, results: &Path) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(["run", "--quiet", "--format", "json", "--seed"])
            .arg(seed.to_string())
            .args([Path::new("--out"), results])
            .args([Path::new("--cache-dir"), &self.cache])
            .arg(self.folder.path())
            .stdin(Stdio::null());
        command
    }
}

impl Ran {
    /// Returns the CPU time of the calls in all samples that this build of bakeoff took, in seconds.
    ///
    /// # Errors
    /// The results cannot be read.
    pub(crate) fn timed_s(&self) -> Result<f64, Failure> {
        let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
            .args(["export", "--table", "samples", "--format", "jsonl"])
            .arg(self.results.path())
            .output()?;
        let mut timed_ns = 0.0;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let sample: Value = serde_json::from_str(line)?;
            timed_ns += sample["cpu_ns"].as_f64().ok_or("a sample has no time")?;
        }
        Ok(timed_ns / 1e9)
    }

    /// Returns the verdict on the first two variants, and the ratio of their times, if there is
    /// one.
    pub(crate) fn first_pair(&self) -> (Said, Option<f64>) {
        let Some((row, turned)) = self.first_row() else {
            return (Said::Nothing, None);
        };
        let said = match (row["verdict"].as_str(), turned) {
            (Some("beats"), false) | (Some("beaten"), true) => Said::First,
            (Some("beats"), true) | (Some("beaten"), false) => Said::Second,
            (Some("tie"), _) => Said::Tie,
            _ => Said::Nothing,
        };
        let ratio = row["ratio"].as_f64();
        let ratio = ratio.map(|ratio| if turned { 1.0 / ratio } else { ratio });
        (said, ratio)
    }

    /// Returns the interval for the ratio of the first two variants, if there is a row on them; a
    /// bound that is not known is infinite. The interval only ever narrows, so a ratio within the
    /// final one was within it at all times.
    pub(crate) fn first_interval(&self) -> Option<RangeInclusive<f64>> {
        let (row, turned) = self.first_row()?;
        let low = row["low"].as_f64().unwrap_or(0.0);
        let high = row["high"].as_f64().unwrap_or(f64::INFINITY);
        Some(if turned {
            1.0 / high..=1.0 / low
        } else {
            low..=high
        })
    }

    /// Returns the row on the first two variants over all cases, and true if it names the second
    /// first.
    fn first_row(&self) -> Option<(&Value, bool)> {
        let is_it = |row: &&Value| {
            let has = |name: &str| row["a"] == name || row["b"] == name;
            row["case"].is_null() && has("v0") && has("v1")
        };
        let row = self.report["verdicts"].as_array()?.iter().find(is_it)?;
        Some((row, row["a"] != "v0"))
    }
}

/// Returns the CPU time of all children that were waited for, and of theirs, in seconds.
///
/// # Errors
/// `/proc` cannot be read.
pub(crate) fn children_cpu_s() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // Behind the name, which may hold anything, come the state and 12 numbers before these two.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: Vec<f64> = ticks.filter_map(|ticks| ticks.parse().ok()).collect();
    if ticks.len() < 2 {
        return Err("/proc/self/stat lacks the times of children".into());
    }
    Ok(ticks.iter().sum::<f64>() / TICKS_PER_S)
}
