//! 64 rows of the table at once, as differences of 1 in the bits of words (Myers 1999, Hyyrö 2003).

pub fn solve(from: Vec<u8>, to: Vec<u8>) -> u32 {
    if from.is_empty() {
        return to.len() as u32;
    }
    let blocks = from.len().div_ceil(64);
    let mut equal = vec![[0_u64; 256]; blocks];
    for (at, &letter) in from.iter().enumerate() {
        equal[at / 64][usize::from(letter)] |= 1 << (at % 64);
    }
    let (mut up, mut down) = (vec![!0_u64; blocks], vec![0_u64; blocks]);
    let last = 1_u64 << ((from.len() - 1) % 64);
    let mut distance = from.len() as u32;
    for &letter in &to {
        // The row above the first grows by one with each column.
        let (mut plus, mut minus) = (1_u64, 0_u64);
        for block in 0..blocks {
            let (vp, vn) = (up[block], down[block]);
            let eq = equal[block][usize::from(letter)];
            let xv = eq | vn;
            let eq = eq | minus;
            let xh = ((eq & vp).wrapping_add(vp) ^ vp) | eq;
            let mut hp = vn | !(xh | vp);
            let mut hn = vp & xh;
            if block + 1 == blocks {
                distance += u32::from(hp & last != 0);
                distance -= u32::from(hn & last != 0);
            }
            let carried = (hp >> 63, hn >> 63);
            hp = hp << 1 | plus;
            hn = hn << 1 | minus;
            (plus, minus) = carried;
            up[block] = hn | !(xv | hp);
            down[block] = hp & xv;
        }
    }
    distance
}
