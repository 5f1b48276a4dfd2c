//! Memory in advance, and the allocator of prototypes.

use super::*;

/// Grows its memory by the numbers of pages that it is given, and returns what it sees.
const GROW: &str = "use std::arch::wasm32::{memory_grow, memory_size};
pub fn top_k(values: Vec<i64>, _: u32) -> Vec<i64> {
    let mut seen = Vec::with_capacity(64);
    seen.push(memory_size(0) as i64);
    for pages in values {
        let before = memory_grow(0, pages as usize);
        seen.push(before as isize as i64);
        seen.push(memory_size(0) as i64);
        if pages > 0 && before != usize::MAX {
            let page = (before * 65_536) as *mut i64;
            let last = ((memory_size(0) * 65_536) - 8) as *mut i64;
            unsafe {
                seen.push(page.read() + last.read());
                page.write(7);
                last.write(7);
            }
        }
    }
    seen
}
";

/// A prototype whose global allocator comes from a macro.
const OWN: &str = "use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
struct Counting(AtomicUsize);
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.0.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}
macro_rules! own { ($name:ident) => {
    #[global_allocator]
    static $name: Counting = Counting(AtomicUsize::new(0));
} }
own!(ALLOCATOR);
pub fn top_k(_: Vec<i64>, k: u32) -> Vec<i64> {
    let before = ALLOCATOR.0.load(Ordering::Relaxed);
    for size in 0..k { drop(std::hint::black_box(vec![1_u8; 1 + size as usize])); }
    vec![(ALLOCATOR.0.load(Ordering::Relaxed) - before) as i64]
}
";

/// A prototype that gives memory for its arguments by a function of its own.
const GIVES: &str = "#[unsafe(no_mangle)]
pub unsafe extern \"C\" fn cabi_export_realloc(_: *mut u8, _: usize, align: usize, bytes: usize) -> *mut u8 {
    unsafe { std::alloc::alloc(std::alloc::Layout::from_size_align_unchecked(bytes, align)) }
}
pub fn top_k(values: Vec<i64>, _: u32) -> Vec<i64> { values }
";

/// The answers to one call of the checked code, and of every layout of the timed code.
async fn answers(request: &BuildRequest, values: &[i64], k: u32) -> Vec<Val> {
    let built = build(request).await.unwrap();
    let arguments = [list(values), Val::U32(k)];
    let mut answers = vec![Running::new(&built).call("top-k", &arguments).unwrap()];
    let engine = engine::new(Profile::Timed).unwrap();
    for code in &built.timed {
        let mut running = Running::linked(&engine, code, &Linker::new(&engine));
        answers.push(running.call("top-k", &arguments).unwrap());
    }
    answers
}

#[tokio::test]
async fn a_guest_sees_the_same_memory_whether_it_is_there_in_advance_or_not() {
    let request = BuildRequest {
        memory_bytes: 8 << 20,
        ..source(&top_k(), GROW)
    };
    // Within what is there in advance, across its end, beyond it, and more than there can be.
    let pages = [0, 1, 3, 90, 40, 2, 70_000, i64::from(u32::MAX), 1];
    let answers = answers(&request, &pages, 1).await;
    let Val::List(seen) = &answers[0] else {
        panic!("{answers:?}");
    };
    assert!(seen.contains(&Val::S64(-1)), "{seen:?}");
    assert_eq!(answers.len(), 9);
    for timed in &answers[1..] {
        assert_eq!(timed, &answers[0]);
    }
}

/// Reads beyond the end of its memory, and says what it finds.
const BEYOND: &str = "pub fn top_k(_: Vec<i64>, k: u32) -> Vec<i64> {
    let end = core::arch::wasm32::memory_size(0) * 65536;
    let beyond = core::hint::black_box(end + k as usize * 65536) as *const i64;
    vec![unsafe { core::ptr::read_volatile(beyond) }]
}
";

/// The rule of `docs/verdicts.md` for it: where calls are checked it ends there, where they are timed it
/// finds nothing, up to the memory that it may have.
#[tokio::test]
async fn case_91_beyond_the_size_of_memory() {
    let request = BuildRequest {
        memory_bytes: 8 << 20,
        ..source(&top_k(), BEYOND)
    };
    let built = build(&request).await.unwrap();
    let call = |running: &mut Running, pages| {
        let answer = running.call("top-k", &[list(&[]), Val::U32(pages)]);
        answer.map_err(|error| format!("{error:?}"))
    };
    let refused = call(&mut Running::new(&built), 4).unwrap_err();
    assert!(refused.contains("out of bounds memory access"), "{refused}");
    let engine = engine::new(Profile::Timed).unwrap();
    for code in &built.timed {
        let mut running = Running::linked(&engine, code, &Linker::new(&engine));
        assert_eq!(call(&mut running, 4).unwrap(), list(&[0]));
        let refused = call(&mut running, 200).unwrap_err();
        assert!(refused.contains("out of bounds memory access"), "{refused}");
    }
}

#[tokio::test]
async fn a_prototype_may_have_an_allocator_of_its_own() {
    for answer in answers(&source(&top_k(), OWN), &[], 5).await {
        let Val::List(counted) = answer else {
            panic!("{answer:?}");
        };
        assert!(matches!(counted[..], [Val::S64(5..)]), "{counted:?}");
    }
}

/// Only where it is ours, no work of a prototype's can be in it, and it need not be timed.
#[tokio::test]
async fn it_is_known_whose_function_gives_memory_for_arguments() {
    for (text, ours) in [(GROW, true), (OWN, false), (GIVES, true)] {
        let built = build(&source(&top_k(), text)).await.unwrap();
        assert_eq!(built.our_allocator, ours, "{text}");
        // The same bytes, brought by a user, may come from anywhere.
        let brought = BuildInput::Component {
            path_shown: "brought.wasm".to_owned(),
            bytes: built.component.clone().into(),
        };
        let brought = BuildRequest {
            code: brought,
            ..source(&top_k(), text)
        };
        assert!(!build(&brought).await.unwrap().our_allocator);
    }
}
