//! Improvement of candidates of a search by a model, which is told what was learnt.

use super::idea::Idea;
use super::prompt;
use super::proposal::ProposalOutcome;
use super::search_lessons::SearchLessons;
use super::templates::used_prompts;
use super::writer::{FinishedProposal, PrototypeOrigin, PrototypeWriter, WriteOptions};
use bakeoff_config::{PromptKind, Wish};
use bakeoff_domain::report::{ModelCost, UsedPrompt};
use bakeoff_provider::{AskError, Models};
use bakeoff_run::{RunError, SharedCores, Survey};
use std::sync::Arc;
use tokio::task::JoinSet;

/// A model that improves candidates.
#[derive(Clone)]
pub struct Improver {
    writer: PrototypeWriter,
    models: Arc<Models>,
}

/// A candidate that a model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Improvement {
    /// Difference from the best one, in the model's words.
    pub change: String,
    /// The wish that was asked for.
    pub wish: Wish,
    /// Source in Rust. It may have failed when it was tried out.
    pub source: String,
}

/// Candidates that a model wrote for a round.
#[derive(Debug, Default)]
pub struct Improvements {
    /// The candidates, in the order in which they were asked for.
    pub made: Vec<Improvement>,
    /// Reasons why one was not written.
    pub failed: Vec<String>,
    /// The error after which no further question would be answered.
    pub ended: Option<AskError>,
}

impl Improver {
    /// Makes an improver for the problem of a survey.
    pub fn new(
        models: &Arc<Models>,
        survey: Survey,
        statement: &str,
        options: &WriteOptions,
    ) -> Self {
        Self {
            writer: PrototypeWriter::new(models, Arc::new(survey), statement, options),
            models: Arc::clone(models),
        }
    }

    /// Returns what the model has cost so far in this process.
    pub fn cost(&self) -> ModelCost {
        (&self.models.spent().total).into()
    }

    /// Returns the cores on which candidates are tried.
    pub fn cores(&self) -> &SharedCores {
        &self.writer.cores
    }

    /// Returns the name of the provider and its model.
    pub fn name(&self) -> String {
        self.models.name()
    }

    /// Returns the templates of the experiment's own by which the model is asked for candidates and repairs.
    pub fn prompts(&self) -> Vec<UsedPrompt> {
        let mut used = used_prompts(&self.writer.options.prompts);
        let asked = [PromptKind::Improve, PromptKind::Repair];
        used.retain(|one| asked.iter().any(|kind| kind.name() == one.question));
        used
    }

    /// Has so many candidates written, all at the same time, each tried out and repaired.
    ///
    /// # Errors
    /// The workload fails, or something else fails that does not depend on the candidates.
    pub async fn improve(
        &self,
        learnt: &SearchLessons,
        count: usize,
    ) -> Result<Improvements, RunError> {
        // The tasks end with it, also if nobody waits for them any more.
        let mut tasks = JoinSet::new();
        for place in 1..=count {
            let (own, learnt) = (self.clone(), learnt.clone());
            tasks.spawn(async move { (place, own.write(&learnt, place).await) });
        }
        let mut ended: Vec<(usize, Result<Improvement, Unwritten>)> = Vec::new();
        while let Some(done) = tasks.join_next().await {
            let (place, written) = done.map_err(|error| RunError::Engine(error.to_string()))?;
            ended.push((place, written?));
        }
        ended.sort_by_key(|(place, _)| *place);
        let mut all = Improvements::default();
        for (_, written) in ended {
            match written {
                Ok(one) => all.made.push(one),
                Err(Unwritten::Ended(error)) => all.ended = Some(error),
                Err(Unwritten::Failed(message)) => all.failed.push(message),
            }
        }
        Ok(all)
    }

    /// Has one candidate written, and repaired where it fails. One that failed in the end is a candidate, too: it is
    /// looked at again, and kept with its failure.
    async fn write(
        &self,
        learnt: &SearchLessons,
        place: usize,
    ) -> Result<Result<Improvement, Unwritten>, RunError> {
        let idea = Idea {
            name: prompt::improvement_subject(learnt, place),
            ..Idea::default()
        };
        let origin = PrototypeOrigin::Improved(learnt);
        let made = (self.writer.write(idea, place, origin, &mut |_| {})).await?;
        let mut proposal = match made {
            FinishedProposal::Finished(proposal) => proposal,
            FinishedProposal::Ended(error) => return Ok(Err(Unwritten::Ended(error))),
        };
        Ok(match (proposal.attempts.pop(), proposal.outcome) {
            (Some(last), _) => Ok(Improvement {
                change: proposal.idea.description,
                wish: learnt.wish(place),
                source: last.source,
            }),
            (None, ProposalOutcome::Failed { message, .. }) => Err(Unwritten::Failed(message)),
            (None, _) => Err(Unwritten::Failed("nothing was written".to_owned())),
        })
    }
}

/// The reason why a candidate was not written.
enum Unwritten {
    /// No further question would be answered either.
    Ended(AskError),
    /// The message of a failure of this one alone.
    Failed(String),
}
