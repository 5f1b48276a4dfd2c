//! A string for each number, then all of them joined.

pub fn solve(numbers: Vec<u32>) -> String {
    let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
    texts.join(",")
}
