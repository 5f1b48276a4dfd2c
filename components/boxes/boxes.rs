//! A known amount of allocating: a tree with a box for each node, and lists that grow. The interface is
//! that of `spin`.

/// The work, in per mille of the rounds. A bench writes other numbers here to make variants of a known
/// ratio.
const PER_MILLE: u64 = 1000;

/// Never read in practice: a bench writes another name here to make a component of other bytes that
/// behaves the same.
const NAME: &[u8] = b"boxes";

/// Nodes of a tree.
const NODES: u64 = 64;

struct Node {
    key: u64,
    children: [Option<Box<Node>>; 2],
}

pub fn spin(rounds: u32, start: u64) -> u64 {
    let rounds = u64::from(rounds) * PER_MILLE / 1000;
    let mut state = start | 1;
    let mut longest = 0;
    for _ in 0..rounds.div_ceil(NODES) {
        let (mut root, mut keys) = (None, Vec::new());
        for _ in 0..NODES {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            insert(&mut root, state);
            keys.push(state);
        }
        longest = longest.max(keys.len());
    }
    // The answer must not depend on the amount of work. The state never becomes 0, and no list is as long,
    // which the compiler does not know.
    match state == 0 || longest as u64 > NODES {
        true => u64::from(NAME[rounds as usize % NAME.len()]),
        false => 0,
    }
}

fn insert(root: &mut Option<Box<Node>>, key: u64) {
    let mut place = root;
    while let Some(node) = place {
        place = &mut node.children[usize::from(key > node.key)];
    }
    *place = Some(Box::new(Node {
        key,
        children: [None, None],
    }));
}
