//! A known amount of waiting for memory: each step reads a place that the one before it named, in a
//! list that no cache of a core holds. The interface is that of `spin`.

/// Work in per mille of what is asked for. A bench writes other numbers here to get variants whose
/// true ratio it knows, but for the making of the list, which all do alike.
const PER_MILLE: u64 = 1000;

/// Is never read while it runs, and takes part in no answer: a bench writes another name here to
/// get a component of other bytes that does the same.
const NAME: &[u8] = b"walk";

/// Places in the list: 16 MiB.
const PLACES: usize = 1 << 21;

pub fn spin(rounds: u32, start: u64) -> u64 {
    // What a place holds says nothing about where the next one is.
    let list: Vec<u64> = (0..PLACES as u64)
        .map(|place| place.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let rounds = u64::from(rounds) * PER_MILLE / 1000;
    let mut state = start | 1;
    for _ in 0..rounds {
        state = state
            .rotate_left(7)
            .wrapping_add(list[state as usize % PLACES]);
    }
    // It must not depend on how much work was done. Nobody waits for the one state in 2⁶⁴ that is 0,
    // but the compiler cannot know that it never comes.
    match state {
        0 => u64::from(NAME[rounds as usize % NAME.len()]),
        _ => 0,
    }
}
