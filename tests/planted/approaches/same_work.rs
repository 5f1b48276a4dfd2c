//! A min-heap of the k largest, written with `for` and ranges.

pub fn top_k(values: Vec<i64>, k: u32) -> Vec<i64> {
    let k = (k as usize).min(values.len());
    let mut heap: Vec<i64> = values[..k].to_vec();
    for parent in (0..k / 2).rev() {
        sift(&mut heap, parent);
    }
    for &value in &values[k..] {
        if value > *heap.first().expect("the heap holds k values") {
            heap[0] = value;
            sift(&mut heap, 0);
        }
    }
    heap.sort_unstable();
    heap.reverse();
    heap
}

/// Moves a value down until no child is smaller.
fn sift(heap: &mut [i64], mut parent: usize) {
    loop {
        let mut least = parent;
        for child in [2 * parent + 1, 2 * parent + 2] {
            if child < heap.len() && heap[child] < heap[least] {
                least = child;
            }
        }
        if least == parent {
            return;
        }
        heap.swap(parent, least);
        parent = least;
    }
}
