//! Adds the bits of a number in pairs, in nibbles and in bytes; a product adds the bytes.

pub fn popcount(values: Vec<u64>) -> u64 {
    values.into_iter().map(bits).sum()
}

fn bits(value: u64) -> u64 {
    let pairs = value - (value >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = nibbles + (nibbles >> 4) & 0x0f0f_0f0f_0f0f_0f0f;
    bytes.wrapping_mul(0x0101_0101_0101_0101) >> 56
}
