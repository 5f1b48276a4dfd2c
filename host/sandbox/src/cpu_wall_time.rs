//! The two clocks by which guests are timed.

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// CPU time and wall time, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CpuWallTime {
    /// CPU time of this thread.
    pub cpu_ns: u64,
    /// Monotonic time.
    pub wall_ns: u64,
}

impl CpuWallTime {
    /// Reads a clock, in nanoseconds.
    pub fn read(clock: ClockId) -> u64 {
        let time = clock_gettime(clock);
        (time.tv_sec as u64)
            .wrapping_mul(1_000_000_000)
            .wrapping_add(time.tv_nsec as u64)
    }

    /// Reads the CPU clock of this thread: a system call of about half a microsecond.
    pub fn thread_cpu_ns() -> u64 {
        Self::read(ClockId::ThreadCPUTime)
    }

    /// Reads the monotonic clock, which takes no system call on most machines.
    pub fn monotonic_ns() -> u64 {
        Self::read(ClockId::Monotonic)
    }
}
