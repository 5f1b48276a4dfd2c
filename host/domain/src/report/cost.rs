//! Cost of a run: time, calls, tokens and money.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// Work of each other machine that did tasks of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineCost>,
    /// Work of each phase, in the order in which phases begin. Phases overlap in time, and each has the work of all
    /// workers.
    #[serde(default)]
    pub phases: Vec<PhaseCost>,
    /// Variants with a result, as a share of all.
    pub success_rate: f64,
    /// Source files read.
    pub files: u64,
    /// Lines of source in them.
    pub source_lines: u64,
}

/// A phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Models are waited for: plans, ideas, sources, opinions.
    Models,
    /// Variants are built.
    Building,
    /// Variants are called with fuel counted, and their answers judged; failures are repeated.
    Checking,
    /// Answers are assessed, and evaluators asked.
    Assessing,
    /// Variants are timed.
    Measuring,
}

impl Phase {
    /// Returns the phase of a kind of task.
    pub fn of_task(kind: &str) -> Self {
        match kind {
            "build" | "timed build" => Self::Building,
            "assess" | "evaluate" => Self::Assessing,
            "pilot" | "replica" => Self::Measuring,
            _ => Self::Checking,
        }
    }
}

/// The work of one phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseCost {
    /// The phase.
    pub phase: Phase,
    /// Number of its tasks, or of calls of models.
    pub tasks: u64,
    /// Time spent on these, each counted by itself where several were done at once.
    pub seconds: f64,
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

/// The work of another machine for a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineCost {
    /// Name of the machine.
    pub machine: String,
    /// The number of its cores that took tasks.
    pub cores: u32,
    /// Checks, assessments and evaluations, those that were lost included.
    pub tasks: u64,
    /// The number of them that were lost: they were done on the machine of the run.
    pub lost: u64,
    /// Time for which it had these tasks.
    pub busy_seconds: f64,
}

impl MachineCost {
    /// Adds up the work of each machine, in the order of their names. The cores are those that were given last.
    pub fn added(all: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut by_name: BTreeMap<String, Self> = BTreeMap::new();
        for one in all {
            let sum = by_name.entry(one.machine.clone()).or_default();
            *sum = Self {
                machine: one.machine,
                cores: one.cores,
                tasks: sum.tasks + one.tasks,
                lost: sum.lost + one.lost,
                busy_seconds: sum.busy_seconds + one.busy_seconds,
            };
        }
        by_name.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_a_machine_is_added_up_over_sessions() {
        let machine = |name: &str, cores, tasks, lost| MachineCost {
            machine: name.to_owned(),
            cores,
            tasks,
            lost,
            busy_seconds: 0.5,
        };
        let all = [
            machine("b", 4, 2, 1),
            machine("a", 1, 1, 0),
            machine("b", 8, 4, 0),
        ];
        let sum = [
            machine("a", 1, 1, 0),
            MachineCost {
                busy_seconds: 1.0,
                ..machine("b", 8, 6, 1)
            },
        ];
        assert_eq!(MachineCost::added(all), sum);
    }
}
