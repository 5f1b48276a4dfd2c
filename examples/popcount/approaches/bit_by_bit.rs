//! Shifts each number to the right until nothing is left of it.

pub fn popcount(values: Vec<u64>) -> u64 {
    let mut count = 0;
    for mut value in values {
        while value > 0 {
            count += value & 1;
            value >>= 1;
        }
    }
    count
}
