//! Character by character, onto a list that grows.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn solve(bytes: Vec<u8>) -> Vec<u8> {
    let mut text = Vec::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            if place <= three.len() {
                text.push(DIGITS[(bits >> (18 - 6 * place)) as usize & 63]);
            } else {
                text.push(b'=');
            }
        }
    }
    text
}
