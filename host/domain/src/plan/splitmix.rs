//! A mixing function for numbers that nobody needs to keep secret: anybody can undo it.

/// The golden ratio in 64 bits: the step of splitmix64.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The first output of splitmix64 (Steele, Lea and Flood 2014) for a seed: scatters consecutive
/// numbers over 64 bits.
pub fn splitmix64(seed: u64) -> u64 {
    let value = seed.wrapping_add(STEP);
    let value = (value ^ value >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ value >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_gives_the_published_outputs_of_splitmix64() {
        // The first outputs of splitmix64 for the seed 1234567, as published with the algorithm.
        let outputs = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973];
        for (step, output) in (0..).zip(outputs) {
            assert_eq!(
                splitmix64(1_234_567_u64.wrapping_add(STEP.wrapping_mul(step))),
                output
            );
        }
    }
}
