//! Sort the keys; search each query by halving.

pub struct Index {
    keys: Vec<u64>,
    queries: Vec<u64>,
    counts: Vec<u32>,
}

impl Index {
    pub fn prepare(mut keys: Vec<u64>, queries: Vec<u64>) -> Self {
        keys.sort_unstable();
        Self { keys, queries, counts: Vec::new() }
    }

    pub fn run(&mut self) {
        let keys = &self.keys;
        let count = |query: &u64| keys.partition_point(|key| key < query) as u32;
        self.counts = self.queries.iter().map(count).collect();
    }

    pub fn output(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.counts)
    }
}
