//! The heap of prototypes in C and C++: `malloc` and its kin, on the allocator that those in Rust have.
//!
//! It is the root of a crate of its own, from which only the objects are taken. With the condition `own_allocator` it has no
//! functions, since the source defines them.

#![no_std]
#![cfg_attr(own_allocator, allow(dead_code))]

extern crate std;
mod allocator;

use std::alloc::{GlobalAlloc, Layout};
use std::ptr::null_mut;

/// Alignment of whatever asks for none.
const ALIGN: usize = 8;

static HEAP: allocator::Allocator = allocator::Allocator::new();

/// Returns the layout of so many bytes; `None` for more than there can be, and for an alignment that is no power of two.
fn layout(bytes: usize, align: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, align).ok()
}

fn allocate(bytes: usize, align: usize) -> *mut u8 {
    // SAFETY: the allocator takes a layout of no bytes, too.
    layout(bytes, align).map_or(null_mut(), |layout| unsafe { HEAP.alloc(layout) })
}

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub extern "C" fn malloc(bytes: usize) -> *mut u8 {
    allocate(bytes, ALIGN)
}

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub extern "C" fn calloc(count: usize, bytes: usize) -> *mut u8 {
    let Some(all) = count.checked_mul(bytes) else {
        return null_mut();
    };
    let pointer = allocate(all, ALIGN);
    if !pointer.is_null() {
        // SAFETY: it was just allocated, with so many bytes.
        unsafe { pointer.write_bytes(0, all) };
    }
    pointer
}

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub unsafe extern "C" fn free(pointer: *mut u8) {
    if !pointer.is_null() {
        // SAFETY: the caller got it here; the heap knows its size by itself.
        unsafe { HEAP.dealloc(pointer, Layout::new::<u64>()) };
    }
}

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub unsafe extern "C" fn realloc(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        return malloc(bytes);
    }
    // SAFETY: the caller got it here.
    let room = unsafe { HEAP.room(pointer) };
    // SAFETY: as above; it has this room, and its alignment is at least this one.
    layout(room, ALIGN).map_or(null_mut(), |layout| unsafe { HEAP.realloc(pointer, layout, bytes) })
}

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub extern "C" fn aligned_alloc(align: usize, bytes: usize) -> *mut u8 {
    allocate(bytes, align.max(ALIGN))
}

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub extern "C" fn memalign(align: usize, bytes: usize) -> *mut u8 {
    allocate(bytes, align.max(ALIGN))
}

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub unsafe extern "C" fn posix_memalign(place: *mut *mut u8, align: usize, bytes: usize) -> i32 {
    const INVALID: i32 = 28;
    const NO_MEMORY: i32 = 48;
    if !align.is_power_of_two() || align < ALIGN / 2 {
        return INVALID;
    }
    let pointer = allocate(bytes, align.max(ALIGN));
    if pointer.is_null() {
        return NO_MEMORY;
    }
    // SAFETY: the caller names a place for the pointer.
    unsafe { *place = pointer };
    0
}

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub unsafe extern "C" fn malloc_usable_size(pointer: *mut u8) -> usize {
    if pointer.is_null() {
        return 0;
    }
    // SAFETY: the caller got it here.
    unsafe { HEAP.room(pointer) }
}

// The names by which functions of the C library itself call these.

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub extern "C" fn __libc_malloc(bytes: usize) -> *mut u8 {
    malloc(bytes)
}

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub extern "C" fn __libc_calloc(count: usize, bytes: usize) -> *mut u8 {
    calloc(count, bytes)
}

#[cfg_attr(not(own_allocator), unsafe(no_mangle))]
pub unsafe extern "C" fn __libc_free(pointer: *mut u8) {
    // SAFETY: as for `free`.
    unsafe { free(pointer) }
}
