//! Stores, instances and calls.

use super::attempts::AttemptLog;
use super::brackets::{Bracketed, Brackets};
use super::limiter::{Limiter, Peak};
use super::outcome::Breach;
use super::wasi::{self, HANDLES_MAX, Virtual};
use crate::artifact::Folders;
use crate::build::DIAGNOSTIC_IMPORT;
use crate::engine::{self, Profile};
use crate::invoke::{Callee, Value};
use bakeoff_domain::attempt::Attempt;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::spec::Limits;
use std::sync::Arc;
use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{Engine, Store};

/// Messages that a diagnostic build may report in one instance, and characters of each.
const REPORTS_MAX: usize = 8;
const REPORT_CHARS_MAX: usize = 4_000;

/// What a store holds beside its instance.
pub struct Guest {
    limiter: Limiter,
    brackets: Brackets,
    reports: Vec<String>,
    world: Virtual,
}

impl Guest {
    /// The virtual world behind its imports.
    pub(super) fn world(&mut self) -> &mut Virtual {
        &mut self.world
    }
}

/// An engine, and the limits of everything that runs in it.
pub struct Sandbox {
    engine: Engine,
    profile: Profile,
    limits: Limits,
}

/// What a component may import.
///
/// Which components may import WASI is decided where they are built; one that does finds the virtual
/// world here.
#[derive(Clone, Debug)]
pub enum Imports {
    /// Nothing.
    None,
    /// `report`, through which a diagnostic build tells of its panic; WASI without any file.
    Diagnostic,
    /// WASI with these files, and nothing else.
    Wasi(Arc<Folders>),
}

/// A compiled component, linked and ready to be instantiated.
pub struct Prepared {
    pre: InstancePre<Guest>,
    profile: Profile,
    limits: Limits,
    folders: Arc<Folders>,
    attempts: AttemptLog,
}

/// One instance in a store of its own. After a breach it is not to be called again.
pub struct Instance {
    store: Store<Guest>,
    instance: wasmtime::component::Instance,
    profile: Profile,
    limits: Limits,
    /// What the start functions took.
    started: Bracketed,
    /// Their fuel, in the checked profile.
    start_fuel: u64,
}

/// What a call gave, and what it took.
#[derive(Debug)]
pub struct Answered {
    /// The answer; `None` for a function without a result.
    pub value: Option<Value>,
    /// Time in guest code.
    pub time: Bracketed,
    /// Fuel, in the checked profile; otherwise 0.
    pub fuel: u64,
}

impl Sandbox {
    /// A sandbox of one profile.
    ///
    /// # Errors
    /// The engine does not work on this machine.
    pub fn new(profile: Profile, limits: Limits) -> wasmtime::Result<Self> {
        Ok(Self {
            engine: engine::new(profile)?,
            profile,
            limits,
        })
    }

    /// The same engine with other limits.
    #[must_use]
    pub fn with_limits(&self, limits: Limits) -> Self {
        Self {
            engine: self.engine.clone(),
            profile: self.profile,
            limits,
        }
    }

    /// Takes precompiled code in.
    ///
    /// # Safety
    /// `precompiled` must be what [`engine`](crate::engine) made of a component, unchanged: the
    /// engine trusts it as it trusts its own code. Callers have it from the parent process, which
    /// authenticates it.
    ///
    /// # Errors
    /// The code is for another engine, or the component imports what is not granted.
    pub unsafe fn prepare(&self, precompiled: &[u8], imports: Imports) -> Result<Prepared, Breach> {
        let unusable = |error: wasmtime::Error| {
            Breach::new(FailureClass::InvalidComponent, format!("{error:#}"))
        };
        // SAFETY: as this function demands of its caller.
        let component =
            unsafe { Component::deserialize(&self.engine, precompiled) }.map_err(unusable)?;
        let mut linker = Linker::new(&self.engine);
        if matches!(imports, Imports::Diagnostic) {
            link_diagnostic(&mut linker).map_err(unusable)?;
        }
        // Linking takes longer than loading does, and most components import nothing.
        if !matches!(imports, Imports::None) && imports_wasi(&component, &self.engine) {
            wasi::link(&mut linker).map_err(unusable)?;
        }
        let pre = linker
            .instantiate_pre(&component)
            .map_err(|error| Breach::new(FailureClass::ForbiddenImport, format!("{error:#}")))?;
        Ok(Prepared {
            pre,
            profile: self.profile,
            limits: self.limits,
            folders: match imports {
                Imports::Wasi(folders) => folders,
                Imports::None | Imports::Diagnostic => Arc::default(),
            },
            attempts: AttemptLog::default(),
        })
    }
}

fn imports_wasi(component: &Component, engine: &Engine) -> bool {
    let ty = component.component_type();
    let mut imports = ty.imports(engine);
    imports.any(|(name, _)| name.starts_with("wasi:"))
}

fn link_diagnostic(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.instance(DIAGNOSTIC_IMPORT)?.func_wrap(
        "report",
        |mut store: wasmtime::StoreContextMut<'_, Guest>, (message,): (String,)| {
            let reports = &mut store.data_mut().reports;
            if reports.len() < REPORTS_MAX {
                reports.push(message.chars().take(REPORT_CHARS_MAX).collect());
            }
            Ok(())
        },
    )
}

impl Prepared {
    /// A fresh instance.
    ///
    /// # Errors
    /// A start function trapped or met a limit.
    pub fn instantiate(&self) -> Result<Instance, Breach> {
        let guest = Guest {
            limiter: Limiter::new(self.limits.memory_bytes, self.attempts.clone()),
            brackets: Brackets::default(),
            reports: Vec::new(),
            world: Virtual::new(
                (&self.limits).into(),
                Arc::clone(&self.folders),
                self.attempts.clone(),
            ),
        };
        let mut store = Store::new(self.pre.engine(), guest);
        store.limiter(|guest| &mut guest.limiter);
        store.set_hostcall_fuel(usize::try_from(self.limits.output_bytes).unwrap_or(usize::MAX));
        store.set_max_component_handles(HANDLES_MAX);
        store.call_hook(|mut store, hook| {
            store.data_mut().brackets.on(hook);
            Ok(())
        });
        refuel(&mut store, self.profile, &self.limits);
        match self.pre.instantiate(&mut store) {
            Ok(instance) => {
                let started = taken(&mut store);
                let start_fuel = fuel_used(&store, self.profile, &self.limits);
                Ok(Instance {
                    store,
                    instance,
                    profile: self.profile,
                    limits: self.limits,
                    started,
                    start_fuel,
                })
            }
            Err(error) => Err(breach(&store, &error, &self.limits)),
        }
    }

    /// What all its instances tried and were refused, so far.
    pub fn attempts(&self) -> Vec<Attempt> {
        self.attempts.all()
    }
}

/// What the brackets added up, with the time that the guest slept: no clock saw that.
fn taken(store: &mut Store<Guest>) -> Bracketed {
    let guest = store.data_mut();
    let mut bracketed = guest.brackets.take();
    bracketed.time.wall_ns = bracketed
        .time
        .wall_ns
        .saturating_add(guest.world.slept_ns());
    bracketed
}

/// The breach behind an error. What the guest wrote before it trapped says more than the trap.
fn breach(store: &Store<Guest>, error: &wasmtime::Error, limits: &Limits) -> Breach {
    let guest = store.data();
    let mut breach = Breach::of(error, guest.limiter.peak().denied, limits);
    if let (FailureClass::Trap, Some(line)) = (breach.class, guest.world.last_line()) {
        breach.message = format!("{}; the last it wrote: {line}", breach.message);
    }
    breach
}

fn refuel(store: &mut Store<Guest>, profile: Profile, limits: &Limits) {
    if profile == Profile::Checked {
        store
            .set_fuel(limits.fuel)
            .expect("the checked profile counts fuel");
    }
}

/// Fuel since the last time a store was refuelled; 0 where none is counted.
fn fuel_used(store: &Store<Guest>, profile: Profile, limits: &Limits) -> u64 {
    match profile {
        Profile::Checked => store.get_fuel().map_or(0, |left| limits.fuel - left),
        Profile::Timed => 0,
    }
}

impl Instance {
    /// Looks an export up.
    ///
    /// # Errors
    /// There is no such function.
    pub fn callee(&mut self, path: &[String]) -> Result<Callee<Guest>, Breach> {
        Callee::new(&mut self.store, &self.instance, path)
            .map_err(|error| Breach::new(FailureClass::MissingExport, error.to_string()))
    }

    /// Calls an export that was looked up on this instance.
    ///
    /// # Errors
    /// The guest trapped or met a limit; the instance is then spent.
    #[inline]
    pub fn call(
        &mut self,
        callee: &Callee<Guest>,
        arguments: &Arc<[Value]>,
    ) -> Result<Answered, Breach> {
        refuel(&mut self.store, self.profile, &self.limits);
        self.store.data_mut().world.begin_call();
        let result = callee.call(&mut self.store, arguments);
        let time = taken(&mut self.store);
        match result {
            Ok(value) => Ok(Answered {
                value,
                time,
                fuel: fuel_used(&self.store, self.profile, &self.limits),
            }),
            Err(error) => Err(breach(&self.store, &error, &self.limits)),
        }
    }

    /// What the start functions took.
    pub fn started(&self) -> Bracketed {
        self.started
    }

    /// Fuel of the start functions, in the checked profile; otherwise 0.
    pub fn start_fuel(&self) -> u64 {
        self.start_fuel
    }

    /// Memory at its largest so far.
    pub fn peak(&self) -> Peak {
        self.store.data().limiter.peak()
    }

    /// What a diagnostic build reported, in order.
    pub fn reports(&self) -> &[String] {
        &self.store.data().reports
    }
}
