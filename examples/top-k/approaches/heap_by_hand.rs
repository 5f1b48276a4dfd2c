//! Keep the k largest seen so far in a min-heap: its root is the one to beat. Line by line as in C.

/// Moves the value at a place down to where both below it are larger.
fn sift_down(heap: &mut [i64], mut place: usize) {
    let value = heap[place];
    loop {
        let mut below = 2 * place + 1;
        if below >= heap.len() {
            break;
        }
        if below + 1 < heap.len() && heap[below + 1] < heap[below] {
            below += 1;
        }
        if value <= heap[below] {
            break;
        }
        heap[place] = heap[below];
        place = below;
    }
    heap[place] = value;
}

pub fn top_k(values: &[i64], k: u32) -> Vec<i64> {
    let count = values.len().min(k as usize);
    let (first, rest) = values.split_at(count);
    let mut heap = first.to_vec();
    for place in (0..count / 2).rev() {
        sift_down(&mut heap, place);
    }
    for &value in rest {
        if count > 0 && value > heap[0] {
            heap[0] = value;
            sift_down(&mut heap, 0);
        }
    }
    // The smallest goes to the end, again and again: what is left is in descending order.
    for end in (1..count).rev() {
        heap.swap(0, end);
        sift_down(&mut heap[..end], 0);
    }
    heap
}
