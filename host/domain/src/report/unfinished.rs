//! A run that has not ended, and what its report says: how far it is, and nothing that a race did not reach.

use super::{Recommendation, Report, VariantStatus};
use crate::numbers;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The longest text of an [`UnfinishedRun`], in bytes.
const TEXT_BYTES_MAX: usize = 16 << 10;
/// The most characters of the reason of a failed run in a sentence.
const REASON_CHARS_MAX: usize = 600;

/// Progress of a run that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedRun {
    /// The number of the run.
    pub run: i64,
    /// State of the run.
    pub status: UnfinishedStatus,
    /// The number of variants.
    pub variants: u32,
    /// The number of variants that are built.
    pub built: u32,
    /// The number of variants whose answers were checked, wrong ones included.
    pub checked: u32,
    /// The number of variants that failed.
    pub failed: u32,
    /// The number of replicas of the race that are done.
    pub replicas: u32,
    /// Reason why the run failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The command that goes on with the run.
    pub resume: String,
}

/// State of a run that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnfinishedStatus {
    /// A process works on the run.
    Running,
    /// The run was asked to stop.
    Interrupted,
    /// The process of the run ended without a word.
    Killed,
    /// The run could not go on, for a reason that is not a variant's.
    Failed,
}

impl UnfinishedRun {
    /// Returns how far the run is: `Not finished: 2 of 4 checked, 1 failed, 3 replicas`.
    pub fn progress(&self) -> String {
        let count = |number: u32| numbers::count(u64::from(number));
        let mut text = format!(
            "Not finished: {} of {} checked",
            count(self.checked),
            count(self.variants)
        );
        if self.failed > 0 {
            text += &format!(", {} failed", count(self.failed));
        }
        text + &match self.replicas {
            0 => ", nothing timed".to_owned(),
            1 => ", 1 replica".to_owned(),
            more => format!(", {} replicas", count(more)),
        }
    }

    /// Returns the answer of the report: how far the run is, and the command that goes on with it.
    pub fn answer(&self) -> String {
        let state = match (self.status, &self.reason) {
            (UnfinishedStatus::Running, _) => "It is running.".to_owned(),
            (UnfinishedStatus::Interrupted, _) => "It was interrupted.".to_owned(),
            (UnfinishedStatus::Killed, _) => "It was killed.".to_owned(),
            (UnfinishedStatus::Failed, None) => "It could not go on.".to_owned(),
            (UnfinishedStatus::Failed, Some(reason)) => {
                let reason: String = reason.chars().take(REASON_CHARS_MAX).collect();
                format!(
                    "It could not go on: {}.",
                    reason.trim_end_matches(['.', '\n'])
                )
            }
        };
        let next = match self.status {
            UnfinishedStatus::Running => {
                "Wait for its end; bakeoff status shows its progress.".to_owned()
            }
            _ => format!("To go on: {}", self.resume),
        };
        format!(
            "{}. {state} Nothing is ranked or recommended before it has ended. {next}",
            self.progress()
        )
    }

    /// Checks the progress of a report that may be forged.
    ///
    /// # Errors
    /// A text is longer than any that is written.
    pub fn check(&self) -> Result<(), String> {
        let reason = self.reason.as_ref().map_or(0, String::len);
        if reason.max(self.resume.len()) > TEXT_BYTES_MAX {
            return Err(
                "its report says more of an unfinished run than there is to say".to_owned(),
            );
        }
        Ok(())
    }

    /// Takes everything out of a report that only the end of a run may say. Variants that did not fail keep the reason
    /// that says how far each is.
    pub(super) fn conclude(&self, report: &mut Report) {
        for variant in &mut report.variants {
            variant.status = match &variant.failure {
                Some(_) => VariantStatus::Failed,
                None if variant.is_screened_out() => VariantStatus::Screened,
                None => VariantStatus::Unranked,
            };
            (variant.rank, variant.total, variant.scores) = (None, None, BTreeMap::new());
        }
        report.pareto.clear();
        report.verdicts.clear();
        report.wall_verdicts.clear();
        report.reading_verdicts.clear();
        report.replicas = None;
        report.recommendation = Recommendation {
            text: self.answer(),
            ..Recommendation::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stopped() -> UnfinishedRun {
        UnfinishedRun {
            run: 1,
            status: UnfinishedStatus::Interrupted,
            variants: 4,
            built: 4,
            checked: 2,
            failed: 0,
            replicas: 3,
            reason: None,
            resume: "bakeoff run x".to_owned(),
        }
    }

    #[test]
    fn the_progress_counts_checks_failures_and_replicas() {
        assert_eq!(
            stopped().progress(),
            "Not finished: 2 of 4 checked, 3 replicas"
        );
        let early = UnfinishedRun {
            checked: 0,
            failed: 1,
            replicas: 0,
            ..stopped()
        };
        assert_eq!(
            early.progress(),
            "Not finished: 0 of 4 checked, 1 failed, nothing timed"
        );
    }

    #[test]
    fn the_answer_says_how_to_go_on_and_recommends_nothing() {
        let answer = stopped().answer();
        assert!(answer.ends_with("To go on: bakeoff run x"), "{answer}");
        assert!(
            answer.contains("Nothing is ranked or recommended"),
            "{answer}"
        );
        let failed = UnfinishedRun {
            status: UnfinishedStatus::Failed,
            reason: Some("the disk is full.".to_owned()),
            ..stopped()
        };
        assert!(
            failed
                .answer()
                .contains("It could not go on: the disk is full. "),
            "{}",
            failed.answer()
        );
    }

    #[test]
    fn other_weights_rank_nothing_in_an_unfinished_run() {
        let text = include_str!("../../../../tests/golden/report/report.json");
        let mut report: Report = serde_json::from_str(text).unwrap();
        assert!(report.variants.iter().any(|one| one.rank.is_some()));
        report.unfinished = Some(stopped());
        let first = report.criteria[0].name.clone();
        let again = super::super::rescore(&report, &BTreeMap::from([(first, 3.0)])).unwrap();
        assert!(
            again
                .variants
                .iter()
                .all(|one| one.rank.is_none() && one.total.is_none())
        );
        assert!(again.verdicts.is_empty() && again.pareto.is_empty());
        assert_eq!(again.recommendation.winner, None);
        assert!(again.recommendation.text.starts_with("Not finished: "));
    }
}
