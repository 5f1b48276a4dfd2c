//! Compares hashes that roll along the text, and letters where hashes are equal (Karp and Rabin 1987).

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

pub fn solve(text: Vec<u8>, pattern: Vec<u8>) -> u32 {
    if text.len() < pattern.len() {
        return 0;
    }
    let push = |hash: u64, letter: &u8| hash.wrapping_mul(BASE).wrapping_add(u64::from(*letter));
    let wanted = pattern.iter().fold(0, push);
    let highest = BASE.wrapping_pow(pattern.len() as u32);
    let mut hash = text[..pattern.len()].iter().fold(0, push);
    let mut found = 0;
    for (at, place) in text.windows(pattern.len()).enumerate() {
        found += u32::from(hash == wanted && place == pattern);
        if let Some(next) = text.get(at + pattern.len()) {
            hash = push(hash, next).wrapping_sub(highest.wrapping_mul(u64::from(text[at])));
        }
    }
    found
}
