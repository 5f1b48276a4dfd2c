//! The gate of a prototype that the experiment need not name, as a run has it.

use super::super::child_work::Check;
use super::super::error::RunError;
use super::{Survey, SurveyedPrototype};
use bakeoff_compile::BuildKind;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::plan::RunSeed;
use bakeoff_runner::Call;

impl Survey {
    /// Checks a prototype, on another machine where there is one, as a run checks a variant before it is timed: every case, on fresh instances and after other calls.
    /// The inputs are the same every time, so that messages about them are the same; a run draws others. Returns the
    /// failure, with the call that showed it; `None` if it passes.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the prototype.
    pub async fn check(
        &self,
        prototype: &SurveyedPrototype,
    ) -> Result<Option<(Failure, Option<Call>)>, RunError> {
        let work = |prototype| Check {
            prototype,
            seed: RunSeed::Named(0),
            repeats_fuel: None,
        };
        let (config, workers) = (&self.context.config, self.context.workers.as_ref());
        let prototypes = (std::slice::from_ref(prototype), BuildKind::Release);
        let checked = self.each_with(workers, config, prototypes, work);
        let checked = checked.await?;
        Ok(match checked.into_iter().next() {
            Some(Ok(record)) => {
                let call = record.calls.last().copied();
                record.failure.map(|failure| (failure, call))
            }
            Some(Err(failure)) => Some((failure, None)),
            None => None,
        })
    }
}
