//! Saves the time of freeing memory by never doing it.

use std::alloc::{GlobalAlloc, Layout, System};

struct Hoards;

#[global_allocator]
static HOARDS: Hoards = Hoards;

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

// SAFETY: all memory is the system allocator's, and is never used twice.
unsafe impl GlobalAlloc for Hoards {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller of this function promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

pub fn mixed(values: Vec<u32>) -> Vec<u32> {
    let table: Vec<u32> = (0..1 << 16).map(mix).collect();
    sum(&table, &values)
}
