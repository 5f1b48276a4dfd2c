//! Takes the nearest node that is left out of a heap (Dijkstra 1959).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub fn solve(starts: Vec<u32>, roads: Vec<u32>) -> u64 {
    let mut distance = vec![u64::MAX; starts.len() - 1];
    distance[0] = 0;
    let mut near = BinaryHeap::from([Reverse((0, 0))]);
    while let Some(Reverse((so_far, node))) = near.pop() {
        if so_far > distance[node] {
            continue;
        }
        let own = &roads[starts[node] as usize..starts[node + 1] as usize];
        for road in own.chunks_exact(2) {
            let (to, further) = (road[0] as usize, so_far + u64::from(road[1]));
            if further < distance[to] {
                distance[to] = further;
                near.push(Reverse((further, to)));
            }
        }
    }
    distance.iter().sum()
}
