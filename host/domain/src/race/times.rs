//! How long a call takes, for people to look at.

use super::settings::Settings;
use crate::measurement::{CaseIndex, VariantIndex};
use crate::stats::{median, median_interval};
use serde::{Deserialize, Serialize};

/// How long one call of a variant takes on a case. For display: verdicts rest on differences within
/// blocks, never on these.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeSummary {
    /// Who.
    pub variant: VariantIndex,
    /// On which case.
    pub case: CaseIndex,
    /// The median over replicas of the median over blocks, in nanoseconds.
    pub median_ns: f64,
    /// Lower end of a distribution-free interval for the median over replicas; `None` for too few.
    pub low_ns: Option<f64>,
    /// Upper end.
    pub high_ns: Option<f64>,
    /// How many replicas it ran in.
    pub replicas: u32,
}

/// The medians of each replica, by variant and case.
#[derive(Clone, Debug)]
pub(super) struct Times {
    cases: usize,
    medians: Vec<Vec<f64>>,
}

impl Times {
    pub(super) fn new(settings: &Settings) -> Self {
        let cases = settings.case_weights.len();
        Self {
            cases,
            medians: vec![Vec::new(); settings.variants * cases],
        }
    }

    pub(super) fn push(&mut self, variant: VariantIndex, case: CaseIndex, median_ns: f64) {
        self.medians[variant * self.cases + case].push(median_ns);
    }

    /// Summaries of all that ran, by variant, then by case.
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
