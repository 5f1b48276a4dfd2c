//! Approaches from a proposer: a component of the user's own, in the place of a model.

use super::attempt::{AttemptOutcome, attempt};
use super::idea::Idea;
use super::proposal::{Proposal, ProposalOutcome, in_words};
use super::proposer_calls;
use super::replies::WrittenIdea;
use super::writer::{CASES_MAX as TRIED_CASES_MAX, INPUTS_OF_EACH};
use bakeoff_config::sweep_of;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::report::{Report, VariantReport};
use bakeoff_domain::spec::{Experiment, Parameter};
use bakeoff_provider::{AskError, Models};
use bakeoff_run::{RunError, Survey};
use bakeoff_sandbox::{GivenProposal, KnownApproach, KnownOutcome, KnownProblem, ProposerTask};
use bakeoff_source::interface::rust_form;
use bakeoff_source::{BuildInput, SOURCE_BYTES_MAX};
use std::collections::BTreeMap;

/// The most variants of an earlier run that a proposer is told about, best first.
const OUTCOMES_MAX: usize = 1_000;

/// The most cases that a proposer is told about.
const CASES_MAX: usize = 1_000;

/// Class of a proposal that has no usable source or parameters.
const INVALID: &str = "invalid-proposal";

/// Makes the input of a proposer: the problem, its approaches, and their results in an earlier run.
pub fn proposer_task(
    survey: &Survey,
    experiment: &Experiment,
    report: Option<&Report>,
    count: u32,
) -> ProposerTask {
    let files = survey.files();
    let approaches = experiment.approaches.iter().zip(&files.code);
    let variants = report.map_or(&[][..], |report| &report.variants);
    ProposerTask {
        problem: known_problem(survey, experiment),
        approaches: approaches
            .map(|(approach, code)| KnownApproach {
                name: approach.name.clone(),
                description: approach.description.clone().unwrap_or_default(),
                files: code
                    .as_ref()
                    .ok()
                    .and_then(named_source)
                    .into_iter()
                    .collect(),
                parameters: named_values(&approach.sweep),
            })
            .collect(),
        outcomes: variants.iter().take(OUTCOMES_MAX).map(outcome).collect(),
        count,
    }
}

/// Describes the problem of a survey to a proposer.
pub(super) fn known_problem(survey: &Survey, experiment: &Experiment) -> KnownProblem {
    let interface = survey.interface();
    let workload = survey.files().workload.as_ref();
    let workload = workload.and_then(|code| code.as_ref().ok());
    let wit = interface.files().iter();
    let cases = survey.cases().iter().take(CASES_MAX);
    KnownProblem {
        statement: experiment.problem.clone(),
        call: experiment.interface.call.clone(),
        signature: rust_form(interface.call()),
        wit: wit
            .map(|file| (file.name.clone(), file.text.clone()))
            .collect(),
        workload: workload.and_then(named_source),
        cases: cases.map(ToString::to_string).collect(),
    }
}

/// Returns path and text of a source.
fn named_source(code: &BuildInput) -> Option<(String, String)> {
    Some((code.path_shown().to_owned(), code.text()?.to_owned()))
}

fn named_values(parameters: &[Parameter]) -> Vec<(String, Vec<String>)> {
    let parameters = parameters.iter();
    parameters
        .map(|one| (one.name.clone(), one.values.clone()))
        .collect()
}

fn outcome(variant: &VariantReport) -> KnownOutcome {
    let readings = variant.readings.iter();
    KnownOutcome {
        approach: variant.approach.clone(),
        parameters: variant.parameters.clone().into_iter().collect(),
        failure: variant
            .failure
            .as_ref()
            .map(|failure| format!("{}: {}", failure.class, failure.message)),
        rank: variant.rank,
        total: variant.total.map(|total| total.value),
        readings: readings
            .map(|(source, one)| (source.clone(), one.value, one.unit.clone()))
            .collect(),
    }
}

/// Result of asking a proposer for approaches.
#[derive(Debug)]
pub enum ProposerAnswer {
    /// The approaches that it proposes, each tried.
    Proposals(Vec<Proposal>),
    /// The proposer cannot be built.
    NotBuilt(Failure),
    /// The reason why it proposes nothing.
    Nothing(String),
}

/// Asks a proposer for approaches, and tries each. With `models`, it may ask for completions; the second value is the
/// error after which the model gave no more of them, if there was one.
///
/// # Errors
/// The workload fails, or something else fails that does not depend on the prototypes.
pub async fn propose_by_component(
    survey: &Survey,
    proposer: BuildInput,
    task: ProposerTask,
    models: Option<&Models>,
    report: &mut (dyn FnMut(&str) + Send),
) -> Result<(ProposerAnswer, Option<AskError>), RunError> {
    report(&format!(
        "asking {} for {} approaches",
        proposer.path_shown(),
        task.count
    ));
    let built = match survey.build_proposer(proposer).await? {
        Ok(built) => built,
        Err(failure) => return Ok((ProposerAnswer::NotBuilt(failure), None)),
    };
    let asked = proposer_calls::ask(survey, &built, &task, models, report).await?;
    let given = match asked.given {
        Ok(given) => given,
        Err(why) => return Ok((ProposerAnswer::Nothing(why), asked.ended)),
    };
    let mut trial = Trial::open(survey, &task.approaches).await?;
    let mut proposals = Vec::new();
    for given in given {
        let proposal = trial.of(given).await?;
        let (name, outcome) = (&proposal.idea.name, in_words(&proposal.outcome));
        report(&format!("{name}: {outcome}"));
        proposals.push(proposal);
    }
    Ok((ProposerAnswer::Proposals(proposals), asked.ended))
}

/// A prototype: its source, and the values of its parameters.
type Content = (String, Vec<(String, Vec<String>)>);

/// Test of proposals: the calls that they are tried on, and the approaches that they may be duplicates of.
struct Trial<'a> {
    survey: &'a Survey,
    calls: Vec<(CaseIndex, u64)>,
    names: Vec<String>,
    /// Name and content of every approach so far, those of the proposer included.
    known: Vec<(String, Content)>,
    /// Name of each approach without parameters that passed, with the fuel of each call.
    work: Vec<(String, Vec<u64>)>,
}

impl<'a> Trial<'a> {
    async fn open(survey: &'a Survey, approaches: &[KnownApproach]) -> Result<Self, RunError> {
        let calls = survey.inputs(INPUTS_OF_EACH, TRIED_CASES_MAX);
        let surveyed = survey.call_all(&calls).await?;
        let mut work = Vec::new();
        for (approach, made) in approaches.iter().zip(surveyed) {
            let fuel = made.unwrap_or_default();
            let fuel: Option<Vec<u64>> = fuel.iter().map(|call| call.fuel).collect();
            let fuel = fuel.filter(|fuel| fuel.len() == calls.len());
            if let Some(fuel) = fuel.filter(|_| approach.parameters.is_empty()) {
                work.push((approach.name.clone(), fuel));
            }
        }
        let known = approaches.iter().filter_map(|approach| {
            let (_, text) = approach.files.first()?;
            let content = (text.clone(), approach.parameters.clone());
            Some((approach.name.clone(), content))
        });
        Ok(Self {
            survey,
            calls,
            names: approaches.iter().map(|one| one.name.clone()).collect(),
            known: known.collect(),
            work,
        })
    }

    /// Tries a proposal under a name that is free, which is made from the proposed one.
    async fn of(&mut self, given: GivenProposal) -> Result<Proposal, RunError> {
        let written = WrittenIdea {
            name: given.name,
            description: given.description,
            rationale: String::new(),
            key_characteristics: Vec::new(),
            pros: Vec::new(),
            cons: Vec::new(),
            guidelines: String::new(),
        };
        let mut proposal = Proposal {
            idea: Idea::of(&written, self.names.len() + 1, &self.names),
            subject: String::new(),
            parameters: Vec::new(),
            attempts: Vec::new(),
            outcome: ProposalOutcome::Passed,
        };
        self.names.push(proposal.idea.name.clone());
        let (source, parameters) = match prototype(given.files, given.parameters) {
            Ok(prototype) => prototype,
            Err(message) => {
                let class = INVALID;
                proposal.outcome = ProposalOutcome::Failed { class, message };
                return Ok(proposal);
            }
        };
        let content = (source.clone(), named_values(&parameters));
        if let Some((of, _)) = self.known.iter().find(|(_, known)| *known == content) {
            proposal.outcome = ProposalOutcome::Duplicate { of: of.clone() };
            return Ok(proposal);
        }
        self.known.push((proposal.idea.name.clone(), content));
        proposal.parameters = parameters;
        for values in ends(&proposal.parameters) {
            let made = attempt(self.survey, source.clone(), &values, &self.calls).await?;
            let failure = match &made.outcome {
                AttemptOutcome::Failed { class, message } => Some(ProposalOutcome::Failed {
                    class: class.name(),
                    message: message.clone(),
                }),
                AttemptOutcome::Passed { fuel } if values.is_empty() => {
                    let same = self.work.iter().find(|(_, other)| other == fuel);
                    let outcome = same.map(|(of, _)| ProposalOutcome::Duplicate { of: of.clone() });
                    self.work.push((proposal.idea.name.clone(), fuel.clone()));
                    outcome
                }
                AttemptOutcome::Passed { .. } => None,
            };
            // One source is one attempt, whatever the values that it was tried with.
            proposal.attempts = vec![made];
            if let Some(outcome) = failure {
                proposal.outcome = outcome;
                break;
            }
        }
        Ok(proposal)
    }
}

/// Returns source and parameters of a proposal, or the reason why it is no prototype.
pub(super) fn prototype(
    mut files: Vec<(String, String)>,
    parameters: Vec<(String, Vec<String>)>,
) -> Result<(String, Vec<Parameter>), String> {
    let count = files.len();
    let Some((_, source)) = files.pop().filter(|_| count == 1) else {
        return Err(format!(
            "it has {count} files, and a prototype is one Rust file"
        ));
    };
    if source.trim().is_empty() || source.len() > SOURCE_BYTES_MAX {
        return Err(format!("a source has 1 to {SOURCE_BYTES_MAX} bytes"));
    }
    Ok((source, sweep_of(parameters)?))
}

/// Returns the first and the last combination of values; for an approach without parameters, the only one.
fn ends(parameters: &[Parameter]) -> Vec<BTreeMap<String, String>> {
    let with = |value: fn(&[String]) -> Option<&String>| -> BTreeMap<String, String> {
        let values = parameters.iter();
        values
            .filter_map(|one| Some((one.name.clone(), value(&one.values)?.clone())))
            .collect()
    };
    let mut ends = vec![with(<[String]>::first), with(<[String]>::last)];
    ends.dedup();
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(name: &str, values: &[&str]) -> (String, Vec<String>) {
        (name.into(), values.iter().map(|&one| one.into()).collect())
    }

    #[test]
    fn case_123_what_is_no_prototype_is_not_built() {
        let file = |text: &str| ("x.rs".to_owned(), text.to_owned());
        let of = |files: &[&str], parameters: Vec<(String, Vec<String>)>| {
            prototype(files.iter().map(|text| file(text)).collect(), parameters)
        };
        assert!(of(&[], Vec::new()).unwrap_err().contains("it has 0 files"));
        assert!(of(&["a", "b"], Vec::new()).is_err());
        assert!(of(&[" \n"], Vec::new()).is_err());
        assert!(of(&[&"a".repeat(SOURCE_BYTES_MAX + 1)], Vec::new()).is_err());
        for wrong in [
            vec![values("../x", &["1"])],
            vec![values("a", &[])],
            vec![values("a", &["1", "1"])],
            vec![values("a", &["1"]), values("a", &["2"])],
            vec![values("a", &[&"9".repeat(101)])],
            vec![values("a", &["1"]); 9],
        ] {
            assert!(of(&["fn f() {}"], wrong.clone()).is_err(), "{wrong:?}");
        }
        let many: Vec<String> = (0..101).map(|number| number.to_string()).collect();
        let grid = vec![("a".to_owned(), many.clone()), ("b".to_owned(), many)];
        assert!(of(&["fn f() {}"], grid).unwrap_err().contains("variants"));
        let (_, sound) = of(
            &["fn f() {}"],
            vec![values("b", &["2"]), values("a", &["x", "y"])],
        )
        .unwrap();
        assert_eq!(sound[0].name, "a");
        let ends = ends(&sound);
        assert_eq!(ends.len(), 2);
        assert_eq!((ends[1]["a"].as_str(), ends[1]["b"].as_str()), ("y", "2"));
        assert_eq!(super::ends(&[]), [BTreeMap::new()]);
    }
}
