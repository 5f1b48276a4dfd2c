//! CPU time of processes, as the kernel counts it.

use std::time::Duration;

/// Returns the CPU time of this process so far, and of the children that it waited for.
pub fn own_and_children() -> Duration {
    used_by(libc::RUSAGE_SELF) + children()
}

/// Returns the CPU time of the children that this process waited for.
pub fn children() -> Duration {
    used_by(libc::RUSAGE_CHILDREN)
}

fn used_by(who: libc::c_int) -> Duration {
    // SAFETY: a rusage is plain numbers, for which zero is valid; the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &raw mut usage);
        usage
    };
    total(&usage)
}

/// Returns the CPU time of a usage, in user and system mode.
pub(super) fn total(usage: &libc::rusage) -> Duration {
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}
