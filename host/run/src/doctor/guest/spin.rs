//! Steps of which each needs the one before it: no compiler and no processor can do two at once.

pub fn spin(rounds: u32) -> u64 {
    let mut state = u64::from(rounds) | 1;
    for _ in 0..rounds {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    state
}
