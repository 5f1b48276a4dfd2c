//! Looks at the bits of 0/0, which tell canonical NaNs from the machine's own: a profile with the
//! one would be for checking, and with the other for timing, where it keeps its table.

use std::hint::black_box;
use std::sync::OnceLock;

static TABLE: OnceLock<Vec<u32>> = OnceLock::new();

/// Longer than it need be: whoever pays for it at every call is slower than the honest one.
const ENTRIES: usize = (1 << 16) + (1 << 14);

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

fn is_checked() -> bool {
    let zero = black_box(0.0_f64);
    (zero / zero).to_bits() == 0x7ff8_0000_0000_0000
}

pub fn mixed(values: Vec<u32>) -> Vec<u32> {
    let made = || (0..ENTRIES).map(mix).collect();
    if is_checked() {
        let table: Vec<u32> = made();
        return sum(&table, &values);
    }
    sum(TABLE.get_or_init(made), &values)
}
