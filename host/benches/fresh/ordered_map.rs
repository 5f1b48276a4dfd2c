use std::collections::BTreeMap;

pub fn work(n: u32) -> u64 {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for i in 0..n {
        *counts.entry(i.wrapping_mul(2_654_435_761) % n).or_default() += u64::from(i);
    }
    counts.values().sum()
}
