//! A box for each node.

struct Node {
    number: u32,
    children: [Option<Box<Node>>; 2],
}

pub fn solve(numbers: Vec<u32>) -> Vec<u32> {
    let mut root: Option<Box<Node>> = None;
    let (mut deepest, mut sum) = (0, 0_u32);
    for number in numbers {
        let (mut place, mut depth) = (&mut root, 1_u32);
        while let Some(node) = place {
            place = &mut node.children[usize::from(number >= node.number)];
            depth += 1;
        }
        *place = Some(Box::new(Node {
            number,
            children: [None, None],
        }));
        deepest = deepest.max(depth);
        sum = sum.wrapping_add(depth);
    }
    vec![deepest, sum]
}
