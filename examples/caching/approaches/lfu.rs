//! An ordered set of counts and last requests.

use std::collections::{BTreeSet, HashMap};

pub fn evict(requests: Vec<u32>, capacity: u32) -> Vec<u32> {
    // By key: the number of its requests and the last one.
    let mut counts: HashMap<u32, (u32, u32)> = HashMap::with_capacity(capacity as usize + 1);
    let mut order: BTreeSet<(u32, u32, u32)> = BTreeSet::new();
    let one = |(now, key): (u32, u32)| {
        if let Some(known) = counts.get_mut(&key) {
            order.remove(&(known.0, known.1, key));
            *known = (known.0 + 1, now);
            order.insert((known.0, known.1, key));
            return u32::MAX;
        }
        // Room is made first: otherwise the new key, with its one request, would often leave at once.
        let mut leaves = u32::MAX;
        if counts.len() >= capacity as usize
            && let Some((.., least)) = order.pop_first()
        {
            counts.remove(&least);
            leaves = least;
        }
        counts.insert(key, (1, now));
        order.insert((1, now, key));
        leaves
    };
    (0..).zip(requests).map(one).collect()
}
