//! The order of what each round times once: builds, commands.

use super::secret::Secret;
use super::shuffle::shuffle;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The order, drawn uniformly, in which a round times `count` things: their indexes. `purpose` separates orders under
/// the same key.
pub fn round_order(secret: &Secret, purpose: &str, round: u32, count: usize) -> Vec<usize> {
    let stream = secret.derive(purpose, &[u64::from(round)]);
    let mut random = Xoshiro256PlusPlus::from_seed(stream.bytes());
    let mut order: Vec<usize> = (0..count).collect();
    shuffle(&mut random, &mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::RunSeed;

    fn secret(seed: u64) -> Secret {
        RunSeed::Named(seed).secret()
    }

    #[test]
    fn each_is_timed_once_in_a_round_and_each_is_first_as_often() {
        let mut first = [0_u32; 3];
        for round in 0..3_000 {
            let order = round_order(&secret(7), "builds", round, 3);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2]);
            first[order[0]] += 1;
        }
        // Five standard deviations around 1,000.
        assert!(
            first.iter().all(|count| (871..=1_129).contains(count)),
            "{first:?}"
        );
        assert_ne!(
            (0..9)
                .map(|round| round_order(&secret(1), "builds", round, 3))
                .collect::<Vec<_>>(),
            (0..9)
                .map(|round| round_order(&secret(2), "builds", round, 3))
                .collect::<Vec<_>>()
        );
    }
}
