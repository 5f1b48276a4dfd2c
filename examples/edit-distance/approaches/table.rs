//! The whole table, by its definition.

pub fn distance(a: Vec<u8>, b: Vec<u8>) -> u32 {
    let mut table = vec![vec![0_u32; b.len() + 1]; a.len() + 1];
    for (i, row) in table.iter_mut().enumerate() {
        row[0] = i as u32;
    }
    for j in 0..=b.len() {
        table[0][j] = j as u32;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replaced = table[i - 1][j - 1] + u32::from(a[i - 1] != b[j - 1]);
            let deleted = table[i - 1][j] + 1;
            let inserted = table[i][j - 1] + 1;
            table[i][j] = replaced.min(deleted).min(inserted);
        }
    }
    table[a.len()][b.len()]
}
