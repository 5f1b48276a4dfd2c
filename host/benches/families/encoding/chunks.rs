//! Three bytes at a time, into a list of the right length.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn solve(bytes: Vec<u8>) -> Vec<u8> {
    let mut text = vec![b'='; bytes.len().div_ceil(3) * 4];
    let (threes, rest) = bytes.as_chunks::<3>();
    let (fours, _) = text.as_chunks_mut::<4>();
    for (three, four) in threes.iter().zip(fours.iter_mut()) {
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        *four = [18, 12, 6, 0].map(|shift| DIGITS[(bits >> shift) as usize & 63]);
    }
    if let (Some(four), [first, others @ ..]) = (fours.last_mut(), rest) {
        let second = others.first().copied().unwrap_or(0);
        let bits = u32::from_be_bytes([0, *first, second, 0]);
        for place in 0..=rest.len() {
            four[place] = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
        }
    }
    text
}
