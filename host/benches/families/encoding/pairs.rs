//! Two characters at a time, by a table of 4096 that is made first.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn solve(bytes: Vec<u8>) -> Vec<u8> {
    let table: Vec<[u8; 2]> = (0..4096)
        .map(|bits: usize| [DIGITS[bits >> 6], DIGITS[bits & 63]])
        .collect();
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    let (threes, rest) = bytes.as_chunks::<3>();
    for three in threes {
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]) as usize;
        text.extend_from_slice(&table[bits >> 12]);
        text.extend_from_slice(&table[bits & 4095]);
    }
    if let [first, others @ ..] = rest {
        let second = others.first().copied().unwrap_or(0);
        let bits = u32::from_be_bytes([0, *first, second, 0]) as usize;
        text.extend_from_slice(&table[bits >> 12]);
        let last = if others.is_empty() {
            b'='
        } else {
            table[bits & 4095][0]
        };
        text.extend_from_slice(&[last, b'=']);
    }
    text
}
