//! Onto a list that grows.

pub fn solve(numbers: Vec<u32>) -> Vec<u32> {
    let mut squares = Vec::new();
    for number in &numbers {
        squares.push(number.wrapping_mul(*number));
    }
    squares
}
