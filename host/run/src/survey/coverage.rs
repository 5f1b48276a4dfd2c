//! The code of approaches that calls reach.

use super::{ORACLE_APPROACHES_MAX, Survey};
use crate::child_work::Cover;
use crate::error::RunError;
use crate::kept_coverage::unreached_by_failure;
use bakeoff_compile::BuildKind;
use bakeoff_domain::coverage::Coverage;
use bakeoff_domain::failure::{Failure, Phase};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_sandbox::GuestError;
use std::sync::Arc;

/// The code of an approach that calls reached, or the reason why it is not known.
#[derive(Clone, Debug)]
pub struct SurveyedCoverage {
    /// Name of the approach.
    pub approach: String,
    /// The code that was reached.
    pub coverage: Result<Coverage, Failure>,
}

impl Survey {
    /// Makes the same calls of the first approaches, in builds whose code leaves marks, and returns the code that they
    /// reached. A program has no such build.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the approaches.
    pub async fn coverage(
        &self,
        calls: &[(CaseIndex, u64)],
    ) -> Result<Vec<SurveyedCoverage>, RunError> {
        let calls: Arc<[(CaseIndex, u64)]> = calls.into();
        let work = |prototype| Cover {
            prototype,
            calls: Arc::clone(&calls),
        };
        let own = self.own.iter().filter(|one| !one.is_program());
        let own: Vec<_> = own.take(ORACLE_APPROACHES_MAX).cloned().collect();
        let built = (&own[..], BuildKind::Coverage);
        let covered = self.each(&self.context.config, built, work).await?;
        let failed = |error: GuestError| Failure {
            class: error.class,
            message: unreached_by_failure(&error.message),
            phase: Phase::Check,
            limit: error.limit,
        };
        let named = own.into_iter().zip(covered);
        Ok(named
            .map(|(prototype, covered)| SurveyedCoverage {
                approach: prototype.name,
                coverage: covered.and_then(|reached| reached.map_err(failed)),
            })
            .collect())
    }
}
