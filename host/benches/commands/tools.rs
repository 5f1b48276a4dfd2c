//! Both tools on a pair of commands: bakeoff, and hyperfine if it is there.

use crate::Failure;
use crate::json::Json;
use crate::statistics::{Said, by_spread, by_welch};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Two commands, and how they are to be compared.
pub(crate) struct Pair {
    pub(crate) commands: [String; 2],
    /// The same for hyperfine, which never uses a shell here.
    pub(crate) without_shell: [String; 2],
    /// Commands that run before each run of the first and of the second.
    pub(crate) prepare: Option<[String; 2]>,
    /// Options of `bakeoff time` besides.
    pub(crate) options: Vec<String>,
}

impl Pair {
    pub(crate) fn new(first: String, second: String) -> Self {
        Self {
            without_shell: [first.clone(), second.clone()],
            commands: [first, second],
            prepare: None,
            options: Vec::new(),
        }
    }

    /// The same commands, the second one first.
    pub(crate) fn turned(&self) -> Self {
        let turned = |[first, second]: &[String; 2]| [second.clone(), first.clone()];
        Self {
            commands: turned(&self.commands),
            without_shell: turned(&self.without_shell),
            prepare: self.prepare.as_ref().map(turned),
            options: self.options.clone(),
        }
    }
}

/// The end of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    First,
    Second,
    Tie,
    NoCall,
}

/// The answer of bakeoff.
pub(crate) struct Told {
    pub(crate) outcome: Outcome,
    /// The value of the first over that of the second, if one is told.
    pub(crate) ratio: Option<f64>,
    /// True if there is a winner by less than the practical threshold.
    pub(crate) is_small: bool,
    pub(crate) blocks: f64,
    /// The time of the whole command, and of one block.
    pub(crate) seconds: f64,
    pub(crate) block_seconds: f64,
    /// The answer in words, with the seed.
    pub(crate) text: String,
    pub(crate) warnings: usize,
}

/// The answer that a reader sees in what hyperfine tells.
pub(crate) struct Seen {
    pub(crate) by_spread: Said,
    pub(crate) by_welch: Said,
    pub(crate) seconds: f64,
}

/// The programs that are compared with each other.
pub(crate) struct Tools {
    bakeoff: OsString,
    hyperfine: Option<OsString>,
    /// The file for hyperfine's results.
    export: PathBuf,
}

impl Tools {
    /// Finds bakeoff in `BAKEOFF`, else as cargo built it, and hyperfine in the search path.
    ///
    /// # Errors
    /// There is no bakeoff.
    pub(crate) fn find(export: PathBuf) -> Result<Self, Failure> {
        let built = || option_env!("CARGO_BIN_EXE_bakeoff").map(OsString::from);
        let bakeoff = std::env::var_os("BAKEOFF").or_else(built);
        let bakeoff = bakeoff.ok_or("BAKEOFF does not say where bakeoff is")?;
        let is_there = |program: &OsString| {
            let output = Command::new(program).arg("--version").output();
            output.is_ok_and(|output| output.status.success())
        };
        if !is_there(&bakeoff) {
            return Err(format!("{} does not start", bakeoff.display()).into());
        }
        let hyperfine = OsString::from("hyperfine");
        Ok(Self {
            bakeoff,
            hyperfine: Some(hyperfine).filter(is_there),
            export,
        })
    }

    pub(crate) fn has_hyperfine(&self) -> bool {
        self.hyperfine.is_some()
    }

    /// Has bakeoff compare a pair, whose commands are called `first` and `second`.
    ///
    /// # Errors
    /// It gives no report, or a command failed.
    pub(crate) fn time(&self, pair: &Pair) -> Result<Told, Failure> {
        let mut command = Command::new(&self.bakeoff);
        command.args(["time", "--format", "json", "-n", "first", "-n", "second"]);
        command.args(&pair.options);
        for prepare in pair.prepare.iter().flatten() {
            command.args(["--prepare", prepare]);
        }
        command.arg("--").args(&pair.commands);
        let start = Instant::now();
        let output = command.stdin(Stdio::null()).output()?;
        let seconds = start.elapsed().as_secs_f64();
        if !matches!(output.status.code(), Some(0 | 1)) || output.stdout.is_empty() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("bakeoff: {}: {said}", output.status).into());
        }
        let report = Json::read(&String::from_utf8(output.stdout)?)?;
        let outcome = match (report.text("outcome"), report.text("winner")) {
            ("winner", "first") => Outcome::First,
            ("winner", "second") => Outcome::Second,
            ("tie", _) => Outcome::Tie,
            ("no-call", _) => Outcome::NoCall,
            (other, winner) => return Err(format!("an outcome: {other}, {winner}").into()),
        };
        let is_turned = report.text("verdicts.0.a") == "second";
        let ratio = report.number("verdicts.0.value");
        let warnings = match report.at("warnings") {
            Some(Json::List(warnings)) => warnings.len(),
            _ => 0,
        };
        let text = format!("{} Seed {}.", report.text("text"), report.text("seed"));
        Ok(Told {
            outcome,
            ratio: ratio.map(|ratio| if is_turned { ratio.recip() } else { ratio }),
            is_small: report.text("outcome") == "winner"
                && report.is_true("verdicts.0.below_threshold"),
            blocks: report.number("blocks").unwrap_or(f64::NAN),
            seconds,
            block_seconds: report.number("block_seconds").unwrap_or(f64::NAN),
            text,
            warnings,
        })
    }

    /// Has hyperfine time a pair, so often as it likes or exactly `runs` times; nothing without hyperfine.
    ///
    /// # Errors
    /// It exports nothing.
    pub(crate) fn hyperfine(
        &self,
        pair: &Pair,
        runs: Option<u32>,
    ) -> Result<Option<Seen>, Failure> {
        let Some(hyperfine) = &self.hyperfine else {
            return Ok(None);
        };
        let mut command = Command::new(hyperfine);
        command.args(["-N", "--style", "none", "--warmup", "1", "--export-json"]);
        command.arg(&self.export);
        if let Some(runs) = runs {
            command.args(["--runs", &runs.to_string()]);
        }
        for prepare in pair.prepare.iter().flatten() {
            command.args(["--prepare", prepare]);
        }
        command.arg("--").args(&pair.without_shell);
        let start = Instant::now();
        let output = command.stdin(Stdio::null()).output()?;
        let seconds = start.elapsed().as_secs_f64();
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("hyperfine: {}: {said}", output.status).into());
        }
        let results = Json::read(&std::fs::read_to_string(&self.export)?)?;
        let first = results.numbers("results.0.times");
        let second = results.numbers("results.1.times");
        if first.len() < 2 || second.len() < 2 {
            return Err("hyperfine exported no times".into());
        }
        Ok(Some(Seen {
            by_spread: by_spread(&first, &second),
            by_welch: by_welch(&first, &second),
            seconds,
        }))
    }
}
