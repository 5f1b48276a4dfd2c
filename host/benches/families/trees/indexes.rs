//! All nodes in one list that grows; children are places in it.

struct Node {
    number: u32,
    children: [u32; 2],
}

pub fn solve(numbers: Vec<u32>) -> Vec<u32> {
    let mut nodes: Vec<Node> = Vec::new();
    let (mut deepest, mut sum) = (0, 0_u32);
    for number in numbers {
        let new = nodes.len() as u32;
        let (mut at, mut depth) = (0, 1_u32);
        while new > 0 {
            depth += 1;
            let node = &mut nodes[at as usize];
            let child = &mut node.children[usize::from(number >= node.number)];
            if *child == 0 {
                *child = new;
                break;
            }
            at = *child;
        }
        nodes.push(Node {
            number,
            children: [0, 0],
        });
        deepest = deepest.max(depth);
        sum = sum.wrapping_add(depth);
    }
    vec![deepest, sum]
}
