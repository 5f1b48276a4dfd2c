//! Compares at every place.

pub fn solve(text: Vec<u8>, pattern: Vec<u8>) -> u32 {
    let places = text.windows(pattern.len());
    places.filter(|place| *place == pattern).count() as u32
}
