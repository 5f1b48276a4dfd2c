//! One thread for each child: it starts it, collects what it writes to stderr, watches its bounds,
//! and reaps it with all that it started.
//!
//! A thread, because the kernel ties a child's death signal to the *thread* that started it: this
//! one lives until the child is gone.

use super::WATCH_PERIOD;
use super::ending::{Ending, Exit};
use super::group::Group;
use super::watch::{self, Bounds};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use std::io::{self, Read};
use std::ops::Deref;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{self, ChildStderr, ChildStdout, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long the processes that a child leaves behind are waited for, once they are killed.
const GROUP_PATIENCE_MS: u32 = 1000;

/// The child as both sides know it.
#[derive(Debug)]
pub(super) struct Leash {
    state: Mutex<State>,
    reaped: Condvar,
}

#[derive(Debug)]
struct State {
    /// The child, and its process group. `None` once it is reaped: the number may then be anyone's.
    pid: Option<Pid>,
    /// Why the parent killed it, if it did; the first reason counts.
    killed: Option<Ending>,
}

impl Leash {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the child and all of its group, unless it is reaped.
    pub(super) fn kill(&self, reason: Ending) {
        let mut state = self.lock();
        if let Some(pid) = state.pid {
            state.killed.get_or_insert(reason);
            // The group is the child's own once it runs; before, there is only the child. Both
            // calls can only fail for want of someone to kill.
            let _ = rustix::process::kill_process_group(pid, Signal::KILL);
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }

    /// Waits until the child is reaped, but no longer than `patience`.
    pub(super) fn wait(&self, patience: Duration) {
        let alive = |state: &mut State| state.pid.is_some();
        let _ = self.reaped.wait_timeout_while(self.lock(), patience, alive);
    }

    /// The child's process id, until it is reaped.
    pub(super) fn pid(&self) -> Option<u32> {
        let pid = self.lock().pid?;
        Some(pid.as_raw_nonzero().get().unsigned_abs())
    }
}

/// The caller's hold on a child: who lets go kills it. It is what keeps a caller that is cancelled
/// while it waits for the start from leaving a child behind.
#[derive(Debug)]
pub(super) struct Hold(Arc<Leash>);

impl Deref for Hold {
    type Target = Leash;

    fn deref(&self) -> &Leash {
        &self.0
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.kill(Ending::Killed);
    }
}

/// A child that was just started.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) leash: Hold,
    pub(super) stdout: ChildStdout,
    pub(super) exit: oneshot::Receiver<Exit>,
}

/// Starts `command` on a thread of its own, which stays until the child is reaped.
pub(super) async fn start(
    command: Command,
    bounds: Bounds,
    group: Option<Group>,
) -> io::Result<Started> {
    let (sender, receiver) = oneshot::channel();
    std::thread::Builder::new()
        .name("bakeoff-child".to_owned())
        .spawn(move || supervise(command, bounds, group, sender))?;
    receiver
        .await
        .unwrap_or_else(|_| Err(io::Error::other("the supervising thread is gone")))
}

fn supervise(
    mut command: Command,
    bounds: Bounds,
    group: Option<Group>,
    started: oneshot::Sender<io::Result<Started>>,
) {
    let (supervised, stdout) = match launch(&mut command, group) {
        Ok(launched) => launched,
        Err(error) => {
            // Nobody listens any more if the caller was cancelled; then nobody needs to know.
            let _ = started.send(Err(error));
            return;
        }
    };
    // The command holds the other ends of the pipes and the memory file.
    drop(command);
    let (exit_sender, exit) = oneshot::channel();
    // If nobody listens any more, the hold comes back, is dropped, and the child is killed.
    let _ = started.send(Ok(Started {
        leash: Hold(Arc::clone(&supervised.leash)),
        stdout,
        exit,
    }));
    let _ = exit_sender.send(supervised.run(&bounds));
}

/// What the thread holds while the child lives.
struct Supervised {
    leash: Arc<Leash>,
    pid: Pid,
    pidfd: OwnedFd,
    stderr: Option<ChildStderr>,
    collected: Vec<u8>,
    group: Option<Group>,
}

fn launch(command: &mut Command, group: Option<Group>) -> io::Result<(Supervised, ChildStdout)> {
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    let leash = Arc::new(Leash {
        state: Mutex::new(State {
            pid: Some(pid),
            killed: None,
        }),
        reaped: Condvar::new(),
    });
    match handles(pid, &mut child) {
        Ok((pidfd, stdout, stderr)) => {
            let supervised = Supervised {
                leash,
                pid,
                pidfd,
                stderr: Some(stderr),
                collected: Vec::new(),
                group,
            };
            Ok((supervised, stdout))
        }
        Err(error) => {
            leash.kill(Ending::Killed);
            let _ = child.wait();
            Err(error)
        }
    }
}

/// What the parent holds of a child: its end, its frames, its stderr.
fn handles(
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

impl Supervised {
    fn run(mut self, bounds: &Bounds) -> Exit {
        while !self.ended() {
            let period = bounds.is_watched().then_some(WATCH_PERIOD);
            self.wait_for_news(period);
            self.collect(bounds);
            if let Some(breach) = watch::breach(self.pid, bounds) {
                self.leash.kill(breach);
            }
        }
        // What the child leaves behind is in its group, whose number is taken as long as the child
        // is not reaped.
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        let ran_out = self.group.as_ref().is_some_and(|group| {
            group.kill();
            group.ran_out_of_memory()
        });
        self.collect(bounds);
        let (status, usage) = self.reap();
        self.wait_for_group();
        // Whoever waits for the child finds nothing of it left, its control group included.
        self.group = None;
        let killed = {
            let mut state = self.leash.lock();
            state.pid = None;
            state.killed
        };
        self.leash.reaped.notify_all();
        Exit {
            ending: match (killed, ran_out) {
                (Some(reason), _) => reason,
                (None, true) => Ending::MemoryWatchdog,
                (None, false) => ending(status),
            },
            stderr: self.collected,
            cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
            max_rss_bytes: u64::try_from(usage.ru_maxrss).unwrap_or(0) << 10,
        }
    }

    /// Whether the child has ended. It stays a zombie, so that its number stays its own.
    fn ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let status = rustix::process::waitid(WaitId::Pid(self.pid), options);
        !matches!(status, Ok(None) | Err(rustix::io::Errno::INTR))
    }

    /// Sleeps until the child ends, writes to stderr, or a period is over.
    fn wait_for_news(&self, period: Option<Duration>) {
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

    /// Takes what stderr holds at the moment; over its bound, it kills. Memory never grows beyond
    /// the bound.
    fn collect(&mut self, bounds: &Bounds) {
        let mut chunk = [0; 8 << 10];
        while let Some(stderr) = &mut self.stderr {
            match stderr.read(&mut chunk) {
                Ok(0) => self.stderr = None,
                Ok(length) => {
                    let room = bounds.stderr_bytes_max.saturating_sub(self.collected.len());
                    self.collected.extend_from_slice(&chunk[..length.min(room)]);
                    if length > room {
                        self.leash.kill(Ending::StderrOverflow);
                        self.stderr = None;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.stderr = None,
            }
        }
    }

    /// Takes the child out of the process table. Under the lock: nobody may signal its number from
    /// here on.
    fn reap(&self) -> (Option<ExitStatus>, libc::rusage) {
        let _state = self.leash.lock();
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

    /// What was killed along with the child may still be on its way out. Zombies are left: they
    /// are init's, which may take its time.
    fn wait_for_group(&self) {
        for _ in 0..GROUP_PATIENCE_MS {
            let empty = rustix::process::test_kill_process_group(self.pid).is_err();
            if empty || !watch::group_is_alive(self.pid) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Whoever started this process may have told the kernel to forget how its children end; then
/// every child would look as if it had crashed. Sets that right.
pub(super) fn expect_endings() {
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

/// A status that is lost, because this process was started with its children's ends ignored, must
/// not pass for a good one.
fn ending(status: Option<ExitStatus>) -> Ending {
    let code = status.and_then(|status| status.code());
    let signal = status.and_then(|status| status.signal());
    match (code, signal) {
        (Some(code), _) => Ending::Exited(code),
        (None, signal) => Ending::Signalled(signal.unwrap_or(0)),
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}
