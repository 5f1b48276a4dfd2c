//! Measurement of the cores that slow each other down: in a virtual machine, the system's own description may be wrong.

use bakeoff_runner::ContentionReadings;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The most cores whose pairs are tried: 28 pairs, in less than a second.
const CORES_MAX: usize = 8;
/// Rounds of a pair, each with a reading beside an idle core and one beside a busy one.
const ROUNDS: usize = 12;
/// The pause between two rounds, in which all pairs have their turn: a hypervisor may move a core meanwhile, and two
/// that share a physical core for a moment are no neighbours.
const PAUSE: Duration = Duration::from_millis(120);
/// Readings of the contention probe whose mean is the reading of a round.
const READINGS: usize = 8;
/// The smallest median factor that counts: a smaller slowdown is no reason to leave a core idle.
const FACTOR_MIN: f64 = 1.05;
/// The chance that any pair is called disturbing though none is.
const ALPHA: f64 = 0.05;

/// Pairs of cores that were tried, and those that slow each other down.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Neighbours {
    /// The pairs that surely disturb each other.
    pub(super) disturbing: Vec<[usize; 2]>,
    /// Number of pairs that were tried.
    pub(super) tried: usize,
}

/// Tries the pairs of these cores; `None` if there is no pair, or a thread cannot be pinned.
pub(super) fn examine(cores: &[usize]) -> Option<Neighbours> {
    let cores = &cores[..cores.len().min(CORES_MAX)];
    let pairs = cores.iter().enumerate();
    let pairs: Vec<[usize; 2]> = pairs
        .flat_map(|(place, a)| cores[place + 1..].iter().map(|b| [*a, *b]))
        .collect();
    if pairs.is_empty() {
        return None;
    }
    let mut measured: Vec<([usize; 2], Vec<f64>)> =
        pairs.iter().map(|pair| (*pair, Vec::new())).collect();
    for round in 0..ROUNDS {
        if round > 0 {
            std::thread::sleep(PAUSE);
        }
        for (pair, factors) in &mut measured {
            factors.push(factor(*pair, round % 2 == 0)?);
        }
    }
    Some(judged(&measured))
}

/// Returns the pairs that surely disturb each other, by the factors of their rounds: an exact sign test, divided by the
/// number of pairs (Bonferroni), and a median of [`FACTOR_MIN`] at least.
fn judged(measured: &[([usize; 2], Vec<f64>)]) -> Neighbours {
    let disturbs = |factors: &[f64]| {
        let longer = factors.iter().filter(|factor| **factor > 1.0).count();
        let mut sorted = factors.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(1.0);
        middle >= FACTOR_MIN
            && at_least(longer, factors.len()) <= ALPHA / measured.len().max(1) as f64
    };
    let disturbing = measured.iter().filter(|(_, factors)| disturbs(factors));
    Neighbours {
        disturbing: disturbing.map(|(pair, _)| *pair).collect(),
        tried: measured.len(),
    }
}

/// Joins pairs that have a core in common into groups.
pub(super) fn joined(pairs: &[[usize; 2]]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for pair in pairs {
        let is_of = |group: &Vec<usize>| pair.iter().any(|core| group.contains(core));
        let (mut of, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_of);
        let mut group = of.drain(..).flatten().collect::<Vec<usize>>();
        group.extend(pair);
        group.sort_unstable();
        group.dedup();
        groups = rest;
        groups.push(group);
    }
    groups.sort();
    groups
}

/// Returns the chance of at least `heads` heads in `throws` throws of a coin.
fn at_least(heads: usize, throws: usize) -> f64 {
    // Pascal's triangle, a row at a time, each entry already divided by 2ⁿ.
    let mut row = vec![1.0];
    for _ in 0..throws {
        let mut next = vec![0.0; row.len() + 1];
        for (place, chance) in row.iter().enumerate() {
            next[place] += chance / 2.0;
            next[place + 1] += chance / 2.0;
        }
        row = next;
    }
    row[heads.min(throws)..].iter().sum()
}

/// Returns the ratio of the contention probe's reading on the first core while the second is busy to that while it is
/// idle. `is_idle_first` gives the order of the two. `None` if a thread cannot be pinned.
fn factor([probed, other]: [usize; 2], is_idle_first: bool) -> Option<f64> {
    let work = move || {
        if bakeoff_confine::pin(probed).is_err() {
            return None;
        }
        // In turns, so that no drift is taken for the other core.
        if is_idle_first {
            let idle = reading()?;
            return Some(reading_beside(other)? / idle);
        }
        let busy = reading_beside(other)?;
        Some(busy / reading()?)
    };
    std::thread::spawn(work).join().ok().flatten()
}

fn reading() -> Option<f64> {
    let mut readings = ContentionReadings::default();
    for _ in 0..READINGS {
        readings.read();
    }
    readings.mean_ratio()
}

/// Takes a reading while the other core is busy.
fn reading_beside(core: usize) -> Option<f64> {
    let (began, done) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let neighbour = scope.spawn(|| {
            let is_pinned = bakeoff_confine::pin(core).is_ok();
            began.store(true, Ordering::Release);
            let mut work = ContentionReadings::default();
            while is_pinned && !done.load(Ordering::Acquire) {
                work.read();
            }
            is_pinned
        });
        while !began.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        let reading = reading();
        done.store(true, Ordering::Release);
        let was_busy = neighbour.join().unwrap_or(false);
        reading.filter(|_| was_busy)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_disturbs_if_nearly_every_round_says_so_and_by_enough() {
        let by = |factor: f64| vec![factor; ROUNDS];
        let mut mostly = by(1.4);
        mostly[..3].fill(0.7);
        let measured = [
            ([0, 1], by(1.3)),
            ([0, 2], by(1.0)),
            ([0, 3], by(1.02)),
            ([1, 2], mostly),
        ];
        let found = judged(&measured);
        assert_eq!(found.disturbing, [[0, 1]]);
        assert_eq!(found.tried, 4);
        // Chance does not find one among the most pairs there are; a real one is still found.
        let many: Vec<_> = (0..28).map(|core| ([core, 99], by(1.2))).collect();
        assert_eq!(judged(&many).disturbing.len(), 28);
        assert!((at_least(12, 12) - 1.0 / 4_096.0).abs() < 1e-12);
        assert!((at_least(11, 12) - 13.0 / 4_096.0).abs() < 1e-12);
        assert!((at_least(0, 12) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn pairs_with_a_core_in_common_are_one_group() {
        assert_eq!(
            joined(&[[0, 1], [2, 3], [1, 4]]),
            [vec![0, 1, 4], vec![2, 3]]
        );
        assert_eq!(joined(&[[0, 1], [2, 3], [1, 2]]), [vec![0, 1, 2, 3]]);
        assert!(joined(&[]).is_empty());
    }

    #[test]
    fn every_pair_of_this_machine_is_tried() {
        let cores = bakeoff_confine::usable_cores();
        let found = examine(&cores);
        let count = cores.len().min(CORES_MAX);
        assert!(found.is_none_or(|found| found.tried == count * (count - 1) / 2));
        assert_eq!(examine(&[0]), None);
    }
}
