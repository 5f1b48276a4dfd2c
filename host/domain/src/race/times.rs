//! Times of calls, for display.

use super::settings::RaceSettings;
use crate::measurement::{CaseIndex, Overrun, VariantIndex};
use crate::stats::median_interval;
use serde::{Deserialize, Serialize};

/// The time of one call of a variant on a case. For display: verdicts rest on differences within
/// blocks, never on these.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeSummary {
    /// The variant.
    pub variant: VariantIndex,
    /// The case; 0 for a set of instances.
    pub case: CaseIndex,
    /// All time of its calls over their number, in nanoseconds, with what is known of a sample that took far longer
    /// than was predicted; for a set of instances, the geometric mean over the replicas of that over the instances that
    /// the replica drew.
    pub mean_ns: f64,
    /// Lower end of a distribution-free interval for the median over replicas of their means, in nanoseconds,
    /// wide enough for [`mean_ns`](Self::mean_ns); `None` for too few replicas.
    pub low_ns: Option<f64>,
    /// Upper end, in nanoseconds.
    pub high_ns: Option<f64>,
    /// The number of replicas in which it ran.
    pub replicas: u32,
    /// The number of its calls.
    pub calls: u64,
    /// The number of inputs that were drawn for its calls, those of the pilot's replica included; 0 for a set of
    /// instances.
    #[serde(default)]
    pub inputs: u64,
}

/// The times of a variant on a case.
#[derive(Clone, Debug, Default)]
struct Times {
    /// Mean times of a call, by replica.
    means: Vec<f64>,
    ns: f64,
    calls: f64,
    /// Number of calls of the pilot, whose times are not among these.
    pilot_calls: f64,
}

/// The times of all replicas, by variant and case.
#[derive(Clone, Debug)]
pub(super) struct MeanTimes {
    cases: usize,
    instances: bool,
    times: Vec<Times>,
}

impl MeanTimes {
    /// Returns the times of a race that has none yet.
    pub(super) fn new(settings: &RaceSettings) -> Self {
        let cases = if settings.instances {
            1
        } else {
            settings.case_weights.len()
        };
        Self {
            cases,
            instances: settings.instances,
            times: vec![Times::default(); settings.variants * cases],
        }
    }

    /// Adds the number of calls in the pilot's replica.
    pub(super) fn push_pilot(&mut self, variant: VariantIndex, case: CaseIndex, calls: f64) {
        self.times[variant * self.cases + case].pilot_calls += calls;
    }

    /// Adds the calls of a replica: their number, and what they took together, in nanoseconds.
    pub(super) fn push(&mut self, variant: VariantIndex, case: CaseIndex, ns: f64, calls: f64) {
        let times = &mut self.times[variant * self.cases + case];
        times.means.push(ns / calls);
        times.ns += ns;
        times.calls += calls;
    }

    /// Adds a sample of which only a least time is known.
    pub(super) fn push_overrun(&mut self, overrun: &Overrun, least_ns: f64) {
        let place = overrun.variant * self.cases + overrun.case;
        if let Some(times) = self.times.get_mut(place).filter(|_| !self.instances) {
            times.ns += least_ns;
            times.calls += f64::from(overrun.calls);
        }
    }

    /// The summaries of all variants that ran, by variant, then by case.
    pub(super) fn summaries(&self, confidence: f64) -> Vec<TimeSummary> {
        let mut summaries = Vec::with_capacity(self.times.len());
        for (place, times) in self.times.iter().enumerate() {
            if times.means.is_empty() {
                continue;
            }
            let count = times.means.len() as f64;
            let mean_ns = if self.instances {
                (times.means.iter().map(|ns| ns.ln()).sum::<f64>() / count).exp()
            } else {
                times.ns / times.calls
            };
            let interval = median_interval(&mut times.means.clone(), confidence);
            summaries.push(TimeSummary {
                variant: place / self.cases,
                case: place % self.cases,
                mean_ns,
                low_ns: interval.map(|(low, _)| low.min(mean_ns)),
                high_ns: interval.map(|(_, high)| high.max(mean_ns)),
                replicas: times.means.len() as u32,
                calls: times.calls as u64,
                inputs: if self.instances {
                    0
                } else {
                    (times.calls + times.pilot_calls) as u64
                },
            });
        }
        summaries
    }
}
