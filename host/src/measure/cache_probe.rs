//! The cache probe: reads of memory that show how much of the caches a thread has.
//!
//! The contention probe needs no memory, and does not see who uses the same cache from other cores. This
//! one waits for one cache line after the other: it takes longer where these are no longer in the cache.

use crate::sandbox::CpuWallTime;
use std::hint::black_box;

/// Bytes of a cache line, or more: no two steps are on one.
const LINE_BYTES: usize = 64;
/// Lines that are read over in turn: 2 MiB, more than the caches of one core hold beside what is timed, and
/// less than what cores share.
const LINES: usize = 32_768;
/// Reads at a time: some tens of microseconds, well above the clock resolution.
const READS: u32 = 1_000;
/// Numbers of a line.
const LINE_NUMBERS: usize = LINE_BYTES / size_of::<u32>();

/// A cycle through all lines, in an order that no prefetching foresees.
#[derive(Debug)]
pub(super) struct CacheProbe {
    /// The first number of a line is the next line.
    numbers: Vec<u32>,
    line: u32,
}

impl CacheProbe {
    pub(super) fn new() -> Self {
        let mut numbers = vec![0; LINES * LINE_NUMBERS];
        let next = cycle();
        for (line, next) in numbers.chunks_exact_mut(LINE_NUMBERS).zip(next) {
            line[0] = next;
        }
        Self { numbers, line: 0 }
    }

    /// Returns the CPU time that the reads take on this thread now, in nanoseconds.
    pub(super) fn reads_ns(&mut self) -> u64 {
        let before = CpuWallTime::thread_cpu_ns();
        let mut line = self.line;
        for _ in 0..READS {
            line = self.numbers[line as usize * LINE_NUMBERS];
        }
        self.line = black_box(line);
        CpuWallTime::thread_cpu_ns().saturating_sub(before)
    }
}

/// For each line the next one, such that all are on one cycle (Sattolo's shuffle, 1986). Always the
/// same: it is the machine that is to differ.
fn cycle() -> Vec<u32> {
    let mut next: Vec<u32> = (0..LINES as u32).collect();
    // Marsaglia's xorshift (2003).
    let mut state: u64 = 0x2545_F491_4F6C_DD1D;
    for last in (1..LINES).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let other = (state % last as u64) as usize;
        next.swap(last, other);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_comes_once_before_any_comes_again() {
        let next = cycle();
        let mut seen = vec![false; LINES];
        let mut line = 0;
        for _ in 0..LINES {
            assert!(!seen[line], "line {line} came twice");
            seen[line] = true;
            line = next[line] as usize;
        }
        assert_eq!(line, 0);
    }

    #[test]
    fn reading_goes_on_where_it_ended() {
        let mut probe = CacheProbe::new();
        probe.reads_ns();
        let line = probe.line;
        assert_ne!(line, 0);
        probe.reads_ns();
        assert_ne!(probe.line, line);
    }
}
