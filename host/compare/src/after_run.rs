//! The inputs of a comparison once it was run: a file of them, and the simplest input on which files differ.

use crate::Say;
use crate::bounds::SearchBounds;
use crate::derived::Derived;
use crate::error::CompareError;
use crate::saved_inputs::{self, SavedInputs};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::{Experiment, Inputs};
use bakeoff_render::UntimedComparison;

impl Derived {
    /// Returns inputs that a run of the experiment timed, of each of its sizes, as a file of cases.
    ///
    /// # Errors
    /// The inputs of the experiment are not drawn, or something failed that does not depend on the approaches.
    pub(crate) async fn timed_inputs(
        &self,
        report: &Report,
        experiment: Experiment,
    ) -> Result<SavedInputs, CompareError> {
        let Inputs::Generated { sizes, texts, .. } = experiment.workload.inputs.clone() else {
            return Err(CompareError::usage(
                "--save-inputs is for inputs that are drawn",
            ));
        };
        let (fuel, count) = (experiment.limits.fuel, sizes.len() + texts.len());
        let bounds = SearchBounds::default();
        let seed = report.experiment.seed;
        let looking = self.looking(experiment.clone(), seed, bounds);
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
    pub(crate) async fn difference_at(
        &self,
        (size, input): (u32, u64),
        experiment: Experiment,
        seed: RunSeed,
        say: Say<'_>,
    ) -> Result<Option<UntimedComparison>, CompareError> {
        let bounds = SearchBounds::within(experiment.measure.budget);
        let looking = self.looking(experiment, seed, bounds);
        say("making the input on which they differ simpler");
        looking.difference_at(size, input, say).await
    }
}
