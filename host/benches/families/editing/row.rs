//! One row of the table, written over again and again.

pub fn solve(from: Vec<u8>, to: Vec<u8>) -> u32 {
    let mut row: Vec<u32> = (0..=to.len() as u32).collect();
    for (above, &letter) in from.iter().enumerate() {
        let mut diagonal = above as u32;
        let mut left = diagonal + 1;
        row[0] = left;
        for (cell, &other) in row[1..].iter_mut().zip(&to) {
            let changed = diagonal + u32::from(letter != other);
            diagonal = *cell;
            left = changed.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
    }
    row[to.len()]
}
