//! Generation of approaches, as reports have it: what was asked for, what it took, and each
//! attempt.

use serde::{Deserialize, Serialize};

/// The most approaches of a generation.
pub const GENERATED_MAX: usize = 64;

/// The most tasks of a plan.
pub const PLAN_TASKS_MAX: usize = 24;

/// The most attempts at one approach.
pub const ATTEMPTS_MAX: usize = 32;

/// The longest text of a generation, in bytes.
pub const TEXT_BYTES_MAX: usize = 16 << 10;

/// The most templates of an experiment's own.
const PROMPTS_MAX: usize = 32;

/// The digits of a digest that are shown.
const DIGEST_DIGITS_SHOWN: usize = 12;

/// The most that a count of calls, tokens or seconds may be.
const COUNT_MAX: u64 = 1 << 50;

/// Generation of approaches by a model or a proposer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// The approaches, including those that failed.
    pub approaches: Vec<GeneratedApproach>,
    /// The provider and its model; empty if a program of the user's proposed the approaches.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Cost of all questions, including those that belong to no approach.
    #[serde(flatten)]
    pub spent: ModelCost,
    /// Cost that a plan expected beforehand, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedCost>,
    /// The plan by which the approaches were asked for, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<GenerationPlan>,
    /// Templates of the experiment's own by which the model was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<UsedPrompt>,
}

/// Template of an experiment's own for questions to a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedPrompt {
    /// Kind of question, as its key in `[prompts]`.
    pub question: String,
    /// File of the template, in the experiment's folder.
    pub file: String,
    /// SHA-256 of its text.
    pub digest: String,
}

impl UsedPrompt {
    /// Returns true if some templates are none but those that an experiment may have.
    pub(super) fn are_possible(all: &[Self]) -> bool {
        let is_short = |text: &String| text.len() <= TEXT_BYTES_MAX;
        let texts = |one: &Self| {
            [&one.question, &one.file, &one.digest]
                .into_iter()
                .all(is_short)
        };
        all.len() <= PROMPTS_MAX && all.iter().all(texts)
    }

    /// Returns templates in a sentence; `None` without any: `Asked by templates of its own: improve by prompts/improve.md
    /// (SHA-256 0123456789ab…).`
    pub fn sentence(all: &[Self]) -> Option<String> {
        let named = all.iter().map(|one| {
            let end = one.digest.floor_char_boundary(DIGEST_DIGITS_SHOWN);
            let digits = &one.digest[..end];
            format!("{} by {} (SHA-256 {digits}…)", one.question, one.file)
        });
        let named: Vec<String> = named.collect();
        let named = (!named.is_empty()).then(|| named.join(", "))?;
        Some(format!("Asked by templates of its own: {named}."))
    }
}

/// Cost of questions to a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelCost {
    /// The number of calls that were paid for.
    pub calls: u64,
    /// Tokens of these calls in all.
    pub tokens: u64,
    /// US dollars; `None` where a price is not known.
    pub usd: Option<f64>,
    /// True if some replies were cut off: tokens and dollars are the most that they can have taken.
    pub upper_bound: bool,
    /// The sum of the durations of these calls.
    pub seconds: f64,
}

/// Cost that is expected of a plan, without repairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExpectedCost {
    /// The number of calls.
    pub calls: u64,
    /// Tokens of these calls in all.
    pub tokens: u64,
    /// US dollars; `None` where the price is not known.
    pub usd: Option<f64>,
    /// Time in seconds, at the speed at which the model wrote its plan; `None` where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// Plan of a generation, as the model made it before anything more was asked of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationPlan {
    /// Complexity of the problem: `simple`, `moderate` or `complex`.
    pub complexity: String,
    /// Reasons for this complexity, in the model's words.
    pub reasons: Vec<String>,
    /// The tasks, in an order in which they can be done.
    pub tasks: Vec<GenerationTask>,
}

/// Task of a plan, with what it was expected to take and what it took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationTask {
    /// Kind of the task and its number among those of its kind, such as `approach 2`.
    pub task: String,
    /// Title of the task, in the model's words.
    pub title: String,
    /// Tasks that it waits for, by their places in the list, from 1.
    pub after: Vec<u32>,
    /// Tokens that one call for it was expected to take, read and written.
    pub expected_tokens: u64,
    /// Cost of the calls for it, repairs included; without calls if it was not begun.
    pub cost: ModelCost,
}

/// An approach that was generated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeneratedApproach {
    /// Name of the approach.
    pub name: String,
    /// Idea of the approach, in a sentence that came with the name.
    pub description: String,
    /// File of the approach in the experiment, if it passed.
    pub file: Option<String>,
    /// Number of attempts at it.
    pub attempts: u64,
    /// `passed`, `duplicate`, or the class of its failure.
    pub outcome: String,
    /// Message about what was wrong, if the approach did not pass.
    pub message: Option<String>,
    /// Cost of the questions about this approach.
    #[serde(default)]
    pub cost: ModelCost,
    /// Attempts in order. The first one that passed counts.
    #[serde(default)]
    pub iterations: Vec<GeneratedIteration>,
}

/// One attempt at an approach: its source, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GeneratedIteration {
    /// Number of the attempt, from 1.
    pub number: u32,
    /// Content address of the source.
    pub source: String,
    /// The file with its source, relative to the experiment's folder; `None` if it was not kept.
    pub file: Option<String>,
    /// `passed`, or the class of its failure.
    pub outcome: String,
    /// Message about what was wrong, if the attempt did not pass.
    pub message: Option<String>,
    /// True if this is the attempt that stands for the approach.
    pub counts: bool,
}

impl Generation {
    /// Checks a generation that may be forged.
    ///
    /// # Errors
    /// Some part is larger than in any generation, or a number is one that no generation can reach.
    pub fn check(&self) -> Result<(), String> {
        let iterations = self.approaches.iter().flat_map(|one| &one.iterations);
        let is_short = |text: &String| text.len() <= TEXT_BYTES_MAX;
        let texts = self.approaches.iter().flat_map(|one| {
            [&one.name, &one.description, &one.outcome]
                .into_iter()
                .chain(one.file.as_ref())
                .chain(one.message.as_ref())
        });
        let more = iterations.clone().flat_map(|one| {
            [&one.source, &one.outcome]
                .into_iter()
                .chain(one.file.as_ref())
                .chain(one.message.as_ref())
        });
        let costs = self.approaches.iter().map(|one| &one.cost);
        let expected = self.expected.as_ref();
        let is_money =
            |usd: Option<f64>| usd.is_none_or(|usd| usd.is_finite() && (0.0..=1e9).contains(&usd));
        let is_good = self.approaches.len() <= GENERATED_MAX
            && (self.approaches.iter()).all(|one| one.iterations.len() <= ATTEMPTS_MAX)
            && texts.chain(more).all(is_short)
            && is_short(&self.model)
            && costs.chain([&self.spent]).all(ModelCost::is_possible)
            && expected.is_none_or(|one| {
                one.calls <= COUNT_MAX
                    && one.tokens <= COUNT_MAX
                    && is_money(one.usd)
                    && one.seconds.is_none_or(is_time)
            })
            && UsedPrompt::are_possible(&self.prompts)
            && self.plan.as_ref().is_none_or(GenerationPlan::is_possible);
        if is_good {
            Ok(())
        } else {
            Err("what it says of generated approaches cannot be".to_owned())
        }
    }
}

/// Returns true for a duration in seconds that a generation can reach.
fn is_time(seconds: f64) -> bool {
    seconds.is_finite() && (0.0..=1e12).contains(&seconds)
}

impl GenerationPlan {
    /// Returns true if no part is larger than in any plan.
    fn is_possible(&self) -> bool {
        let is_short = |text: &String| text.len() <= TEXT_BYTES_MAX;
        let is_task = |task: &GenerationTask| {
            is_short(&task.task)
                && is_short(&task.title)
                && task.after.len() <= PLAN_TASKS_MAX
                && task.expected_tokens <= COUNT_MAX
                && task.cost.is_possible()
        };
        is_short(&self.complexity)
            && self.reasons.len() <= PLAN_TASKS_MAX
            && self.reasons.iter().all(is_short)
            && self.tasks.len() <= PLAN_TASKS_MAX
            && self.tasks.iter().all(is_task)
    }
}

impl ModelCost {
    /// Returns the part of a cost that came after another, which it contains.
    pub fn minus(&self, before: &Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(before.calls),
            tokens: self.tokens.saturating_sub(before.tokens),
            usd: self
                .usd
                .map(|usd| (usd - before.usd.unwrap_or_default()).max(0.0)),
            upper_bound: self.upper_bound,
            seconds: (self.seconds - before.seconds).max(0.0),
        }
    }

    /// Returns the sum of two costs.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            usd: self.usd.zip(other.usd).map(|(one, other)| one + other),
            upper_bound: self.upper_bound || other.upper_bound,
            seconds: self.seconds + other.seconds,
        }
    }

    /// Returns true if each number is one that a model can reach.
    pub(super) fn is_possible(&self) -> bool {
        let usd = self.usd.unwrap_or(0.0);
        self.calls <= COUNT_MAX
            && self.tokens <= COUNT_MAX
            && usd.is_finite()
            && (0.0..=1e9).contains(&usd)
            && is_time(self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_can_take_is_refused() {
        let good = Generation::default();
        assert_eq!(good.check(), Ok(()));
        type Change = fn(&mut Generation);
        let forged: [Change; 8] = [
            |one| {
                let seconds = Some(f64::INFINITY);
                one.expected = Some(ExpectedCost {
                    seconds,
                    ..ExpectedCost::default()
                });
            },
            |one| {
                let tasks = vec![GenerationTask::default(); PLAN_TASKS_MAX + 1];
                one.plan = Some(GenerationPlan {
                    tasks,
                    ..GenerationPlan::default()
                });
            },
            |one| one.spent.usd = Some(f64::NAN),
            |one| one.spent.seconds = -1.0,
            |one| one.spent.tokens = u64::MAX,
            |one| one.model = "x".repeat(TEXT_BYTES_MAX + 1),
            |one| one.approaches = vec![GeneratedApproach::default(); GENERATED_MAX + 1],
            |one| {
                one.expected = Some(ExpectedCost {
                    usd: Some(-1.0),
                    ..ExpectedCost::default()
                });
            },
        ];
        for forge in forged {
            let mut forged = good.clone();
            forge(&mut forged);
            assert!(forged.check().is_err(), "{forged:?}");
        }
    }
}
