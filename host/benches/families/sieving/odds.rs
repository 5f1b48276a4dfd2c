//! Strikes multiples out of a table of the odd numbers, a bit for each.

pub fn solve(limit: u32) -> u32 {
    if limit <= 2 {
        return 0;
    }
    // Bit n stands for 2 n + 1; that of 1 is left for the prime 2.
    let count = limit as usize / 2;
    let mut struck = vec![0_u64; count.div_ceil(64)];
    for bit in (1..count).take_while(|bit| 2 * bit * (bit + 1) < count) {
        if struck[bit / 64] >> (bit % 64) & 1 == 0 {
            for multiple in (2 * bit * (bit + 1)..count).step_by(2 * bit + 1) {
                struck[multiple / 64] |= 1 << (multiple % 64);
            }
        }
    }
    let all: u32 = struck.iter().map(|word| word.count_ones()).sum();
    count as u32 - all
}
