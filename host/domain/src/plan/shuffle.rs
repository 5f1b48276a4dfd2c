//! Uniform orders.

use crate::stats::below;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Shuffles uniformly (Fisher and Yates).
pub(super) fn shuffle<T>(random: &mut Xoshiro256PlusPlus, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(random, last as u64 + 1) as usize);
    }
}
