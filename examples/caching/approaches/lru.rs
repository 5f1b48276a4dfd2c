//! A map to the nodes of a list in the order of the last request.

use std::collections::HashMap;

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    key: u32,
    before: u32,
    after: u32,
}

/// A doubly linked list in a vector: node 0 is its head and its end.
struct Order {
    nodes: Vec<Node>,
}

impl Order {
    fn unlink(&mut self, node: u32) {
        let Node { before, after, .. } = self.nodes[node as usize];
        self.nodes[before as usize].after = after;
        self.nodes[after as usize].before = before;
    }

    fn put_last(&mut self, node: u32) {
        let last = self.nodes[0].before;
        self.nodes[node as usize].before = last;
        self.nodes[node as usize].after = 0;
        self.nodes[last as usize].after = node;
        self.nodes[0].before = node;
    }
}

pub fn evict(requests: Vec<u32>, capacity: u32) -> Vec<u32> {
    let head = Node { key: NONE, before: 0, after: 0 };
    let mut order = Order { nodes: vec![head] };
    let mut places: HashMap<u32, u32> = HashMap::with_capacity(capacity as usize + 1);
    let one = |key: u32| {
        if let Some(&node) = places.get(&key) {
            order.unlink(node);
            order.put_last(node);
            return NONE;
        }
        if places.len() < capacity as usize {
            let node = order.nodes.len() as u32;
            order.nodes.push(Node { key, before: 0, after: 0 });
            order.put_last(node);
            places.insert(key, node);
            return NONE;
        }
        // The node of the oldest is used again.
        let node = order.nodes[0].after;
        let oldest = order.nodes[node as usize].key;
        places.remove(&oldest);
        order.unlink(node);
        order.nodes[node as usize].key = key;
        order.put_last(node);
        places.insert(key, node);
        oldest
    };
    requests.into_iter().map(one).collect()
}
