//! The whole table.

pub fn solve(from: Vec<u8>, to: Vec<u8>) -> u32 {
    let width = to.len() + 1;
    let mut table = vec![0_u32; (from.len() + 1) * width];
    for column in 0..width {
        table[column] = column as u32;
    }
    for row in 1..=from.len() {
        table[row * width] = row as u32;
        for column in 1..width {
            let at = row * width + column;
            let changed = u32::from(from[row - 1] != to[column - 1]);
            let aside = table[at - 1].min(table[at - width]) + 1;
            table[at] = aside.min(table[at - width - 1] + changed);
        }
    }
    table[table.len() - 1]
}
