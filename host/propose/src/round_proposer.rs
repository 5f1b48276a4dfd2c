//! A proposer in the rounds of a search: a component that names programs, told what was learnt.

use super::component::{known_problem, prototype};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::spec::Parameter;
use bakeoff_run::{BuiltProposer, RunError, Survey, SurveyedValues};
use bakeoff_sandbox::{Completions, KnownApproach, KnownOutcome, ProposerReply, ProposerTask};
use bakeoff_source::BuildInput;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most candidates that a proposer is told the results of: the latest.
const OUTCOMES_MAX: usize = 1_000;

/// A proposer that is built, for the problem of a survey.
pub struct RoundProposer {
    survey: Survey,
    built: BuiltProposer,
    content_address: String,
}

/// A program of a search, as a proposer is told it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProposerProgram {
    /// Name of the approach or candidate.
    pub name: String,
    /// Description of it; may be empty.
    pub description: String,
    /// Source in Rust, if it has one.
    pub source: Option<Arc<str>>,
    /// Its parameters, with the values that may be tried.
    pub parameters: Vec<Parameter>,
}

/// Result of a candidate, as a proposer is told it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProposerResult {
    /// Name of the approach whose code it has, or of the candidate, if that has its own.
    pub approach: String,
    /// Values of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// Class and message of its failure, if it failed.
    pub failure: Option<String>,
    /// Place in the last look at it, if it was among the best; 1 is the best.
    pub rank: Option<u32>,
    /// Total in the look at it, from 0 to 1.
    pub total: Option<f64>,
    /// Values of its readings, by source; `speed` is the time of the reference over its own.
    pub readings: BTreeMap<String, f64>,
}

/// A program that a proposer names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedProgram {
    /// Name and description, in the proposer's words.
    pub change: String,
    /// Source in Rust.
    pub source: String,
    /// Values of its parameters.
    pub values: SurveyedValues,
}

/// The programs of a proposer's reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProposedPrograms {
    /// The programs that can be tried.
    pub usable: Vec<ProposedProgram>,
    /// The reasons why others cannot.
    pub refused: Vec<String>,
}

impl RoundProposer {
    /// Builds a proposer. The inner `Err` is the failure of its build.
    ///
    /// # Errors
    /// Something failed that does not depend on the proposer.
    pub async fn open(survey: Survey, code: BuildInput) -> Result<Result<Self, Failure>, RunError> {
        let content_address = code.content_address();
        let built = survey.build_proposer(code).await?;
        Ok(built.map(|built| Self {
            survey,
            built,
            content_address,
        }))
    }

    /// Returns the content address of the proposer's code.
    pub fn content_address(&self) -> &str {
        &self.content_address
    }

    /// Asks for programs, of which `count` at most are taken: each combination of a proposal's values is one. The inner
    /// `Err` says why there are none.
    ///
    /// # Errors
    /// Something failed that does not depend on the proposer.
    pub async fn propose(
        &self,
        known: Vec<ProposerProgram>,
        mut results: Vec<ProposerResult>,
        count: usize,
    ) -> Result<Result<ProposedPrograms, String>, RunError> {
        let earlier = results.len().saturating_sub(OUTCOMES_MAX);
        let task = ProposerTask {
            problem: known_problem(&self.survey, self.survey.experiment()),
            approaches: known.into_iter().map(approach).collect(),
            outcomes: results.drain(earlier..).map(outcome).collect(),
            count: u32::try_from(count).unwrap_or(u32::MAX),
        };
        let no_model = Completions::default();
        let given = match self.survey.ask(&self.built, &task, &no_model).await? {
            ProposerReply::Proposals(given) => given,
            ProposerReply::Nothing(why) => return Ok(Err(why)),
            ProposerReply::Asks(_) => {
                return Ok(Err(
                    "it asks for a completion, and in rounds it is given none: have it name programs without, or \
                     add \"model\" to `propose`"
                        .to_owned(),
                ));
            }
        };
        let mut programs = ProposedPrograms::default();
        for given in given {
            let change = match given.description.as_str() {
                "" => given.name,
                description => format!("{}: {description}", given.name),
            };
            let (source, parameters) = match prototype(given.files, given.parameters) {
                Ok(prototype) => prototype,
                Err(why) => {
                    programs.refused.push(format!("{change}: {why}"));
                    continue;
                }
            };
            let left = count - programs.usable.len();
            let all = combinations(&parameters);
            programs.usable.extend(all.take(left).map(|values| {
                let change = change.clone();
                let source = source.clone();
                ProposedProgram {
                    change,
                    source,
                    values,
                }
            }));
        }
        Ok(Ok(programs))
    }
}

fn approach(one: ProposerProgram) -> KnownApproach {
    let file = one
        .source
        .map(|text| (format!("{}.rs", one.name), text.to_string()));
    let parameters = one.parameters.into_iter();
    KnownApproach {
        name: one.name,
        description: one.description,
        files: file.into_iter().collect(),
        parameters: parameters.map(|one| (one.name, one.values)).collect(),
    }
}

fn outcome(one: ProposerResult) -> KnownOutcome {
    let readings = one.readings.into_iter();
    KnownOutcome {
        approach: one.approach,
        parameters: one.parameters.into_iter().collect(),
        failure: one.failure,
        rank: one.rank,
        total: one.total,
        readings: readings
            .map(|(source, value)| (source, value, String::new()))
            .collect(),
    }
}

/// Returns all combinations of values; for a program without parameters, the only one.
fn combinations(parameters: &[Parameter]) -> impl Iterator<Item = SurveyedValues> {
    let sizes = parameters.iter().map(|one| one.values.len());
    let all = sizes.fold(1, usize::saturating_mul);
    (0..all).map(|mut number| {
        let values = parameters.iter().map(|one| {
            let value = one.values[number % one.values.len()].clone();
            number /= one.values.len();
            (one.name.clone(), value)
        });
        values.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_comes_once() {
        let parameter = |name: &str, count: usize| Parameter {
            name: name.to_owned(),
            values: (0..count).map(|value| value.to_string()).collect(),
        };
        let all: Vec<SurveyedValues> =
            combinations(&[parameter("a", 3), parameter("b", 2)]).collect();
        let different: std::collections::BTreeSet<&SurveyedValues> = all.iter().collect();
        assert_eq!((all.len(), different.len()), (6, 6));
        assert_eq!(
            combinations(&[]).collect::<Vec<_>>(),
            [SurveyedValues::new()]
        );
    }
}
