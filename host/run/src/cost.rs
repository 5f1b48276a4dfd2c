//! The cost of a run.

use super::evidence::Record;
use super::race_outcome::RaceOutcome;
use super::variant_state::VariantState;
use super::work;
use bakeoff_domain::report::{Cost, Opinions, Phase, PhaseCost, WorkerCost};
use bakeoff_measure::GateRecord;

/// Returns the cost of a run, from its evidence.
pub(super) fn cost(
    (record, opinions): (&Record, Option<&Opinions>),
    variants: &[VariantState],
    outcome: Option<&RaceOutcome>,
) -> Cost {
    let alive = variants.iter().filter(|state| state.is_alive()).count();
    let gates = variants.iter().filter_map(|state| state.gate.as_ref());
    let checked: u64 = gates.map(GateRecord::trials).sum();
    let assessments = record.assessments.iter();
    let assessed: usize = assessments.map(|one| one.value.answers.len()).sum();
    let evaluations = record.evaluations.iter();
    let evaluated: usize = evaluations.map(|one| one.value.answers.len()).sum();
    let lines = |state: &VariantState| state.build.as_ref()?.file_lines;
    let lines = variants.iter().filter_map(lines);
    let generated = record.generation.as_ref().map(|one| one.spent);
    let judged = opinions.map(|one| one.spent);
    let asked = || generated.into_iter().chain(judged);
    let models = asked().map(|spent| PhaseCost {
        phase: Phase::Models,
        tasks: spent.calls,
        seconds: spent.seconds,
    });
    Cost {
        seconds: record.seconds,
        trials: checked
            + (assessed + evaluated) as u64
            + outcome.map_or(0, |outcome| outcome.raced.calls),
        tokens: asked().map(|spent| spent.tokens).sum(),
        // The sum of no numbers is a negative zero, which would be shown as one.
        usd: asked().filter_map(|spent| spent.usd).sum::<f64>() + 0.0,
        workers: if record.work.workers.is_empty() {
            outcome.map(replicas).unwrap_or_default()
        } else {
            record.work.workers.clone()
        },
        machines: record.work.machines.clone(),
        phases: work::phases(models.chain(record.work.phases.iter().copied())),
        success_rate: alive as f64 / variants.len().max(1) as f64,
        files: lines.clone().count() as u64,
        source_lines: lines.sum(),
    }
}

/// Returns the work of each core in a run that did not store it: the number and time of the replicas that were pinned
/// to it.
fn replicas(outcome: &RaceOutcome) -> Vec<WorkerCost> {
    let replicas = outcome.raced.replicas.iter();
    work::added(replicas.map(|replica| WorkerCost {
        core: replica.surroundings.core,
        tasks: 1,
        busy_seconds: replica.surroundings.seconds,
    }))
}
