//! Groups of variants, for races with more variants than one process can hold at once.

use super::secret::Secret;
use super::shuffle::shuffle;
use crate::measurement::VariantIndex;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// Divides the variants into groups of at most `group_max`, of 2 at least, all of nearly the same size:
/// drawn uniformly from the key and the number of the `round`, and from nothing that was measured. Over
/// the rounds every pair is in the same group as often as any other. A variant that would be alone gets
/// one of another group beside it.
///
/// ```
/// use bakeoff_domain::plan::{RunSeed, groups};
/// let variants: Vec<usize> = (0..5).collect();
/// let secret = RunSeed::Named(1).race_secret();
/// assert_eq!(groups(&secret, 0, &variants, 8).len(), 1);
/// let sizes: Vec<usize> = groups(&secret, 0, &variants, 3).iter().map(Vec::len).collect();
/// assert_eq!(sizes, [3, 2]);
/// ```
pub fn groups(
    secret: &Secret,
    round: u32,
    variants: &[VariantIndex],
    group_max: usize,
) -> Vec<Vec<VariantIndex>> {
    let group_max = group_max.max(2);
    if variants.len() <= group_max {
        return vec![variants.to_vec()];
    }
    let stream = secret.derive("groups", &[u64::from(round)]);
    let mut random = Xoshiro256PlusPlus::from_seed(stream.bytes());
    let mut drawn = variants.to_vec();
    shuffle(&mut random, &mut drawn);
    let count = variants.len().div_ceil(group_max);
    let mut found: Vec<Vec<VariantIndex>> = vec![Vec::new(); count];
    for (place, variant) in drawn.into_iter().enumerate() {
        found[place % count].push(variant);
    }
    let other = found[0][0];
    for group in &mut found {
        if group.len() == 1 {
            group.push(other);
        }
        group.sort_unstable();
    }
    found
}

/// The group that the replica of this index has: all groups of a round have their turn, one after the
/// other, and then the next round is drawn.
pub fn group_of_replica(
    secret: &Secret,
    index: u32,
    variants: &[VariantIndex],
    group_max: usize,
) -> Vec<VariantIndex> {
    let count = variants.len().div_ceil(group_max.max(2)).max(1) as u32;
    let mut drawn = groups(secret, index / count, variants, group_max);
    drawn.swap_remove((index % count) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::RunSeed;
    use super::*;
    use std::collections::BTreeMap;

    fn secret(number: u64) -> Secret {
        RunSeed::Named(number).race_secret()
    }

    fn variants(count: usize) -> Vec<VariantIndex> {
        (0..count).collect()
    }

    #[test]
    fn every_variant_is_in_a_group_of_every_round_and_none_is_too_large() {
        for (count, group_max) in [(64, 8), (9, 8), (3, 2), (7, 3), (5, 1)] {
            for round in 0..20 {
                let drawn = groups(&secret(7), round, &variants(count), group_max);
                let largest = drawn.iter().map(Vec::len).max().unwrap();
                let smallest = drawn.iter().map(Vec::len).min().unwrap();
                assert!(largest <= group_max.max(2) && smallest >= 2, "{drawn:?}");
                let mut all: Vec<usize> = drawn.iter().flatten().copied().collect();
                all.sort_unstable();
                all.dedup();
                assert_eq!(all, (0..count).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn every_pair_meets_as_often_as_any_other() {
        let mut met: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        let all = variants(12);
        for index in 0..3 * 2_000 {
            let group = group_of_replica(&secret(5), index, &all, 4);
            for (place, a) in group.iter().enumerate() {
                for b in &group[place + 1..] {
                    *met.entry((*a, *b)).or_default() += 1;
                }
            }
        }
        // 3 of 11 others in each of 2,000 rounds: 545, with a standard deviation of 20.
        assert_eq!(met.len(), 66);
        assert!(
            met.values().all(|count| (445..645).contains(count)),
            "{met:?}"
        );
    }

    #[test]
    fn few_variants_are_one_group() {
        assert_eq!(
            group_of_replica(&secret(5), 17, &variants(4), 4),
            variants(4)
        );
        assert!(group_of_replica(&secret(5), 17, &[], 4).is_empty());
    }
}
