//! The job and the fence of a builder child, with the limits of a build.

use super::build_protocol::ROLE;
use super::limits::{
    ADDRESS_SPACE_BYTES, CPU_HARD_S, CPU_SOFT_S, FILE_BYTES, FOLDER_BYTES_MAX, OUTPUT_BYTES_MAX,
    PROCESSES_MAX, RESIDENT_BYTES_MAX, STDERR_BYTES_MAX,
};
use bakeoff_confine::{ChildJob, Fence, Processes, Rlimits};

/// The most open files of one process of a build: the compiler maps its libraries, the parts of the
/// standard library and its own output.
const OPEN_FILES: u64 = 256;

/// Returns the job of a build, with its limits.
pub(super) fn job<'a>(payload: &'a [&'a [u8]], fence: Fence) -> ChildJob<'a> {
    let mut job = ChildJob::new(ROLE, payload, fence);
    job.frame_bytes_max = (OUTPUT_BYTES_MAX / 2) as usize;
    job.output_bytes_max = OUTPUT_BYTES_MAX;
    job.stderr_bytes_max = STDERR_BYTES_MAX;
    job.rss_bytes_max = Some(RESIDENT_BYTES_MAX);
    job.folder_bytes_max = Some(FOLDER_BYTES_MAX);
    job
}

/// Returns a fence that allows no file, with the limits of a build of a source, or of something else.
pub(super) fn closed_fence(has_source: bool) -> Fence {
    Fence {
        processes: Processes::Spawn {
            at_most: processes_max(has_source),
        },
        rlimits: Rlimits {
            address_space_bytes: Some(ADDRESS_SPACE_BYTES),
            cpu_soft_s: Some(CPU_SOFT_S),
            cpu_hard_s: Some(CPU_HARD_S),
            file_bytes: Some(FILE_BYTES),
            open_files: Some(OPEN_FILES),
        },
        ..Fence::closed()
    }
}

/// Returns the most processes of a build at a time. Without a source, only the child itself runs;
/// it needs the system calls of a builder all the same, for its engine.
pub(super) fn processes_max(has_source: bool) -> usize {
    if has_source { PROCESSES_MAX } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::super::limits::WALL;
    use super::*;
    use std::time::Duration;

    /// The numbers are those of docs/security.md.
    #[test]
    fn a_build_has_the_documented_limits() {
        let job = job(&[], closed_fence(true));
        assert_eq!(job.rss_bytes_max, Some(3 << 30));
        assert_eq!(job.folder_bytes_max, Some(512 << 20));
        assert_eq!(job.stderr_bytes_max, 256 << 10);
        assert_eq!(job.output_bytes_max, 512 << 20);
        assert_eq!(job.frame_bytes_max, 256 << 20);
        let Fence {
            processes, rlimits, ..
        } = job.fence;
        assert_eq!(processes, Processes::Spawn { at_most: 8 });
        assert_eq!(rlimits.address_space_bytes, Some(3 << 30));
        assert_eq!(
            (rlimits.cpu_soft_s, rlimits.cpu_hard_s),
            (Some(30), Some(35))
        );
        assert_eq!(rlimits.file_bytes, Some(64 << 20));
        let calibrator = closed_fence(false);
        assert_eq!(calibrator.processes, Processes::Spawn { at_most: 1 });
        assert_eq!(calibrator.rlimits, rlimits);
        assert_eq!(WALL, Duration::from_secs(600));
    }
}
