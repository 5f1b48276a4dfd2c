//! The exit status of commands.

use bakeoff_domain::report::{RankingOutcome, Report, VariantStatus};
use std::process::ExitCode;

/// The exit status of a command. Where several apply, the first of this order is the one: an
/// interruption, an error (5, 4, 2), no answer (1), failures of some variants (3), success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 0: success, also with a tie for the first place, or with variants that did not pass a gate.
    Done,
    /// 1: no variant passed every gate, none could be recommended, or it is not known which is
    /// ahead; or a check that was asked for did not pass.
    NoAnswer,
    /// 2: an error in the command line or the experiment.
    Usage,
    /// 3: success, but some variants failed.
    SomeFailed,
    /// 4: a budget of tokens or money ended, or a model gives no answers.
    Provider,
    /// 5: an error of confinement, store or engine.
    Infrastructure,
    /// 130: interrupted by the user.
    Interrupted,
}

impl Status {
    /// Returns the status of a finished run, whose question is which variant is the best.
    pub fn of(report: &Report) -> Self {
        let answered = match report.recommendation.outcome {
            RankingOutcome::Winner | RankingOutcome::Tie => true,
            RankingOutcome::NoCall | RankingOutcome::Nothing => false,
        };
        Self::of_answer(answered, any_failed(report))
    }

    /// Returns the class of an error that ends a command with this status.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Done | Self::NoAnswer | Self::SomeFailed => "no-answer",
            Self::Usage => "usage",
            Self::Provider => "model",
            Self::Infrastructure => "machine",
            Self::Interrupted => "interrupted",
        }
    }

    /// Returns the status of a finished run that was asked for a check, and passed it or not.
    /// Whether there is a best variant does not matter then.
    pub(super) fn of_check(passed: bool, report: &Report) -> Self {
        Self::of_answer(passed, any_failed(report))
    }

    pub(super) fn of_answer(answered: bool, any_failed: bool) -> Self {
        match (answered, any_failed) {
            (false, _) => Self::NoAnswer,
            (true, true) => Self::SomeFailed,
            (true, false) => Self::Done,
        }
    }
}

fn any_failed(report: &Report) -> bool {
    let mut variants = report.variants.iter();
    variants.any(|variant| variant.status == VariantStatus::Failed)
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(match status {
            Status::Done => 0,
            Status::NoAnswer => 1,
            Status::Usage => 2,
            Status::SomeFailed => 3,
            Status::Provider => 4,
            Status::Infrastructure => 5,
            Status::Interrupted => 130,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_answer_outweighs_failed_variants() {
        assert_eq!(Status::of_answer(true, false), Status::Done);
        assert_eq!(Status::of_answer(true, true), Status::SomeFailed);
        assert_eq!(Status::of_answer(false, false), Status::NoAnswer);
        assert_eq!(Status::of_answer(false, true), Status::NoAnswer);
    }
}
