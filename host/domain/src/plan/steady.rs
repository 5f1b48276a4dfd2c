//! Warm-up by a fixed rule, and whether it sufficed.

use super::pilot::{PilotReadings, Row};
use crate::measurement::{CaseIndex, VariantIndex};
use crate::stats::{spearman, theil_sen};
use serde::{Deserialize, Serialize};

/// A trend counts only if chance alone would show one like it this rarely, over all rows together.
const P_MAX: f64 = 0.01;

/// How long each variant runs before its first sample: its cases in rotation, until both numbers
/// are reached. A brief variant makes one call for each case. The very first call is the "cold" one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarmUp {
    /// 3 calls and 5 ms.
    #[default]
    Normal,
    /// Twice that, because the pilot had not settled.
    Doubled,
}

impl WarmUp {
    /// Calls at least.
    pub fn calls(self) -> u32 {
        match self {
            Self::Normal => 3,
            Self::Doubled => 6,
        }
    }

    /// Time at least, in nanoseconds.
    pub fn time_ns(self) -> u64 {
        match self {
            Self::Normal => 5_000_000,
            Self::Doubled => 10_000_000,
        }
    }
}

/// A time that still moves after the warm-up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// Whose.
    pub variant: VariantIndex,
    /// On which case.
    pub case: CaseIndex,
    /// Change from the first to the last block, as a difference of logarithms.
    pub change: f64,
}

/// Whether times within a replica had settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steadiness {
    /// No trend beyond half the practical threshold.
    Steady,
    /// These rows have one. After [`WarmUp::Normal`]: run the pilot again with
    /// [`WarmUp::Doubled`]. After that: say "no steady state" and go on.
    Trending(Vec<Trend>),
}

impl Steadiness {
    /// The warm-up to try next, if there is one: the rule doubles once, and looks at no comparison.
    pub fn next_warm_up(&self, now: WarmUp) -> Option<WarmUp> {
        match (self, now) {
            (Self::Trending(_), WarmUp::Normal) => Some(WarmUp::Doubled),
            _ => None,
        }
    }
}

/// Looks for trends in a pilot: the Theil–Sen slope of ln t over the blocks, times their number,
/// beyond δ/2 (`practical_log` is δ). Noise alone makes slopes too, and on a busy machine large
/// ones, so the rank correlation with the block must be significant as well.
pub fn steadiness(readings: &PilotReadings, practical_log: f64) -> Steadiness {
    let rows = readings.rows().len().max(1) as f64;
    let trend = |row: &Row| {
        let (blocks, log_ns): (Vec<f64>, Vec<f64>) = row.log_ns.iter().copied().unzip();
        let span = blocks.last()? - blocks.first()?;
        let change = theil_sen(&blocks, &log_ns)? * span;
        let surprising = spearman(&blocks, &log_ns)?.p < P_MAX / rows;
        (surprising && change.abs() > 0.5 * practical_log).then_some(Trend {
            variant: row.variant,
            case: row.case,
            change,
        })
    };
    let trends: Vec<Trend> = readings.rows().iter().filter_map(trend).collect();
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

    fn readings(time_ns: impl Fn(usize, u32) -> f64) -> PilotReadings {
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
            surroundings: Surroundings::default(),
        };
        PilotReadings::new(&replica, Metric::Cpu)
    }

    /// Something like noise, without a trend: alternating and slowly changing in size.
    fn wobble(block: u32) -> f64 {
        let sign = if block.is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * (1.0 + f64::from(block * 7 % 5))
    }

    #[test]
    fn noise_is_steady_and_a_slow_start_is_not() {
        let noisy = readings(|_, block| 100_000.0 * (1.0 + 0.01 * wobble(block)));
        assert_eq!(steadiness(&noisy, 0.01), Steadiness::Steady);
        let settling = readings(|variant, block| match variant {
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
        let drifting = readings(|_, block| 100_000.0 * (1.0 + 0.0001 * f64::from(block)));
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
