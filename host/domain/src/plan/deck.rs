//! The cases of each block: all of them, or the next few of a shuffled deck of instances.

use super::shuffle::shuffle;
use crate::measurement::CaseIndex;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The cases of a replica, dealt block by block.
pub(super) struct Deck {
    cases: Vec<CaseIndex>,
    /// The number of cases of a block; `None`: all of them.
    per_block: Option<usize>,
    /// The cases that are still to be dealt, the next one last.
    left: Vec<CaseIndex>,
}

impl Deck {
    /// A deck that was not shuffled yet. `per_block` is the number of cases that a block gets, at most
    /// all; `None` for blocks that have all of them.
    pub(super) fn new(cases: Vec<CaseIndex>, per_block: Option<u32>) -> Self {
        let most = cases.len();
        Self {
            per_block: per_block.map(|count| (count as usize).clamp(1, most.max(1))),
            left: Vec::new(),
            cases,
        }
    }

    /// Deals the cases of one block, in the order in which they run.
    ///
    /// Blocks that do not have all cases get each instance equally often: none comes again before
    /// all have been dealt, and none twice in a block.
    pub(super) fn deal(&mut self, random: &mut Xoshiro256PlusPlus) -> Vec<CaseIndex> {
        let Some(count) = self.per_block.filter(|_| !self.cases.is_empty()) else {
            let mut all = self.cases.clone();
            shuffle(random, &mut all);
            return all;
        };
        let mut dealt = Vec::with_capacity(count);
        while dealt.len() < count {
            if self.left.is_empty() {
                self.left.clone_from(&self.cases);
                shuffle(random, &mut self.left);
                // What this block has already comes last of the new deck.
                self.left.sort_by_key(|case| !dealt.contains(case));
            }
            dealt.extend(self.left.pop());
        }
        dealt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;
    use std::collections::BTreeSet;

    #[test]
    fn every_instance_comes_equally_often_and_once_in_a_block() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        for instances in [4, 5, 7, 12] {
            let mut deck = Deck::new((0..instances).collect(), Some(4));
            let mut counts = vec![0_i32; instances];
            for _ in 0..60 {
                let block = deck.deal(&mut random);
                let distinct: BTreeSet<_> = block.iter().collect();
                assert_eq!((block.len(), distinct.len()), (4, 4));
                block.iter().for_each(|case| counts[*case] += 1);
            }
            let (least, most) = (counts.iter().min(), counts.iter().max());
            let apart = most.copied().unwrap_or(0) - least.copied().unwrap_or(0);
            assert!(apart <= 1, "{counts:?}");
        }
    }

    #[test]
    fn a_set_of_fewer_instances_than_a_block_has_is_dealt_whole() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut deck = Deck::new(vec![3, 9], Some(4));
        for _ in 0..5 {
            let mut block = deck.deal(&mut random);
            block.sort_unstable();
            assert_eq!(block, [3, 9]);
        }
        assert!(Deck::new(Vec::new(), Some(4)).deal(&mut random).is_empty());
    }
}
