//! The loop: ideas, a prototype of each, and what failed once more.

use super::attempt::{Attempt, AttemptOutcome, attempt};
use super::idea::Idea;
use super::prompt;
use super::replies::{Ideas, WrittenPrototype};
use crate::files::read_bounded;
use crate::provider::{AskError, Models};
use crate::run::{RunError, Survey};
use bakeoff_domain::measurement::CaseIndex;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// The most approaches that are asked for.
pub const PROPOSALS_MAX: u32 = 10;

/// How often ideas are asked for, where some of them were known already.
const ROUNDS_MAX: u32 = 3;

/// Inputs of each case that a prototype is called on.
const INPUTS_OF_EACH: u32 = 2;

/// The most cases that a prototype is called on here; a run checks all.
const CASES_MAX: usize = 64;

/// The largest file of instructions, in bytes.
const INSTRUCTIONS_BYTES_MAX: u64 = 64 << 10;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct ProposeOptions {
    /// How many approaches, from 1 to [`PROPOSALS_MAX`].
    pub approaches: u32,
    /// How often a prototype that failed is written anew.
    pub repairs: u32,
    /// A file with wishes of the user's, which is read anew for every prototype.
    pub instructions: Option<PathBuf>,
    /// The time for one approach with all its repairs.
    pub timeout: Duration,
}

/// An approach of a model, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The idea.
    pub idea: Idea,
    /// The revisions of its prototype, in their order.
    pub attempts: Vec<Attempt>,
    /// What became of it.
    pub outcome: ProposalOutcome,
}

/// What became of an approach.
#[derive(Clone, Debug, PartialEq)]
pub enum ProposalOutcome {
    /// Its last revision passed.
    Passed,
    /// Its last revision passed, and does exactly the work of another approach on every input.
    Duplicate {
        /// The other one.
        of: String,
    },
    /// None passed.
    Failed {
        /// The class of the last failure.
        class: &'static str,
        /// What was wrong.
        message: String,
    },
}

impl Proposal {
    /// The source of the revision that passed, if one did.
    pub fn passed(&self) -> Option<&str> {
        let last = self.attempts.last()?;
        (self.outcome == ProposalOutcome::Passed).then_some(&last.source)
    }
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
pub struct Proposer<'a> {
    models: &'a Models,
    survey: &'a Survey,
    options: &'a ProposeOptions,
    problem: String,
    calls: Vec<(CaseIndex, u64)>,
    /// Approaches that there are, the user's own first.
    known: Vec<Idea>,
    /// The work of those that passed: name, and fuel of each call.
    work: Vec<(String, Vec<u64>)>,
}

/// The user's own approach, as a model is told about it.
pub struct OwnApproach<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does, if that is said.
    pub description: Option<&'a str>,
}

impl<'a> Proposer<'a> {
    /// A proposer for a problem whose own approaches are called once, so that the same is not proposed again.
    ///
    /// # Errors
    /// The workload fails, or something that does not depend on the approaches.
    pub async fn open(
        models: &'a Models,
        survey: &'a Survey,
        statement: &str,
        own: &[OwnApproach<'_>],
        options: &'a ProposeOptions,
    ) -> Result<Self, RunError> {
        // A model is told of a failure what it was told before, so that its reply is known again.
        let calls = survey.inputs(INPUTS_OF_EACH, CASES_MAX);
        let surveyed = survey.call_all(&calls).await?;
        let passed = own.iter().zip(surveyed).filter_map(|(approach, made)| {
            let fuel = made
                .ok()?
                .iter()
                .map(|call| call.fuel)
                .collect::<Option<Vec<_>>>()?;
            Some((approach.name.to_owned(), fuel))
        });
        let work = passed.collect();
        let known = own.iter().map(|approach| Idea {
            name: approach.name.to_owned(),
            description: approach.description.unwrap_or_default().to_owned(),
            rationale: String::new(),
            characteristics: Vec::new(),
        });
        Ok(Self {
            models,
            survey,
            options,
            problem: prompt::problem(statement, survey),
            calls,
            known: known.collect(),
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
        for round in 1..=ROUNDS_MAX {
            let useful =
                |one: &&Proposal| !matches!(one.outcome, ProposalOutcome::Duplicate { .. });
            let have = proposals.iter().filter(useful).count() as u32;
            let missing = self.options.approaches.saturating_sub(have);
            if missing == 0 {
                break;
            }
            report(&format!(
                "asking {} for {missing} approaches",
                self.models.name()
            ));
            let ideas = match self.ideas(missing, round).await {
                Ok(ideas) => ideas,
                Err(error) => {
                    return Ok(Proposals {
                        proposals,
                        ended: Some(error),
                    });
                }
            };
            for idea in ideas {
                let place = proposals.len() + 1;
                report(&format!("{}: asking for a prototype", idea.name));
                let name = idea.name.clone();
                let made = match tokio::time::timeout(
                    self.options.timeout,
                    self.prototype(idea.clone(), place, report),
                )
                .await
                {
                    Ok(made) => made?,
                    Err(_) => Made::Finished(Proposal {
                        idea,
                        attempts: Vec::new(),
                        outcome: ProposalOutcome::Failed {
                            class: "model-timeout",
                            message: format!(
                                "it took longer than {} s in all",
                                self.options.timeout.as_secs_f64()
                            ),
                        },
                    }),
                };
                let proposal = match made {
                    Made::Finished(proposal) => proposal,
                    Made::Ended(error) => {
                        return Ok(Proposals {
                            proposals,
                            ended: Some(error),
                        });
                    }
                };
                report(&format!("{name}: {}", in_words(&proposal.outcome)));
                proposals.push(proposal);
            }
        }
        Ok(Proposals {
            proposals,
            ended: None,
        })
    }

    /// Ideas that are not known yet, so many at most.
    async fn ideas(&mut self, count: u32, round: u32) -> Result<Vec<Idea>, AskError> {
        let request = prompt::ideas(&self.problem, count, round, &self.known);
        let written: Ideas = read(self.models.ask(&request).await?)?;
        let mut new = Vec::new();
        for written in written.approaches.iter().take(count as usize) {
            let taken: Vec<String> = self.known.iter().map(|idea| idea.name.clone()).collect();
            let as_named = Idea::of(written, self.known.len() + 1, &[]);
            if self.known.iter().any(|known| known.is_like(&as_named)) {
                continue;
            }
            let idea = Idea::of(written, self.known.len() + 1, &taken);
            self.known.push(idea.clone());
            new.push(idea);
        }
        Ok(new)
    }

    /// Writes the prototype of an idea, and once more what failed.
    async fn prototype(
        &mut self,
        idea: Idea,
        place: usize,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Made, RunError> {
        let mut attempts: Vec<Attempt> = Vec::new();
        let instructions = match self.instructions() {
            Ok(text) => text,
            Err(message) => return Ok(failed(idea, attempts, "instructions", message)),
        };
        loop {
            let request = match attempts.last() {
                Some(Attempt {
                    source,
                    outcome: AttemptOutcome::Failed { class, message },
                }) => {
                    let wrong = format!("{class}: {message}");
                    prompt::repair(&self.problem, &idea, place, source, &wrong)
                }
                _ => prompt::prototype(&self.problem, &idea, place, instructions.as_deref()),
            };
            let written = self.models.ask(&request).await.and_then(read);
            let WrittenPrototype { source } = match written {
                Ok(written) => written,
                Err(error) if ends_all(&error) => return Ok(Made::Ended(error)),
                Err(error) => {
                    return Ok(failed(idea, attempts, error.class(), error.to_string()));
                }
            };
            let made = attempt(self.survey, source, &self.calls).await?;
            attempts.push(made);
            match attempts.last().map(|attempt| &attempt.outcome) {
                Some(AttemptOutcome::Passed { fuel }) => {
                    let fuel = fuel.clone();
                    let same = self.work.iter().find(|(_, other)| *other == fuel);
                    let outcome = match same {
                        Some((name, _)) => ProposalOutcome::Duplicate { of: name.clone() },
                        None => ProposalOutcome::Passed,
                    };
                    self.work.push((idea.name.clone(), fuel));
                    return Ok(Made::Finished(Proposal {
                        idea,
                        attempts,
                        outcome,
                    }));
                }
                Some(AttemptOutcome::Failed { class, message }) => {
                    if attempts.len() > self.options.repairs as usize {
                        let (class, message) = (class.name(), message.clone());
                        return Ok(failed(idea, attempts, class, message));
                    }
                    report(&format!("{}: {class}, asking for a repair", idea.name));
                }
                None => return Ok(failed(idea, attempts, "build-failed", String::new())),
            }
        }
    }

    /// The wishes of the user's as they are now.
    fn instructions(&self) -> Result<Option<String>, String> {
        let Some(path) = &self.options.instructions else {
            return Ok(None);
        };
        let wrong = |why: String| format!("cannot read {}: {why}", path.display());
        let bytes =
            read_bounded(path, INSTRUCTIONS_BYTES_MAX).map_err(|error| wrong(error.to_string()))?;
        let bytes = bytes
            .ok_or_else(|| wrong(format!("it has more than {INSTRUCTIONS_BYTES_MAX} bytes")))?;
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| wrong("it is not UTF-8".to_owned()))
    }
}

/// A finished proposal, or the end of all.
enum Made {
    Finished(Proposal),
    Ended(AskError),
}

fn failed(idea: Idea, attempts: Vec<Attempt>, class: &'static str, message: String) -> Made {
    Made::Finished(Proposal {
        idea,
        attempts,
        outcome: ProposalOutcome::Failed { class, message },
    })
}

/// Returns true if no further question would be answered either.
fn ends_all(error: &AskError) -> bool {
    matches!(
        error,
        AskError::BudgetExhausted { .. } | AskError::Unavailable { .. } | AskError::Interrupted
    )
}

/// An answer as a value. It is of its schema, so this fails for what a schema cannot say alone.
fn read<T: DeserializeOwned>(answer: Value) -> Result<T, AskError> {
    serde_json::from_value(answer).map_err(|error| AskError::Invalid {
        problem: error.to_string(),
        reply_excerpt: String::new(),
    })
}

fn in_words(outcome: &ProposalOutcome) -> String {
    match outcome {
        ProposalOutcome::Passed => "passed".to_owned(),
        ProposalOutcome::Duplicate { of } => format!("does the same work as {of}, and is left out"),
        ProposalOutcome::Failed { class, .. } => format!("failed ({class})"),
    }
}
