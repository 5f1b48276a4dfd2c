//! Eight bytes at a time, by eight tables of 256.

const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut index = 0;
    while index < 256 {
        let mut crc = index as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = crc >> 1 ^ (crc & 1).wrapping_neg() & 0xedb8_8320;
            bit += 1;
        }
        tables[0][index] = crc;
        index += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut index = 0;
        while index < 256 {
            let before = tables[table - 1][index];
            tables[table][index] = before >> 8 ^ tables[0][before as usize & 255];
            index += 1;
        }
        table += 1;
    }
    tables
}

pub fn solve(bytes: Vec<u8>) -> u32 {
    let mut crc = !0_u32;
    let (eights, rest) = bytes.as_chunks::<8>();
    for eight in eights {
        let word = u64::from_le_bytes(*eight) ^ u64::from(crc);
        crc = (0..8).fold(0, |sum, at| {
            sum ^ TABLES[7 - at][(word >> (8 * at)) as usize & 255]
        });
    }
    for byte in rest {
        crc = crc >> 8 ^ TABLES[0][(crc as u8 ^ byte) as usize];
    }
    !crc
}
