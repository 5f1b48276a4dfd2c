//! Estimates of how long tasks take, by their kind.

use std::collections::BTreeMap;
use std::time::Duration;

/// Estimate for a kind of task of which nothing is known.
const UNKNOWN: Duration = Duration::from_secs(1);
/// The least weight of a new duration in the estimate.
const WEIGHT_MIN: f64 = 0.125;
/// Ratio by which an estimate must move before the order of tasks is worked out anew.
const MOVED: f64 = 1.25;

#[derive(Clone, Copy, Debug)]
struct Estimate {
    /// Estimated nanoseconds of a task of size 1.
    nanoseconds: f64,
    /// Number of measured durations in the estimate.
    seen: u32,
    /// The estimate by which the order of tasks was worked out.
    in_use: f64,
}

impl Estimate {
    fn guessed(duration: Duration) -> Self {
        let nanoseconds = duration.as_nanos() as f64;
        Self {
            nanoseconds,
            seen: 0,
            in_use: nanoseconds,
        }
    }

    fn has_moved(&self) -> bool {
        let (low, high) = if self.nanoseconds < self.in_use {
            (self.nanoseconds, self.in_use)
        } else {
            (self.in_use, self.nanoseconds)
        };
        high > low * MOVED
    }
}

/// Estimates of how long tasks take, by their kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    by_kind: BTreeMap<&'static str, Estimate>,
    moved: bool,
}

impl Estimates {
    /// Sets the estimate of a kind of which no duration is known yet.
    pub(super) fn expect(&mut self, kind: &'static str, duration: Duration) {
        let known = self.by_kind.get(kind).is_some_and(|known| known.seen > 0);
        if !known {
            self.by_kind.insert(kind, Estimate::guessed(duration));
            self.moved = true;
        }
    }

    /// Includes a measured duration.
    pub(super) fn observe(&mut self, kind: &'static str, size: f64, duration: Duration) {
        let estimate = self
            .by_kind
            .entry(kind)
            .or_insert_with(|| Estimate::guessed(UNKNOWN));
        estimate.seen = estimate.seen.saturating_add(1);
        // The mean of the first ones; later the last ones count most.
        let weight = (1.0 / f64::from(estimate.seen)).max(WEIGHT_MIN);
        let nanoseconds = duration.as_nanos() as f64 / size;
        estimate.nanoseconds += weight * (nanoseconds - estimate.nanoseconds);
        self.moved |= estimate.has_moved();
    }

    /// Returns the nanoseconds that a task is expected to take.
    pub(super) fn nanoseconds(&self, kind: &'static str, size: f64) -> u64 {
        let unit = self.by_kind.get(kind).map_or_else(
            || UNKNOWN.as_nanos() as f64,
            |estimate| estimate.nanoseconds,
        );
        // The conversion saturates.
        (unit * size) as u64
    }

    /// Returns true if an estimate moved since the order of tasks was worked out.
    pub(super) fn have_moved(&self) -> bool {
        self.moved
    }

    /// Notes that the order of tasks is that of these estimates.
    pub(super) fn settle(&mut self) {
        self.moved = false;
        for estimate in self.by_kind.values_mut() {
            estimate.in_use = estimate.nanoseconds;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_durations_replace_the_guess_and_the_last_ones_count_most() {
        let mut estimates = Estimates::default();
        let ms = Duration::from_millis;
        assert_eq!(estimates.nanoseconds("build", 2.0), 2_000_000_000);
        estimates.expect("build", ms(300));
        estimates.settle();
        estimates.observe("build", 1.0, ms(310));
        assert_eq!(estimates.nanoseconds("build", 1.0), 310_000_000);
        assert!(!estimates.have_moved(), "a few per cent move nothing");
        for _ in 0..40 {
            estimates.observe("build", 2.0, ms(1_600));
        }
        assert!(estimates.have_moved());
        let now = estimates.nanoseconds("build", 1.0);
        assert!((780_000_000..=800_000_000).contains(&now), "{now}");
        estimates.expect("build", ms(1));
        assert_eq!(estimates.nanoseconds("build", 1.0), now, "it is known");
        assert_eq!(estimates.nanoseconds("check", 1.0), 1_000_000_000);
    }
}
