//! Four bits at a time, by a table of 16.

const TABLE: [u32; 16] = table();

const fn table() -> [u32; 16] {
    let mut table = [0; 16];
    let mut index = 0;
    while index < 16 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 4 {
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
        crc ^= u32::from(byte);
        crc = crc >> 4 ^ TABLE[crc as usize & 15];
        crc = crc >> 4 ^ TABLE[crc as usize & 15];
    }
    !crc
}
