//! Keep the k largest seen so far in a sorted array, and insert into it what beats its last.

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let k = values.len().min(k as usize);
    let (first, rest) = values.split_at(k);
    let mut best = first.to_vec();
    best.sort_unstable_by(|a, b| b.cmp(a));
    for &value in rest {
        if best.last().is_none_or(|&last| value <= last) {
            continue;
        }
        let mut position = k - 1;
        while position > 0 && best[position - 1] < value {
            best[position] = best[position - 1];
            position -= 1;
        }
        best[position] = value;
    }
    best
}
