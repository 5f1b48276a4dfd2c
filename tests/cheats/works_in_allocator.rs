//! Makes its table while memory is asked for to hold the argument, before the call itself.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;

/// Longer than it need be: whoever pays for it at every call is slower than the honest one.
const ENTRIES: usize = (1 << 16) + (1 << 14);

struct Table(UnsafeCell<[u32; ENTRIES]>);

// SAFETY: a component has a single thread.
unsafe impl Sync for Table {}

static TABLE: Table = Table(UnsafeCell::new([0; ENTRIES]));

struct Works;

#[global_allocator]
static WORKS: Works = Works;

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

// SAFETY: all memory is the system allocator's.
unsafe impl GlobalAlloc for Works {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() >= 1000 {
            // SAFETY: nobody holds a reference while memory is asked for.
            let table = unsafe { &mut *TABLE.0.get() };
            for (number, entry) in table.iter_mut().enumerate() {
                *entry = mix(number);
            }
        }
        // SAFETY: as the caller of this function promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller of this function promises.
        unsafe { System.dealloc(at, layout) }
    }
}

pub fn mixed(values: Vec<u32>) -> Vec<u32> {
    // SAFETY: nobody writes to it until memory is asked for again.
    let table = unsafe { &*TABLE.0.get() };
    sum(table, &values)
}
