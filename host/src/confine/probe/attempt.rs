//! The prisoner: a role that tries what it is told to, and says what came of it.

use crate::confine::{Frames, Role, dies_with_parent};
use serde::{Deserialize, Serialize};
use std::ffi::CString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The role of the probe. Its payload is a list of [`Attempt`]s in postcard; it sends one
/// [`Outcome`] for each, before it tries the next.
pub const PROBE: Role = Role {
    name: "probe",
    run: probe,
};

/// Something that a fence should stop, or should not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Attempt {
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
        /// Where it points.
        target: PathBuf,
        /// What is made.
        link: PathBuf,
    },
    /// Open a socket of this family and kind.
    Socket {
        /// `AF_INET` and its like.
        family: i32,
        /// `SOCK_STREAM` and its like.
        kind: i32,
    },
    /// Open a pair of connected local sockets of this kind.
    SocketPair {
        /// `SOCK_STREAM` and its like.
        kind: i32,
    },
    /// Start so many processes that sleep, one after the other, and leave them.
    Fork(usize),
    /// Start a program and wait for it; the status is what it exits with.
    Execute {
        /// The program.
        program: PathBuf,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// Start a thread and wait for it.
    Thread,
    /// Send a signal to a process; signal 0 only asks whether one could.
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
    /// A raw system call with six zeros, for numbers that have no name.
    Call(i64),
    /// The environment, one `NAME=value` in each line.
    Environment,
    /// The open descriptors, one number in each line.
    Descriptors,
    /// The standing: working directory, user, capabilities, core limit, cores.
    Standing,
    /// Write to stdout, which must not become a frame.
    Print(String),
    /// Write so many bytes to stderr.
    Flood(u64),
    /// Touch so much memory, in bytes, and keep it.
    Allocate(u64),
    /// Use the CPU for ever.
    Spin,
    /// Wait for so many milliseconds.
    Sleep(u64),
    /// A frame of so many bytes.
    Frame(usize),
    /// Abort.
    Abort,
    /// Panic.
    Panic,
}

/// What came of an attempt: what it found, or the reason it failed, with the number that the
/// system gave for it.
pub type Outcome = Result<String, (i32, String)>;

fn probe(payload: &[u8], frames: &mut Frames) -> Result<(), String> {
    let attempts: Vec<Attempt> =
        postcard::from_bytes(payload).map_err(|error| format!("no attempts: {error}"))?;
    let mut kept = Vec::new();
    for attempt in attempts {
        let outcome: Outcome = match attempt {
            Attempt::Frame(bytes) => Ok("x".repeat(bytes)),
            other => act(other, &mut kept)
                .map_err(|error| (error.raw_os_error().unwrap_or(0), error.to_string())),
        };
        let frame = postcard::to_stdvec(&outcome).map_err(|error| error.to_string())?;
        frames.send(&frame).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn act(attempt: Attempt, kept: &mut Vec<Vec<u8>>) -> io::Result<String> {
    let done = |()| String::new();
    match attempt {
        Attempt::Read(path) => std::fs::read(path).map(|it| String::from_utf8_lossy(&it).into()),
        Attempt::List(path) => Ok(names(&path)?.join("\n")),
        Attempt::Write(path) => std::fs::write(path, "written").map(done),
        Attempt::Link { target, link } => std::os::unix::fs::symlink(target, link).map(done),
        Attempt::Execute { program, arguments } => {
            let mut command = std::process::Command::new(program);
            let command = command.args(arguments).env_clear();
            dies_with_parent(command).status().map(|it| it.to_string())
        }
        Attempt::Thread => {
            let thread = std::thread::Builder::new().spawn(|| {})?;
            thread.join().map_err(|_| io::Error::other("panicked"))?;
            Ok(String::new())
        }
        Attempt::Environment => Ok(std::env::vars_os()
            .map(|(name, value)| format!("{}={}\n", name.display(), value.display()))
            .collect()),
        Attempt::Descriptors => Ok(descriptors()),
        Attempt::Standing => Ok(standing()),
        Attempt::Print(text) => io::stdout().write_all(text.as_bytes()).map(done),
        Attempt::Flood(bytes) => flood(bytes).map(done),
        Attempt::Allocate(bytes) => {
            kept.push(vec![1; usize::try_from(bytes).unwrap_or(usize::MAX)]);
            Ok(String::new())
        }
        Attempt::Spin => loop {
            std::hint::spin_loop();
        },
        Attempt::Sleep(ms) => {
            std::thread::sleep(Duration::from_millis(ms));
            Ok(String::new())
        }
        Attempt::Abort => std::process::abort(),
        Attempt::Panic => panic!("told to"),
        system_call => raw(&system_call).map(|answer| answer.to_string()),
    }
}

/// The attempts that are one system call, which std would not make or would dress up.
fn raw(attempt: &Attempt) -> io::Result<i64> {
    // SAFETY: each call gets what its manual asks for: numbers, strings and structures that live
    // through it. Forked children only sleep until they are killed, and touch no memory of std's.
    let answer = unsafe {
        match attempt {
            Attempt::Truncate(path) => libc::truncate(text(path)?.as_ptr(), 0).into(),
            Attempt::ChangeMode(path) => libc::chmod(text(path)?.as_ptr(), 0o777).into(),
            Attempt::Socket { family, kind } => libc::socket(*family, *kind, 0).into(),
            Attempt::SocketPair { kind } => {
                let mut pair = [0; 2];
                libc::socketpair(libc::AF_UNIX, *kind, 0, pair.as_mut_ptr()).into()
            }
            Attempt::Fork(count) => (0..*count).map(|_| fork_sleeper()).min().unwrap_or(0),
            Attempt::Signal { pid, signal } => libc::kill(*pid, *signal).into(),
            Attempt::Trace(pid) => libc::syscall(libc::SYS_ptrace, libc::PTRACE_ATTACH, *pid, 0, 0),
            Attempt::LimitOther(pid) => {
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
            Attempt::Namespace => libc::unshare(libc::CLONE_NEWUSER).into(),
            Attempt::LeaveSession => libc::setsid().into(),
            Attempt::Call(number) => libc::syscall(*number, 0, 0, 0, 0, 0, 0),
            _ => return Err(io::ErrorKind::Unsupported.into()),
        }
    };
    match answer {
        -1 => Err(io::Error::last_os_error()),
        other => Ok(other),
    }
}

/// The new process's id, or -1; the new process itself never returns.
///
/// # Safety
/// As fork: the caller may not rely on anything in the new process.
unsafe fn fork_sleeper() -> i64 {
    // SAFETY: the child calls nothing but pause, which is allowed after fork in any state.
    unsafe {
        match libc::fork() {
            0 => loop {
                libc::pause();
            },
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

/// Found by asking each: there is no /proc behind a fence.
fn descriptors() -> String {
    (0..1024)
        // SAFETY: the call only asks for a flag of a number that need not be open.
        .filter(|&fd| unsafe { libc::fcntl(fd, libc::F_GETFD) } != -1)
        .map(|fd| format!("{fd}\n"))
        .collect()
}

fn standing() -> String {
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
