pub fn top_k(values: Vec<i64>, _k: u32) -> Vec<i64> { values }
