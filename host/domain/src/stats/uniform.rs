//! Uniform numbers from a random generator.

use rand_xoshiro::rand_core::Rng;

/// A uniform number below `bound`: draws that would favour small numbers are rejected. 0 if `bound`
/// is 0.
pub(crate) fn below(random: &mut impl Rng, bound: u64) -> u64 {
    if bound <= 1 {
        return 0;
    }
    let unfair = u64::MAX - u64::MAX % bound;
    loop {
        let drawn = random.next_u64();
        if drawn < unfair {
            return drawn % bound;
        }
    }
}
