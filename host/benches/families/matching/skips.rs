//! Compares, then skips as far as the last letter below the pattern allows (Horspool 1980).

pub fn solve(text: Vec<u8>, pattern: Vec<u8>) -> u32 {
    let mut skip = [pattern.len(); 256];
    for (at, &letter) in pattern[..pattern.len() - 1].iter().enumerate() {
        skip[usize::from(letter)] = pattern.len() - 1 - at;
    }
    let (mut found, mut at) = (0, 0);
    while let Some(place) = text.get(at..at + pattern.len()) {
        found += u32::from(place == pattern);
        at += skip[usize::from(place[pattern.len() - 1])];
    }
    found
}
