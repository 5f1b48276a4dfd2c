use std::collections::BTreeSet;

pub fn pack(capacity: u32, weights: Vec<u32>) -> Vec<u32> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(weights[*place]));
    // By room, then by number.
    let mut open: BTreeSet<(u32, u32)> = BTreeSet::new();
    let mut bins = 0;
    let mut answer = vec![0; weights.len()];
    for place in order {
        let weight = weights[place];
        let (room, bin) = match open.range((weight, 0)..).next().copied() {
            Some(fullest) => {
                open.remove(&fullest);
                fullest
            }
            None => {
                bins += 1;
                (capacity, bins - 1)
            }
        };
        open.insert((room - weight, bin));
        answer[place] = bin;
    }
    answer
}
