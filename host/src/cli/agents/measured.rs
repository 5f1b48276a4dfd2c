//! Options on how what passed is measured.

use crate::cli::failure::Failure;
use crate::cli::metric_options::MetricOptions;
use crate::cli::models;
use crate::cli::whole_numbers;
use crate::library::{MeasuredRounds, timing_options};
use bakeoff_agents::{NotBuilt, VariantMeasurement};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::series::{SeriesEnd, SeriesReport};
use bakeoff_programs::{CommandLine, Decides, Shell, TimingOptions};
use clap::Args;
use serde::Serialize;
use std::time::Duration;

/// Options on the measurement.
#[derive(Debug, Args)]
pub(super) struct MeasureArguments {
    /// A command by which what passed is timed, or measured by --metric, against the base and each other, behind the
    /// fence. It can write to $TMPDIR alone
    #[arg(long, value_name = "COMMAND", requires = "verify")]
    measure: Option<String>,
    /// A command that is run once before --measure, and can write files
    #[arg(long, value_name = "COMMAND", requires = "measure")]
    build: Option<String>,
    /// The time for all runs of --measure that count [default: 30s, or as long as 12 blocks take]
    #[arg(long, value_name = "TIME", requires = "measure", value_parser = models::time)]
    budget: Option<Duration>,
    #[command(flatten)]
    metric: MetricOptions,
    /// Draw the same orders of --measure again: the seed that its report has with --verbose, or a number
    #[arg(long, value_name = "SEED", requires = "measure", value_parser = whole_numbers::run_seed)]
    seed: Option<RunSeed>,
}

/// Commands and options of a measurement.
pub(super) struct MeasurePlan {
    pub(super) command: CommandLine,
    pub(super) build: Option<CommandLine>,
    /// Options for each round.
    pub(super) options: Vec<TimingOptions>,
}

impl MeasureArguments {
    /// Returns what is to be measured after each of so many rounds, if anything is; `wall` is the longest time of a run.
    pub(super) fn plan(&self, wall: Duration, rounds: u32) -> Result<Option<MeasurePlan>, Failure> {
        let line = |text: &String| {
            let line = CommandLine::one_elsewhere(text, &Shell::IfNeeded);
            line.map_err(|error| Failure::usage(error.to_string()))
        };
        let metric = self.metric.metric()?;
        let Some(command) = self.measure.as_ref().map(line).transpose()? else {
            if metric.is_some() {
                return Err(Failure::usage(
                    "--metric names a number that a command writes: --measure COMMAND says which",
                ));
            }
            return Ok(None);
        };
        let measured = MeasuredRounds {
            decides: metric.map_or(Decides::Wall, Decides::Metric),
            rounds,
            budget: self.budget,
            wall,
            seed: self.seed,
        };
        Ok(Some(MeasurePlan {
            command,
            build: self.build.as_ref().map(line).transpose()?,
            options: timing_options(&measured)?,
        }))
    }
}

/// Measurement as a part of the report.
#[derive(Serialize)]
pub(super) struct MeasuredReport {
    /// Command that was timed.
    pub(super) command: String,
    /// Command that was run before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) build: Option<String>,
    /// Sides that could not be built.
    pub(super) not_built: Vec<NotBuiltRow>,
    /// Report of the comparison; none if less than two were left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) report: Option<SeriesReport>,
}

/// Variant, or base, that could not be built.
#[derive(Serialize)]
pub(super) struct NotBuiltRow {
    pub(super) name: String,
    pub(super) reason: String,
}

impl MeasuredReport {
    /// Returns true if the user ended it before it was known which is ahead.
    pub(super) fn is_interrupted(&self) -> bool {
        let report = self.report.as_ref();
        report.is_some_and(|report| report.ended == SeriesEnd::Interrupted)
    }

    pub(super) fn new(plan: &MeasurePlan, measurement: VariantMeasurement) -> Self {
        let row = |NotBuilt { name, reason }| NotBuiltRow { name, reason };
        Self {
            command: plan.command.text().to_owned(),
            build: plan.build.as_ref().map(|build| build.text().to_owned()),
            not_built: measurement.not_built.into_iter().map(row).collect(),
            report: measurement.outcome.map(|outcome| outcome.report),
        }
    }
}
