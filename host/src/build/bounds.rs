//! The bounds of a build, as the job and the fence of its child.

use super::builder::{CodeBytes, ROLE};
use super::limits::{
    ADDRESS_SPACE_BYTES, CPU_HARD_S, CPU_SOFT_S, FILE_BYTES, OUTPUT_BYTES_MAX, PROCESSES_MAX,
    RESIDENT_BYTES_MAX, STDERR_BYTES_MAX,
};
use crate::confine::{Fence, Job, Processes, Rlimits};

/// Processes of a builder may have this many files open: the compiler maps its libraries, the
/// standard library's parts and its own output.
const OPEN_FILES: u64 = 256;

/// A build as a job, with its bounds.
pub(super) fn job<'a>(payload: &'a [&'a [u8]], fence: Fence) -> Job<'a> {
    let mut job = Job::new(ROLE, payload, fence);
    job.frame_bytes_max = (OUTPUT_BYTES_MAX / 2) as usize;
    job.output_bytes_max = OUTPUT_BYTES_MAX;
    job.stderr_bytes_max = STDERR_BYTES_MAX;
    job.rss_bytes_max = Some(RESIDENT_BYTES_MAX);
    job
}

/// A fence that nothing is let through, with the bounds of a build of this code.
pub(super) fn bounded(code: &CodeBytes) -> Fence {
    Fence {
        processes: Processes::Spawn {
            at_most: processes_max(code),
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

/// Processes of a build of this code at a time. Without a source nothing is started, and no file is
/// touched; an engine needs the builder's system calls all the same.
pub(super) fn processes_max(code: &CodeBytes) -> usize {
    match code {
        CodeBytes::Source { .. } => PROCESSES_MAX,
        CodeBytes::Component { .. } | CodeBytes::Calibrator => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::WALL;
    use super::*;
    use std::time::Duration;

    /// The numbers are those of docs/security.md.
    #[test]
    fn a_build_has_the_bounds_that_are_written_down() {
        let source = CodeBytes::Source {
            path_shown: "a.rs".into(),
            text: String::new(),
        };
        let job = job(&[], bounded(&source));
        assert_eq!(job.rss_bytes_max, Some(3 << 30));
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
        let nothing_is_started = bounded(&CodeBytes::Calibrator);
        assert_eq!(
            nothing_is_started.processes,
            Processes::Spawn { at_most: 1 }
        );
        assert_eq!(nothing_is_started.rlimits, rlimits);
        assert_eq!(WALL, Duration::from_secs(60));
    }
}
