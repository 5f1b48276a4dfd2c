//! Keeps a list of nodes for every distance (Dial 1969).

pub fn solve(starts: Vec<u32>, roads: Vec<u32>) -> u64 {
    let mut distance = vec![u64::MAX; starts.len() - 1];
    distance[0] = 0;
    let mut at = vec![vec![0]];
    let mut so_far = 0;
    while so_far < at.len() {
        for node in std::mem::take(&mut at[so_far]) {
            if distance[node] < so_far as u64 {
                continue;
            }
            let own = &roads[starts[node] as usize..starts[node + 1] as usize];
            for road in own.chunks_exact(2) {
                let (to, further) = (road[0] as usize, so_far + road[1] as usize);
                if (further as u64) < distance[to] {
                    distance[to] = further as u64;
                    if at.len() <= further {
                        at.resize(further + 1, Vec::new());
                    }
                    at[further].push(to);
                }
            }
        }
        so_far += 1;
    }
    distance.iter().sum()
}
