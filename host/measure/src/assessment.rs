//! The parent's side of the assessment: the numbers that the workload gives one variant's answers.

use super::gate::first_failure;
use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use bakeoff_domain::failure::Failure;
use bakeoff_runner::{AssessCall, AssessedAnswer, Call, ROUNDS_MAX};
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
    pub calls: Vec<Call>,
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
    let mut runner = config.runner_of_one(core, files, |bundle| AssessCall {
        variant: bundle.add_guest(checked, files),
        secret: config.seed.assessment_secret(),
    })?;
    let (answers, failed) = runner
        .settle(|answers: &mut Vec<AssessedAnswer>, answer| answers.push(answer))
        .await?;
    if let Some((failure, calls)) = first_failure(failed, config)? {
        // Answers that were assessed before are left out, since the variant has no result.
        return Ok(Assessment {
            failure: Some(failure),
            calls,
            ..Assessment::default()
        });
    }
    let assessment = Assessment {
        answers,
        ..Assessment::default()
    };
    let is_whole = assessment.is_whole(config.inputs.cases());
    if assessment.answers.is_empty() || !is_whole {
        return Err(RunnerError::Silent("it left out inputs to assess".into()));
    }
    Ok(assessment)
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
