//! Seeded random numbers for workloads: a component without imports has no other randomness.

/// A generator of pseudo-random numbers: xoshiro256++ (Blackman and Vigna, 2019), its state filled
/// by SplitMix64 from one seed. The same seed gives the same numbers on every machine.
///
/// ```
/// use bakeoff_guest::Rng;
/// let mut rng = Rng::new(7);
/// let mut dice: Vec<u64> = (0..10).map(|_| 1 + rng.below(6)).collect();
/// rng.shuffle(&mut dice);
/// assert!(dice.iter().all(|eyes| (1..=6).contains(eyes)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// Makes a generator from a seed. Every seed is valid, 0 as well.
    pub fn new(seed: u64) -> Self {
        let mut seed = seed;
        Self {
            state: std::array::from_fn(|_| split_mix(&mut seed)),
        }
    }

    /// Returns a uniform number of 64 bits.
    pub fn u64(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// Returns a uniform number of 32 bits.
    pub fn u32(&mut self) -> u32 {
        (self.u64() >> 32) as u32
    }

    /// Returns a uniform number from 0 up to but not including `bound` (Lemire 2019);
    /// 0 for a bound of 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        // Of the 2⁶⁴ numbers, 2⁶⁴ mod bound are drawn again, so that the rest divides evenly.
        let rejected = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.u64()) * u128::from(bound);
            if product as u64 >= rejected {
                return (product >> 64) as u64;
            }
        }
    }

    /// Returns a uniform number from `low` to `high`, both included; `low` if `high` is below it.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        if high < low {
            return low;
        }
        match high.abs_diff(low).checked_add(1) {
            Some(width) => low.wrapping_add_unsigned(self.below(width)),
            None => self.u64() as i64,
        }
    }

    /// Returns a number from 0 up to but not including 1, of 53 random bits.
    pub fn f64(&mut self) -> f64 {
        (self.u64() >> 11) as f64 * (0.5 / (1_u64 << 52) as f64)
    }

    /// Returns `true` or `false`, equally likely.
    pub fn bool(&mut self) -> bool {
        self.u64() >> 63 == 1
    }

    /// Fills a slice with random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let random = self.u64().to_le_bytes();
            chunk.copy_from_slice(&random[..chunk.len()]);
        }
    }

    /// Shuffles items uniformly (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u64 + 1) as usize;
            items.swap(last, other);
        }
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): it turns neighbouring seeds into unrelated states.
fn split_mix(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *seed;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_gives_its_reference_numbers() {
        let mut seed = 1_234_567;
        let numbers: [u64; 3] = std::array::from_fn(|_| split_mix(&mut seed));
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn xoshiro_gives_its_reference_numbers() {
        let mut rng = Rng {
            state: [1, 2, 3, 4],
        };
        let numbers: [u64; 4] = std::array::from_fn(|_| rng.u64());
        assert_eq!(
            numbers,
            [
                41_943_041,
                58_720_359,
                3_588_806_011_781_223,
                3_591_011_842_654_386
            ]
        );
    }

    #[test]
    fn every_number_below_a_bound_comes_as_often() {
        let mut rng = Rng::new(3);
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        // Six standard deviations of a binomial of 60,000 trials at 1/6 are 548.
        assert!(
            counts.iter().all(|count| count.abs_diff(10_000) < 548),
            "{counts:?}"
        );
        assert_eq!((rng.below(0), rng.below(1)), (0, 0));
    }

    #[test]
    fn bounds_are_kept_at_the_extremes() {
        let mut rng = Rng::new(0);
        for _ in 0..1000 {
            assert!((-3..=3).contains(&rng.between(-3, 3)));
            assert!((0.0..1.0).contains(&rng.f64()));
        }
        assert_eq!(rng.between(5, 4), 5);
        assert_ne!(
            rng.between(i64::MIN, i64::MAX),
            rng.between(i64::MIN, i64::MAX)
        );
    }

    #[test]
    fn shuffling_loses_nothing_and_seeds_differ() {
        let shuffled = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            Rng::new(seed).shuffle(&mut items);
            items
        };
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
        let mut sorted = shuffled(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<u32>>());
    }

    #[test]
    fn filling_covers_every_byte() {
        let mut bytes = [0_u8; 29];
        let mut seen = [0_u8; 29];
        let mut rng = Rng::new(11);
        for _ in 0..32 {
            rng.fill(&mut bytes);
            seen.iter_mut()
                .zip(bytes)
                .for_each(|(seen, byte)| *seen |= byte);
        }
        assert_eq!(seen, [255; 29]);
    }
}
