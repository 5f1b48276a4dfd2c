pub fn work(n: u32) -> u64 {
    let mut runs: Vec<(u64, u32)> = Vec::new();
    for i in 0..u64::from(n) {
        let value = std::hint::black_box(i / 3 % 7);
        match runs.last_mut() {
            Some((last, count)) if *last == value => *count += 1,
            _ => runs.push((value, 1)),
        }
    }
    runs.iter().map(|(value, count)| value * u64::from(*count)).sum()
}
