pub fn work(n: u32) -> u64 {
    let mut values: Vec<u64> = Vec::new();
    for i in 0..u64::from(n) {
        values.push(std::hint::black_box(i));
    }
    values.iter().sum()
}
