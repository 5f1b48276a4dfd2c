//! Keep the k largest seen so far in a min-heap: its root is the one to beat.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let k = k as usize;
    let mut best = BinaryHeap::with_capacity(k);
    for value in values {
        if best.len() < k {
            best.push(Reverse(value));
        } else if let Some(mut smallest) = best.peek_mut()
            && value > smallest.0
        {
            // Dropping `smallest` restores the heap.
            *smallest = Reverse(value);
        }
    }
    // Ascending by `Reverse` is descending by value.
    best.into_sorted_vec()
        .into_iter()
        .map(|Reverse(value)| value)
        .collect()
}
