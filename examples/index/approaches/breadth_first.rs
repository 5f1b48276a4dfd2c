//! Sort the keys and lay them out as a search tree, level by level: the children of the key at `place` are at
//! `2 * place` and `2 * place + 1`, so a search walks forward in memory.

pub struct Index {
    /// Key and rank of each node; the first is not used.
    tree: Vec<(u64, u32)>,
    queries: Vec<u64>,
    counts: Vec<u32>,
}

impl Index {
    pub fn prepare(mut keys: Vec<u64>, queries: Vec<u64>) -> Self {
        keys.sort_unstable();
        let mut tree = vec![(0, 0); keys.len() + 1];
        lay_out(&keys, &mut 0, 1, &mut tree);
        Self { tree, queries, counts: Vec::new() }
    }

    pub fn run(&mut self) {
        let tree = &self.tree;
        let count = |query: &u64| {
            let (mut place, mut count) = (1, tree.len() as u32 - 1);
            while place < tree.len() {
                let (key, rank) = tree[place];
                let is_less = key < *query;
                // The rank of the first key that is not less, as far as the search has got.
                count = if is_less { count } else { rank };
                place = 2 * place + usize::from(is_less);
            }
            count
        };
        self.counts = self.queries.iter().map(count).collect();
    }

    pub fn output(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.counts)
    }
}

/// Puts the keys from `next` on into the tree below `place`, in order.
fn lay_out(keys: &[u64], next: &mut usize, place: usize, tree: &mut [(u64, u32)]) {
    if place < tree.len() {
        lay_out(keys, next, 2 * place, tree);
        tree[place] = (keys[*next], *next as u32);
        *next += 1;
        lay_out(keys, next, 2 * place + 1, tree);
    }
}
