//! The resource bounds of a runner process, and the time that it may take.

use bakeoff_compile::engine;
use bakeoff_confine::{ChildJob, Fence};
use bakeoff_domain::spec::Limits;
use bakeoff_runner::{Instances, ROLE};
use bakeoff_source::PackedFolders;
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

/// The most bytes of memory that all instances of a replica together keep between their calls. Where the
/// variants of a race would keep more, each replica has a group of them.
pub(super) const KEPT_BYTES_MAX: u64 = 2 << 30;

/// Returns the bytes that an instance keeps between calls, if a call writes `peak_bytes`; an instance that is kept may
/// use all of its memory limit.
fn kept_bytes(instances: Instances, peak_bytes: u64, limits: &Limits) -> u64 {
    match instances {
        Instances::Fresh => engine::kept_bytes(peak_bytes, limits.memory_bytes),
        Instances::Kept => limits.memory_bytes,
    }
}

/// Returns the number of variants that one replica may have, if none of them writes more than
/// `peak_bytes` in a call; 2 at least.
pub(super) fn group_max(instances: Instances, peak_bytes: u64, limits: &Limits) -> usize {
    let each = kept_bytes(instances, peak_bytes, limits).max(1);
    usize::try_from(KEPT_BYTES_MAX / each)
        .unwrap_or(usize::MAX)
        .max(2)
}

/// Returns the bytes of memory that the guests of a replica with `variants` variants may have: all kept memory, that of
/// the running call, of the workload and of the component that does nothing.
pub(super) fn replica_bytes(
    instances: Instances,
    peak_bytes: u64,
    variants: usize,
    limits: &Limits,
) -> u64 {
    let variants = variants as u64;
    let kept = kept_bytes(instances, peak_bytes, limits).saturating_mul(variants);
    let running = limits.memory_bytes.saturating_mul(3);
    let all = limits.memory_bytes.saturating_mul(variants + 2);
    kept.saturating_add(running).min(all)
}

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
pub(super) fn job<'a>(
    payload: &'a [&'a [u8]],
    core: Option<usize>,
    guests_bytes: u64,
) -> ChildJob<'a> {
    let mut job = ChildJob::new(ROLE, payload, Fence::closed());
    job.core = core;
    job.frame_bytes_max = FRAME_BYTES_MAX;
    job.rss_bytes_max = Some(resident_bytes_max(guests_bytes));
    job.announces = true;
    job
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_75_many_hogs() {
        let limits = Limits::default();
        let fresh = |peak| group_max(Instances::Fresh, peak, &limits);
        // 64 that take all that they may: eight at a time.
        assert_eq!(fresh(256 << 20), 8);
        let bytes = replica_bytes(Instances::Fresh, 256 << 20, 8, &limits);
        assert_eq!(resident_bytes_max(bytes) >> 20, 8 * 256 + 2 * 256 + 768);
        // 64 usual ones are together, …
        assert!(fresh(2 << 20) >= 64);
        // … and if they take more than they showed, it is not kept.
        let bytes = replica_bytes(Instances::Fresh, 2 << 20, 64, &limits);
        assert!(resident_bytes_max(bytes) < 2 << 30, "{bytes}");
        assert_eq!(group_max(Instances::Kept, 0, &limits), 8);
        let largest = Limits {
            memory_bytes: 4 << 30,
            ..limits
        };
        assert_eq!(group_max(Instances::Fresh, 4 << 30, &largest), 2);
        // Two are as many as before.
        assert_eq!(
            replica_bytes(Instances::Kept, 0, 2, &limits),
            4 * (256 << 20)
        );
    }

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
