//! Starts from zeroes, and so never answers with a negative number.

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let mut best = vec![0; k as usize];
    for value in values {
        let position = best.partition_point(|&kept| kept >= value);
        if position < best.len() {
            best.insert(position, value);
            best.pop();
        }
    }
    best
}
