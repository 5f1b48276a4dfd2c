//! Looks through all nodes that are left for the nearest (Dijkstra 1959).

pub fn solve(starts: Vec<u32>, roads: Vec<u32>) -> u64 {
    let mut distance = vec![u64::MAX; starts.len() - 1];
    distance[0] = 0;
    let mut left: Vec<usize> = (0..distance.len()).collect();
    while let Some(nearest) = (0..left.len()).min_by_key(|&at| distance[left[at]]) {
        let node = left.swap_remove(nearest);
        let own = &roads[starts[node] as usize..starts[node + 1] as usize];
        for road in own.chunks_exact(2) {
            let further = distance[node] + u64::from(road[1]);
            let known = &mut distance[road[0] as usize];
            *known = further.min(*known);
        }
    }
    distance.iter().sum()
}
