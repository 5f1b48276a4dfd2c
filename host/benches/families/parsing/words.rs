//! Eight bytes at a time: finds the comma in a word, shifts the digits up against its end, and adds
//! them up in three multiplications.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

pub fn solve(text: Vec<u8>) -> u64 {
    let (mut sum, mut at) = (0, 0);
    while let Some(eight) = text[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight);
        let differs = word ^ (ONES * u64::from(b','));
        let commas = differs.wrapping_sub(ONES) & !differs & HIGHS;
        let digits = commas.trailing_zeros() as usize / 8;
        if digits > 0 {
            sum += number(word, digits);
        }
        // Eight digits have their comma behind the word.
        at += digits + 1;
    }
    sum + rest(text.get(at..).unwrap_or_default())
}

fn number(word: u64, digits: usize) -> u64 {
    let word = (word & (ONES * 15)) << (64 - 8 * digits);
    let pairs = (word.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000 << 32 | 1) >> 32
}

fn rest(text: &[u8]) -> u64 {
    let parts = text.split(|byte| *byte == b',');
    let number = |part: &[u8]| {
        part.iter()
            .fold(0, |number, digit| 10 * number + u64::from(digit - b'0'))
    };
    parts.map(number).sum()
}
