//! In the child: carrying out a build task.

use super::build_protocol::{
    BuildEvent, BuildKind, BuildPlace, BuildStage, BuildTask, ComponentSummary, ROLE, TaskInput,
};
use super::failures::{build_failure, cut, load_failure};
use super::glue::{COMPLETIONS_IMPORT, DIAGNOSTIC_IMPORT, EVALUATOR_IMPORT};
use super::logical_lines::logical_lines;
use super::{
    c, calibrator, component, coverage, glue, inspect, layout, own_world, reserve, rustc, unasked,
    world_check,
};
use crate::engine::{self, Profile};
use bakeoff_confine::{Frames, Role, cpu_time};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::language::Language;
use bakeoff_source::interface::{Interface, World};
use std::time::Duration;

/// Returns the role of builder children. A binary that starts them passes it to
/// [`enter_if_child`](bakeoff_confine::enter_if_child).
pub fn builder_role() -> Role {
    Role {
        before_fence: Role::nothing,
        name: ROLE,
        run: serve,
    }
}

/// Splits a payload into a task and the bytes that follow it.
pub(super) fn read_task(payload: &[u8]) -> Result<(BuildTask, &[u8]), String> {
    let (length, rest) = payload
        .split_first_chunk()
        .ok_or("the task has no length")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|error| error.to_string())?;
    let (task, bytes) = rest.split_at_checked(length).ok_or("the task is cut off")?;
    let task = postcard::from_bytes(task).map_err(|error| error.to_string())?;
    Ok((task, bytes))
}

fn serve(payload: &[u8], frames: &mut Frames) -> Result<(), String> {
    let (task, bytes) = read_task(payload)?;
    let mut unsent = Ok(());
    let mut emit = |event| {
        let sent = send(frames, &event);
        if unsent.is_ok() {
            unsent = sent;
        }
    };
    let product = carry_out(task, bytes, &mut emit);
    unsent?;
    match product {
        Err(failure) => send(frames, &failure.into()),
        Ok(product) => {
            send(frames, &BuildEvent::Done(product.summary))?;
            for blob in [product.component, product.checked]
                .iter()
                .chain(&product.timed)
                .chain(&product.coverage)
            {
                frames.send(blob).map_err(|error| error.to_string())?;
            }
            Ok(())
        }
    }
}

fn send(frames: &mut Frames, event: &BuildEvent) -> Result<(), String> {
    let bytes = postcard::to_stdvec(event).map_err(|error| error.to_string())?;
    frames.send(&bytes).map_err(|error| error.to_string())
}

/// The output of a build.
pub(super) struct BuildProduct {
    pub(super) summary: ComponentSummary,
    pub(super) component: Vec<u8>,
    pub(super) checked: Vec<u8>,
    pub(super) timed: Vec<Vec<u8>>,
    /// The encoded map of a build for coverage.
    pub(super) coverage: Option<Vec<u8>>,
}

/// Carries out a build task. `bytes` is the component that a user brought, if the task is about one.
pub(super) fn carry_out(
    mut task: BuildTask,
    bytes: &[u8],
    emit: &mut dyn FnMut(BuildEvent),
) -> Result<BuildProduct, Failure> {
    emit(BuildEvent::Stage(BuildStage::Source));
    let interface = match Interface::of_own_world(task.world) {
        Some(own) => own,
        None => Interface::parse(task.files.clone(), &task.call)
            .map_err(|error| build_failure(FailureClass::BuildFailed, error.to_string()))?,
    };
    match task.world {
        World::Evaluator => task.granted.push(EVALUATOR_IMPORT.to_owned()),
        World::Proposer => task.granted.push(COMPLETIONS_IMPORT.to_owned()),
        World::Prototype | World::Workload | World::Aggregator => {}
    }
    // A diagnostic build reports its panics to this import, also if it was built earlier and comes as
    // a component.
    if task.kind == BuildKind::Diagnostic {
        task.granted.push(DIAGNOSTIC_IMPORT.to_owned());
    }
    let source_lines = match &task.code {
        TaskInput::Source { text, .. } => Some(logical_lines(text)),
        TaskInput::Component | TaskInput::NoOp => None,
    };
    // A component that a user brings may do anything when it is asked for memory.
    let mut our_allocator = false;
    let component = match &task.code {
        TaskInput::Source {
            text,
            place,
            language: language @ (Language::C | Language::Cpp | Language::Zig),
        } => {
            let place = place.as_ref().ok_or_else(no_compiler)?;
            let compiled = c::compile(&interface, &task, (text, *language), place)?;
            our_allocator = compiled.our_allocator;
            compiled.component
        }
        TaskInput::Source { text, place, .. } => {
            let BuildPlace {
                compiler, scratch, ..
            } = &**place.as_ref().ok_or_else(no_compiler)?;
            unasked::check(&interface, &task, text)?;
            let compiled = rustc::compile(&interface, &task, text, compiler, scratch)?;
            our_allocator = !compiled.own_allocator && component::has_one_realloc(&compiled.module);
            component::componentise(&compiled.module)?
        }
        TaskInput::NoOp => {
            let (resolve, world) = interface.resolved(task.world).ok_or_else(|| {
                build_failure(FailureClass::BuildFailed, "the interface lacks this world")
            })?;
            component::componentise_as(calibrator::module(resolve, world), resolve, world)?
        }
        TaskInput::Component if component::is_module(bytes) => {
            inspect::inspect_module(bytes, &task.path_shown)?;
            component::componentise_brought(bytes, &interface, &task)?
        }
        TaskInput::Component => bytes.to_vec(),
    };
    let source_cpu = match task.code {
        TaskInput::Component => Duration::ZERO,
        _ => cpu_time::own_and_children(),
    };
    emit(BuildEvent::Stage(BuildStage::Component));
    let sizes = inspect::inspect(&component, &task.path_shown)?;
    if task.world.is_own() {
        own_world::check(&component, &interface, &task)?;
    }
    let types = world_check::check(&component, &interface, &task)?;
    let (component, coverage) = match task.kind {
        BuildKind::Coverage => with_marks(&component, &task)?,
        BuildKind::Release | BuildKind::Diagnostic => (component, None),
    };
    let checked = engine::precompile(Profile::Checked, &component)
        .map_err(|error| compile_failure(&error, &task))?;
    let timed = precompile_timed(&component, &task)?;
    let summary = ComponentSummary {
        imports: types.imports,
        exports: types.exports,
        functions: sizes.functions,
        function_bytes_max: sizes.function_bytes_max,
        locals_max: sizes.locals_max,
        our_allocator,
        layouts: timed.len() as u32,
        source_cpu,
        cpu: cpu_time::own_and_children(),
        source_lines,
        recodes: sizes.recodes && interface.call().function.has_strings(),
    };
    Ok(BuildProduct {
        summary,
        component,
        checked,
        timed,
        coverage,
    })
}

/// Puts marks into the code of a component; with the encoded map of its points.
fn with_marks(component: &[u8], task: &BuildTask) -> Result<(Vec<u8>, Option<Vec<u8>>), Failure> {
    let files: &[&str] = match &task.code {
        TaskInput::Source { language, .. } => match language {
            Language::Rust => &[glue::user_file(task.world)],
            Language::C => &[c::SOURCE_C],
            Language::Cpp => &[c::SOURCE_CPP],
            Language::Zig => &[c::SOURCE_ZIG],
        },
        TaskInput::Component | TaskInput::NoOp => &[],
    };
    let failed = |why: String| {
        let message = format!("{}: its code cannot be marked: {why}", task.path_shown);
        load_failure(FailureClass::LoadCompileLimit, cut(&message))
    };
    let marked = coverage::marked(component, files).map_err(failed)?;
    let map = postcard::to_stdvec(&marked.map).map_err(|error| failed(error.to_string()))?;
    Ok((marked.component, Some(map)))
}

fn no_compiler() -> Failure {
    build_failure(FailureClass::MachineFailed, "there is no compiler to use")
}

/// Compiles the code that is timed, in several layouts. Only prototypes are timed.
fn precompile_timed(component: &[u8], task: &BuildTask) -> Result<Vec<Vec<u8>>, Failure> {
    if task.world != World::Prototype || task.kind != BuildKind::Release {
        return Ok(Vec::new());
    }
    let versions = match task.code {
        // Its time is subtracted from all variants alike.
        TaskInput::NoOp => 1,
        _ => layout::versions(component),
    };
    let component = &*reserve::in_advance(component, task.memory_bytes);
    let laid_out = (0..versions as u64)
        .filter(|_| versions > 1)
        .map(|number| layout::version(component, number));
    let compiled = match laid_out.collect::<Result<Vec<_>, _>>() {
        // A component that cannot be re-encoded is timed as it is.
        Ok(laid_out) if !laid_out.is_empty() => engine::precompile_all(Profile::Timed, &laid_out),
        _ => engine::precompile_all(Profile::Timed, &[component]),
    };
    compiled.map_err(|error| compile_failure(&error, task))
}

fn compile_failure(error: &wasmtime::Error, task: &BuildTask) -> Failure {
    let reason = format!("{error:#}");
    let limits = ["Compilation error", "limit exceeded", "too large"];
    let class = if limits.iter().any(|words| reason.contains(words)) {
        FailureClass::LoadCompileLimit
    } else {
        FailureClass::InvalidComponent
    };
    let message = format!("{} cannot be compiled: {reason}", task.path_shown);
    load_failure(class, cut(&message))
}
