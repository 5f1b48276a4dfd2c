//! As text: checked, split, and each part parsed, by the standard library.

pub fn solve(text: Vec<u8>) -> u64 {
    let text = String::from_utf8(text).unwrap_or_default();
    let numbers = text.split(',').filter_map(|part| part.parse::<u64>().ok());
    numbers.sum()
}
