//! The workload, inside a runner: it makes inputs and judges answers. Expected answers never leave
//! the memory of the host or of the workload.

use super::protocol::{Arguments, RunnerInputs};
use super::requests::Requests;
use super::runner::Runner;
use super::wave_case::{WaveCase, WrongCase, WrongPart};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_sandbox::invoke::{self, CallTypes, Callee, Value};
use bakeoff_sandbox::{GuestError, GuestState, Imports, Instance, PreparedComponent};
use std::sync::Arc;
use wasmtime::component::Val;

/// The number of calls after which a workload instance is replaced, so that memory it leaks is
/// bounded.
const CALLS_PER_INSTANCE: u32 = 256;

/// The most numbers that `assess` may give for one answer. An experiment has at most 32 criteria.
const ASSESSED_MAX: usize = 64;
const ASSESSED_NAME_BYTES_MAX: usize = 256;

/// The source of inputs and judge of answers of one runner.
pub(super) enum Workload {
    /// The workload component.
    Component(Box<WorkloadComponent>),
    /// Parsed calls and expected answers.
    Cases(Vec<ReadCase>),
}

/// The workload component and its functions.
pub(super) struct WorkloadComponent {
    prepared: PreparedComponent,
    requests: Requests,
    arguments: Arguments,
    oracle: bool,
    assesses: bool,
    running: Option<RunningWorkload>,
    /// Units of fuel of all calls so far.
    fuel: u64,
    /// Number of calls that exceeded a limit; their fuel is not counted.
    limits_passed: u32,
}

struct RunningWorkload {
    instance: Instance,
    exports: Exports,
    calls: u32,
}

struct Exports {
    generate: Callee<GuestState>,
    check: Option<Callee<GuestState>>,
    assess: Option<Callee<GuestState>>,
}

/// A parsed case of a file, with the types of the call.
pub(super) struct ReadCase {
    arguments: Arc<[Value]>,
    expect: Option<Value>,
}

/// The oracle's judgement of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// The answer is right, or there is no oracle.
    Accepted,
    /// The answer is wrong, for this reason.
    Refused(String),
}

impl Workload {
    /// Returns the source of inputs. `ty` is the call's type, for cases in WAVE.
    pub(super) fn open(runner: &Runner<'_>, ty: Option<&CallTypes>) -> Result<Self, GuestError> {
        match &runner.opened.request.inputs {
            RunnerInputs::Workload {
                code,
                requests,
                arguments,
                oracle,
                assesses,
            } => {
                let bytes = runner.opened.code(*code).map_err(failed)?;
                // SAFETY: the parent authenticated the bytes it sent.
                let prepared = unsafe {
                    runner
                        .workload
                        .prepare(bytes, Imports::Diagnostic(Arc::default()))
                }?;
                Ok(Self::Component(Box::new(WorkloadComponent {
                    prepared,
                    requests: requests.clone(),
                    arguments: *arguments,
                    oracle: *oracle,
                    assesses: *assesses,
                    running: None,
                    fuel: 0,
                    limits_passed: 0,
                })))
            }
            RunnerInputs::Cases(cases) => {
                let ty = ty.ok_or_else(|| failed("cases without a call to read them for"))?;
                let function = runner.path().last().map_or("", String::as_str);
                let read = cases.iter().map(|case| {
                    read_case(case, function, ty).map_err(|wrong| failed(wrong.reason))
                });
                Ok(Self::Cases(read.collect::<Result<_, _>>()?))
            }
        }
    }

    /// Returns true if right answers can be told from wrong ones.
    pub(super) fn has_oracle(&self) -> bool {
        match self {
            Self::Component(workload) => workload.oracle,
            Self::Cases(cases) => cases.iter().all(|case| case.expect.is_some()),
        }
    }

    /// Returns true if inputs are made from seeds.
    pub(super) fn draws_inputs(&self) -> bool {
        matches!(self, Self::Component(_))
    }

    /// Makes the next call start on a fresh instance.
    pub(super) fn restart(&mut self) {
        if let Self::Component(workload) = self {
            workload.running = None;
        }
    }

    /// Returns the number of cases.
    pub(super) fn cases(&self) -> usize {
        match self {
            Self::Component(workload) => workload.requests.cases(),
            Self::Cases(cases) => cases.len(),
        }
    }

    /// Returns true if the cases are instances of one set, whose inputs do not depend on a seed.
    pub(super) fn has_instances(&self) -> bool {
        match self {
            Self::Component(workload) => matches!(workload.requests, Requests::Instances(_)),
            Self::Cases(_) => false,
        }
    }

    /// Returns the units of fuel that the workload's calls took so far.
    pub(super) fn fuel(&self) -> u64 {
        match self {
            Self::Component(workload) => workload.fuel,
            Self::Cases(_) => 0,
        }
    }

    /// Returns the number of the workload's calls that exceeded a limit so far.
    pub(super) fn limits_passed(&self) -> u32 {
        match self {
            Self::Component(workload) => workload.limits_passed,
            Self::Cases(_) => 0,
        }
    }

    /// Returns the arguments of a call. For an instance or a case of a file they do not depend on the
    /// seed.
    pub(super) fn arguments(
        &mut self,
        case: CaseIndex,
        seed: u64,
    ) -> Result<Arc<[Value]>, GuestError> {
        match self {
            Self::Cases(cases) => Ok(Arc::clone(&cases[case].arguments)),
            Self::Component(workload) => {
                let asked: Arc<[Value]> = match &workload.requests {
                    Requests::Sizes(sizes) => {
                        let asked = sizes[case];
                        [Value::U32(asked.size), Value::U64(asked.seed(seed))].into()
                    }
                    Requests::Instances(names) => [Value::Text(names[case].clone())].into(),
                };
                let spread = workload.arguments;
                let value = workload.call(case, |exports| Some(&exports.generate), &asked)??;
                match (spread, value) {
                    (Arguments::Tuple, Some(Value::Tuple(items))) => Ok(items.into()),
                    (Arguments::Tuple, Some(Value::Other(Val::Tuple(items)))) => {
                        Ok(items.into_iter().map(Value::Other).collect())
                    }
                    (Arguments::Single, Some(value)) => Ok([value].into()),
                    _ => Err(failed("`generate` did not give the arguments of the call")),
                }
            }
        }
    }

    /// Returns the failure of a workload that makes another input for the same request.
    pub(super) fn changed_input() -> GuestError {
        failed(
            "`generate` made two inputs from the same arguments: it keeps something from call to call, so that \
             no call can be made again. Draw everything from the seed that it is given",
        )
    }

    /// Returns the oracle's judgement of an answer. If the oracle itself fails on the answer, the class
    /// of the error is [`FailureClass::UnjudgedAnswer`].
    pub(super) fn judge(
        &mut self,
        case: CaseIndex,
        arguments: &Arc<[Value]>,
        answer: Option<&Value>,
    ) -> Result<Judgement, GuestError> {
        match self {
            Self::Cases(cases) => Ok(compare(cases[case].expect.as_ref(), answer)),
            Self::Component(workload) if workload.oracle => {
                let judged = workload.call(
                    case,
                    |exports| exports.check.as_ref(),
                    &with_answer(arguments, answer),
                )?;
                match judged.map_err(|error| unjudged("check", answer, &error.message))? {
                    Some(Value::Outcome(Ok(()))) => Ok(Judgement::Accepted),
                    Some(Value::Outcome(Err(why))) => Ok(Judgement::Refused(why)),
                    _ => Err(failed("`check` did not give a result<_, string>")),
                }
            }
            Self::Component(_) => Ok(Judgement::Accepted),
        }
    }

    /// Returns the numbers that the workload's `assess` gives an answer; none if it does not export
    /// it. If `assess` fails on the answer, the class of the error is
    /// [`FailureClass::UnjudgedAnswer`].
    pub(super) fn assess(
        &mut self,
        case: CaseIndex,
        arguments: &Arc<[Value]>,
        answer: Option<&Value>,
    ) -> Result<Vec<(String, f64)>, GuestError> {
        match self {
            Self::Component(workload) if workload.assesses => {
                let assessed = workload.call(
                    case,
                    |exports| exports.assess.as_ref(),
                    &with_answer(arguments, answer),
                )?;
                let assessed = assessed.map_err(|error| error.message);
                let numbers = assessed.and_then(|value| {
                    let numbers = named_numbers(value);
                    bounded(numbers.ok_or("it did not give a list of names and numbers")?)
                });
                numbers.map_err(|why| unjudged("assess", answer, &why))
            }
            _ => Ok(Vec::new()),
        }
    }
}

impl WorkloadComponent {
    /// Calls a function about a case, and returns its value, or the error of the call. Errors name the
    /// instance, if the case is one.
    ///
    /// # Errors
    /// The workload does not start.
    fn call(
        &mut self,
        case: CaseIndex,
        which: impl Fn(&Exports) -> Option<&Callee<GuestState>>,
        arguments: &Arc<[Value]>,
    ) -> Result<Result<Option<Value>, GuestError>, GuestError> {
        let answered = self.answer(which, arguments);
        let named = |mut error: GuestError| {
            if let Requests::Instances(names) = &self.requests {
                let name = names.get(case).map_or("", String::as_str);
                error.message = format!("instance {name}: {}", error.message);
            }
            error
        };
        answered.map(|called| called.map_err(named)).map_err(named)
    }

    /// Calls an export. A call that fails on an instance that was called before is made once more on a fresh one: an
    /// earlier answer may have left that instance without memory, which is not the fault of this one.
    fn answer(
        &mut self,
        which: impl Fn(&Exports) -> Option<&Callee<GuestState>>,
        arguments: &Arc<[Value]>,
    ) -> Result<Result<Option<Value>, GuestError>, GuestError> {
        loop {
            let running = self.running.take();
            let running = running.filter(|running| running.calls < CALLS_PER_INSTANCE);
            let mut running = match running {
                Some(running) => running,
                None => self.start()?,
            };
            running.calls += 1;
            let callee =
                which(&running.exports).ok_or_else(|| failed("the workload lacks an export"))?;
            match running.instance.call(callee, arguments) {
                Ok(answered) => {
                    self.fuel = self.fuel.saturating_add(answered.fuel);
                    self.running = Some(running);
                    return Ok(Ok(answered.value));
                }
                Err(error) => {
                    self.limits_passed += u32::from(error.limit.is_some());
                    if running.calls == 1 {
                        return Ok(Err(of_workload(error, running.instance.reports())));
                    }
                }
            }
        }
    }

    fn start(&self) -> Result<RunningWorkload, GuestError> {
        let unstarted = |error: GuestError| of_workload(error, &[]);
        let mut instance = self.prepared.instantiate().map_err(unstarted)?;
        let mut export = |name: &str| instance.callee(&[name.to_owned()]).map_err(unstarted);
        let exports = Exports {
            generate: export("generate")?,
            check: self.oracle.then(|| export("check")).transpose()?,
            assess: self.assesses.then(|| export("assess")).transpose()?,
        };
        Ok(RunningWorkload {
            instance,
            exports,
            calls: 0,
        })
    }
}

/// Parses a case of a file.
pub(super) fn read_case(
    case: &WaveCase,
    function: &str,
    ty: &CallTypes,
) -> Result<ReadCase, WrongCase> {
    let arguments = invoke::parse_call(&case.call, function, ty).map_err(|error| WrongCase {
        part: WrongPart::Call,
        reason: format!("call: {error}"),
    })?;
    let expect = case
        .expect
        .as_deref()
        .map(|text| invoke::parse_result(text, ty))
        .transpose();
    Ok(ReadCase {
        arguments: arguments.into(),
        expect: expect.map_err(|error| WrongCase {
            part: WrongPart::Expect,
            reason: format!("expect: {error}"),
        })?,
    })
}

fn compare(expect: Option<&Value>, answer: Option<&Value>) -> Judgement {
    match (expect, answer) {
        (None, _) => Judgement::Accepted,
        (Some(expect), Some(answer)) if expect.same_as(answer) => Judgement::Accepted,
        (Some(expect), answer) => Judgement::Refused(format!(
            "expected {}, got {}",
            invoke::render(expect),
            answer.map_or_else(|| "nothing".to_owned(), invoke::render)
        )),
    }
}

fn with_answer(arguments: &Arc<[Value]>, answer: Option<&Value>) -> Arc<[Value]> {
    arguments.iter().chain(answer).cloned().collect()
}

fn named_numbers(value: Option<Value>) -> Option<Vec<(String, f64)>> {
    let Val::List(items) = value?.to_val() else {
        return None;
    };
    items
        .into_iter()
        .map(|item| match item {
            Val::Tuple(pair) => match <[Val; 2]>::try_from(pair) {
                Ok([Val::String(name), Val::Float64(number)]) => Some((name, number)),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// Returns the numbers, or an error if there are too many or a name is too long.
fn bounded(numbers: Vec<(String, f64)>) -> Result<Vec<(String, f64)>, String> {
    if numbers.len() > ASSESSED_MAX {
        let count = numbers.len();
        return Err(format!(
            "it gave {count} numbers for one answer, and it may give {ASSESSED_MAX}"
        ));
    }
    if numbers
        .iter()
        .any(|(name, _)| name.len() > ASSESSED_NAME_BYTES_MAX)
    {
        Err(format!(
            "it gave a number a name of more than {ASSESSED_NAME_BYTES_MAX} bytes"
        ))
    } else {
        Ok(numbers)
    }
}

/// Returns the error as a failure of the workload, whatever its own class. Its message names the
/// limit that was exceeded, else the last report of a panic, else the error itself.
fn of_workload(error: GuestError, reports: &[String]) -> GuestError {
    if error.class.is_machine_fault() {
        return error;
    }
    let message = match (&error.limit, reports.last()) {
        (Some(limit), _) => format!("it {} ({limit})", error.message),
        (None, Some(report)) => report.clone(),
        (None, None) => error.message,
    };
    GuestError {
        class: FailureClass::WorkloadFailed,
        message,
        limit: error.limit,
    }
}

/// Returns the error of a function of the workload that failed on an answer.
fn unjudged(function: &str, answer: Option<&Value>, why: &str) -> GuestError {
    let shown = answer.map_or_else(|| "nothing".to_owned(), invoke::render);
    let message = format!("the workload's `{function}` failed on its answer {shown}: {why}");
    GuestError::new(FailureClass::UnjudgedAnswer, message)
}

fn failed(message: impl Into<String>) -> GuestError {
    GuestError::new(FailureClass::WorkloadFailed, message)
}
