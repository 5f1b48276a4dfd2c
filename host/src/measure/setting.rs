//! What all runners of a problem share.

use super::protocol::{Arguments, Blob, Bundle, GateSeeds, Inputs, Request, Task, WaveCase};
use super::watch::RunnerError;
use crate::confine::Confinement;
use bakeoff_domain::spec::Limits;
use std::sync::Arc;

/// A problem, ready to be run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// How runners are fenced.
    pub confinement: Confinement,
    /// The path of the export that is called.
    pub call: Vec<String>,
    /// What a call may use.
    pub limits: Limits,
    /// Where inputs come from.
    pub source: InputSource,
    /// What is timed follows from it: inputs and orders. Nobody knows it before the run begins.
    pub seed: u64,
    /// The inputs on which every case is checked follow from it.
    pub check_seed: u64,
}

/// Where inputs come from, with the code at hand.
#[derive(Clone, Debug)]
pub enum InputSource {
    /// The workload component.
    Workload {
        /// Its code, checked profile.
        checked: Arc<[u8]>,
        /// By case.
        sizes: Vec<u32>,
        /// What `generate` returns.
        arguments: Arguments,
        /// Whether it exports `check`.
        oracle: bool,
        /// Whether it exports `assess`.
        assesses: bool,
    },
    /// Calls and expected answers.
    Cases(Vec<WaveCase>),
}

impl InputSource {
    /// How many cases there are.
    pub fn cases(&self) -> usize {
        match self {
            Self::Workload { sizes, .. } => sizes.len(),
            Self::Cases(cases) => cases.len(),
        }
    }

    /// Whether anyone can tell a right answer from a wrong one.
    pub fn has_oracle(&self) -> bool {
        match self {
            Self::Workload { oracle, .. } => *oracle,
            Self::Cases(cases) => cases.iter().all(|case| case.expect.is_some()),
        }
    }
}

impl Setting {
    /// What the inputs of a gate follow from.
    pub(super) fn gate_seeds(&self) -> GateSeeds {
        GateSeeds {
            cases: self.check_seed,
            rehearsal: self.seed,
        }
    }

    /// A whole request: `task` is given the bundle to put its components in.
    pub(super) fn request(
        &self,
        task: impl FnOnce(&mut Bundle) -> Task,
    ) -> Result<Vec<u8>, RunnerError> {
        let mut bundle = Bundle::default();
        let inputs = match &self.source {
            InputSource::Cases(cases) => Inputs::Cases(cases.clone()),
            InputSource::Workload {
                checked,
                sizes,
                arguments,
                oracle,
                assesses,
            } => {
                let workload: Blob = bundle.add(checked);
                Inputs::Generated {
                    workload,
                    sizes: sizes.clone(),
                    arguments: *arguments,
                    oracle: *oracle,
                    assesses: *assesses,
                }
            }
        };
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
