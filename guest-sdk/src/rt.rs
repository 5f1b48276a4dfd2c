//! The run-time of generated bindings: memory for incoming values, and constructors that run once.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};

/// Does nothing: in a single crate the linker sees [`cabi_realloc`] anyway.
pub fn maybe_link_cabi_realloc() {}

/// Allocates or grows memory for values that the host passes in.
///
/// An allocation of no bytes returns its alignment as a dangling pointer.
///
/// # Safety
/// `old_ptr` is null with `old_len` 0, or comes from this function with `old_len` bytes and the
/// same alignment; `align` is a power of two; and `new_len` is not less than `old_len`.
#[cfg_attr(target_arch = "wasm32", unsafe(export_name = "cabi_realloc"))]
pub unsafe extern "C" fn cabi_realloc(
    old_ptr: *mut u8,
    old_len: usize,
    align: usize,
    new_len: usize,
) -> *mut u8 {
    // SAFETY: the canonical ABI promises a power of two and sizes below 2³¹; where an allocation
    // grows, layout and pointer are those of the allocation.
    unsafe {
        if old_len == 0 {
            if new_len == 0 {
                return std::ptr::without_provenance_mut(align);
            }
            let layout = Layout::from_size_align_unchecked(new_len, align);
            checked(alloc(layout), layout)
        } else {
            let layout = Layout::from_size_align_unchecked(old_len, align);
            checked(realloc(old_ptr, layout, new_len), layout)
        }
    }
}

fn checked(pointer: *mut u8, layout: Layout) -> *mut u8 {
    if pointer.is_null() {
        handle_alloc_error(layout);
    }
    pointer
}

/// Runs static constructors at the first call of an export, and never again.
///
/// If nothing called them, the linker would make every export call them.
pub fn run_ctors_once() {
    #[cfg(target_arch = "wasm32")]
    {
        use std::sync::atomic::{AtomicBool, Ordering};
        static DONE: AtomicBool = AtomicBool::new(false);
        unsafe extern "C" {
            fn __wasm_call_ctors();
        }
        if !DONE.swap(true, Ordering::Relaxed) {
            // SAFETY: the linker makes this function, and it is called before any guest code.
            unsafe { __wasm_call_ctors() }
        }
    }
}

/// Memory of an outgoing value, freed on drop. [`forget`](Self::forget) leaves it to the callee.
pub struct Cleanup {
    pointer: *mut u8,
    layout: Layout,
}

impl Cleanup {
    /// Allocates, and returns the pointer with its cleanup; none if the layout has no bytes.
    pub fn new(layout: Layout) -> (*mut u8, Option<Self>) {
        if layout.size() == 0 {
            return (std::ptr::without_provenance_mut(layout.align()), None);
        }
        // SAFETY: the layout has a size.
        let pointer = checked(unsafe { alloc(layout) }, layout);
        (pointer, Some(Self { pointer, layout }))
    }

    /// Leaves the memory to the callee.
    pub fn forget(self) {
        std::mem::forget(self);
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated with this layout, and nothing else frees it.
        unsafe { dealloc(self.pointer, self.layout) }
    }
}

/// A type of an exported resource. Every type can be one.
pub trait Resource: Sized + 'static {
    /// The representation behind a handle.
    type Rep: ResourceRep<Self>;
}

impl<T: 'static> Resource for T {
    type Rep = Option<T>;
}

/// The storage behind a handle, from which the value may be taken once.
pub trait ResourceRep<T> {
    /// Makes storage with a value in it.
    fn rep_new(value: T) -> Self;

    /// Borrows the value.
    ///
    /// # Safety
    /// `place` points to live storage, which is not changed while the reference lives.
    unsafe fn rep_as_ref<'a>(place: *const Self) -> &'a T
    where
        Self: 'a;

    /// Borrows the value mutably.
    ///
    /// # Safety
    /// `place` points to live storage, which is not otherwise used while the reference lives.
    unsafe fn rep_as_mut<'a>(place: *mut Self) -> &'a mut T
    where
        Self: 'a;

    /// Takes the value out.
    ///
    /// # Safety
    /// The same holds of `place` as for [`rep_as_mut`](Self::rep_as_mut).
    unsafe fn rep_take(place: *mut Self) -> T;
}

const TAKEN: &str = "a resource is used after its value was taken";

impl<T> ResourceRep<T> for Option<T> {
    fn rep_new(value: T) -> Self {
        Some(value)
    }

    unsafe fn rep_as_ref<'a>(place: *const Self) -> &'a T
    where
        Self: 'a,
    {
        // SAFETY: the caller guarantees what this function requires.
        unsafe { (*place).as_ref() }.expect(TAKEN)
    }

    unsafe fn rep_as_mut<'a>(place: *mut Self) -> &'a mut T
    where
        Self: 'a,
    {
        // SAFETY: the caller guarantees what this function requires.
        unsafe { (*place).as_mut() }.expect(TAKEN)
    }

    unsafe fn rep_take(place: *mut Self) -> T {
        // SAFETY: the caller guarantees what this function requires.
        unsafe { (*place).take() }.expect(TAKEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grown_memory_keeps_what_it_held() {
        // SAFETY: one allocation of 3 bytes, grown to 300, written within its bounds and freed.
        unsafe {
            let small = cabi_realloc(std::ptr::null_mut(), 0, 4, 3);
            small.copy_from_nonoverlapping([1, 2, 3].as_ptr(), 3);
            let large = cabi_realloc(small, 3, 4, 300);
            assert_eq!(large as usize % 4, 0);
            assert_eq!(std::slice::from_raw_parts(large, 3), [1, 2, 3]);
            dealloc(large, Layout::from_size_align(300, 4).unwrap());
        }
    }

    #[test]
    fn a_value_behind_a_handle_can_be_changed_and_taken() {
        let mut place = <Option<Vec<u8>>>::rep_new(vec![1]);
        // SAFETY: the place lives on this stack, and the references do not overlap.
        unsafe {
            Option::rep_as_mut(&raw mut place).push(2);
            assert_eq!(Option::rep_as_ref(&raw const place), &[1, 2]);
            assert_eq!(Option::rep_take(&raw mut place), [1, 2]);
        }
        assert!(place.is_none());
    }

    #[test]
    fn memory_of_outgoing_values_is_freed_or_left_to_the_callee() {
        let (nothing, cleanup) = Cleanup::new(Layout::from_size_align(0, 4).unwrap());
        assert!(nothing as usize == 4 && cleanup.is_none());
        drop(Cleanup::new(Layout::from_size_align(8, 4).unwrap()));
        let layout = Layout::from_size_align(8, 4).unwrap();
        let (kept, cleanup) = Cleanup::new(layout);
        cleanup.unwrap().forget();
        // SAFETY: it was left to this test, with this layout.
        unsafe {
            kept.write(7);
            assert_eq!(kept.read(), 7);
            dealloc(kept, layout);
        }
    }

    #[test]
    fn an_empty_allocation_is_an_aligned_pointer() {
        // SAFETY: no bytes are allocated, and none are read.
        let pointer = unsafe { cabi_realloc(std::ptr::null_mut(), 0, 8, 0) };
        assert_eq!(pointer as usize, 8);
    }
}
