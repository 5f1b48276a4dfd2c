//! Makes its table at every call, and forgets it.

fn mix(number: usize) -> u32 {
    let mut mixed = number as u32;
    for _ in 0..8 {
        mixed = (mixed ^ mixed >> 16).wrapping_mul(0x45d9_f3b1);
    }
    mixed
}

fn sum(table: &[u32], values: &[u32]) -> Vec<u32> {
    let found = values.iter().map(|value| table[*value as usize]);
    vec![found.fold(0, u32::wrapping_add)]
}

pub fn mixed(values: Vec<u32>) -> Vec<u32> {
    let table: Vec<u32> = (0..1 << 16).map(mix).collect();
    sum(&table, &values)
}
