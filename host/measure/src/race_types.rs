//! The inputs and results of a race.

use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::measurement::{CaseIndex, Overrun, Replica, VariantIndex};
use bakeoff_domain::plan::{INSTANCES_PER_BLOCK, Sampling};
use bakeoff_domain::race::{Analysis, StopReason};
use bakeoff_domain::spec::Measure;
use bakeoff_sandbox::GuestError;
use bakeoff_source::PackedFolders;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

/// The number of replicas in a row that may stall before the race is abandoned.
pub(super) const STALLS_MAX: u32 = 5;

/// A variant that is to be timed.
#[derive(Clone, Debug)]
pub struct TimedVariant {
    /// The variant's code in the timed profile, as one or more layouts.
    pub timed: Arc<[Vec<u8>]>,
    /// True if memory for the arguments comes from the allocator that every source gets.
    pub our_allocator: bool,
    /// The files that the variant is granted, if any.
    pub files: Option<PackedFolders>,
    /// True if the host recodes the component's strings, so that all of a call counts as its time.
    pub recodes: bool,
    /// True if the variant's calls took less work in the gate on an instance that was called before.
    pub gains_by_state: bool,
    /// The most memory that one of its calls used in the gate, in bytes.
    pub peak_bytes: u64,
    /// Units of fuel of one call by case, for the cases that the gate checked.
    pub fuel: Vec<u64>,
    /// Rough CPU time of the first call in the gate, by case, in nanoseconds; 0 where it is not known.
    pub gate_cpu_ns: Vec<u64>,
}

/// Returns the variants that are programs, ascending.
pub(super) fn programs(variants: &[TimedVariant]) -> Vec<VariantIndex> {
    let all = variants.iter().enumerate();
    all.filter(|(_, one)| one.is_program())
        .map(|(variant, _)| variant)
        .collect()
}

impl TimedVariant {
    /// Returns a variant of which nothing but these times of its calls in the gate is known.
    #[cfg(test)]
    pub(super) fn of_gate(cpu_ns: &[u64]) -> Self {
        Self {
            timed: Vec::new().into(),
            our_allocator: false,
            files: None,
            recodes: false,
            gains_by_state: false,
            peak_bytes: 0,
            fuel: Vec::new(),
            gate_cpu_ns: cpu_ns.to_vec(),
        }
    }

    /// Returns true if the variant is a program.
    pub fn is_program(&self) -> bool {
        self.files
            .as_ref()
            .is_some_and(|files| files.program.is_some())
    }
}

/// A variant that failed while it was timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropout {
    /// The variant that failed.
    pub variant: VariantIndex,
    /// The failure of the variant.
    pub failure: Failure,
    /// The calls that reproduce the failure in one instance: case and seed of each. Empty if
    /// nothing was called, or if a repetition would add nothing to the failure.
    pub calls: Vec<(CaseIndex, u64)>,
    /// The call that failed, if it is known; kept even when there is nothing to reproduce any more.
    pub failed_call: Option<(CaseIndex, u64)>,
}

impl Dropout {
    /// Makes the failure of a variant whose runner died; no call can be named.
    pub(super) fn of_death(variant: VariantIndex, error: GuestError) -> Self {
        Self {
            variant,
            failure: Failure {
                class: error.class,
                message: error.message,
                phase: Phase::Measure,
                limit: error.limit,
            },
            calls: Vec::new(),
            failed_call: None,
        }
    }
}

/// Returns the failures of a replica, and where variants disagree without an oracle, those of all others that take part
/// in the race too: any verdict between them would depend on which answer is right.
pub(super) fn with_all_who_disagree(
    mut failed: Vec<Dropout>,
    taking_part: impl Iterator<Item = VariantIndex>,
) -> Vec<Dropout> {
    let disagrees = |dropout: &&Dropout| dropout.failure.class == FailureClass::Disagreement;
    let Some(first) = failed.iter().find(disagrees).cloned() else {
        return failed;
    };
    let others: Vec<VariantIndex> = taking_part
        .filter(|variant| failed.iter().all(|dropout| dropout.variant != *variant))
        .collect();
    failed.extend(others.into_iter().map(|variant| Dropout {
        variant,
        failure: Failure {
            message: format!(
                "the others disagree: one {}, so that nobody can be ranked",
                first.failure.message
            ),
            ..first.failure.clone()
        },
        ..first.clone()
    }));
    failed
}

/// The options of a race.
#[derive(Clone, Copy, Debug)]
pub struct RaceOptions<'a> {
    /// Digest of all that the race's replicas depend on, its seed included. It tells the tasks of this race from those
    /// of any other.
    pub key: &'a str,
    /// The options for measuring time, as declared.
    pub measure: &'a Measure,
    /// The part of the run's budget that was used before the race, which `measure` has no more.
    pub used: Duration,
    /// Cores to pin runners to.
    pub cores: &'a [usize],
    /// The share of α that the claims by one reading have.
    pub metric_share: f64,
    /// `true` if a criterion asks for the cold start.
    pub cold_start: bool,
    /// `true` if the cases are instances of one set.
    pub instances: bool,
}

impl RaceOptions<'_> {
    /// Returns the number of cases that each block draws, if they are instances of one set.
    pub(super) fn instances_per_block(&self) -> Option<u32> {
        self.instances.then_some(INSTANCES_PER_BLOCK)
    }
}

/// The result of the pilot: the sampling of the race, and the variants that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pilot {
    /// The sampling that the race uses.
    pub sampling: Sampling,
    /// q: the clock resolution, in nanoseconds.
    pub clock_ns: f64,
    /// The last replica of the pilot, from which each pair's first scale is taken; its times count for the ratios that
    /// are shown. `None` if there was no time for one.
    pub replica: Option<Replica>,
    /// Number of layouts of each variant.
    pub layouts: Vec<u32>,
    /// Variants that failed in the pilot.
    pub failed: Vec<Dropout>,
    /// The number of calls of guest code.
    pub calls: u64,
    /// True if timed instances came from a pool; `None` if no runner told.
    pub pooled: Option<bool>,
    /// True if all of every call was timed, what the host does for it included.
    #[serde(default)]
    pub all_timed: bool,
    /// The time that the pilot took, in seconds.
    pub seconds: f64,
    /// The part of the run's budget that was used before the race, in seconds: a race that goes on has no more time for
    /// what had been checked.
    #[serde(default)]
    pub used_s: f64,
}

/// The end of a race that has no pilot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unpiloted {
    /// The reason why the race ended.
    pub stop: StopReason,
    /// The variants that failed before the end.
    pub failed: Vec<Dropout>,
    /// The number of calls of guest code.
    pub calls: u64,
}

/// The part of a race that earlier sessions stored.
#[derive(Clone, Debug, Default)]
pub struct StoredRace {
    /// The pilot, if it was done.
    pub pilot: Option<Pilot>,
    /// The replicas, in the order of their index.
    pub replicas: Vec<Replica>,
    /// The variants that failed in the race.
    pub dropped: Vec<Dropout>,
    /// The samples that took far longer than was predicted.
    pub overruns: Vec<Overrun>,
    /// Seconds of measuring so far.
    pub seconds: f64,
}

/// The result of a race.
#[derive(Clone, Debug)]
pub struct Raced {
    /// The analysis of the replicas. `None` if no variant was left to measure.
    pub analysis: Option<Analysis>,
    /// The replicas.
    pub replicas: Vec<Replica>,
    /// The pilot; `None` if the race ended before it was done.
    pub pilot: Option<Pilot>,
    /// The variants that failed.
    pub failed: Vec<Dropout>,
    /// The reason why the race ended.
    pub stop: StopReason,
    /// The number of calls of guest code that the result rests on: those of the pilot, and those of
    /// every replica's samples. It is counted from what is stored, so it does not depend on the
    /// number of sessions. Warm-ups of replicas, and replicas that never ended, are not counted.
    pub calls: u64,
}

impl Raced {
    /// Returns the result of a race that ended before its pilot was done.
    pub fn without_pilot(over: Unpiloted) -> Self {
        Self {
            analysis: None,
            replicas: Vec::new(),
            pilot: None,
            failed: over.failed,
            stop: over.stop,
            calls: over.calls,
        }
    }
}

/// Returns the number of layouts of each variant.
pub(super) fn layouts(timed_variants: &[TimedVariant]) -> Vec<u32> {
    let count = |timed_variant: &TimedVariant| timed_variant.timed.len() as u32;
    timed_variants.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropout(variant: VariantIndex, class: FailureClass) -> Dropout {
        let failure = Failure {
            class,
            message: "answers 1".to_owned(),
            phase: Phase::Measure,
            limit: None,
        };
        Dropout {
            variant,
            failure,
            calls: Vec::new(),
            failed_call: Some((0, 9)),
        }
    }

    /// Returns the failed variants with their classes, where those of `classes` failed in a race of five.
    fn failed(classes: &[(VariantIndex, FailureClass)]) -> Vec<(VariantIndex, FailureClass)> {
        let dropouts = classes
            .iter()
            .map(|(variant, class)| dropout(*variant, *class));
        let failed = with_all_who_disagree(dropouts.collect(), 0..5);
        assert!(failed.iter().all(|one| one.failed_call == Some((0, 9))));
        failed
            .iter()
            .map(|one| (one.variant, one.failure.class))
            .collect()
    }

    #[test]
    fn who_has_left_is_not_the_winner_of_those_who_disagree() {
        let (trap, disagrees) = (FailureClass::Trap, FailureClass::Disagreement);
        assert_eq!(failed(&[(2, trap)]), [(2, trap)]);
        let all = [3, 1, 0, 2, 4].map(|variant| (variant, disagrees));
        assert_eq!(failed(&[(3, disagrees), (1, disagrees)]), all);
    }
}
