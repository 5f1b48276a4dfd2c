//! The processor: its cores, their load, and the steadiness of their times.

use super::facts::CoreFacts;
use super::neighbours;
use bakeoff_sandbox::CpuWallTime;
use std::fs;
use std::hint::black_box;
use std::path::Path;

/// Number of times that the same work is timed.
const SLICES: usize = 60;

/// Rounds of the work that is timed: some milliseconds.
const ROUNDS: u64 = 2_000_000;

/// The folder in which Linux describes its processors.
const SYSTEM: &str = "/sys/devices/system/cpu";

/// Examines the processor. `before` is [`Ticks::now`] at the start of the examination.
pub(super) fn examine(before: Option<Ticks>) -> CoreFacts {
    let usable = bakeoff_confine::usable_cores();
    let pinnable = pinnable();
    let (drift, contention) = steadiness();
    let found = neighbours::examine(&pinnable);
    CoreFacts {
        cpu: bakeoff_measure::cpu_model(),
        siblings: siblings(&usable),
        pairs_tried: found.as_ref().map_or(0, |found| found.tried),
        disturbing: found.map(|found| found.disturbing),
        governor: governor(&usable),
        usable,
        pinnable,
        drift,
        contention,
        stolen: before
            .zip(Ticks::now())
            .and_then(|(a, b)| b.stolen_since(a)),
        load: bakeoff_measure::load(),
    }
}

/// The cores that a thread can be pinned to, tested in a thread of its own.
fn pinnable() -> Vec<usize> {
    let pin = || {
        let cores = bakeoff_confine::usable_cores().into_iter();
        cores
            .filter(|core| bakeoff_confine::pin(*core).is_ok())
            .collect()
    };
    std::thread::spawn(pin).join().unwrap_or_default()
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Groups of usable cores that are threads of one physical core; `None` if the system does not
/// report them.
fn siblings(usable: &[usize]) -> Option<Vec<Vec<usize>>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for core in usable {
        let file = format!("{SYSTEM}/cpu{core}/topology/thread_siblings_list");
        let mut group = list(fs::read_to_string(file).ok()?.trim())?;
        group.retain(|core| usable.contains(core));
        if group.len() > 1 && !groups.contains(&group) {
            groups.push(group);
        }
    }
    (!usable.is_empty()).then_some(groups)
}

/// A list of cores as Linux writes it: `0-2,8`.
fn list(text: &str) -> Option<Vec<usize>> {
    let mut cores = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        // No machine has more cores: a larger range would only use memory.
        if last >= 1 << 16 {
            return None;
        }
        cores.extend(first..=last);
    }
    Some(cores)
}

/// The governor of the usable cores; several, if they differ.
fn governor(usable: &[usize]) -> Option<String> {
    let file = |core| format!("{SYSTEM}/cpu{core}/cpufreq/scaling_governor");
    let mut governors: Vec<String> = usable
        .iter()
        .filter_map(|core| fs::read_to_string(file(core)).ok())
        .map(|governor| governor.trim().to_owned())
        .collect();
    governors.sort();
    governors.dedup();
    (!governors.is_empty()).then(|| governors.join(", "))
}

/// Times the same work and the contention probe in turn, and returns the spread of each.
fn steadiness() -> (f64, f64) {
    let (slices, probe_readings) = (0..SLICES)
        .map(|_| (slice(), bakeoff_runner::contention_probe_ns() as f64))
        .unzip();
    (spread(slices), spread(probe_readings))
}

/// The 90th percentile divided by the 10th, minus 1.
fn spread(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let (fast, slow) = (times[SLICES / 10], times[SLICES - 1 - SLICES / 10]);
    if fast > 0.0 { slow / fast - 1.0 } else { 0.0 }
}

/// CPU time of the work, in nanoseconds. Each round depends on the one before it.
fn slice() -> f64 {
    let start = CpuWallTime::thread_cpu_ns();
    let mut state = black_box(1_u64);
    for _ in 0..ROUNDS {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
    (CpuWallTime::thread_cpu_ns() - start) as f64
}

/// CPU time of all cores since the machine started, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticks {
    all: u64,
    stolen: u64,
}

impl Ticks {
    /// The ticks now; `None` if the system does not report them.
    pub(super) fn now() -> Option<Self> {
        Self::parse(&read("/proc/stat"))
    }

    /// "cpu user nice system idle iowait irq softirq steal guest guest_nice", proc(5); time of
    /// guests is in user and nice already.
    fn parse(stat: &str) -> Option<Self> {
        let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let fields: Option<Vec<u64>> = line
            .split_whitespace()
            .take(8)
            .map(|field| field.parse().ok())
            .collect();
        let fields = fields?;
        Some(Self {
            all: fields.iter().sum(),
            stolen: *fields.get(7)?,
        })
    }

    /// The share of the time since `before` that was stolen.
    fn stolen_since(self, before: Self) -> Option<f64> {
        let all = self.all.checked_sub(before.all).filter(|all| *all > 0)?;
        Some(self.stolen.saturating_sub(before.stolen) as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cores_are_parsed() {
        assert_eq!(list("0-2,8"), Some(vec![0, 1, 2, 8]));
        assert_eq!(list("3"), Some(vec![3]));
        assert_eq!(list(""), None);
        assert_eq!(list("0-99999999"), None);
    }

    #[test]
    fn stolen_time_is_a_share_of_all_time() {
        let before = Ticks::parse("cpu  10 0 10 70 0 0 0 10 0 0\ncpu0 1").unwrap();
        let after = Ticks::parse("cpu  60 0 10 70 0 0 0 60 5 0\n").unwrap();
        assert_eq!(after.stolen_since(before), Some(0.5));
        assert_eq!(before.stolen_since(before), None);
        assert_eq!(Ticks::parse("cpu  1 2 3\n"), None);
    }
}
