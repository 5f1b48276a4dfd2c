//! The resource bounds of a runner process, and the time that it may take.

use super::runner::ROLE;
use crate::confine::{Fence, Job};
use crate::source::PackedFolders;
use std::collections::BTreeMap;
use std::time::Duration;

/// Time that a runner may spend on one step that is not a variant's calls: starting, loading, and
/// the workload, which is bounded by fuel.
pub(super) const WORKLOAD_PATIENCE: Duration = Duration::from_secs(120);

/// Time that a runner may take to end after it closed its pipe: the system takes its memory back.
pub(super) const EXIT_PATIENCE: Duration = Duration::from_secs(30);

/// The factor by which a call of the gate may exceed the wall limit. The gate counts fuel and so is
/// slower than a timed trial; its calls are bounded by fuel before this.
pub(super) const GATE_PATIENCE: u32 = 4;

/// Largest frame of a runner, in bytes: the text of a failure, or the samples of a replica.
const FRAME_BYTES_MAX: usize = 4 << 20;

/// Bytes of memory that a runner needs beyond those of its guests: engine, code, inputs and
/// answers.
const HOST_BYTES: u64 = 768 << 20;

/// Returns the resident memory that a runner may have, in bytes, if all its guests together may
/// have `guests_bytes`.
pub(super) fn resident_bytes_max(guests_bytes: u64) -> u64 {
    guests_bytes.saturating_add(HOST_BYTES)
}

/// Returns the bytes that granted files take in a runner: each once in its request, and once as its
/// copy.
pub(super) fn room_for<'f>(files: impl IntoIterator<Item = &'f PackedFolders>) -> u64 {
    let sizes = files.into_iter().map(|one| (&one.digest, one.bytes.len()));
    let once: BTreeMap<&String, usize> = sizes.collect();
    2 * once.values().sum::<usize>() as u64
}

/// Returns the job of a runner with its bounds: no files, no child processes, limited memory.
pub(super) fn job<'a>(payload: &'a [&'a [u8]], core: Option<usize>, guests_bytes: u64) -> Job<'a> {
    let mut job = Job::new(ROLE, payload, Fence::closed());
    job.core = core;
    job.frame_bytes_max = FRAME_BYTES_MAX;
    job.rss_bytes_max = Some(resident_bytes_max(guests_bytes));
    job.announces = true;
    job
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Holds the bounds to the numbers in docs/security.md.
    #[test]
    fn a_runner_has_the_bounds_that_are_written_down() {
        let job = job(&[], Some(1), 256 << 20);
        assert_eq!(job.fence, Fence::closed());
        assert_eq!(job.core, Some(1));
        assert_eq!(job.rss_bytes_max, Some(1 << 30));
        assert!(job.announces);
        assert_eq!(job.frame_bytes_max, 4 << 20);
        assert_eq!(job.output_bytes_max, 256 << 20);
        assert_eq!(job.stderr_bytes_max, 256 << 10);
        assert_eq!((WORKLOAD_PATIENCE.as_secs(), GATE_PATIENCE), (120, 4));
    }
}
