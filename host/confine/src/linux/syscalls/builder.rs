//! The calls of a builder: those of a list, some of them with certain arguments only. Everything else is refused.

use super::builder_calls::{OLD, PLAIN};
use super::rules::{Check, Rules, Signals, all_of, any_of, own_pid, word};
use seccompiler::SeccompRule;

/// Flags that no process or thread may be started with: new namespaces, and a parent that is not its own, since the
/// processes that a builder started are found by their parents.
const NO_CLONE: i32 = libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWUTS
    | libc::CLONE_PARENT;

/// The requests to an open file that neither send signals to others (`F_SETOWN` and its kind), nor watch or hold up the
/// use that others make of it (`F_NOTIFY`, `F_SETLEASE`), nor make a pipe larger (`F_SETPIPE_SZ`).
const FILE_REQUESTS: [i32; 17] = [
    libc::F_DUPFD,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_GETOWN,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
    1027, // F_DUPFD_QUERY
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETPIPE_SZ,
    libc::F_ADD_SEALS,
    libc::F_GET_SEALS,
];

/// The requests to the object behind a handle: the state of a terminal, the bytes that wait, whether to wait, whether
/// to stay open in another program, and copies of files that are open for writing. None types into a terminal, sends
/// signals, or changes the attributes of a file, of which Landlock knows nothing.
const HANDLE_REQUESTS: [u64; 10] = [
    0x5401,      // TCGETS
    0x802c_542a, // TCGETS2
    0x540f,      // TIOCGPGRP
    0x5413,      // TIOCGWINSZ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x4004_9409, // FICLONE
    0x4020_940d, // FICLONERANGE
];

/// Requests of prctl that would hide memory from the parent, or take part in the filter.
const NO_PRCTLS: [i32; 2] = [libc::PR_SET_DUMPABLE, libc::PR_SET_SECCOMP];

/// Flag of close_range: a thread gets open files of its own.
const CLOSE_RANGE_UNSHARE: u64 = 2;

/// Calls that send a signal, and the place of its number among the arguments.
pub(super) const SIGNALLING: [(i64, u8); 6] = [
    (libc::SYS_kill, 1),
    (libc::SYS_pidfd_send_signal, 1),
    (libc::SYS_rt_sigqueueinfo, 1),
    (libc::SYS_rt_tgsigqueueinfo, 2),
    (libc::SYS_tgkill, 2),
    (libc::SYS_tkill, 1),
];

/// The signals that stop a process. A builder that is stopped does not end when it is told to, and the processes that
/// it started go on unwatched.
pub(super) const STOPS: [i32; 4] = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];

/// Returns the rules of the calls that are allowed.
pub(super) fn allowed(signals: Signals) -> Result<Rules, String> {
    let plain = PLAIN.iter().chain(OLD).map(|&call| (call, Vec::new()));
    let mut rules: Rules = plain.collect();
    let socket = |kind| [(0, is(libc::AF_UNIX)), (1, Check::LowBits(0xf, word(kind)))];
    rules.extend([
        (libc::SYS_clone, clone()?),
        (
            libc::SYS_close_range,
            any_of(2, &[Check::Of(CLOSE_RANGE_UNSHARE, 0)])?,
        ),
        (libc::SYS_fcntl, any_of(1, &FILE_REQUESTS.map(is))?),
        (libc::SYS_ioctl, any_of(1, &HANDLE_REQUESTS.map(Check::Is))?),
        (libc::SYS_mmap, mmap()?),
        // What a process has open is looked at from outside, which another state would hide.
        (
            libc::SYS_prctl,
            all_of(&NO_PRCTLS.map(|what| (0, Check::IsNot(word(what)))))?,
        ),
        // Not the limits of other processes: a CPU limit kills.
        (libc::SYS_prlimit64, any_of(0, &[Check::Is(0)])?),
        // A pair talks to itself only, unless a datagram names another address.
        (libc::SYS_sendto, any_of(4, &[Check::Null])?),
        // rustc starts its linker by one.
        (
            libc::SYS_socketpair,
            [
                all_of(&socket(libc::SOCK_STREAM))?,
                all_of(&socket(libc::SOCK_SEQPACKET))?,
            ]
            .concat(),
        ),
    ]);
    rules.extend(signalling(signals)?);
    Ok(rules)
}

/// Returns the rules of the calls that send signals, none of which stops a process.
fn signalling(signals: Signals) -> Result<Rules, String> {
    let mut rules = Rules::new();
    for (call, place) in SIGNALLING {
        let mut checks: Vec<(u8, Check)> = Vec::new();
        match (signals, call) {
            (Signals::ScopedByLandlock, _) => {}
            // 0 is the own group, which ends with the builder.
            (Signals::OnlyOwn, libc::SYS_kill) => checks.push((0, Check::Is(0))),
            (Signals::OnlyOwn, libc::SYS_tgkill) => checks.push((0, Check::Is(own_pid()))),
            (Signals::OnlyOwn, _) => continue,
        }
        checks.extend(STOPS.map(|signal| (place, Check::IsNot(word(signal)))));
        rules.insert(call, all_of(&checks)?);
    }
    Ok(rules)
}

/// Returns the rules of clone: a process, or a thread that has the same files open as the others of its process, since
/// open files are looked at once for all of them.
fn clone() -> Result<Vec<SeccompRule>, String> {
    let refused = word(NO_CLONE);
    let (thread, files) = (word(libc::CLONE_THREAD), word(libc::CLONE_FILES));
    let ways = [
        Check::Of(refused | thread, 0),
        Check::Of(refused | thread | files, thread | files),
    ];
    any_of(0, &ways)
}

/// Returns the rules of mmap: shared memory has a file, which is counted where it is open or has a name; other shared
/// memory would go on while a page of it is mapped, and be counted as that page.
fn mmap() -> Result<Vec<SeccompRule>, String> {
    let (shared, nameless) = (word(libc::MAP_SHARED), word(libc::MAP_ANONYMOUS));
    let kinds = [0, shared, nameless];
    any_of(3, &kinds.map(|kind| Check::Of(shared | nameless, kind)))
}

fn is(constant: i32) -> Check {
    Check::Is(word(constant))
}
