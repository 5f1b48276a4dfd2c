//! Fuel of approaches by the functions of their sources.

use super::Survey;
use crate::child_work::CountFuel;
use crate::error::RunError;
use bakeoff_compile::BuildKind;
use bakeoff_domain::failure::{Failure, Phase};
use bakeoff_domain::function_fuel::FuelByFunction;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_sandbox::GuestError;
use std::sync::Arc;

/// The most calls in which fuel is counted.
const CALLS_MAX: usize = 8;

/// Fuel of an approach by the functions of its source.
#[derive(Clone, Debug)]
pub struct SurveyedFuel {
    /// Name of the approach.
    pub approach: String,
    /// The fuel, or the reason why it is not known where it goes.
    pub fuel: Result<FuelByFunction, Failure>,
}

impl Survey {
    /// Returns the inputs on which fuel is counted: one of each case, or of eight over all cases where there are more.
    pub fn fuel_inputs(&self) -> Vec<(CaseIndex, u64)> {
        let all = self.inputs(1, usize::MAX);
        match all.len() {
            0..=CALLS_MAX => all,
            many => (0..CALLS_MAX)
                .map(|place| all[place * (many - 1) / (CALLS_MAX - 1)])
                .collect(),
        }
    }

    /// Makes the same calls of each approach, in builds whose code counts its passes, and returns where their fuel goes. A
    /// program has no such build.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the approaches.
    pub async fn function_fuel(
        &self,
        calls: &[(CaseIndex, u64)],
    ) -> Result<Vec<SurveyedFuel>, RunError> {
        let calls: Arc<[(CaseIndex, u64)]> = calls.into();
        let work = |prototype| CountFuel {
            prototype,
            calls: Arc::clone(&calls),
        };
        let own = self.own.iter().filter(|one| !one.is_program());
        let own: Vec<_> = own.cloned().collect();
        let built = (&own[..], BuildKind::FunctionFuel);
        let counted = self.each(&self.context.config, built, work).await?;
        let failed = |error: GuestError| Failure {
            class: error.class,
            message: format!(
                "a call failed, and where its fuel went is not known: {}",
                error.message
            ),
            phase: Phase::Check,
            limit: error.limit,
        };
        let named = own.into_iter().zip(counted);
        Ok(named
            .map(|(prototype, counted)| SurveyedFuel {
                approach: prototype.name,
                fuel: counted.and_then(|fuel| fuel.map_err(failed)),
            })
            .collect())
    }
}
