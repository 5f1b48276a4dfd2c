use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

pub fn work(n: u32) -> u64 {
    // Not with random keys: two maps of one instance would differ.
    let mut counts: HashMap<u32, u64, BuildHasherDefault<DefaultHasher>> = HashMap::default();
    for i in 0..n {
        *counts.entry(i.wrapping_mul(2_654_435_761) % n).or_default() += u64::from(i);
    }
    counts.values().sum()
}
