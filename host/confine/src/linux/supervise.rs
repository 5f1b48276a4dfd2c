//! One thread per child: it starts the child, collects its stderr, enforces its bounds, and reaps it
//! with all that it started.
//!
//! A thread, because the kernel ties a child's death signal to the *thread* that started it: this
//! one lives until the child is gone.

use super::cgroup::Cgroup;
use super::folder_watch::FolderWatch;
use super::live_process;
use super::watchdog::{self, Bounds};
use crate::STACK_BYTES;
use crate::cpu_time;
use crate::exit::{Exit, ExitCause};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use std::io::{self, Read};
use std::ops::Deref;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{self, ChildStderr, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// The longest wait for killed processes that a child left behind.
const GROUP_WAIT_MS_MAX: u32 = 1000;

/// A child as shared by its owner and its supervising thread.
#[derive(Debug)]
pub(super) struct ChildHandle {
    state: Mutex<State>,
    reaped: Condvar,
}

#[derive(Debug)]
struct State {
    /// The id of the child and of its process group. `None` once it is reaped: the number may then
    /// belong to another process.
    pid: Option<Pid>,
    /// Cause for which the parent killed the child, if it did; the first cause counts.
    killed: Option<ExitCause>,
}

impl ChildHandle {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the child and all of its group, unless it is reaped.
    pub(super) fn kill(&self, cause: ExitCause) {
        let mut state = self.lock();
        if let Some(pid) = state.pid {
            state.killed.get_or_insert(cause);
            // The child has a group of its own once it runs; before, there is only the child. Both
            // calls fail only if there is nothing left to kill.
            let _ = rustix::process::kill_process_group(pid, Signal::KILL);
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }

    /// Waits until the child is reaped, but no longer than `timeout`.
    pub(super) fn wait(&self, timeout: Duration) {
        let alive = |state: &mut State| state.pid.is_some();
        let _ = self.reaped.wait_timeout_while(self.lock(), timeout, alive);
    }

    /// Returns the child's process id, until it is reaped.
    pub(super) fn pid(&self) -> Option<u32> {
        let pid = self.lock().pid?;
        Some(pid.as_raw_nonzero().get().unsigned_abs())
    }
}

/// A handle that kills its child when it is dropped, so that a caller which is cancelled while it
/// waits for the start leaves no child behind.
#[derive(Debug)]
pub(super) struct KillOnDrop(Arc<ChildHandle>);

impl Deref for KillOnDrop {
    type Target = ChildHandle;

    fn deref(&self) -> &ChildHandle {
        &self.0
    }
}

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        self.0.kill(ExitCause::Killed);
    }
}

/// A child that was just started.
#[derive(Debug)]
pub(super) struct StartedChild {
    pub(super) handle: KillOnDrop,
    pub(super) stdout: ChildStdout,
    pub(super) exit: oneshot::Receiver<Exit>,
}

/// Starts `command` on a thread of its own, which stays until the child is reaped.
pub(super) async fn start(
    command: Command,
    bounds: Bounds,
    group: Option<Cgroup>,
) -> io::Result<StartedChild> {
    let (sender, receiver) = oneshot::channel();
    std::thread::Builder::new()
        .name("bakeoff-child".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || supervise(command, bounds, group, sender))?;
    receiver
        .await
        .unwrap_or_else(|_| Err(io::Error::other("the supervising thread is gone")))
}

fn supervise(
    mut command: Command,
    bounds: Bounds,
    group: Option<Cgroup>,
    started: oneshot::Sender<io::Result<StartedChild>>,
) {
    let (supervised, stdout) = match launch(&mut command, group) {
        Ok(launched) => launched,
        Err(error) => {
            // The receiver is gone if the caller was cancelled.
            let _ = started.send(Err(error));
            return;
        }
    };
    // The command holds the other ends of the pipes and the memory file.
    drop(command);
    let (exit_sender, exit) = oneshot::channel();
    // If the receiver is gone, the handle comes back, is dropped, and kills the child.
    let _ = started.send(Ok(StartedChild {
        handle: KillOnDrop(Arc::clone(&supervised.handle)),
        stdout,
        exit,
    }));
    let _ = exit_sender.send(supervised.run(&bounds));
}

/// The state of the supervising thread.
struct Supervisor {
    handle: Arc<ChildHandle>,
    pid: Pid,
    pidfd: OwnedFd,
    stderr: Option<ChildStderr>,
    collected: Vec<u8>,
    group: Option<Cgroup>,
}

fn launch(command: &mut Command, group: Option<Cgroup>) -> io::Result<(Supervisor, ChildStdout)> {
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    let handle = Arc::new(ChildHandle {
        state: Mutex::new(State {
            pid: Some(pid),
            killed: None,
        }),
        reaped: Condvar::new(),
    });
    match open_pipes(pid, &mut child) {
        Ok((pidfd, stdout, stderr)) => {
            let supervised = Supervisor {
                handle,
                pid,
                pidfd,
                stderr: Some(stderr),
                collected: Vec::new(),
                group,
            };
            Ok((supervised, stdout))
        }
        Err(error) => {
            handle.kill(ExitCause::Killed);
            let _ = child.wait();
            Err(error)
        }
    }
}

/// Returns the parent's descriptors of a child: its pidfd, its stdout for frames, its stderr.
fn open_pipes(
    pid: Pid,
    child: &mut process::Child,
) -> io::Result<(OwnedFd, ChildStdout, ChildStderr)> {
    let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    rustix::fs::fcntl_setfl(&stderr, rustix::fs::OFlags::NONBLOCK)?;
    Ok((pidfd, stdout, stderr))
}

impl Supervisor {
    fn run(mut self, bounds: &Bounds) -> Exit {
        let mut folders = bounds.folder.as_ref().map(FolderWatch::new);
        while !self.ended() {
            self.wait_for_event(bounds.period());
            self.collect(bounds);
            if let Some(cause) = watchdog::exceeded(self.pid, bounds) {
                self.handle.kill(cause);
            }
            if let Some(watch) = &mut folders
                && watchdog::fills_folders(self.pid, bounds, watch)
            {
                self.handle.kill(ExitCause::FolderWatchdog);
            }
        }
        // Processes that the child left behind are in its group, whose number stays taken as long as
        // the child is not reaped.
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        let ran_out = self.group.as_ref().is_some_and(|group| {
            group.kill();
            group.ran_out_of_memory()
        });
        self.collect(bounds);
        let (status, usage) = self.reap();
        self.wait_for_group();
        // Removes the control group before anybody learns that the child has ended.
        self.group = None;
        let killed = {
            let mut state = self.handle.lock();
            state.pid = None;
            state.killed
        };
        self.handle.reaped.notify_all();
        Exit {
            cause: match (killed, ran_out) {
                (Some(cause), _) => cause,
                (None, true) => ExitCause::MemoryWatchdog,
                (None, false) => exit_cause(status),
            },
            stderr: self.collected,
            cpu: cpu_time::total(&usage),
            max_rss_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) << 10,
        }
    }

    /// Returns true if the child has ended. It stays a zombie, so that its number stays taken.
    fn ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = rustix::process::waitid(WaitId::Pid(self.pid), options);
        !matches!(status, Ok(None) | Err(rustix::io::Errno::INTR))
    }

    /// Sleeps until the child ends, writes to stderr, or a period is over.
    fn wait_for_event(&self, period: Option<Duration>) {
        let watched = |file: i32| libc::pollfd {
            fd: file,
            events: libc::POLLIN,
            revents: 0,
        };
        // poll leaves out a negative descriptor.
        let stderr = self.stderr.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        let mut files = [watched(self.pidfd.as_raw_fd()), watched(stderr)];
        let timeout = period.map_or(-1, |period| {
            i32::try_from(period.as_millis()).unwrap_or(i32::MAX)
        });
        // SAFETY: the array is valid for its length during the call. A failure is only an early
        // return: the caller's loop looks again.
        unsafe { libc::poll(files.as_mut_ptr(), files.len() as libc::nfds_t, timeout) };
    }

    /// Reads what stderr holds at the moment, and kills the child if that passes the bound. No more
    /// than the bound is kept.
    fn collect(&mut self, bounds: &Bounds) {
        let mut chunk = [0; 8 << 10];
        while let Some(stderr) = &mut self.stderr {
            match stderr.read(&mut chunk) {
                Ok(0) => self.stderr = None,
                Ok(length) => {
                    let room = bounds.stderr_bytes_max.saturating_sub(self.collected.len());
                    self.collected.extend_from_slice(&chunk[..length.min(room)]);
                    if length > room {
                        self.handle.kill(ExitCause::StderrOverflow);
                        self.stderr = None;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.stderr = None,
            }
        }
    }

    /// Reaps the child. Under the lock, because its number must not be signalled from here on.
    fn reap(&self) -> (Option<ExitStatus>, libc::rusage) {
        let _state = self.handle.lock();
        let mut status = 0;
        // SAFETY: rusage is plain numbers, for which zero is valid.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        loop {
            // SAFETY: both pointers are valid for the call.
            let reaped = unsafe {
                libc::wait4(
                    self.pid.as_raw_nonzero().get(),
                    &raw mut status,
                    0,
                    &raw mut usage,
                )
            };
            let interrupted = io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
            if reaped != -1 {
                return (Some(ExitStatus::from_raw(status)), usage);
            }
            if !interrupted {
                return (None, usage);
            }
        }
    }

    /// Waits for processes that were killed along with the child. Zombies do not count: init reaps
    /// them when it gets to it.
    fn wait_for_group(&self) {
        for _ in 0..GROUP_WAIT_MS_MAX {
            let empty = rustix::process::test_kill_process_group(self.pid).is_err();
            if empty || !live_process::group_is_alive(self.pid.as_raw_nonzero().get()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Restores the default for SIGCHLD if the parent of this process had it ignored: the kernel would
/// not keep the exit status of children, and each would look like a crash.
pub(super) fn restore_sigchld() {
    // SAFETY: the structure is plain data, for which zero is valid, and lives through the calls.
    // No handler is replaced: only the order to forget.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let read = libc::sigaction(libc::SIGCHLD, std::ptr::null(), &raw mut action);
        if read == 0 && action.sa_sigaction == libc::SIG_IGN {
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        }
    }
}

/// Returns the cause that an exit status stands for. A lost status is never taken for success.
fn exit_cause(status: Option<ExitStatus>) -> ExitCause {
    let code = status.and_then(|status| status.code());
    let signal = status.and_then(|status| status.signal());
    match (code, signal) {
        (Some(code), _) => ExitCause::Exited(code),
        (None, signal) => ExitCause::Signalled(signal.unwrap_or(0)),
    }
}
