//! Seeds of inputs: one for every call, the same for all variants. Each follows from a key by a
//! function that nobody can undo, so that two are never the same but by a chance of one in 2⁶⁴.

use super::secret::Secret;
use crate::measurement::CaseIndex;
use serde::{Deserialize, Serialize};

/// The most calls of one sample.
pub const CALLS_MAX: u32 = 1 << 24;

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

impl InputPurpose {
    fn label(self) -> &'static str {
        match self {
            Self::Timed => "timed",
            Self::WarmUp => "warm-up",
            Self::Gate => "gate",
            Self::Pilot => "pilot",
        }
    }
}

/// The seeds of one sample's inputs. Every variant of the block gets the same ones. From it follow
/// the seeds of this sample, and of no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleSeeds(Secret);

/// The seeds for the calls of one case in one block of one replica, derived from `secret`.
pub fn sample_seeds(
    secret: &Secret,
    purpose: InputPurpose,
    replica: u32,
    block: u32,
    case: CaseIndex,
) -> SampleSeeds {
    let place = [u64::from(replica), u64::from(block), case as u64];
    SampleSeeds(secret.derive(purpose.label(), &place))
}

impl SampleSeeds {
    /// The seed of the input of call `call`, from 0. It tells nothing of any other call's.
    ///
    /// ```
    /// use bakeoff_domain::plan::{InputPurpose, RunSeed, sample_seeds};
    /// let secret = RunSeed::Named(1).race_secret();
    /// let seeds = sample_seeds(&secret, InputPurpose::Timed, 0, 0, 0);
    /// assert_ne!(seeds.of_call(0), seeds.of_call(1));
    /// ```
    pub fn of_call(&self, call: u32) -> u64 {
        self.0.derive("call", &[u64::from(call)]).seed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{RunSeed, splitmix64};
    use std::collections::HashSet;

    /// The mixing of splitmix64, undone: what turned one seed into the next before.
    fn unmixed(seed: u64) -> u64 {
        let value = seed ^ seed >> 31 ^ seed >> 62;
        let value = value.wrapping_mul(0x3196_42B2_D24D_8EC3);
        let value = value ^ value >> 27 ^ value >> 54;
        let value = value.wrapping_mul(0x96DE_1B17_3F11_9089);
        value ^ value >> 30 ^ value >> 60
    }

    #[test]
    fn a_seed_says_nothing_of_the_next() {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        assert_eq!(unmixed(splitmix64(5)), 5_u64.wrapping_add(STEP));
        let seeds = sample_seeds(
            &RunSeed::Named(7).race_secret(),
            InputPurpose::WarmUp,
            3,
            0,
            0,
        );
        let next = unmixed(seeds.of_call(0)).wrapping_add(STEP);
        assert_ne!(next, unmixed(seeds.of_call(1)));
    }

    #[test]
    fn the_seeds_of_a_sample_are_not_those_of_its_neighbours() {
        let secret = RunSeed::Named(7).race_secret();
        let seeds = |block| sample_seeds(&secret, InputPurpose::Timed, 0, block, 0);
        // Whoever has a sample's key can derive from it, and gets to no other sample's.
        let SampleSeeds(key) = seeds(0);
        let below = sample_seeds(&key, InputPurpose::Timed, 0, 1, 0);
        assert_ne!(below.of_call(0), seeds(1).of_call(0));
    }

    #[test]
    fn every_call_has_a_seed_of_its_own() {
        let secret = RunSeed::Named(7).race_secret();
        let mut seen = HashSet::new();
        let purposes = [
            InputPurpose::Timed,
            InputPurpose::WarmUp,
            InputPurpose::Gate,
            InputPurpose::Pilot,
        ];
        for purpose in purposes {
            for replica in [0, 1, 95, u32::MAX] {
                for block in 0..16 {
                    for case in [0, 1, 2, 255] {
                        let seeds = sample_seeds(&secret, purpose, replica, block, case);
                        for call in (0..20).chain([CALLS_MAX]) {
                            assert!(seen.insert(seeds.of_call(call)));
                        }
                    }
                }
            }
        }
    }
}
