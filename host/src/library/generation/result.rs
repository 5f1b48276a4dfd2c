//! Approaches that were asked for, for a program.

use super::error::unanswered;
use super::outcome;
use bakeoff_domain::report as core;
use bakeoff_provider::{AskError, Models};

/// Approaches that were asked for: the outcome of each, and what the model took.
#[derive(Clone, Debug)]
pub struct Generation {
    generation: core::Generation,
    text: String,
    warnings: Vec<String>,
    ended: Option<AskError>,
}

/// An approach that was asked for. Name and description are the model's words or those of an idea of the user's own: escape
/// them for wherever they are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GeneratedApproach<'a> {
    /// The name, which is that of the approach in the experiment if it passed.
    pub name: &'a str,
    /// The idea in a sentence.
    pub description: &'a str,
    /// The outcome in a word: `passed`, `duplicate`, or the class of its failure, such as `wrong-answer`.
    pub outcome: &'a str,
    /// The file in the folder of the experiment, if it passed.
    pub file: Option<&'a str>,
    /// The number of attempts at it.
    pub attempts: u64,
    /// The reason why it did not pass. It may quote a compiler or the prototype.
    pub message: Option<&'a str>,
    /// The cost of the questions about it.
    pub cost: ModelCost,
}

/// Cost of questions to a model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelCost {
    /// The number of calls that were paid for.
    pub calls: u64,
    /// Tokens of these calls in all.
    pub tokens: u64,
    /// US dollars; `None` where a price is not known.
    pub usd: Option<f64>,
    /// True if some replies were cut off: tokens and dollars are the most that they can have taken.
    pub is_upper_bound: bool,
}

impl ModelCost {
    fn of(cost: &core::ModelCost) -> Self {
        Self {
            calls: cost.calls,
            tokens: cost.tokens,
            usd: cost.usd,
            is_upper_bound: cost.upper_bound,
        }
    }
}

impl Generation {
    /// Returns what was asked for of these models, if any were, and the error that ended it early.
    pub(crate) fn new(
        generation: core::Generation,
        models: Option<&Models>,
        ended: Option<AskError>,
    ) -> Self {
        Self {
            text: outcome::text(&generation, models),
            warnings: models.map(Models::warnings).unwrap_or_default(),
            generation,
            ended,
        }
    }

    /// Returns the same with warnings before its own.
    pub(crate) fn after(mut self, warnings: Vec<String>) -> Self {
        self.warnings.splice(0..0, warnings);
        self
    }

    pub(crate) fn outcome(&self) -> &core::Generation {
        &self.generation
    }

    /// Returns the error that ended it early.
    pub(crate) fn ended(&self) -> Option<&AskError> {
        self.ended.as_ref()
    }

    /// Returns the approaches, also those that failed: the wishes of the experiment first, then ideas of the user's own, then
    /// those of the model.
    pub fn approaches(&self) -> impl Iterator<Item = GeneratedApproach<'_>> {
        let approaches = self.generation.approaches.iter();
        approaches.map(|one| GeneratedApproach {
            name: &one.name,
            description: &one.description,
            outcome: &one.outcome,
            file: one.file.as_deref(),
            attempts: one.attempts,
            message: one.message.as_deref(),
            cost: ModelCost::of(&one.cost),
        })
    }

    /// Returns the provider and its model.
    pub fn model(&self) -> &str {
        &self.generation.model
    }

    /// Returns the cost of all questions, including those that belong to no approach.
    pub fn cost(&self) -> ModelCost {
        ModelCost::of(&self.generation.spent)
    }

    /// Returns true if nothing is left to ask for; otherwise, the same request goes on, and pays for no reply twice.
    pub fn is_complete(&self) -> bool {
        self.ended.is_none()
    }

    /// Returns the reason why it did not come to its end, such as a budget that ended; `None` if it did.
    pub fn reason(&self) -> Option<String> {
        self.ended.as_ref().map(unanswered)
    }

    /// Returns what is doubtful about it: a record that was set aside, or replies that were recorded for other requests, for
    /// instance.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns all of it as JSON, as `bakeoff generate --format json` has it.
    pub fn json(&self) -> String {
        bakeoff_render::indented_json(&self.generation)
    }

    /// Returns all of it as text without control characters.
    pub fn text(&self) -> String {
        self.text.clone()
    }
}
