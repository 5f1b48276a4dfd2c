//! Work of the child: carrying out a build task.

use super::build_protocol::{
    BuildEvent, BuildKind, BuildPlace, BuildStage, BuildTask, ComponentSummary, ROLE, TaskInput,
};
use super::failures::{build_failure, cut, load_failure};
use super::glue::{COMPLETIONS_IMPORT, DIAGNOSTIC_IMPORT, EVALUATOR_IMPORT};
use super::logical_lines::logical_lines;
use super::source_functions::SourceFunctions;
use super::{
    c, calibrator, component, coverage, function_fuel, glue, inspect, layout, own_world, reserve,
    rustc, uncalled_functions, world_check,
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
                .chain(&product.map)
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
    /// The encoded map of a build whose code leaves marks.
    pub(super) map: Option<Vec<u8>>,
}

/// Carries out a build task. `bytes` is the component that a user brought, if the task is about one.
pub(super) fn carry_out(
    mut task: BuildTask,
    bytes: &[u8],
    emit: &mut dyn FnMut(BuildEvent),
) -> Result<BuildProduct, Failure> {
    if let TaskInput::Finished = task.code {
        return compile_finished(bytes, &task, emit);
    }
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
        TaskInput::Source { text, .. } | TaskInput::BuiltElsewhere { text, .. } => {
            Some(logical_lines(text))
        }
        TaskInput::Component | TaskInput::Finished | TaskInput::NoOp => None,
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
            uncalled_functions::check(&interface, &task, text)?;
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
        TaskInput::BuiltElsewhere {
            our_allocator: as_said,
            ..
        } => {
            our_allocator = *as_said;
            bytes.to_vec()
        }
        TaskInput::Component | TaskInput::Finished => bytes.to_vec(),
    };
    let source_cpu = match task.code {
        TaskInput::Component | TaskInput::BuiltElsewhere { .. } => Duration::ZERO,
        _ => cpu_time::own_and_children(),
    };
    emit(BuildEvent::Stage(BuildStage::Component));
    let sizes = inspect::inspect(&component, &task.path_shown)?;
    if task.world.is_own() {
        own_world::check(&component, &interface, &task)?;
    }
    let types = world_check::check(&component, &interface, &task)?;
    let (component, map) = match task.kind {
        BuildKind::Coverage | BuildKind::FunctionFuel => with_marks(&component, &task)?,
        BuildKind::Release | BuildKind::Diagnostic => (component, None),
    };
    let (checked, timed) = if task.code_is_wanted {
        let checked = engine::precompile(Profile::Checked, &component);
        let checked = checked.map_err(|error| compile_failure(&error, &task))?;
        (checked, precompile_timed(&component, &task)?)
    } else {
        (Vec::new(), Vec::new())
    };
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
        map,
    })
}

/// Compiles a finished component for the checked profile, and for the timed one if it is told the memory that is reserved
/// there in advance.
fn compile_finished(
    component: &[u8],
    task: &BuildTask,
    emit: &mut dyn FnMut(BuildEvent),
) -> Result<BuildProduct, Failure> {
    emit(BuildEvent::Stage(BuildStage::Component));
    let sizes = inspect::inspect(component, &task.path_shown)?;
    let checked = engine::precompile(Profile::Checked, component)
        .map_err(|error| compile_failure(&error, task))?;
    let timed = if task.memory_bytes > 0 {
        precompile_timed(component, task)?
    } else {
        Vec::new()
    };
    let summary = ComponentSummary {
        imports: Vec::new(),
        exports: Vec::new(),
        functions: sizes.functions,
        function_bytes_max: sizes.function_bytes_max,
        locals_max: sizes.locals_max,
        our_allocator: false,
        layouts: timed.len() as u32,
        source_cpu: Duration::ZERO,
        cpu: Duration::ZERO,
        source_lines: None,
        recodes: false,
    };
    Ok(BuildProduct {
        summary,
        component: Vec::new(),
        checked,
        timed,
        map: None,
    })
}

/// Puts the marks of a kind of build into the code of a component; with the encoded map of its points.
fn with_marks(component: &[u8], task: &BuildTask) -> Result<(Vec<u8>, Option<Vec<u8>>), Failure> {
    let source = match &task.code {
        TaskInput::Source { language, text, .. } => Some((*language, text)),
        TaskInput::Component
        | TaskInput::Finished
        | TaskInput::BuiltElsewhere { .. }
        | TaskInput::NoOp => None,
    };
    let file = source.map(|(language, _)| match language {
        Language::Rust => glue::user_file(task.world),
        Language::C => c::SOURCE_C,
        Language::Cpp => c::SOURCE_CPP,
        Language::Zig => c::SOURCE_ZIG,
    });
    let failed = |why: String| {
        let message = format!("{}: its code cannot be marked: {why}", task.path_shown);
        load_failure(FailureClass::LoadCompileLimit, cut(&message))
    };
    let (component, map) = if task.kind == BuildKind::FunctionFuel {
        let functions = match source {
            Some((Language::Rust, text)) => SourceFunctions::of_rust(text),
            _ => SourceFunctions::by_compiler(),
        };
        let counted = function_fuel::with_counters(component, file.as_slice(), functions);
        let (component, map) = counted.map_err(failed)?;
        (component, postcard::to_stdvec(&map))
    } else {
        let marked = coverage::with_marks(component, file.as_slice());
        let (component, map) = marked.map_err(failed)?;
        (component, postcard::to_stdvec(&map))
    };
    let map = map.map_err(|error| failed(error.to_string()))?;
    Ok((component, Some(map)))
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
