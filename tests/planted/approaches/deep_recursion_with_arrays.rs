//! Calls itself for ever, with an array in linear memory each time: the stack that Rust keeps there
//! runs out first.

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let mut sorted = Vec::new();
    descend(&values, &mut sorted, &[0; 64]);
    sorted.truncate(k as usize);
    sorted
}

fn descend(values: &[i64], sorted: &mut Vec<i64>, above: &[i64; 64]) {
    let mut here = *above;
    here[values.len() % 64] += 1;
    let (&first, rest) = values.split_first().unwrap_or((&0, values));
    // Without end, so that no optimiser makes a loop of it that ends.
    descend(rest, sorted, std::hint::black_box(&here));
    sorted.push(first + here[0]);
}
