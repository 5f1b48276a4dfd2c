//! The parent's side of the assessment: the numbers that the workload gives one variant's answers.

use super::assess::ROUNDS_MAX;
use super::bounds::{GATE_PATIENCE, room_for};
use super::check::{STALLS_MAX, first_failure};
use super::checked_case::AssessedAnswer;
use super::deaths;
use super::protocol::{Reply, Task};
use super::runner_config::RunnerConfig;
use super::runner_end::{Ended, Failed, RunnerError};
use bakeoff_domain::failure::Failure;
use bakeoff_source::PackedFolders;
use serde::{Deserialize, Serialize};

/// The numbers that the workload's `assess` gives one variant's answers to many inputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// The answers, in rounds of one input on each case, in the order of the cases.
    pub answers: Vec<AssessedAnswer>,
    /// The reason why the variant has no result, if it failed on one of the inputs.
    pub failure: Option<Failure>,
    /// The calls that reproduce the failure in one instance: case and seed of each.
    pub calls: Vec<(usize, u64)>,
}

impl Assessment {
    /// Returns true if the answers are whole rounds of `cases` cases, and no more than an assessment may have.
    pub fn is_whole(&self, cases: usize) -> bool {
        let mut answers = self.answers.iter().enumerate();
        cases > 0
            && answers.all(|(place, answer)| answer.case == place % cases)
            && self.answers.len().is_multiple_of(cases)
            && self.answers.len() <= cases * ROUNDS_MAX as usize
    }

    /// Returns the assessment of a variant that failed. Answers that were assessed before are left out, since the
    /// variant has no result.
    fn failed(failed: Vec<Failed>, config: &RunnerConfig) -> Result<Self, RunnerError> {
        let mut assessment = Self::default();
        if let Some((failure, calls)) = first_failure(failed, config)? {
            (assessment.failure, assessment.calls) = (Some(failure), calls);
        }
        Ok(assessment)
    }

    /// Returns the values of a name, by round: the mean over the cases. `None` if the workload does
    /// not give it for every answer.
    pub fn rounds(&self, name: &str, cases: usize) -> Option<Vec<f64>> {
        let value = |answer: &AssessedAnswer| {
            let found = answer.numbers.iter().find(|(known, _)| known == name);
            found.map(|(_, number)| *number)
        };
        let values: Option<Vec<f64>> = self.answers.iter().map(value).collect();
        let mean = |round: &[f64]| round.iter().sum::<f64>() / round.len() as f64;
        Some(values?.chunks(cases.max(1)).map(mean).collect())
    }
}

/// Calls one variant on many inputs, and lets the workload assess its answers.
///
/// # Errors
/// The runner could not be started, or the workload itself failed.
pub async fn assess(
    config: &RunnerConfig,
    checked: &[u8],
    files: Option<&PackedFolders>,
    core: Option<usize>,
) -> Result<Assessment, RunnerError> {
    let message = config.request(|bundle| Task::Assess {
        component: bundle.add(checked),
        files: files.map(|files| bundle.add_files(files)),
        secret: config.seed.assessment_secret(),
    })?;
    let mut runner = config.runner(message, core, 1, GATE_PATIENCE);
    runner.bounds.guests_bytes += room_for(files);
    let mut died = None;
    for _ in 0..STALLS_MAX {
        let mut assessment = Assessment::default();
        let ended = runner
            .run(&mut |reply| {
                if let Reply::Assessed(answer) = reply {
                    assessment.answers.push(answer);
                }
            })
            .await?;
        let cases = config.inputs.cases();
        match ended {
            Ended::Done if assessment.answers.is_empty() || !assessment.is_whole(cases) => {
                return Err(RunnerError::Silent("it left out inputs to assess".into()));
            }
            Ended::Done => return Ok(assessment),
            Ended::Died(death) => {
                if let Some(failed) = deaths::of_single_variant(&mut died, death)? {
                    return Assessment::failed(failed, config);
                }
            }
            Ended::Failed(failed) => return Assessment::failed(failed, config),
            Ended::Stalled | Ended::OutOfBudget(_) | Ended::Overran(_) => {}
        }
    }
    Err(RunnerError::Stalled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(values: &[f64]) -> Assessment {
        let answer = |(place, value): (usize, &f64)| AssessedAnswer {
            case: place % 2,
            answer: String::new(),
            numbers: vec![("bins".into(), *value)],
        };
        Assessment {
            answers: values.iter().enumerate().map(answer).collect(),
            ..Assessment::default()
        }
    }

    #[test]
    fn a_round_is_the_mean_over_the_cases() {
        let assessment = answers(&[1.0, 3.0, 5.0, 6.0]);
        assert!(assessment.is_whole(2));
        assert_eq!(assessment.rounds("bins", 2), Some(vec![2.0, 5.5]));
        assert_eq!(assessment.rounds("boxes", 2), None);
    }

    #[test]
    fn part_of_a_round_or_other_cases_are_not_whole() {
        assert!(!answers(&[1.0, 3.0, 5.0]).is_whole(2));
        assert!(!answers(&[1.0, 3.0, 5.0]).is_whole(3));
        assert!(!answers(&[]).is_whole(0));
    }
}
