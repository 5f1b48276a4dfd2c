//! A known amount of work: each round depends on the one before it, so that no compiler and no
//! processor can do two at once, and the time is proportional to their number.

/// The work, in per mille of the rounds. A bench writes other numbers here to make variants of a known
/// ratio.
const PER_MILLE: u64 = 1000;

/// Never read in practice: a bench writes another name here to make a component of other bytes that
/// behaves the same.
const NAME: &[u8] = b"spin";

pub fn spin(rounds: u32, start: u64) -> u64 {
    let rounds = u64::from(rounds) * PER_MILLE / 1000;
    let mut state = start | 1;
    for _ in 0..rounds {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    // The answer must not depend on the amount of work: the variants have to agree. The state never
    // becomes 0, which the compiler does not know.
    match state {
        0 => u64::from(NAME[rounds as usize % NAME.len()]),
        _ => 0,
    }
}
