//! A known amount of work: each round depends on the one before it, so that no compiler and no
//! processor can do two at once, and the time is proportional to their number.

/// Work in per mille of what is asked for. A bench writes other numbers here to get variants whose
/// true ratio it knows.
const PER_MILLE: u64 = 1000;

/// Is never read while it runs, and takes part in no answer: a bench writes another name here to
/// get a component of other bytes that does the same.
const NAME: &[u8] = b"spin";

pub fn spin(rounds: u32, start: u64) -> u64 {
    let rounds = u64::from(rounds) * PER_MILLE / 1000;
    let mut state = start | 1;
    for _ in 0..rounds {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    // What it answers must not depend on how much work was done: the variants have to agree. No
    // state that is not 0 leads to 0, which the compiler does not know.
    match state {
        0 => u64::from(NAME[rounds as usize % NAME.len()]),
        _ => 0,
    }
}
