//! Random numbers that follow from a seed and a label: the same search makes the same candidates.

use bakeoff_domain::plan::splitmix64;

/// The step of splitmix64, the golden ratio in 64 bits.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Begins a sequence for one use in one round of a search.
    pub(crate) fn new(seed: u64, round: u32, label: &str) -> Self {
        let mixed = label.bytes().fold(splitmix64(seed), |mixed, byte| {
            splitmix64(mixed ^ u64::from(byte))
        });
        Self(splitmix64(mixed ^ u64::from(round)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        splitmix64(self.0)
    }

    /// Returns a number below `bound`, which is at least 1.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // The product's upper half: its bias is below one in 2^32 for bounds that lists have.
        let product = u128::from(self.next()) * bound.max(1) as u128;
        (product >> 64) as usize
    }

    /// Returns a number from 0 to below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number of the standard normal distribution, by the method of Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Puts a list into a random order.
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_follows_from_seed_round_and_label() {
        let first = |seed, round, label| Random::new(seed, round, label).next();
        assert_eq!(first(1, 2, "climb"), first(1, 2, "climb"));
        let others = [
            first(2, 2, "climb"),
            first(1, 3, "climb"),
            first(1, 2, "draw"),
        ];
        assert!(!others.contains(&first(1, 2, "climb")));
    }

    #[test]
    fn numbers_have_the_moments_of_their_distributions() {
        let mut random = Random::new(7, 0, "test");
        let normals: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = normals.iter().sum::<f64>() / 2e4;
        let variance = normals.iter().map(|one| one * one).sum::<f64>() / 2e4;
        assert!(
            mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05,
            "{mean} {variance}"
        );
        let mut counts = [0_u32; 5];
        for _ in 0..10_000 {
            counts[random.below(5)] += 1;
        }
        assert!(
            counts.iter().all(|count| (1_850..2_150).contains(count)),
            "{counts:?}"
        );
        let mut list: Vec<u32> = (0..9).collect();
        random.shuffle(&mut list);
        let mut sorted = list.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..9).collect::<Vec<u32>>());
        assert_ne!(list, sorted);
    }
}
