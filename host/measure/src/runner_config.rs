//! The configuration that all runners of a problem share.

use super::protocol::{Bundle, GateSecrets, Inputs, Request, Task};
use super::runner_end::{Failed, RunnerError};
use bakeoff_confine::tasks::{AttemptReport, WorkerLink};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::{Limits, State};
use std::sync::Arc;

/// A problem, ready to be run by runners.
#[derive(Clone, Debug)]
pub struct RunnerConfig {
    /// The worker that runs runners, and confines them.
    pub worker: WorkerLink,
    /// The path of the export that is called.
    pub call: Vec<String>,
    /// The limits of a call.
    pub limits: Limits,
    /// State between timed calls: none, or that of an instance that is kept.
    pub state: State,
    /// The source of inputs, with the workload's code in the checked profile.
    pub inputs: Inputs<Arc<[u8]>>,
    /// The seed of timed inputs and of orders. It is not known before the run begins, and no runner gets it: only the
    /// keys of its own inputs.
    pub seed: RunSeed,
    /// The seed of the inputs on which every case is checked.
    pub check_seed: RunSeed,
    /// Units of fuel that the checks of one variant may take beyond one call on each case; `None`: as much as checks
    /// ever may.
    pub repeats_fuel: Option<u64>,
}

impl RunnerConfig {
    /// Returns the same problem for an attempt at a task, whose lease each message of a runner extends.
    #[must_use]
    pub fn for_attempt<A: Send + 'static>(&self, report: &AttemptReport<A>) -> Self {
        Self {
            worker: self.worker.for_attempt(report),
            ..self.clone()
        }
    }

    /// Returns the keys of a gate's inputs.
    pub(super) fn gate_secrets(&self) -> GateSecrets {
        GateSecrets {
            cases: self.check_seed.check_secret(),
            rehearsal: self.seed.rehearsal_secret(),
        }
    }

    /// Returns the error of a workload that failed, with the input that it failed on, if that is known.
    pub(super) fn workload_failed(&self, failed: &Failed) -> RunnerError {
        let message = &failed.error.message;
        RunnerError::Workload(match failed.calls.last() {
            Some(call) => format!("{message} (on {})", self.describe_input(*call)),
            None => message.clone(),
        })
    }

    /// Returns the name of an input for people: its case, and the seed that makes it again.
    pub fn describe_input(&self, (case, seed): (CaseIndex, u64)) -> String {
        match self.inputs.labels().get(case) {
            Some(CaseLabel::Size(size)) => format!("the input of size {size} and seed {seed}"),
            Some(CaseLabel::Instance { instance }) => format!("instance {instance}"),
            Some(label) => format!("the case {label}"),
            None => format!("case {case}, seed {seed}"),
        }
    }

    /// Returns a whole request; `task` puts its components into the bundle.
    pub(super) fn request(
        &self,
        task: impl FnOnce(&mut Bundle) -> Task,
    ) -> Result<Vec<u8>, RunnerError> {
        let mut bundle = Bundle::default();
        let inputs = self.inputs.map_code(|code| bundle.add(code));
        let task = task(&mut bundle);
        let request = Request {
            call: self.call.clone(),
            limits: self.limits,
            inputs,
            task,
        };
        bundle
            .seal(&request)
            .map_err(|error| RunnerError::Request(error.to_string()))
    }
}
