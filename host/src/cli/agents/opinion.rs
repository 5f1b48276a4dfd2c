//! Opinions of a model on what agents changed. They stand beside the evidence, and decide nothing.

use crate::cli::failure::Failure;
use bakeoff_agents::{AgentError, AgentExperiment, AgentWorkOutcome, Completion, PickAnswer};
use bakeoff_domain::report::{APPROACH_TEXT_BYTES_MAX, ModelCost};
use bakeoff_propose::ModelJudge;
use bakeoff_provider::Models;
use bakeoff_render::escape::{Markdown, Plain};
use bakeoff_run::{Judge as _, JudgeQuestion, JudgedKind, JudgedNumber, JudgedSource};
use bakeoff_source::content_address;
use clap::Args;
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::Arc;

/// The most questions.
const QUESTIONS_MAX: usize = 8;
/// The longest question, in characters.
const QUESTION_CHARS_MAX: usize = 1_000;
/// The votes on each question: an order, and the opposite one.
const VOTES: u32 = 2;

/// Options on opinions.
#[derive(Debug, Args)]
pub(super) struct OpinionArguments {
    /// Ask the model of --provider for its opinion of the changes of those that passed, by this question. It stands in the
    /// report, and decides nothing
    #[arg(long = "opinion", requires = "provider", value_name = "QUESTION")]
    questions: Vec<String>,
}

/// Opinion on all that passed, by one question.
#[derive(Debug, Serialize)]
pub(super) struct Opinion {
    question: String,
    model: String,
    variants: Vec<VariantOpinion>,
    cost: ModelCost,
    /// Reasons why votes are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<String>,
}

/// Opinion on one variant.
#[derive(Debug, Serialize)]
struct VariantOpinion {
    variant: String,
    /// Scores from 0 (worst) to 10 (best), one of each vote.
    scores: Vec<f64>,
    reasons: Vec<String>,
}

/// Changes of a variant as the model is shown them.
struct ShownChanges {
    variant: String,
    source: JudgedSource,
}

impl OpinionArguments {
    /// Returns true if an opinion is asked for.
    pub(super) fn is_asked(&self) -> bool {
        !self.questions.is_empty()
    }

    /// Refuses too many questions, and those that say nothing or too much.
    ///
    /// # Errors
    /// See above.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if self.questions.len() > QUESTIONS_MAX {
            return Err(Failure::usage(format!(
                "--opinion is given {} times, and {QUESTIONS_MAX} questions are asked at most",
                self.questions.len()
            )));
        }
        let is_none = |question: &&String| {
            question.trim().is_empty() || question.chars().count() > QUESTION_CHARS_MAX
        };
        match self.questions.iter().find(is_none) {
            None => Ok(()),
            Some(_) => Err(Failure::usage(format!(
                "--opinion is a question of 1 to {QUESTION_CHARS_MAX} characters, such as 'How easy is it to read?'"
            ))),
        }
    }

    /// Asks for opinions on the changes of those that passed, or were not verified; none if there are none.
    ///
    /// # Errors
    /// Git fails. What fails at the model is part of an opinion.
    pub(super) async fn ask(
        &self,
        models: &Arc<Models>,
        experiment: &AgentExperiment,
        (task, completions): (&str, &[&Completion]),
    ) -> Result<Vec<Opinion>, AgentError> {
        let shown = shown(experiment, completions)?;
        let judge = Arc::new(ModelJudge::new(models));
        let mut opinions = Vec::new();
        for (place, question) in self
            .questions
            .iter()
            .enumerate()
            .filter(|_| !shown.is_empty())
        {
            let mut opinion = Opinion {
                question: question.clone(),
                model: models.name(),
                variants: shown.iter().map(VariantOpinion::new).collect(),
                cost: ModelCost::default(),
                failures: Vec::new(),
            };
            for vote in 1..=VOTES {
                let question = JudgeQuestion {
                    problem: format!(
                        "{task}\n\nEach text is what one of several agents changed for that in the files of a repository, as a diff."
                    ),
                    kind: JudgedKind::Texts,
                    criterion: place as u32 + 1,
                    vote,
                    question: question.clone(),
                    number: JudgedNumber::Score,
                    sources: in_order(&shown, vote),
                };
                let vote = Arc::clone(&judge).vote(question).await;
                opinion.cost.calls += vote.cost.calls;
                opinion.cost.tokens += vote.cost.tokens;
                opinion.cost.seconds += vote.cost.seconds;
                opinion.cost.upper_bound |= vote.cost.upper_bound;
                let before = opinion
                    .cost
                    .usd
                    .filter(|_| opinion.cost.calls > vote.cost.calls);
                opinion.cost.usd = vote.cost.usd.map(|usd| usd + before.unwrap_or(0.0));
                opinion.failures.extend(vote.failure);
                for (row, shown) in opinion.variants.iter_mut().zip(&shown) {
                    let mut said = vote.opinions.iter();
                    if let Some(said) = said.find(|one| one.source == shown.source.address) {
                        row.scores.push(said.value);
                        row.reasons.push(said.reason.clone());
                    }
                }
            }
            opinions.push(opinion);
        }
        Ok(opinions)
    }
}

/// Returns the changes of those that passed, or were not verified.
fn shown(
    experiment: &AgentExperiment,
    completions: &[&Completion],
) -> Result<Vec<ShownChanges>, AgentError> {
    let mut all = Vec::new();
    for one in completions {
        if !matches!(
            one.outcome,
            AgentWorkOutcome::Passed | AgentWorkOutcome::Unverified
        ) {
            continue;
        }
        let picked = experiment.pick(Some(&one.variant))?;
        if let PickAnswer::Picked(picked) = picked {
            let mut text = String::from_utf8_lossy(&picked.diff).into_owned();
            let bytes = text.len();
            if bytes > APPROACH_TEXT_BYTES_MAX {
                text.truncate(text.floor_char_boundary(APPROACH_TEXT_BYTES_MAX));
                let _ = write!(text, "\n(these are the first of {bytes} bytes)");
            }
            all.push(ShownChanges {
                variant: one.variant.clone(),
                source: JudgedSource {
                    address: content_address(text.as_bytes()),
                    text,
                },
            });
        }
    }
    Ok(all)
}

/// Returns the texts in an order that says nothing of whose they are, and for every second vote in the opposite one. Variants
/// that changed the same share a text.
fn in_order(shown: &[ShownChanges], vote: u32) -> Vec<JudgedSource> {
    let mut sources: Vec<JudgedSource> = shown.iter().map(|one| one.source.clone()).collect();
    sources.sort_by(|one, other| one.address.cmp(&other.address));
    sources.dedup_by(|one, other| one.address == other.address);
    if vote.is_multiple_of(2) {
        sources.reverse();
    }
    sources
}

impl VariantOpinion {
    fn new(shown: &ShownChanges) -> Self {
        Self {
            variant: shown.variant.clone(),
            scores: Vec::new(),
            reasons: Vec::new(),
        }
    }

    fn line(&self) -> String {
        let scores: Vec<String> = self.scores.iter().map(|one| format!("{one:.1}")).collect();
        let scores = if scores.is_empty() {
            "no score".to_owned()
        } else {
            scores.join(" and ")
        };
        let reason = self.reasons.first();
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        format!("{}, {scores}{reason}", self.variant)
    }
}

impl Opinion {
    /// Returns the heading, and a line for each variant and for each vote that is missing.
    fn lines(&self) -> (String, Vec<String>) {
        let heading = format!(
            "The opinion of {}, from 0 to 10 in two orders, which decides nothing: {}",
            self.model, self.question
        );
        let mut lines: Vec<String> = self.variants.iter().map(VariantOpinion::line).collect();
        let failures = self.failures.iter();
        lines.extend(failures.map(|why| format!("a vote is missing: {why}")));
        (heading, lines)
    }
}

/// Returns opinions as text for a terminal; empty without any.
pub(super) fn text(opinions: &[Opinion]) -> String {
    let mut text = String::new();
    for opinion in opinions {
        let (heading, lines) = opinion.lines();
        let _ = writeln!(text, "\n{}", Plain(&heading));
        for line in lines {
            let _ = writeln!(text, "  {}", Plain(&line));
        }
    }
    text
}

/// Returns opinions as Markdown; empty without any.
pub(super) fn markdown(opinions: &[Opinion]) -> String {
    let mut text = String::new();
    for opinion in opinions {
        let (heading, lines) = opinion.lines();
        let _ = write!(text, "\n{}\n\n", Markdown(&heading));
        for line in lines {
            let _ = writeln!(text, "- {}", Markdown(&line));
        }
    }
    text
}
