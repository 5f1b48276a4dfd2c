//! The allocator of prototypes: two-level segregated fit (Masmano, Ripoll, Crespo and Real, "TLSF: a new
//! dynamic memory allocator for real-time systems", 2004), for one thread.
//!
//! Every block that is freed is joined with its free neighbours at once, and the last one with the
//! memory behind it. So a heap in which everything was freed is as it was at first, and what a call
//! costs does not depend on the calls before it. The last block grows in place.
//!
//! A block begins with a header of 4 bytes, its size and two flags. A free block also holds its
//! neighbours in the list of its size, and, in its last 4 bytes, its size again. Blocks are known by
//! their offset in the memory, which in WebAssembly is their address.

use std::alloc::Layout;

/// Alignment of every allocation, and the unit of sizes.
const UNIT: u32 = 8;
/// Bytes of a header.
const HEADER: u32 = 4;
/// Bytes of the smallest block: header, two links, size.
const BLOCK_MIN: u32 = 16;
/// The block is free.
const FREE: u32 = 1;
/// The block before it is free.
const BEFORE_FREE: u32 = 2;
/// The bits of the size in a header.
const SIZE: u32 = !(UNIT - 1);
/// Lists in each row: below 128 bytes one for each size, above that one for each sixteenth of a power of
/// two.
const LISTS: usize = 16;
/// Rows of lists: sizes below 128 bytes, then one for each power of two.
const ROWS: usize = 26;
/// Bytes below which sizes have lists of their own.
const SMALL: u32 = 128;
/// The largest allocation, in bytes.
const ALLOCATION_MAX: usize = 1 << 31;
/// Bytes of a page of memory.
const PAGE: u32 = 64 << 10;

/// A memory that grows by whole pages.
pub trait Pages {
    /// The address of the memory's first byte, which stays the same.
    fn base(&self) -> usize;

    /// A pointer to the byte at an offset.
    fn at(&self, offset: u32) -> *mut u8;

    /// The first byte that may be used, and the end of the memory, as offsets.
    fn bounds(&self) -> (u32, u32);

    /// Adds pages at the end, and returns the end before; `None` if there are no more.
    fn grow(&mut self, pages: u32) -> Option<u32>;
}

/// A heap in a memory.
pub struct Heap<P> {
    pages: P,
    /// The end of the last block, where the next one begins; 0 before the first use.
    top: u32,
    /// The end of the memory.
    end: u32,
    /// The rows that have a free block.
    rows: u32,
    /// The lists that have a free block, by row.
    lists: [u32; ROWS],
    /// The first free block of each list; 0 for none.
    first: [[u32; LISTS]; ROWS],
}

/// The row and list of a size.
fn list_of(size: u32) -> (usize, usize) {
    if size < SMALL {
        return (0, (size / UNIT) as usize);
    }
    let log = size.ilog2();
    ((log - 6) as usize, (size >> (log - 4)) as usize % LISTS)
}

/// The first row and list of which every block has at least this size.
fn list_for(size: u32) -> (usize, usize) {
    match size {
        ..SMALL => list_of(size),
        _ => list_of(size.saturating_add((1 << (size.ilog2() - 4)) - 1)),
    }
}

/// The size of the block for an allocation.
fn block_size(bytes: usize) -> Option<u32> {
    if bytes > ALLOCATION_MAX {
        return None;
    }
    let size = (bytes as u32 + HEADER).next_multiple_of(UNIT);
    Some(size.max(BLOCK_MIN))
}

impl<P: Pages> Heap<P> {
    /// A heap in a memory that nobody else uses from its first byte on.
    pub const fn new(pages: P) -> Self {
        Self {
            pages,
            top: 0,
            end: 0,
            rows: 0,
            lists: [0; ROWS],
            first: [[0; LISTS]; ROWS],
        }
    }

    /// Allocates; returns null if there is no memory left.
    pub fn allocate(&mut self, layout: Layout) -> *mut u8 {
        let block = if layout.align() <= UNIT as usize {
            block_size(layout.size()).and_then(|size| self.take(size))
        } else {
            self.take_aligned(layout)
        };
        block.map_or(std::ptr::null_mut(), |block| self.pointer(block))
    }

    /// Frees an allocation.
    ///
    /// # Safety
    /// It comes from this heap, and is not used afterwards.
    pub unsafe fn free(&mut self, pointer: *mut u8) {
        let block = self.block(pointer);
        self.give_back(block);
    }

    /// Changes the size of an allocation, in place where possible; returns null, and leaves it as it
    /// is, if there is no memory left.
    ///
    /// # Safety
    /// It comes from this heap with this layout, and is not used afterwards unless null is returned.
    pub unsafe fn resize(&mut self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        let Some(wanted) = block_size(bytes) else {
            return std::ptr::null_mut();
        };
        let block = self.block(pointer);
        if self.resize_in_place(block, wanted) {
            return pointer;
        }
        // SAFETY: the alignment is one that a layout had.
        let moved = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
        let new = self.allocate(moved);
        if !new.is_null() {
            // SAFETY: both have at least this many bytes, and are different allocations.
            unsafe { new.copy_from_nonoverlapping(pointer, layout.size().min(bytes)) };
            self.give_back(block);
        }
        new
    }

    /// Returns the bytes that an allocation has room for.
    ///
    /// # Safety
    /// It comes from this heap, and was not freed.
    pub unsafe fn room(&self, pointer: *mut u8) -> usize {
        ((self.word(self.block(pointer)) & SIZE) - HEADER) as usize
    }

    fn resize_in_place(&mut self, block: u32, wanted: u32) -> bool {
        let size = self.word(block) & SIZE;
        let next = block + size;
        if wanted <= size {
            self.trim(block, size, wanted);
            return true;
        }
        if next == self.top {
            if !self.reserve(wanted - size) || next != self.top {
                return false;
            }
            self.top = block + wanted;
            self.set_size(block, wanted);
            return true;
        }
        let after = self.word(next);
        let whole = size + (after & SIZE);
        if after & FREE == 0 || whole < wanted {
            return false;
        }
        self.unlink(next);
        self.set_size(block, whole);
        let end = block + whole;
        self.set_word(end, self.word(end) & !BEFORE_FREE);
        self.trim(block, whole, wanted);
        true
    }

    /// Finds a block of this size, or makes one at the top.
    fn take(&mut self, size: u32) -> Option<u32> {
        let Some(block) = self.find(size) else {
            if !self.reserve(size) {
                return None;
            }
            let block = self.top;
            self.top += size;
            self.set_word(block, size);
            return Some(block);
        };
        self.unlink(block);
        let whole = self.word(block) & SIZE;
        self.set_word(block, whole);
        let next = block + whole;
        self.set_word(next, self.word(next) & !BEFORE_FREE);
        self.trim(block, whole, size);
        Some(block)
    }

    /// Takes a block with room for an aligned one, and frees what is before and behind that.
    fn take_aligned(&mut self, layout: Layout) -> Option<u32> {
        let size = block_size(layout.size())?;
        let align = u32::try_from(layout.align()).ok()?;
        let room = size.checked_add(align)?.checked_add(BLOCK_MIN)?;
        let block = self.take(room.next_multiple_of(UNIT))?;
        let whole = self.word(block) & SIZE;
        let base = self.pages.base();
        // The payload is aligned as an address, not as an offset.
        let mut payload = base + (block + HEADER) as usize;
        payload = payload.next_multiple_of(layout.align());
        let mut aligned = (payload - base) as u32 - HEADER;
        if aligned != block && aligned - block < BLOCK_MIN {
            aligned += align.max(BLOCK_MIN);
        }
        let before = aligned - block;
        if before > 0 {
            self.set_word(aligned, whole - before);
            self.set_size(block, before);
            self.give_back(block);
        }
        self.trim(aligned, whole - before, size);
        Some(aligned)
    }

    /// Frees the end of a block in use, if that is large enough to be one.
    fn trim(&mut self, block: u32, size: u32, wanted: u32) {
        if size - wanted >= BLOCK_MIN {
            self.set_size(block, wanted);
            self.set_word(block + wanted, size - wanted);
            self.give_back(block + wanted);
        }
    }

    /// Frees a block, joined with its free neighbours.
    fn give_back(&mut self, mut block: u32) {
        let header = self.word(block);
        let mut size = header & SIZE;
        if header & BEFORE_FREE != 0 {
            let before = self.word(block - HEADER);
            block -= before;
            size += before;
            self.unlink(block);
        }
        let next = block + size;
        if next == self.top {
            self.top = block;
            return;
        }
        let after = self.word(next);
        if after & FREE != 0 {
            self.unlink(next);
            size += after & SIZE;
        }
        self.link(block, size);
    }

    /// Makes room for this many bytes at the top.
    fn reserve(&mut self, bytes: u32) -> bool {
        if self.top == 0 {
            let (first, end) = self.pages.bounds();
            self.start(first, end);
        }
        // The top may lie a header beyond the end, where the first block begins at the end itself.
        let Some(wanted) = self.top.checked_add(bytes) else {
            return false;
        };
        if wanted <= self.end {
            return true;
        }
        let pages = (wanted - self.end).div_ceil(PAGE);
        let Some(before) = self.pages.grow(pages) else {
            return false;
        };
        if before == self.end {
            self.end += pages * PAGE;
            return true;
        }
        // Somebody else grew the memory: go on behind that. What comes after the last block is in use, to whoever
        // frees that block later.
        if self.top < self.end {
            self.set_word(self.top, 0);
        }
        self.start(before, before + pages * PAGE);
        self.reserve(bytes)
    }

    fn start(&mut self, first: u32, end: u32) {
        self.top = first.next_multiple_of(UNIT) + HEADER;
        self.end = end;
    }

    /// The first free block that surely has this size.
    fn find(&self, size: u32) -> Option<u32> {
        let (row, list) = list_for(size);
        let mut row = row;
        let mut lists = self.lists.get(row)? & (!0 << list);
        if lists == 0 {
            let rows = self.rows & (!1 << row);
            if rows == 0 {
                return None;
            }
            row = rows.trailing_zeros() as usize;
            lists = self.lists[row];
        }
        Some(self.first[row][lists.trailing_zeros() as usize])
    }

    /// Puts a free block into the list of its size.
    fn link(&mut self, block: u32, size: u32) {
        let (row, list) = list_of(size);
        let next = self.first[row][list];
        self.set_word(block, size | FREE);
        self.set_word(block + HEADER, next);
        self.set_word(block + 2 * HEADER, 0);
        self.set_word(block + size - HEADER, size);
        if next != 0 {
            self.set_word(next + 2 * HEADER, block);
        }
        self.first[row][list] = block;
        self.lists[row] |= 1 << list;
        self.rows |= 1 << row;
        let after = block + size;
        self.set_word(after, self.word(after) | BEFORE_FREE);
    }

    /// Takes a free block out of its list.
    fn unlink(&mut self, block: u32) {
        let (next, before) = (self.word(block + HEADER), self.word(block + 2 * HEADER));
        if next != 0 {
            self.set_word(next + 2 * HEADER, before);
        }
        if before != 0 {
            self.set_word(before + HEADER, next);
            return;
        }
        let (row, list) = list_of(self.word(block) & SIZE);
        self.first[row][list] = next;
        if next == 0 {
            self.lists[row] &= !(1 << list);
            if self.lists[row] == 0 {
                self.rows &= !(1 << row);
            }
        }
    }

    fn set_size(&mut self, block: u32, size: u32) {
        self.set_word(block, size | self.word(block) & BEFORE_FREE);
    }

    fn pointer(&self, block: u32) -> *mut u8 {
        self.pages.at(block + HEADER)
    }

    fn block(&self, pointer: *mut u8) -> u32 {
        (pointer.expose_provenance() - self.pages.base()) as u32 - HEADER
    }

    fn word(&self, offset: u32) -> u32 {
        // SAFETY: words of blocks are aligned and within the memory, which this heap owns.
        unsafe { self.pages.at(offset).cast::<u32>().read() }
    }

    fn set_word(&mut self, offset: u32, word: u32) {
        // SAFETY: as for reading.
        unsafe { self.pages.at(offset).cast::<u32>().write(word) }
    }
}

/// The memory of this module, and its global allocator.
#[cfg(target_arch = "wasm32")]
mod global {
    use super::{Heap, PAGE, Pages};
    use std::alloc::{GlobalAlloc, Layout};
    use std::arch::wasm32;
    use std::cell::UnsafeCell;

    unsafe extern "C" {
        /// The end of the stack and of static data; only its address has a meaning.
        static __heap_base: u8;
    }

    struct LinearMemory;

    impl Pages for LinearMemory {
        fn base(&self) -> usize {
            0
        }

        fn at(&self, offset: u32) -> *mut u8 {
            // Not counted from a null pointer, which the compiler takes for one to nothing.
            std::ptr::with_exposed_provenance_mut(offset as usize)
        }

        fn bounds(&self) -> (u32, u32) {
            let first = &raw const __heap_base;
            (first as u32, wasm32::memory_size(0) as u32 * PAGE)
        }

        fn grow(&mut self, pages: u32) -> Option<u32> {
            let before = wasm32::memory_grow(0, pages as usize) as u32;
            // The end of all 4 GiB is no offset.
            let end = (before != u32::MAX).then(|| before.checked_add(pages + 1))?;
            (end? <= u32::MAX / PAGE).then_some(before * PAGE)
        }
    }

    /// The allocator of a guest: `#[global_allocator] static ALLOCATOR: Allocator = Allocator::new();`
    pub struct Allocator(UnsafeCell<Heap<LinearMemory>>);

    // SAFETY: a component has one thread.
    unsafe impl Sync for Allocator {}

    impl Allocator {
        /// An empty heap behind the static data.
        #[expect(
            clippy::new_without_default,
            reason = "a static needs a constant function"
        )]
        pub const fn new() -> Self {
            Self(UnsafeCell::new(Heap::new(LinearMemory)))
        }

        /// Returns the bytes that an allocation has room for.
        ///
        /// # Safety
        /// It comes from this allocator, and was not freed.
        pub unsafe fn room(&self, pointer: *mut u8) -> usize {
            // SAFETY: there is one thread, and the caller guarantees the rest.
            unsafe { (*self.0.get()).room(pointer) }
        }
    }

    // SAFETY: allocations are disjoint and aligned, and stay where they are until they are freed.
    unsafe impl GlobalAlloc for Allocator {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: there is one thread, and the heap calls nothing that allocates.
            unsafe { (*self.0.get()).allocate(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, _: Layout) {
            // SAFETY: as above; the caller guarantees the rest.
            unsafe { (*self.0.get()).free(pointer) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
            // SAFETY: as above; the caller guarantees the rest.
            unsafe { (*self.0.get()).resize(pointer, layout, bytes) }
        }
    }
}

#[cfg(target_arch = "wasm32")]
pub use global::Allocator;

#[cfg(test)]
mod tests;
