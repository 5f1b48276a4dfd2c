//! One row of the table, which takes the place of the one before.

pub fn distance(a: Vec<u8>, b: Vec<u8>) -> u32 {
    let mut row: Vec<u32> = (0..=b.len() as u32).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as u32 + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            let replaced = diagonal + u32::from(x != y);
            row[j + 1] = replaced.min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}
