//! Bit by bit.

pub fn solve(bytes: Vec<u8>) -> u32 {
    let mut crc = !0;
    for byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ (crc & 1).wrapping_neg() & 0xedb8_8320;
        }
    }
    !crc
}
