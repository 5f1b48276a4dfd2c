//! One queue in the order of entry.

use std::collections::{HashSet, VecDeque};

pub fn evict(requests: Vec<u32>, capacity: u32) -> Vec<u32> {
    let mut cached = HashSet::with_capacity(capacity as usize + 1);
    let mut queue = VecDeque::with_capacity(capacity as usize + 1);
    let one = |key: u32| {
        if !cached.insert(key) {
            return u32::MAX;
        }
        queue.push_back(key);
        if queue.len() <= capacity as usize {
            return u32::MAX;
        }
        let first = queue.pop_front().unwrap_or(key);
        cached.remove(&first);
        first
    };
    requests.into_iter().map(one).collect()
}
