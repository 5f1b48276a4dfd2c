//! Seeds of inputs: one for every call, all different, the same for all variants.

use crate::measurement::CaseIndex;
use serde::{Deserialize, Serialize};

/// The number of replicas with distinct seeds.
pub const REPLICAS_MAX: u32 = 1 << 16;
/// The number of cases with distinct seeds.
pub const CASES_MAX: usize = 1 << 14;
/// The number of calls of one sample with distinct seeds.
pub const CALLS_MAX: u32 = 1 << 24;

/// The number of the block that inputs of single calls are made for: beyond those of a plan.
pub(super) const SINGLE_CALL_BLOCK: u32 = 255;

/// The golden ratio in 64 bits: the step of splitmix64. Any odd number would keep seeds distinct.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The purpose of an input. Inputs for different purposes differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputPurpose {
    /// A timed call of a replica that counts.
    Timed,
    /// A call that only warms up.
    WarmUp,
    /// A checked call in the gate.
    Gate,
    /// A timed call of a pilot, which does not count.
    Pilot,
}

/// The seeds of one sample's inputs. Every variant of the block gets the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleSeeds {
    key: u64,
    first: u64,
}

/// The seeds for the calls of one case in one block of one replica.
///
/// Two seeds of the same experiment are equal only if all of purpose, replica, block, case and call
/// are: these are packed into one number, and what follows is a bijection of 64 bits. Indexes
/// beyond [`REPLICAS_MAX`], 256 blocks or [`CASES_MAX`] wrap around.
pub fn sample_seeds(
    experiment_seed: u64,
    purpose: InputPurpose,
    replica: u32,
    block: u32,
    case: CaseIndex,
) -> SampleSeeds {
    let purpose = match purpose {
        InputPurpose::Timed => 0_u64,
        InputPurpose::WarmUp => 1,
        InputPurpose::Gate => 2,
        InputPurpose::Pilot => 3,
    };
    let replica = u64::from(replica % REPLICAS_MAX);
    let block = u64::from(block % 256);
    let case = (case % CASES_MAX) as u64;
    SampleSeeds {
        key: mix(experiment_seed),
        first: purpose << 62 | replica << 46 | block << 38 | case << 24,
    }
}

impl SampleSeeds {
    /// The seed of the input of call `call`, from 0; wraps around at [`CALLS_MAX`].
    ///
    /// ```
    /// use bakeoff_domain::plan::{InputPurpose, sample_seeds};
    /// let seeds = sample_seeds(1, InputPurpose::Timed, 0, 0, 0);
    /// assert_ne!(seeds.of_call(0), seeds.of_call(1));
    /// ```
    pub fn of_call(&self, call: u32) -> u64 {
        let counter = self.first | u64::from(call % CALLS_MAX);
        mix(self.key.wrapping_add(counter.wrapping_mul(STEP)))
    }
}

/// The first output of splitmix64 for a seed: scatters consecutive numbers over 64 bits.
pub fn splitmix64(seed: u64) -> u64 {
    mix(seed.wrapping_add(STEP))
}

/// The output function of splitmix64 (Steele, Lea and Flood 2014): a bijection that spreads every
/// bit over all others.
pub(super) fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn mixing_gives_the_published_outputs_of_splitmix64() {
        // The first outputs of splitmix64 for the seed 1234567, as published with the algorithm.
        let outputs = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973];
        for (step, output) in (1..).zip(outputs) {
            assert_eq!(
                mix(1_234_567_u64.wrapping_add(STEP.wrapping_mul(step))),
                output
            );
        }
    }

    #[test]
    fn every_call_has_a_seed_of_its_own() {
        let mut seen = HashSet::new();
        let purposes = [
            InputPurpose::Timed,
            InputPurpose::WarmUp,
            InputPurpose::Gate,
            InputPurpose::Pilot,
        ];
        for purpose in purposes {
            for replica in [0, 1, 95, REPLICAS_MAX - 1] {
                for block in 0..16 {
                    for case in [0, 1, 2, CASES_MAX - 1] {
                        let seeds = sample_seeds(7, purpose, replica, block, case);
                        for call in (0..20).chain([CALLS_MAX - 1]) {
                            assert!(seen.insert(seeds.of_call(call)));
                        }
                    }
                }
            }
        }
    }
}
