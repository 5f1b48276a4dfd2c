struct Node {
    key: u32,
    below: [Option<Box<Node>>; 2],
}

pub fn work(n: u32) -> u64 {
    let mut root = None;
    for i in 0..n {
        let key = i.wrapping_mul(2_654_435_761);
        let mut place: &mut Option<Box<Node>> = &mut root;
        while let Some(node) = place {
            place = &mut node.below[usize::from(key > node.key)];
        }
        *place = Some(Box::new(Node { key, below: [None, None] }));
    }
    depth(&root)
}

fn depth(node: &Option<Box<Node>>) -> u64 {
    let below = node.as_ref().map(|node| node.below.iter().map(depth).max().unwrap_or(0));
    below.map_or(0, |below| below + 1)
}
