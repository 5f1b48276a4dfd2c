//! The time of guest code: clocks are read at every entry to it and exit from it.
//!
//! Lowering arguments and lifting answers is work of the host and not counted. Calls of the guest's
//! allocator for arguments, the function itself and its post-return are counted, so that no work hides
//! there. The same time of a calibrator of the same signature is measured beside it and subtracted
//! later.

use rustix::time::{ClockId, clock_gettime};
use wasmtime::CallHook;

/// CPU time and wall time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuWallTime {
    /// CPU time of this thread.
    pub cpu_ns: u64,
    /// Monotonic time.
    pub wall_ns: u64,
}

impl CpuWallTime {
    /// Reads a clock, in nanoseconds.
    pub(crate) fn read(clock: ClockId) -> u64 {
        let time = clock_gettime(clock);
        (time.tv_sec as u64)
            .wrapping_mul(1_000_000_000)
            .wrapping_add(time.tv_nsec as u64)
    }

    /// Reads the CPU clock of this thread: a system call of about half a microsecond.
    pub fn thread_cpu_ns() -> u64 {
        Self::read(ClockId::ThreadCPUTime)
    }
}

/// The time in guest code, added up over entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GuestTime {
    /// Time in guest code.
    pub time: CpuWallTime,
    /// The number of entries into guest code.
    pub count: u64,
}

/// Adds up the time in guest code. Host calls of a guest are included: work that a guest moves to the
/// host is still the guest's.
#[derive(Debug, Default)]
pub(super) struct GuestTimer {
    total: GuestTime,
    entered: CpuWallTime,
    depth: u32,
}

impl GuestTimer {
    #[inline]
    pub(super) fn on(&mut self, hook: CallHook) {
        match hook {
            CallHook::CallingWasm => {
                self.depth += 1;
                if self.depth == 1 {
                    // The CPU clock is read last, so that the other reading is not counted.
                    self.entered.wall_ns = CpuWallTime::read(ClockId::Monotonic);
                    self.entered.cpu_ns = CpuWallTime::thread_cpu_ns();
                }
            }
            CallHook::ReturningFromWasm => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    let cpu_ns = CpuWallTime::thread_cpu_ns();
                    let wall_ns = CpuWallTime::read(ClockId::Monotonic);
                    self.total.time.cpu_ns += cpu_ns.saturating_sub(self.entered.cpu_ns);
                    self.total.time.wall_ns += wall_ns.saturating_sub(self.entered.wall_ns);
                    self.total.count += 1;
                }
            }
            CallHook::CallingHost | CallHook::ReturningFromHost => {}
        }
    }

    /// Returns the time since the last call, and starts anew.
    pub(super) fn take(&mut self) -> GuestTime {
        self.depth = 0;
        std::mem::take(&mut self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_entries_count_once() {
        let mut timer = GuestTimer::default();
        timer.on(CallHook::CallingWasm);
        timer.on(CallHook::CallingHost);
        timer.on(CallHook::CallingWasm);
        timer.on(CallHook::ReturningFromWasm);
        timer.on(CallHook::ReturningFromHost);
        timer.on(CallHook::ReturningFromWasm);
        assert_eq!(timer.take().count, 1);
        assert_eq!(timer.take(), GuestTime::default());
    }
}
