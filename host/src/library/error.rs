//! Errors of a run: the reason why there is no report.

use super::exploration::{CriteriaError, ExplorationError, WEIGHTS, measured_names};
use super::generation::{GenerationError, unanswered};
use bakeoff_compare::CompareError;
use bakeoff_config::{CRITERIA_MAX, ConfigError};
use bakeoff_propose::PlanError;
use bakeoff_render::clipped;
use bakeoff_render::escape::Lines;
use bakeoff_run::audit::{ConcludeError, KeptRunError};
use bakeoff_run::{EvidenceError, RunError};
use bakeoff_search::SearchError;
use bakeoff_store::StoreError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use std::fmt;

/// The longest message, in characters: what it quotes may have any length.
const MESSAGE_CHARS_MAX: usize = 16 << 10;

/// The reason why there is no report. Its texts have no control characters, whatever a file or a guest says.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    advice: Option<String>,
    /// The text of all, with the lines of a file that it is about.
    text: String,
}

/// Kind of a reason why there is no report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The experiment cannot be run as it is written, or something that its file names is not there.
    Experiment,
    /// This machine cannot run the experiment: no compiler, no fence, no room for results, an engine that fails.
    Machine,
    /// The program asked to stop. What is finished is kept.
    Stopped,
    /// The model cannot be asked: its options do not fit each other, or its key or a file that they name is not there; or it
    /// gives no plan.
    Model,
}

impl Error {
    /// Returns the kind of the reason.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the problem and its causes, with their places in files.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the next step; `None` where there is none, or the message has it.
    pub fn advice(&self) -> Option<&str> {
        self.advice.as_deref()
    }

    fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        let message = Lines(&message.to_string()).to_string();
        Self {
            kind,
            text: message.clone(),
            message,
            advice: None,
        }
    }

    pub(super) fn experiment(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Experiment, message)
    }

    pub(super) fn stopped(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Stopped, message)
    }

    pub(super) fn machine(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Machine, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Run(error) => error.into(),
            SearchError::Config(error) => error.into(),
            SearchError::Store(error) => error.into(),
            SearchError::Nothing(_) => Self::experiment(error),
            SearchError::Journal { .. } => Self::machine(error),
        }
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Self {
        let kind = match &error {
            RunError::Config(_) | RunError::Workload { .. } | RunError::WorkloadRun { .. } => {
                ErrorKind::Experiment
            }
            RunError::Interrupted => ErrorKind::Stopped,
            _ => ErrorKind::Machine,
        };
        let (message, advice) = match &error {
            RunError::Config(config) => (config.with_places(), config.advice()),
            other => (with_causes(other), None),
        };
        Self {
            text: Lines(&told(&error)).to_string(),
            advice: advice.map(|advice| Lines(&advice).to_string()),
            ..Self::new(kind, clipped(&message, MESSAGE_CHARS_MAX))
        }
    }
}

impl From<GenerationError> for Error {
    fn from(error: GenerationError) -> Self {
        match error {
            GenerationError::Usage(message) => Self::experiment(message),
            GenerationError::Model(message) => Self::new(ErrorKind::Model, message),
            GenerationError::File(error) => Self::experiment(error),
            GenerationError::Place(error) => Self::machine(error),
            GenerationError::Plan(PlanError::Ask(error)) => {
                Self::new(ErrorKind::Model, unanswered(&error))
            }
            GenerationError::Plan(error) => Self::experiment(error),
            GenerationError::Run(error) => error.into(),
            GenerationError::Json(error) => Self::machine(error),
        }
    }
}

impl From<ExplorationError> for Error {
    fn from(error: ExplorationError) -> Self {
        match error {
            ExplorationError::HasExperiment(folder) => Self::experiment(format!(
                "{} has an experiment already: `Experiment::generate` adds approaches to it, `Experiment::run` measures it",
                folder.display()
            )),
            ExplorationError::HasOtherQuestion(folder) => Self::experiment(format!(
                "{} has an experiment already, and a question in words needs a folder of its own: `Experiment::judge` has a \
                 model asked for the opinions that this one wants, if it wants any",
                folder.display()
            )),
            ExplorationError::Changed { file, .. } => Self::experiment(format!(
                "{file} was changed since the exploration ended, which cannot go on with it: `Experiment::generate` adds \
                 approaches to what there is now"
            )),
            ExplorationError::Criteria(error) => error.into(),
            ExplorationError::Generation(error) => error.into(),
        }
    }
}

impl From<CriteriaError> for Error {
    fn from(error: CriteriaError) -> Self {
        match error {
            CriteriaError::NotMeasured(name) => Self::experiment(format!(
                "criterion {name:?}: what is measured is one of {}",
                measured_names()
            )),
            CriteriaError::Twice(name) => {
                Self::experiment(format!("the criterion {name:?} is given twice"))
            }
            CriteriaError::Weight(name) => Self::experiment(format!(
                "criterion {name:?}: its weight is no number from {} to {}",
                WEIGHTS.start(),
                WEIGHTS.end()
            )),
            CriteriaError::NoneCounts => {
                Self::experiment("all criteria have the weight 0: give one that counts")
            }
            CriteriaError::ListedAndInFile => {
                Self::experiment("criteria are listed, and in a file: give one of the two")
            }
            CriteriaError::FileInWords => Self::experiment(
                "a file has criteria that are measured, and of a question in words nothing is",
            ),
            CriteriaError::TooMany(count) => Self::experiment(format!(
                "{count} criteria are given, and {CRITERIA_MAX} are the most"
            )),
            CriteriaError::File(error) => Self::experiment(error),
            CriteriaError::Config(error) => error.into(),
        }
    }
}

impl From<CompareError> for Error {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Run(error) => error.into(),
            CompareError::Machine(message) => Self::machine(message),
            CompareError::NotBuilt(failure) if failure.class.is_machine_fault() => {
                Self::machine(failure.message)
            }
            CompareError::NotBuilt(_) | CompareError::Usage(_) | CompareError::NoAnswer(_) => {
                Self::experiment(clipped(&error.to_string(), MESSAGE_CHARS_MAX))
            }
        }
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        RunError::Config(error).into()
    }
}

impl From<ConcludeError> for Error {
    fn from(error: ConcludeError) -> Self {
        match error {
            ConcludeError::Store(error) => error.into(),
            damaged @ ConcludeError::Damaged { .. } => Self::experiment(damaged),
        }
    }
}

impl From<KeptRunError> for Error {
    fn from(error: KeptRunError) -> Self {
        match error {
            KeptRunError::Store(error) => error.into(),
            KeptRunError::Config(error) => error.into(),
            KeptRunError::Evidence(EvidenceError::Store(error)) => error.into(),
            other => Self::experiment(other),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        RunError::Store(error).into()
    }
}

/// Returns the message of an error with those of its causes that it does not say itself.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            text += &format!(": {said}");
        }
        cause = error.source();
    }
    text
}

/// Returns the message of an error with its causes, the places in files and the next step that belong to it.
fn told(error: &(dyn Diagnostic + 'static)) -> String {
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    match handler.render_report(&mut text, error) {
        Ok(()) => clipped(text.trim(), MESSAGE_CHARS_MAX),
        Err(_) => clipped(&error.to_string(), MESSAGE_CHARS_MAX),
    }
}
