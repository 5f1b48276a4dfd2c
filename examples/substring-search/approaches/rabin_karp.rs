//! Rabin and Karp: roll a hash along the text, and compare where it is the pattern's.

const BASE: u32 = 0x0100_0193;

pub fn find_all(text: Vec<u8>, pattern: Vec<u8>) -> Vec<u32> {
    let length = pattern.len();
    if length == 0 || text.len() < length {
        return Vec::new();
    }
    // What the letter that leaves the window counts for in the hash.
    let leaving = (1..length).fold(1, |power: u32, _| power.wrapping_mul(BASE));
    let wanted = hash(&pattern);
    let mut rolling = hash(&text[..length]);
    let mut found = Vec::new();
    for at in 0..=text.len() - length {
        if rolling == wanted && text[at..at + length] == pattern {
            found.push(at as u32);
        }
        if let Some(&letter) = text.get(at + length) {
            rolling = rolling
                .wrapping_sub(u32::from(text[at]).wrapping_mul(leaving))
                .wrapping_mul(BASE)
                .wrapping_add(u32::from(letter));
        }
    }
    found
}

fn hash(letters: &[u8]) -> u32 {
    letters.iter().fold(0, |hash: u32, &letter| {
        hash.wrapping_mul(BASE).wrapping_add(u32::from(letter))
    })
}
