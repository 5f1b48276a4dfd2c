//! Compare each number with all that follow.

pub fn count_inversions(values: Vec<i32>) -> u64 {
    let mut count = 0;
    for (place, earlier) in values.iter().enumerate() {
        count += values[place + 1..]
            .iter()
            .filter(|later| earlier > *later)
            .count() as u64;
    }
    count
}
