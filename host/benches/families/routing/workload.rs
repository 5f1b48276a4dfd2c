//! Roads of 1 to 100: from each node one to the next in a shuffled round, and three to anywhere.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut rng = Rng::new(seed);
    let mut below = |bound: u32| rng.below(u64::from(bound)) as u32;
    let mut next: Vec<u32> = (0..size).collect();
    for last in (1..size).rev() {
        // Changing places with one before it leaves a single round (Sattolo 1986).
        next.swap(last as usize, below(last) as usize);
    }
    let (mut starts, mut roads) = (vec![0], Vec::new());
    for next in next {
        roads.extend([next, 1 + below(100)]);
        for _ in 0..3 {
            roads.extend([below(size), 1 + below(100)]);
        }
        starts.push(roads.len() as u32);
    }
    (starts, roads)
}
