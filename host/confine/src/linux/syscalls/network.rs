//! The network of a program of the user's behind a fence: a filter of the calls by which sockets are made, of those that
//! set limits, cores or priorities of other processes, which would kill them or spoil their times, and of those that make
//! memory and queues which outlive their processes.
//!
//! All other calls stay as they are. Pairs of sockets (socketpair) reach nobody outside, and are left.

use super::FIRST_UNKNOWN;
use crate::network::Network;
use seccompiler::sock_filter;

impl Network {
    /// Returns the letter that stands for it between processes.
    pub(crate) fn letter(self) -> char {
        match self {
            Self::Closed => 'c',
            Self::Open => 'o',
        }
    }

    /// Returns the network of a letter: none without one.
    pub(crate) fn of_letter(text: Option<&str>) -> Option<Self> {
        match text {
            None | Some("c") => Some(Self::Closed),
            Some("o") => Some(Self::Open),
            Some(_) => None,
        }
    }
}

/// Calls that act on a process, and the arguments with which that is the one that calls.
const ON_PROCESSES: [(libc::c_long, &[(u32, u32)]); 7] = [
    (libc::SYS_prlimit64, &[(0, 0)]),
    (libc::SYS_sched_setaffinity, &[(0, 0)]),
    (libc::SYS_sched_setattr, &[(0, 0)]),
    (libc::SYS_sched_setparam, &[(0, 0)]),
    (libc::SYS_sched_setscheduler, &[(0, 0)]),
    (libc::SYS_setpriority, &[(0, PRIO_PROCESS), (1, 0)]),
    (libc::SYS_ioprio_set, &[(0, IOPRIO_WHO_PROCESS), (1, 0)]),
];

/// The kinds of `setpriority` and `ioprio_set` that are about one process.
const PRIO_PROCESS: u32 = 0;
const IOPRIO_WHO_PROCESS: u32 = 1;

/// Calls that make what lasts longer than all processes that use it.
const LASTING: [libc::c_long; 4] = [
    libc::SYS_mq_open,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_shmget,
];

/// Returns the filter. Limits, cores and priorities are set of the process that calls (0) alone. Calls of another architecture or ABI, and
/// io_uring, which makes sockets without calls, are absent.
///
/// # Errors
/// There is no filter for this machine.
pub(crate) fn of_network(network: Network) -> Result<Vec<sock_filter>, String> {
    let arch = match std::env::consts::ARCH {
        "x86_64" => 0xC000_003E,
        "aarch64" => 0xC000_00B7,
        other => return Err(format!("seccomp: no filter for {other}")),
    };
    let load = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    let equals = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    let at_least = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    let answer = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, k, jt, jf| sock_filter { code, jt, jf, k };
    let number = |call: libc::c_long| u32::try_from(call).unwrap_or(FIRST_UNKNOWN);
    let errno = |errno: i32| step(answer, libc::SECCOMP_RET_ERRNO | errno.unsigned_abs(), 0, 0);
    let allow = || step(answer, libc::SECCOMP_RET_ALLOW, 0, 0);
    let mut steps = vec![
        step(load, 4, 0, 0),
        step(equals, arch, 1, 0),
        errno(libc::ENOSYS),
        step(load, 0, 0, 0),
        step(equals, number(libc::SYS_io_uring_setup), 1, 0),
        step(at_least, X32, 0, 1),
        errno(libc::ENOSYS),
    ];
    for call in LASTING {
        steps.push(step(equals, number(call), 0, 1));
        steps.push(errno(libc::ENOSYS));
    }
    for (call, own) in ON_PROCESSES {
        // Each argument takes two steps, and behind them are two answers.
        let after = |checked: usize| 2 * (own.len() - checked) as u8;
        steps.push(step(equals, number(call), 0, after(0) + 2));
        for (place, (argument, value)) in own.iter().enumerate() {
            // The kernel reads 32 bits of it.
            steps.push(step(load, 16 + 8 * argument, 0, 0));
            steps.push(step(equals, *value, 0, after(place + 1) + 1));
        }
        steps.push(allow());
        steps.push(errno(libc::EPERM));
    }
    steps.push(step(equals, number(libc::SYS_socket), 1, 0));
    steps.push(allow());
    if network == Network::Open {
        // The family is the first argument.
        steps.push(step(load, 16, 0, 0));
        for family in [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK] {
            steps.push(step(equals, family.unsigned_abs(), 0, 1));
            steps.push(allow());
        }
    }
    steps.push(errno(libc::EACCES));
    Ok(steps)
}

/// The first number of the calls of the x32 ABI.
const X32: u32 = 0x4000_0000;
