//! Only a band around the diagonal, twice as wide each time until the answer fits into it.

pub fn solve(from: Vec<u8>, to: Vec<u8>) -> u32 {
    let mut width = from.len().abs_diff(to.len()) + 1;
    loop {
        let distance = within(&from, &to, width);
        if distance as usize <= width {
            return distance;
        }
        width *= 2;
    }
}

fn within(from: &[u8], to: &[u8], width: usize) -> u32 {
    const FAR: u32 = u32::MAX / 2;
    let mut row: Vec<u32> = (0..=to.len() as u32).collect();
    for above in 0..from.len() {
        let first = (above + 1).saturating_sub(width);
        let last = (above + 1 + width).min(to.len());
        let (mut diagonal, mut left) = match first {
            0 => (above as u32, above as u32 + 1),
            _ => (row[first - 1], FAR),
        };
        if first == 0 {
            row[0] = left;
        } else {
            row[first - 1] = FAR;
        }
        if above + width < to.len() {
            row[above + width + 1] = FAR;
        }
        for column in first.max(1)..=last {
            let changed = diagonal + u32::from(from[above] != to[column - 1]);
            diagonal = row[column];
            left = changed.min(diagonal + 1).min(left + 1);
            row[column] = left;
        }
    }
    row[to.len()]
}
