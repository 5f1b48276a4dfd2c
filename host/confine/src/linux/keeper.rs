//! A keeper: a process between bakeoff and a program of the user's, which ends with all that the program started.
//!
//! The kernel ends a child with its parent, but not what that child started, and a program may take what it starts out
//! of its process group and session. A keeper is the same binary once more. It adopts whatever loses its parent below
//! it, so that all of it can be found, and is told when bakeoff has ended, however that was.

use super::landlock_rules::restrict_self;
use super::privileges::{self, close_other_files, kill_with_parent};
use super::syscalls;
use super::{live_process, supervise, watchdog};
use crate::network::Network;
use rustix::process::{Pid, PidfdFlags, Signal};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// The first argument of a keeper. The second is the number of the process that must be its parent, and perhaps, after a
/// colon each, that of the descriptor of the file for its [report](REPORT_BYTES), that of the rules of a fence, and the
/// [letter](Network::letter) of the network behind it; the rest is the program with its arguments.
const MARKER: &str = "--bakeoff-keeper";

/// The size of the report of a keeper: wall time and CPU time in nanoseconds, and memory in bytes, each a `u64` in little
/// endian.
pub(super) const REPORT_BYTES: usize = 24;

/// The exit status of a keeper whose program cannot be started, as a shell has it.
const NOT_STARTED: u8 = 127;

/// The longest time in which a keeper tries to end what is left. A killed process ends at once, unless the kernel is
/// stuck or the process belongs to another user by now.
const ENDING_MAX: Duration = Duration::from_secs(10);

/// The pause between two looks at what is left.
const ENDING_PAUSE: Duration = Duration::from_millis(2);

/// The longest wait for a keeper that is dropped.
const DROP_WAIT_MAX: Duration = Duration::from_secs(2);

/// The signals that a keeper waits for: its child's end, and those that tell it to end.
const AWAITED: [libc::c_int; 5] = [
    libc::SIGCHLD,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGQUIT,
];

/// Returns a command that runs a program under a keeper. Everything that is added to it (arguments, variables, a
/// folder, streams) is the program's. The program ends with the thread that starts it, and everything that it started
/// ends with the program.
///
/// # Errors
/// This system has no keepers; on Linux there is no error.
pub fn kept(program: &Path) -> io::Result<Command> {
    Ok(command(program, None))
}

/// Returns the command of a keeper whose program is behind the rules of a fence, which its child enters and it does not.
/// It writes a report to the descriptor of this number, if there is one.
///
/// # Errors
/// There are too many open files.
pub(super) fn command_in(
    rules: OwnedFd,
    network: Network,
    program: &Path,
    report: Option<RawFd>,
) -> io::Result<Command> {
    rustix::io::fcntl_setfd(&rules, rustix::io::FdFlags::empty())?;
    supervise::restore_sigchld();
    let report = report.map_or_else(String::new, |report| report.to_string());
    let numbers = format!(
        "{}:{report}:{}:{}",
        std::process::id(),
        rules.as_raw_fd(),
        network.letter()
    );
    let mut command = Command::new("/proc/self/exe");
    command.arg(MARKER).arg(numbers).arg(program);
    let held = move || {
        let _ = rules.as_raw_fd();
        Ok(())
    };
    // SAFETY: between fork and exec nothing is called but this, which does nothing: it keeps the rules open as long as
    // the command lives.
    unsafe { command.pre_exec(held) };
    Ok(command)
}

/// Returns the command of a keeper, which writes a report to the descriptor of this number, if there is one.
pub(super) fn command(program: &Path, report: Option<RawFd>) -> Command {
    supervise::restore_sigchld();
    let mut parent = std::process::id().to_string();
    if let Some(report) = report {
        parent.push_str(&format!(":{report}"));
    }
    let mut command = Command::new("/proc/self/exe");
    command.arg(MARKER).arg(parent).arg(program);
    command
}

/// A keeper that was started. Dropping it ends the program with all that it started, and waits until they are gone.
#[derive(Debug)]
pub struct Keeper {
    process: OwnedFd,
}

impl Keeper {
    /// Returns the keeper with this process id, which its parent has not waited for yet.
    ///
    /// # Errors
    /// There is no such process, or no descriptor left.
    pub fn of(process: u32) -> io::Result<Self> {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        let process = process.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Self {
            process: rustix::process::pidfd_open(process, PidfdFlags::empty())?,
        })
    }

    /// Returns the keeper that this child is. One that cannot be had is ended: it has done nothing yet that would be left.
    ///
    /// # Errors
    /// There is no descriptor left.
    pub fn of_child(child: &mut Child) -> io::Result<Self> {
        Self::of(child.id()).inspect_err(|_| {
            let _ = child.kill();
            let _ = child.wait();
        })
    }

    /// Waits for the end of the keeper, and with it of the program and all that it started, but not longer than `most`.
    /// Returns true if it has ended.
    ///
    /// # Errors
    /// The system cannot say.
    pub fn has_ended_within(&self, most: Duration) -> io::Result<bool> {
        let mut ended = libc::pollfd {
            fd: self.process.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let most = libc::c_int::try_from(most.as_millis()).unwrap_or(libc::c_int::MAX);
        // SAFETY: the structure is valid during the call.
        match unsafe { libc::poll(&raw mut ended, 1, most) } {
            -1 => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => Ok(false),
                error => Err(error),
            },
            ready => Ok(ready > 0),
        }
    }

    /// Ends the program with all that it started; the keeper itself ends after them.
    pub fn end(&self) {
        // Fails only if it has ended.
        let _ = rustix::process::pidfd_send_signal(&self.process, Signal::TERM);
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.end();
        // A failure is only an early return.
        let _ = self.has_ended_within(DROP_WAIT_MAX);
    }
}

/// Runs this process as a keeper, if it was started as one, and returns its exit status. A keeper whose program was
/// ended by a signal ends by the same. In any other process it returns `None` at once.
pub fn enter_if_keeper() -> Option<u8> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != MARKER {
        return None;
    }
    Some(keep(arguments).map_or_else(
        |reason| {
            eprintln!("{reason}");
            NOT_STARTED
        },
        end_as,
    ))
}

/// Runs the program until it ends or this process is told to end, and ends all that is left of it.
fn keep(mut arguments: impl Iterator<Item = OsString>) -> Result<ExitStatus, String> {
    let failed = |what: &'static str| move |error: io::Error| format!("{what}: {error}");
    let first = arguments.next().and_then(|first| numbers(first.to_str()?));
    let (Some(numbers), Some(program)) = (first, arguments.next()) else {
        return Err("a keeper is started by bakeoff only".to_owned());
    };
    let (parent, report) = (numbers.parent, numbers.report);
    let inherited: Vec<RawFd> = report.into_iter().chain(numbers.rules).collect();
    close_other_files(&inherited).map_err(failed("cannot close inherited files"))?;
    // SAFETY: it is the only owner of the descriptor, which bakeoff opened for it.
    let report = report.map(|report| unsafe { OwnedFd::from_raw_fd(report) });
    if let Some(report) = &report {
        let set = rustix::io::fcntl_setfd(report, rustix::io::FdFlags::CLOEXEC);
        set.map_err(|error| format!("cannot keep its report: {error}"))?;
    }
    let (awaited, before) = await_signals().map_err(failed("cannot wait for signals"))?;
    tie_to(parent).map_err(failed("cannot be set to end with its parent"))?;
    let mut command = Command::new(&program);
    command.args(arguments).process_group(0);
    let unblock = move || {
        // SAFETY: the set is the closure's own. Between fork and exec only this call is made.
        match unsafe {
            libc::sigprocmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut())
        } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: as above; nothing is allocated.
    unsafe { command.pre_exec(unblock) };
    if let Some(rules) = numbers.rules {
        // SAFETY: it is the only owner of the descriptor, which bakeoff opened for it.
        let rules = unsafe { OwnedFd::from_raw_fd(rules) };
        let set = rustix::io::fcntl_setfd(&rules, rustix::io::FdFlags::CLOEXEC);
        set.map_err(|error| format!("cannot keep its fence: {error}"))?;
        let filter = syscalls::of_network(numbers.network)?;
        let enter = move || {
            privileges::drop_capabilities()?;
            rustix::thread::set_no_new_privs(true)?;
            restrict_self(&rules)?;
            seccompiler::apply_filter(&filter).map_err(|_| io::Error::from(io::ErrorKind::Other))
        };
        // SAFETY: between fork and exec only system calls are made; the filter was made before.
        unsafe { command.pre_exec(enter) };
    }
    let started = Instant::now();
    let child = kill_with_parent(&mut command).spawn();
    let child = child.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    let child = child.id().cast_signed();
    // Whoever reads what the program writes is at the end when the program is.
    close_streams();
    let status = wait(child, &awaited);
    let wall = started.elapsed();
    end_all();
    if let (Some(report), Some(_)) = (report, status) {
        // Without a report nothing was measured, which is what its reader sees.
        let _ = File::from(report).write_all(&measurement(wall));
    }
    Ok(status.unwrap_or_else(|| ExitStatus::from_raw(libc::SIGKILL)))
}

/// Numbers in the second argument of a keeper.
struct Numbers {
    parent: Pid,
    report: Option<RawFd>,
    rules: Option<RawFd>,
    network: Network,
}

/// Parses the second argument of a keeper.
fn numbers(text: &str) -> Option<Numbers> {
    let descriptor = |text: Option<&str>| match text {
        None | Some("") => Some(None),
        Some(text) => text.parse().ok().filter(|fd: &RawFd| *fd > 2).map(Some),
    };
    let mut parts = text.split(':');
    Some(Numbers {
        parent: Pid::from_raw(parts.next()?.parse().ok()?)?,
        report: descriptor(parts.next())?,
        rules: descriptor(parts.next())?,
        network: Network::of_letter(parts.next())?,
    })
}

/// Returns the report about all that has ended below this process.
fn measurement(wall: Duration) -> [u8; REPORT_BYTES] {
    // SAFETY: plain numbers, for which zero is valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the call, which fails for no other reason.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let ns = |time: libc::timeval| {
        time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_usec.cast_unsigned() * 1_000
    };
    let numbers = [
        u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
        ns(usage.ru_utime) + ns(usage.ru_stime),
        usage.ru_maxrss.cast_unsigned() * 1024,
    ];
    let mut report = [0; REPORT_BYTES];
    for (place, number) in report.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    report
}

/// Holds back the signals that are waited for. Returns them, and what was held back before.
fn await_signals() -> io::Result<(libc::sigset_t, libc::sigset_t)> {
    // SAFETY: the sets are plain numbers, for which zero is valid, and live through the calls. No handler is replaced
    // but by the default: whoever started this may have had the ends of children ignored.
    unsafe {
        let mut awaited: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut awaited);
        for signal in AWAITED {
            libc::sigaddset(&raw mut awaited, signal);
        }
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        match libc::sigprocmask(libc::SIG_BLOCK, &raw const awaited, &raw mut before) {
            0 => Ok((awaited, before)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Leaves the session, adopts orphans, and asks to be told when the parent has ended.
fn tie_to(parent: Pid) -> io::Result<()> {
    rustix::process::setsid()?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
    // It may have ended before that.
    if rustix::process::getppid() == Some(parent) {
        Ok(())
    } else {
        Err(io::Error::other("the parent is gone"))
    }
}

fn close_streams() {
    for stream in 0..=2 {
        // SAFETY: the standard streams are used by number only, and what writes to one that is closed is told so.
        unsafe { libc::close(stream) };
    }
}

/// Waits until the program ends, and returns how; `None` if this process is told to end before.
fn wait(child: i32, awaited: &libc::sigset_t) -> Option<ExitStatus> {
    loop {
        while let Reaped::Ended(process, status) = reap() {
            if process == child {
                return Some(status);
            }
        }
        // SAFETY: the set is valid, and nothing is asked about the signal but its number.
        let signal = unsafe { libc::sigwaitinfo(awaited, std::ptr::null_mut()) };
        if !matches!(signal, -1 | libc::SIGCHLD) {
            return None;
        }
    }
}

/// Result of looking for a child that has ended, an adopted one too.
enum Reaped {
    /// This child had ended, with this status.
    Ended(i32, ExitStatus),
    /// There are children, and none has ended.
    None,
    /// There is no child, and so nothing below this process.
    NoChildren,
}

fn reap() -> Reaped {
    let mut status = 0;
    // SAFETY: the pointer is valid for the call.
    match unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) } {
        0 => Reaped::None,
        process @ 1.. => Reaped::Ended(process, ExitStatus::from_raw(status)),
        // A call that does not wait fails for no other reason.
        _ => Reaped::NoChildren,
    }
}

/// Ends all that is left below this process: as long as it has a child, adopted ones included.
fn end_all() {
    let until = Instant::now() + ENDING_MAX;
    while has_children() && Instant::now() < until {
        // Who is stopped starts no more, so that the second look finds all.
        for signal in [Signal::STOP, Signal::KILL] {
            live_process::signal_all(below, signal);
        }
        std::thread::sleep(ENDING_PAUSE);
    }
}

/// Returns all processes below this one.
fn below() -> Vec<i32> {
    let own = std::process::id().cast_signed();
    let mut tree = watchdog::tree(own, usize::MAX);
    tree.retain(|process| *process != own);
    tree
}

/// Reaps all children that have ended. Returns true if there are others.
fn has_children() -> bool {
    loop {
        match reap() {
            Reaped::Ended(..) => {}
            Reaped::None => return true,
            Reaped::NoChildren => return false,
        }
    }
}

/// Ends as a program did: by its signal, or with the status that is returned.
fn end_as(status: ExitStatus) -> u8 {
    if let Some(signal) = status.signal() {
        // No core of a keeper, which did nothing wrong.
        let _ = privileges::hide_memory();
        // SAFETY: the number is valid; the default of a signal replaces no handler that is still needed.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
        let _ = privileges::unblock(signal);
        // SAFETY: the number is valid.
        unsafe { libc::raise(signal) };
    }
    u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    fn shell(script: &str) -> Command {
        let mut command = kept(Path::new("/bin/sh")).unwrap();
        command.args(["-c", script]).stdin(Stdio::null());
        command
    }

    #[test]
    fn a_kept_program_ends_as_it_does_without_and_its_output_is_at_its_end() {
        let output = shell("echo said; echo wrong >&2; exit 3").output().unwrap();
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(output.stdout, b"said\n");
        assert_eq!(output.stderr, b"wrong\n");
        let output = shell("kill -9 $$").output().unwrap();
        assert_eq!(output.status.signal(), Some(libc::SIGKILL));
        // A signal to its own group is none to the keeper.
        let output = shell("trap 'exit 5' TERM; kill 0; exit 1")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(5));
        let none = kept(Path::new("/no/such/program"))
            .unwrap()
            .output()
            .unwrap();
        assert_eq!(none.status.code(), Some(NOT_STARTED.into()));
        let said = String::from_utf8(none.stderr).unwrap();
        assert!(said.contains("cannot start /no/such/program"), "{said}");
    }

    /// Processes that are detached twice, so that no group, session or parent leads to them.
    #[test]
    fn what_a_program_leaves_behind_ends_with_it_also_detached() {
        let script =
            "setsid sh -c 'echo $$; setsid sleep 1000 & echo $!; sleep 1000' & read line; echo $!";
        for told in [false, true] {
            let mut child = shell(script)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let keeper = Keeper::of(child.id()).unwrap();
            let mut lines = io::BufRead::lines(io::BufReader::new(child.stdout.take().unwrap()));
            let pids: Vec<String> = (0..2).map(|_| lines.next().unwrap().unwrap()).collect();
            if told {
                drop(keeper);
            } else {
                drop(child.stdin.take());
                child.wait().unwrap();
            }
            for pid in pids {
                let process = format!("/proc/{pid}");
                assert!(!Path::new(&process).exists(), "{told}: {process} is there");
            }
            let _ = child.wait();
        }
    }
}
