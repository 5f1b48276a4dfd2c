//! Times of calls, for display.

use super::settings::RaceSettings;
use crate::measurement::{CaseIndex, VariantIndex};
use crate::stats::{median, median_interval};
use serde::{Deserialize, Serialize};

/// The time of one call of a variant on a case. For display: verdicts rest on differences within
/// blocks, never on these.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeSummary {
    /// The variant.
    pub variant: VariantIndex,
    /// The case; 0 for a set of instances.
    pub case: CaseIndex,
    /// The median over replicas of the median over blocks, in nanoseconds; for a set of instances, of
    /// the geometric mean over those that the replica drew.
    pub median_ns: f64,
    /// Lower end of a distribution-free interval for the median over replicas, in nanoseconds;
    /// `None` for too few replicas.
    pub low_ns: Option<f64>,
    /// Upper end, in nanoseconds.
    pub high_ns: Option<f64>,
    /// The number of replicas in which it ran.
    pub replicas: u32,
}

/// The median times of each replica, in nanoseconds, by variant and case.
#[derive(Clone, Debug)]
pub(super) struct MedianTimes {
    cases: usize,
    medians: Vec<Vec<f64>>,
}

impl MedianTimes {
    pub(super) fn new(settings: &RaceSettings) -> Self {
        let cases = settings.time_weights().len();
        Self {
            cases,
            medians: vec![Vec::new(); settings.variants * cases],
        }
    }

    pub(super) fn push(&mut self, variant: VariantIndex, case: CaseIndex, median_ns: f64) {
        self.medians[variant * self.cases + case].push(median_ns);
    }

    /// The summaries of all variants that ran, by variant, then by case.
    pub(super) fn summaries(&self, confidence: f64) -> Vec<TimeSummary> {
        let mut summaries = Vec::with_capacity(self.medians.len());
        for (place, medians) in self.medians.iter().enumerate() {
            let mut medians = medians.clone();
            let Some(median_ns) = median(&mut medians) else {
                continue;
            };
            let interval = median_interval(&mut medians, confidence);
            summaries.push(TimeSummary {
                variant: place / self.cases,
                case: place % self.cases,
                median_ns,
                low_ns: interval.map(|(low, _)| low),
                high_ns: interval.map(|(_, high)| high),
                replicas: medians.len() as u32,
            });
        }
        summaries
    }
}
