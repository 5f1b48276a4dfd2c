//! What a fresh instance for every call costs: functions that mostly allocate, on a fresh instance and
//! on one that was called before, in turns, within one process.
//!
//! ```text
//! cargo bench -p bakeoff --bench fresh [-- --quick]
//! ```
//!
//! `fresh ÷ kept` is the ratio of what a race would measure: the time in guest code. It is to be 1.00:
//! then nobody gains or loses by fresh instances. `whole` is the ratio of everything around it too,
//! which verdicts do not see: making the instance, and resetting what the last one wrote. The second
//! table shows what a reset takes beside writing the pages in the first place.

#[path = "../support/mod.rs"]
mod support;

use bakeoff::compile::{BuildKind, BuildRequest, Builder, Toolchain};
use bakeoff::confine::{Confinement, ProbeConfig};
use bakeoff::interface::{Interface, WitFile, World};
use bakeoff::invoke::{Callee, Value};
use bakeoff::sandbox::{CpuWallTime, GuestState, Imports, Instance, PreparedComponent, Sandbox};
use bakeoff::source::BuildInput;
use bakeoff_domain::spec::Limits;
use std::sync::Arc;
use support::{is_quick, median};

const WIT: &str = "package bench:fresh;
world prototype { export work: func(n: u32) -> u64; }
";

/// Functions whose time is mostly that of the allocator, and what they are called with.
const FUNCTIONS: [(&str, u32, &str); 10] = [
    (
        "a vector that grows",
        20_000,
        include_str!("vector_that_grows.rs"),
    ),
    (
        "a vector with capacity",
        20_000,
        include_str!("vector_with_capacity.rs"),
    ),
    (
        "filter and collect",
        40_000,
        include_str!("filter_and_collect.rs"),
    ),
    ("run-length coding", 40_000, include_str!("run_length.rs")),
    (
        "building a string",
        20_000,
        include_str!("building_a_string.rs"),
    ),
    ("a hash map that grows", 4_000, include_str!("hash_map.rs")),
    ("an ordered map", 4_000, include_str!("ordered_map.rs")),
    ("a tree of boxes", 4_000, include_str!("tree_of_boxes.rs")),
    (
        "many small vectors",
        4_000,
        include_str!("small_vectors.rs"),
    ),
    ("a stable sort", 20_000, include_str!("stable_sort.rs")),
];

/// Writes one byte of each of `n` pages of 4 KiB.
const PAGES: &str = "pub fn work(n: u32) -> u64 {
    let mut bytes: Vec<u8> = Vec::with_capacity(n as usize * 4096);
    let pointer = bytes.as_mut_ptr();
    for page in 0..n as usize { unsafe { pointer.add(page * 4096).write_volatile(1) } }
    n.into()
}
";

type Failure = Box<dyn std::error::Error>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let toolchain = Toolchain::find(&mut |line: &str| eprintln!("{line}")).await?;
    let program = ProbeConfig::with_program(env!("CARGO_BIN_EXE_bakeoff"));
    let confinement = Confinement::probe_on(program).await?;
    let builder = Builder::new(toolchain, confinement, None, 2);
    let rounds = if is_quick() { 101 } else { 1_001 };
    println!("{:<26} {:>13} {:>8}", "", "fresh ÷ kept", "whole");
    for (name, n, text) in FUNCTIONS {
        let prepared = prepare(&builder, text).await?;
        let (guest, whole) = compare(&prepared, n, rounds);
        println!("{name:<26} {guest:>13.3} {whole:>8.2}");
    }
    println!("\nresetting and instantiating ÷ writing a byte of each page");
    let prepared = prepare(&builder, PAGES).await?;
    for pages in [16, 64, 256, 1_024, 4_096] {
        let ratio = reset(&prepared, pages, rounds.min(301));
        println!("{pages:>6} pages of 4 KiB {ratio:>8.2}");
    }
    Ok(())
}

async fn prepare(builder: &Builder, text: &str) -> Result<PreparedComponent, Failure> {
    let file = WitFile {
        name: "bench.wit".into(),
        text: WIT.into(),
    };
    let limits = Limits::default();
    let request = BuildRequest {
        interface: Arc::new(Interface::parse(vec![file], "work")?),
        world: World::Prototype,
        code: BuildInput::Source {
            path_shown: "bench.rs".into(),
            text: text.into(),
        },
        kind: BuildKind::Release,
        memory_bytes: limits.memory_bytes,
    };
    let built = builder.build(&request).await;
    let built = built.map_err(|failure| failure.message)?;
    let sandbox = Sandbox::pooled(limits, 2, 64 << 20)?;
    // SAFETY: the code was just made by this process's own builder, for this engine.
    let prepared = unsafe { sandbox.prepare(&built.timed[0], Imports::None) };
    prepared.map_err(|error| error.message.into())
}

fn begin(prepared: &PreparedComponent) -> (Instance, Callee<GuestState>) {
    let mut instance = prepared.instantiate().expect("an instance");
    let callee = instance.callee(&["work".to_owned()]).expect("the export");
    (instance, callee)
}

/// The times of fresh calls relative to kept ones: in the guest, and with everything around.
fn compare(prepared: &PreparedComponent, n: u32, rounds: usize) -> (f64, f64) {
    let arguments: Arc<[Value]> = Arc::new([Value::U32(n)]);
    let (mut kept, callee) = begin(prepared);
    let (mut guest, mut whole) = (Vec::new(), Vec::new());
    let mut fresh_slot = None;
    for round in 0..rounds {
        let mut times = [(0.0, 0.0); 2];
        // Which is first alternates; both are called twice, and the second call counts, so that each
        // finds the caches as it left them.
        for turn in 0..2 {
            let is_fresh = (turn + round) % 2 == 0;
            for _ in 0..2 {
                let before = CpuWallTime::thread_cpu_ns();
                let answered = if is_fresh {
                    drop(fresh_slot.take());
                    let (mut instance, callee) = begin(prepared);
                    let answered = instance.call(&callee, &arguments).expect("an answer");
                    fresh_slot = Some(instance);
                    answered
                } else {
                    kept.call(&callee, &arguments).expect("an answer")
                };
                let all = CpuWallTime::thread_cpu_ns() - before;
                times[usize::from(is_fresh)] = (answered.time.time.cpu_ns as f64, all as f64);
            }
        }
        guest.push((times[1].0 / times[0].0).ln());
        whole.push((times[1].1 / times[0].1).ln());
    }
    (median(guest).exp(), median(whole).exp())
}

/// The time of a reset and a new instance, relative to that of writing the pages.
fn reset(prepared: &PreparedComponent, pages: u32, rounds: usize) -> f64 {
    let arguments: Arc<[Value]> = Arc::new([Value::U32(pages)]);
    let mut ratios = Vec::new();
    let mut slot = None;
    for _ in 0..rounds {
        let before = CpuWallTime::thread_cpu_ns();
        drop(slot.take());
        let (mut instance, callee) = begin(prepared);
        let reset = CpuWallTime::thread_cpu_ns() - before;
        let answered = instance.call(&callee, &arguments).expect("an answer");
        ratios.push(reset as f64 / answered.time.time.cpu_ns as f64);
        slot = Some(instance);
    }
    median(ratios)
}
