//! 2Q, full version: `recent` for new keys, `ghosts` for those that left it, and `main` in the order of
//! the last request.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// The share of the cache for new keys, and of remembered keys to its size.
const RECENT_SHARE: usize = 4;
const GHOSTS_SHARE: usize = 2;

pub fn evict(requests: Vec<u32>, capacity: u32) -> Vec<u32> {
    let capacity = capacity as usize;
    let recent_max = (capacity / RECENT_SHARE).max(1);
    let ghosts_max = (capacity / GHOSTS_SHARE).max(1);
    let mut recent = VecDeque::new();
    let mut in_recent = HashSet::new();
    let mut ghosts = VecDeque::new();
    let mut in_ghosts = HashSet::new();
    let mut main: BTreeMap<u32, u32> = BTreeMap::new();
    let mut in_main: HashMap<u32, u32> = HashMap::new();
    let one = |(now, key): (u32, u32)| {
        if let Some(last) = in_main.get_mut(&key) {
            main.remove(last);
            main.insert(now, key);
            *last = now;
            return u32::MAX;
        }
        if in_recent.contains(&key) {
            return u32::MAX;
        }
        let mut leaves = u32::MAX;
        if in_recent.len() + in_main.len() >= capacity {
            if in_recent.len() >= recent_max || in_main.is_empty() {
                if let Some(oldest) = recent.pop_front() {
                    in_recent.remove(&oldest);
                    ghosts.push_back(oldest);
                    in_ghosts.insert(oldest);
                    leaves = oldest;
                }
                if ghosts.len() > ghosts_max
                    && let Some(forgotten) = ghosts.pop_front()
                {
                    in_ghosts.remove(&forgotten);
                }
            } else if let Some((_, oldest)) = main.pop_first() {
                in_main.remove(&oldest);
                leaves = oldest;
            }
        }
        if in_ghosts.remove(&key) {
            ghosts.retain(|ghost| *ghost != key);
            main.insert(now, key);
            in_main.insert(key, now);
        } else {
            recent.push_back(key);
            in_recent.insert(key);
        }
        leaves
    };
    (0..).zip(requests).map(one).collect()
}
