//! Descriptions by evaluators of their criteria, filled into the experiment that asks for them.

use super::error::{ConfigError, quoted};
use super::experiment::ConfigPlace;
use super::load::LoadedExperiment;
use super::suggest;
use bakeoff_domain::spec::{Code, EvaluatedCriterion, Evaluator, EvaluatorSource, Source};

impl LoadedExperiment {
    /// Fills in the evaluators' descriptions: the criteria that each evaluator gives, in the order of the
    /// evaluators, and direction, unit and scale of the experiment's criteria that take readings from them.
    ///
    /// # Errors
    /// A criterion asks for a reading that no evaluator gives, contradicts its evaluator, or no variant can have a
    /// reading; the error points at the criterion.
    pub fn complete_evaluators(
        &mut self,
        described: Vec<Vec<EvaluatedCriterion>>,
    ) -> Result<(), ConfigError> {
        let mut experiment = self.experiment.clone();
        for (evaluator, criteria) in experiment.evaluators.iter_mut().zip(described) {
            evaluator.criteria = criteria;
        }
        let mut approaches = experiment.approaches.iter();
        let no_source = !approaches.any(|one| matches!(one.code, Code::Source(_)));
        let inputs_are_fixed = experiment.workload.inputs.are_fixed();
        for (index, criterion) in experiment.criteria.iter_mut().enumerate() {
            let Some(wanted) = criterion.source.evaluated() else {
                continue;
            };
            let place = ConfigPlace::Criterion(index);
            let name = quoted(&criterion.name);
            let given = find(&experiment.evaluators, wanted);
            let (evaluator, described) = given.map_err(|(label, help)| {
                let message = format!("the criterion {name} has no readings");
                self.wrong(place, &message, &label, &help)
            })?;
            if described.needs.source && no_source {
                return Err(self.wrong(
                    place,
                    &format!("no variant has a reading for the criterion {name}"),
                    "it reads the source, and no approach has one",
                    "give the approaches `source`, or remove the criterion",
                ));
            }
            let by_user = self.user_scale(index);
            by_user.complete(criterion, described).map_err(|wrong| {
                let message = format!("the criterion {name} contradicts its evaluator");
                self.wrong(place, &message, &wrong.label, &wrong.help)
            })?;
            criterion.source = Source::Evaluator(evaluator.source(described, inputs_are_fixed));
        }
        self.experiment = experiment;
        Ok(())
    }
}

/// Finds the evaluator and the criterion behind a source.
///
/// # Errors
/// No evaluator gives such a criterion, or several do: the label of the error, and its help.
fn find<'a>(
    evaluators: &'a [Evaluator],
    wanted: &EvaluatorSource,
) -> Result<(&'a Evaluator, &'a EvaluatedCriterion), (String, String)> {
    let asked = evaluators
        .iter()
        .filter(|one| wanted.evaluator.is_empty() || one.name == wanted.evaluator);
    let given: Vec<_> = asked
        .clone()
        .filter_map(|one| Some((one, one.criterion(&wanted.criterion)?)))
        .collect();
    match given[..] {
        [one] => Ok(one),
        [] => {
            let names: Vec<&str> = asked
                .flat_map(|one| one.criteria.iter().map(|criterion| criterion.name.as_str()))
                .collect();
            let help = match suggest::nearest(&wanted.criterion, names.iter().copied()) {
                Some(near) => format!("did you mean \"evaluator:{near}\"?"),
                None => format!("they give {}", names.join(", ")),
            };
            Err((format!("no evaluator gives `{}`", wanted.criterion), help))
        }
        _ => {
            let whole = given
                .iter()
                .map(|(one, criterion)| format!("`evaluator:{}.{}`", one.name, criterion.name));
            let whole: Vec<String> = whole.collect();
            let label = format!("{} evaluators give `{}`", given.len(), wanted.criterion);
            Err((label, format!("write {}", whole.join(" or "))))
        }
    }
}
