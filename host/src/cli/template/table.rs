//! A hash table with linear probing, at most half full.

pub fn count_distinct(values: Vec<u32>) -> u32 {
    let slots = (values.len() * 2).next_power_of_two().max(2);
    let shift = 32 - slots.trailing_zeros();
    let mut table: Vec<Option<u32>> = vec![None; slots];
    let mut distinct = 0;
    for value in values {
        // The upper bits of the product are the well mixed ones.
        let mut slot = (value.wrapping_mul(0x85eb_ca6b) >> shift) as usize;
        loop {
            match table[slot] {
                None => {
                    table[slot] = Some(value);
                    distinct += 1;
                    break;
                }
                Some(known) if known == value => break,
                Some(_) => slot = (slot + 1) % slots,
            }
        }
    }
    distinct
}
