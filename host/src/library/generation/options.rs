//! Options of a program that asks for approaches.

use super::error::GenerationError;
use super::ideas::Ideas;
use super::model_options::ModelOptions;
use super::writing::WritingOptions;
use bakeoff_config::{NAME_CHARS_MAX, PROSE_CHARS_MAX, REPAIRS_MAX};
use bakeoff_domain::generate;
use bakeoff_propose::PROPOSALS_MAX;
use std::path::PathBuf;
use std::time::Duration;

/// The number of approaches that are asked for, unless another one is set.
pub(crate) const APPROACHES: u32 = 3;

/// Depth to which prototypes are worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Depth {
    /// The idea in its shortest form.
    Sketch,
    /// The idea, as well as it can be written.
    ProofOfConcept,
    /// The code that would be put into use.
    ProductionReady,
}

/// Distance between approaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Diversity {
    /// Variations of one idea will do.
    Low,
    /// Other algorithms or data structures.
    Medium,
    /// The most different ones that there are.
    High,
}

/// Options of [`Experiment::generate`](crate::Experiment::generate) and [`Exploration::explore`](crate::Exploration::explore):
/// the model that is asked, and what it is asked for.
///
/// - [`approaches`](Self::approaches): 3 for an experiment, those of the plan for an exploration, and none beside an
///   [`idea`](Self::idea)
/// - [`repairs`](Self::repairs): 2
/// - [`depth`](Self::depth): a proof of concept
/// - [`diversity`](Self::diversity): medium
/// - [`timeout`](Self::timeout): 20 minutes
#[derive(Clone, Debug)]
#[must_use = "no model is asked before the options are used"]
pub struct GenerateOptions {
    model: ModelOptions,
    approaches: Option<u32>,
    ideas: Ideas,
    writing: WritingOptions,
}

impl GenerateOptions {
    /// Returns the usual options for a model.
    pub fn new(model: ModelOptions) -> Self {
        Self {
            model,
            approaches: None,
            ideas: Ideas::default(),
            writing: WritingOptions::default(),
        }
    }

    /// Sets the number of approaches, from 0 to 10, beside those of the experiment with `write = true`, which are written
    /// first, and each [`idea`](Self::idea).
    pub fn approaches(mut self, approaches: u32) -> Self {
        self.approaches = Some(approaches);
        self
    }

    /// Adds an idea of your own, which is written before those that the model names: a name, and what it is.
    pub fn idea(mut self, name: &str, description: &str) -> Self {
        let idea = (name.trim().to_owned(), description.trim().to_owned());
        self.ideas.0.push(idea);
        self
    }

    /// Sets how often what failed is written anew, from 0 to 10.
    pub fn repairs(mut self, repairs: u32) -> Self {
        self.writing.repairs = repairs;
        self
    }

    /// Sets how far prototypes are worked out.
    pub fn depth(mut self, depth: Depth) -> Self {
        self.writing.depth = match depth {
            Depth::Sketch => generate::Depth::Sketch,
            Depth::ProofOfConcept => generate::Depth::ProofOfConcept,
            Depth::ProductionReady => generate::Depth::ProductionReady,
        };
        self
    }

    /// Sets how far apart approaches are.
    pub fn diversity(mut self, diversity: Diversity) -> Self {
        self.writing.diversity = match diversity {
            Diversity::Low => generate::Diversity::Low,
            Diversity::Medium => generate::Diversity::Medium,
            Diversity::High => generate::Diversity::High,
        };
        self
    }

    /// Sets the time for one approach with all its repairs.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.writing.timeout = time;
        self
    }

    /// Sets a file with wishes for every prototype, which is read anew for each.
    pub fn instructions(mut self, file: impl Into<PathBuf>) -> Self {
        self.writing.instructions = Some(file.into());
        self
    }

    /// Adds a file that the model is told with the problem, such as code that approaches have to fit. There are at most 8, of
    /// 64 KiB each.
    pub fn context(mut self, file: impl Into<PathBuf>) -> Self {
        self.writing.context.push(file.into());
        self
    }

    /// Makes the model be asked first what is known of the problem: algorithms, pitfalls, edge cases. The answer is kept beside
    /// the experiment, and told with all other questions.
    pub fn research(mut self) -> Self {
        self.writing.research = true;
        self
    }

    pub(crate) fn model(&self) -> &ModelOptions {
        &self.model
    }

    pub(crate) fn ideas(&self) -> &Ideas {
        &self.ideas
    }

    /// Returns the number of approaches that is set, if one is.
    pub(crate) fn wanted_approaches(&self) -> Option<u32> {
        self.approaches
    }

    /// Returns the number of approaches of an experiment whose ideas the model names.
    pub(crate) fn more(&self) -> u32 {
        self.approaches
            .unwrap_or_else(|| usual_approaches(&self.ideas))
    }

    /// Returns the options on the code, with those of the model for repairs.
    pub(crate) fn writing(&self) -> WritingOptions {
        let repairs = self.model.options().repairs.as_ref();
        WritingOptions {
            repairs_by: repairs
                .map_or_else(String::new, |one| format!(", repairs by {}", one.model)),
            ..self.writing.clone()
        }
    }

    /// Refuses numbers that are out of range, and ideas that are none or cannot be told apart.
    ///
    /// # Errors
    /// There is such a number or idea.
    pub(crate) fn check(&self) -> Result<(), GenerationError> {
        let refused = |message: String| Err(GenerationError::Usage(message));
        let (more, repairs) = (self.more(), self.writing.repairs);
        if more > PROPOSALS_MAX {
            return refused(format!(
                "{more} approaches are asked for, and {PROPOSALS_MAX} are the most"
            ));
        }
        if repairs > REPAIRS_MAX {
            return refused(format!(
                "{repairs} repairs are asked for, and {REPAIRS_MAX} are the most"
            ));
        }
        let has_room = |text: &String, most| (1..=most).contains(&text.chars().count());
        for (name, description) in &self.ideas.0 {
            if !has_room(name, NAME_CHARS_MAX) || !has_room(description, PROSE_CHARS_MAX) {
                return refused(format!(
                    "an idea has a name of 1 to {NAME_CHARS_MAX} characters, and a text of 1 to {PROSE_CHARS_MAX}"
                ));
            }
        }
        self.ideas.check(more)
    }
}

/// Returns the number of approaches that are asked for beside these ideas, unless another one is set.
pub(crate) fn usual_approaches(ideas: &Ideas) -> u32 {
    if ideas.count() > 0 { 0 } else { APPROACHES }
}
