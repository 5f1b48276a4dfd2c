//! In the child: from an order to what it becomes.

use super::glue::DIAGNOSTIC_IMPORT;
use super::order::{Code, Event, Facts, Kind, Order, Stage, build_failure, load_failure};
use super::{calibrator, compile, component, inspect, world};
use crate::engine::{self, Profile};
use crate::interface::Interface;
use bakeoff_domain::failure::{Failure, FailureClass};
use std::time::Duration;

/// What came out of an order.
pub(super) struct Product {
    pub(super) facts: Facts,
    pub(super) component: Vec<u8>,
    pub(super) checked: Vec<u8>,
    pub(super) timed: Vec<u8>,
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
    let component = match &order.code {
        Code::Source {
            text,
            compiler,
            scratch,
        } => {
            let (module, _) = compile::compile(&interface, &order, text, compiler, scratch)?;
            if order.kind == Kind::Diagnostic {
                order.granted.push(DIAGNOSTIC_IMPORT.to_owned());
            }
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
    let checked = precompile(Profile::Checked, &component, &order)?;
    let timed = precompile(Profile::Timed, &component, &order)?;
    let facts = Facts {
        imports: ports.imports,
        exports: ports.exports,
        functions: sizes.functions,
        function_bytes_max: sizes.function_bytes_max,
        locals_max: sizes.locals_max,
        source_cpu,
    };
    Ok(Product {
        facts,
        component,
        checked,
        timed,
    })
}

fn precompile(profile: Profile, component: &[u8], order: &Order) -> Result<Vec<u8>, Failure> {
    engine::precompile(profile, component).map_err(|error| {
        let reason = format!("{error:#}");
        let limit = ["Compilation error", "limit exceeded", "too large"];
        let class = match limit.iter().any(|words| reason.contains(words)) {
            true => FailureClass::LoadCompileLimit,
            false => FailureClass::InvalidComponent,
        };
        let message = format!("{} cannot be compiled: {reason}", order.path_shown);
        load_failure(class, super::diagnostics::cut(&message))
    })
}

/// CPU time of this process so far, and of the children it waited for.
fn cpu_used() -> Duration {
    [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN]
        .into_iter()
        .map(rusage)
        .sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::order::Compiler;
    use crate::interface::{WitFile, World};

    #[test]
    fn scratch_build() {
        let wit = "package example:top-k;
world prototype { export top-k: func(values: list<s64>, k: u32) -> list<s64>; }
world workload {
  export generate: func(size: u32, seed: u64) -> tuple<list<s64>, u32>;
  export check: func(values: list<s64>, k: u32, answer: list<s64>) -> result<_, string>;
}";
        let sources = [
            "pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> { values.sort_unstable_by(|a, b| b.cmp(a)); values.truncate(k as usize); values }",
            "pub fn top_k(mut values: Vec<i32>, k: u32) -> Vec<i64> { todo!() }",
            "fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> { todo!() }",
            "pub fn topk(mut values: Vec<i64>, k: u32) -> Vec<i64> { todo!() }",
            "pub fn top_k(values: &[i64], k: usize) -> Vec<i64> { todo!() }",
            "pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {\n let x: u8 = \"a\"; values }",
            "pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {\n let x = include_str!(\"/nonexistent\"); env!(\"HOME\"); values }",
            "pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {",
            "pub fn top_k<T>(mut values: Vec<i64>, k: u32) -> Vec<T> { todo!() }",
        ];
        for kind in [Kind::Release, Kind::Diagnostic] {
        for text in sources {
            let dir = tempfile::tempdir().unwrap();
            let sysroot = std::process::Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
            let sysroot = std::path::PathBuf::from(String::from_utf8(sysroot.stdout).unwrap().trim());
            let order = Order {
                files: vec![WitFile { name: "a.wit".into(), text: wit.into() }],
                call: "top-k".into(),
                world: World::Prototype,
                kind,
                code: Code::Source { text: text.into(), compiler: Compiler { rustc: sysroot.join("bin/rustc"), sysroot }, scratch: dir.path().into() },
                path_shown: "approaches/heap.rs".into(),
                granted: vec![],
            };
            match carry_out(order, &[], &mut |_| ()) {
                Ok(p) => println!("{:?} {} {} {}", p.facts, p.component.len(), p.checked.len(), p.timed.len()),
                Err(e) => println!("----\n{:?} {}", e.class, e.message),
            }
        }
        }
    }
}
