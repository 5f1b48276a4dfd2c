pub fn work(n: u32) -> u64 {
    let odd: Vec<u64> = (0..u64::from(n)).filter(|i| std::hint::black_box(*i) % 2 == 1).collect();
    odd.iter().sum()
}
