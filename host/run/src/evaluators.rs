//! The evaluators of an experiment, built and asked for their criteria before anything is measured.

use super::error::RunError;
use super::guest_builds::NamedGuest;
use bakeoff_compile::{Builder, BuiltComponent};
use bakeoff_config::{ConfigPlace, LoadedExperiment};
use bakeoff_domain::spec::EvaluatedCriterion;
use bakeoff_measure::RunnerConfig;
use bakeoff_measure::evaluate::check_description;
use bakeoff_source::RunFiles;
use bakeoff_source::interface::World;
use std::sync::Arc;

/// An evaluator that was built and asked.
#[derive(Clone, Debug)]
pub struct BuiltEvaluator {
    /// The component.
    pub built: Arc<BuiltComponent>,
    /// The criteria that it describes.
    pub criteria: Vec<EvaluatedCriterion>,
}

/// Builds the evaluators of an experiment in their order, and asks each for its criteria.
///
/// # Errors
/// An evaluator cannot be built, or describes no criteria that could be used; the error points at
/// it.
pub(super) async fn open(
    loaded: &LoadedExperiment,
    files: &RunFiles,
    builder: &Builder,
    config: &RunnerConfig,
) -> Result<Vec<BuiltEvaluator>, RunError> {
    let mut evaluators = Vec::new();
    let declared = loaded.experiment.evaluators.iter().enumerate();
    for ((place, evaluator), code) in declared.zip(&files.evaluators) {
        let guest = NamedGuest {
            loaded,
            world: World::Evaluator,
            name: &evaluator.name,
            place: ConfigPlace::Evaluator(place),
        };
        let built = guest.build(code, builder).await?;
        let described = bakeoff_measure::describe(config, &built.checked).await;
        let criteria = described.map_err(RunError::Runner)?.map_err(|why| {
            let help = "its `describe` must return before anything is measured";
            guest.unusable(&why, help)
        })?;
        check_description(&criteria).map_err(|why| {
            let help = "change what its `describe` returns";
            guest.unusable(&format!("it {why}"), help)
        })?;
        evaluators.push(BuiltEvaluator { built, criteria });
    }
    Ok(evaluators)
}
