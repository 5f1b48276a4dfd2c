//! In the child: from an order to what it becomes.

use super::builder::ROLE;
use super::glue::DIAGNOSTIC_IMPORT;
use super::order::{Code, Event, Facts, Kind, Order, Stage, build_failure, load_failure};
use super::{calibrator, compile, component, inspect, layout, world};
use crate::confine::{Frames, Role};
use crate::engine::{self, Profile};
use crate::interface::{Interface, World};
use bakeoff_domain::failure::{Failure, FailureClass};
use std::time::Duration;

/// The role of builder children: to be handed to [`enter_if_child`](crate::confine::enter_if_child)
/// by a binary that starts them.
pub fn builder_role() -> Role {
    Role {
        name: ROLE,
        run: serve,
    }
}

/// An order, and the bytes that follow it.
pub(super) fn read_order(payload: &[u8]) -> Result<(Order, &[u8]), String> {
    let (length, rest) = payload
        .split_first_chunk()
        .ok_or("the order has no length")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|error| error.to_string())?;
    let (order, bytes) = rest
        .split_at_checked(length)
        .ok_or("the order is cut off")?;
    let order = postcard::from_bytes(order).map_err(|error| error.to_string())?;
    Ok((order, bytes))
}

fn serve(payload: &[u8], frames: &mut Frames) -> Result<(), String> {
    let (order, bytes) = read_order(payload)?;
    let mut unsent = Ok(());
    let mut tell = |event| {
        let sent = send(frames, &event);
        if unsent.is_ok() {
            unsent = sent;
        }
    };
    let product = carry_out(order, bytes, &mut tell);
    unsent?;
    match product {
        Err(Failure {
            class,
            message,
            phase,
            limit,
        }) => send(
            frames,
            &Event::Failed {
                class,
                message,
                phase,
                limit,
            },
        ),
        Ok(product) => {
            send(frames, &Event::Done(product.facts))?;
            for blob in [product.component, product.checked]
                .iter()
                .chain(&product.timed)
            {
                frames.send(blob).map_err(|error| error.to_string())?;
            }
            Ok(())
        }
    }
}

fn send(frames: &mut Frames, event: &Event) -> Result<(), String> {
    let bytes = postcard::to_stdvec(event).map_err(|error| error.to_string())?;
    frames.send(&bytes).map_err(|error| error.to_string())
}

/// What came out of an order.
pub(super) struct Product {
    pub(super) facts: Facts,
    pub(super) component: Vec<u8>,
    pub(super) checked: Vec<u8>,
    pub(super) timed: Vec<Vec<u8>>,
}

/// Carries out an order. `bytes` is the component that a user brought, if that is what is ordered.
pub(super) fn carry_out(
    mut order: Order,
    bytes: &[u8],
    tell: &mut dyn FnMut(Event),
) -> Result<Product, Failure> {
    tell(Event::Stage(Stage::Source));
    let interface = Interface::parse(order.files.clone(), &order.call)
        .map_err(|error| build_failure(FailureClass::BuildFailed, error.to_string()))?;
    // What a diagnostic build reports its panics to, also where that build was made earlier and comes
    // back as a component.
    if order.kind == Kind::Diagnostic {
        order.granted.push(DIAGNOSTIC_IMPORT.to_owned());
    }
    let component = match &order.code {
        Code::Source {
            text,
            compiler,
            scratch,
        } => {
            let module = compile::compile(&interface, &order, text, compiler, scratch)?;
            component::componentise(&module)?
        }
        Code::NoOp => {
            let (resolve, world) = interface.resolved(order.world).ok_or_else(|| {
                build_failure(FailureClass::BuildFailed, "the interface lacks this world")
            })?;
            component::componentise_as(calibrator::module(resolve, world), resolve, world)?
        }
        Code::Component => bytes.to_vec(),
    };
    let source_cpu = match order.code {
        Code::Component => Duration::ZERO,
        _ => cpu_used(),
    };
    tell(Event::Stage(Stage::Component));
    let sizes = inspect::inspect(&component, &order.path_shown)?;
    let ports = world::check(&component, &interface, &order)?;
    let checked = engine::precompile(Profile::Checked, &component)
        .map_err(|error| not_compiled(&error, &order))?;
    let timed = precompile_timed(&component, &order)?;
    let facts = Facts {
        imports: ports.imports,
        exports: ports.exports,
        functions: sizes.functions,
        function_bytes_max: sizes.function_bytes_max,
        locals_max: sizes.locals_max,
        layouts: timed.len() as u32,
        source_cpu,
        cpu: cpu_used(),
    };
    Ok(Product {
        facts,
        component,
        checked,
        timed,
    })
}

/// The code that is timed, in several layouts, for what takes part in a race.
fn precompile_timed(component: &[u8], order: &Order) -> Result<Vec<Vec<u8>>, Failure> {
    if order.world != World::Prototype || order.kind == Kind::Diagnostic {
        return Ok(Vec::new());
    }
    let versions = match order.code {
        // It is subtracted from everyone alike.
        Code::NoOp => 1,
        _ => layout::versions(component.len()),
    };
    let spread = (0..versions as u64)
        .filter(|_| versions > 1)
        .map(|number| layout::version(component, number));
    let compiled = match spread.collect::<Result<Vec<_>, _>>() {
        // What cannot be written again is timed as it is.
        Ok(spread) if !spread.is_empty() => engine::precompile_all(Profile::Timed, &spread),
        _ => engine::precompile_all(Profile::Timed, &[component]),
    };
    compiled.map_err(|error| not_compiled(&error, order))
}

fn not_compiled(error: &wasmtime::Error, order: &Order) -> Failure {
    let reason = format!("{error:#}");
    let limit = ["Compilation error", "limit exceeded", "too large"];
    let class = match limit.iter().any(|words| reason.contains(words)) {
        true => FailureClass::LoadCompileLimit,
        false => FailureClass::InvalidComponent,
    };
    let message = format!("{} cannot be compiled: {reason}", order.path_shown);
    load_failure(class, super::diagnostics::cut(&message))
}

/// CPU time of this process so far, and of the children it waited for.
fn cpu_used() -> Duration {
    [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN]
        .into_iter()
        .map(rusage)
        .sum()
}

/// CPU time of the children of this process that it waited for.
pub(super) fn children_cpu() -> Duration {
    rusage(libc::RUSAGE_CHILDREN)
}

fn rusage(who: libc::c_int) -> Duration {
    // SAFETY: a rusage is plain numbers, for which zero is a value; the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &raw mut usage);
        usage
    };
    let time = |part: libc::timeval| {
        Duration::from_secs(part.tv_sec.unsigned_abs())
            + Duration::from_micros(part.tv_usec.unsigned_abs())
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}
