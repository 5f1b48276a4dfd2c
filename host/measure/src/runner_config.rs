//! The configuration that all runners of a problem share.

use super::bounds::{EXIT_PATIENCE, GATE_PATIENCE, WORKLOAD_PATIENCE, room_for};
use super::hosted_program::HostedProgram;
use super::runner_end::{RunnerBounds, RunnerError};
use super::runner_job::RunnerJob;
use bakeoff_config::units;
use bakeoff_confine::tasks::{AttemptReport, WorkerLink};
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::{Limits, State};
use bakeoff_runner::call::RunnerCall;
use bakeoff_runner::protocol::{Bundle, RunnerInputs, RunnerRequest};
use bakeoff_runner::{AnyCall, GuestFailure};
use bakeoff_source::PackedFolders;
use std::path::PathBuf;
use std::sync::Arc;

/// A problem, ready to be run by runners.
#[derive(Clone, Debug)]
pub struct RunnerConfig {
    /// The worker that runs runners, and confines them.
    pub worker: WorkerLink,
    /// True if that worker is on another machine: the state of this one says nothing about its times then.
    pub elsewhere: bool,
    /// The path of the export that is called.
    pub call: Vec<String>,
    /// The limits of a call.
    pub limits: Limits,
    /// State between timed calls: none, or that of an instance that is kept.
    pub state: State,
    /// The source of inputs, with the workload's code in the checked profile.
    pub inputs: RunnerInputs<Arc<[u8]>>,
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

    /// Returns the error of a workload that failed, with the input that it failed on, if that is known.
    pub(super) fn workload_failed(&self, failed: &GuestFailure) -> RunnerError {
        let message = &failed.error.message;
        RunnerError::Workload(match failed.calls.last() {
            Some(call) => format!("{message} (on {})", self.describe_input(*call)),
            None => message.clone(),
        })
    }

    /// Returns the name of an input for people: its case, and the seed that makes it again.
    pub fn describe_input(&self, (case, seed): (CaseIndex, u64)) -> String {
        match self.inputs.labels().get(case) {
            Some(label @ (CaseLabel::Size(_) | CaseLabel::Texts(_))) => {
                let (size, seed) = label.generated_from(seed).unwrap_or_default();
                format!("the input of size {size} and seed {seed}")
            }
            Some(CaseLabel::Instance { instance }) => format!("instance {instance}"),
            Some(label) => format!("the case {label}"),
            None => format!("case {case}, seed {seed}"),
        }
    }

    /// Returns a runner for a call with the first `guests` variants, each of whose calls may take a multiple of the wall
    /// limit. `request` puts the components of the call into the bundle.
    pub(super) fn runner<C: RunnerCall + Into<AnyCall>>(
        &self,
        core: Option<usize>,
        guests: usize,
        request: impl FnOnce(&mut Bundle) -> C,
    ) -> Result<RunnerJob<'_, C>, RunnerError> {
        let mut bundle = Bundle::default();
        let inputs = self.inputs.map_code(|code| bundle.add_code(code));
        let call: AnyCall = request(&mut bundle).into();
        let request = RunnerRequest {
            path: self.call.clone(),
            limits: self.limits,
            inputs,
            call,
        };
        // A call that has several variants says which is which.
        let memory_bytes = self.limits.memory_bytes;
        let programs = bundle.programs().iter().map(|program| HostedProgram {
            variant: 0,
            interpreter: program.interpreter.as_ref().map(PathBuf::from),
            memory_bytes,
        });
        let programs = programs.collect();
        let message = bundle
            .seal(&request)
            .map_err(|error| RunnerError::Request(error.to_string()))?;
        // The workload has a store of its own, and so has the component that does nothing.
        let stores = guests as u64 + 2;
        let bounds = RunnerBounds {
            call_max: self.limits.wall.saturating_mul(GATE_PATIENCE),
            workload_max: WORKLOAD_PATIENCE,
            exit_max: EXIT_PATIENCE,
            participants: (0..guests).collect(),
            cases: self.inputs.cases(),
            wall_limit: format!("wall = {}", units::show_duration(self.limits.wall)),
            guests_bytes: self.limits.memory_bytes.saturating_mul(stores),
            left: None,
            overrun: Vec::new(),
            shares: Vec::new(),
            programs,
        };
        Ok(RunnerJob::new(&self.worker, message, core, bounds))
    }

    /// Returns a runner for a call about a single prototype, with the files that it is granted.
    pub(super) fn runner_of_one<C: RunnerCall + Into<AnyCall>>(
        &self,
        core: Option<usize>,
        files: Option<&PackedFolders>,
        request: impl FnOnce(&mut Bundle) -> C,
    ) -> Result<RunnerJob<'_, C>, RunnerError> {
        let mut runner = self.runner(core, 1, request)?;
        runner.bounds.guests_bytes += room_for(files);
        Ok(runner)
    }
}
