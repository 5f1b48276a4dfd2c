//! Compare at every place.

pub fn find_all(text: Vec<u8>, pattern: Vec<u8>) -> Vec<u32> {
    if pattern.is_empty() {
        return Vec::new();
    }
    text.windows(pattern.len())
        .enumerate()
        .filter(|(_, window)| *window == pattern)
        .map(|(at, _)| at as u32)
        .collect()
}
