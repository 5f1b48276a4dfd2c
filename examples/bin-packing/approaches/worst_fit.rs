use std::collections::BinaryHeap;

pub fn pack(capacity: u32, weights: Vec<u32>) -> Vec<u32> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(weights[*place]));
    // By room, then by number.
    let mut open: BinaryHeap<(u32, u32)> = BinaryHeap::new();
    let mut bins = 0;
    let mut answer = vec![0; weights.len()];
    for place in order {
        let weight = weights[place];
        let emptiest = open.peek().copied().filter(|(room, _)| *room >= weight);
        let (room, bin) = match emptiest {
            Some(emptiest) => {
                open.pop();
                emptiest
            }
            None => {
                bins += 1;
                (capacity, bins - 1)
            }
        };
        open.push((room - weight, bin));
        answer[place] = bin;
    }
    answer
}
