//! Tests of the allocator, in a memory that is an array.

use super::*;
use crate::Rng;

/// A memory in an array, of which the first page is there.
struct Array {
    words: Vec<u128>,
    pages: u32,
    /// Pages that somebody else takes with the next growth.
    taken: u32,
    /// The place of the first byte that is free.
    first: u32,
}

impl Array {
    fn of_pages(pages: u32) -> Self {
        Self {
            words: vec![u128::MAX; (pages * PAGE / 16) as usize],
            pages: 1,
            taken: 0,
            first: 100,
        }
    }
}

impl Pages for Array {
    fn base(&self) -> usize {
        self.words.as_ptr().expose_provenance()
    }

    fn at(&self, offset: u32) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.base() + offset as usize)
    }

    fn bounds(&self) -> (u32, u32) {
        (self.first, self.pages * PAGE)
    }

    fn grow(&mut self, pages: u32) -> Option<u32> {
        let before = self.pages + std::mem::take(&mut self.taken);
        let all = (self.words.len() * 16) as u32 / PAGE;
        (before + pages <= all).then(|| {
            self.pages = before + pages;
            before * PAGE
        })
    }
}

struct Allocation {
    pointer: *mut u8,
    layout: Layout,
    fill: u8,
}

impl Allocation {
    fn fill(&self, from: usize) {
        let bytes = self.layout.size() - from;
        // SAFETY: the allocation has these bytes.
        unsafe { self.pointer.add(from).write_bytes(self.fill, bytes) };
    }

    fn check(&self, bytes: usize) {
        assert_eq!(self.pointer as usize % self.layout.align(), 0);
        // SAFETY: the allocation has at least these bytes, all of which were written.
        let held = unsafe { std::slice::from_raw_parts(self.pointer, bytes) };
        assert!(held.iter().all(|byte| *byte == self.fill));
    }
}

fn layout(random: &mut Rng) -> Layout {
    let log = random.below(12);
    let size = 1 + random.below(1 << log) as usize;
    let align = 1 << random.below(7);
    Layout::from_size_align(size, align).unwrap()
}

/// Static data may end exactly where the memory does.
#[test]
fn the_first_allocation_lies_inside_of_memory_of_which_nothing_is_free() {
    for size in PAGE - 16..=PAGE + 16 {
        let mut pages = Array::of_pages(8);
        pages.first = PAGE;
        let mut heap = Heap::new(pages);
        let layout = Layout::from_size_align(size as usize, 4).unwrap();
        let pointer = heap.allocate(layout);
        let offset = pointer.addr() - heap.pages.base();
        let end = heap.pages.pages * PAGE;
        assert!(
            offset + size as usize <= end as usize,
            "{size}: {offset} of {end}"
        );
    }
}

#[test]
fn allocations_keep_their_bytes_and_all_memory_comes_back() {
    let mut random = Rng::new(7);
    let mut heap = Heap::new(Array::of_pages(64));
    let mut live: Vec<Allocation> = Vec::new();
    for step in 0..60_000_u32 {
        let choice = random.below(5);
        // It fills up, and empties again.
        let grows = step % 20_000 < 12_000;
        if live.is_empty() || choice < 2 + u64::from(grows) {
            let layout = layout(&mut random);
            let pointer = heap.allocate(layout);
            if pointer.is_null() {
                continue;
            }
            let fill = step as u8;
            let one = Allocation {
                pointer,
                layout,
                fill,
            };
            one.fill(0);
            live.push(one);
            continue;
        }
        let place = random.below(live.len() as u64) as usize;
        if choice == 4 {
            let one = &mut live[place];
            let size = layout(&mut random).size();
            // SAFETY: it comes from this heap with this layout.
            let moved = unsafe { heap.resize(one.pointer, one.layout, size) };
            if !moved.is_null() {
                let kept = size.min(one.layout.size());
                one.pointer = moved;
                one.layout = Layout::from_size_align(size, one.layout.align()).unwrap();
                one.check(kept);
                one.fill(kept);
            }
        } else {
            let one = live.swap_remove(place);
            one.check(one.layout.size());
            // SAFETY: it comes from this heap, and is forgotten.
            unsafe { heap.free(one.pointer) };
        }
    }
    for one in live {
        one.check(one.layout.size());
        // SAFETY: as above.
        unsafe { heap.free(one.pointer) };
    }
    assert_eq!(heap.top, 104 + HEADER);
    assert_eq!((heap.rows, heap.lists), (0, [0; ROWS]));
    assert_eq!(heap.first, [[0; LISTS]; ROWS]);
}

#[test]
fn the_last_block_grows_in_place() {
    let mut heap = Heap::new(Array::of_pages(64));
    let layout = Layout::from_size_align(100, 8).unwrap();
    let pointer = heap.allocate(layout);
    // SAFETY: it comes from this heap with this layout.
    assert_eq!(unsafe { heap.resize(pointer, layout, 3_000_000) }, pointer);
    let layout = Layout::from_size_align(3_000_000, 8).unwrap();
    // SAFETY: as above. More than the memory has leaves the allocation as it is.
    assert!(unsafe { heap.resize(pointer, layout, 5_000_000) }.is_null());
    // SAFETY: as above.
    let smaller = unsafe { heap.resize(pointer, layout, 10) };
    assert_eq!(smaller, pointer);
    assert_eq!(heap.top, 104 + HEADER + BLOCK_MIN);
}

#[test]
fn pages_of_somebody_else_are_left_alone() {
    let mut heap = Heap::new(Array::of_pages(64));
    let large = Layout::from_size_align(200_000, 8).unwrap();
    let first = heap.allocate(large);
    heap.pages.taken = 3;
    let end = heap.pages.pages * PAGE;
    // SAFETY: it comes from this heap with this layout.
    let second = unsafe { heap.resize(first, large, 400_000) };
    assert!(second as usize - heap.pages.base() >= (end + 3 * PAGE) as usize);
    // The first block was freed, and what came after it is no block: neither it nor their pages are touched.
    let words = |bytes: std::ops::Range<u32>| bytes.start as usize / 16..bytes.end as usize / 16;
    for untouched in [0..96, end..end + 3 * PAGE] {
        let untouched = &heap.pages.words[words(untouched)];
        assert!(untouched.iter().all(|word| *word == u128::MAX));
    }
    let again = heap.allocate(Layout::from_size_align(150_000, 8).unwrap());
    assert_eq!(again, first);
    // SAFETY: both come from this heap, and are forgotten.
    unsafe {
        heap.free(again);
        heap.free(second);
    }
}

#[test]
fn what_cannot_be_allocated_is_null() {
    let mut heap = Heap::new(Array::of_pages(2));
    let layout = |size, align| Layout::from_size_align(size, align).unwrap();
    assert!(heap.allocate(layout(200_000, 1)).is_null());
    assert!(heap.allocate(layout(1 << 40, 1)).is_null());
    assert!(heap.allocate(layout(8, 1 << 31)).is_null());
    assert!(!heap.allocate(layout(1_000, 4096)).is_null());
}
