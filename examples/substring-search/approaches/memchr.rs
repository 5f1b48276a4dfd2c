//! Look for the pattern's first and last letter, many places at once, and compare only there.

/// Places that are looked at together: the compiler makes vector instructions of it.
const LANES: usize = 32;

pub fn find_all(text: Vec<u8>, pattern: Vec<u8>) -> Vec<u32> {
    let mut found = Vec::new();
    let (Some(&first), Some(&last)) = (pattern.first(), pattern.last()) else {
        return found;
    };
    let Some(places) = (text.len() + 1).checked_sub(pattern.len()) else {
        return found;
    };
    let firsts = text[..places].chunks(LANES);
    let lasts = text[pattern.len() - 1..].chunks(LANES);
    for (chunk, (firsts, lasts)) in firsts.zip(lasts).enumerate() {
        let candidates = firsts.iter().zip(lasts).fold(0, |any, (&a, &b)| {
            any | u8::from(a == first) & u8::from(b == last)
        });
        if candidates == 0 {
            continue;
        }
        let start = chunk * LANES;
        for at in start..start + firsts.len() {
            if text[at] == first && text[at..at + pattern.len()] == pattern {
                found.push(at as u32);
            }
        }
    }
    found
}
