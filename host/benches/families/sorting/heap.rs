//! A heap with the largest in front, taken from one by one.

pub fn solve(mut numbers: Vec<u32>) -> Vec<u32> {
    for root in (0..numbers.len() / 2).rev() {
        sift(&mut numbers, root);
    }
    for end in (1..numbers.len()).rev() {
        numbers.swap(0, end);
        sift(&mut numbers[..end], 0);
    }
    numbers
}

fn sift(heap: &mut [u32], mut root: usize) {
    loop {
        let mut child = 2 * root + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && heap[child] < heap[child + 1] {
            child += 1;
        }
        if heap[root] >= heap[child] {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}
