//! The role of a child that tries to do what its fence should or should not allow, and reports what
//! succeeded.

use crate::frames::Frames;
use crate::job::Role;
use crate::linux::privileges::kill_with_parent;
use serde::{Deserialize, Serialize};
use std::ffi::CString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The role of the probe. Its payload is a list of [`EscapeAttempt`]s in postcard; it sends one
/// [`EscapeOutcome`] for each, before it tries the next.
pub const PROBE: Role = Role {
    before_fence: Role::nothing,
    name: "probe",
    run: probe,
};

/// An action that a fence should refuse, or should allow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EscapeAttempt {
    /// Read a whole file.
    Read(PathBuf),
    /// List a folder.
    List(PathBuf),
    /// Make or change a file.
    Write(PathBuf),
    /// Cut a file by its path, which opens nothing.
    Truncate(PathBuf),
    /// Change a file's mode by its path.
    ChangeMode(PathBuf),
    /// Make a symbolic link.
    Link {
        /// The target of the link.
        target: PathBuf,
        /// The path of the link.
        link: PathBuf,
    },
    /// Open a socket of this family and kind.
    Socket {
        /// The address family: `AF_INET`.
        family: i32,
        /// The socket type: `SOCK_STREAM`.
        kind: i32,
    },
    /// Open a pair of connected local sockets of this kind.
    SocketPair {
        /// The socket type: `SOCK_STREAM`.
        kind: i32,
    },
    /// Start this many processes that sleep, one after the other, and leave them running.
    Fork(usize),
    /// Start a program, wait for it, and return its exit status.
    Execute {
        /// The program.
        program: PathBuf,
        /// Arguments of the program.
        arguments: Vec<String>,
    },
    /// Start a thread and wait for it.
    Thread,
    /// Send a signal to a process; signal 0 only tests for the permission.
    Signal {
        /// The process.
        pid: i32,
        /// The signal.
        signal: i32,
    },
    /// Trace a process.
    Trace(i32),
    /// Change the CPU limit of a process.
    LimitOther(i32),
    /// Make a new user namespace.
    Namespace,
    /// Leave the session, and with it the process group.
    LeaveSession,
    /// Make a system call by its number, with six zeros.
    Call(i64),
    /// Make a system call by its number, with these arguments, none of which may lead to memory of this process that it
    /// needs.
    CallWith(i64, [u64; 6]),
    /// Start a process whose first thread ends, while another one keeps this many bytes of memory.
    LeaderGone(u64),
    /// Start this many threads that sleep, and leave them running.
    Threads(usize),
    /// List the environment, one `NAME=value` per line.
    Environment,
    /// List the open descriptors, one number per line.
    Descriptors,
    /// List working directory, user, capabilities, core file limit and cores.
    ProcessState,
    /// Write to stdout, which must not become a frame.
    Print(String),
    /// Write this many bytes to stderr.
    Flood(u64),
    /// Allocate and touch this many bytes of memory, and keep them.
    Allocate(u64),
    /// Use the CPU forever.
    Spin,
    /// Sleep this many milliseconds.
    Sleep(u64),
    /// Send a frame of this many bytes.
    Frame(usize),
    /// Abort.
    Abort,
    /// Panic.
    Panic,
}

/// The result of an attempt: what it found, or the system's error number and message.
pub type EscapeOutcome = Result<String, (i32, String)>;

fn probe(payload: &[u8], frames: &mut Frames) -> Result<(), String> {
    let attempts: Vec<EscapeAttempt> =
        postcard::from_bytes(payload).map_err(|error| format!("no attempts: {error}"))?;
    let mut kept = Vec::new();
    for attempt in attempts {
        let outcome: EscapeOutcome = match attempt {
            EscapeAttempt::Frame(bytes) => Ok("x".repeat(bytes)),
            other => attempt_one(other, &mut kept)
                .map_err(|error| (error.raw_os_error().unwrap_or(0), error.to_string())),
        };
        let frame = postcard::to_stdvec(&outcome).map_err(|error| error.to_string())?;
        frames.send(&frame).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn attempt_one(attempt: EscapeAttempt, kept: &mut Vec<Vec<u8>>) -> io::Result<String> {
    let done = |()| String::new();
    match attempt {
        EscapeAttempt::Read(path) => {
            std::fs::read(path).map(|it| String::from_utf8_lossy(&it).into())
        }
        EscapeAttempt::List(path) => Ok(names(&path)?.join("\n")),
        EscapeAttempt::Write(path) => std::fs::write(path, "written").map(done),
        EscapeAttempt::Link { target, link } => std::os::unix::fs::symlink(target, link).map(done),
        EscapeAttempt::Execute { program, arguments } => {
            let mut command = std::process::Command::new(program);
            let command = command.args(arguments).env_clear();
            kill_with_parent(command).status().map(|it| it.to_string())
        }
        EscapeAttempt::Thread => {
            let thread = std::thread::Builder::new().spawn(|| {})?;
            thread.join().map_err(|_| io::Error::other("panicked"))?;
            Ok(String::new())
        }
        EscapeAttempt::Threads(count) => {
            for _ in 0..count {
                let sleeper = std::thread::Builder::new().stack_size(STACK_BYTES);
                sleeper.spawn(|| std::thread::sleep(Duration::from_secs(SLEEP_S.into())))?;
            }
            Ok(String::new())
        }
        EscapeAttempt::Environment => Ok(std::env::vars_os()
            .map(|(name, value)| format!("{}={}\n", name.display(), value.display()))
            .collect()),
        EscapeAttempt::Descriptors => Ok(descriptors()),
        EscapeAttempt::ProcessState => Ok(process_state()),
        EscapeAttempt::Print(text) => io::stdout().write_all(text.as_bytes()).map(done),
        EscapeAttempt::Flood(bytes) => flood(bytes).map(done),
        EscapeAttempt::Allocate(bytes) => {
            kept.push(vec![1; usize::try_from(bytes).unwrap_or(usize::MAX)]);
            Ok(String::new())
        }
        EscapeAttempt::Spin => loop {
            std::hint::spin_loop();
        },
        EscapeAttempt::Sleep(ms) => {
            std::thread::sleep(Duration::from_millis(ms));
            Ok(String::new())
        }
        EscapeAttempt::Abort => std::process::abort(),
        EscapeAttempt::Panic => panic!("on request"),
        system_call => raw(&system_call).map(|answer| answer.to_string()),
    }
}

/// `PTRACE_ATTACH` in the width that the kernel reads; C libraries give it several types.
const ATTACH: libc::c_ulong = 16;

/// Zero as a number or pointer of a system call, in the width that the kernel reads.
const NONE: libc::c_ulong = 0;

/// Makes the attempts that are one system call, without the wrapping of std.
fn raw(attempt: &EscapeAttempt) -> io::Result<i64> {
    // SAFETY: each call gets the numbers, strings and structures that its manual asks for, and they
    // live through the call; one that is named by its number gets zeros, and so no pointer, or what a test asks for.
    // Forked children only sleep, and end.
    let answer = unsafe {
        match attempt {
            EscapeAttempt::Truncate(path) => libc::truncate(text(path)?.as_ptr(), 0).into(),
            EscapeAttempt::ChangeMode(path) => libc::chmod(text(path)?.as_ptr(), 0o777).into(),
            EscapeAttempt::Socket { family, kind } => libc::socket(*family, *kind, 0).into(),
            EscapeAttempt::SocketPair { kind } => {
                let mut pair = [0; 2];
                libc::socketpair(libc::AF_UNIX, *kind, 0, pair.as_mut_ptr()).into()
            }
            EscapeAttempt::Fork(count) => (0..*count).map(|_| fork_sleeper()).min().unwrap_or(0),
            EscapeAttempt::Signal { pid, signal } => libc::kill(*pid, *signal).into(),
            EscapeAttempt::Trace(pid) => {
                libc::syscall(libc::SYS_ptrace, ATTACH, i64::from(*pid), NONE, NONE)
            }
            EscapeAttempt::LimitOther(pid) => {
                let limit = libc::rlimit {
                    rlim_cur: 1,
                    rlim_max: 1,
                };
                libc::prlimit(
                    *pid,
                    libc::RLIMIT_CPU,
                    &raw const limit,
                    std::ptr::null_mut(),
                )
                .into()
            }
            EscapeAttempt::Namespace => libc::unshare(libc::CLONE_NEWUSER).into(),
            EscapeAttempt::LeaveSession => libc::setsid().into(),
            EscapeAttempt::Call(number) => {
                libc::syscall(*number, NONE, NONE, NONE, NONE, NONE, NONE)
            }
            EscapeAttempt::CallWith(number, [a, b, c, d, e, f]) => {
                libc::syscall(*number, *a, *b, *c, *d, *e, *f)
            }
            EscapeAttempt::LeaderGone(bytes) => fork_leaderless(*bytes),
            _ => return Err(io::ErrorKind::Unsupported.into()),
        }
    };
    match answer {
        -1 => Err(io::Error::last_os_error()),
        other => Ok(other),
    }
}

/// Longest life of a sleeping process that nothing ends earlier, in seconds.
const SLEEP_S: u32 = 60;

/// Forks a process that sleeps. Returns its id, or -1; the new process itself never returns.
///
/// # Safety
/// The same as for fork: the caller may not rely on anything in the new process.
unsafe fn fork_sleeper() -> i64 {
    // SAFETY: the child calls nothing but sleep and _exit, which are allowed after fork in any state.
    unsafe {
        match libc::fork() {
            // It ends by itself: whoever would end it may have been killed first.
            0 => {
                libc::sleep(SLEEP_S);
                libc::_exit(0)
            }
            answer => answer.into(),
        }
    }
}

/// Stack of a thread that sleeps.
const STACK_BYTES: usize = 64 << 10;

/// Forks a process whose first thread ends at once, while another one keeps memory. Returns its id, or -1; the new
/// process itself never returns.
///
/// # Safety
/// The same as for fork: this process has no other thread.
unsafe fn fork_leaderless(bytes: u64) -> i64 {
    // SAFETY: this process has one thread, so the new one may do anything. The call that ends a thread touches no
    // memory, and the other thread needs nothing of the first one's stack.
    unsafe {
        match libc::fork() {
            0 => {
                let keep = move || {
                    let kept = vec![1_u8; usize::try_from(bytes).unwrap_or(usize::MAX)];
                    std::thread::sleep(Duration::from_secs(SLEEP_S.into()));
                    drop(kept);
                    libc::_exit(0)
                };
                match std::thread::Builder::new().spawn(keep) {
                    Ok(_) => libc::syscall(libc::SYS_exit, 0),
                    Err(_) => libc::_exit(1),
                }
            }
            answer => answer.into(),
        }
    }
}

fn text(path: &Path) -> io::Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().display().to_string()))
        .collect()
}

/// Lists the open descriptors. Tries each number, because there is no /proc behind a fence.
fn descriptors() -> String {
    (0..1024)
        // SAFETY: the call only asks for a flag of a number that need not be open.
        .filter(|&fd| unsafe { libc::fcntl(fd, libc::F_GETFD) } != -1)
        .map(|fd| format!("{fd}\n"))
        .collect()
}

fn process_state() -> String {
    let folder = std::env::current_dir().map(|it| it.display().to_string());
    let held = rustix::thread::capabilities(None).map(|held| held.permitted.bits());
    let core = rustix::process::getrlimit(rustix::process::Resource::Core).maximum;
    let cores = rustix::thread::sched_getaffinity(None).map(|cores| cores.count());
    format!(
        "folder {folder:?}\nuser {}\ncapabilities {held:?}\ncore {core:?}\ncores {cores:?}\n",
        rustix::process::getuid().as_raw()
    )
}

fn flood(bytes: u64) -> io::Result<()> {
    let chunk = [b'.'; 4096];
    let mut left = usize::try_from(bytes).unwrap_or(usize::MAX);
    while left > 0 {
        let length = left.min(chunk.len());
        io::stderr().write_all(&chunk[..length])?;
        left -= length;
    }
    Ok(())
}
