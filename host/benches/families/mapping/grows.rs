//! A map that grows.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

type Map = HashMap<u32, u32, BuildHasherDefault<DefaultHasher>>;

pub fn solve(numbers: Vec<u32>) -> Vec<u32> {
    let mut counts = Map::default();
    for number in &numbers {
        *counts.entry(*number).or_default() += 1;
    }
    let most = counts.values().copied().max();
    vec![counts.len() as u32, most.unwrap_or(0)]
}
