//! A known amount of work: each round depends on the one before it, so that no compiler and no
//! processor can do two at once, and the time is proportional to their number.

/// Work in per mille of what is asked for. A bench writes other numbers here to get variants whose
/// true ratio it knows.
const PER_MILLE: u64 = 1000;

pub fn spin(rounds: u32, start: u64) -> u64 {
    let rounds = u64::from(rounds) * PER_MILLE / 1000;
    let mut state = start | 1;
    for _ in 0..rounds {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    // What it answers must not depend on how much work was done: the variants have to agree.
    u64::from(state == 0)
}
