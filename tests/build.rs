//! Building behind the fence: from plain files, and from components that users bring.

mod brought;
mod forms;
mod killed;
mod layouts;
mod memory;
mod names;
mod prototypes;
mod reuse;

use crate::golden;
use bakeoff_compile::engine::{self, Profile};
use bakeoff_compile::{BuildKind, BuildRequest, Builder, BuiltComponent, Cache, Toolchain};
use bakeoff_confine::{Confinement, ProbeConfig};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::spec::Limits;
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{Interface, WitFile, World};
use std::sync::Arc;
use wasmtime::component::{Component, Instance, Linker, Val};
use wasmtime::{Engine, Store};

/// The interface of most tests.
const TOP_K: &str = "package example:top-k;
world prototype { export top-k: func(values: list<s64>, k: u32) -> list<s64>; }
world workload {
  export generate: func(size: u32, seed: u64) -> tuple<list<s64>, u32>;
  export check: func(values: list<s64>, k: u32, answer: list<s64>) -> result<_, string>;
}";

/// A prototype of it.
const SORT: &str = "pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.truncate(k as usize);
    values
}
";

pub(crate) fn interface(wit: &str, call: &str) -> Arc<Interface> {
    let file = WitFile {
        name: "wit/main.wit".into(),
        text: wit.into(),
    };
    Arc::new(Interface::parse(vec![file], call).unwrap())
}

fn top_k() -> Arc<Interface> {
    interface(TOP_K, "top-k")
}

/// A builder on this machine, with the real binary for its children, and without an outer layer:
/// inside one, what is forbidden is not even there, and messages say so.
pub(crate) async fn builder(cache: Option<Cache>) -> Builder {
    let toolchain = Toolchain::find(&mut |_| ()).await.unwrap();
    let host = ProbeConfig {
        bubblewrap: false,
        ..ProbeConfig::with_program(env!("CARGO_BIN_EXE_bakeoff"))
    };
    let confinement = Confinement::probe_on(host).await.unwrap();
    Builder::new(toolchain, confinement, cache, 2)
}

/// A request for a prototype of a file that its user calls `approaches/mine.rs`.
fn source(interface: &Arc<Interface>, text: &str) -> BuildRequest {
    BuildRequest {
        interface: interface.clone(),
        world: World::Prototype,
        code: BuildInput::Source {
            path_shown: "approaches/mine.rs".into(),
            text: text.into(),
        },
        kind: BuildKind::Release,
        memory_bytes: Limits::default().memory_bytes,
        parameters: false,
    }
}

/// A request for a component that its user calls `mine.wasm`.
fn component(interface: &Arc<Interface>, bytes: &[u8]) -> BuildRequest {
    BuildRequest {
        code: BuildInput::Component {
            path_shown: "mine.wasm".into(),
            bytes: bytes.into(),
        },
        ..source(interface, "")
    }
}

async fn build(request: &BuildRequest) -> Result<Arc<BuiltComponent>, Failure> {
    builder(None).await.build(request).await
}

/// An instance of what was built, from its machine code, as a runner makes one.
pub(crate) struct Running {
    store: Store<()>,
    instance: Instance,
}

impl Running {
    pub(crate) fn new(built: &BuiltComponent) -> Self {
        let engine = engine::new(Profile::Checked).unwrap();
        Self::linked(&engine, &built.checked, &Linker::new(&engine))
    }

    fn linked(engine: &Engine, code: &[u8], linker: &Linker<()>) -> Self {
        // SAFETY: the code was just made by this test's own builder, for this engine.
        let component = unsafe { Component::deserialize(engine, code).unwrap() };
        let mut store = Store::new(engine, ());
        // The timed profile has no fuel to set.
        let _ = store.set_fuel(u64::MAX);
        let instance = linker.instantiate(&mut store, &component).unwrap();
        Self { store, instance }
    }

    pub(crate) fn call(&mut self, name: &str, arguments: &[Val]) -> wasmtime::Result<Val> {
        let function = self.instance.get_func(&mut self.store, name).unwrap();
        let mut answers = [Val::Bool(false)];
        function.call(&mut self.store, arguments, &mut answers)?;
        let [answer] = answers;
        Ok(answer)
    }
}

fn list(values: &[i64]) -> Val {
    Val::List(values.iter().map(|&value| Val::S64(value)).collect())
}
