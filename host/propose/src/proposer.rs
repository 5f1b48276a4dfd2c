//! Generation of approaches: ideas, a prototype of each, and repairs of those that fail.

use super::idea::Idea;
use super::known_ideas::KnownIdeas;
use super::proposal::{KnownWork, Proposal, ProposalOutcome, in_words};
use super::writer::{Made, PrototypeOrigin, PrototypeWriter, WriteOptions};
use bakeoff_domain::generate::Diversity;
use bakeoff_provider::{AskError, Models};
use bakeoff_run::{RunError, Survey};
use std::sync::Arc;

/// The most approaches that are asked for.
pub const PROPOSALS_MAX: u32 = bakeoff_config::GENERATED_APPROACHES_MAX;

/// Options of a generation.
#[derive(Clone, Debug)]
pub struct ProposeOptions {
    /// Number of approaches, from 1 to [`PROPOSALS_MAX`].
    pub approaches: u32,
    /// Diversity of the approaches.
    pub diversity: Diversity,
    /// Options of writing their prototypes.
    pub write: WriteOptions,
}

/// Result of a generation.
#[derive(Debug)]
pub struct Proposals {
    /// The approaches that were finished.
    pub proposals: Vec<Proposal>,
    /// The error that ended the generation early: a spent budget, or a model that gives no answers at all.
    pub ended: Option<AskError>,
}

/// Generator of approaches to a problem, which asks a model.
pub struct Proposer {
    writer: PrototypeWriter,
    approaches: u32,
    ideas: KnownIdeas,
    work: KnownWork,
}

/// An approach of the user's own, as a model is told about it.
pub struct OwnApproach<'a> {
    /// Name of the approach.
    pub name: &'a str,
    /// Description of the approach, if it has one.
    pub description: Option<&'a str>,
}

/// Returns the number of approaches that are no duplicates; others are asked for in the place of duplicates.
pub(super) fn useful<'a>(proposals: impl IntoIterator<Item = &'a Proposal>) -> u32 {
    let is_useful = |one: &&Proposal| !matches!(one.outcome, ProposalOutcome::Duplicate { .. });
    proposals.into_iter().filter(is_useful).count() as u32
}

/// Calls the user's own approaches once, and returns their work.
///
/// # Errors
/// The workload fails, or something else fails that does not depend on the prototypes.
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

/// Describes one of the user's own approaches as an idea that is known.
pub(super) fn known_idea(approach: &OwnApproach<'_>) -> Idea {
    Idea {
        name: approach.name.to_owned(),
        description: approach.description.unwrap_or_default().to_owned(),
        rationale: String::new(),
        characteristics: Vec::new(),
    }
}

impl Proposer {
    /// Makes a generator, and calls the user's own approaches once, so that duplicates of them are found.
    ///
    /// # Errors
    /// The workload fails, or something else fails that does not depend on the prototypes.
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
            ideas: KnownIdeas::new(known.collect(), options.diversity, writer.preference()),
            writer,
            approaches: options.approaches,
            work,
        })
    }

    /// Asks for ideas and writes a prototype of each. Progress messages go to `report`.
    ///
    /// # Errors
    /// The workload fails, or something else fails that does not depend on the prototypes.
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
                let made = self
                    .writer
                    .write(idea, place, PrototypeOrigin::New, report)
                    .await?;
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
