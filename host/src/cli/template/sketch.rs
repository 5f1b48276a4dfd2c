//! Linear counting: each number marks a bit, and the number of bits that stay clear says about how many distinct
//! ones there were (Whang, Vander-Zanden and Taylor, 1990). No answer is exact.

pub fn count_distinct(values: Vec<u32>) -> u32 {
    let bits = (values.len() / 2).next_power_of_two().max(64);
    let mut marked = vec![0_u64; bits / 64];
    for value in values {
        let place = mixed(value) as usize & (bits - 1);
        marked[place / 64] |= 1 << (place % 64);
    }
    let clear: u32 = marked.iter().map(|word| word.count_zeros()).sum();
    let all = bits as f64;
    (all * (all / f64::from(clear.max(1))).ln()).round() as u32
}

/// Every bit of the number in every bit of the result.
fn mixed(mut value: u32) -> u32 {
    value = (value ^ (value >> 16)).wrapping_mul(0x85eb_ca6b);
    value = (value ^ (value >> 13)).wrapping_mul(0xc2b2_ae35);
    value ^ (value >> 16)
}
