//! Places for work of which only so much is done at once.

use std::sync::{Condvar, Mutex, PoisonError};

/// Places, of which each is taken by one piece of work at a time.
#[derive(Debug)]
pub(crate) struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// Place that is taken. Dropping it frees it.
#[derive(Debug)]
pub(crate) struct Slot<'a> {
    slots: &'a Slots,
}

impl Slots {
    /// Makes so many places, at least one.
    pub(crate) fn new(count: usize) -> Self {
        Self {
            free: Mutex::new(count.max(1)),
            freed: Condvar::new(),
        }
    }

    /// Takes a place, and waits for one if there is none.
    pub(crate) fn take(&self) -> Slot<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.freed.wait_while(free, |free| *free == 0);
        *free.unwrap_or_else(PoisonError::into_inner) -= 1;
        Slot { slots: self }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let free = self.slots.free.lock();
        *free.unwrap_or_else(PoisonError::into_inner) += 1;
        self.slots.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn no_more_places_are_taken_than_there_are_and_all_get_one() {
        let slots = Slots::new(2);
        let (now, most, done) = (
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
        );
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let slot = slots.take();
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                        done.fetch_add(1, Ordering::SeqCst);
                        drop(slot);
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 400);
        assert!(most.into_inner() <= 2);
    }
}
