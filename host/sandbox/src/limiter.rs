//! The limit on memory: the sum of all that an instance can grow.

use super::attempt_log::AttemptLog;
use super::limits::{INSTANCES_MAX, TABLES_MAX};
use bakeoff_domain::attempt::AttemptKind;
use wasmtime::{ResourceLimiter, Result};

/// Host memory of a table element, in bytes.
const TABLE_ELEMENT_BYTES: usize = size_of::<usize>();

/// The peak memory of an instance, and whether it asked for more than the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PeakMemory {
    /// Memories and tables together at their largest, in bytes.
    pub bytes: u64,
    /// True if a growth was denied.
    pub denied: bool,
}

/// Limits the sum of all memories and tables of a store. Growth beyond it is denied, as if the machine
/// had no more memory.
#[derive(Debug)]
pub(super) struct Limiter {
    limit: usize,
    used: usize,
    peak: PeakMemory,
    log: AttemptLog,
}

impl Limiter {
    pub(super) fn new(limit_bytes: u64, log: AttemptLog) -> Self {
        let limit = usize::try_from(limit_bytes).unwrap_or(usize::MAX);
        Self {
            limit,
            used: 0,
            peak: PeakMemory::default(),
            log,
        }
    }

    pub(super) fn peak(&self) -> PeakMemory {
        self.peak
    }

    fn grow(&mut self, by: usize) -> bool {
        match self.used.checked_add(by) {
            Some(used) if used <= self.limit => {
                self.used = used;
                self.peak.bytes = self.peak.bytes.max(used as u64);
                true
            }
            _ => {
                self.peak.denied = true;
                self.log.record(AttemptKind::MemoryGrowth, None);
                false
            }
        }
    }
}

impl ResourceLimiter for Limiter {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        Ok(self.grow(desired.saturating_sub(current)))
    }

    fn table_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> Result<bool> {
        Ok(self.grow(
            desired
                .saturating_sub(current)
                .saturating_mul(TABLE_ELEMENT_BYTES),
        ))
    }

    fn instances(&self) -> usize {
        INSTANCES_MAX
    }

    fn tables(&self) -> usize {
        TABLES_MAX
    }

    fn memories(&self) -> usize {
        TABLES_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_memories_share_one_limit() {
        let mut limiter = Limiter::new(100, AttemptLog::default());
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(!limiter.memory_growing(0, 60, None).unwrap());
        assert!(limiter.memory_growing(60, 90, None).unwrap());
        assert!(!limiter.table_growing(0, 2, None).unwrap());
        assert_eq!(
            limiter.peak(),
            PeakMemory {
                bytes: 90,
                denied: true
            }
        );
    }
}
