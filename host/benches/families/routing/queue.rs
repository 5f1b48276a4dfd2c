//! Goes on from each node whose distance became less, first come, first served (Moore 1959).

use std::collections::VecDeque;

pub fn solve(starts: Vec<u32>, roads: Vec<u32>) -> u64 {
    let mut distance = vec![u64::MAX; starts.len() - 1];
    let mut waits = vec![false; distance.len()];
    distance[0] = 0;
    let mut queue = VecDeque::from([0]);
    while let Some(node) = queue.pop_front() {
        waits[node] = false;
        let own = &roads[starts[node] as usize..starts[node + 1] as usize];
        for road in own.chunks_exact(2) {
            let (to, further) = (road[0] as usize, distance[node] + u64::from(road[1]));
            if further < distance[to] {
                distance[to] = further;
                if !std::mem::replace(&mut waits[to], true) {
                    queue.push_back(to);
                }
            }
        }
    }
    distance.iter().sum()
}
