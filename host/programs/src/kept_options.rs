//! Options, commands and machine of a comparison of commands, as they are kept.

use super::metric::CommandMetric;
use super::named_files::{NamedFile, digest};
use super::options::{Decides, TimedCommand, TimingOptions};
use bakeoff_domain::spec::Direction;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Numbers of commands that are compared.
const COMMANDS: std::ops::RangeInclusive<usize> = 2..=64;
/// The most blocks.
const BLOCKS_MAX: u32 = 20_000;
/// The largest file of `--input` by whose contents two comparisons are held to ask the same, in bytes.
const INPUT_BYTES_MAX: u64 = 4 << 30;
/// The largest margin.
const MARGIN_MAX: f64 = 1_000.0;

/// The machine that a comparison was made on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasuredMachine {
    /// CPU model.
    pub cpu: String,
    /// Cores of the machine.
    pub cores: u32,
    /// Operating system and kernel.
    pub system: String,
}

/// Options of a comparison, and the machine that it was made on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptOptions {
    /// Version of bakeoff that made it.
    pub made_by: String,
    /// The machine.
    pub machine: MeasuredMachine,
    /// The quantity that decides.
    pub decides: KeptDecides,
    /// The stdin of every run.
    pub input: KeptInput,
    /// True if commands ran behind a fence.
    pub is_fenced: bool,
    /// True if a shell started the commands.
    pub is_by_shell: bool,
    /// 1 − α for all claims together.
    pub confidence: f64,
    /// δ: differences below this fraction do not matter in practice.
    pub practical: f64,
    /// The most blocks.
    pub runs_max: u32,
    /// Margin by which the others may be worse than the first command, if that was asked.
    pub margin: Option<f64>,
    /// True if such a question is answered well enough by not knowing.
    pub passes_if_unsure: bool,
}

/// Stdin of every run of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptInput {
    /// Nothing.
    Empty,
    /// A file with this SHA-256.
    File(String),
    /// A file that was too large, or could not be read any more.
    Unknown,
}

/// A command of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptCommand {
    /// Its name.
    pub name: String,
    /// The command as it was typed.
    pub command: String,
    /// Commands before each run, before the first and after the last one.
    pub around: [Option<String>; 3],
    /// The reason why it failed.
    pub failure: Option<String>,
    /// Files that it names, as they were when it was measured; `None` if that is not known.
    pub files: Option<Vec<NamedFile>>,
}

/// The quantity that decides, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeptDecides {
    /// Time on the wall clock.
    Wall,
    /// CPU time of all its processes.
    Cpu,
    /// The largest memory of one of its processes.
    Memory,
    /// A number that it writes.
    Metric {
        /// Name.
        name: String,
        /// Regular expression by which it is found.
        pattern: String,
        /// Direction in which values are better.
        direction: Direction,
    },
}

impl KeptDecides {
    fn of(decides: &Decides) -> Self {
        match decides {
            Decides::Wall => Self::Wall,
            Decides::Cpu => Self::Cpu,
            Decides::Memory => Self::Memory,
            Decides::Metric(metric) => Self::Metric {
                name: metric.name().to_owned(),
                pattern: metric.pattern().to_owned(),
                direction: metric.direction(),
            },
        }
    }

    /// Returns the quantity.
    ///
    /// # Errors
    /// It is none, in words.
    pub(crate) fn decides(&self) -> Result<Decides, String> {
        Ok(match self {
            Self::Wall => Decides::Wall,
            Self::Cpu => Decides::Cpu,
            Self::Memory => Decides::Memory,
            Self::Metric {
                name,
                pattern,
                direction,
            } => {
                let metric = CommandMetric::new(name, Some(pattern), *direction);
                let wrong = "its metric has a name or a pattern that none has";
                Decides::Metric(metric.map_err(|_| wrong.to_owned())?)
            }
        })
    }
}

impl KeptCommand {
    pub(crate) fn of(
        command: &TimedCommand,
        failure: Option<String>,
        files: Option<Vec<NamedFile>>,
    ) -> Self {
        let around = [&command.prepare, &command.setup, &command.cleanup];
        Self {
            name: command.name.clone(),
            command: command.line.text().to_owned(),
            around: around.map(|line| line.as_ref().map(|line| line.text().to_owned())),
            failure,
            files,
        }
    }

    /// Returns true if it is surely the same command as another one: in its words, and in all files that these name.
    pub fn is_same(&self, other: &Self) -> bool {
        self.command == other.command
            && self.around == other.around
            && self.files.is_some()
            && self.files == other.files
    }
}

impl KeptOptions {
    pub(crate) fn of(
        commands: &[TimedCommand],
        options: &TimingOptions,
        machine: MeasuredMachine,
    ) -> Self {
        let input = options.input.as_ref().map(|path| {
            let digest = digest(path, &mut { INPUT_BYTES_MAX });
            digest.map_or(KeptInput::Unknown, KeptInput::File)
        });
        Self {
            made_by: env!("CARGO_PKG_VERSION").to_owned(),
            machine,
            decides: KeptDecides::of(&options.decides),
            input: input.unwrap_or(KeptInput::Empty),
            is_fenced: commands.iter().any(|command| command.fenced.is_some()),
            is_by_shell: commands.iter().any(|command| command.line.is_by_shell()),
            confidence: options.confidence,
            practical: options.practical,
            runs_max: options.runs_max,
            margin: options.margin,
            passes_if_unsure: false,
        }
    }

    /// Checks that a comparison can have been made so.
    ///
    /// # Errors
    /// The reason why not.
    pub(crate) fn check(&self, commands: &[KeptCommand]) -> Result<(), String> {
        let share = |value: f64, most: f64| value > 0.0 && value < most;
        if !COMMANDS.contains(&commands.len()) {
            return Err(format!("it has {} commands", commands.len()));
        }
        let names: BTreeSet<&str> = commands.iter().map(|one| one.name.as_str()).collect();
        if names.len() != commands.len() || names.contains("") {
            return Err("its commands have no names of their own".to_owned());
        }
        if !share(self.confidence, 1.0) || self.confidence < 0.5 || !share(self.practical, 1.0) {
            return Err("its confidence or its practical threshold is none".to_owned());
        }
        if !(1..=BLOCKS_MAX).contains(&self.runs_max) {
            return Err(format!("it may have {} blocks", self.runs_max));
        }
        if self
            .margin
            .is_some_and(|margin| !(margin > 0.0 && margin <= MARGIN_MAX))
        {
            return Err("its margin is none".to_owned());
        }
        self.decides.decides().map(drop)
    }

    /// Returns what the two comparisons ask that is not the same, if anything is.
    pub fn otherwise_asked(&self, other: &Self) -> Option<&'static str> {
        let parts = [
            ("quantity", self.decides != other.decides),
            (
                "input",
                self.input != other.input || self.input == KeptInput::Unknown,
            ),
            ("fence", self.is_fenced != other.is_fenced),
            ("shell", self.is_by_shell != other.is_by_shell),
        ];
        parts
            .into_iter()
            .find_map(|(name, differs)| differs.then_some(name))
    }
}
