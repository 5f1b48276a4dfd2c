//! Memory: the sum over everything an instance can grow.

use wasmtime::{ResourceLimiter, Result};

/// Core instances of one component, tables, and memories, each. A component of one module needs
/// one to three of them; wit-component's adapters a few more.
pub(super) const OBJECTS_MAX: usize = 32;

/// Bytes that a table element costs the host.
const TABLE_ELEMENT_BYTES: usize = size_of::<usize>();

/// What was used, and whether more was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Peak {
    /// Memories and tables together at their largest, in bytes.
    pub bytes: u64,
    /// Whether a growth was denied.
    pub denied: bool,
}

/// Bounds the sum of all memories and tables of a store; a growth beyond it is denied, as if the
/// machine had no more.
#[derive(Debug)]
pub(super) struct Limiter {
    limit: usize,
    used: usize,
    peak: Peak,
}

impl Limiter {
    pub(super) fn new(limit_bytes: u64) -> Self {
        let limit = usize::try_from(limit_bytes).unwrap_or(usize::MAX);
        Self {
            limit,
            used: 0,
            peak: Peak::default(),
        }
    }

    pub(super) fn peak(&self) -> Peak {
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
        OBJECTS_MAX
    }

    fn tables(&self) -> usize {
        OBJECTS_MAX
    }

    fn memories(&self) -> usize {
        OBJECTS_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_memories_share_one_limit() {
        let mut limiter = Limiter::new(100);
        assert!(limiter.memory_growing(0, 60, None).unwrap());
        assert!(!limiter.memory_growing(0, 60, None).unwrap());
        assert!(limiter.memory_growing(60, 90, None).unwrap());
        assert!(!limiter.table_growing(0, 2, None).unwrap());
        assert_eq!(
            limiter.peak(),
            Peak {
                bytes: 90,
                denied: true
            }
        );
    }
}
