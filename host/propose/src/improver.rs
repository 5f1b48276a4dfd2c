//! Improvement of candidates of a search by a model, which is told what was learnt.

use super::attempt::{Attempt, AttemptOutcome};
use super::idea::Idea;
use super::learnt::Learnt;
use super::prompt;
use super::replies::{WrittenImprovement, WrittenPrototype};
use super::writer::{PrototypeWriter, WriteOptions, ends_all, fault, read};
use bakeoff_domain::report::ModelCost;
use bakeoff_provider::{AskError, Models};
use bakeoff_run::{RunError, Survey};
use std::sync::Arc;
use tokio::task::JoinSet;

/// A model that improves candidates.
#[derive(Clone)]
pub struct Improver {
    writer: PrototypeWriter,
}

/// A candidate that a model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Improvement {
    /// Difference from the best one, in the model's words.
    pub change: String,
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
        }
    }

    /// Returns what the model has cost so far in this process.
    pub fn cost(&self) -> ModelCost {
        (&self.writer.models.spent().total).into()
    }

    /// Returns the name of the provider and its model.
    pub fn name(&self) -> String {
        self.writer.models.name()
    }

    /// Has so many candidates written, all at the same time, each tried out and repaired.
    ///
    /// # Errors
    /// The workload fails, or something else fails that does not depend on the candidates.
    pub async fn improve(&self, learnt: &Learnt, count: usize) -> Result<Improvements, RunError> {
        // The tasks end with it, also if nobody waits for them any more.
        let mut tasks = JoinSet::new();
        for place in 1..=count {
            let (own, learnt) = (self.clone(), learnt.clone());
            tasks.spawn(async move { (place, own.write(&learnt, place).await) });
        }
        let mut ended: Vec<(usize, Result<Improvement, AskError>)> = Vec::new();
        while let Some(done) = tasks.join_next().await {
            let (place, written) = done.map_err(|error| RunError::Engine(error.to_string()))?;
            ended.push((place, written?));
        }
        ended.sort_by_key(|(place, _)| *place);
        let mut all = Improvements::default();
        for (_, written) in ended {
            match written {
                Ok(one) => all.made.push(one),
                Err(error) if ends_all(&error) => all.ended = Some(error),
                Err(error) => all.failed.push(error.to_string()),
            }
        }
        Ok(all)
    }

    /// Has one candidate written, and repaired where it fails.
    async fn write(
        &self,
        learnt: &Learnt,
        place: usize,
    ) -> Result<Result<Improvement, AskError>, RunError> {
        let writer = &self.writer;
        let subject = format!("round {} candidate {place}", learnt.round);
        let request = prompt::improvement(writer.told(), learnt, &subject, writer.options.depth);
        let written = writer.models.ask(&request).await.and_then(read);
        let WrittenImprovement { change, source } = match written {
            Ok(written) => written,
            Err(error) => return Ok(Err(error)),
        };
        let idea = Idea {
            name: change.clone(),
            ..Idea::default()
        };
        let mut attempts: Vec<Attempt> = vec![writer.try_out(source).await?];
        while attempts.len() <= writer.options.repairs as usize {
            let faults: Vec<(&str, String)> = attempts.iter().filter_map(fault).collect();
            let passed = |one: &Attempt| matches!(one.outcome, AttemptOutcome::Passed { .. });
            if attempts.last().is_some_and(passed) {
                break;
            }
            let depth = writer.options.depth;
            let mut request = prompt::repair(writer.told(), &idea, place, &faults, depth, None);
            request.subject.clone_from(&subject);
            let WrittenPrototype { source } = match writer.models.ask(&request).await.and_then(read)
            {
                Ok(written) => written,
                Err(error) if ends_all(&error) => return Ok(Err(error)),
                // What there is failed; that is seen again, and kept.
                Err(_) => break,
            };
            attempts.push(writer.try_out(source).await?);
        }
        let source = attempts.pop().map(|last| last.source).unwrap_or_default();
        Ok(Ok(Improvement { change, source }))
    }
}
