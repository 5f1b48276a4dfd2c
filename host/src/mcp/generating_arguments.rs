//! The arguments of the tools that add approaches to an experiment.

use super::arguments::SourceArgument;
use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// An idea of the user's own, which becomes one of the approaches.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IdeaArgument {
    /// A short name for it: `functional`.
    pub(super) name: String,
    /// The idea, in a sentence.
    pub(super) description: String,
}

/// Asks the model for approaches.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GenerateArguments {
    /// A folder with a bakeoff.toml, below a root.
    pub(super) folder: String,
    /// Number of approaches, up to 10; 3, if not given.
    #[schemars(range(max = 10))]
    pub(super) approaches: Option<u32>,
    /// True to ask the model first what is known of the problem, and tell it with all else; asked once for a problem.
    pub(super) research: Option<bool>,
    /// The most US dollars of this call; all that is left of what the user allowed, if not given.
    #[schemars(range(min = 0.000_001, max = 1_000_000.0))]
    pub(super) usd: Option<f64>,
    /// Longest wait of this call for the result, in seconds; 45, if not given. If the run takes longer, the answer has
    /// an id for the tool `result`.
    #[schemars(range(min = 0.0, max = 600.0))]
    pub(super) wait_seconds: Option<f64>,
}

/// Has the model write an experiment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExploreArguments {
    /// The problem, in a sentence or several: one that a typed function solves.
    pub(super) statement: String,
    /// The folder of the experiment, below a root and without one yet; it is made where it is missing.
    pub(super) folder: String,
    /// Number of approaches beside `ideas`, up to 10; as many as the problem is worth, if not given.
    #[schemars(range(max = 10))]
    pub(super) approaches: Option<u32>,
    /// Ideas of the user's own, which are written first.
    #[schemars(length(max = 10))]
    pub(super) ideas: Option<Vec<IdeaArgument>>,
    /// Weights of what counts, by name: performance, memory, simplicity, wall, fuel, size, cold-start, build-time; the model
    /// proposes them, if not given.
    pub(super) criteria: Option<BTreeMap<String, f64>>,
    /// True to ask the model first what is known of the problem, and tell it with all else; asked once for a problem.
    pub(super) research: Option<bool>,
    /// The most US dollars of this call; all that is left of what the user allowed, if not given.
    #[schemars(range(min = 0.000_001, max = 1_000_000.0))]
    pub(super) usd: Option<f64>,
    /// Longest wait of this call for the result, in seconds; 45, if not given. If the run takes longer, the answer has
    /// an id for the tool `result`.
    #[schemars(range(min = 0.0, max = 600.0))]
    pub(super) wait_seconds: Option<f64>,
}

/// An answer to a task.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerArgument {
    /// The id of the task.
    pub(super) task: String,
    /// One JSON object of the task's schema.
    pub(super) reply: Value,
}

/// Gives out tasks, and takes the answers of the agent.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DevelopArguments {
    /// A folder with a bakeoff.toml, below a root; with `statement`, a folder without one yet, which is made where it
    /// is missing.
    pub(super) folder: String,
    /// The problem, in a sentence or several, where there is no experiment yet: interface and workload are tasks, too.
    /// The same in each call.
    pub(super) statement: Option<String>,
    /// Number of approaches, up to 10; 3, if not given, and with `statement` as many as the plan says. The same in each
    /// call.
    #[schemars(range(max = 10))]
    pub(super) approaches: Option<u32>,
    /// With `statement`: ideas of the user's own, which are written first. The same in each call.
    #[schemars(length(max = 10))]
    pub(super) ideas: Option<Vec<IdeaArgument>>,
    /// With `statement`: weights of what counts, by name: performance, memory, simplicity, wall, fuel, size, cold-start,
    /// build-time; the plan proposes them, if not given. The same in each call.
    pub(super) criteria: Option<BTreeMap<String, f64>>,
    /// True for a task on what is known of the problem, before all others but the plan. The same in each call.
    pub(super) research: Option<bool>,
    /// Answers to tasks of calls before.
    #[schemars(length(max = 64))]
    pub(super) answers: Option<Vec<AnswerArgument>>,
    /// Longest wait of this call for the result, in seconds; 45, if not given. If the run takes longer, the answer has
    /// an id for the tool `result`.
    #[schemars(range(min = 0.0, max = 600.0))]
    pub(super) wait_seconds: Option<f64>,
}

/// Adds an approach to an experiment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AddArguments {
    /// A folder with a bakeoff.toml, below a root.
    pub(super) folder: String,
    /// The approach: its name, and its code.
    pub(super) source: SourceArgument,
    /// The idea, in a sentence.
    pub(super) description: Option<String>,
}

/// Says how far the work on a folder is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StatusArguments {
    /// The folder of an experiment or of results, below a root; or in a repository in which coding agents worked
    /// `.bakeoff/NAME`, for the states of their tasks or variants, and `.bakeoff`, for all worktrees.
    pub(super) folder: String,
}
