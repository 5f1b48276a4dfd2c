//! The tools: their names, their descriptions for an agent, and their schemas.

use super::answer::Answer;
use super::arguments::{
    self, CancelArguments, CheckArguments, CompareArguments, JudgeArguments, PickArguments,
    ReportArguments, ResultArguments, RunArguments,
};
use super::generating_arguments::{
    AddArguments, DevelopArguments, ExploreArguments, GenerateArguments, StatusArguments,
};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::JsonSchema;

/// A tool of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolName {
    Compare,
    Run,
    Check,
    Judge,
    Report,
    Pick,
    Develop,
    Explore,
    Generate,
    Add,
    Status,
    Result,
    Cancel,
}

impl ToolName {
    /// All tools, in the order in which they are listed.
    pub(super) const ALL: [Self; 13] = [
        Self::Compare,
        Self::Run,
        Self::Check,
        Self::Judge,
        Self::Report,
        Self::Pick,
        Self::Develop,
        Self::Explore,
        Self::Generate,
        Self::Add,
        Self::Status,
        Self::Result,
        Self::Cancel,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Run => "run",
            Self::Check => "check",
            Self::Judge => "judge",
            Self::Report => "report",
            Self::Pick => "pick",
            Self::Develop => "develop",
            Self::Explore => "explore",
            Self::Generate => "generate",
            Self::Add => "add",
            Self::Status => "status",
            Self::Result => "result",
            Self::Cancel => "cancel",
        }
    }

    /// Returns the tool of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    fn title(self) -> &'static str {
        match self {
            Self::Compare => "Measure sources against each other",
            Self::Run => "Run an experiment",
            Self::Check => "Check code against an interface",
            Self::Judge => "Compare values that were measured",
            Self::Report => "Show a report",
            Self::Pick => "Get the winner's code",
            Self::Develop => "Write approaches yourself",
            Self::Explore => "Have a model write an experiment",
            Self::Generate => "Have a model write approaches",
            Self::Add => "Add an approach",
            Self::Status => "Show how far a folder is",
            Self::Result => "Wait for a run",
            Self::Cancel => "End a run",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Compare => {
                "Measures two or more implementations of one function (Rust source, or WebAssembly components) in a \
                 sandbox, and says which is faster, with its certainty. Give the sources inline: the public function \
                 that all have in common is called on random inputs, and different answers are shown instead of \
                 timing anything. No crates, only the standard library. Takes about 30 s."
            }
            Self::Run => {
                "Runs the experiment in a folder (bakeoff.toml) and reports which approach to take, by all its \
                 criteria. Goes on with what was measured before, unless `fresh` is set."
            }
            Self::Check => {
                "Checks whether a prototype, workload or component fits a WIT interface, without timing it; or, with \
                 `case`, makes one call and shows arguments, answer, and what the workload's oracle says."
            }
            Self::Judge => {
                "Compares values that you measured elsewhere (run times, losses, scores of two or more variants, in blocks \
                 with one value of each) and says which variant is surely better, by how much, or that it is not known. \
                 Look as often as you like: of two that do the same, one is falsely called better in at most 5 % of \
                 comparisons."
            }
            Self::Report => {
                "Shows the report of a run of this session (`id`) or of a folder (`folder`), also with other weights \
                 of the criteria, and says what would change the winner. Nothing is measured."
            }
            Self::Pick => {
                "Returns the code of the recommended variant, as it was measured, of a comparison of this session \
                 (`id`) or of a folder (`folder`). Of coding agents in worktrees (`.bakeoff/NAME`): the branch with its \
                 changes, or why none is ahead."
            }
            Self::Develop => {
                "Lets you write the approaches of an experiment, as a model would: gives out tasks (ideas, a prototype of \
                 each, repairs; with `statement` also a plan, interface and workload), and takes your answers, which are \
                 checked and tried in the sandbox. Call it again with `answers` until no task is left; what passes is \
                 in the experiment. No model is asked, and nothing is paid. Then `run` it."
            }
            Self::Explore => {
                "Has the model that the user allowed write a whole experiment from a statement: interface, workload and \
                 approaches, checked and tried in the sandbox. It costs the user money, within the user's bound. Then \
                 `run` it."
            }
            Self::Generate => {
                "Has the model that the user allowed write further approaches to an experiment, checked and tried in the \
                 sandbox. It costs the user money, within the user's bound. Then `run` it."
            }
            Self::Add => {
                "Adds an approach of yours to the experiment in a folder: its code is copied to `approaches`, and \
                 bakeoff.toml names it. Refuses a name or a content that is there already. `run` builds and checks it."
            }
            Self::Status => {
                "Shows how far the run in a folder is, also one that somebody else started, and what was spent on \
                 models; or how far coding agents are in worktrees of a repository (`.bakeoff/NAME`). Measures nothing, and \
                 starts no agent."
            }
            Self::Result => {
                "Waits for a run that took longer than its call, and returns its result, or how far it is."
            }
            Self::Cancel => "Ends a run and removes everything of it.",
        }
    }

    fn input(self) -> JsonObject {
        match self {
            Self::Compare => arguments::schema::<CompareArguments>(),
            Self::Run => arguments::schema::<RunArguments>(),
            Self::Check => arguments::schema::<CheckArguments>(),
            Self::Judge => arguments::schema::<JudgeArguments>(),
            Self::Report => arguments::schema::<ReportArguments>(),
            Self::Pick => arguments::schema::<PickArguments>(),
            Self::Develop => arguments::schema::<DevelopArguments>(),
            Self::Explore => arguments::schema::<ExploreArguments>(),
            Self::Generate => arguments::schema::<GenerateArguments>(),
            Self::Add => arguments::schema::<AddArguments>(),
            Self::Status => arguments::schema::<StatusArguments>(),
            Self::Result => arguments::schema::<ResultArguments>(),
            Self::Cancel => arguments::schema::<CancelArguments>(),
        }
    }

    /// Returns hints for the person who is asked to allow a call: whether the tool only reads, may
    /// be repeated, or destroys something.
    fn annotations(self) -> ToolAnnotations {
        let (reads_only, is_idempotent) = match self {
            Self::Judge | Self::Report | Self::Pick | Self::Status | Self::Result => (true, true),
            // They write into a folder that is removed.
            Self::Compare | Self::Check => (true, false),
            // It writes results beside the experiment.
            Self::Run | Self::Develop => (false, true),
            Self::Explore | Self::Generate | Self::Add => (false, false),
            Self::Cancel => (false, true),
        };
        ToolAnnotations::with_title(self.title())
            .read_only(reads_only)
            .destructive(self == Self::Cancel)
            .idempotent(is_idempotent)
            .open_world(self.asks_a_model())
    }

    /// Returns true if the tool asks a model, for which the user must have given leave.
    pub(super) fn asks_a_model(self) -> bool {
        matches!(self, Self::Explore | Self::Generate)
    }

    /// Returns the tool as clients see it.
    pub(super) fn tool(self) -> Tool {
        let tool = Tool::new(self.name(), self.description(), self.input())
            .with_title(self.title())
            .with_annotations(self.annotations());
        match self {
            Self::Pick | Self::Add | Self::Status => tool,
            _ => tool.with_raw_output_schema(output::<Answer>().into()),
        }
    }
}

fn output<T: JsonSchema>() -> JsonObject {
    arguments::schema::<T>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_found_by_its_name_and_says_all_it_takes() {
        for name in ToolName::ALL {
            assert_eq!(ToolName::named(name.name()), Some(name));
            let tool = name.tool();
            let properties = tool.input_schema["properties"].as_object().unwrap();
            assert!(!properties.is_empty());
            for (property, schema) in properties {
                assert!(
                    schema["description"].is_string(),
                    "{}: {property}",
                    tool.name
                );
            }
            assert!(tool.description.is_some_and(|text| text.len() < 600));
        }
        assert_eq!(ToolName::named("exec"), None);
    }
}
