//! Prepare nothing; sort keys and queries when they are asked, and count in one pass over both.

pub struct Index {
    keys: Vec<u64>,
    queries: Vec<u64>,
    counts: Vec<u32>,
}

impl Index {
    pub fn prepare(keys: Vec<u64>, queries: Vec<u64>) -> Self {
        Self { keys, queries, counts: Vec::new() }
    }

    pub fn run(&mut self) {
        self.keys.sort_unstable();
        let mut order: Vec<u32> = (0..self.queries.len() as u32).collect();
        order.sort_unstable_by_key(|place| self.queries[*place as usize]);
        self.counts = vec![0; self.queries.len()];
        let mut less = 0;
        for place in order {
            let query = self.queries[place as usize];
            while less < self.keys.len() && self.keys[less] < query {
                less += 1;
            }
            self.counts[place as usize] = less as u32;
        }
    }

    pub fn output(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.counts)
    }
}
