//! The runner: the role of a child process that runs guests.

use super::aggregator;
use super::check_budget::CheckBudget;
use super::checked_case::Rehearsal;
use super::evaluator;
use super::gate::{self, Gate, Halt};
use super::oracle;
use super::proposer;
use super::protocol::{EvaluateTask, GateSecrets, Inputs, Opened, Reply, Task};
use super::rehearsal::Rehearse;
use super::repeat;
use super::replica::Replica;
use super::stop::Stop;
use super::wave_case::WrongCase;
use super::workload::{self, Workload};
use bakeoff_compile::engine::{self, Profile};
use bakeoff_confine::{Frames, Role};
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::{GuestError, Imports, PreparedComponent, Sandbox};

/// The most bytes of one input, as the host holds it.
const INPUT_BYTES_MAX: u64 = 256 << 20;

/// The most units of fuel of one call of the workload, even if a prototype's call may have more: an oracle that never
/// ends on an answer runs out of it before its runner runs out of time.
const WORKLOAD_FUEL_MAX: u64 = 20_000_000_000;

/// The name of the role, which the parent passes to the child process.
pub const ROLE: &str = "runner";

/// Returns the role for [`bakeoff_confine::enter_if_child`].
pub fn role() -> Role {
    Role {
        name: ROLE,
        before_fence,
        run,
    }
}

/// Opens the kernel's list of written pages, by which instances are reset, and asks for pages of one size: resetting
/// one of 2 MiB costs as much as 512 small ones.
fn before_fence() {
    engine::can_list_written_pages();
    // SAFETY: the request takes no pointer. Kernels that do not know it have nothing to turn off.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
}

fn run(message: &[u8], frames: &mut Frames) -> Result<(), String> {
    let opened = Opened::read(message)?;
    let limits = opened.request.limits;
    let engine = |profile| Sandbox::new(profile, limits).map_err(|error| format!("{error:#}"));
    let checked = engine(Profile::Checked)?;
    let workload = checked.with_limits(workload_limits(limits));
    match &opened.request.task {
        Task::ReadCases { component } => {
            let results = read_cases(&opened, &checked, *component)?;
            Reply::Cases(results).send(frames)
        }
        Task::Gate {
            component,
            files,
            secrets,
            repeats_fuel,
        } => {
            let bytes = opened.blob(*component)?;
            let imports = opened.imports(*files)?;
            // SAFETY: the parent authenticated the bytes it sent.
            let passed = match unsafe { checked.prepare(bytes, imports) } {
                Err(error) => Err((Halt::GuestError(error), Vec::new())),
                Ok(prepared) => {
                    let passed = in_gate(&opened, &prepared, &workload, *secrets, frames, |gate| {
                        gate.budget.bound_repeats(*repeats_fuel);
                        checked_and_rehearsed(gate)
                    });
                    Reply::Attempted(prepared.attempts()).send(frames)?;
                    passed
                }
            };
            ended(passed, frames)
        }
        Task::Assess {
            component,
            files,
            secret,
        } => {
            let bytes = opened.blob(*component)?;
            let imports = opened.imports(*files)?;
            let secrets = GateSecrets {
                cases: *secret,
                rehearsal: *secret,
            };
            // SAFETY: the parent authenticated the bytes it sent.
            let prepared = unsafe { checked.prepare(bytes, imports) }
                .map_err(|error| (Halt::GuestError(error), Vec::new()));
            let assess = |gate: &mut Gate<'_>| gate.assess(secret);
            let assessed = prepared.and_then(|prepared| {
                in_gate(&opened, &prepared, &workload, secrets, frames, assess)
            });
            ended(assessed, frames)
        }
        Task::Diagnose {
            component,
            files,
            calls,
        } => {
            let build = (*component, *files);
            let reports = gate::diagnose(&opened, &checked, &workload, build, calls)?;
            Reply::Diagnosis(reports).send(frames)
        }
        Task::Describe { evaluator } => evaluator::describe(&opened, &checked, *evaluator, frames),
        Task::Aggregate { aggregator, report } => {
            aggregator::aggregate(&opened, &checked, *aggregator, *report, frames)
        }
        Task::Propose {
            proposer,
            task,
            completions,
        } => {
            let told = (task, completions);
            proposer::propose(&opened, &checked, *proposer, told, frames)
        }
        Task::Evaluate(task) => evaluate(&opened, task, &checked, &workload, frames),
        Task::Repeat(task) => repeat::run(&opened, &checked, &workload, task, frames),
        Task::TestOracle(task) => oracle::run(&opened, &checked, &workload, task, frames),
        Task::Replica(task) => {
            // The calibrator has instances too.
            let components = task.plan.load_order.len() + 1;
            let timed = Sandbox::pooled(limits, components, task.resident_bytes)
                .map_err(|error| format!("{error:#}"))?;
            let outcome =
                Replica::load(&opened, task, &workload, &timed, frames).and_then(Replica::run);
            match outcome {
                Ok(()) => Ok(()),
                Err(Stop::Channel(error)) => Err(error),
                Err(Stop::Blamed(blamed)) => blamed.into_iter().try_for_each(|blame| {
                    let failed = Reply::Failed {
                        variant: blame.variant,
                        calls: blame.calls,
                        error: blame.error,
                    };
                    failed.send(frames)
                }),
            }
        }
    }
}

/// Calls the variant on many inputs if its answers are wanted, and then the evaluator.
fn evaluate(
    opened: &Opened<'_>,
    task: &EvaluateTask,
    checked: &Sandbox,
    workload: &Sandbox,
    frames: &mut Frames,
) -> Result<(), String> {
    let mut evidence = task.evidence.clone();
    if let Some(component) = task.component {
        let bytes = opened.blob(component)?;
        let imports = opened.imports(task.files)?;
        let secrets = GateSecrets {
            cases: task.secret,
            rehearsal: task.secret,
        };
        // SAFETY: the parent authenticated the bytes it sent.
        let prepared = unsafe { checked.prepare(bytes, imports) }
            .map_err(|error| (Halt::GuestError(error), Vec::new()));
        let answers = &mut evidence.answers;
        let collect = |gate: &mut Gate<'_>| {
            *answers = gate.collect(&task.secret)?;
            Ok(())
        };
        let collected = prepared
            .and_then(|prepared| in_gate(opened, &prepared, workload, secrets, frames, collect));
        if collected.is_err() {
            return ended(collected, frames);
        }
    }
    evaluator::evaluate(opened, checked, task.evaluator, evidence, frames)
}

/// Returns the limits of a workload's call: those of a prototype's, except that it returns inputs,
/// which are larger than answers, and that its fuel has a bound of its own.
fn workload_limits(limits: Limits) -> Limits {
    Limits {
        fuel: limits.fuel.min(WORKLOAD_FUEL_MAX),
        output_bytes: limits.output_bytes.max(INPUT_BYTES_MAX),
        ..limits
    }
}

type Calls = Vec<gate::Call>;

/// Sends the failure that ended a gate, if there was one.
fn ended(end: Result<(), (Halt, Calls)>, frames: &mut Frames) -> Result<(), String> {
    match end {
        Ok(()) => Ok(()),
        Err((Halt::Channel(error), _)) => Err(error),
        Err((Halt::GuestError(error), calls)) => {
            let workload = error.class == bakeoff_domain::failure::FailureClass::WorkloadFailed;
            let failed = Reply::Failed {
                variant: (!workload).then_some(0),
                calls,
                error,
            };
            failed.send(frames)
        }
    }
}

/// Opens a gate for one variant, and runs `act` in it.
fn in_gate(
    opened: &Opened<'_>,
    prepared: &PreparedComponent,
    workload_sandbox: &Sandbox,
    secrets: GateSecrets,
    frames: &mut Frames,
    act: impl FnOnce(&mut Gate<'_>) -> Result<(), Halt>,
) -> Result<(), (Halt, Calls)> {
    let unstarted = |error: GuestError| (Halt::GuestError(error), Vec::new());
    let call = opened.request.call.as_slice();
    gate::CALLING.announce(0, frames);
    let ty = {
        let mut instance = prepared.instantiate().map_err(unstarted)?;
        instance.callee(call).map_err(unstarted)?.ty().clone()
    };
    let mut workload = Workload::open(opened, workload_sandbox, Some(&ty)).map_err(unstarted)?;
    let budget = match workload.has_instances() {
        true => CheckBudget::of_set(&opened.request.limits),
        false => CheckBudget::new(&opened.request.limits),
    };
    let mut gate = Gate {
        prepared,
        call,
        workload: &mut workload,
        secrets,
        frames,
        budget,
        made: Vec::new(),
        first_input: None,
    };
    act(&mut gate).map_err(|halt| (halt, std::mem::take(&mut gate.made)))
}

/// Checks every case, then rehearses the calls of a whole replica, unless calls are so long that one more
/// on each case, and its repetition, would take more than checks may.
fn checked_and_rehearsed(gate: &mut Gate<'_>) -> Result<(), Halt> {
    let fuel = gate.run()?;
    let secret = gate.secrets.rehearsal;
    let round = fuel
        .iter()
        .fold(0_u64, |sum, fuel| sum.saturating_add(*fuel));
    let rehearsal = match gate.can_rehearse(round) {
        true => Rehearse::new(gate).run(&fuel, secret)?,
        false => Rehearsal::default(),
    };
    gate.say(&Reply::Rehearsed(rehearsal))
}

fn read_cases(
    opened: &Opened<'_>,
    sandbox: &Sandbox,
    component: super::protocol::Blob,
) -> Result<Vec<Result<(), WrongCase>>, String> {
    let Inputs::Cases(cases) = &opened.request.inputs else {
        return Err("no cases to read".to_owned());
    };
    let text = |error: GuestError| error.message;
    // SAFETY: the parent authenticated the bytes it sent.
    let prepared =
        unsafe { sandbox.prepare(opened.blob(component)?, Imports::None) }.map_err(text)?;
    let mut instance = prepared.instantiate().map_err(text)?;
    let callee = instance.callee(&opened.request.call).map_err(text)?;
    let function = opened.request.call.last().map_or("", String::as_str);
    Ok(cases
        .iter()
        .map(|case| workload::read_case(case, function, callee.ty()).map(drop))
        .collect())
}
