//! Onto a list that has the place from the start.

pub fn solve(numbers: Vec<u32>) -> Vec<u32> {
    let mut squares = Vec::with_capacity(numbers.len());
    for number in &numbers {
        squares.push(number.wrapping_mul(*number));
    }
    squares
}
