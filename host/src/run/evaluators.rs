//! The evaluators of an experiment, built and asked what they evaluate before anything is measured.

use super::error::RunError;
use crate::compile::{BuildKind, BuildRequest, Builder, BuiltComponent};
use crate::config::{ConfigPlace, LoadedExperiment};
use crate::evaluate::check_description;
use crate::interface::{Interface, World};
use crate::measure::{self, RunnerConfig};
use crate::source::RunFiles;
use bakeoff_domain::spec::EvaluatedCriterion;
use std::sync::Arc;

/// An evaluator that was built and asked.
#[derive(Clone, Debug)]
pub struct BuiltEvaluator {
    /// The component.
    pub built: Arc<BuiltComponent>,
    /// The criteria that it describes.
    pub criteria: Vec<EvaluatedCriterion>,
}

/// Builds the evaluators of an experiment in their order, and asks each what it evaluates.
///
/// # Errors
/// One cannot be built, or says nothing that could be used; the error points at it.
pub(super) async fn open(
    loaded: &LoadedExperiment,
    files: &RunFiles,
    builder: &Builder,
    config: &RunnerConfig,
) -> Result<Vec<BuiltEvaluator>, RunError> {
    let mut evaluators = Vec::new();
    let interface = Arc::new(Interface::of_evaluators());
    let declared = loaded.experiment.evaluators.iter().enumerate();
    for ((place, evaluator), code) in declared.zip(&files.evaluators) {
        let name = &evaluator.name;
        let unusable = |why: &str, help: &str| {
            let message = format!("the evaluator `{name}` cannot be used: {why}");
            RunError::from(loaded.wrong(ConfigPlace::Evaluator(place), &message, "this one", help))
        };
        let failed =
            |failure: bakeoff_domain::failure::Failure| match failure.class.is_machine_fault() {
                true => RunError::Machine(failure.message),
                false => unusable(
                    &format!("{}: {}", failure.class, failure.message),
                    "an evaluator implements the world `bakeoff:evaluator/evaluator@0.1.0`: \
                 `bakeoff init --evaluator NAME` makes one that works",
                ),
            };
        let request = BuildRequest {
            interface: Arc::clone(&interface),
            world: World::Evaluator,
            code: code.clone().map_err(failed)?,
            // It is not timed, so it may as well report its panics.
            kind: BuildKind::Diagnostic,
            memory_bytes: 0,
            parameters: false,
        };
        let built = builder.build(&request).await.map_err(failed)?;
        let described = measure::describe(config, &built.checked).await;
        let criteria = described.map_err(RunError::Runner)?.map_err(|why| {
            unusable(
                &why,
                "its `describe` must return before anything is measured",
            )
        })?;
        check_description(&criteria)
            .map_err(|why| unusable(&format!("it {why}"), "change what its `describe` returns"))?;
        evaluators.push(BuiltEvaluator { built, criteria });
    }
    Ok(evaluators)
}
