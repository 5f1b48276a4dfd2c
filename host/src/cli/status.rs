//! The exit status, which scripts and agents go by.

use bakeoff_domain::report::{Outcome, Report, Status as VariantStatus};
use std::process::ExitCode;

/// What the process says when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done, also with a tie for the first place, or with some gated out.
    Done,
    /// No variant passed every gate, or nothing could be recommended.
    NoAnswer,
    /// The command line or the experiment is wrong.
    Usage,
    /// Done, but some variants failed.
    SomeFailed,
    /// Confinement, store or engine.
    Infrastructure,
    /// The user asked to stop.
    Interrupted,
}

impl Status {
    /// Of a finished run.
    pub fn of(report: &Report) -> Self {
        let is = |status| move |variant: &bakeoff_domain::report::Variant| variant.status == status;
        if report.recommendation.outcome == Outcome::Nothing {
            Self::NoAnswer
        } else if report.variants.iter().any(is(VariantStatus::Failed)) {
            Self::SomeFailed
        } else {
            Self::Done
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(match status {
            Status::Done => 0,
            Status::NoAnswer => 1,
            Status::Usage => 2,
            Status::SomeFailed => 3,
            Status::Infrastructure => 5,
            Status::Interrupted => 130,
        })
    }
}
