//! The options of `bakeoff run`.

use super::consent_options::ConsentOptions;
use super::effort::{self, Effort};
use super::failure::Failure;
use super::on_event::OnEvent;
use super::options::Safety;
use super::other_machines::WorkersArguments;
use super::rounds::RoundsArguments;
use super::whole_numbers;
use crate::library;
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::plan::RunSeed;
use bakeoff_store::{ResultsPlace, Start};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Runs an experiment, or goes on with one that was interrupted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  bakeoff run                        the experiment in this folder
  bakeoff run examples/top-k --budget 5s --seed 7
  bakeoff run examples/top-k --format json > report.json

Inputs come from a workload (`source` and `sizes` under [workload]), or from a file of calls in WAVE
(`cases = \"cases.toml\"`):
  [[case]]
  call = \"top-k([3, 1, 2], 1)\"
  expect = \"[3]\"                    in all cases or in none: without it, answers are compared

Exit status: 0 if there is a winner or a tie for the first place; 3 the same, but some variants failed;
1 if nothing is recommended or measuring ended before it was known which is ahead, whether variants
failed or not; 130 if interrupted.")]
pub(super) struct Arguments {
    /// A folder with a bakeoff.toml, or such a file
    #[arg(default_value = ".")]
    pub(super) experiment: PathBuf,
    /// Start over; earlier runs stay where they are
    #[arg(long)]
    pub(super) fresh: bool,
    /// The folder for results, instead of .bakeoff/NAME beside the experiment
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Inputs and orders follow from it, as in the run that reported it; random if not given
    #[arg(long, value_name = "N", value_parser = whole_numbers::run_seed)]
    pub(super) seed: Option<RunSeed>,
    /// Time for checking and measuring, after building: 500ms, 40s, 2min
    #[arg(long, value_name = "TIME", value_parser = effort::parse_budget)]
    pub(super) budget: Option<Duration>,
    #[command(flatten)]
    pub(super) effort: Effort,
    #[command(flatten)]
    pub(super) workers: WorkersArguments,
    /// After the race, build the Rust sources for this machine, too, and race them as programs, behind a fence: both
    /// times, and where the order is another one
    #[arg(long)]
    pub(super) natively: bool,
    #[command(flatten, next_help_heading = "A search before the race")]
    pub(super) rounds: RoundsArguments,
    #[command(
        flatten,
        next_help_heading = "Approaches from the model of [generate], opinions from the model of [judge]"
    )]
    pub(super) leave: ConsentOptions,
    #[command(flatten)]
    pub(super) on_event: OnEvent,
    #[command(flatten)]
    pub(super) safety: Safety,
}

impl Arguments {
    /// Returns the folder for results.
    ///
    /// # Errors
    /// A link is on the way to the one beside the experiment.
    pub(super) fn results(&self, loaded: &LoadedExperiment) -> Result<ResultsPlace, Failure> {
        Ok(match &self.out {
            Some(folder) => ResultsPlace::Named(folder.clone()),
            None => library::results_folder(&loaded.dir, &loaded.experiment)?,
        })
    }

    /// Returns the way to begin: anew, or on with the results that are there.
    pub(super) fn start(&self) -> Start {
        if self.fresh {
            Start::Fresh
        } else {
            Start::Resume
        }
    }
}
