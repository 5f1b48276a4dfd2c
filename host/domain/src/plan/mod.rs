//! Plans of replicas, drawn from the run's seed: which variant runs when, how many calls, on which
//! inputs. The same seed gives the same plan on every machine.
//!
//! The random order is what makes verdicts valid: for two identical variants each is first equally
//! often in every block, so their difference is as likely positive as negative, whatever the
//! machine does meanwhile.

mod costs;
mod deck;
mod draw;
mod groups;
mod pilot;
mod replica_plan;
mod round_order;
mod sampling;
mod secret;
mod seeds;
mod short_calls;
mod shuffle;
mod splitmix;
mod steady;
mod too_short;

pub use costs::{CaseOverhead, Correction};
pub use draw::{ReplicaSpec, draw};
pub use groups::{group_of_replica, groups};
pub use pilot::PilotTimes;
pub use replica_plan::{BlockPlan, CasePlan, ComponentLoad, ReplicaPlan, ReplicaStage};
pub use round_order::round_order;
pub use sampling::{ReplicaSampling, Sampling, SamplingConstraints, choose};
pub use secret::{NoSeed, RunSeed, Secret};
pub use seeds::{CALLS_MAX, InputPurpose, SampleSeeds, sample_seeds};
pub use short_calls::{ShortCalls, ShortCase, call_ns_min, is_cheap_clock, shortest_call_ns};
pub use splitmix::splitmix64;
pub use steady::{Steadiness, Trend, WARM_UP_ROUNDS_MAX, WarmUp, steadiness};
pub use too_short::TooShort;

/// The number of cases that a block draws from a set of instances: 16 to 64 in a replica.
pub const INSTANCES_PER_BLOCK: u32 = 4;

/// The number of versions of a component's code that differ only in where it lies. Components with much
/// code have fewer.
pub const LAYOUTS: u32 = 8;

/// The smallest number of blocks of a replica.
pub const BLOCKS_MIN: u32 = 4;
/// The largest number of blocks of a replica: more blocks do not replace more processes.
pub const BLOCKS_MAX: u32 = 16;
