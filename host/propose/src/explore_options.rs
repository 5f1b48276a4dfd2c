//! Options of an exploration, and what a model is told of its problem.

use super::idea::WishedIdea;
use super::proposer::ProposeOptions;
use bakeoff_domain::generate::{Depth, Diversity};
use std::time::Duration;

/// Options of an exploration.
#[derive(Clone, Debug)]
pub struct ExploreOptions {
    /// The problem, as the user stated it.
    pub statement: String,
    /// The problem as a model is told of it: with what the user gives beside it.
    pub told: String,
    /// The criteria of the experiment that is written.
    pub criteria: Vec<WantedCriterion>,
    /// The name of the experiment that is written.
    pub name: String,
    /// Options of asking for and writing prototypes; their number follows from the plan.
    pub propose: ProposeOptions,
    /// Ideas of the user's own, which are written first; they are among the approaches of the plan.
    pub wished: Vec<WishedIdea>,
}

/// Options of a question in words.
#[derive(Clone, Debug)]
pub struct OpinionOptions {
    /// The question, as the user stated it.
    pub statement: String,
    /// The question as a model is told of it: with what the user gives beside it.
    pub told: String,
    /// The name of the experiment that is written.
    pub name: String,
    /// The number of approaches beside the user's own; `None` leaves it to the model, and is none if there are own ones.
    pub more: Option<u32>,
    /// Ideas of the user's own, which are developed first.
    pub wished: Vec<WishedIdea>,
    /// The criteria with their weights, if the user names some.
    pub criteria: Vec<(String, f64)>,
    /// How far apart approaches are.
    pub diversity: Diversity,
    /// How far they are worked out.
    pub depth: Depth,
    /// The form of the sketch in each text.
    pub sketch: SketchForm,
    /// Wishes of the user for every text.
    pub instructions: Option<String>,
    /// The time for one text.
    pub timeout: Duration,
}

/// Form of the sketch of an approach that is developed in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SketchForm {
    /// An example in some language, which nobody runs.
    Code,
    /// Pseudocode.
    Pseudocode,
    /// The source of a Mermaid diagram, which is shown as text.
    Mermaid,
    /// None.
    None,
}

impl SketchForm {
    /// Returns the title of the section, and the word behind its fence; `None` if there is none.
    pub(super) fn words(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Code => Some(("Example, not run", "")),
            Self::Pseudocode => Some(("Pseudocode", "text")),
            Self::Mermaid => Some(("Diagram", "mermaid")),
            Self::None => None,
        }
    }
}

/// A criterion of an experiment that is written: a built-in source with a weight.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedCriterion {
    /// Name of the criterion.
    pub name: String,
    /// Weight of the criterion.
    pub weight: f64,
    /// Name of its source in experiment files.
    pub from: &'static str,
}

impl WantedCriterion {
    /// Returns the criteria where the user asks for none.
    pub fn usual() -> Vec<Self> {
        let usual = [
            ("performance", 1.0, "time"),
            ("memory", 0.3, "peak-memory"),
            ("simplicity", 0.3, "source-lines"),
        ];
        let criterion = |(name, weight, from): (&str, f64, &'static str)| Self {
            name: name.to_owned(),
            weight,
            from,
        };
        usual.map(criterion).into()
    }
}

/// Returns a problem with what the user gives beside it, by name and text, as a model is told of it.
pub fn with_context(statement: &str, context: &[(String, String)]) -> String {
    let mut told = statement.trim_end().to_owned();
    for (name, text) in context {
        told += &format!("\n\nIts user gives {name} with it:\n{}", text.trim_end());
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_with_a_problem_stands_behind_it() {
        let context = [("notes.md".to_owned(), "n is small\n".to_owned())];
        let told = with_context("Sort.\n", &context);
        assert_eq!(
            told,
            "Sort.\n\nIts user gives notes.md with it:\nn is small"
        );
        assert_eq!(with_context("Sort.", &[]), "Sort.");
    }
}
