//! A byte at a time, by a table of 256.

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = crc >> 1 ^ (crc & 1).wrapping_neg() & 0xedb8_8320;
            bit += 1;
        }
        table[index] = crc;
        index += 1;
    }
    table
}

pub fn solve(bytes: Vec<u8>) -> u32 {
    let mut crc = !0_u32;
    for byte in bytes {
        crc = crc >> 8 ^ TABLE[(crc as u8 ^ byte) as usize];
    }
    !crc
}
