//! Calls of a survey within a time, also with other fuel than the experiment's.

use super::super::error::RunError;
use super::{Survey, SurveyedCalls};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::spec::Limits;
use bakeoff_measure::RunnerConfig;
use std::time::Duration;

impl Survey {
    /// Makes calls as [`call_all`](Self::call_all) does, within the time `left`: each approach makes as many of the
    /// first calls as it can.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the approaches.
    pub async fn call_all_within(
        &self,
        calls: &[(CaseIndex, u64)],
        left: Duration,
    ) -> Result<Vec<SurveyedCalls>, RunError> {
        let left = Some(self.share(left));
        self.calls_of(&self.context.config, &self.own, calls, left)
            .await
    }

    /// Makes calls as [`call_all_within`](Self::call_all_within) does, with this fuel for each call in place of that of
    /// the experiment's limits, and with the components that the survey has built.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the approaches.
    pub async fn call_all_with_fuel(
        &self,
        calls: &[(CaseIndex, u64)],
        left: Duration,
        fuel: u64,
    ) -> Result<Vec<SurveyedCalls>, RunError> {
        let config = self.context.config.clone();
        let config = RunnerConfig {
            limits: Limits {
                fuel,
                ..config.limits
            },
            ..config
        };
        let left = Some(self.share(left));
        self.calls_of(&config, &self.own, calls, left).await
    }
}
