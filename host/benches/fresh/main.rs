//! What a fresh instance for every call costs: functions that mostly allocate, on a fresh instance and
//! on one that was called before, in turns, within one process.
//!
//! ```text
//! cargo bench -p bakeoff --bench fresh [-- --quick]
//! ```
//!
//! `fresh ÷ kept` is the ratio of what a race would measure: the time in guest code. It is to be 1.00:
//! then nobody gains or loses by fresh instances. Two instances lie on different pages, and which pages
//! share places in the caches makes some per cent, for as long as they live. So the ratio is the median
//! over pools, each with pages of its own; `least` and `most` are the least and the greatest of one pool,
//! and those of `kept ÷ kept`, of two instances that were both called before, say how much of that is
//! the pages' doing. `whole` is the ratio of everything around it too,
//! which verdicts do not see: making the instance, and resetting what the last one wrote. The second
//! table shows what a reset takes beside writing the pages in the first place.

#[path = "../support/mod.rs"]
mod support;

use bakeoff_compile::{BuildKind, BuildRequest, Builder, BuiltComponent, Toolchain};
use bakeoff_confine::{Confinement, ProbeConfig};
use bakeoff_domain::spec::Limits;
use bakeoff_sandbox::invoke::{Callee, Value};
use bakeoff_sandbox::{CpuWallTime, GuestState, Imports, Instance, PreparedComponent, Sandbox};
use bakeoff_source::BuildInput;
use bakeoff_source::interface::{Interface, WitFile, World};
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
    let (pools, rounds) = if is_quick() { (5, 41) } else { (25, 101) };
    println!(
        "{:<26} {:>12} {:>6} {:>6} {:>7} {:>12} {:>6} {:>6}",
        "", "fresh ÷ kept", "least", "most", "whole", "kept ÷ kept", "least", "most"
    );
    for (name, n, text) in FUNCTIONS {
        let built = build(&builder, text).await?;
        let mut of_pools = Vec::new();
        for _ in 0..pools {
            of_pools.push(compare(&prepare(&built)?, n, rounds));
        }
        let over = |ratio: fn(&Ratios) -> f64| -> Vec<f64> {
            let mut ratios: Vec<f64> = of_pools.iter().map(ratio).collect();
            ratios.sort_by(f64::total_cmp);
            ratios
        };
        let (fresh, kept) = (over(|one| one.fresh), over(|one| one.other_kept));
        let ends = |ratios: &[f64]| (ratios[0], ratios[ratios.len() - 1]);
        let (least, most) = ends(&fresh);
        let (kept_least, kept_most) = ends(&kept);
        let whole = median(over(|one| one.whole));
        println!(
            "{name:<26} {:>12.3} {least:>6.2} {most:>6.2} {whole:>7.2} {:>12.3} {kept_least:>6.2} {kept_most:>6.2}",
            median(fresh),
            median(kept)
        );
    }
    println!("\nresetting and instantiating ÷ writing a byte of each page");
    let prepared = prepare(build(&builder, PAGES).await?.as_ref())?;
    for pages in [16, 64, 256, 1_024, 4_096] {
        let ratio = reset(&prepared, pages, 3 * rounds);
        println!("{pages:>6} pages of 4 KiB {ratio:>8.2}");
    }
    Ok(())
}

async fn build(builder: &Builder, text: &str) -> Result<Arc<BuiltComponent>, Failure> {
    let file = WitFile {
        name: "bench.wit".into(),
        text: WIT.into(),
    };
    let request = BuildRequest {
        interface: Arc::new(Interface::parse(vec![file], "work")?),
        world: World::Prototype,
        code: BuildInput::Source {
            path_shown: "bench.rs".into(),
            text: text.into(),
        },
        kind: BuildKind::Release,
        memory_bytes: Limits::default().memory_bytes,
        parameters: false,
    };
    let built = builder.build(&request).await;
    built.map_err(|failure| failure.message.into())
}

/// Prepares a component in a pool of its own.
fn prepare(built: &BuiltComponent) -> Result<PreparedComponent, Failure> {
    let sandbox = Sandbox::pooled(Limits::default(), 3, 64 << 20)?;
    // SAFETY: the code was just made by this process's own builder, for this engine.
    let prepared = unsafe { sandbox.prepare(&built.timed[0], Imports::None) };
    prepared.map_err(|error| error.message.into())
}

fn begin(prepared: &PreparedComponent) -> (Instance, Callee<GuestState>) {
    let mut instance = prepared.instantiate().expect("an instance");
    let callee = instance.callee(&["work".to_owned()]).expect("the export");
    (instance, callee)
}

/// The times of calls relative to those on an instance that was called before.
struct Ratios {
    /// Time on a fresh instance, in the guest.
    fresh: f64,
    /// The same with everything around.
    whole: f64,
    /// Time on another instance that was called before, in the guest.
    other_kept: f64,
}

/// What a call is made on.
#[derive(Clone, Copy)]
enum On {
    Kept,
    OtherKept,
    Fresh,
}

/// Compares calls on three kinds of instances, whose order changes from round to round.
fn compare(prepared: &PreparedComponent, n: u32, rounds: usize) -> Ratios {
    let arguments: Arc<[Value]> = Arc::new([Value::U32(n)]);
    let (mut kept, callee) = begin(prepared);
    let (mut other_kept, other_callee) = begin(prepared);
    let (mut fresh, mut whole, mut other) = (Vec::new(), Vec::new(), Vec::new());
    let mut fresh_slot = None;
    for round in 0..rounds {
        let mut times = [(0.0, 0.0); 3];
        let mut order = [On::Kept, On::OtherKept, On::Fresh];
        order.rotate_left(round % 3);
        if round % 2 == 0 {
            order.swap(1, 2);
        }
        // All are called twice, and the second call counts, so that each finds the caches as it left
        // them.
        for on in order {
            for _ in 0..2 {
                let before = CpuWallTime::thread_cpu_ns();
                let answered = match on {
                    On::Kept => kept.call(&callee, &arguments).expect("an answer"),
                    On::OtherKept => {
                        let answered = other_kept.call(&other_callee, &arguments);
                        answered.expect("an answer")
                    }
                    On::Fresh => {
                        drop(fresh_slot.take());
                        let (mut instance, callee) = begin(prepared);
                        let answered = instance.call(&callee, &arguments).expect("an answer");
                        fresh_slot = Some(instance);
                        answered
                    }
                };
                let all = CpuWallTime::thread_cpu_ns() - before;
                times[on as usize] = (answered.time.time.cpu_ns as f64, all as f64);
            }
        }
        let [kept, other_kept, of_fresh] = times;
        fresh.push((of_fresh.0 / kept.0).ln());
        whole.push((of_fresh.1 / kept.1).ln());
        other.push((other_kept.0 / kept.0).ln());
    }
    Ratios {
        fresh: median(fresh).exp(),
        whole: median(whole).exp(),
        other_kept: median(other).exp(),
    }
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
