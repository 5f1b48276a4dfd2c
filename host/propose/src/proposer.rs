//! Generation of approaches: ideas, a prototype of each, and repairs of those that fail.

use super::answers::Answers;
use super::idea::{Idea, WishFile, WishedIdea};
use super::known_ideas::KnownIdeas;
use super::proposal::{KnownWork, Proposal, ProposalOutcome, in_words};
use super::writer::{FinishedProposal, PrototypeOrigin, PrototypeWriter, WriteOptions};
use bakeoff_domain::generate::Diversity;
use bakeoff_provider::AskError;
use bakeoff_run::{RunError, Survey};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

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

/// Generator of approaches to a problem, which asks a model, or a writer of sources beside it.
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
        ..Idea::default()
    }
}

/// News of a prototype that is being written: a message, or its end.
enum News {
    Said(String),
    Made(usize, Box<Result<FinishedProposal, RunError>>),
}

impl Proposer {
    /// Writes a prototype of each idea, all at the same time: they wait for a model most of it. `before` is the number of
    /// prototypes before them. With each idea comes whether it is a wish, with the file of wishes for it. Returns those that were finished, in the order of the ideas, and the error that ended others.
    async fn write_all(
        &self,
        ideas: Vec<(Idea, Option<Option<WishFile>>)>,
        before: usize,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(Vec<Proposal>, Option<AskError>), RunError> {
        let (news, mut all_news) = mpsc::unbounded_channel();
        // The tasks end with it, also if nobody waits for them any more.
        let mut tasks = JoinSet::new();
        for (index, (idea, wish)) in ideas.into_iter().enumerate() {
            self.writer.options.on_step.idea(&idea);
            report(&format!("{}: asking for a prototype", idea.name));
            let (writer, news) = (self.writer.clone(), news.clone());
            let place = before + index + 1;
            tasks.spawn(async move {
                let mut say = |text: &str| drop(news.send(News::Said(text.to_owned())));
                let origin = match &wish {
                    None => PrototypeOrigin::New,
                    Some(instructions) => PrototypeOrigin::Wished(instructions.as_ref()),
                };
                let made = writer.write(idea, place, origin, &mut say).await;
                let _ = news.send(News::Made(place, Box::new(made)));
            });
        }
        drop(news);
        let (mut finished, mut stopped) = (BTreeMap::new(), None);
        while let Some(news) = all_news.recv().await {
            match news {
                News::Said(text) => report(&text),
                News::Made(place, made) => match (*made)? {
                    FinishedProposal::Finished(proposal) => {
                        let name = &proposal.idea.name;
                        report(&format!("{name}: {}", in_words(&proposal.outcome)));
                        finished.insert(place, *proposal);
                    }
                    // What others were paid for is waited for.
                    FinishedProposal::Ended(error) => {
                        stopped.get_or_insert(error);
                    }
                },
            }
        }
        Ok((finished.into_values().collect(), stopped))
    }

    /// Makes a generator, and calls the user's own approaches once, so that duplicates of them are found. `wished` are
    /// those that have no code yet.
    ///
    /// # Errors
    /// The workload fails, or something else fails that does not depend on the prototypes.
    pub async fn open(
        answers: impl Into<Answers>,
        survey: Survey,
        statement: &str,
        (own, wished): (&[OwnApproach<'_>], &[OwnApproach<'_>]),
        options: &ProposeOptions,
    ) -> Result<Self, RunError> {
        let writer = PrototypeWriter::new(answers, Arc::new(survey), statement, &options.write);
        let work = work_of(&writer, own).await?;
        let known = own.iter().chain(wished).map(known_idea);
        Ok(Self {
            ideas: KnownIdeas::new(known.collect(), options.diversity, &writer),
            writer,
            approaches: options.approaches,
            work,
        })
    }

    /// Writes a prototype of each of the user's own ideas, whatever work it does. Progress messages go to `report`.
    ///
    /// # Errors
    /// The workload fails, or something else fails that does not depend on the prototypes.
    pub async fn write_wished(
        &mut self,
        wished: Vec<WishedIdea>,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Proposals, RunError> {
        let ideas = wished
            .into_iter()
            .map(|one| (one.idea, Some(one.instructions)));
        let (proposals, ended) = self.write_all(ideas.collect(), 0, report).await?;
        Ok(Proposals { proposals, ended })
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
            let (Some(models), problem) = (self.writer.answers.ideas(), &self.writer.problem)
            else {
                // Nobody names any.
                break;
            };
            report(&format!(
                "asking {} for {missing} approaches",
                models.name()
            ));
            let ideas = match self.ideas.ask(models, problem, missing).await {
                Ok(Some(ideas)) => ideas,
                Ok(None) => break,
                Err(error) => return ended(proposals, error),
            };
            let ideas = ideas.into_iter().map(|idea| (idea, None)).collect();
            let (made, stopped) = self.write_all(ideas, proposals.len(), report).await?;
            for mut proposal in made {
                self.work.hold_against(&mut proposal);
                if let ProposalOutcome::Duplicate { .. } = &proposal.outcome {
                    let on_step = &self.writer.options.on_step;
                    on_step.ended(&proposal.idea, &proposal.outcome);
                    let name = &proposal.idea.name;
                    report(&format!("{name}: {}", in_words(&proposal.outcome)));
                }
                proposals.push(proposal);
            }
            if let Some(error) = stopped {
                return ended(proposals, error);
            }
        }
        Ok(Proposals {
            proposals,
            ended: None,
        })
    }
}
