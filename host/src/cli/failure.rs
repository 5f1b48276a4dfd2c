//! Errors of commands: printed once, with place, reason and next step, and mapped to an exit status.
//! Messages may quote a file, a compiler or a guest, so all of them are escaped here.

use super::Status;
use crate::library::exploration::ExplorationError;
use crate::library::generation::{GenerationError, unanswered};
use crate::library::user_files::NamedFileError;
use crate::library::{PlaceError, with_causes};
use crate::mcp::{CommandError, MessageLine};
use bakeoff_compare::CompareError;
use bakeoff_config::ConfigError;
use bakeoff_domain::failure::FailureClass;
use bakeoff_propose::PlanError;
use bakeoff_provider::AskError;
use bakeoff_render::escape::{Lines, NoCommands, Plain, ShellPath};
use bakeoff_render::{ComparisonOutcome, clipped};
use bakeoff_run::audit::{ConcludeError, KeptRunError, PackError};
use bakeoff_run::{EvidenceError, RunError};
use bakeoff_store::bundle::BundleError;
use miette::{Diagnostic, LabeledSpan, SourceCode};
use std::error::Error;
use std::fmt;
use std::process::ExitCode;

/// The form of an error on stderr.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorForm {
    /// Text for a person.
    Text,
    /// A line of JSON for a program.
    Json,
}

/// An error that ends a command.
#[derive(Debug)]
pub(super) struct Failure {
    report: miette::Report,
    status: Status,
}

impl Failure {
    /// Creates an error in the usage or configuration.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self {
            report: escaped(&message.into()),
            status: Status::Usage,
        }
    }

    /// Creates the error of a command that has no answer.
    pub(super) fn no_answer(message: impl Into<String>) -> Self {
        Self {
            report: escaped(&message.into()),
            status: Status::NoAnswer,
        }
    }

    /// Creates the error of a model that gives no more answers, or of a budget that ended.
    pub(super) fn unanswered(error: &AskError) -> Self {
        Self {
            report: escaped(&unanswered(error)),
            status: Status::Provider,
        }
    }

    /// Creates the error of a command that the user interrupted.
    pub(super) fn interrupted(message: impl Into<String>) -> Self {
        Self {
            report: escaped(&message.into()),
            status: Status::Interrupted,
        }
    }

    /// Creates an error of the machine.
    pub(super) fn infrastructure(message: impl std::fmt::Display) -> Self {
        Self {
            report: escaped(&message.to_string()),
            status: Status::Infrastructure,
        }
    }

    /// Creates an error from a failure of code that the user named.
    pub(super) fn variant(failure: &bakeoff_domain::failure::Failure) -> Self {
        let limit = failure
            .limit
            .as_ref()
            .map_or(String::new(), |limit| format!(" ({limit})"));
        let message = format!("{}{limit}: {}", failure.class, failure.message);
        Self {
            report: escaped(&message),
            status: if failure.class.is_machine_fault() {
                Status::Infrastructure
            } else {
                Status::NoAnswer
            },
        }
    }

    /// Creates an error from a failure to build code that the user named.
    pub(super) fn not_built(failure: &bakeoff_domain::failure::Failure) -> Self {
        if failure.class.is_machine_fault() {
            return Self::variant(failure);
        }
        let limit = failure.limit.as_ref();
        let limit = limit.map_or(String::new(), |limit| format!(", {limit}"));
        let class = match failure.class {
            FailureClass::BuildFailed => String::new(),
            class => format!(" ({class}{limit})"),
        };
        let words = ComparisonOutcome::BuildFailed.words();
        Self::no_answer(format!("{words}{class}: {}", failure.message))
    }

    /// Returns true if the command ends without an answer, and nothing is wrong with how it was called.
    pub(super) fn is_no_answer(&self) -> bool {
        self.status == Status::NoAnswer
    }

    /// Returns true if the cause lies in what was given, and not in the machine or an interruption.
    pub(super) fn is_of_input(&self) -> bool {
        matches!(self.status, Status::NoAnswer | Status::Usage)
    }

    /// Returns the message alone, without the frame in which a terminal shows it.
    pub(super) fn text(&self) -> String {
        self.report.to_string()
    }

    /// Prints the error to stderr, and returns the exit status.
    pub(super) fn print(self, form: ErrorForm) -> ExitCode {
        match form {
            ErrorForm::Text => anstream::eprintln!("{}", self.framed()),
            ErrorForm::Json => {
                let line = MessageLine::Error(self.for_programs()).json();
                anstream::eprintln!("{line}");
            }
        }
        self.status.into()
    }

    /// Returns the error as a program that started the command reads it.
    fn for_programs(&self) -> CommandError {
        let escaped: Option<&EscapedError> = self.report.downcast_ref();
        let (message, advice) = match escaped.and_then(|error| error.config_error.as_ref()) {
            Some(error) => {
                let advice = error.advice().map(|advice| shown(&advice));
                (shown(&error.with_places()), advice)
            }
            None => {
                let advice = self.report.help().map(|help| help.to_string());
                let error: &(dyn Error + 'static) = self.report.as_ref();
                (with_causes(error), advice)
            }
        };
        CommandError {
            class: self.status.class().to_owned(),
            message,
            advice,
        }
    }

    /// Returns the message in its frame, which breaks lines anew.
    fn framed(&self) -> String {
        NoCommands(&format!("{:?}", self.report)).to_string()
    }
}

fn escaped(message: &str) -> miette::Report {
    miette::Report::msg(shown(message))
}

/// Says that the user interrupted a command, and what is kept of it; with the command that goes on, if one does.
pub(super) fn say_interrupted(form: ErrorForm, kept: &str, resume: Option<&str>) {
    let message = format!("interrupted; {kept}");
    if form == ErrorForm::Json {
        let error = CommandError {
            class: Status::Interrupted.class().to_owned(),
            message,
            advice: resume.map(|resume| format!("to go on: {resume}")),
        };
        anstream::eprintln!("{}", MessageLine::Error(error).json());
    } else if let Some(resume) = resume {
        anstream::eprintln!("{message}. To go on:\n  {}", Plain(resume));
    } else {
        anstream::eprintln!("{message}");
    }
}

/// The longest message, in characters: a quotation in it may have any length.
const MESSAGE_CHARS_MAX: usize = 16 << 10;

fn shown(message: &str) -> String {
    Lines(&clipped(message, MESSAGE_CHARS_MAX)).to_string()
}

/// An error and its causes, with escaped messages.
#[derive(Debug)]
struct EscapedError {
    text: String,
    cause: Option<Box<EscapedError>>,
    /// Source of the labels and the help, which are escaped already.
    config_error: Option<ConfigError>,
}

impl EscapedError {
    fn new(error: RunError) -> Self {
        let escaped = Self::of(&error);
        let config_error = match error {
            RunError::Config(error) => Some(error),
            _ => None,
        };
        Self {
            config_error,
            ..escaped
        }
    }

    fn of(error: &dyn Error) -> Self {
        Self {
            text: shown(&error.to_string()),
            cause: error.source().map(|cause| Box::new(Self::of(cause))),
            config_error: None,
        }
    }
}

impl fmt::Display for EscapedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for EscapedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| &**cause as _)
    }
}

impl Diagnostic for EscapedError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.config_error.as_ref()?.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.config_error.as_ref()?.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.config_error.as_ref()?.labels()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        self.config_error.as_ref()?.related()
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let status = match &error {
            RunError::Config(_) | RunError::Workload { .. } | RunError::WorkloadRun { .. } => {
                Status::Usage
            }
            RunError::Store(error) if error.is_missing() || error.is_no_such_run() => Status::Usage,
            RunError::Interrupted => Status::Interrupted,
            _ => Status::Infrastructure,
        };
        Self {
            report: miette::Report::new(EscapedError::new(error)),
            status,
        }
    }
}

impl From<NamedFileError> for Failure {
    fn from(error: NamedFileError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<GenerationError> for Failure {
    fn from(error: GenerationError) -> Self {
        match error {
            GenerationError::Usage(message) | GenerationError::Model(message) => {
                Self::usage(message)
            }
            GenerationError::File(error) => error.into(),
            GenerationError::Place(error) => error.into(),
            GenerationError::Plan(error) => error.into(),
            GenerationError::Run(error) => error.into(),
            GenerationError::Json(error) => Self::infrastructure(error),
        }
    }
}

impl From<ExplorationError> for Failure {
    fn from(error: ExplorationError) -> Self {
        match error {
            ExplorationError::HasExperiment(folder) => {
                let named = folder.display().to_string();
                Self::usage(format!(
                    "{} has an experiment already: `bakeoff generate {}` adds approaches to it, `bakeoff run` measures it",
                    Plain(&named),
                    ShellPath(&named)
                ))
            }
            ExplorationError::HasOtherQuestion(folder) => {
                let named = folder.display().to_string();
                Self::usage(format!(
                    "{} has an experiment already, and a question in words needs a folder of its own: `bakeoff run {} --judge` \
                     asks for the opinions that this one wants, if it wants any",
                    Plain(&named),
                    ShellPath(&named)
                ))
            }
            ExplorationError::Changed { folder, file } => Self::usage(format!(
                "{} was changed since the exploration ended, which cannot go on with it: `bakeoff generate {}` adds \
                 approaches to what there is now",
                Plain(&file),
                ShellPath(&folder.display().to_string())
            )),
            ExplorationError::Criteria(error) => error.into(),
            ExplorationError::Generation(error) => error.into(),
        }
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Ask(error) => Self::unanswered(&error),
            PlanError::NoFunction(_) => Self::no_answer(format!(
                "{}. With --opinion it is answered in words: approaches are developed and judged, and what could be measured is \
                 named",
                error.to_string().trim_end_matches('.')
            )),
            unusable @ PlanError::Unusable(_) => Self::no_answer(unusable.to_string()),
        }
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Usage(message) => Self::usage(message),
            CompareError::NoAnswer(message) => Self::no_answer(message),
            CompareError::NotBuilt(failure) => Self::not_built(&failure),
            CompareError::Machine(message) => Self::infrastructure(message),
            CompareError::Run(error) => error.into(),
        }
    }
}

impl From<EvidenceError> for Failure {
    fn from(error: EvidenceError) -> Self {
        match error {
            EvidenceError::Store(error) => error.into(),
            other => Self::usage(other.to_string()),
        }
    }
}

impl From<KeptRunError> for Failure {
    fn from(error: KeptRunError) -> Self {
        match error {
            KeptRunError::Evidence(error) => error.into(),
            KeptRunError::Store(error) => error.into(),
            KeptRunError::Config(error) => error.into(),
            KeptRunError::Files { .. }
            | KeptRunError::Cases { .. }
            | KeptRunError::InWords { .. } => Self::usage(error.to_string()),
        }
    }
}

impl From<ConcludeError> for Failure {
    fn from(error: ConcludeError) -> Self {
        match error {
            ConcludeError::Store(error) => error.into(),
            damaged => Self::usage(damaged.to_string()),
        }
    }
}

impl From<PackError> for Failure {
    fn from(error: PackError) -> Self {
        match error {
            PackError::Store(error) => error.into(),
            PackError::Bundle(error) => error.into(),
            other => Self::usage(other.to_string()),
        }
    }
}

impl From<BundleError> for Failure {
    fn from(error: BundleError) -> Self {
        if error.is_io() {
            Self::infrastructure(error)
        } else {
            Self::usage(error.to_string())
        }
    }
}

impl From<bakeoff_store::StoreError> for Failure {
    fn from(error: bakeoff_store::StoreError) -> Self {
        RunError::Store(error).into()
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        RunError::Config(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_render::escape::is_active;

    const STEERS: &str = "a\u{1b}]52;c;aGk=\u{7}\n\u{1b}[2J\u{202e}b";

    #[test]
    fn no_line_of_a_message_is_a_command_of_a_runner() {
        let words = "word ".repeat(40);
        let message = format!("{words}::error::a {words}\n::error::b\n##[group]c {words}::d");
        let framed = Failure::usage(message).framed();
        assert!(framed.contains("error::b"), "{framed}");
        for line in framed.lines() {
            let is_command = line.trim_start().starts_with("::") || line.contains("##[");
            assert!(!is_command, "{framed}");
        }
    }

    #[test]
    fn a_program_reads_class_message_with_causes_and_next_step() {
        let missing = ConfigError::Missing {
            what: "experiment",
            path: "x".to_owned(),
        };
        let error = Failure::from(missing).for_programs();
        assert_eq!(error.class, "usage");
        assert_eq!(error.message, "there is no experiment at `x`");
        let advice = "name a folder that holds a `bakeoff.toml`, or such a file";
        assert_eq!(error.advice.as_deref(), Some(advice));
        let caused = BundleError::Io {
            action: "read",
            path: "b".into(),
            source: std::io::Error::other("no room"),
        };
        let error = Failure::from(caused).for_programs();
        assert_eq!((error.class.as_str(), error.advice), ("machine", None));
        assert!(error.message.ends_with("no room"), "{}", error.message);
    }

    #[test]
    fn no_error_message_has_control_characters() {
        let loud = || RunError::WorkloadRun {
            file: "w.rs".into(),
            reason: STEERS.into(),
        };
        let caused = std::io::Error::other(std::io::Error::other(STEERS));
        let unpacked = BundleError::Io {
            action: "read",
            path: STEERS.into(),
            source: caused,
        };
        let failures = [
            loud().into(),
            ConfigError::Refused(STEERS.into()).into(),
            RunError::Machine(STEERS.into()).into(),
            unpacked.into(),
            Failure::usage(STEERS),
            Failure::no_answer(STEERS),
            Failure::infrastructure(STEERS),
        ];
        for Failure { report, .. } in failures {
            let shown = format!("{report:?}");
            let ours = shown.replace("\u{1b}[0m", "").replace("\u{1b}[31m", "");
            assert!(!ours.chars().any(|c| c != '\n' && is_active(c)), "{ours:?}");
            assert!(
                ours.contains("\\u{1b}]52") && ours.contains("\\u{202e}"),
                "{ours}"
            );
        }
    }
}
