//! Warm-up by a fixed rule, and the test for a steady state after it.

use super::pilot::{PilotTimes, Row};
use crate::measurement::{CaseIndex, VariantIndex};
use crate::stats::{spearman, theil_sen};
use serde::{Deserialize, Serialize};

/// The largest p-value of a trend, for all rows together.
const P_MAX: f64 = 0.01;

/// The warm-up of each variant before its first sample: its cases in rotation, until both numbers
/// are reached, each case once at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarmUp {
    /// 5 ms, and one call.
    #[default]
    Normal,
    /// 2 calls and 10 ms, because the pilot had a trend.
    Doubled,
}

/// The most rounds of a warm-up, each on all cases in turn. Calls so short that this does not reach the
/// rule's time need no more.
pub const WARM_UP_ROUNDS_MAX: u32 = 1_000;

impl WarmUp {
    /// The smallest number of calls.
    pub fn calls(self) -> u32 {
        match self {
            Self::Normal => 1,
            Self::Doubled => 2,
        }
    }

    /// The smallest time, in nanoseconds.
    pub fn time_ns(self) -> u64 {
        match self {
            Self::Normal => 5_000_000,
            Self::Doubled => 10_000_000,
        }
    }
}

/// A trend of a variant's times after the warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// The variant.
    pub variant: VariantIndex,
    /// The case.
    pub case: CaseIndex,
    /// The change of ln t from the first to the last block.
    pub change: f64,
}

/// The result of the test for a steady state within a replica.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steadiness {
    /// No trend exceeds half the practical threshold.
    Steady,
    /// These trends exceed it. After [`WarmUp::Normal`]: run the pilot again with [`WarmUp::Doubled`]. After that: say
    /// "no steady state" and go on.
    Trending(Vec<Trend>),
}

impl Steadiness {
    /// The warm-up to try next, if there is one: it doubles once, without regard to any comparison.
    pub fn next_warm_up(&self, now: WarmUp) -> Option<WarmUp> {
        match (self, now) {
            (Self::Trending(_), WarmUp::Normal) => Some(WarmUp::Doubled),
            _ => None,
        }
    }
}

/// Tests the times of a pilot for trends: the Theil–Sen slope of ln t over the blocks, times their
/// number, beyond δ/2 (`practical_log` is δ), with a significant rank correlation. The latter is
/// needed because noise alone makes slopes too, and on a busy machine large ones.
pub fn steadiness(times: &PilotTimes, practical_log: f64) -> Steadiness {
    let rows = times.rows().len().max(1) as f64;
    let trend = |row: &Row| {
        let (blocks, log_ns): (Vec<f64>, Vec<f64>) = row.log_ns.iter().copied().unzip();
        let span = blocks.last()? - blocks.first()?;
        let change = theil_sen(&blocks, &log_ns)? * span;
        let significant = spearman(&blocks, &log_ns)?.p < P_MAX / rows;
        (significant && change.abs() > 0.5 * practical_log).then_some(Trend {
            variant: row.variant,
            case: row.case,
            change,
        })
    };
    let trends: Vec<Trend> = times.rows().iter().filter_map(trend).collect();
    if trends.is_empty() {
        Steadiness::Steady
    } else {
        Steadiness::Trending(trends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Baseline, Metric, Replica, Sample, Surroundings};

    fn pilot(time_ns: impl Fn(usize, u32) -> f64) -> PilotTimes {
        let mut samples = Vec::new();
        for block in 0..16 {
            for variant in 0..2 {
                let total = (time_ns(variant, block) * 10.0) as u64;
                samples.push(Sample {
                    variant,
                    case: 0,
                    block,
                    position: 0,
                    calls: 10,
                    cpu_ns: total,
                    wall_ns: total,
                });
            }
        }
        let replica = Replica {
            index: 0,
            solo: true,
            samples,
            baselines: vec![Baseline::default()],
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        };
        PilotTimes::new(&replica, Metric::Cpu)
    }

    /// Artificial noise without a trend: alternating, slowly changing in size.
    fn wobble(block: u32) -> f64 {
        let sign = if block.is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * (1.0 + f64::from(block * 7 % 5))
    }

    #[test]
    fn noise_is_steady_and_a_slow_start_is_not() {
        let noisy = pilot(|_, block| 100_000.0 * (1.0 + 0.01 * wobble(block)));
        assert_eq!(steadiness(&noisy, 0.01), Steadiness::Steady);
        let settling = pilot(|variant, block| match variant {
            0 => 100_000.0 * (1.0 + 0.0001 * wobble(block)),
            _ => 100_000.0 * (1.1 - 0.001 * f64::from(block)),
        });
        let Steadiness::Trending(trends) = steadiness(&settling, 0.01) else {
            panic!("the second variant gets quicker");
        };
        assert_eq!(trends.len(), 1);
        assert_eq!(trends[0].variant, 1);
        assert!((trends[0].change + 0.0137).abs() < 0.001, "{trends:?}");
    }

    #[test]
    fn a_small_trend_does_not_matter() {
        let drifting = pilot(|_, block| 100_000.0 * (1.0 + 0.0001 * f64::from(block)));
        assert_eq!(steadiness(&drifting, 0.01), Steadiness::Steady);
    }

    #[test]
    fn the_warm_up_doubles_once() {
        let trending = Steadiness::Trending(Vec::new());
        assert_eq!(trending.next_warm_up(WarmUp::Normal), Some(WarmUp::Doubled));
        assert_eq!(trending.next_warm_up(WarmUp::Doubled), None);
        assert_eq!(Steadiness::Steady.next_warm_up(WarmUp::Normal), None);
    }
}
