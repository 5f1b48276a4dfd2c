//! The standing of a run's variants: who failed, who races, who repeats another. It is a fold over the results of stages: a run
//! applies each result as it comes, and every later use of the run applies the kept ones in the same order. So what a
//! result means for a variant is decided here and nowhere else.

use super::agreement;
use super::coarse_times::CoarseRace;
use super::evaluator_readings;
use super::instances;
use super::screening::{coarse_failures, set_screening};
use super::variant_state::{VariantState, find_duplicates, find_mut};
use bakeoff_compile::BuildRecord;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::Experiment;
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::evaluate::Evaluation;
use bakeoff_measure::{Assessment, Dropout, GateRecord};

/// A result of a stage. Those about all variants follow when every variant's results of the stages before are applied.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    /// The build of a variant.
    Built(&'a VariantId, &'a BuildRecord),
    /// The gate of a variant.
    Gated(&'a VariantId, &'a GateRecord),
    /// The end of all gates, whose inputs follow from this seed: answers are held against each other.
    AllGated(RunSeed),
    /// An evaluator's answer about a variant.
    Evaluated(&'a VariantId, &'a Evaluation),
    /// The choice of those who race, by their checks, and by a coarse race if there was one.
    Screened(Option<&'a CoarseRace>),
    /// The end of a coarse race, in which variants may have failed.
    RacedCoarsely(&'a CoarseRace),
    /// The assessment of a variant's answers.
    Assessed(&'a VariantId, &'a Assessment),
    /// The end of all that comes before the race: variants that are the same are found.
    Prepared,
    /// The failure of a variant in the race.
    DroppedOut(&'a VariantId, &'a Dropout),
}

/// The standing of variants, and what its rules depend on.
pub(super) struct Standing<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) cases: &'a [CaseLabel],
    /// True if an oracle judges answers.
    pub(super) oracle: bool,
    pub(super) variants: &'a mut [VariantState],
    /// The number of instances that count, once all gates have ended, if the inputs are a set of instances.
    pub(super) counted: Option<usize>,
}

/// The consequences of a step.
#[derive(Debug, Default)]
pub(super) struct Consequences {
    /// The variants that failed by it.
    pub(super) failed: Vec<VariantId>,
    /// Notes for the reader of a report.
    pub(super) notes: Vec<String>,
}

impl Standing<'_> {
    /// Applies a step.
    pub(super) fn apply(&mut self, step: Step<'_>) -> Consequences {
        let mut applied = Consequences::default();
        match step {
            Step::Built(id, build) => {
                if let Some(state) = find_mut(self.variants, id) {
                    state.build = Some(build.clone());
                }
                self.fail(id, build.failure.as_ref(), None, &mut applied);
            }
            Step::Gated(id, gate) => {
                if let Some(state) = find_mut(self.variants, id) {
                    state.gate = Some(gate.clone());
                }
                let call = gate.calls.last().copied();
                self.fail(id, gate.failure.as_ref(), call, &mut applied);
            }
            Step::AllGated(check_seed) => self.compare(check_seed, &mut applied),
            Step::Evaluated(id, evaluation) => self.evaluated(id, evaluation, &mut applied),
            Step::Screened(coarse) => {
                let (experiment, cases) = (self.experiment, self.cases);
                set_screening(experiment, cases, self.counted, coarse, self.variants);
            }
            Step::RacedCoarsely(coarse) => {
                for (id, failure) in coarse_failures(coarse, self.variants) {
                    self.fail(&id, Some(&failure), None, &mut applied);
                }
            }
            Step::Assessed(id, assessment) => {
                let state = find_mut(self.variants, id);
                if state.is_some_and(|state| state.is_contender()) {
                    self.fail(id, assessment.failure.as_ref(), None, &mut applied);
                }
            }
            Step::Prepared => find_duplicates(self.variants),
            Step::DroppedOut(id, dropout) => {
                let call = dropout.failed_call;
                self.fail(id, Some(&dropout.failure), call, &mut applied);
            }
        }
        applied
    }

    /// Fails a variant that has not failed yet, if there is a failure.
    fn fail(
        &mut self,
        id: &VariantId,
        failure: Option<&Failure>,
        call: Option<(CaseIndex, u64)>,
        applied: &mut Consequences,
    ) {
        let state = find_mut(self.variants, id).filter(|state| state.is_alive());
        if let (Some(state), Some(failure)) = (state, failure) {
            state.failure = Some(failure.clone());
            state.failed_call = call;
            applied.failed.push(id.clone());
        }
    }

    /// Holds the answers of those who passed their gates against each other, and counts instances.
    fn compare(&mut self, check_seed: RunSeed, applied: &mut Consequences) {
        if !self.oracle {
            let agreement = agreement::compare(self.variants, self.cases, check_seed);
            applied.notes.push(agreement.note);
            for (id, failure) in agreement.without_result {
                self.fail(&id, Some(&failure), agreement.shown_by, applied);
            }
        } else if !self.experiment.assesses() {
            // Answers that are assessed may differ, and be better and worse.
            let note = agreement::accepted_differently(self.variants, self.cases, check_seed);
            applied.notes.extend(note);
        }
        self.counted = instances::counted(self.experiment, self.variants);
    }

    /// Applies the answer of an evaluator that is asked before the race. Whoever is asked after it fails nobody: a variant only
    /// lacks its readings.
    fn evaluated(&mut self, id: &VariantId, evaluation: &Evaluation, applied: &mut Consequences) {
        let mut evaluators = self.experiment.evaluators.iter();
        let before_race =
            evaluators.any(|one| one.name == evaluation.evaluator && !one.needs().samples);
        let state = find_mut(self.variants, id).filter(|state| state.is_alive());
        let Some(state) = state.filter(|_| before_race) else {
            return;
        };
        if evaluation.failure.is_none() {
            let (cases, counted) = (self.cases.len(), self.counted);
            let said = evaluator_readings::before_race(self.experiment, cases, counted, evaluation);
            state.evaluated.extend(said);
        }
        self.fail(id, evaluation.failure.as_ref(), None, applied);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::failure::{FailureClass, Phase};
    use bakeoff_domain::variant::declare;
    use bakeoff_runner::CheckedCase;

    const CASES: [CaseLabel; 1] = [CaseLabel::Size(1)];

    fn experiment() -> Experiment {
        let text = "name = \"x\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"f\"\n\
            [workload]\nsource = \"w.rs\"\nsizes = [1]\n[[approach]]\nname = \"a\"\n\
            source = \"a.rs\"\n[[approach]]\nname = \"b\"\nsource = \"b.rs\"\n";
        bakeoff_config::parse(text, "bakeoff.toml").unwrap()
    }

    fn failure(class: FailureClass) -> Failure {
        Failure {
            class,
            message: class.name().to_owned(),
            phase: Phase::Check,
            limit: None,
        }
    }

    fn gate(answer: &str) -> GateRecord {
        GateRecord {
            cases: vec![CheckedCase {
                answer: answer.to_owned(),
                shown: answer.to_owned(),
                ..CheckedCase::default()
            }],
            ..GateRecord::default()
        }
    }

    /// Applies steps to the variants of the experiment, and returns these with the consequences of the last one.
    fn after(oracle: bool, steps: &[Step<'_>]) -> (Vec<VariantState>, Consequences) {
        let experiment = experiment();
        let declared = declare(&experiment.approaches).into_iter();
        let mut variants: Vec<_> = declared.map(VariantState::new).collect();
        let mut standing = Standing {
            experiment: &experiment,
            cases: &CASES,
            oracle,
            variants: &mut variants,
            counted: None,
        };
        let mut last = Consequences::default();
        for step in steps {
            last = standing.apply(*step);
        }
        (variants, last)
    }

    fn ids() -> [VariantId; 2] {
        let declared = declare(&experiment().approaches).into_iter();
        let ids: Vec<VariantId> = declared.map(|one| one.id).collect();
        ids.try_into().unwrap()
    }

    #[test]
    fn the_first_failure_of_a_variant_stays() {
        let [a, b] = ids();
        let wrong = GateRecord {
            failure: Some(failure(FailureClass::WrongAnswer)),
            calls: vec![(0, 7)],
            ..GateRecord::default()
        };
        let trapped = Assessment {
            failure: Some(failure(FailureClass::Trap)),
            ..Assessment::default()
        };
        let steps = [Step::Gated(&a, &wrong), Step::Assessed(&a, &trapped)];
        let (variants, last) = after(true, &steps[..1]);
        assert_eq!(last.failed, std::slice::from_ref(&a));
        assert_eq!(variants[0].failed_call, Some((0, 7)));
        let (variants, last) = after(true, &steps);
        assert!(last.failed.is_empty());
        let class = variants[0].failure.as_ref().map(|failure| failure.class);
        assert_eq!(class, Some(FailureClass::WrongAnswer));
        assert!(variants[1].is_alive());
        let (variants, last) = after(true, &[Step::Assessed(&b, &trapped)]);
        assert_eq!(last.failed, std::slice::from_ref(&b));
        assert!(variants[0].is_alive() && !variants[1].is_alive());
    }

    #[test]
    fn answers_that_differ_fail_all_only_where_no_oracle_judges_them() {
        let [a, b] = ids();
        let (one, two) = (gate("1"), gate("2"));
        let differ = [
            Step::Gated(&a, &one),
            Step::Gated(&b, &two),
            Step::AllGated(RunSeed::Named(7)),
        ];
        let (variants, last) = after(false, &differ);
        assert_eq!(last.failed, ids());
        assert!(last.notes[0].contains("disagree"), "{:?}", last.notes);
        assert!(variants.iter().all(|state| state.failed_call.is_some()));
        let (variants, last) = after(true, &differ);
        assert!(variants.iter().all(VariantState::is_alive));
        assert!(last.notes[0].contains("accepts"), "{:?}", last.notes);
        let agree = [Step::Gated(&a, &one), Step::Gated(&b, &one), differ[2]];
        let (variants, last) = after(false, &agree);
        assert!(variants.iter().all(VariantState::is_alive));
        assert!(last.failed.is_empty());
    }

    #[test]
    fn a_build_that_failed_fails_its_variant() {
        let [a, _] = ids();
        let record = BuildRecord::failed(failure(FailureClass::BuildFailed), None);
        let (variants, last) = after(true, &[Step::Built(&a, &record)]);
        assert_eq!(last.failed, [a]);
        assert!(variants[0].build.is_some() && !variants[0].is_alive());
    }
}
