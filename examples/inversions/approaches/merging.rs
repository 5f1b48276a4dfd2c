//! Sort by merging, and count how many numbers of the left half each number of the right half passes.

pub fn count_inversions(values: Vec<i32>) -> u64 {
    sorted(values).1
}

fn sorted(mut left: Vec<i32>) -> (Vec<i32>, u64) {
    let half = left.len() / 2;
    if half == 0 {
        return (left, 0);
    }
    let (right, mut count) = sorted(left.split_off(half));
    let (left, more) = sorted(left);
    count += more;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.as_slice(), right.as_slice());
    while let (Some(first), Some(second)) = (left.first(), right.first()) {
        if first <= second {
            merged.push(*first);
            left = &left[1..];
        } else {
            merged.push(*second);
            right = &right[1..];
            count += left.len() as u64;
        }
    }
    merged.extend(left);
    merged.extend(right);
    (merged, count)
}
