//! Recording of a trace: the times of eight identical variants while the machine is kept busy. The
//! format is described in `host/domain/benches/trace/README.md`.
//!
//! Six runs of at most 96 replicas each (one with `--quick`), at 99.99 % confidence and with a
//! practical threshold that nothing reaches, so that all eight stay to the end. The first blocks of
//! a longer replica are kept; one that is shorter, or lacks a variant, is left out.

use super::noise::Noise;
use super::spin::{self, Failure, Listed, Setup, Source, Spin};
use super::support;
use bakeoff_store::{ExportFormat, ExportTable, Mode, Store};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The number of variants in each replica.
const VARIANTS: usize = 8;
/// The number of blocks that are kept of each replica.
const BLOCKS: usize = 6;
/// The number of rounds of a call.
const ROUNDS: u32 = 100_000;
/// The number of runs.
const RUNS: u64 = 6;
const RUNS_QUICK: u64 = 1;
/// The clock resolution, in nanoseconds.
const CLOCK_NS: f64 = 500.0;
/// The step to which logarithms are rounded.
const STEP: f64 = 1e-4;

/// One sample.
struct Taken {
    variant: u8,
    block: u64,
    total_ns: f64,
    cpu_ns: f64,
    wall_ns: f64,
}

/// Records a trace into a file.
pub(crate) fn record(file: &Path) -> Result<(), Failure> {
    let spin = Spin::new(&Setup {
        source: Source::Spin,
        work: &[1000; VARIANTS],
        rounds: &[ROUNDS],
        listed: Listed::AsNumbered,
        measure: "budget = \"120 s\"\nconfidence = 0.9999\npractical = 0.0001",
    })?;
    let runs = if support::is_quick() {
        RUNS_QUICK
    } else {
        RUNS
    };
    let (mut kept, mut left_out) = (Vec::new(), 0);
    {
        let _noise = Noise::begin(1)?;
        for seed in 1..=runs {
            let ran = spin.run(seed)?;
            for mut replica in replicas(ran.results.path())? {
                replica.retain(|taken| taken.block < BLOCKS as u64);
                match is_whole(&replica) {
                    true => kept.push(replica),
                    false => left_out += 1,
                }
            }
        }
    }
    let bytes = encode(&kept)?;
    std::fs::write(file, &bytes)?;
    println!(
        "{} replicas in {} bytes; {left_out} left out",
        kept.len(),
        bytes.len()
    );
    Ok(())
}

/// Returns the samples of a run by replica, in the order in which they ran.
fn replicas(results: &Path) -> Result<Vec<Vec<Taken>>, Failure> {
    let mut text = Vec::new();
    Store::open(results, Mode::Read)?.export(
        None,
        ExportTable::Samples,
        ExportFormat::Jsonl,
        &mut text,
    )?;
    let mut replicas: BTreeMap<u64, Vec<Taken>> = BTreeMap::new();
    for line in text
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let row: Value = serde_json::from_slice(line)?;
        let number = |name: &str| row[name].as_f64().ok_or(format!("a sample lacks {name}"));
        let name = row["variant"].as_str().unwrap_or_default();
        let variant = (0..VARIANTS).find(|variant| spin::name(*variant) == name);
        let calls = number("calls")?.max(1.0);
        replicas
            .entry(number("replica")? as u64)
            .or_default()
            .push(Taken {
                variant: variant.ok_or(format!("nobody is called {name:?}"))? as u8,
                block: number("block")? as u64,
                total_ns: number("cpu_ns")?,
                cpu_ns: number("cpu_ns_per_call")?.max(1.0),
                wall_ns: (number("wall_ns")? / calls).max(1.0),
            });
    }
    Ok(replicas.into_values().collect())
}

/// Returns true if each block has each variant once.
fn is_whole(replica: &[Taken]) -> bool {
    let mut blocks: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    for taken in replica {
        blocks.entry(taken.block).or_default().push(taken.variant);
    }
    let whole = |variants: &mut Vec<u8>| {
        variants.sort_unstable();
        variants.iter().copied().eq(0..VARIANTS as u8)
    };
    blocks.len() == BLOCKS && blocks.values_mut().all(whole)
}

fn encode(replicas: &[Vec<Taken>]) -> Result<Vec<u8>, Failure> {
    let samples = || replicas.iter().flatten();
    let shortest = samples()
        .map(|taken| taken.cpu_ns)
        .fold(f64::INFINITY, f64::min);
    let totals: f64 = samples().map(|taken| taken.total_ns).sum();
    let grain = CLOCK_NS * samples().count() as f64 / totals;
    let mut bytes = b"BAKETRC1".to_vec();
    bytes.extend([VARIANTS as u8, BLOCKS as u8]);
    bytes.extend(u16::try_from(replicas.len())?.to_le_bytes());
    bytes.extend((grain as f32).to_le_bytes());
    let log = |ns: f64| {
        let steps = ((ns / shortest).ln() / STEP).round();
        (steps.clamp(0.0, f64::from(u16::MAX)) as u16).to_le_bytes()
    };
    for taken in samples() {
        bytes.push(taken.variant);
        bytes.extend(log(taken.cpu_ns));
        bytes.extend(log(taken.wall_ns));
    }
    Ok(bytes)
}
