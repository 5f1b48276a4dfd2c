//! Engines, prepared components, instances and calls.

use super::attempt_log::AttemptLog;
use super::completion::{self, CompletionDesk};
use super::evidence_desk::{self, EvidenceDesk};
use super::guest_error::GuestError;
use super::guest_timer::{GuestTime, GuestTimer, Lowering};
use super::limiter::{Limiter, PeakMemory};
use super::limits::{HANDLES_MAX, INSTANCES_MAX, TABLES_MAX};
use super::program::Program;
use super::wasi::{self, VirtualWorld};
use crate::invoke::{Callee, Parts, Value};
use bakeoff_compile::engine::{self, Pool, Profile};
use bakeoff_compile::{DIAGNOSTIC_IMPORT, PARAMETER_IMPORTS};
use bakeoff_domain::attempt::Attempt;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::spec::Limits;
use bakeoff_source::Folders;
use std::rc::Rc;
use std::sync::Arc;
use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{CallHook, Engine, Store};

/// The most messages that one instance of a diagnostic build may report, and the most characters of
/// each.
const REPORTS_MAX: usize = 8;
const REPORT_CHARS_MAX: usize = 4_000;

/// The state that a store holds beside its instance.
pub struct GuestState {
    limiter: Limiter,
    timer: GuestTimer,
    reports: Vec<String>,
    world: VirtualWorld,
    /// Evidence that an evaluator can ask for.
    pub(super) desk: EvidenceDesk,
    /// Completions of a model that a proposer can ask for.
    pub(super) completions: CompletionDesk,
}

impl Parts for GuestState {
    fn part_ended(&mut self) {
        self.timer.part_ended();
    }
}

impl GuestState {
    /// The evidence behind the imports of an evaluator.
    fn desk(&mut self) -> &mut EvidenceDesk {
        &mut self.desk
    }

    /// The completions behind the imports of a proposer.
    fn completions(&mut self) -> &mut CompletionDesk {
        &mut self.completions
    }

    /// The virtual world behind the imports.
    fn world(&mut self) -> &mut VirtualWorld {
        &mut self.world
    }
}

/// An engine, and the limits of all guests in it.
pub struct Sandbox {
    engine: Engine,
    profile: Profile,
    limits: Limits,
    pooled: bool,
}

/// The imports that a component may have. The build decides which components may import WASI.
#[derive(Clone, Debug)]
pub enum Imports {
    /// No import.
    None,
    /// `report`, through which a diagnostic build reports its panic; WASI with the grant.
    Diagnostic(Arc<Folders>),
    /// Evidence of a variant; `report` and WASI without files too.
    Evidence,
    /// Completions of a model; `report` and WASI without files too.
    Completions,
    /// WASI with the grant: files and the values of parameters.
    Wasi(Arc<Folders>),
}

/// A compiled component, linked and ready to be instantiated.
pub struct PreparedComponent {
    pre: InstancePre<GuestState>,
    profile: Profile,
    limits: Limits,
    folders: Arc<Folders>,
    attempts: AttemptLog,
    times_all: bool,
    /// The program that the component stands for.
    program: Option<Rc<Program>>,
}

/// One instance in a store of its own. After an error it must not be called again.
pub struct Instance {
    pub(super) store: Store<GuestState>,
    pub(super) instance: wasmtime::component::Instance,
    profile: Profile,
    limits: Limits,
    times_all: bool,
    /// The time of the start functions.
    started: GuestTime,
    /// The program that the component stands for.
    program: Option<Rc<Program>>,
}

/// The answer of a call, and its cost.
#[derive(Debug)]
pub struct CallResult {
    /// The answer; `None` for a function without a result.
    pub value: Option<Value>,
    /// Time in guest code.
    pub time: GuestTime,
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
            pooled: false,
        })
    }

    /// A sandbox of the timed profile in which `components` have one instance each at a time, made anew
    /// for every call: from a pool, or one by one where the machine has no addresses for it
    /// ([`is_pooled`](Self::is_pooled)). `resident_bytes` is what an instance is known to write.
    ///
    /// # Errors
    /// The engine does not work on this machine.
    pub fn pooled(
        limits: Limits,
        components: usize,
        resident_bytes: u64,
    ) -> wasmtime::Result<Self> {
        let pool = Pool {
            components,
            instances_max: INSTANCES_MAX,
            tables_max: TABLES_MAX,
            memory_bytes_max: limits.memory_bytes,
            resident_bytes,
        };
        let profile = Profile::Timed;
        let (engine, pooled) = match engine::new_pooled(&pool) {
            Ok(engine) => (engine, true),
            Err(_) => (engine::new(profile)?, false),
        };
        Ok(Self {
            engine,
            profile,
            limits,
            pooled,
        })
    }

    /// Returns true if instances come from a pool. Elsewhere each call pays for new memory.
    pub fn is_pooled(&self) -> bool {
        self.pooled
    }

    /// The sandbox with the same engine and other limits.
    #[must_use]
    pub fn with_limits(&self, limits: Limits) -> Self {
        Self {
            engine: self.engine.clone(),
            profile: self.profile,
            limits,
            pooled: self.pooled,
        }
    }

    /// Loads precompiled code and links its imports.
    ///
    /// # Safety
    /// `precompiled` must be the unchanged output of [`engine`](bakeoff_compile::engine) for a component: the
    /// engine trusts it as its own code. Callers get it from the parent process, which authenticates
    /// it.
    ///
    /// # Errors
    /// The code is for another engine, or the component has an import that is not granted.
    pub unsafe fn prepare(
        &self,
        precompiled: &[u8],
        imports: Imports,
    ) -> Result<PreparedComponent, GuestError> {
        let unusable =
            |error: wasmtime::Error| GuestError::of_engine(&error, FailureClass::InvalidComponent);
        // SAFETY: the caller guarantees what this function requires.
        let component =
            unsafe { Component::deserialize(&self.engine, precompiled) }.map_err(unusable)?;
        let mut linker = Linker::new(&self.engine);
        if matches!(
            imports,
            Imports::Diagnostic(_) | Imports::Evidence | Imports::Completions
        ) {
            link_diagnostic(&mut linker).map_err(unusable)?;
        }
        if matches!(imports, Imports::Evidence) {
            evidence_desk::link(&mut linker, GuestState::desk).map_err(unusable)?;
        }
        if matches!(imports, Imports::Completions) {
            completion::link(&mut linker, GuestState::completions).map_err(unusable)?;
        }
        // Linking takes longer than loading does, and most components import nothing.
        if !matches!(imports, Imports::None) {
            let wanted = wanted(&component, &self.engine);
            if wanted.parameters {
                wasi::link_parameters(&mut linker, GuestState::world).map_err(unusable)?;
            }
            if wanted.wasi {
                wasi::link(&mut linker, GuestState::world).map_err(unusable)?;
            }
        }
        let pre = linker
            .instantiate_pre(&component)
            .map_err(|error| GuestError::of_engine(&error, FailureClass::ForbiddenImport))?;
        let folders = match imports {
            Imports::Wasi(folders) | Imports::Diagnostic(folders) => folders,
            Imports::None | Imports::Evidence | Imports::Completions => Arc::default(),
        };
        let program = folders.program();
        let program = program
            .map(|program| Program::open(program, &folders, self.profile, &self.limits))
            .transpose()?;
        Ok(PreparedComponent {
            pre,
            profile: self.profile,
            limits: self.limits,
            folders,
            program: program.map(Rc::new),
            attempts: AttemptLog::default(),
            times_all: false,
        })
    }
}

/// Linked interfaces that a component imports.
#[derive(Default)]
struct WantedImports {
    parameters: bool,
    wasi: bool,
}

fn wanted(component: &Component, engine: &Engine) -> WantedImports {
    let mut wanted = WantedImports::default();
    for (name, _) in component.component_type().imports(engine) {
        wanted.parameters |= PARAMETER_IMPORTS.contains(&name);
        wanted.wasi |= name.starts_with("wasi:") && !PARAMETER_IMPORTS.contains(&name);
    }
    wanted
}

fn link_diagnostic(linker: &mut Linker<GuestState>) -> wasmtime::Result<()> {
    linker.instance(DIAGNOSTIC_IMPORT)?.func_wrap(
        "report",
        |mut store: wasmtime::StoreContextMut<'_, GuestState>, (message,): (String,)| {
            let reports = &mut store.data_mut().reports;
            if reports.len() < REPORTS_MAX {
                reports.push(message.chars().take(REPORT_CHARS_MAX).collect());
            }
            Ok(())
        },
    )
}

impl PreparedComponent {
    /// Times all of its calls from now on, lowering of arguments and lifting of the answer included. This is for
    /// components whose strings the host recodes, which is work that other components do themselves, and for those that
    /// could work while they are asked for memory.
    pub fn time_all(&mut self) {
        self.times_all = true;
    }

    /// Returns true if the component stands for a program, whose calls have no fuel that is the same in every run.
    pub fn is_program(&self) -> bool {
        self.program.is_some()
    }

    /// Makes a new instance.
    ///
    /// # Errors
    /// A start function trapped or met a limit.
    pub fn instantiate(&self) -> Result<Instance, GuestError> {
        self.instantiate_timed(Lowering::Timed(0))
    }

    /// Makes a new instance and times its start functions by `clock`: [`Lowering::ThenCheaply`] for an instance that is
    /// made for a short call.
    ///
    /// # Errors
    /// The same as those of [`instantiate`](Self::instantiate).
    pub fn instantiate_timed(&self, clock: Lowering) -> Result<Instance, GuestError> {
        let mut timer = GuestTimer::default();
        timer.expect_lowering(clock);
        let guest = GuestState {
            limiter: Limiter::new(self.limits.memory_bytes, self.attempts.clone()),
            timer,
            reports: Vec::new(),
            desk: EvidenceDesk::default(),
            completions: CompletionDesk::default(),
            world: VirtualWorld::new(
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
            store.data_mut().timer.on(hook);
            Ok(())
        });
        refuel(&mut store, self.profile, &self.limits);
        if let Some(program) = &self.program {
            program.instantiate()?;
        }
        match self.pre.instantiate(&mut store) {
            Ok(instance) => {
                let started = take_time(&mut store);
                Ok(Instance {
                    store,
                    instance,
                    profile: self.profile,
                    limits: self.limits,
                    times_all: self.times_all,
                    started,
                    program: self.program.clone(),
                })
            }
            Err(error) => Err(guest_error(&store, &error, &self.limits)),
        }
    }

    /// The refused attempts of all its instances so far.
    pub fn attempts(&self) -> Vec<Attempt> {
        self.attempts.all()
    }
}

/// Takes the guest's time from the timer, and adds the virtual time that it slept.
fn take_time(store: &mut Store<GuestState>) -> GuestTime {
    let guest = store.data_mut();
    let mut time = guest.timer.take();
    time.time.wall_ns = time.time.wall_ns.saturating_add(guest.world.slept_ns());
    time
}

/// Classifies an error. The last line that the guest wrote before a trap is added to the message.
fn guest_error(store: &Store<GuestState>, error: &wasmtime::Error, limits: &Limits) -> GuestError {
    let guest = store.data();
    let mut error = GuestError::of(error, guest.limiter.peak().denied, limits);
    if let (FailureClass::Trap, Some(line)) = (error.class, guest.world.last_line()) {
        error.message = format!("{}; its last output: {line}", error.message);
    }
    error
}

fn refuel(store: &mut Store<GuestState>, profile: Profile, limits: &Limits) {
    if profile == Profile::Checked {
        store
            .set_fuel(limits.fuel)
            .expect("the checked profile counts fuel");
    }
}

/// Fuel since a store was last refuelled; 0 in the timed profile.
fn fuel_used(store: &Store<GuestState>, profile: Profile, limits: &Limits) -> u64 {
    match profile {
        Profile::Checked => store.get_fuel().map_or(0, |left| limits.fuel - left),
        Profile::Timed => 0,
    }
}

impl Instance {
    /// Looks an export up.
    ///
    /// # Errors
    /// There is no such function, or a program cannot answer it.
    pub fn callee(&mut self, path: &[String]) -> Result<Callee<GuestState>, GuestError> {
        let callee = Callee::new(&mut self.store, &self.instance, path)
            .map_err(|error| GuestError::new(FailureClass::MissingExport, error.to_string()))?;
        if let Some(program) = &self.program {
            program.check(callee.ty(), callee.functions())?;
        }
        Ok(callee)
    }

    /// Calls an export that was looked up on this instance. Each entry into guest code is timed by
    /// the thread's CPU clock.
    ///
    /// # Errors
    /// The guest trapped or exceeded a limit; the instance must not be called again.
    #[inline]
    pub fn call(
        &mut self,
        callee: &Callee<GuestState>,
        arguments: &Arc<[Value]>,
    ) -> Result<CallResult, GuestError> {
        self.call_lowering(callee, arguments, Lowering::Timed(0))
    }

    /// Calls an export, where it is known which entries into the guest are calls of the allocator while the arguments
    /// are lowered. [`UNTIMED`](super::UNTIMED) is for calls whose time is not used.
    ///
    /// # Errors
    /// The same as those of [`call`](Self::call).
    #[inline]
    pub fn call_lowering(
        &mut self,
        callee: &Callee<GuestState>,
        arguments: &Arc<[Value]>,
        lowering: Lowering,
    ) -> Result<CallResult, GuestError> {
        if let Some(program) = &self.program {
            let answer = program.call(callee.ty(), arguments)?;
            return Ok(CallResult {
                value: answer.value,
                time: GuestTime {
                    time: answer.time,
                    count: 1,
                    parts_ns: None,
                },
                fuel: answer.fuel,
            });
        }
        refuel(&mut self.store, self.profile, &self.limits);
        let guest = self.store.data_mut();
        guest.world.begin_call();
        if self.times_all {
            guest.timer.on(CallHook::CallingWasm);
        } else {
            guest.timer.expect_lowering(lowering);
        }
        let result = callee.call(&mut self.store, arguments);
        if self.times_all {
            self.store.data_mut().timer.on(CallHook::ReturningFromWasm);
        }
        let time = take_time(&mut self.store);
        match result {
            Ok(value) => Ok(CallResult {
                value,
                time,
                fuel: fuel_used(&self.store, self.profile, &self.limits),
            }),
            Err(error) => Err(guest_error(&self.store, &error, &self.limits)),
        }
    }

    /// Gives the guest the fuel of one call.
    pub(super) fn refuel(&mut self) {
        refuel(&mut self.store, self.profile, &self.limits);
        self.store.data_mut().world.begin_call();
    }

    /// The error of a call that the engine ended.
    pub(super) fn error(&self, error: &wasmtime::Error) -> GuestError {
        guest_error(&self.store, error, &self.limits)
    }

    /// The time of the start functions.
    pub fn started(&self) -> GuestTime {
        self.started
    }

    /// The peak memory so far. A program ends with it: until then it is not known.
    pub fn peak(&self) -> PeakMemory {
        match &self.program {
            Some(program) => program.peak(),
            None => self.store.data().limiter.peak(),
        }
    }

    /// The messages that a diagnostic build reported, in order.
    pub fn reports(&self) -> &[String] {
        &self.store.data().reports
    }
}
