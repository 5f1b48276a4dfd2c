pub fn work(n: u32) -> u64 {
    let mut values: Vec<u32> = (0..n).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    values.sort();
    values.iter().zip(0_u64..).map(|(value, place)| u64::from(*value) ^ place).sum()
}
