mod allocator;

use std::alloc::{GlobalAlloc, Layout};

const BYTES: usize = 1 << 30;

#[repr(align(4096))]
struct Memory(std::cell::UnsafeCell<[u8; BYTES]>);

unsafe impl Sync for Memory {}

static MEMORY: Memory = Memory(std::cell::UnsafeCell::new([0; BYTES]));

struct Whole;

impl allocator::Pages for Whole {
    fn base(&self) -> usize {
        MEMORY.0.get().expose_provenance()
    }
    fn at(&self, offset: u32) -> *mut u8 {
        MEMORY.0.get().cast::<u8>().wrapping_add(offset as usize)
    }
    fn bounds(&self) -> (u32, u32) {
        (8, BYTES as u32)
    }
    fn grow(&mut self, _: u32) -> Option<u32> {
        None
    }
}

struct Ours(std::cell::UnsafeCell<allocator::Heap<Whole>>);

unsafe impl Sync for Ours {}

unsafe impl GlobalAlloc for Ours {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { (*self.0.get()).allocate(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, _: Layout) {
        unsafe { (*self.0.get()).free(pointer) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        unsafe { (*self.0.get()).resize(pointer, layout, bytes) }
    }
}

#[global_allocator]
static OURS: Ours = Ours(std::cell::UnsafeCell::new(allocator::Heap::new(Whole)));
