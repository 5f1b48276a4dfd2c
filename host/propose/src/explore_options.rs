//! Options of an exploration, and what a model is told of its problem.

use super::idea::WishedIdea;
use super::proposer::ProposeOptions;
use bakeoff_config::built_in_criterion;
use bakeoff_domain::generate::{Depth, Diversity};
use bakeoff_domain::spec::{Criterion, Limits, Measure, Source};
use std::time::Duration;

/// The criteria that a new experiment may have, by their names, with their sources.
pub const NEW_CRITERIA: [(&str, Source); 8] = [
    ("performance", Source::Time),
    ("memory", Source::PeakMemory),
    ("simplicity", Source::SourceLines),
    ("wall", Source::Wall),
    ("fuel", Source::Fuel),
    ("size", Source::ComponentSize),
    ("cold-start", Source::ColdStart),
    ("build-time", Source::BuildTime),
];

/// The budget of a new experiment.
const BUDGET: Duration = Duration::from_secs(20);

/// Options of an exploration.
#[derive(Clone, Debug)]
pub struct ExploreOptions {
    /// The problem, as the user stated it.
    pub statement: String,
    /// The problem as a model is told of it: with what the user gives beside it.
    pub told: String,
    /// Example of an earlier experiment's form, for the questions for interface and workload.
    pub like: Option<String>,
    /// The experiment that is written.
    pub experiment: NewExperiment,
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
    /// The distance of approaches from each other.
    pub diversity: Diversity,
    /// The depth to which they are worked out.
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
    /// No sketch.
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

/// The parts of a new experiment that no task of a plan writes.
#[derive(Clone, Debug, PartialEq)]
pub struct NewExperiment {
    /// Name of the experiment.
    pub name: String,
    /// Its criteria, of built-in sources.
    pub criteria: Vec<Criterion>,
    /// Lines of the comment above its criteria, without control characters.
    pub comment: Vec<String>,
    /// Its limits.
    pub limits: Limits,
    /// Options for measuring it.
    pub measure: Measure,
}

impl NewExperiment {
    /// Makes an experiment of this name whose criteria are the usual ones.
    pub fn usual(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            criteria: usual_criteria(),
            comment: Vec::new(),
            limits: Limits::default(),
            measure: Measure {
                budget: BUDGET,
                ..Measure::default()
            },
        }
    }
}

/// Returns a criterion of a new experiment by its name; `None` if it can have none of that name.
pub fn new_criterion(name: &str, weight: f64) -> Option<Criterion> {
    let known = NEW_CRITERIA.iter().find(|(known, _)| *known == name);
    known.map(|(name, source)| built_in_criterion(name, weight, source.clone()))
}

/// Returns the criteria of a new experiment where nobody asks for others.
pub fn usual_criteria() -> Vec<Criterion> {
    let usual = [("performance", 1.0), ("memory", 0.3), ("simplicity", 0.3)];
    let criteria = usual.iter();
    let criteria = criteria.filter_map(|(name, weight)| new_criterion(name, *weight));
    criteria.collect()
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

    #[test]
    fn every_criterion_of_a_new_experiment_can_be_read_there() {
        assert_eq!(usual_criteria().len(), 3);
        for (name, source) in NEW_CRITERIA {
            assert!(bakeoff_config::is_of_any_experiment(&source), "{name}");
        }
        assert_eq!(new_criterion("speed", 1.0), None);
    }
}
