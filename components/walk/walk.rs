//! A known amount of waiting for memory: each step reads an address that depends on the step before, in
//! a list larger than the caches of a core. The interface is that of `spin`.

/// The work, in per mille of the rounds. A bench writes other numbers here to make variants of a known
/// ratio, except for making the list, which all do alike.
const PER_MILLE: u64 = 1000;

/// Never read in practice: a bench writes another name here to make a component of other bytes that
/// behaves the same.
const NAME: &[u8] = b"walk";

/// Places in the list: 16 MiB.
const PLACES: usize = 1 << 21;

pub fn spin(rounds: u32, start: u64) -> u64 {
    // The addresses must not be predictable.
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
    // The answer must not depend on the amount of work. One state in 2⁶⁴ is 0, which the compiler cannot
    // exclude.
    match state {
        0 => u64::from(NAME[rounds as usize % NAME.len()]),
        _ => 0,
    }
}
