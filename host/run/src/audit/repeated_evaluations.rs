//! The evaluations of a verification: each evaluator is built, asked and shown the evidence again.

use super::verify::Verifier;
use crate::{RunError, has_source, known_evidence, runner_error, samples_of};
use bakeoff_measure::EvaluationInput;
use bakeoff_measure::evaluate::{Evaluation, GivenEvidence};
use serde_json::{Value, json};

impl Verifier<'_> {
    /// Evaluates every variant again, on the inputs and times of the run.
    pub(super) async fn evaluate(&mut self) -> Result<(), RunError> {
        let record = &self.kept.evidence.record;
        for (evaluator, built) in record
            .experiment
            .evaluators
            .iter()
            .zip(&self.context.evaluators)
        {
            let (was, here) = (json!(evaluator.criteria), json!(built.criteria));
            let about = format!("evaluator {}", evaluator.name);
            self.figures.hold(&about, "criteria", was, here);
        }
        for kept in &record.evaluations {
            let evaluators = record
                .experiment
                .evaluators
                .iter()
                .zip(&self.context.evaluators);
            let found = evaluators
                .into_iter()
                .find(|(one, _)| one.name == kept.value.evaluator);
            let state = self
                .variants
                .iter()
                .find(|state| *state.id() == kept.variant);
            let seed =
                bakeoff_store::input(&kept.inputs, "seed").and_then(|seed| seed.parse().ok());
            let (Some((evaluator, by)), Some((state, seed))) = (found, state.zip(seed)) else {
                continue;
            };
            let Some(built) = state.built.clone() else {
                let why = "the component that ran was not kept";
                self.figures.skip(&kept.variant, "evaluation", why);
                continue;
            };
            let needs = evaluator.needs();
            // A duplicate has the times of the variant that it repeats.
            let mut same = self
                .variants
                .iter()
                .filter(|one| one.identity == state.identity);
            let timed_as = same.next().unwrap_or(state);
            let samples = if needs.samples {
                samples_of(&self.kept.evidence, timed_as.id())
            } else {
                Vec::new()
            };
            let input = EvaluationInput {
                evaluator: &by.built.checked,
                variant: needs.answers.then_some(&built.checked[..]),
                files: state.files.as_ref(),
                evidence: known_evidence(state, &self.context.cases, samples),
            };
            let mut config = self.context.config.clone();
            config.seed = seed;
            let answer = bakeoff_measure::evaluate(&config, input, None).await;
            let answer = answer.map_err(|error| runner_error(self.loaded, error))?;
            let inputs = &self.context.config.inputs;
            let given = GivenEvidence {
                source: has_source(state),
                fixed_inputs: record
                    .experiment
                    .workload
                    .inputs
                    .are_fixed()
                    .then_some(inputs.cases()),
                samples: needs.samples,
            };
            let here = Evaluation::of(evaluator, given, answer);
            let said = |evaluation: &Evaluation| -> Value {
                match &evaluation.failure {
                    Some(failure) => json!(failure.class.name()),
                    None => json!([evaluation.answers, evaluation.results]),
                }
            };
            let (was, is) = (said(&kept.value), said(&here));
            let figure = format!("readings of evaluator {}", evaluator.name);
            self.exact(&kept.variant, figure, was, is);
        }
        Ok(())
    }
}
