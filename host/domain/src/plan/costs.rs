//! Costs of calls with everything around them, from which a replica's time is predicted; and the correction of
//! predictions by the times that replicas really took.

use super::pilot::PilotTimes;
use super::steady::{WARM_UP_ROUNDS_MAX, WarmUp};
use crate::measurement::{CaseIndex, VariantIndex};
use crate::stats::median;
use serde::{Deserialize, Serialize};

/// Nanoseconds in a second.
const SECOND_NS: f64 = 1e9;
/// Number of replicas from whose times predictions are corrected: the last ones.
const RECENT: usize = 5;
/// The correction before the first replica has ended. A prediction from a few cold calls is rather too
/// long than too short; if it is right, the replica is stopped with the budget, of which nothing better
/// could have been made.
const BEFORE_THE_FIRST: f64 = 0.7;

/// The time around the calls of a case, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CaseOverhead {
    /// Time to make an input, which all variants share.
    pub input_ns: f64,
    /// Time for each input of a block: judging the answers to it, and the calls that do nothing.
    pub judge_ns: f64,
    /// Time for each call: arguments, answer, a fresh instance.
    pub call_ns: f64,
}

/// The costs of a race, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Costs {
    /// Time to start a process, load components and make instances.
    startup: f64,
    /// CPU time of one call of the guest, by variant, then by case; 0 if the variant did not run there.
    call: Vec<Vec<f64>>,
    /// Factor by which guest code takes longer on the wall clock than on a CPU, beside other programs; 1 at least.
    #[serde(default = "alone")]
    wall_per_cpu: f64,
    /// Times around the calls, by case; 0 for cases that are missing.
    #[serde(default)]
    overheads: Vec<CaseOverhead>,
}

/// Returns the factor on a core of its own, where wall time is CPU time.
fn alone() -> f64 {
    1.0
}

impl Costs {
    pub(super) fn new(
        pilot: &PilotTimes,
        cases: usize,
        startup_seconds: f64,
        wall_per_cpu: f64,
        overheads: &[CaseOverhead],
    ) -> Self {
        let variants = pilot.variants().last().map_or(0, |last| last + 1);
        let call = |variant: VariantIndex, case| pilot.call_ns(variant, case).unwrap_or(0.0);
        let row = |variant| (0..cases).map(|case| call(variant, case)).collect();
        Self {
            startup: startup_seconds.max(0.0) * SECOND_NS,
            call: (0..variants).map(row).collect(),
            wall_per_cpu: wall_per_cpu.max(1.0),
            overheads: overheads.to_vec(),
        }
    }

    /// Time until the first warm-up.
    pub(super) fn startup_seconds(&self) -> f64 {
        self.startup / SECOND_NS
    }

    /// CPU time of one call of the guest; 0 if it is not known.
    pub(super) fn guest_ns(&self, variant: VariantIndex, case: CaseIndex) -> f64 {
        let row = self.call.get(variant);
        row.and_then(|row| row.get(case)).copied().unwrap_or(0.0)
    }

    fn overhead(&self, case: CaseIndex) -> CaseOverhead {
        self.overheads.get(case).copied().unwrap_or_default()
    }

    /// Predicted time of a variant's calls on a case, without their inputs.
    pub(super) fn calls_seconds(&self, variant: VariantIndex, case: CaseIndex, calls: u32) -> f64 {
        let guest_ns = self.wall_per_cpu * self.guest_ns(variant, case);
        let call = guest_ns + self.overhead(case).call_ns;
        f64::from(calls) * call / SECOND_NS
    }

    /// Predicted time of the calls of several variants on a case, with the inputs that they share; 0 without calls.
    pub(super) fn with_inputs(
        &self,
        case: CaseIndex,
        inputs: u32,
        calls_seconds: impl Iterator<Item = f64>,
    ) -> f64 {
        let CaseOverhead {
            input_ns, judge_ns, ..
        } = self.overhead(case);
        let shared = f64::from(inputs) * (input_ns + judge_ns) / SECOND_NS;
        let together = calls_seconds.reduce(|sum, seconds| sum + seconds);
        together.map_or(0.0, |together| shared + together)
    }

    /// Predicted time to warm up variants on these cases in rotation, or on this share of them, drawn at random. The
    /// variants share the inputs.
    pub(super) fn warm_up_seconds(
        &self,
        warm_up: WarmUp,
        variants: &[VariantIndex],
        cases: &[CaseIndex],
        share: f64,
    ) -> f64 {
        let mut most_rounds: f64 = 0.0;
        let mut seconds = 0.0;
        for variant in variants {
            let guest_ns = cases.iter().map(|case| self.guest_ns(*variant, *case));
            let guest_ns = share * guest_ns.sum::<f64>();
            if guest_ns <= 0.0 {
                continue;
            }
            let fewest = (f64::from(warm_up.calls()) / (share * cases.len() as f64)).max(1.0);
            let rounds = fewest.max(warm_up.time_ns() as f64 / guest_ns);
            let rounds = rounds.min(f64::from(WARM_UP_ROUNDS_MAX) / share);
            let calls = cases.iter();
            let calls = calls.map(|case| self.calls_seconds(*variant, *case, 1));
            seconds += rounds * calls.sum::<f64>();
            most_rounds = most_rounds.max(rounds);
        }
        let inputs = cases.iter().map(|case| self.overhead(*case).input_ns);
        share * (seconds + most_rounds * inputs.sum::<f64>() / SECOND_NS)
    }
}

/// The factor between the predicted and the real time of replicas: the median of the last five.
///
/// ```
/// use bakeoff_domain::plan::Correction;
/// let mut correction = Correction::default();
/// assert_eq!(correction.apply(10.0), 7.0);
/// correction.observe(10.0, 5.0);
/// assert_eq!(correction.apply(10.0), 5.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Correction {
    recent: Vec<f64>,
}

impl Correction {
    /// Takes note of a replica that ended.
    pub fn observe(&mut self, predicted_seconds: f64, seconds: f64) {
        let factor = seconds / predicted_seconds;
        if !factor.is_finite() {
            return;
        }
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        self.recent.push(factor);
    }

    /// The corrected prediction.
    pub fn apply(&self, predicted_seconds: f64) -> f64 {
        let factor = median(&mut self.recent.clone());
        predicted_seconds * factor.unwrap_or(BEFORE_THE_FIRST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_corrected_up_and_down_by_recent_replicas() {
        let mut correction = Correction::default();
        for _ in 0..9 {
            correction.observe(1.0, 0.25);
        }
        assert_eq!(correction.apply(2.0), 0.5);
        correction.observe(1.0, 40.0);
        assert_eq!(correction.apply(2.0), 0.5, "one is no trend");
        for _ in 0..4 {
            correction.observe(1.0, 3.0);
        }
        assert_eq!(correction.apply(2.0), 6.0);
        correction.observe(0.0, 0.0);
        assert_eq!(
            correction.apply(2.0),
            6.0,
            "of a prediction of nothing, nothing follows"
        );
    }
}
