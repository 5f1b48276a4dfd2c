//! Inside a runner: the role of a child process that runs guests.

use super::feed::{self, Feed};
use super::gate::{self, Gate, Halt};
use super::protocol::{GateSeeds, Inputs, Opened, Reply, Task};
use super::replica::{Replica, Stop};
use crate::confine::{Frames, Role};
use crate::engine::Profile;
use crate::sandbox::{Breach, Imports, Prepared, Sandbox};
use bakeoff_domain::spec::Limits;

/// Bytes of one input, as the host holds it.
const INPUT_BYTES_MAX: u64 = 256 << 20;

/// The name under which the parent asks for this role.
pub const ROLE: &str = "runner";

/// The role for [`crate::confine::enter_if_child`].
pub fn role() -> Role {
    Role { name: ROLE, run }
}

fn run(message: &[u8], frames: &mut Frames) -> Result<(), String> {
    let opened = Opened::read(message)?;
    let mut say = |reply: &Reply| -> Result<(), String> {
        let bytes = postcard::to_stdvec(reply).map_err(|error| error.to_string())?;
        frames.send(&bytes).map_err(|error| error.to_string())
    };
    let limits = opened.request.limits;
    let engine = |profile| Sandbox::new(profile, limits).map_err(|error| format!("{error:#}"));
    let checked = engine(Profile::Checked)?;
    let workload = checked.with_limits(workload_limits(limits));
    match &opened.request.task {
        Task::ReadCases { component } => {
            let results = read_cases(&opened, &checked, *component)?;
            say(&Reply::Cases(results))
        }
        Task::Gate {
            component,
            files,
            seeds,
        } => {
            let bytes = opened.blob(*component)?;
            let imports = opened.imports(*files)?;
            // SAFETY: the parent authenticated the bytes it sent.
            let passed = match unsafe { checked.prepare(bytes, imports) } {
                Err(breach) => Err((Halt::Breach(breach), Vec::new())),
                Ok(prepared) => {
                    let passed = pass_gate(&opened, &prepared, &workload, *seeds, &mut say);
                    say(&Reply::Attempted(prepared.attempts()))?;
                    passed
                }
            };
            match passed {
                Ok(()) => Ok(()),
                Err((Halt::Channel(error), _)) => Err(error),
                Err((Halt::Breach(breach), calls)) => {
                    let workload =
                        breach.class == bakeoff_domain::failure::FailureClass::WorkloadFailed;
                    say(&Reply::Failed {
                        variant: (!workload).then_some(0),
                        calls,
                        breach,
                    })
                }
            }
        }
        Task::Diagnose { component, calls } => {
            let reports = gate::diagnose(&opened, &checked, &workload, *component, calls)?;
            say(&Reply::Diagnosis(reports))
        }
        Task::Replica(task) => {
            let timed = engine(Profile::Timed)?;
            let outcome =
                Replica::load(&opened, task, &workload, &timed, &mut say).and_then(Replica::run);
            match outcome {
                Ok(()) => Ok(()),
                Err(Stop::Channel(error)) => Err(error),
                Err(Stop::Blamed(blamed)) => blamed.into_iter().try_for_each(|blame| {
                    say(&Reply::Failed {
                        variant: blame.variant,
                        calls: blame.calls,
                        breach: blame.breach,
                    })
                }),
            }
        }
    }
}

/// What a workload's call may use: as a prototype's, but what it gives are inputs, which are larger
/// than answers.
fn workload_limits(limits: Limits) -> Limits {
    Limits {
        output_bytes: limits.output_bytes.max(INPUT_BYTES_MAX),
        ..limits
    }
}

type Calls = Vec<gate::Call>;

fn pass_gate(
    opened: &Opened<'_>,
    prepared: &Prepared,
    workload: &Sandbox,
    seeds: GateSeeds,
    say: &mut dyn FnMut(&Reply) -> Result<(), String>,
) -> Result<(), (Halt, Calls)> {
    let unstarted = |breach: Breach| (Halt::Breach(breach), Vec::new());
    let call = opened.request.call.as_slice();
    let starting = Reply::About {
        case: 0,
        doing: super::protocol::Doing::Calling {
            variant: 0,
            calls: 1,
        },
    };
    say(&starting).map_err(|error| (Halt::Channel(error), Vec::new()))?;
    let ty = {
        let mut instance = prepared.instantiate().map_err(unstarted)?;
        instance.callee(call).map_err(unstarted)?.ty().clone()
    };
    let mut feed = Feed::open(opened, workload, Some(&ty)).map_err(unstarted)?;
    let mut gate = Gate {
        prepared,
        call,
        feed: &mut feed,
        seeds,
        say,
        made: Vec::new(),
    };
    gate.run()
        .map_err(|halt| (halt, std::mem::take(&mut gate.made)))
}

fn read_cases(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    component: super::protocol::Blob,
) -> Result<Vec<Result<(), String>>, String> {
    let Inputs::Cases(cases) = &opened.request.inputs else {
        return Err("no cases to read".to_owned());
    };
    let text = |breach: Breach| breach.message;
    // SAFETY: the parent authenticated the bytes it sent.
    let prepared =
        unsafe { sandbox.prepare(opened.blob(component)?, Imports::None) }.map_err(text)?;
    let mut instance = prepared.instantiate().map_err(text)?;
    let callee = instance.callee(&opened.request.call).map_err(text)?;
    let function = opened.request.call.last().map_or("", String::as_str);
    Ok(cases
        .iter()
        .map(|case| feed::read_case(case, function, callee.ty()).map(drop))
        .collect())
}
