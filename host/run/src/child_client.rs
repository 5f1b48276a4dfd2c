//! The client of a run: it encodes each task for a worker, and makes an answer of the worker's frames.

use super::error::RunError;
use bakeoff_compile::{BuildRequest, Builder, BuiltComponent};
use bakeoff_confine::tasks::{AttemptReport, Driver, Job, TaskClient, WorkerLink};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::oracle::TestedAnswer;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::queue::{AddError, Capacity, Cpu, Dependency, Needs, Retries, Task, TaskKey};
use bakeoff_measure::{
    Assessment, EvaluationInput, EvaluatorAnswer, GateRecord, RepeatInput, ReplicaAnswer,
    ReplicaJob, RunnerConfig, RunnerError,
};
use bakeoff_runner::{CallTexts, RepeatedCall};
use bakeoff_sandbox::KnownEvidence;
use bakeoff_source::PackedFolders;
use bakeoff_store::Key;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The least time between two messages about a check under way.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// Retries of an attempt whose worker was lost. The death of a child is not retried: it is the result of the task.
const RETRIES: Retries = Retries {
    attempts_max: 3,
    first_wait: Duration::from_millis(200),
    wait_max: Duration::from_secs(5),
};

/// Memory of a task that takes a core, in bytes: the use of a build or check of ordinary size. No more run at once than
/// there is memory for; the fences bound the use of each.
const MEMORY_BYTES: u64 = 512 << 20;

/// Expected duration of tasks in milliseconds, by kind, until some were measured: the order of magnitude of small ones.
const EXPECTED_MS: [(&str, u64); 5] = [
    ("build", 500),
    ("check", 1_000),
    ("assess", 1_000),
    ("evaluate", 500),
    ("diagnose", 700),
];

/// Work for a child process: the content of a task of a run or verification.
#[derive(Clone, Debug)]
pub enum ChildTask {
    /// A build.
    Build(BuildRequest),
    /// A build of a source anew, for the time that it takes.
    TimedBuild(BuildRequest),
    /// The gate of a component.
    Check {
        /// The task that built the component.
        build: TaskKey,
        /// The files that the component is granted.
        files: Option<PackedFolders>,
        /// The seed of the rehearsal.
        seed: RunSeed,
        /// Units of fuel that calls beyond one on each case may take, if that is less than usual.
        repeats_fuel: Option<u64>,
    },
    /// The assessment of a component's answers.
    Assess {
        /// The task that built the component.
        build: TaskKey,
        /// The files that the component is granted.
        files: Option<PackedFolders>,
        /// The seed of the inputs.
        seed: RunSeed,
    },
    /// An evaluator's readings of a variant.
    Evaluate {
        /// The evaluator.
        evaluator: Arc<BuiltComponent>,
        /// The variant, if its answers are wanted.
        variant: Option<Arc<BuiltComponent>>,
        /// The files that the variant is granted.
        files: Option<PackedFolders>,
        /// The seed of the inputs.
        seed: RunSeed,
        /// The evidence of the variant that needs no calls.
        evidence: KnownEvidence,
    },
    /// Calls on fresh instances of a component.
    Repeat {
        /// The task that built the component.
        build: TaskKey,
        /// The files that the component is granted.
        files: Option<PackedFolders>,
        /// The calls: a case and the seed of its input.
        calls: Arc<[(CaseIndex, u64)]>,
        /// The time for all calls; the calls that are left then are not made.
        left: Option<Duration>,
        /// Length of arguments and answers in the results: shortened or whole.
        texts: CallTexts,
    },
    /// Calls of a component, whose answers the oracle judges as they are and changed.
    TestOracle {
        /// The task that built the component.
        build: TaskKey,
        /// The files that the component is granted.
        files: Option<PackedFolders>,
        /// The calls: a case and the seed of its input.
        calls: Arc<[(CaseIndex, u64)]>,
    },
    /// A diagnostic build, and the calls that ended in a trap with it.
    Diagnose(Box<DiagnosticTask>),
    /// A replica of a race.
    Replica(ReplicaJob),
}

impl From<ReplicaJob> for ChildTask {
    fn from(job: ReplicaJob) -> Self {
        Self::Replica(job)
    }
}

/// A diagnostic build, and the calls that are made with it.
#[derive(Clone, Debug)]
pub struct DiagnosticTask {
    /// The build.
    pub request: BuildRequest,
    /// The files and parameter values that the component is granted, if any.
    pub files: Option<PackedFolders>,
    /// The calls, in order: a case and the seed of its input.
    pub calls: Vec<(CaseIndex, u64)>,
}

/// Answer of a task of a run or verification, by the kind of its work.
#[derive(Debug)]
pub enum ChildAnswer {
    /// The component of a build.
    Built(Result<Arc<BuiltComponent>, Failure>),
    /// The CPU time of a timed build.
    TimedBuild(Result<Duration, Failure>),
    /// The record of a gate.
    Checked(Result<GateRecord, RunnerError>),
    /// The assessment of a component's answers.
    Assessed(Result<Assessment, RunnerError>),
    /// An evaluator's readings of a variant.
    Evaluated(Result<EvaluatorAnswer, RunnerError>),
    /// The outcomes of calls.
    Repeated(Result<Vec<RepeatedCall>, RunnerError>),
    /// The oracle's judgements; the inner error is the reason why the component could not be called.
    OracleTested(Result<Result<Vec<TestedAnswer>, String>, RunnerError>),
    /// The report of the panic, if there is one.
    Diagnosed(Option<String>),
    /// The end of a replica.
    Replica(ReplicaAnswer),
}

impl TryFrom<ChildAnswer> for ReplicaAnswer {
    type Error = ChildAnswer;

    /// # Errors
    /// The answer is that of another task.
    fn try_from(answer: ChildAnswer) -> Result<Self, ChildAnswer> {
        match answer {
            ChildAnswer::Replica(answer) => Ok(answer),
            other => Err(other),
        }
    }
}

/// The client of a run or verification.
#[derive(Debug)]
pub struct ChildClient {
    builder: Arc<Builder>,
    config: RunnerConfig,
    /// Components that were built, by the key of their task.
    built: Mutex<BTreeMap<TaskKey, Arc<BuiltComponent>>>,
}

impl ChildClient {
    /// Returns a driver without tasks for these cores.
    pub fn driver(builder: &Arc<Builder>, config: &RunnerConfig, cores: &[usize]) -> Driver<Self> {
        let client = Self {
            builder: Arc::clone(builder),
            config: config.clone(),
            built: Mutex::default(),
        };
        let memory_bytes = bakeoff_measure::available_bytes();
        let capacity = Capacity {
            memory_bytes,
            ..Capacity::of_cores(cores.iter().rev().copied())
        };
        let mut driver = Driver::new(capacity, Arc::new(client));
        for (kind, milliseconds) in EXPECTED_MS {
            driver.expect(kind, Duration::from_millis(milliseconds));
        }
        driver
    }

    fn built(&self, build: &TaskKey) -> Result<Arc<BuiltComponent>, String> {
        let built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let found = built.get(build).cloned();
        found.ok_or_else(|| format!("{build} has no component"))
    }

    async fn build(&self, attempt: &ChildAttempt, request: &BuildRequest) -> Outcome {
        Ok(
            match self.builder.build_by(&attempt.builder, request).await? {
                Ok(component) => {
                    let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
                    built.insert(attempt.report.attempt().key.clone(), Arc::clone(&component));
                    Ok(ChildAnswer::Built(Ok(component)))
                }
                Err(failure) => Err(ChildAnswer::Built(Err(failure))),
            },
        )
    }

    async fn time_build(&self, attempt: &ChildAttempt, request: &BuildRequest) -> Outcome {
        let built = self
            .builder
            .build_anew_by(&attempt.builder, request)
            .await?;
        Ok(Ok(ChildAnswer::TimedBuild(built.map(|built| built.cpu))))
    }

    async fn diagnose(&self, attempt: &ChildAttempt, task: &DiagnosticTask) -> Outcome {
        let nothing = Ok(Ok(ChildAnswer::Diagnosed(None)));
        let built = self
            .builder
            .build_by(&attempt.builder, &task.request)
            .await?;
        let Ok(built) = built else { return nothing };
        let files = task.files.as_ref();
        let reports =
            bakeoff_measure::diagnose(&attempt.config, &built.checked, files, &task.calls).await;
        match kept_worker(reports)? {
            Ok(reports) => Ok(Ok(ChildAnswer::Diagnosed(reports.into_iter().next_back()))),
            Err(_) => nothing,
        }
    }

    /// Makes an attempt.
    async fn outcome(&self, attempt: &ChildAttempt, task: &ChildTask) -> Outcome {
        let (config, core) = (&attempt.config, attempt.core);
        Ok(Ok(match task {
            ChildTask::Build(request) => return self.build(attempt, request).await,
            ChildTask::TimedBuild(request) => return self.time_build(attempt, request).await,
            ChildTask::Check {
                build,
                files,
                seed,
                repeats_fuel,
            } => {
                let built = self.built(build)?;
                let mut last = Instant::now();
                let on_case = |done| {
                    if last.elapsed() >= PROGRESS_EVERY {
                        last = Instant::now();
                        attempt.report.progress(done);
                    }
                };
                let config = RunnerConfig {
                    repeats_fuel: *repeats_fuel,
                    ..with_seed(config, *seed)
                };
                let files = files.as_ref();
                let checked =
                    bakeoff_measure::check(&config, &built.checked, files, core, on_case).await;
                ChildAnswer::Checked(kept_worker(checked)?)
            }
            ChildTask::Assess { build, files, seed } => {
                let built = self.built(build)?;
                let config = with_seed(config, *seed);
                let assessed =
                    bakeoff_measure::assess(&config, &built.checked, files.as_ref(), core).await;
                ChildAnswer::Assessed(kept_worker(assessed)?)
            }
            ChildTask::Evaluate {
                evaluator,
                variant,
                files,
                seed,
                evidence,
            } => {
                let input = EvaluationInput {
                    evaluator: &evaluator.checked,
                    variant: variant.as_ref().map(|built| &built.checked[..]),
                    files: files.as_ref(),
                    evidence: evidence.clone(),
                };
                let config = with_seed(config, *seed);
                let evaluated = bakeoff_measure::evaluate(&config, input, core).await;
                ChildAnswer::Evaluated(kept_worker(evaluated)?)
            }
            ChildTask::Repeat {
                build,
                files,
                calls,
                left,
                texts,
            } => {
                let built = self.built(build)?;
                let input = RepeatInput {
                    checked: &built.checked,
                    diagnostic: false,
                    files: files.as_ref(),
                    texts: *texts,
                };
                let calls = bakeoff_measure::repeat(config, input, calls, core, *left).await;
                ChildAnswer::Repeated(kept_worker(calls)?)
            }
            ChildTask::TestOracle {
                build,
                files,
                calls,
            } => {
                let built = self.built(build)?;
                let input = RepeatInput {
                    checked: &built.checked,
                    diagnostic: false,
                    files: files.as_ref(),
                    texts: CallTexts::Shortened,
                };
                let tested = bakeoff_measure::test_oracle(config, input, calls, core).await;
                ChildAnswer::OracleTested(kept_worker(tested)?)
            }
            ChildTask::Diagnose(task) => return self.diagnose(attempt, task).await,
            ChildTask::Replica(replica) => {
                ChildAnswer::Replica(replica.clone().answer(core, &attempt.report).await?)
            }
        }))
    }
}

/// Result of an attempt: the outer `Err` is the reason why its worker was lost. The inner `Err` is an answer that every
/// other attempt would give as well.
type Outcome = Result<Result<ChildAnswer, ChildAnswer>, String>;

/// An attempt at a task, with the links to its workers.
struct ChildAttempt {
    core: Option<usize>,
    report: AttemptReport<ChildAnswer>,
    builder: WorkerLink,
    config: RunnerConfig,
}

fn with_seed(config: &RunnerConfig, seed: RunSeed) -> RunnerConfig {
    RunnerConfig {
        seed,
        ..config.clone()
    }
}

/// Returns the end of a runner; the outer `Err` is the reason why its worker was lost.
fn kept_worker<T>(ended: Result<T, RunnerError>) -> Result<Result<T, RunnerError>, String> {
    match ended {
        Err(RunnerError::WorkerLost(reason)) => Err(reason),
        ended => Ok(ended),
    }
}

impl TaskClient for ChildClient {
    type Task = ChildTask;
    type Answer = ChildAnswer;

    async fn attempt(&self, job: Job<ChildTask>, report: AttemptReport<ChildAnswer>) {
        let attempt = ChildAttempt {
            core: job.core,
            builder: self.builder.worker().for_attempt(&report),
            config: self.config.for_attempt(&report),
            report,
        };
        match self.outcome(&attempt, &job.task).await {
            Ok(Ok(answer)) => attempt.report.done(answer),
            Ok(Err(answer)) => attempt.report.failed(answer),
            Err(reason) => attempt.report.lost(reason),
        }
    }
}

/// Returns the key of the task of a build.
pub(super) fn build_task(build: &Key) -> TaskKey {
    TaskKey::new(format!("build {}", build.digest()))
}

/// Returns a task of this kind and key that takes a core. It waits for the result of the task `after`.
pub fn core_task(kind: &'static str, key: TaskKey, after: Option<&TaskKey>) -> Task {
    let needs = Needs {
        // What is more than all there is would wait for ever.
        memory_bytes: MEMORY_BYTES.min(bakeoff_measure::available_bytes()),
        ..Needs::cpu(Cpu::Core)
    };
    Task {
        after: after
            .cloned()
            .map(Dependency::on_result)
            .into_iter()
            .collect(),
        retries: RETRIES,
        ..Task::new(key, kind, needs)
    }
}

/// Returns the error of a task that the queue does not accept: a bug of bakeoff.
pub fn wrong_task(error: AddError) -> RunError {
    RunError::Engine(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_a_core_takes_memory_and_never_more_than_there_is() {
        let task = core_task("build", TaskKey::new("build"), None);
        let there_is = bakeoff_measure::available_bytes();
        assert_eq!(task.needs.memory_bytes, MEMORY_BYTES.min(there_is));
        let mut queue = bakeoff_domain::queue::TaskQueue::new(Capacity {
            memory_bytes: task.needs.memory_bytes,
            ..Capacity::of_cores(0..2)
        });
        let other = core_task("build", TaskKey::new("other"), None);
        queue.add(task).unwrap();
        queue.add(other).unwrap();
        assert!(queue.lease(Duration::ZERO).is_some());
        assert_eq!(queue.lease(Duration::ZERO), None, "memory for one");
    }
}
