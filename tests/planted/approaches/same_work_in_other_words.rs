//! The k best so far, in a heap whose root is the worst of them. Other names and other words, the
//! same work: instruction by instruction what `same_work.rs` does.

pub fn top_k(numbers: Vec<i64>, wanted: u32) -> Vec<i64> {
    let wanted = (wanted as usize).min(numbers.len());
    let mut kept: Vec<i64> = numbers[..wanted].to_vec();
    for node in (0..wanted / 2).rev() {
        sink(&mut kept, node);
    }
    for &number in &numbers[wanted..] {
        if number > *kept.first().expect("whoever wants no number at all is not asked") {
            kept[0] = number;
            sink(&mut kept, 0);
        }
    }
    kept.sort_unstable();
    kept.reverse();
    kept
}

/// Lets a node sink below everything that is smaller than it.
fn sink(tree: &mut [i64], mut node: usize) {
    loop {
        let mut smallest = node;
        for below in [2 * node + 1, 2 * node + 2] {
            if below < tree.len() && tree[below] < tree[smallest] {
                smallest = below;
            }
        }
        if smallest == node {
            return;
        }
        tree.swap(node, smallest);
        node = smallest;
    }
}
