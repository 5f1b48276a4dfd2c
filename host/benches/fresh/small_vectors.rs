pub fn work(n: u32) -> u64 {
    let rows: Vec<Vec<u32>> = (0..n).map(|i| (0..i % 17).collect()).collect();
    rows.iter().map(|row| row.iter().map(|&i| u64::from(i)).sum::<u64>()).sum()
}
