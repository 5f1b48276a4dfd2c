//! Writing of the prototype of one idea, with repairs of what fails.

use super::answers::{Answers, SourceQuestion};
use super::attempt::{AttemptOutcome, PrototypeAttempt, attempt};
use super::idea::{Idea, WishFile};
use super::prompt::{self, ToldOfAll};
use super::proposal::{Proposal, ProposalOutcome};
use super::prototype_rules::rules;
use super::replies::{WrittenImprovement, WrittenPrototype};
use super::search_lessons::SearchLessons;
use super::step::{OnStep, WritingStep};
use super::what_counts::preference;
use bakeoff_config::Prompts;
use bakeoff_domain::generate::Depth;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_files::Reach;
use bakeoff_provider::{AskError, Request};
use bakeoff_run::{RunError, SharedCores, Survey, SurveyedValues};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Number of inputs of each case that a prototype is called on.
pub(super) const INPUTS_OF_EACH: u32 = 2;

/// The most cases that a prototype is called on here; a run checks all.
pub(super) const CASES_MAX: usize = 64;

/// The largest file of instructions, in bytes.
const INSTRUCTIONS_BYTES_MAX: u64 = 64 << 10;

/// Class of the failure of an approach whose writer wrote nothing.
const AGENT: &str = "agent";

/// Options of writing prototypes.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// The most times that a prototype which failed is written anew.
    pub repairs: u32,
    /// File of the user's instructions, which is read anew for every prototype.
    pub instructions: Option<PathBuf>,
    /// Folder that the file of instructions must lie in, if anyone but the user named that file.
    pub instructions_within: Option<PathBuf>,
    /// The time for one approach with all its repairs.
    pub timeout: Duration,
    /// Depth of the prototypes: a sketch, a proof of concept, or ready for use.
    pub depth: Depth,
    /// Templates of the experiment's own for the questions.
    pub prompts: Prompts,
    /// The most prototypes that are built and tried at the same time. Any number of replies may be awaited beside them.
    pub tried_at_once: usize,
    /// Receiver of the steps of each approach.
    pub on_step: OnStep,
}

/// Origin of the prototype of an idea.
pub(super) enum PrototypeOrigin<'a> {
    /// Written for the idea alone.
    New,
    /// Written for an idea of the user's own, with the file of wishes for it, if there is one.
    Wished(Option<&'a WishFile>),
    /// Made of two other approaches: idea and source of each.
    Combined(&'a [(Idea, String); 2]),
    /// Made of the best of a search, by what was learnt there. The description of its idea is the change, in the model's
    /// words.
    Improved(&'a SearchLessons),
}

impl PrototypeOrigin<'_> {
    /// Returns the subject of all questions about the prototype of an idea, by which their cost is found.
    fn subject(&self, idea: &Idea, place: usize) -> String {
        match self {
            Self::New => prompt::subject(place),
            Self::Wished(_) => prompt::wish_subject(&idea.name),
            Self::Combined(_) => prompt::combination_subject(place),
            Self::Improved(learnt) => prompt::improvement_subject(learnt, place),
        }
    }
}

/// Writer of prototypes for one problem.
#[derive(Clone)]
pub(super) struct PrototypeWriter {
    pub(super) answers: Answers,
    pub(super) survey: Arc<Survey>,
    pub(super) options: WriteOptions,
    /// The problem, as it is described to a model.
    pub(super) problem: String,
    /// The rules for prototypes.
    rules: String,
    /// The calls that prototypes are tried on. They are always the same: so a model gets the same message about the
    /// same failure, and its recorded reply is found again.
    pub(super) calls: Vec<(CaseIndex, u64)>,
    /// Cores on which prototypes are built and tried.
    pub(super) cores: SharedCores,
}

impl PrototypeWriter {
    /// Makes a writer for the problem of a survey.
    pub(super) fn new(
        answers: impl Into<Answers>,
        survey: Arc<Survey>,
        statement: &str,
        options: &WriteOptions,
    ) -> Self {
        Self {
            answers: answers.into(),
            problem: prompt::problem(statement, &survey),
            rules: rules(survey.compiled_for(), &survey.experiment().crates.allowed),
            calls: survey.inputs(INPUTS_OF_EACH, CASES_MAX),
            survey,
            options: options.clone(),
            cores: SharedCores::new(options.tried_at_once),
        }
    }

    /// Writes the prototype of an idea within its time. Its place is counted from 1, among those of its origin.
    ///
    /// # Errors
    /// The workload fails, or something else fails that does not depend on the prototypes.
    pub(super) async fn write(
        &self,
        mut idea: Idea,
        place: usize,
        origin: PrototypeOrigin<'_>,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<FinishedProposal, RunError> {
        let subject = origin.subject(&idea, place);
        let mut attempts = Vec::new();
        let on_step = &self.options.on_step;
        on_step.tell(|| WritingStep::Begun {
            name: idea.name.clone(),
        });
        let writing = self.within_any_time(&mut idea, place, origin, &mut attempts, report);
        let outcome = match tokio::time::timeout(self.options.timeout, writing).await {
            Ok(written) => match written? {
                IdeaResult::As(outcome) => outcome,
                IdeaResult::Ended(error) => return Ok(FinishedProposal::Ended(error)),
            },
            Err(_) => {
                let seconds = self.options.timeout.as_secs_f64();
                failed(
                    "model-timeout",
                    format!("it took longer than {seconds} s in all"),
                )
            }
        };
        on_step.ended(&idea, &outcome);
        Ok(FinishedProposal::Finished(Box::new(Proposal {
            idea,
            subject,
            parameters: Vec::new(),
            attempts,
            outcome,
        })))
    }

    /// Builds a source, and calls it as prototypes are called.
    ///
    /// # Errors
    /// The workload fails, or something else fails that does not depend on the prototypes.
    pub(super) async fn try_out(&self, source: String) -> Result<PrototypeAttempt, RunError> {
        let _core = self.cores.one().await;
        attempt(&self.survey, source, &SurveyedValues::new(), &self.calls).await
    }

    /// Writes a prototype, and repairs it. Attempts are kept even if the time runs out.
    async fn within_any_time(
        &self,
        idea: &mut Idea,
        place: usize,
        origin: PrototypeOrigin<'_>,
        attempts: &mut Vec<PrototypeAttempt>,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<IdeaResult, RunError> {
        let own = match origin {
            PrototypeOrigin::Wished(own) => own,
            _ => None,
        };
        let for_all = self.options.instructions.as_deref();
        let within = self.options.instructions_within.as_deref();
        let all = [
            for_all.map(|file| (file, within)),
            own.map(|own| (own.file.as_path(), Some(own.within.as_path()))),
        ];
        let files = all.into_iter().flatten();
        let texts = files.map(|(file, within)| read_instructions(file, within));
        let instructions = match texts.collect::<Result<Vec<String>, String>>() {
            Ok(texts) if texts.is_empty() => None,
            Ok(texts) => Some(texts.join("\n\n")),
            Err(message) => return Ok(IdeaResult::As(failed("instructions", message))),
        };
        loop {
            let faults: Vec<(&str, String)> = attempts.iter().filter_map(fault).collect();
            let request = if faults.is_empty() {
                self.first_request(idea, place, &origin, instructions.as_deref())
            } else {
                let told = self.told(instructions.as_deref());
                Request {
                    subject: origin.subject(idea, place),
                    ..prompt::repair(told, idea, place, &faults)
                }
            };
            let is_improvement = matches!(origin, PrototypeOrigin::Improved(_));
            let has_change = is_improvement && faults.is_empty();
            let attempt = attempts.len() as u32 + 1;
            let source = match self.answer(request, idea, attempt, has_change).await {
                Ok(source) => source,
                Err(unwritten) => return Ok(unwritten),
            };
            let made = self.try_out(source).await?;
            let outcome = made.outcome.clone();
            attempts.push(made);
            self.options.on_step.tell(|| WritingStep::Tried {
                name: idea.name.clone(),
                attempt: attempts.len() as u32,
                failure: match &outcome {
                    AttemptOutcome::Passed { .. } => None,
                    AttemptOutcome::Failed { class, .. } => Some(class.name()),
                },
            });
            match outcome {
                AttemptOutcome::Passed { .. } => {
                    return Ok(IdeaResult::As(ProposalOutcome::Passed));
                }
                AttemptOutcome::Failed { class, message } => {
                    if attempts.len() > self.options.repairs as usize {
                        return Ok(IdeaResult::As(failed(class.name(), message)));
                    }
                    report(&format!("{}: {class}, asking for a repair", idea.name));
                }
            }
        }
    }

    /// Asks for a source; `Err` is the result of the idea without one. A reply may say what is new in it, too, in the place
    /// of the idea's description.
    async fn answer(
        &self,
        request: Request,
        idea: &mut Idea,
        attempt: u32,
        has_change: bool,
    ) -> Result<String, IdeaResult> {
        let models = match &self.answers {
            Answers::Model(models) => models,
            Answers::Writer { writer, .. } => {
                let question = SourceQuestion {
                    name: idea.name.clone(),
                    attempt,
                    prompt: request.prompt,
                };
                let written = writer.write(question).await;
                return written.map_err(|message| IdeaResult::As(failed(AGENT, message)));
            }
        };
        let answer = models.ask(&request).await;
        let written = if has_change {
            answer.and_then(read).map(|written: WrittenImprovement| {
                idea.description = written.change;
                written.source
            })
        } else {
            (answer.and_then(read)).map(|written: WrittenPrototype| written.source)
        };
        written.map_err(|error| {
            if ends_all(&error) {
                IdeaResult::Ended(error)
            } else {
                IdeaResult::As(failed(error.class(), error.to_string()))
            }
        })
    }

    /// Returns the sentence on which ideas are wanted.
    pub(super) fn preference(&self) -> &'static str {
        preference(self.survey.experiment())
    }

    /// Returns what every question for a source tells.
    fn told<'a>(&'a self, instructions: Option<&'a str>) -> ToldOfAll<'a> {
        ToldOfAll {
            problem: &self.problem,
            rules: &self.rules,
            depth: self.options.depth,
            instructions,
            prompts: &self.options.prompts,
        }
    }

    fn first_request(
        &self,
        idea: &Idea,
        place: usize,
        origin: &PrototypeOrigin<'_>,
        instructions: Option<&str>,
    ) -> Request {
        let told = self.told(instructions);
        match origin {
            PrototypeOrigin::New => prompt::prototype(told, idea, place),
            PrototypeOrigin::Wished(_) => Request {
                subject: prompt::wish_subject(&idea.name),
                ..prompt::prototype(told, idea, place)
            },
            PrototypeOrigin::Combined(two) => prompt::combination(told, two, place),
            PrototypeOrigin::Improved(learnt) => prompt::improvement(told, learnt, place),
        }
    }
}

/// Reads a file of the user's wishes, which must lie in a folder if anyone but the user named it; `Err` is the message.
fn read_instructions(path: &Path, within: Option<&Path>) -> Result<String, String> {
    let wrong = |why: String| format!("cannot read {}: {why}", path.display());
    let reach = within.map_or(Reach::Anywhere, Reach::Within);
    let read = reach.read_bounded(path, INSTRUCTIONS_BYTES_MAX);
    let bytes = read.map_err(|error| wrong(error.to_string()))?;
    let bytes =
        bytes.ok_or_else(|| wrong(format!("it has more than {INSTRUCTIONS_BYTES_MAX} bytes")))?;
    String::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))
}

/// A finished proposal, or the error that ends the whole generation.
pub(super) enum FinishedProposal {
    Finished(Box<Proposal>),
    Ended(AskError),
}

/// Result of an idea, or the error that ends the whole generation.
enum IdeaResult {
    As(ProposalOutcome),
    Ended(AskError),
}

/// Returns the source of an attempt that failed, and the fault.
fn fault(attempt: &PrototypeAttempt) -> Option<(&str, String)> {
    match &attempt.outcome {
        AttemptOutcome::Failed { class, message } => {
            Some((&*attempt.source, format!("{class}: {message}")))
        }
        AttemptOutcome::Passed { .. } => None,
    }
}

fn failed(class: &'static str, message: String) -> ProposalOutcome {
    ProposalOutcome::Failed { class, message }
}

/// Returns true if no further question would be answered either.
pub(super) fn ends_all(error: &AskError) -> bool {
    matches!(
        error,
        AskError::BudgetExhausted { .. }
            | AskError::Unavailable { .. }
            | AskError::NotAnswered { .. }
            | AskError::Interrupted
    )
}

/// Deserialises an answer that fits its schema. This fails only for rules that a schema cannot state.
pub(super) fn read<T: DeserializeOwned>(answer: Value) -> Result<T, AskError> {
    serde_json::from_value(answer).map_err(|error| AskError::Invalid {
        problem: error.to_string(),
        reply_excerpt: String::new(),
    })
}
