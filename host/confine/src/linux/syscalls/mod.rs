//! Seccomp: the system calls that a child may make.
//!
//! Both kinds of child have a list of calls, and no other. A refused call fails (EPERM, or what tells a library to go
//! another way) and does not kill: the C library probes for features, and copes when one is missing. Calls that it
//! would rather make than an older one are on the list, so that EPERM tells a program what is the case.

mod builder;
mod builder_calls;
mod host;
mod network;
mod rules;
mod runner;

pub(super) use host::of_program;
pub(super) use network::of_network;
pub(super) use rules::Signals;

use crate::job::Processes;
use seccompiler::{SeccompAction, SeccompFilter, TargetArch, sock_filter};

/// The first system call (Linux 6.6) that the lists here know nothing about. It and all later
/// ones do not exist in a child; nor do those of the x32 ABI, whose numbers are higher still.
const FIRST_UNKNOWN: u32 = 453;

/// Takes the other system calls away from all threads of this process and all that it will start.
///
/// # Errors
/// The kernel does not support filters, or refuses them.
pub(super) fn restrict(processes: Processes, signals: Signals) -> Result<(), String> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)
        .map_err(|error| format!("seccomp: {error}"))?;
    let rules = match processes {
        Processes::None => runner::allowed()?,
        Processes::Spawn { .. } => builder::allowed(signals)?,
        Processes::Host => host::allowed(signals)?,
    };
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let list = SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch)
        .and_then(seccompiler::BpfProgram::try_from)
        .map_err(|error| format!("seccomp: {error}"))?;
    // One filter and not two: of two refusals, the kernel would take that of the later filter.
    let filter = [absent(processes), list].concat();
    seccompiler::apply_filter_all_threads(&filter).map_err(|error| format!("seccomp: {error}"))
}

/// Returns true if the kernel can filter system calls.
pub(super) fn available() -> bool {
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the kernel only reads the number that the pointer leads to.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_GET_ACTION_AVAIL,
            0_u32,
            &raw const action,
        )
    };
    answer == 0
}

/// Returns the beginning of a filter, which answers as a kernel or a file system would that lacks something. All other calls
/// are for what follows.
///
/// - ENOSYS: calls that are too new to be judged, and clone3, whose flags lie in memory where no filter can see them.
/// - EOPNOTSUPP, for builders: fallocate. It takes as much of a disk as is asked for at once, also beyond a file's end,
///   where no limit of the size of files holds; the parent sees it only when it looks. Libraries write zeros instead.
fn absent(processes: Processes) -> Vec<sock_filter> {
    let load = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    let at_least = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    let equals = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    let answer = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, k, jt, jf| sock_filter { code, jt, jf, k };
    let number = |call: libc::c_long| u32::try_from(call).unwrap_or(FIRST_UNKNOWN);
    let errno = |errno: i32| libc::SECCOMP_RET_ERRNO | errno.unsigned_abs();
    let mut steps = vec![
        // The call's number is the first field.
        step(load, 0, 0, 0),
        step(at_least, FIRST_UNKNOWN, 1, 0),
        step(equals, number(libc::SYS_clone3), 0, 1),
        step(answer, errno(libc::ENOSYS), 0, 0),
    ];
    if processes != Processes::None {
        steps.extend([
            step(equals, number(libc::SYS_fallocate), 0, 1),
            step(answer, errno(libc::EOPNOTSUPP), 0, 0),
        ]);
    }
    steps
}
