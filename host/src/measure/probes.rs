//! The probes of a replica: fixed pieces of work between its samples that show who else uses the core and the
//! caches; and a short wait where the core is crowded.

use super::cache_probe::CacheProbe;
use super::contention_probe::ContentionReadings;
use super::protocol::ReplicaFacts;
use super::replica_facts::median;
use bakeoff_domain::measurement::Sample;
use bakeoff_domain::race::QuietCore;
use std::time::{Duration, Instant};

/// The most time that samples wait for a quiet core: those of a case in a block take about as long.
const WAIT_MAX: Duration = Duration::from_millis(3);
/// The most time that a replica waits in all: less than another replica takes.
const WAITS_MAX: Duration = Duration::from_millis(30);
/// The time between two looks.
const LOOK_EVERY: Duration = Duration::from_micros(250);

/// The probes and their readings.
pub(super) struct Probes {
    core: ContentionReadings,
    cache: CacheProbe,
    cache_ns: Vec<u64>,
    quiet: Option<QuietCore>,
    waited: Duration,
}

impl Probes {
    /// Probes without readings, on a machine of which a quiet core is known, or not.
    pub(super) fn new(quiet: Option<QuietCore>) -> Self {
        Self {
            core: ContentionReadings::default(),
            cache: CacheProbe::new(),
            cache_ns: Vec::new(),
            quiet,
            waited: Duration::ZERO,
        }
    }

    /// Waits before the samples of a block on a case until the core is quiet, if that is soon. Who runs next is
    /// drawn already, and nobody is favoured. These looks are no readings. Returns the time that it took.
    pub(super) fn wait_for_quiet(&mut self) -> Duration {
        let most = WAIT_MAX.min(WAITS_MAX.saturating_sub(self.waited));
        let Some(quiet) = self.quiet.filter(|_| !most.is_zero()) else {
            return Duration::ZERO;
        };
        let since = Instant::now();
        let mut waited = Duration::ZERO;
        while waited < most && !quiet.is_quiet(ContentionReadings::look()) {
            std::thread::sleep(LOOK_EVERY);
            waited = since.elapsed();
        }
        self.waited += waited;
        waited
    }

    /// Reads all probes before the samples of a block on a case, and returns the core's contention.
    pub(super) fn before_samples(&mut self) -> f64 {
        self.cache_ns.push(self.cache.reads_ns());
        self.core.read()
    }

    /// Reads the core's contention after them, and gives them the larger reading: others came or went
    /// meanwhile.
    pub(super) fn after_samples(&mut self, before: f64, samples: &mut [Sample]) {
        let larger = before.max(self.core.read());
        for sample in samples {
            sample.core_contention = Some(larger);
        }
    }

    /// Adds what all readings say to the facts.
    pub(super) fn tell(&mut self, facts: &mut ReplicaFacts) {
        facts.contention_probe_ns = median(self.core.filling_ns());
        facts.core_contention = self.core.mean_ratio();
        facts.quiet_contention = self.core.quiet_ratio();
        facts.cache_probe_ns = median(&mut self.cache_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_is_never_quiet_is_not_waited_for_without_end() {
        let never = QuietCore {
            reference: 1e-9,
            tolerance: 0.0,
        };
        let mut probes = Probes::new(Some(never));
        for _ in 0..100 {
            probes.wait_for_quiet();
        }
        assert!(probes.waited >= WAITS_MAX, "{:?}", probes.waited);
        // However long the system took for it, not for each of them.
        let before = probes.waited;
        probes.wait_for_quiet();
        assert_eq!(probes.waited, before);
        let always = QuietCore {
            reference: 1e9,
            tolerance: 0.0,
        };
        let mut probes = Probes::new(Some(always));
        probes.wait_for_quiet();
        assert_eq!(probes.waited, Duration::ZERO);
        let mut facts = ReplicaFacts::default();
        probes.tell(&mut facts);
        assert_eq!(facts.core_contention, None, "looks are no readings");
    }
}
