//! The inputs of a comparison once it was run: a file of them, and the simplest input on which files differ.

use super::derived::Derived;
use super::effort::SearchBounds;
use super::failure::Failure;
use super::options::{Output, Safety};
use super::saved_inputs::{self, SavedInputs};
use bakeoff_config::Policy;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::{Experiment, Inputs};
use bakeoff_render::Untimed;

impl Derived {
    /// Returns inputs that a run of the experiment timed, of each of its sizes, as a file of cases.
    ///
    /// # Errors
    /// The inputs of the experiment are not drawn, or something failed that does not depend on the approaches.
    pub(super) async fn timed_inputs(
        &self,
        report: &Report,
        experiment: Experiment,
        safety: &Safety,
        policy: &Policy,
    ) -> Result<SavedInputs, Failure> {
        let Inputs::Generated { sizes, texts, .. } = experiment.workload.inputs.clone() else {
            return Err(Failure::usage("--save-inputs is for inputs that are drawn"));
        };
        let (fuel, count) = (experiment.limits.fuel, sizes.len() + texts.len());
        let bounds = SearchBounds::default();
        let seed = report.experiment.seed;
        let looking = self.looking(experiment.clone(), seed, safety, policy, bounds)?;
        let inputs = self.inputs(sizes, texts);
        let survey = looking
            .open_as(experiment, inputs, fuel, &mut |_| ())
            .await?;
        saved_inputs::of_run(&survey, &self.found, report, count).await
    }

    /// Returns the disagreement on an input that was drawn for a run of the approaches, by its size and seed; `None` if
    /// they agree there.
    ///
    /// # Errors
    /// Something failed that does not depend on the approaches.
    pub(super) async fn difference_at(
        &self,
        (size, input): (u32, u64),
        experiment: Experiment,
        seed: RunSeed,
        safety: &Safety,
        policy: &Policy,
        output: &Output,
    ) -> Result<Option<Untimed>, Failure> {
        let bounds = SearchBounds::of(experiment.measure.budget);
        let looking = self.looking(experiment, seed, safety, policy, bounds)?;
        let mut say = output.reporter();
        say("making the input on which they differ simpler");
        looking.difference_at(size, input, &mut say).await
    }
}
