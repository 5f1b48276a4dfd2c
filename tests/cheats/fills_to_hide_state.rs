//! Keeps its table, and fills memory at every call: by fuel, which counts each byte, what it saves is a
//! small part of a call.

use std::hint::black_box;
use std::sync::OnceLock;

static TABLE: OnceLock<Vec<u32>> = OnceLock::new();

/// Longer than it need be: whoever pays for it at every call is slower than the honest one.
const ENTRIES: usize = (1 << 16) + (1 << 14);

const FILLS: usize = 4_000;

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
    let mut filled = [0_u8; 4096];
    for fill in 0..FILLS {
        black_box(&mut filled).fill(fill as u8);
    }
    sum(TABLE.get_or_init(|| (0..ENTRIES).map(mix).collect()), &values)
}
