//! Errors at the edge: shown once, with place, reason and next step, and turned into a status. What
//! they say may quote a file, a compiler or a guest, so all of it is made inert here.

use super::Status;
use crate::config::ConfigError;
use crate::coordinate::{EvidenceError, PackError, RunError};
use crate::render::inert::Lines;
use crate::store::bundle::BundleError;
use miette::{Diagnostic, LabeledSpan, SourceCode};
use std::error::Error;
use std::fmt;
use std::process::ExitCode;

/// What ends a command early.
#[derive(Debug)]
pub(super) struct Failure {
    report: miette::Report,
    status: Status,
}

impl Failure {
    /// Something in the usage or configuration.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self {
            report: said(&message.into()),
            status: Status::Usage,
        }
    }

    /// There is no answer to give.
    pub(super) fn no_answer(message: impl Into<String>) -> Self {
        Self {
            report: said(&message.into()),
            status: Status::NoAnswer,
        }
    }

    /// Something about the machine.
    pub(super) fn infrastructure(message: impl std::fmt::Display) -> Self {
        Self {
            report: said(&message.to_string()),
            status: Status::Infrastructure,
        }
    }

    /// What is wrong with code that a user named.
    pub(super) fn variant(failure: &bakeoff_domain::failure::Failure) -> Self {
        let limit = failure
            .limit
            .as_ref()
            .map_or(String::new(), |limit| format!(" ({limit})"));
        let message = format!("{}{limit}: {}", failure.class, failure.message);
        Self {
            report: said(&message),
            status: match failure.class.is_of_the_machine() {
                true => Status::Infrastructure,
                false => Status::NoAnswer,
            },
        }
    }

    /// Shows it on stderr.
    pub(super) fn show(self) -> ExitCode {
        anstream::eprintln!("{:?}", self.report);
        self.status.into()
    }
}

fn said(message: &str) -> miette::Report {
    miette::Report::msg(Lines(message).to_string())
}

/// An error and its causes, in words that are inert.
#[derive(Debug)]
struct Shown {
    text: String,
    cause: Option<Box<Shown>>,
    /// Who knows the places and the help, if anybody does: the words of both are inert already.
    places: Option<ConfigError>,
}

impl Shown {
    fn new(error: RunError) -> Self {
        let shown = Self::of(&error);
        let places = match error {
            RunError::Config(error) => Some(error),
            _ => None,
        };
        Self { places, ..shown }
    }

    fn of(error: &dyn Error) -> Self {
        Self {
            text: Lines(&error.to_string()).to_string(),
            cause: error.source().map(|cause| Box::new(Self::of(cause))),
            places: None,
        }
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for Shown {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| &**cause as _)
    }
}

impl Diagnostic for Shown {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.places.as_ref()?.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.places.as_ref()?.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.places.as_ref()?.labels()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        self.places.as_ref()?.related()
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
            report: miette::Report::new(Shown::new(error)),
            status,
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

impl From<PackError> for Failure {
    fn from(error: PackError) -> Self {
        match error {
            PackError::Run(error) => error.into(),
            PackError::Bundle(error) => error.into(),
            other => Self::usage(other.to_string()),
        }
    }
}

impl From<BundleError> for Failure {
    fn from(error: BundleError) -> Self {
        match error.is_io() {
            true => Self::infrastructure(error),
            false => Self::usage(error.to_string()),
        }
    }
}

impl From<crate::store::StoreError> for Failure {
    fn from(error: crate::store::StoreError) -> Self {
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
    use crate::render::inert::is_active;

    const STEERS: &str = "a\u{1b}]52;c;aGk=\u{7}\n\u{1b}[2J\u{202e}b";

    #[test]
    fn no_error_steers_a_terminal() {
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
