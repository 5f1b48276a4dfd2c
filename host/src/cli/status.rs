//! The exit status of commands.

use bakeoff_domain::report::{RankingOutcome, Report, VariantStatus};
use std::process::ExitCode;

/// The exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 0: success, also with a tie for the first place, or with variants that did not pass a gate.
    Done,
    /// 1: no variant passed every gate, or none could be recommended.
    NoAnswer,
    /// 2: an error in the command line or the experiment.
    Usage,
    /// 3: success, but some variants failed.
    SomeFailed,
    /// 5: an error of confinement, store or engine.
    Infrastructure,
    /// 130: interrupted by the user.
    Interrupted,
}

impl Status {
    /// The status of a finished run.
    pub fn of(report: &Report) -> Self {
        let is = |status| {
            move |variant: &bakeoff_domain::report::VariantReport| variant.status == status
        };
        if report.recommendation.outcome == RankingOutcome::Nothing {
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
