//! The bounds of a runner, as the job of its child, and how long it may take.

use super::runner::ROLE;
use crate::artifact::PackedFolders;
use crate::confine::{Fence, Job};
use std::collections::BTreeMap;
use std::time::Duration;

/// Time that a runner may spend between two frames on what is not a variant's: starting, loading,
/// and the workload, which is bounded by fuel.
pub(super) const WORKLOAD_PATIENCE: Duration = Duration::from_secs(120);

/// The gate counts fuel, and so runs slower than a timed trial; its calls get this many times the
/// wall limit, and are bounded by fuel before.
pub(super) const GATE_PATIENCE: u32 = 4;

/// Largest frame of a runner: text of a failure, or the facts of a replica.
const FRAME_BYTES_MAX: usize = 4 << 20;

/// Memory of a runner beyond what its guests may have: engine, code, inputs and answers.
const HOST_BYTES: u64 = 768 << 20;

/// What a runner may have resident, in bytes, where all its guests together may have so much.
pub(super) fn resident_bytes_max(guests_bytes: u64) -> u64 {
    guests_bytes.saturating_add(HOST_BYTES)
}

/// Memory that granted files take in a runner: each once as part of its request, and as its copy.
pub(super) fn room_for<'f>(files: impl IntoIterator<Item = &'f PackedFolders>) -> u64 {
    let sizes = files.into_iter().map(|one| (&one.digest, one.bytes.len()));
    let once: BTreeMap<&String, usize> = sizes.collect();
    2 * once.values().sum::<usize>() as u64
}

/// A runner as a job, with its bounds: no file, no process, and no more than this.
pub(super) fn job<'a>(payload: &'a [&'a [u8]], core: Option<usize>, guests_bytes: u64) -> Job<'a> {
    let mut job = Job::new(ROLE, payload, Fence::closed());
    job.core = core;
    job.frame_bytes_max = FRAME_BYTES_MAX;
    job.rss_bytes_max = Some(resident_bytes_max(guests_bytes));
    job
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers are those of docs/security.md.
    #[test]
    fn a_runner_has_the_bounds_that_are_written_down() {
        let job = job(&[], Some(1), 256 << 20);
        assert_eq!(job.fence, Fence::closed());
        assert_eq!(job.core, Some(1));
        assert_eq!(job.rss_bytes_max, Some(1 << 30));
        assert_eq!(job.frame_bytes_max, 4 << 20);
        assert_eq!(job.output_bytes_max, 256 << 20);
        assert_eq!(job.stderr_bytes_max, 256 << 10);
        assert_eq!((WORKLOAD_PATIENCE.as_secs(), GATE_PATIENCE), (120, 4));
    }
}
