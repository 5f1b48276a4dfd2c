//! Runs of one, of two, of four … merged into another list and back.

pub fn solve(mut numbers: Vec<u32>) -> Vec<u32> {
    let mut other = vec![0; numbers.len()];
    let mut run = 1;
    while run < numbers.len() {
        for (from, to) in numbers.chunks(2 * run).zip(other.chunks_mut(2 * run)) {
            let (left, right) = from.split_at(run.min(from.len()));
            merge(left, right, to);
        }
        std::mem::swap(&mut numbers, &mut other);
        run *= 2;
    }
    numbers
}

fn merge(left: &[u32], right: &[u32], to: &mut [u32]) {
    let (mut i, mut j) = (0, 0);
    for place in to {
        if j == right.len() || (i < left.len() && left[i] <= right[j]) {
            *place = left[i];
            i += 1;
        } else {
            *place = right[j];
            j += 1;
        }
    }
}
