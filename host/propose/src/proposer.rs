//! The loop: ideas, a prototype of each, and what failed once more.

use super::idea::Idea;
use super::known_ideas::KnownIdeas;
use super::proposal::{KnownWork, Proposal, ProposalOutcome, in_words};
use super::writer::{Made, Origin, PrototypeWriter, WriteOptions};
use bakeoff_domain::generate::Diversity;
use bakeoff_provider::{AskError, Models};
use bakeoff_run::{RunError, Survey};
use std::sync::Arc;

/// The most approaches that are asked for.
pub const PROPOSALS_MAX: u32 = bakeoff_config::GENERATED_APPROACHES_MAX;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct ProposeOptions {
    /// How many approaches, from 1 to [`PROPOSALS_MAX`].
    pub approaches: u32,
    /// How far apart they should be.
    pub diversity: Diversity,
    /// How their prototypes are written.
    pub write: WriteOptions,
}

/// All approaches of a model.
#[derive(Debug)]
pub struct Proposals {
    /// What was finished.
    pub proposals: Vec<Proposal>,
    /// Why there are no more: a budget, or a model that gives no answers at all.
    pub ended: Option<AskError>,
}

/// Asks a model for approaches to a problem.
pub struct Proposer {
    writer: PrototypeWriter,
    approaches: u32,
    ideas: KnownIdeas,
    work: KnownWork,
}

/// The user's own approach, as a model is told about it.
pub struct OwnApproach<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does, if that is said.
    pub description: Option<&'a str>,
}

/// How many approaches count: one that does the work of another is asked for again.
pub(super) fn useful<'a>(proposals: impl IntoIterator<Item = &'a Proposal>) -> u32 {
    let is_useful = |one: &&Proposal| !matches!(one.outcome, ProposalOutcome::Duplicate { .. });
    proposals.into_iter().filter(is_useful).count() as u32
}

/// The work of the user's own approaches, which are called once.
///
/// # Errors
/// The workload fails, or something that does not depend on the approaches.
pub(super) async fn work_of(
    writer: &PrototypeWriter,
    own: &[OwnApproach<'_>],
) -> Result<KnownWork, RunError> {
    let mut work = KnownWork::default();
    let surveyed = writer.survey.call_all(&writer.calls).await?;
    for (approach, made) in own.iter().zip(surveyed) {
        let fuel = made.ok().and_then(|calls| {
            let fuel = calls.iter().map(|call| call.fuel);
            fuel.collect::<Option<Vec<_>>>()
        });
        if let Some(fuel) = fuel {
            work.add(approach.name, &fuel);
        }
    }
    Ok(work)
}

/// An approach of the user's own, as an idea that is known.
pub(super) fn known_idea(approach: &OwnApproach<'_>) -> Idea {
    Idea {
        name: approach.name.to_owned(),
        description: approach.description.unwrap_or_default().to_owned(),
        rationale: String::new(),
        characteristics: Vec::new(),
    }
}

impl Proposer {
    /// A proposer for a problem whose own approaches are called once, so that the same is not proposed again.
    ///
    /// # Errors
    /// The workload fails, or something that does not depend on the approaches.
    pub async fn open(
        models: &Arc<Models>,
        survey: Survey,
        statement: &str,
        own: &[OwnApproach<'_>],
        options: &ProposeOptions,
    ) -> Result<Self, RunError> {
        let writer = PrototypeWriter::new(models, Arc::new(survey), statement, &options.write);
        let work = work_of(&writer, own).await?;
        let known = own.iter().map(known_idea);
        Ok(Self {
            ideas: KnownIdeas::new(known.collect(), options.diversity),
            writer,
            approaches: options.approaches,
            work,
        })
    }

    /// Asks for ideas and writes a prototype of each. News goes to `report`.
    ///
    /// # Errors
    /// The workload fails, or something that does not depend on the prototypes.
    pub async fn propose(
        &mut self,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Proposals, RunError> {
        let mut proposals: Vec<Proposal> = Vec::new();
        let ended = |proposals, error| {
            Ok(Proposals {
                proposals,
                ended: Some(error),
            })
        };
        loop {
            let missing = self.approaches.saturating_sub(useful(&proposals));
            if missing == 0 {
                break;
            }
            let (models, problem) = (&self.writer.models, &self.writer.problem);
            report(&format!(
                "asking {} for {missing} approaches",
                models.name()
            ));
            let ideas = match self.ideas.ask(models, problem, missing).await {
                Ok(Some(ideas)) => ideas,
                Ok(None) => break,
                Err(error) => return ended(proposals, error),
            };
            for idea in ideas {
                let place = proposals.len() + 1;
                report(&format!("{}: asking for a prototype", idea.name));
                let made = self.writer.write(idea, place, Origin::New, report).await?;
                let mut proposal = match made {
                    Made::Finished(proposal) => proposal,
                    Made::Ended(error) => return ended(proposals, error),
                };
                self.work.hold_against(&mut proposal);
                let name = &proposal.idea.name;
                report(&format!("{name}: {}", in_words(&proposal.outcome)));
                proposals.push(proposal);
            }
        }
        Ok(Proposals {
            proposals,
            ended: None,
        })
    }
}
