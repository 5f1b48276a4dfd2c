//! Options for a comparison of commands.

use super::command_fence::CommandFence;
use super::command_line::{CommandLine, Shell};
use super::metric::CommandMetric;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::series::Quantity;
use bakeoff_domain::series::ValueScale;
use bakeoff_domain::spec::Direction;
use std::path::PathBuf;
use std::time::Duration;

/// A command that is compared with others.
#[derive(Clone, Debug)]
pub struct TimedCommand {
    /// Name in the report, unlike all others.
    pub name: String,
    /// The command.
    pub line: CommandLine,
    /// Command that is run before each of its runs, and not timed.
    pub prepare: Option<CommandLine>,
    /// Command that is run once, before its first run.
    pub setup: Option<CommandLine>,
    /// Command that is run once, after its last run.
    pub cleanup: Option<CommandLine>,
    /// The fence that it runs behind, with what is run around it; `None` for the user's rights and folder. What prepares
    /// a run has the home of that run, and what sets up one of its own, which runs can read.
    pub fenced: Option<CommandFence>,
}

/// The quantity by which commands are compared.
#[derive(Clone, Debug)]
pub enum Decides {
    /// Time on the wall clock.
    Wall,
    /// CPU time of all its processes.
    Cpu,
    /// The largest memory of one of its processes.
    Memory,
    /// A number that it writes.
    Metric(CommandMetric),
}

impl Decides {
    /// The quantity.
    pub fn quantity(&self) -> Quantity {
        match self {
            Self::Wall => Quantity::time("wall time"),
            Self::Cpu => Quantity::cpu_time(),
            Self::Memory => Quantity {
                name: "peak memory".to_owned(),
                unit: "bytes".to_owned(),
                direction: Direction::LowerIsBetter,
                scale: ValueScale::Ratio,
            },
            Self::Metric(metric) => metric.quantity(),
        }
    }

    /// The practical threshold unless something else is said, as a share: 2 % for times on the wall clock, which is noisier
    /// than anything else, and 1 % for all others.
    pub fn usual_practical(&self) -> f64 {
        match self {
            Self::Wall => 0.02,
            Self::Cpu | Self::Memory | Self::Metric(_) => 0.01,
        }
    }

    /// The smallest step between two values, in the unit of the quantity; 0 for a number that is not known to have one.
    pub(crate) fn resolution(&self) -> f64 {
        match self {
            Self::Wall => 100.0,
            Self::Cpu => 1_000.0,
            Self::Memory => 4_096.0,
            Self::Metric(_) => 0.0,
        }
    }
}

/// Options for a comparison of commands.
#[derive(Clone, Debug)]
pub struct TimingOptions {
    /// The quantity that decides.
    pub decides: Decides,
    /// The shell that starts commands.
    pub shell: Shell,
    /// File that every run reads as its stdin; nothing if there is none.
    pub input: Option<PathBuf>,
    /// Time for all runs that count; `None` for as much as the fewest blocks take that can tell two apart, and half as
    /// much again, but 30 seconds at least.
    pub budget: Option<Duration>,
    /// Number of runs of each command before those that count.
    pub warm_up: u32,
    /// The fewest runs of each command that is left, even if all is known before.
    pub runs_min: u32,
    /// The most runs of each command.
    pub runs_max: u32,
    /// Time after which a run is ended and its command has failed.
    pub timeout: Option<Duration>,
    /// True if a run counts whatever its exit status is.
    pub ignores_failure: bool,
    /// True if a command fails that writes something else than the first one.
    pub same_output: bool,
    /// The seed of all orders.
    pub seed: RunSeed,
    /// 1 − α for all claims together.
    pub confidence: f64,
    /// δ: differences below this fraction do not matter in practice.
    pub practical: f64,
    /// True if the files that commands name are looked at once all have run, so that a [kept](super::KeptTiming)
    /// comparison knows its commands again.
    pub looks_at_files: bool,
    /// Margin by which the others may be worse than the first command, if that is asked.
    pub margin: Option<f64>,
}
