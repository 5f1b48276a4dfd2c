//! The calls of a host of programs, and of the program in it.

use super::builder::{self, SIGNALLING, STOPS};
use super::rules::{Check, Rules, Signals, all_of, any_of, word};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

/// Calls by which programs could leave marks for each other outside of their folders: locks of files that all of them
/// may read, and what is in the system's cache of files.
const MARKS: [i64; 6] = [
    libc::SYS_fadvise64,
    libc::SYS_flock,
    libc::SYS_mincore,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_readahead,
];

/// The requests to an open file that set or see locks.
const LOCKS: [i32; 6] = [
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
];

/// Returns the rules of the calls that are allowed to a host: those of a builder, a filter for what it starts, without
/// anybody who could be asked about calls, and all signals by number: it stops and kills its program, which gets a filter of
/// its own. Where Landlock does not keep signals inside the fence, the host alone could send one out of it, and is ours.
pub(super) fn allowed(signals: Signals) -> Result<Rules, String> {
    let mut rules = builder::allowed(signals)?;
    let filters = u64::from(libc::SECCOMP_SET_MODE_FILTER);
    let plain = [(0, Check::Is(filters)), (1, Check::Is(0))];
    rules.insert(libc::SYS_seccomp, all_of(&plain)?);
    rules.insert(libc::SYS_kill, Vec::new());
    Ok(rules)
}

/// Returns the filter of a program below its host, which takes away what the host may do beyond a builder, and the start
/// of processes: threads alone are left. It leaves no marks that another program could find.
///
/// # Errors
/// There is no filter for this machine.
pub(crate) fn of_program() -> Result<BpfProgram, String> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)
        .map_err(|error| format!("seccomp: {error}"))?;
    let mut refused = Rules::from([
        (libc::SYS_seccomp, Vec::new()),
        (
            libc::SYS_clone,
            any_of(0, &[Check::Of(word(libc::CLONE_THREAD), 0)])?,
        ),
    ]);
    #[cfg(target_arch = "x86_64")]
    refused.extend([libc::SYS_fork, libc::SYS_vfork].map(|call| (call, Vec::new())));
    refused.extend(MARKS.map(|call| (call, Vec::new())));
    refused.insert(
        libc::SYS_fcntl,
        any_of(1, &LOCKS.map(|lock| Check::Is(word(lock))))?,
    );
    for (call, place) in SIGNALLING {
        let mut ways = any_of(place, &STOPS.map(|signal| Check::Is(word(signal))))?;
        if call == libc::SYS_kill {
            // 0 is the own group, which ends with the host.
            ways.extend(any_of(0, &[Check::IsNot(0)])?);
        }
        refused.insert(call, ways);
    }
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(refused, SeccompAction::Allow, refuse, arch)
        .and_then(BpfProgram::try_from)
        .map_err(|error| format!("seccomp: {error}"))
}
