//! Cost of a run: time, calls, tokens and money.

use serde::{Deserialize, Serialize};

/// The cost of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Wall time of the run.
    pub seconds: f64,
    /// Calls of prototypes that the results rest on: of the gates, of assessments, of the pilot with its warm-up, and
    /// of the samples of all replicas. However often a run was interrupted, it is the same figure.
    pub trials: u64,
    /// Tokens of models.
    pub tokens: u64,
    /// Money for models.
    pub usd: f64,
    /// Work of each worker.
    pub workers: Vec<WorkerCost>,
    /// Variants with a result, as a share of all.
    pub success_rate: f64,
    /// Source files read.
    pub files: u64,
    /// Lines of source in them.
    pub source_lines: u64,
}

/// The work of one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerCost {
    /// The number of its core; `None` if its tasks took none.
    #[serde(default)]
    pub core: Option<u32>,
    /// Builds, checks, assessments, diagnoses and replicas, those that were cut off included.
    pub tasks: u64,
    /// Time spent on these tasks.
    pub busy_seconds: f64,
}
