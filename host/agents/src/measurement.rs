//! Measurement: what passed its verification, timed against the base and against each other, behind the same fence.

use super::completion::{AgentWorkOutcome, Completion};
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::orders::Orders;
use super::verification::{files_of, run_on};
use super::winner::{self, MeasuredAnswer};
use bakeoff_confine::{FileAccess, Network};
use bakeoff_files::Scratch;
use bakeoff_programs::{
    CommandFence, CommandLine, FenceReach, News, TimedCommand, TimingError, TimingOptions,
    TimingOutcome, compare,
};

/// Name of the base among what is measured. No variant has it, as it has a space.
pub const THE_BASE: &str = "the base";

/// Orders of a measurement.
#[derive(Debug)]
pub struct MeasureOrders<'a> {
    /// Command that is timed.
    pub command: &'a CommandLine,
    /// Command that is run once before, and may write into the folder.
    pub build: Option<&'a CommandLine>,
    /// Options of the comparison.
    pub options: &'a TimingOptions,
}

/// Variant, or base, that is not measured.
#[derive(Clone, Debug)]
pub struct NotBuilt {
    /// Name of the variant, or [`THE_BASE`].
    pub name: String,
    /// Reason.
    pub reason: String,
}

/// Measurement of what passed.
#[derive(Debug)]
pub struct VariantMeasurement {
    /// Outcome of the comparison; `None` if there were less than two to compare.
    pub outcome: Option<TimingOutcome>,
    /// Sides that are missing in it, as they could not be built.
    pub not_built: Vec<NotBuilt>,
}

/// Measures the base and all variants that passed their verification, each in a folder with the files of its commit and
/// the tests of the base, which it can read alone once it is built.
///
/// # Errors
/// This machine or git fails; the user interrupts it before anything was measured.
pub(crate) fn measure(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
    completions: &[Completion],
    how: &MeasureOrders<'_>,
    news: &mut dyn FnMut(News<'_>),
) -> Result<VariantMeasurement, AgentError> {
    let mut measurement = VariantMeasurement {
        outcome: None,
        not_built: Vec::new(),
    };
    let passed = completions.iter().filter_map(|completion| {
        let commit = completion.commit.as_deref()?;
        (completion.outcome == AgentWorkOutcome::Passed)
            .then_some((completion.variant.as_str(), commit))
    });
    let mut sides = vec![(THE_BASE, orders.request.base.as_str())];
    sides.extend(passed);
    if sides.len() < 2 {
        return Ok(measurement);
    }
    let mut folders: Vec<Scratch> = Vec::new();
    let mut commands = Vec::new();
    for (name, commit) in &sides {
        let folder = files_of(experiment, orders, commit)?;
        if let Some(build) = how.build {
            let built = run_on(build, folder.work(), orders)?.ended;
            if !built.succeeded {
                measurement.not_built.push(NotBuilt {
                    name: (*name).to_owned(),
                    reason: built.reason(),
                });
                continue;
            }
        }
        commands.push(command(name, &folder, orders, how));
        folders.push(folder);
    }
    if commands.len() > 1 {
        let outcome = compare(&commands, how.options, orders.interrupted, news);
        let outcome = outcome.map_err(failure)?;
        let variants = outcome.report.variants.iter();
        let measured: Vec<&str> = variants
            .filter(|variant| variant.failure.is_none())
            .map(|variant| variant.name.as_str())
            .collect();
        let of_measured = sides.iter().filter(|(name, _)| measured.contains(name));
        let answer = MeasuredAnswer {
            commits: of_measured
                .map(|(name, commit)| ((*name).to_owned(), (*commit).to_owned()))
                .collect(),
            winner: outcome.report.winner.clone(),
            text: outcome.report.text.clone(),
        };
        let place = experiment.place();
        let known = winner::read(&experiment.folder, &place);
        if answer.replaces(known.as_ref(), outcome.report.ended) {
            winner::write(&experiment.folder, &place, answer)?;
        }
        measurement.outcome = Some(outcome);
    }
    Ok(measurement)
}

/// Returns the command of a side, behind a fence that lets it read its folder and change nothing that lasts.
fn command(
    name: &str,
    folder: &Scratch,
    orders: &Orders<'_>,
    how: &MeasureOrders<'_>,
) -> TimedCommand {
    TimedCommand {
        name: name.to_owned(),
        line: how.command.clone(),
        prepare: None,
        setup: None,
        cleanup: None,
        fenced: Some(CommandFence {
            folder: folder.work().to_owned(),
            access: FileAccess::Execute,
            reach: FenceReach {
                network: Network::Closed,
                ..orders.reach.clone()
            },
        }),
    }
}

fn failure(error: TimingError) -> AgentError {
    match error {
        TimingError::Helper { .. } => AgentError::Usage(error.to_string()),
        TimingError::Machine(_) => AgentError::Machine(error.to_string()),
        TimingError::Interrupted { .. } => AgentError::Interrupted,
    }
}
