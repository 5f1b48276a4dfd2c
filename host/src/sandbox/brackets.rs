//! How long guest code ran: clocks read at every entry to it and exit from it.
//!
//! Lowering arguments and lifting answers is the host's work and lies outside the brackets; a call
//! of the guest's allocator for an argument, the function itself and its post-return lie inside,
//! so that no work hides there. What a do-nothing component of the same signature costs in the
//! same brackets is measured beside it and subtracted later.

use rustix::time::{ClockId, clock_gettime};
use wasmtime::CallHook;

/// Two clocks, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// CPU time of this thread.
    pub cpu_ns: u64,
    /// Monotonic time.
    pub wall_ns: u64,
}

impl Clocks {
    /// What a clock says, in nanoseconds.
    pub(crate) fn read(clock: ClockId) -> u64 {
        let time = clock_gettime(clock);
        (time.tv_sec as u64)
            .wrapping_mul(1_000_000_000)
            .wrapping_add(time.tv_nsec as u64)
    }

    /// The CPU clock of this thread. A system call of about half a microsecond.
    pub fn thread_cpu_ns() -> u64 {
        Self::read(ClockId::ThreadCPUTime)
    }
}

/// What the brackets of a store have added up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bracketed {
    /// Time in guest code.
    pub time: Clocks,
    /// How many brackets there were.
    pub count: u64,
}

/// Adds up brackets. Host calls made by a guest lie inside its bracket: work that a guest moves to
/// the host is still the guest's.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    total: Bracketed,
    entered: Clocks,
    depth: u32,
}

impl Brackets {
    #[inline]
    pub(super) fn on(&mut self, hook: CallHook) {
        match hook {
            CallHook::CallingWasm => {
                self.depth += 1;
                if self.depth == 1 {
                    // The CPU clock last: the system call is then outside the bracket.
                    self.entered.wall_ns = Clocks::read(ClockId::Monotonic);
                    self.entered.cpu_ns = Clocks::thread_cpu_ns();
                }
            }
            CallHook::ReturningFromWasm => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    let cpu_ns = Clocks::thread_cpu_ns();
                    let wall_ns = Clocks::read(ClockId::Monotonic);
                    self.total.time.cpu_ns += cpu_ns.saturating_sub(self.entered.cpu_ns);
                    self.total.time.wall_ns += wall_ns.saturating_sub(self.entered.wall_ns);
                    self.total.count += 1;
                }
            }
            CallHook::CallingHost | CallHook::ReturningFromHost => {}
        }
    }

    /// What has been added up since the last time this was asked.
    pub(super) fn take(&mut self) -> Bracketed {
        self.depth = 0;
        std::mem::take(&mut self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_entries_are_one_bracket() {
        let mut brackets = Brackets::default();
        brackets.on(CallHook::CallingWasm);
        brackets.on(CallHook::CallingHost);
        brackets.on(CallHook::CallingWasm);
        brackets.on(CallHook::ReturningFromWasm);
        brackets.on(CallHook::ReturningFromHost);
        brackets.on(CallHook::ReturningFromWasm);
        assert_eq!(brackets.take().count, 1);
        assert_eq!(brackets.take(), Bracketed::default());
    }
}
