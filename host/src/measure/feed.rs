//! Inside a runner: inputs from the workload, and its judgement of answers. Expected answers never
//! leave the host's or the workload's own store.

use super::protocol::{Arguments, Inputs, Opened, WaveCase};
use crate::invoke::{self, Callee, Value};
use crate::sandbox::{Breach, Guest, Imports, Instance, Prepared, Sandbox};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::CaseIndex;
use std::sync::Arc;
use wasmtime::component::Val;
use wasmtime::component::types::ComponentFunc;

/// Calls of a workload instance before it is replaced: what leaks in it stays bounded.
const CALLS_PER_INSTANCE: u32 = 256;

/// Numbers that `assess` may give for one answer, and bytes of the name of one: criteria are 32 at
/// most, and their names are for people.
const ASSESSED_MAX: usize = 64;
const ASSESSED_NAME_BYTES_MAX: usize = 256;

/// The source of inputs and judge of answers of one runner.
pub(super) enum Feed {
    /// The workload component.
    Workload(Box<Workload>),
    /// Parsed calls and expected answers.
    Cases(Vec<ReadCase>),
}

/// The workload component and how it is asked.
pub(super) struct Workload {
    prepared: Prepared,
    sizes: Vec<u32>,
    arguments: Arguments,
    oracle: bool,
    assesses: bool,
    running: Option<Running>,
}

struct Running {
    instance: Instance,
    exports: Exports,
    calls: u32,
}

struct Exports {
    generate: Callee<Guest>,
    check: Option<Callee<Guest>>,
    assess: Option<Callee<Guest>>,
}

/// A case of a file, with the types of the call.
pub(super) struct ReadCase {
    arguments: Arc<[Value]>,
    expect: Option<Value>,
}

/// What the oracle says of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Judgement {
    /// It is right, or nobody can tell.
    Accepted,
    /// It is wrong, and why.
    Refused(String),
}

impl Feed {
    /// Opens the source of inputs. `ty` is the call's type, for cases in WAVE.
    pub(super) fn open(
        opened: &Opened<'_>,
        sandbox: &Sandbox,
        ty: Option<&ComponentFunc>,
    ) -> Result<Self, Breach> {
        match &opened.request.inputs {
            Inputs::Generated {
                workload,
                sizes,
                arguments,
                oracle,
                assesses,
            } => {
                let bytes = opened.blob(*workload).map_err(failed)?;
                // SAFETY: the parent authenticated the bytes it sent.
                let prepared = unsafe { sandbox.prepare(bytes, Imports::Diagnostic) }?;
                Ok(Self::Workload(Box::new(Workload {
                    prepared,
                    sizes: sizes.clone(),
                    arguments: *arguments,
                    oracle: *oracle,
                    assesses: *assesses,
                    running: None,
                })))
            }
            Inputs::Cases(cases) => {
                let ty = ty.ok_or_else(|| failed("cases without a call to read them for"))?;
                let function = opened.request.call.last().map_or("", String::as_str);
                let read = cases
                    .iter()
                    .map(|case| read_case(case, function, ty).map_err(failed));
                Ok(Self::Cases(read.collect::<Result<_, _>>()?))
            }
        }
    }

    /// Whether anyone can tell a right answer from a wrong one.
    pub(super) fn has_oracle(&self) -> bool {
        match self {
            Self::Workload(workload) => workload.oracle,
            Self::Cases(cases) => cases.iter().all(|case| case.expect.is_some()),
        }
    }

    /// How many cases there are.
    pub(super) fn cases(&self) -> usize {
        match self {
            Self::Workload(workload) => workload.sizes.len(),
            Self::Cases(cases) => cases.len(),
        }
    }

    /// The arguments of a call. For a case of a file they do not depend on the seed.
    pub(super) fn arguments(&mut self, case: CaseIndex, seed: u64) -> Result<Arc<[Value]>, Breach> {
        match self {
            Self::Cases(cases) => Ok(Arc::clone(&cases[case].arguments)),
            Self::Workload(workload) => {
                let size = workload.sizes[case];
                let spread = workload.arguments;
                let value = workload.call(
                    |exports| Some(&exports.generate),
                    &[Value::U32(size), Value::U64(seed)].into(),
                )?;
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

    /// What the oracle says.
    pub(super) fn judge(
        &mut self,
        case: CaseIndex,
        arguments: &Arc<[Value]>,
        answer: Option<&Value>,
    ) -> Result<Judgement, Breach> {
        match self {
            Self::Cases(cases) => Ok(compare(cases[case].expect.as_ref(), answer)),
            Self::Workload(workload) if workload.oracle => {
                let value = workload.call(
                    |exports| exports.check.as_ref(),
                    &with_answer(arguments, answer),
                )?;
                match value {
                    Some(Value::Outcome(Ok(()))) => Ok(Judgement::Accepted),
                    Some(Value::Outcome(Err(why))) => Ok(Judgement::Refused(why)),
                    _ => Err(failed("`check` did not give a result<_, string>")),
                }
            }
            Self::Workload(_) => Ok(Judgement::Accepted),
        }
    }

    /// What the workload's `assess` says of an answer; nothing if it has none.
    pub(super) fn assess(
        &mut self,
        arguments: &Arc<[Value]>,
        answer: Option<&Value>,
    ) -> Result<Vec<(String, f64)>, Breach> {
        match self {
            Self::Workload(workload) if workload.assesses => {
                let value = workload.call(
                    |exports| exports.assess.as_ref(),
                    &with_answer(arguments, answer),
                )?;
                let numbers = named_numbers(value)
                    .ok_or_else(|| failed("`assess` did not give a list of names and numbers"))?;
                bounded(numbers)
            }
            _ => Ok(Vec::new()),
        }
    }
}

impl Workload {
    fn call(
        &mut self,
        which: impl Fn(&Exports) -> Option<&Callee<Guest>>,
        arguments: &Arc<[Value]>,
    ) -> Result<Option<Value>, Breach> {
        if self
            .running
            .as_ref()
            .is_none_or(|running| running.calls >= CALLS_PER_INSTANCE)
        {
            self.running = Some(self.start()?);
        }
        let Some(mut running) = self.running.take() else {
            return Err(failed("the workload is not running"));
        };
        running.calls += 1;
        let callee =
            which(&running.exports).ok_or_else(|| failed("the workload lacks an export"))?;
        let answered = match running.instance.call(callee, arguments) {
            Ok(answered) => answered,
            Err(breach) => return Err(blamed(breach, running.instance.reports())),
        };
        self.running = Some(running);
        Ok(answered.value)
    }

    fn start(&self) -> Result<Running, Breach> {
        let mut instance = self
            .prepared
            .instantiate()
            .map_err(|breach| blamed(breach, &[]))?;
        let mut export = |name: &str| {
            instance
                .callee(&[name.to_owned()])
                .map_err(|breach| blamed(breach, &[]))
        };
        let exports = Exports {
            generate: export("generate")?,
            check: self.oracle.then(|| export("check")).transpose()?,
            assess: self.assesses.then(|| export("assess")).transpose()?,
        };
        Ok(Running {
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
    ty: &ComponentFunc,
) -> Result<ReadCase, String> {
    let arguments = invoke::parse_call(&case.call, function, ty)
        .map_err(|error| format!("call: {error}"))?
        .into();
    let expect = case
        .expect
        .as_deref()
        .map(|text| invoke::parse_result(text, ty))
        .transpose();
    Ok(ReadCase {
        arguments,
        expect: expect.map_err(|error| format!("expect: {error}"))?,
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
    let Some(Value::Other(Val::List(items))) = value else {
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

/// Refuses more numbers than anybody reads.
fn bounded(numbers: Vec<(String, f64)>) -> Result<Vec<(String, f64)>, Breach> {
    if numbers.len() > ASSESSED_MAX {
        let count = numbers.len();
        return Err(failed(format!(
            "`assess` gave {count} numbers for one answer, and it may give {ASSESSED_MAX}"
        )));
    }
    match numbers
        .iter()
        .any(|(name, _)| name.len() > ASSESSED_NAME_BYTES_MAX)
    {
        true => Err(failed(format!(
            "`assess` gave a number a name of more than {ASSESSED_NAME_BYTES_MAX} bytes"
        ))),
        false => Ok(numbers),
    }
}

/// A failure of the workload, whatever its own class: no variant is to blame. What it reported of a
/// panic says more than the trap that follows.
fn blamed(breach: Breach, reports: &[String]) -> Breach {
    let message = match (&breach.limit, reports.last()) {
        (Some(limit), _) => format!("it {} ({limit})", breach.message),
        (None, Some(report)) => report.clone(),
        (None, None) => breach.message,
    };
    Breach {
        class: FailureClass::WorkloadFailed,
        message,
        limit: breach.limit,
    }
}

fn failed(message: impl Into<String>) -> Breach {
    Breach::new(FailureClass::WorkloadFailed, message)
}
