//! The work of children: builds, checks and calls, with the answer of each.

use super::child_attempt::{AttemptAnswer, ChildAttempt, ChildWork, Lost, of_runner};
use super::elsewhere::is_of_machine;
use bakeoff_compile::{BuildRequest, BuiltComponent};
use bakeoff_domain::coverage::Coverage;
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::function_fuel::FuelByFunction;
use bakeoff_domain::oracle::TestedAnswer;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::queue::TaskKey;
use bakeoff_measure::{
    Assessment, EvaluationInput, EvaluatorAnswer, GateRecord, RepeatInput, RunnerConfig,
    RunnerError,
};
use bakeoff_runner::{Call, CallTexts, RepeatedCall};
use bakeoff_sandbox::{GuestError, KnownEvidence};
use bakeoff_source::PackedFolders;
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The least time between two messages about a check under way.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// The component of a build, or its failure.
pub(crate) type BuildResult = Result<Arc<BuiltComponent>, Failure>;

/// A prototype that a task before built.
#[derive(Clone, Debug)]
pub(crate) struct BuiltPrototype {
    /// The task that built the component.
    pub(crate) build: TaskKey,
    /// The files that the component is granted.
    pub(crate) files: Option<PackedFolders>,
}

/// A build.
#[derive(Debug)]
pub(crate) struct Build(pub(crate) BuildRequest);

impl ChildWork for Build {
    type Answer = BuildResult;

    async fn attempt(&self, child: &ChildAttempt<'_>) -> Result<AttemptAnswer<BuildResult>, Lost> {
        Ok(match child.build(&self.0).await? {
            Ok(component) => {
                child.keep_built(&component);
                AttemptAnswer::Done(Ok(component))
            }
            Err(failure) => AttemptAnswer::Failed(Err(failure)),
        })
    }

    fn portable_answer(answer: &BuildResult) -> Option<Vec<u8>> {
        let answer = match answer {
            Ok(built) => Ok((&built.digest, built.our_allocator)),
            Err(failure) if is_of_machine(failure) || is_of_build_limit(failure.class) => {
                return None;
            }
            Err(failure) => Err(failure.class.name()),
        };
        postcard::to_stdvec(&answer).ok()
    }
}

/// Returns true if a build may have met a limit because of the speed or the memory of its machine.
fn is_of_build_limit(class: FailureClass) -> bool {
    matches!(
        class,
        FailureClass::BuildTimeout
            | FailureClass::BuildMemory
            | FailureClass::BuildCrashed
            | FailureClass::LoadCompileLimit
    )
}

/// A build of a source anew, for the CPU time that it takes.
#[derive(Debug)]
pub(crate) struct TimedBuild(pub(crate) BuildRequest);

impl ChildWork for TimedBuild {
    type Answer = Result<Duration, Failure>;

    async fn attempt(
        &self,
        child: &ChildAttempt<'_>,
    ) -> Result<AttemptAnswer<Result<Duration, Failure>>, Lost> {
        let builder = child.builder();
        let built = builder.build_anew_by(&child.builder_link, &self.0).await?;
        Ok(AttemptAnswer::Done(built.map(|built| built.cpu)))
    }
}

/// The gate of a component.
#[derive(Debug)]
pub(crate) struct Check {
    /// The component.
    pub(crate) prototype: BuiltPrototype,
    /// The seed of the rehearsal.
    pub(crate) seed: RunSeed,
    /// Units of fuel that calls beyond one on each case may take, if that is less than usual.
    pub(crate) repeats_fuel: Option<u64>,
}

impl ChildWork for Check {
    type Answer = Result<GateRecord, RunnerError>;

    async fn attempt(&self, child: &ChildAttempt<'_>) -> Result<AttemptAnswer<Self::Answer>, Lost> {
        let built = child.built(&self.prototype.build)?;
        let mut last = Instant::now();
        let on_case = |done| {
            if last.elapsed() >= PROGRESS_EVERY {
                last = Instant::now();
                child.progress(done);
            }
        };
        let config = RunnerConfig {
            repeats_fuel: self.repeats_fuel,
            ..child.config_with(self.seed)
        };
        let files = self.prototype.files.as_ref();
        let checked =
            bakeoff_measure::check(&config, &built.checked, files, child.core, on_case).await;
        let is_elsewhere = child.is_elsewhere();
        let checked = checked.map(|record| {
            if is_elsewhere {
                untimed(record)
            } else {
                record
            }
        });
        child.of_runner(checked, |record| has_doubtful(record.failure.as_ref()))
    }

    fn portable_answer(answer: &Self::Answer) -> Option<Vec<u8>> {
        let record = answer.as_ref().ok()?;
        portable(record.failure.as_ref(), &untimed(record.clone()))
    }
}

/// Returns a record without the times of calls: no time of another machine is used for anything.
fn untimed(mut record: GateRecord) -> GateRecord {
    for case in &mut record.cases {
        case.cpu_ns = 0;
    }
    record
}

/// Returns an answer as bytes; `None` if its failure may be due to the machine.
fn portable<A: Serialize>(failure: Option<&Failure>, answer: &A) -> Option<Vec<u8>> {
    if has_doubtful(failure) {
        return None;
    }
    postcard::to_stdvec(answer).ok()
}

fn has_doubtful(failure: Option<&Failure>) -> bool {
    failure.is_some_and(is_of_machine)
}

/// The assessment of a component's answers.
#[derive(Debug)]
pub(crate) struct Assess {
    /// The component.
    pub(crate) prototype: BuiltPrototype,
    /// The seed of the inputs.
    pub(crate) seed: RunSeed,
}

impl ChildWork for Assess {
    type Answer = Result<Assessment, RunnerError>;

    async fn attempt(&self, child: &ChildAttempt<'_>) -> Result<AttemptAnswer<Self::Answer>, Lost> {
        let built = child.built(&self.prototype.build)?;
        let config = child.config_with(self.seed);
        let files = self.prototype.files.as_ref();
        let assessed = bakeoff_measure::assess(&config, &built.checked, files, child.core).await;
        child.of_runner(assessed, |one| has_doubtful(one.failure.as_ref()))
    }

    fn portable_answer(answer: &Self::Answer) -> Option<Vec<u8>> {
        let assessment = answer.as_ref().ok()?;
        portable(assessment.failure.as_ref(), assessment)
    }
}

/// An evaluator's readings of a variant.
#[derive(Debug)]
pub(crate) struct Evaluate {
    /// The evaluator.
    pub(crate) evaluator: Arc<BuiltComponent>,
    /// The variant, if its answers are wanted.
    pub(crate) variant: Option<Arc<BuiltComponent>>,
    /// The files that the variant is granted.
    pub(crate) files: Option<PackedFolders>,
    /// The seed of the inputs.
    pub(crate) seed: RunSeed,
    /// The evidence of the variant that needs no calls.
    pub(crate) evidence: KnownEvidence,
}

impl ChildWork for Evaluate {
    type Answer = Result<EvaluatorAnswer, RunnerError>;

    async fn attempt(&self, child: &ChildAttempt<'_>) -> Result<AttemptAnswer<Self::Answer>, Lost> {
        let input = EvaluationInput {
            evaluator: &self.evaluator.checked,
            variant: self.variant.as_ref().map(|built| &built.checked[..]),
            files: self.files.as_ref(),
            evidence: self.evidence.clone(),
        };
        let config = child.config_with(self.seed);
        let evaluated = bakeoff_measure::evaluate(&config, input, child.core).await;
        // Where an evaluator says nothing, it may have met a limit of that machine.
        child.of_runner(evaluated, |one| {
            one.missing.is_some() || has_doubtful(one.failure.as_ref())
        })
    }

    fn portable_answer(answer: &Self::Answer) -> Option<Vec<u8>> {
        let evaluation = answer.as_ref().ok()?;
        let is_whole = evaluation.missing.is_none();
        portable(evaluation.failure.as_ref(), evaluation).filter(|_| is_whole)
    }
}

/// Calls on fresh instances of a component.
#[derive(Debug)]
pub(crate) struct Repeat {
    /// The component.
    pub(crate) prototype: BuiltPrototype,
    /// The calls.
    pub(crate) calls: Arc<[Call]>,
    /// The time for all calls; the calls that are left then are not made.
    pub(crate) left: Option<Duration>,
    /// Length of arguments and answers in the results: shortened or whole.
    pub(crate) texts: CallTexts,
}

impl ChildWork for Repeat {
    type Answer = Result<Vec<RepeatedCall>, RunnerError>;

    async fn attempt(&self, child: &ChildAttempt<'_>) -> Result<AttemptAnswer<Self::Answer>, Lost> {
        let built = child.built(&self.prototype.build)?;
        let input = RepeatInput {
            checked: &built.checked,
            diagnostic: false,
            files: self.prototype.files.as_ref(),
            texts: self.texts,
        };
        let (config, core) = (&child.config, child.core);
        of_runner(bakeoff_measure::repeat(config, input, &self.calls, core, self.left).await)
    }
}

/// Calls of a component, whose answers the oracle judges as they are and changed.
#[derive(Debug)]
pub(crate) struct TestOracle {
    /// The component.
    pub(crate) prototype: BuiltPrototype,
    /// The calls.
    pub(crate) calls: Arc<[Call]>,
}

impl ChildWork for TestOracle {
    /// The judgements; the inner error is the reason why the component could not be called.
    type Answer = Result<Result<Vec<TestedAnswer>, String>, RunnerError>;

    async fn attempt(&self, child: &ChildAttempt<'_>) -> Result<AttemptAnswer<Self::Answer>, Lost> {
        let built = child.built(&self.prototype.build)?;
        let files = self.prototype.files.as_ref();
        let (config, core) = (&child.config, child.core);
        let tested = bakeoff_measure::test_oracle(config, &built.checked, files, &self.calls, core);
        of_runner(tested.await)
    }
}

/// Calls of a component whose code leaves marks.
#[derive(Debug)]
pub(crate) struct Cover {
    /// The component, of a build for coverage.
    pub(crate) prototype: BuiltPrototype,
    /// The calls.
    pub(crate) calls: Arc<[Call]>,
}

impl ChildWork for Cover {
    /// The code that the calls reached; the inner error is that of a call.
    type Answer = Result<Result<Coverage, GuestError>, RunnerError>;

    async fn attempt(&self, child: &ChildAttempt<'_>) -> Result<AttemptAnswer<Self::Answer>, Lost> {
        let built = child.built(&self.prototype.build)?;
        let map = built.coverage.clone().unwrap_or_default();
        let files = self.prototype.files.as_ref();
        let (config, core) = (&child.config, child.core);
        let marked = (&built.checked[..], &map);
        of_runner(bakeoff_measure::cover(config, marked, files, &self.calls, core).await)
    }
}

/// Calls of a component whose code counts its passes.
#[derive(Debug)]
pub(crate) struct CountFuel {
    /// The component, of a build for fuel by function.
    pub(crate) prototype: BuiltPrototype,
    /// The calls.
    pub(crate) calls: Arc<[Call]>,
}

impl ChildWork for CountFuel {
    /// The fuel of the calls by function; the inner error is that of a call.
    type Answer = Result<Result<FuelByFunction, GuestError>, RunnerError>;

    async fn attempt(&self, child: &ChildAttempt<'_>) -> Result<AttemptAnswer<Self::Answer>, Lost> {
        let built = child.built(&self.prototype.build)?;
        let map = built.function_fuel.clone().unwrap_or_default();
        let files = self.prototype.files.as_ref();
        let (config, core) = (&child.config, child.core);
        let counted = (&built.checked[..], &map);
        of_runner(bakeoff_measure::count_fuel(config, counted, files, &self.calls, core).await)
    }
}

/// A diagnostic build, and the calls that ended in a trap with it.
#[derive(Debug)]
pub(crate) struct Diagnose {
    /// The build.
    pub(crate) request: BuildRequest,
    /// The files and parameter values that the component is granted, if any.
    pub(crate) files: Option<PackedFolders>,
    /// The calls, in order.
    pub(crate) calls: Vec<Call>,
}

impl ChildWork for Diagnose {
    /// The report of the panic, if there is one.
    type Answer = Option<String>;

    async fn attempt(
        &self,
        child: &ChildAttempt<'_>,
    ) -> Result<AttemptAnswer<Option<String>>, Lost> {
        let builder = child.builder();
        let built = builder.build_by(&child.builder_link, &self.request).await?;
        let Ok(built) = built else {
            return Ok(AttemptAnswer::Done(None));
        };
        let files = self.files.as_ref();
        let reports =
            bakeoff_measure::diagnose(&child.config, &built.checked, files, &self.calls).await;
        match reports {
            Err(RunnerError::WorkerLost(reason)) => Err(reason.into()),
            Err(_) => Ok(AttemptAnswer::Done(None)),
            Ok(reports) => {
                let report = reports.into_iter().next_back();
                let report = report.map(|report| self.request.code.in_own_files(report));
                Ok(AttemptAnswer::Done(report))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::failure::Phase;
    use bakeoff_runner::CheckedCase;

    fn record(fuel: u64, cpu_ns: u64) -> GateRecord {
        let case = CheckedCase {
            fuel,
            cpu_ns,
            assessed: vec![("error".to_owned(), f64::NAN)],
            ..CheckedCase::default()
        };
        GateRecord {
            cases: vec![case],
            ..GateRecord::default()
        }
    }

    fn failed(class: FailureClass) -> GateRecord {
        let failure = Failure {
            class,
            message: "it failed".to_owned(),
            phase: Phase::Check,
            limit: None,
        };
        GateRecord {
            failure: Some(failure),
            ..GateRecord::default()
        }
    }

    #[test]
    fn an_answer_has_the_same_bytes_on_every_machine_but_for_times() {
        let bytes = |record| Check::portable_answer(&Ok(record));
        assert!(bytes(record(3, 5)).is_some());
        assert_eq!(bytes(record(3, 5)), bytes(record(3, 9)));
        assert_ne!(bytes(record(3, 5)), bytes(record(4, 5)));
        let wrong = bytes(failed(FailureClass::WrongAnswer));
        assert!(wrong.is_some());
        assert_ne!(wrong, bytes(failed(FailureClass::Trap)));
        let assessed = Assess::portable_answer(&Ok(Assessment::default()));
        let evaluated = Evaluate::portable_answer(&Ok(EvaluatorAnswer::default()));
        assert!(assessed.is_some() && evaluated.is_some());
    }

    #[test]
    fn an_answer_that_its_machine_may_have_caused_is_no_evidence() {
        for class in [FailureClass::WallLimit, FailureClass::MemoryLimit] {
            assert_eq!(Check::portable_answer(&Ok(failed(class))), None);
        }
        let silent = EvaluatorAnswer {
            missing: Some("it trapped".to_owned()),
            ..EvaluatorAnswer::default()
        };
        assert_eq!(Evaluate::portable_answer(&Ok(silent)), None);
        assert_eq!(Repeat::portable_answer(&Ok(Vec::new())), None);
    }
}
