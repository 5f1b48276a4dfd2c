//! Errors at the edge: shown once, with place, reason and next step, and turned into a status.

use super::Status;
use crate::coordinate::{EvidenceError, PackError, RunError};
use crate::store::bundle::BundleError;
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
            report: miette::Report::msg(message.into()),
            status: Status::Usage,
        }
    }

    /// There is no answer to give.
    pub(super) fn no_answer(message: impl Into<String>) -> Self {
        Self {
            report: miette::Report::msg(message.into()),
            status: Status::NoAnswer,
        }
    }

    /// Something about the machine.
    pub(super) fn infrastructure(message: impl std::fmt::Display) -> Self {
        Self {
            report: miette::Report::msg(message.to_string()),
            status: Status::Infrastructure,
        }
    }

    /// What is wrong with code that a user named.
    pub(super) fn variant(failure: &bakeoff_domain::failure::Failure) -> Self {
        use crate::render::inert::Plain;
        let lines: Vec<String> = failure
            .message
            .lines()
            .map(|line| Plain(line).to_string())
            .collect();
        let limit = failure
            .limit
            .as_ref()
            .map_or(String::new(), |limit| format!(" ({limit})"));
        let message = format!("{}{limit}: {}", failure.class, lines.join("\n"));
        Self {
            report: miette::Report::msg(message),
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
            report: miette::Report::new(error),
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

impl From<crate::config::ConfigError> for Failure {
    fn from(error: crate::config::ConfigError) -> Self {
        RunError::Config(error).into()
    }
}
