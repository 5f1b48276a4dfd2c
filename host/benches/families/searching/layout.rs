//! Lays the numbers out as a tree whose node n has the children 2n and 2n + 1, then walks down
//! without a branch on what is found.

pub fn solve(numbers: Vec<u32>, wanted: Vec<u32>) -> u64 {
    let mut tree = vec![0_u32; numbers.len() + 1];
    let mut places = vec![0_u32; numbers.len() + 1];
    fill(&numbers, &mut tree, &mut places, &mut 0, 1);
    places[0] = numbers.len() as u32;
    let below = |wanted: &u32| {
        let mut node = 1;
        while node < tree.len() {
            node = 2 * node + usize::from(tree[node] < *wanted);
        }
        // The last turn to the left was at the first number that is not below.
        u64::from(places[node >> (node.trailing_ones() + 1)])
    };
    wanted.iter().map(below).sum()
}

fn fill(numbers: &[u32], tree: &mut [u32], places: &mut [u32], next: &mut usize, node: usize) {
    if node < tree.len() {
        fill(numbers, tree, places, next, 2 * node);
        tree[node] = numbers[*next];
        places[node] = *next as u32;
        *next += 1;
        fill(numbers, tree, places, next, 2 * node + 1);
    }
}
