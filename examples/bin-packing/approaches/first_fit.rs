pub fn pack(capacity: u32, weights: Vec<u32>) -> Vec<u32> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(weights[*place]));
    let mut room: Vec<u32> = Vec::new();
    let mut answer = vec![0; weights.len()];
    for place in order {
        let weight = weights[place];
        let bin = match room.iter().position(|room| *room >= weight) {
            Some(bin) => bin,
            None => {
                room.push(capacity);
                room.len() - 1
            }
        };
        room[bin] -= weight;
        answer[place] = bin as u32;
    }
    answer
}
