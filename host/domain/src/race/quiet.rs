//! Quiet cores: which samples were taken while nobody else used the core, as the contention probe tells.
//!
//! Whoever shares a core with others is slower there, some programs more than others, and who is faster
//! may depend on it. So verdicts rest on what was measured on a quiet core, where there is enough of it. The
//! probe alone decides that: of two identical programs it favours neither, since it says the same of both,
//! whichever of them is called the first.

use crate::measurement::{CaseIndex, Replica, Sample, SampleKind};
use crate::stats::quantile;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How much longer than on a quiet core the contention probe may take there, as a fraction.
const TOLERANCE: f64 = 0.05;
/// A replica has a quiet part if one of so many of its blocks was quiet: a median over few blocks says as
/// much of a process as one over many.
const PARTS_OF_REPLICA: usize = 4;
/// Verdicts rest on quiet cores if one of so many replicas had a quiet part: with fewer, those that count would
/// be dear, and hardly what the machine is like.
const PARTS_OF_RACE: u32 = 3;

/// The part of a process's readings that agree where its core is quiet.
const AGREEING_SHARE: f64 = 0.25;
/// The fewest of them.
const AGREEING_MIN: usize = 4;
/// What agrees, as a fraction: readings of a quiet core do within a thousandth, those of a crowded one do not
/// within a fiftieth.
const AGREEMENT: f64 = 0.005;
/// The quantile over processes of such readings that is taken for a quiet core: not the least, as a single
/// process could be wrong.
const QUIET_QUANTILE: f64 = 0.1;

/// The reading on which a quarter of a process's readings agree, four at least: the middle of the shortest interval
/// that holds so many. On a quiet core the same work takes the same time, which no other state of a core can
/// say of itself. `None` if they do not agree.
///
/// ```
/// use bakeoff_domain::race::quiet_reading;
/// assert_eq!(quiet_reading(&[1.5, 1.2, 0.7, 1.2, 1.3, 1.2, 1.9, 1.2]), Some(1.2));
/// assert_eq!(quiet_reading(&[1.5, 1.4, 1.6, 1.3, 1.7, 1.8]), None);
/// ```
pub fn quiet_reading(readings: &[f64]) -> Option<f64> {
    let mut sorted = possible(readings);
    sorted.sort_unstable_by(f64::total_cmp);
    let count = (AGREEING_SHARE * sorted.len() as f64).ceil() as usize;
    let intervals = sorted.windows(count.max(AGREEING_MIN));
    let ends = intervals.filter_map(|inside| Some((*inside.first()?, *inside.last()?)));
    let (low, high) = ends.min_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)))?;
    (high <= low * (1.0 + AGREEMENT)).then_some(0.5 * (low + high))
}

/// The readings that the probe could have read.
fn possible(readings: &[f64]) -> Vec<f64> {
    let readings = readings.iter().copied();
    readings
        .filter(|reading| reading.is_finite() && *reading > 0.0)
        .collect()
}

/// How many replicas, or processes, had a quiet core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietReplicas {
    /// Those of which at least a quarter of the blocks had one.
    pub quiet: u32,
    /// All replicas, whether they count or not.
    pub of: u32,
}

impl QuietReplicas {
    /// Whether verdicts rest on quiet cores.
    pub fn are_enough(self) -> bool {
        self.quiet > 0 && PARTS_OF_RACE * self.quiet >= self.of
    }
}

/// What the contention probe reads on a quiet core of this machine, known before the first replica.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuietCore {
    /// The ratio of its two pieces on a quiet core.
    pub reference: f64,
    /// The fraction by which a ratio may be larger and still be one of a quiet core.
    pub tolerance: f64,
}

impl QuietCore {
    /// The core of a machine on which processes had these [quiet readings](quiet_reading); `None` without any.
    ///
    /// ```
    /// use bakeoff_domain::race::QuietCore;
    /// let quiet = QuietCore::new(&[1.125, 1.124, 1.3, f64::NAN]).unwrap();
    /// assert!(quiet.is_quiet(1.17) && !quiet.is_quiet(1.19));
    /// assert_eq!(QuietCore::new(&[]), None);
    /// ```
    pub fn new(readings: &[f64]) -> Option<Self> {
        let mut readings = possible(readings);
        Some(Self {
            reference: quantile(&mut readings, QUIET_QUANTILE)?,
            tolerance: TOLERANCE,
        })
    }

    /// Whether this is a reading of a quiet core.
    pub fn is_quiet(&self, reading: f64) -> bool {
        reading <= self.reference * (1.0 + self.tolerance)
    }

    /// What of a replica was measured on a quiet core: its samples without those of crowded blocks. A block
    /// is quiet or crowded on each case by itself; single calls are in none, and stay. `None` if fewer than a
    /// quarter of the blocks were quiet, or nothing is known of them.
    pub fn part<'a>(&self, replica: &'a Replica) -> Option<Cow<'a, Replica>> {
        let mut blocks: BTreeMap<(CaseIndex, u32), bool> = BTreeMap::new();
        let is_full = |sample: &&Sample| sample.kind == SampleKind::Full;
        for sample in replica.samples.iter().filter(is_full) {
            let quiet = blocks.entry((sample.case, sample.block)).or_insert(true);
            *quiet &= self.has_quiet_core(sample);
        }
        let quiet = blocks.values().filter(|quiet| **quiet).count();
        if PARTS_OF_REPLICA * quiet < blocks.len() || quiet == 0 {
            return None;
        }
        if quiet == blocks.len() {
            return Some(Cow::Borrowed(replica));
        }
        let kept = replica.samples.iter();
        let kept = kept.filter(|sample| !is_full(sample) || blocks[&(sample.case, sample.block)]);
        Some(Cow::Owned(with_samples(replica, kept.cloned().collect())))
    }

    /// The rest of a replica: all of it where it has no quiet [part](Self::part), else its samples in crowded
    /// blocks. `None` where nothing is left.
    pub fn rest<'a>(&self, replica: &'a Replica) -> Option<Cow<'a, Replica>> {
        let Some(part) = self.part(replica) else {
            return Some(Cow::Borrowed(replica));
        };
        let mut kept = part.samples.iter().peekable();
        let left = replica.samples.iter();
        let left: Vec<Sample> = left
            .filter(|sample| kept.next_if(|next| next == sample).is_none())
            .cloned()
            .collect();
        (!left.is_empty()).then(|| Cow::Owned(with_samples(replica, left)))
    }

    fn has_quiet_core(&self, sample: &Sample) -> bool {
        sample
            .core_contention
            .is_some_and(|reading| self.is_quiet(reading))
    }
}

/// The replica with these of its samples.
fn with_samples(replica: &Replica, samples: Vec<Sample>) -> Replica {
    Replica {
        index: replica.index,
        solo: replica.solo,
        samples,
        baselines: replica.baselines.clone(),
        cold_ns: replica.cold_ns.clone(),
        parts: replica.parts.clone(),
        surroundings: replica.surroundings,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Surroundings;

    const QUIET: QuietCore = QuietCore {
        reference: 1.2,
        tolerance: 0.05,
    };

    /// Two variants on two cases, by block: what the probe read around the first case and the second.
    fn replica(blocks: &[[Option<f64>; 2]]) -> Replica {
        let mut samples = Vec::new();
        for (block, readings) in (0..).zip(blocks) {
            for (case, core_contention) in readings.iter().copied().enumerate() {
                samples.extend([0, 1].map(|variant| Sample {
                    kind: SampleKind::Full,
                    variant,
                    case,
                    block,
                    position: 0,
                    calls: 1,
                    cpu_ns: 1,
                    wall_ns: 1,
                    core_contention,
                }));
            }
        }
        Replica {
            index: 0,
            solo: true,
            samples,
            baselines: Vec::new(),
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        }
    }

    #[test]
    fn a_block_is_quiet_or_crowded_on_each_case_by_itself() {
        let (quiet, crowded) = (Some(1.25), Some(1.27));
        let of = replica(&[[quiet, crowded], [quiet, quiet], [crowded, crowded]]);
        let part = QUIET.part(&of).expect("a quarter of it is quiet");
        let mut left = part.samples.iter();
        let places = left.by_ref().map(|one| (one.block, one.case, one.variant));
        let all = [(0, 0), (1, 0), (1, 1)];
        let all = all.into_iter();
        let both = all.flat_map(|(block, case)| [(block, case, 0), (block, case, 1)]);
        assert!(places.eq(both));
        let rest = QUIET.rest(&of).expect("the crowded blocks");
        assert_eq!(rest.samples.len() + part.samples.len(), of.samples.len());
        assert!(
            rest.samples
                .iter()
                .all(|one| one.core_contention == crowded)
        );
    }

    #[test]
    fn a_replica_that_was_mostly_crowded_or_of_which_nothing_is_known_has_no_quiet_part() {
        let (quiet, crowded) = (Some(1.2), Some(1.5));
        let of = [[quiet, crowded], [crowded, crowded], [crowded, crowded]];
        assert_eq!(QUIET.part(&replica(&of)), None);
        assert!(QUIET.part(&replica(&of[..2])).is_some());
        assert_eq!(QUIET.part(&replica(&[[None, None]])), None);
        assert_eq!(QUIET.part(&replica(&[])), None);
        let all = replica(&[[quiet, quiet]]);
        assert!(matches!(QUIET.part(&all), Some(Cow::Borrowed(_))));
        assert_eq!(QUIET.rest(&all), None);
        assert_eq!(QUIET.rest(&replica(&of)).as_deref(), Some(&replica(&of)));
    }

    #[test]
    fn verdicts_rest_on_quiet_cores_where_a_third_of_the_replicas_had_one() {
        let enough = [(0, 0), (0, 4), (1, 1), (1, 3), (1, 4), (2, 6), (2, 7)];
        let found = enough.map(|(quiet, of)| QuietReplicas { quiet, of }.are_enough());
        assert_eq!(found, [false, false, true, true, false, true, false]);
    }
}
