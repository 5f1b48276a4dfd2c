//! The time that the host adds to a trial: a call through `sandbox` and `invoke`, with limits and
//! brackets around guest code, beside the same call of the same machine code by wasmtime's own
//! typed call on a plain store. Both run in batches, in an order that alternates.
//!
//! ```text
//! cargo bench -p bakeoff --bench overhead [-- --quick]
//! ```
//!
//! In the first table, `× bare` is the host's whole call relative to the bare one; for a call that
//! does nothing it is large, because a bare one takes some 50 ns and reading the clocks of a
//! bracket far more. `÷ clocks` is the added time, in units of those clock readings alone: near 1
//! means that nothing else is added. None of it is in a reported time: it lies outside the
//! brackets, or is subtracted with the no-op's.
//!
//! The second table makes 100,000 trials and compares the last tenth with the first: time and
//! resident memory are to stay flat (near 1), in one kept instance as with a fresh one for each
//! trial. Bare wasmtime alternates with it, because the machine drifts too: `÷ bare` is the growth
//! that is the host's own. Takes under a minute.

mod support;

use bakeoff_compile::engine::{self, Profile};
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::invoke::{CallPath, Callee, Value};
use bakeoff_sandbox::{CpuWallTime, GuestState, Imports, Instance, PreparedComponent, Sandbox};
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::sync::Arc;
use support::{is_quick, median};
use wasmtime::component::{Component, InstancePre, Linker};
use wasmtime::{Engine, Store};

/// A component with one function that does almost nothing, and one that takes and returns a list.
const GUEST: &str = r#"
(component
  (core module $guest
    (memory (export "memory") 2)
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
      (i32.const 1024))
    (func (export "add") (param i32 i32) (result i32)
      (i32.add (local.get 0) (local.get 1)))
    (func (export "echo") (param i32 i32) (result i32)
      (i32.store (i32.const 16) (local.get 0))
      (i32.store (i32.const 20) (local.get 1))
      (i32.const 16)))
  (core instance $guest (instantiate $guest))
  (func (export "add") (param "a" u32) (param "b" u32) (result u32)
    (canon lift (core func $guest "add")))
  (func (export "echo") (param "values" (list s64)) (result (list s64))
    (canon lift
      (core func $guest "echo")
      (memory (core memory $guest "memory"))
      (realloc (core func $guest "cabi_realloc")))))
"#;

/// The number of items of the list.
const LIST: usize = 1_000;

/// The number of batches of each side in the first table, and of calls in each.
const BATCHES: usize = 200;
const BATCH: u32 = 500;

/// The number of trials of the second table.
const TRIALS: u32 = 100_000;
const TRIALS_QUICK: u32 = 10_000;

/// The number of batches in a tenth of the trials.
const BATCHES_IN_TENTH: u32 = 10;

fn main() {
    let code = engine::precompile(Profile::Timed, GUEST.as_bytes()).expect("the guest is valid");
    let ours = Ours::new(&code);
    let bare = Bare::new(&code);
    let bracket = bracket_ns();
    let list: Vec<i64> = (0..LIST as i64).collect();
    let numbers: Arc<[Value]> = [Value::U32(1), Value::U32(2)].into();
    let lists: Arc<[Value]> = [Value::S64List(list.clone())].into();

    println!("{:<28} {:>8} {:>9}", "one call", "× bare", "÷ clocks");
    let (mut add, brackets) = ours.kept("add", &numbers);
    overhead("two numbers", brackets * bracket, &mut add, &mut bare.add());
    let (mut echo, brackets) = ours.kept("echo", &lists);
    let name = format!("a list of {LIST}, there and back");
    overhead(&name, brackets * bracket, &mut echo, &mut bare.echo(&list));
    // Its call has as many brackets; wasmtime runs nothing of this guest at the start.
    let (_, brackets) = ours.kept("add", &numbers);
    let mut fresh = ours.fresh("add", &numbers);
    overhead(
        "two numbers, fresh instance",
        brackets * bracket,
        &mut fresh,
        &mut bare.fresh(),
    );

    let trials = if is_quick() { TRIALS_QUICK } else { TRIALS };
    println!("\n{trials} trials: last tenth ÷ first");
    println!(
        "{:<28} {:>8} {:>9} {:>9} {:>9}",
        "", "time", "bare", "÷ bare", "memory"
    );
    growth("two numbers", trials, &mut add, &mut bare.add());
    growth(&name, trials, &mut echo, &mut bare.echo(&list));
    let name = "two numbers, fresh instance";
    growth(name, trials, &mut fresh, &mut bare.fresh());
}

/// The host's own way to make a call.
struct Ours {
    prepared: PreparedComponent,
}

impl Ours {
    fn new(code: &[u8]) -> Self {
        let sandbox = Sandbox::new(Profile::Timed, Limits::default()).expect("an engine");
        // SAFETY: the code was just made by `engine::precompile` in this process, and is unchanged.
        let prepared = unsafe { sandbox.prepare(code, Imports::None) };
        Self {
            prepared: prepared.expect("the guest imports nothing"),
        }
    }

    fn begin(&self, function: &str) -> (Instance, Callee<GuestState>) {
        let mut instance = self.prepared.instantiate().expect("an instance");
        let callee = instance
            .callee(&[function.to_owned()])
            .expect("the guest exports it");
        assert_eq!(callee.path(), CallPath::Typed, "the path that trials take");
        (instance, callee)
    }

    /// Returns a trial in a kept instance, and the number of its timed brackets.
    fn kept(&self, function: &str, arguments: &Arc<[Value]>) -> (impl FnMut() + use<>, f64) {
        let (mut instance, callee) = self.begin(function);
        let arguments = Arc::clone(arguments);
        let first = instance.call(&callee, &arguments).expect("an answer");
        let trial = move || {
            let answered = instance.call(&callee, &arguments).expect("an answer");
            black_box(answered.value);
        };
        (trial, first.time.count as f64)
    }

    /// Returns a trial in a fresh instance.
    fn fresh(&self, function: &str, arguments: &Arc<[Value]>) -> impl FnMut() {
        move || {
            let (mut instance, callee) = self.begin(function);
            let answered = instance.call(&callee, arguments).expect("an answer");
            black_box(answered.value);
        }
    }
}

/// Bare wasmtime: the same engine and machine code, without hooks and limiter.
struct Bare {
    engine: Engine,
    pre: InstancePre<()>,
}

impl Bare {
    fn new(code: &[u8]) -> Self {
        let engine = engine::new(Profile::Timed).expect("an engine");
        // SAFETY: as for the host's side.
        let component = unsafe { Component::deserialize(&engine, code) }.expect("the same code");
        let pre = Linker::new(&engine)
            .instantiate_pre(&component)
            .expect("the guest imports nothing");
        Self { engine, pre }
    }

    fn add(&self) -> impl FnMut() + use<> {
        let mut store = Store::new(&self.engine, ());
        let instance = self.pre.instantiate(&mut store).expect("an instance");
        let add = instance
            .get_typed_func::<(u32, u32), (u32,)>(&mut store, "add")
            .expect("the guest exports it");
        move || {
            let numbers = black_box((1, 2));
            black_box(add.call(&mut store, numbers).expect("an answer"));
        }
    }

    fn echo<'a>(&self, list: &'a [i64]) -> impl FnMut() + use<'a> {
        let mut store = Store::new(&self.engine, ());
        let instance = self.pre.instantiate(&mut store).expect("an instance");
        let echo = instance
            .get_typed_func::<(&'a [i64],), (Vec<i64>,)>(&mut store, "echo")
            .expect("the guest exports it");
        move || {
            let list = black_box((list,));
            black_box(echo.call(&mut store, list).expect("an answer"));
        }
    }

    fn fresh(&self) -> impl FnMut() {
        move || self.add()()
    }
}

/// Returns the time of the clock readings around one call, two of each clock, in nanoseconds.
fn bracket_ns() -> f64 {
    let one = || {
        for clock in [ClockId::Monotonic, ClockId::ThreadCPUTime] {
            black_box((clock_gettime(clock), clock_gettime(clock)));
        }
    };
    median((0..BATCHES).map(|_| cpu_ns(BATCH, one)).collect())
}

/// Returns the CPU time of one call in nanoseconds, averaged over `calls`.
fn cpu_ns(calls: u32, mut call: impl FnMut()) -> f64 {
    let start = CpuWallTime::thread_cpu_ns();
    (0..calls).for_each(|_| call());
    (CpuWallTime::thread_cpu_ns() - start) as f64 / f64::from(calls)
}

/// Prints a line of the first table. `clocks` is the time of the clock readings of one call, in
/// nanoseconds.
fn overhead(name: &str, clocks: f64, ours: &mut dyn FnMut(), bare: &mut dyn FnMut()) {
    cpu_ns(BATCH, &mut *ours);
    cpu_ns(BATCH, &mut *bare);
    let (mut ratios, mut added) = (Vec::new(), Vec::new());
    for batch in 0..BATCHES {
        let (this, that) = match batch % 2 {
            0 => {
                let this = cpu_ns(BATCH, &mut *ours);
                (this, cpu_ns(BATCH, &mut *bare))
            }
            _ => {
                let that = cpu_ns(BATCH, &mut *bare);
                (cpu_ns(BATCH, &mut *ours), that)
            }
        };
        ratios.push(this / that);
        added.push((this - that) / clocks);
    }
    let (ratio, added) = (median(ratios), median(added));
    println!("{name:<28} {ratio:>8.2} {added:>9.2}");
}

/// Prints a line of the second table.
fn growth(name: &str, trials: u32, ours: &mut dyn FnMut(), bare: &mut dyn FnMut()) {
    let calls = trials / 10 / BATCHES_IN_TENTH;
    let mut tenths = Vec::new();
    for _ in 0..10 {
        let (mut these, mut those) = (Vec::new(), Vec::new());
        for _ in 0..BATCHES_IN_TENTH {
            these.push(cpu_ns(calls, &mut *ours));
            those.push(cpu_ns(calls, &mut *bare));
        }
        tenths.push((median(these), median(those), resident_pages()));
    }
    let (first, last) = (tenths[0], tenths[9]);
    let (ours, bare, memory) = (last.0 / first.0, last.1 / first.1, last.2 / first.2);
    println!(
        "{name:<28} {ours:>8.2} {bare:>9.2} {:>9.2} {memory:>9.2}",
        ours / bare
    );
}

/// Returns the resident memory of this process, in pages.
fn resident_pages() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux tells");
    let pages = statm.split_whitespace().nth(1);
    pages
        .and_then(|pages| pages.parse().ok())
        .expect("the second number is what is resident")
}
