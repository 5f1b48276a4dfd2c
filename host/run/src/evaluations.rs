//! The evaluations of a run: the evaluators that the user brings are asked about every variant.

use super::child_tasks::{OpenTasks, Ticket, anywhere, core_task};
use super::child_work::Evaluate;
use super::context::runner_error;
use super::error::RunError;
use super::evidence::Evidence;
use super::samples::samples_of;
use super::session::Run;
use super::standing::Step;
use super::variant_state::{VariantState, find};
use bakeoff_domain::queue::TaskKey;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::Evaluator;
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::evaluate::{Evaluation, GivenEvidence};
use bakeoff_measure::{EvaluatorAnswer, RunnerError};
use bakeoff_sandbox::{KnownEvidence, TimedCalls};
use bakeoff_source::{BuildInput, digest_of_parts};
use bakeoff_store::{Key, Owner, RunId};

/// Phase of a run in which evaluators are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EvaluationPhase {
    /// Before the race: evaluators that read no times. A variant that fails on an input is not timed.
    BeforeRace,
    /// After the race of this run: evaluators that read times.
    AfterRace(RunId),
}

/// One open evaluation: the index of the evaluator, the variant, and the key of the result.
type Evaluated = (usize, VariantId, Key);

impl Run<'_> {
    /// Asks the evaluators about every variant that has not failed.
    pub(super) async fn evaluate(&mut self, when: EvaluationPhase) -> Result<(), RunError> {
        let evaluators = &self.loaded.experiment.evaluators;
        let after_race = when != EvaluationPhase::BeforeRace;
        let asked = |evaluator: &Evaluator| evaluator.needs().samples == after_race;
        if !evaluators.iter().any(asked) {
            return Ok(());
        }
        let evidence = match when {
            EvaluationPhase::BeforeRace => None,
            EvaluationPhase::AfterRace(run) => Some(Evidence::read(&self.store, run, 0.0)?),
        };
        let alive = self.variants.iter().filter(|state| state.is_alive());
        let alive: Vec<VariantId> = alive.map(|state| state.id().clone()).collect();
        let mut open: OpenTasks<Evaluated, Result<EvaluatorAnswer, RunnerError>> =
            OpenTasks::default();
        for (place, evaluator) in evaluators.iter().enumerate().filter(|(_, one)| asked(one)) {
            for id in &alive {
                let Some(state) = find(&self.variants, id) else {
                    continue;
                };
                let samples = match &evidence {
                    Some(evidence) => samples_of(evidence, state.original()),
                    None => Vec::new(),
                };
                let Some(key) = self.evaluation_key(place, state, &samples) else {
                    continue;
                };
                let owner = owner(state, place);
                let kept: Option<Evaluation> =
                    self.store
                        .get(bakeoff_store::ResultKind::Evaluation, &key, owner)?;
                match kept {
                    Some(kept) => self.apply(Step::Evaluated(id, &kept))?,
                    None => {
                        if let Some(ticket) = self.add_evaluation(evaluator, place, id, samples)? {
                            open.insert(ticket, (place, id.clone(), key));
                        }
                    }
                }
            }
        }
        while let Some(((place, id, key), result)) = self.tasks.next_of(&mut open).await? {
            let answer = result.map_err(|error| runner_error(self.loaded, error))?;
            let evaluation = self.evaluation(place, &id, answer, when).await?;
            let state = find(&self.variants, &id);
            if let Some(owner) = state.map(|state| owner(state, place)) {
                self.store.put(
                    bakeoff_store::ResultKind::Evaluation,
                    &key,
                    owner,
                    &evaluation,
                )?;
            }
            self.apply(Step::Evaluated(&id, &evaluation))?;
        }
        Ok(())
    }

    /// Returns the key of an evaluation; `None` for a variant without a component.
    fn evaluation_key(
        &self,
        place: usize,
        state: &VariantState,
        samples: &[Vec<TimedCalls>],
    ) -> Option<Key> {
        let evaluator = self.context.evaluators.get(place)?;
        let source = state.code.as_ref().map(BuildInput::content_address);
        let times: Vec<Vec<u8>> = samples.iter().map(|case| encoded(case)).collect();
        let about = [
            ("evaluator", evaluator.built.digest.clone()),
            ("variant", state.variant.name.clone()),
            ("source", source.unwrap_or_default()),
            ("samples", digest_of_parts(times.iter().map(Vec::as_slice))),
        ];
        Some(self.keys.evaluation(state.identity.as_ref()?, about))
    }

    /// Adds the task of an evaluation; `None` if the evaluator or the variant is not built.
    fn add_evaluation(
        &mut self,
        evaluator: &Evaluator,
        place: usize,
        id: &VariantId,
        samples: Vec<Vec<TimedCalls>>,
    ) -> Result<Option<Ticket<Result<EvaluatorAnswer, RunnerError>>>, RunError> {
        let built = self.context.evaluators.get(place);
        let state = find(&self.variants, id);
        let Some((built, state)) = built.zip(state.filter(|state| state.built.is_some())) else {
            return Ok(None);
        };
        let key = TaskKey::new(format!("evaluation of {id} by {}", evaluator.name));
        let wants_answers = evaluator.needs().answers;
        let task = core_task("evaluate", key, None);
        let task = anywhere(task, state.files.as_ref());
        let work = Evaluate {
            evaluator: built.built.clone(),
            variant: state.built.clone().filter(|_| wants_answers),
            files: state.files.clone(),
            seed: self.context.config.seed,
            evidence: known_evidence(state, &self.context.cases, samples),
        };
        self.tasks.add(task, work).map(Some)
    }

    /// Returns the evaluation that follows from an answer, with the panic that caused a trap of the variant.
    async fn evaluation(
        &mut self,
        place: usize,
        id: &VariantId,
        answer: EvaluatorAnswer,
        when: EvaluationPhase,
    ) -> Result<Evaluation, RunError> {
        let evaluator = &self.loaded.experiment.evaluators[place];
        let inputs = &self.loaded.experiment.workload.inputs;
        let state = find(&self.variants, id);
        let given = GivenEvidence {
            source: state.is_some_and(has_source),
            fixed_inputs: inputs.are_fixed().then_some(self.context.cases.len()),
            samples: when != EvaluationPhase::BeforeRace
                && state.is_some_and(VariantState::is_alive),
        };
        let mut evaluation = Evaluation::of(evaluator, given, answer);
        if let Some(mut failure) = evaluation.failure.take() {
            let call = evaluation.calls.last().copied();
            self.explain_unjudged(id, call, &mut failure).await?;
            self.diagnose(id, &mut failure, &evaluation.calls).await?;
            evaluation.failure = Some(failure);
        }
        Ok(evaluation)
    }
}

/// Returns the owner of an evaluation's result: the results of several evaluators of a variant differ in the number of
/// the iteration.
fn owner(state: &VariantState, place: usize) -> Owner<'_> {
    Owner {
        iteration: 1 + place as u32,
        ..state.owner()
    }
}

/// Returns the evidence of a variant that needs no calls.
pub fn known_evidence(
    state: &VariantState,
    cases: &[CaseLabel],
    samples: Vec<Vec<TimedCalls>>,
) -> KnownEvidence {
    let source = state.code.as_ref().and_then(|code| {
        let text = code.text()?.to_owned();
        Some((code.path_shown().to_owned(), text))
    });
    let component = state
        .built
        .as_ref()
        .map_or(0, |built| built.component.len());
    KnownEvidence {
        variant_name: state.variant.name.clone(),
        cases: cases.iter().map(ToString::to_string).collect(),
        sources: source.into_iter().collect(),
        component_bytes: component as u64,
        answers: Vec::new(),
        samples,
    }
}

/// Returns true if a variant has a source.
pub fn has_source(state: &VariantState) -> bool {
    state
        .code
        .as_ref()
        .is_some_and(|code| code.text().is_some())
}

/// Encodes the samples of a case as bytes, for a digest.
fn encoded(samples: &[TimedCalls]) -> Vec<u8> {
    let bytes = samples.iter().flat_map(|one| {
        let numbers = [one.duration_ns, one.calls.into(), one.replica.into()];
        numbers.into_iter().flat_map(u64::to_le_bytes)
    });
    bytes.collect()
}
