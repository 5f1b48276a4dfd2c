//! The k best so far in a heap whose root is the worst of them; other names, another layout.

/// Lets a node sink below everything that is smaller than it.
fn sink(tree: &mut [i64], node: usize) {
    let mut node = node;
    loop {
        let mut smallest = node;
        for below in [node * 2 + 1, node * 2 + 2] {
            if below < tree.len() && tree[smallest] > tree[below] {
                smallest = below;
            }
        }
        if node == smallest {
            break;
        }
        tree.swap(smallest, node);
        node = smallest;
    }
}

pub fn top_k(numbers: Vec<i64>, count: u32) -> Vec<i64> {
    let count = (count as usize).min(numbers.len());
    let mut kept = numbers[..count].to_vec();
    for inner in (0..count / 2).rev() {
        sink(&mut kept, inner);
    }
    for &number in &numbers[count..] {
        if *kept.first().expect("whoever wants none is not asked") < number {
            kept[0] = number;
            sink(&mut kept, 0);
        }
    }
    kept.sort_unstable();
    kept.reverse();
    kept
}
