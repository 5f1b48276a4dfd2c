//! The beginning of a run in its store, and its stop before its end: what it opens, announces and leaves.

use super::error::RunError;
use super::options::RunOptions;
use super::variant_state::VariantState;
use bakeoff_domain::spec::Experiment;
use bakeoff_store::events::Event;
use bakeoff_store::{Mode, RunId, RunMeta, RunStatus, Start, Store};

/// Opens the store of a run, and reports what the user should know of it.
pub(super) fn open(
    options: &RunOptions,
    report: &mut (dyn FnMut(&str) + Send),
) -> Result<Store, RunError> {
    let mode = match options.start {
        Start::Resume => Mode::Write,
        Start::Fresh => Mode::SetAside,
    };
    let store = options.folder.open(mode)?;
    if let Some(aside) = store.set_aside() {
        report(&format!(
            "the results that were here are in {}",
            aside.display()
        ));
    }
    if let Some(reason) = store.unsealed() {
        report(&format!(
            "no later run will go on with these results, since it cannot tell that they are yours: \
             {reason}"
        ));
    }
    Ok(store)
}

/// Begins the run in the store, and reports if it continues an earlier one.
pub(super) fn begin(
    store: &mut Store,
    meta: &RunMeta<'_>,
    options: &RunOptions,
) -> Result<RunId, RunError> {
    let begun = store.begin_run(meta, options.start)?;
    let (experiment, experiment_id) = (meta.name.to_owned(), meta.experiment_id.to_owned());
    store.emit(match begun.continues {
        Some(_) => Event::RunResumed {
            experiment,
            experiment_id,
            kept: begun.kept,
        },
        None => Event::RunStart {
            experiment,
            experiment_id,
            seed: meta.seed,
        },
    })?;
    Ok(begun.id)
}

/// Declares the variants of a run, and announces them.
pub(super) fn announce(
    store: &mut Store,
    experiment: &Experiment,
    variants: &[VariantState],
) -> Result<(), RunError> {
    let criteria = experiment.criteria.iter();
    store.emit(Event::ExplorationStart {
        num_approaches: variants.len() as u32,
        criteria: criteria.map(|criterion| criterion.name.clone()).collect(),
    })?;
    for state in variants {
        let variant = &state.variant;
        store.declare_variant(
            variant.id.as_str(),
            &variant.name,
            &variant.approach,
            &variant.parameters,
        )?;
        let iteration = &variant.iteration;
        store.declare_iteration(
            variant.id.as_str(),
            iteration.number,
            iteration.parent,
            iteration.source.as_deref().unwrap_or_default(),
        )?;
        store.emit(Event::ApproachGenerated {
            approach_id: variant.id.as_str().to_owned(),
            description: variant.description.clone().unwrap_or_default(),
        })?;
    }
    Ok(())
}

/// Emits that a run stops without a report. Errors on the way are dropped, since they must not hide the first one.
pub(super) fn stopped(store: &mut Store, options: &RunOptions, error: &RunError) {
    let (event, status) = match error {
        RunError::Interrupted => (
            Event::RunInterrupted {
                resume: options.resume.clone(),
            },
            RunStatus::Interrupted,
        ),
        other => (
            Event::RunFailed {
                message: other.to_string(),
            },
            RunStatus::Failed,
        ),
    };
    let _ = store.emit(event);
    let _ = store.stop_run(status);
}
