//! Looks at each letter of the text once: after a mismatch it goes on with the longest beginning of
//! the pattern that ends here (Knuth, Morris and Pratt 1977).

pub fn solve(text: Vec<u8>, pattern: Vec<u8>) -> u32 {
    let mut shorter = vec![0_usize; pattern.len() + 1];
    let mut length = 0;
    for at in 1..pattern.len() {
        while length > 0 && pattern[at] != pattern[length] {
            length = shorter[length];
        }
        length += usize::from(pattern[at] == pattern[length]);
        shorter[at + 1] = length;
    }
    let (mut found, mut length) = (0, 0);
    for &letter in &text {
        while length > 0 && letter != pattern[length] {
            length = shorter[length];
        }
        length += usize::from(letter == pattern[length]);
        if length == pattern.len() {
            found += 1;
            length = shorter[length];
        }
    }
    found
}
