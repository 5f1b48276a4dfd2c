//! The calls of an engine that runs: everything else is refused.

use super::rules::{Check, Rules, any_of, own_pid, word};

/// The calls that no argument makes dangerous: they reach memory, clocks, this process's own
/// threads, and handles that are open already. None opens, names or starts anything.
const PLAIN: &[i64] = &[
    // memory
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_munmap,
    libc::SYS_membarrier,
    // images of linear memories
    libc::SYS_memfd_create,
    libc::SYS_ftruncate,
    // open handles
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_recvfrom,
    libc::SYS_write,
    libc::SYS_writev,
    // waiting
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_futex,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_sched_yield,
    // clocks
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_getrusage,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    // signals to itself: traps of guests are signals
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // threads and the end
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_getcpu,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_gettid,
    libc::SYS_rseq,
    libc::SYS_sched_getaffinity,
    libc::SYS_set_robust_list,
];

/// Forerunners of some of these calls, which only x86-64 has.
#[cfg(target_arch = "x86_64")]
const OLD: &[i64] = &[libc::SYS_epoll_wait, libc::SYS_poll, libc::SYS_time];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[i64] = &[];

/// `PAGEMAP_SCAN`: `_IOWR('f', 16, struct pm_scan_arg)`, whose argument has 96 bytes.
const PAGEMAP_SCAN: u64 = 0xc060_6610;

/// Returns the rules of the calls that are allowed.
pub(super) fn allowed() -> Result<Rules, String> {
    let plain = PLAIN.iter().chain(OLD).map(|&call| (call, Vec::new()));
    let mut rules: Rules = plain.collect();
    let thread = Check::Has((libc::CLONE_THREAD | libc::CLONE_VM) as u64);
    let handles = [
        libc::F_DUPFD_CLOEXEC,
        libc::F_GETFD,
        libc::F_SETFD,
        libc::F_GETFL,
        libc::F_SETFL,
        libc::F_ADD_SEALS,
        libc::F_GET_SEALS,
    ];
    let names = [libc::PR_SET_NAME, libc::PR_SET_VMA];
    let seqpacket_or_stream = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
    rules.extend([
        (libc::SYS_clone, any_of(0, &[thread])?),
        // Not F_SETOWN and its kind: they send signals to others.
        (libc::SYS_fcntl, any_of(1, &handles.map(is))?),
        (libc::SYS_prctl, any_of(0, &names.map(is))?),
        // Reading its own limits, not setting anyone's.
        (libc::SYS_prlimit64, any_of(2, &[Check::Null])?),
        // Lists the pages that this process has written, by a handle that was opened before.
        (libc::SYS_ioctl, any_of(1, &[Check::Is(PAGEMAP_SCAN)])?),
        // A pair talks to itself only, unless a datagram names another address.
        (libc::SYS_sendto, any_of(4, &[Check::Null])?),
        (
            libc::SYS_socketpair,
            any_of(1, &seqpacket_or_stream.map(kind))?,
        ),
        (libc::SYS_tgkill, any_of(0, &[Check::Is(own_pid())])?),
    ]);
    Ok(rules)
}

fn is(constant: i32) -> Check {
    Check::Is(word(constant))
}

/// Returns the check for a kind of socket, whatever flags come with it.
fn kind(socket: i32) -> Check {
    Check::LowBits(0xf, word(socket))
}
