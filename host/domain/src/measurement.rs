//! Raw measurements: samples in replicas, and the state of the machine meanwhile.
//!
//! Every statement about time follows from these values and the settings alone.
//! Variants and cases are indexes into the experiment's lists.

use serde::{Deserialize, Serialize};

/// Index of a variant among those in the race.
pub type VariantIndex = usize;
/// Index of a case among the experiment's sizes (or cases of a file).
pub type CaseIndex = usize;

/// The smallest time of a call, in nanoseconds: shorter ones count as this. Such calls are far too
/// short to be timed and get no verdict.
pub const CALL_NS_MIN: f64 = 1.0;

/// The clock of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// CPU time of the guest's thread.
    #[default]
    Cpu,
    /// Monotonic (wall-clock) time over the same sections.
    Wall,
}

/// One timed sample: several calls of one variant, each with an input of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The variant that ran.
    pub variant: VariantIndex,
    /// The case.
    pub case: CaseIndex,
    /// The block of the replica, from 0.
    pub block: u32,
    /// The number of variants that ran before it on this case in this block.
    pub position: u32,
    /// The number of calls.
    pub calls: u32,
    /// Thread CPU time of all brackets around guest code, summed over the calls, in nanoseconds.
    pub cpu_ns: u64,
    /// Monotonic time over the same brackets, in nanoseconds.
    pub wall_ns: u64,
}

/// A sample that took far longer than was predicted. Its runner was ended, so that nothing is known of it but a least
/// time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overrun {
    /// The variant that ran.
    pub variant: VariantIndex,
    /// The case.
    pub case: CaseIndex,
    /// The number of calls of the sample.
    pub calls: u32,
    /// CPU time of its process until it was ended, in nanoseconds.
    pub cpu_ns: u64,
    /// Monotonic time until it was ended, in nanoseconds.
    pub wall_ns: u64,
}

impl Overrun {
    /// The time that the sample took at least, in nanoseconds.
    pub fn least_ns(&self, metric: Metric) -> u64 {
        match metric {
            Metric::Cpu => self.cpu_ns,
            Metric::Wall => self.wall_ns,
        }
    }
}

impl Sample {
    /// The time of the whole sample, in nanoseconds.
    pub fn total_ns(&self, metric: Metric) -> u64 {
        match metric {
            Metric::Cpu => self.cpu_ns,
            Metric::Wall => self.wall_ns,
        }
    }

    /// The mean time of one call less the baseline, in nanoseconds; at least [`CALL_NS_MIN`], so that
    /// its logarithm exists. 0 calls count as 1.
    ///
    /// ```
    /// use bakeoff_domain::measurement::{Baseline, Metric, Sample};
    /// let sample = Sample {
    ///     variant: 0, case: 0, block: 0, position: 0, calls: 10, cpu_ns: 52_000, wall_ns: 60_000,
    /// };
    /// let baseline = Baseline { cpu_ns: 200.0, wall_ns: 300.0 };
    /// assert_eq!(sample.call_ns(Metric::Cpu, &baseline), 5_000.0);
    /// ```
    pub fn call_ns(&self, metric: Metric, baseline: &Baseline) -> f64 {
        let mean = self.total_ns(metric) as f64 / f64::from(self.calls.max(1));
        (mean - baseline.of(metric)).max(CALL_NS_MIN)
    }
}

/// The time of a call that does nothing, on the same case: subtracted from every sample's mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Thread CPU time of the brackets of one call of the no-op component, in nanoseconds.
    pub cpu_ns: f64,
    /// Monotonic time of the same, in nanoseconds.
    pub wall_ns: f64,
}

impl Baseline {
    /// The time by the given clock, in nanoseconds.
    pub fn of(&self, metric: Metric) -> f64 {
        match metric {
            Metric::Cpu => self.cpu_ns,
            Metric::Wall => self.wall_ns,
        }
    }
}

/// The state of the machine while a replica ran. Recorded, never used to drop data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surroundings {
    /// The core that the replica was pinned to, if it was.
    pub core: Option<u32>,
    /// Seconds since the race began, at the replica's launch (monotonic).
    pub started_s: f64,
    /// The duration of the replica, in seconds (monotonic).
    pub seconds: f64,
    /// Involuntary context switches of the runner.
    pub preemptions: u64,
    /// CPU time stolen by the hypervisor on this core, in ticks of 1/100 s, if the system tells.
    pub steal_ticks: Option<u64>,
    /// The one-minute load average at launch, if the system tells.
    pub load: Option<f64>,
    /// CPU time of the contention probe, a fixed piece of work that fills the core's execution units,
    /// in nanoseconds: the median over the samples. Longer where something else uses the same physical
    /// core. `None` if it was not taken.
    #[serde(default)]
    pub contention_probe_ns: Option<f64>,
    /// The contention probe again, whatever the core's frequency: its time over that of a fixed piece of work
    /// that waits for its own results, as the mean over the samples. Larger where something else uses the same
    /// physical core. `None` if it was not taken.
    #[serde(default)]
    pub core_contention: Option<f64>,
}

/// Returns the seconds from the start of a race to the end of its last replica; 0 without any.
pub fn race_seconds(replicas: &[Replica]) -> f64 {
    let surroundings = replicas.iter().map(|replica| &replica.surroundings);
    let ends = surroundings.map(|around| around.started_s + around.seconds);
    ends.fold(0.0, f64::max)
}

/// One replica: a fresh process, fresh instances, several blocks. The unit of inference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Replica {
    /// The place in the order of launch, from 0; replicas enter the analysis in this order.
    pub index: u32,
    /// True if no other replica ran beside it.
    pub solo: bool,
    /// The samples, in the order in which they ran.
    pub samples: Vec<Sample>,
    /// Times of the no-op component of the same signature, by case.
    pub baselines: Vec<Baseline>,
    /// CPU time of the first call on a fresh instance in nanoseconds, by variant; `None` for a variant that did not
    /// take part.
    pub cold_ns: Vec<Option<u64>>,
    /// Times of the parts of calls, for variants and cases whose calls have parts or take much time for their start.
    #[serde(default)]
    pub parts: Vec<PartTimes>,
    /// The state of the machine.
    pub surroundings: Surroundings,
}

/// Times of the parts of a variant's calls on a case in a replica: CPU time added up over its samples, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartTimes {
    /// The variant.
    pub variant: VariantIndex,
    /// The case.
    pub case: CaseIndex,
    /// The number of calls.
    pub calls: u64,
    /// Time of the calls in all.
    pub total_ns: u64,
    /// Time of the start functions of their instances.
    pub start_ns: u64,
    /// Times of `prepare`, `run` and `output`, for a resource that is called in these parts.
    #[serde(default)]
    pub session_ns: Option<[u64; 3]>,
    /// Time of one call on an instance that was called before, measured while the variant was warmed up; for a variant
    /// whose later calls take less work.
    #[serde(default)]
    pub again_ns: Option<u64>,
}

impl PartTimes {
    /// The time of one call that a later call on the same instance does without, in nanoseconds: that of
    /// start functions, and what else only a first call takes.
    ///
    /// ```
    /// use bakeoff_domain::measurement::PartTimes;
    /// let parts = PartTimes {
    ///     calls: 2, total_ns: 90, start_ns: 20, again_ns: Some(5), ..PartTimes::default()
    /// };
    /// assert_eq!(parts.start_of_call_ns(), 40.0);
    /// ```
    pub fn start_of_call_ns(&self) -> f64 {
        let calls = self.calls.max(1) as f64;
        let start_ns = self.start_ns as f64 / calls;
        let first_ns = self.total_ns as f64 / calls - start_ns;
        let again_ns = self.again_ns.map_or(first_ns, |again_ns| again_ns as f64);
        start_ns + (first_ns - again_ns).max(0.0)
    }
}
