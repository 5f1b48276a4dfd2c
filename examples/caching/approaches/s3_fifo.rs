//! S3-FIFO: new keys enter `small`, those requested again `main`; whoever leaves `small` unused is a
//! ghost, and enters `main` when it comes back.

use std::collections::{HashMap, HashSet, VecDeque};

/// One in ten keys of the cache is a new one.
const SMALL_SHARE: usize = 10;
/// Requests are counted up to this number.
const USES_MAX: u8 = 3;

pub fn evict(requests: Vec<u32>, capacity: u32) -> Vec<u32> {
    let capacity = capacity as usize;
    let mut cache = Cache {
        small_max: (capacity / SMALL_SHARE).max(1),
        ghosts_max: capacity,
        uses: HashMap::with_capacity(capacity + 1),
        small: VecDeque::new(),
        main: VecDeque::new(),
        ghosts: VecDeque::new(),
        in_ghosts: HashSet::new(),
    };
    let one = |key: u32| {
        if let Some(uses) = cache.uses.get_mut(&key) {
            *uses = (*uses + 1).min(USES_MAX);
            return u32::MAX;
        }
        let leaves = match cache.uses.len() >= capacity {
            true => cache.leave(),
            false => u32::MAX,
        };
        match cache.in_ghosts.remove(&key) {
            true => cache.main.push_back(key),
            false => cache.small.push_back(key),
        }
        cache.uses.insert(key, 0);
        leaves
    };
    requests.into_iter().map(one).collect()
}

struct Cache {
    small_max: usize,
    ghosts_max: usize,
    uses: HashMap<u32, u8>,
    small: VecDeque<u32>,
    main: VecDeque<u32>,
    ghosts: VecDeque<u32>,
    in_ghosts: HashSet<u32>,
}

impl Cache {
    fn leave(&mut self) -> u32 {
        loop {
            let from_small = self.small.len() >= self.small_max || self.main.is_empty();
            if from_small && let Some(key) = self.small.pop_front() {
                if self.uses.get(&key).is_some_and(|uses| *uses > 0) {
                    self.uses.insert(key, 0);
                    self.main.push_back(key);
                    continue;
                }
                self.remember(key);
                self.uses.remove(&key);
                return key;
            }
            let Some(key) = self.main.pop_front() else {
                continue;
            };
            match self.uses.get_mut(&key) {
                Some(uses) if *uses > 0 => {
                    *uses -= 1;
                    self.main.push_back(key);
                }
                _ => {
                    self.uses.remove(&key);
                    return key;
                }
            }
        }
    }

    fn remember(&mut self, key: u32) {
        self.ghosts.push_back(key);
        self.in_ghosts.insert(key);
        if self.ghosts.len() > self.ghosts_max
            && let Some(forgotten) = self.ghosts.pop_front()
        {
            self.in_ghosts.remove(&forgotten);
        }
    }
}
