//! An ordered map.

use std::collections::BTreeMap;

pub fn solve(numbers: Vec<u32>) -> Vec<u32> {
    let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
    for number in &numbers {
        *counts.entry(*number).or_default() += 1;
    }
    let most = counts.values().copied().max();
    vec![counts.len() as u32, most.unwrap_or(0)]
}
