//! Handles, privileges and resources that a process gives up before it is fenced.

use crate::job::{Processes, Rlimits};
use rustix::process::{DumpableBehavior, Resource, Rlimit, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The first descriptor behind the standard streams.
const FIRST_OTHER: u32 = 3;

/// Closes all descriptors but stdin, stdout, stderr and `kept`: the parent may have inherited some.
pub(super) fn close_other_files(kept: &[RawFd]) -> io::Result<()> {
    let kept = kept.iter().filter_map(|number| u32::try_from(*number).ok());
    let mut kept: Vec<u32> = kept.filter(|number| *number >= FIRST_OTHER).collect();
    kept.sort_unstable();
    let mut first = FIRST_OTHER;
    for number in kept {
        if number > first {
            close_range(first, number - 1)?;
        }
        first = first.max(number.saturating_add(1));
    }
    close_range(first, u32::MAX)
}

fn close_range(first: u32, last: u32) -> io::Result<()> {
    // SAFETY: the process has just started: nothing in it owns a descriptor above 2 yet.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0_u32) };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Starts a session and process group, so that a signal to the group reaches this process and its
/// children and nothing else; asks to be killed with the parent; and adopts orphans of its children. A process that
/// may start others takes all of its group with it.
///
/// # Errors
/// `parent`, if given, is no longer the parent.
pub(super) fn tie_to(parent: Option<u32>, processes: Processes) -> io::Result<()> {
    rustix::process::setsid()?;
    let death = match processes {
        Processes::None => Signal::KILL,
        Processes::Spawn { .. } | Processes::Host => {
            end_group_on_term()?;
            Signal::TERM
        }
    };
    rustix::process::set_parent_process_death_signal(Some(death))?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // The parent may have died before the signal was asked for.
    let now = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get().unsigned_abs());
    if parent.is_some() && now != parent {
        return Err(io::Error::other("the parent is gone"));
    }
    Ok(())
}

/// Lets SIGTERM kill all of this process's group. The kernel would send the signal of a parent's death to this process
/// alone, and what it started, in its group still, would go on unwatched.
fn end_group_on_term() -> io::Result<()> {
    extern "C" fn end_group(_: libc::c_int) {
        // SAFETY: kill may be called in a handler, and touches no memory. 0 is the own group, this process included.
        unsafe { libc::kill(0, libc::SIGKILL) };
    }
    // SAFETY: the structure is plain data, for which zero is valid, and lives through the call. The handler calls
    // nothing but kill.
    let done = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = end_group as extern "C" fn(libc::c_int) as libc::sighandler_t;
        libc::sigaction(libc::SIGTERM, &raw const action, std::ptr::null_mut())
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    // Whoever started bakeoff may have blocked the signal, and blocked signals are inherited.
    unblock(libc::SIGTERM)
}

/// Lets a signal reach this process.
pub(super) fn unblock(signal: libc::c_int) -> io::Result<()> {
    // SAFETY: the set is plain data, for which zero is valid, made empty before it is used, and lives through the calls.
    let done = unsafe {
        let mut only: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut only);
        libc::sigaddset(&raw mut only, signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const only, std::ptr::null_mut())
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Makes `command` die with the thread that starts it. Otherwise it would outlive a child that is
/// killed with its parent, until its own limits end it: the kernel kills only the child itself.
pub fn kill_with_parent(command: &mut Command) -> &mut Command {
    let parent = rustix::process::getpid();
    let tie = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if rustix::process::getppid() == Some(parent) {
            Ok(())
        } else {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    };
    // SAFETY: between fork and exec only two system calls are made, and nothing is allocated: an
    // error of a plain kind holds no memory.
    unsafe { command.pre_exec(tie) }
}

/// Makes `command` the first process of a session of its own: neither the end of this process nor that of its terminal
/// reaches it.
pub fn in_own_session(command: &mut Command) -> &mut Command {
    let part = || {
        rustix::process::setsid()?;
        Ok(())
    };
    // SAFETY: between fork and exec only one system call is made, and nothing is allocated.
    unsafe { command.pre_exec(part) }
}

/// Lowers the limits that the kernel counts. A limit that is already lower stays.
pub(super) fn limit(limits: &Rlimits) -> io::Result<()> {
    let same = |both: u64| (both, both);
    let cpu_hard_s = limits.cpu_hard_s.unwrap_or(u64::MAX);
    for (resource, wanted) in [
        (Resource::Core, Some(same(0))),
        (Resource::As, limits.address_space_bytes.map(same)),
        (
            Resource::Cpu,
            limits.cpu_soft_s.map(|soft| (soft, cpu_hard_s)),
        ),
        (Resource::Fsize, limits.file_bytes.map(same)),
        (Resource::Nofile, limits.open_files.map(same)),
        (Resource::Msgqueue, Some(same(0))),
    ] {
        let Some((soft, hard)) = wanted else { continue };
        let present = rustix::process::getrlimit(resource);
        let hard = present.maximum.map_or(hard, |maximum| maximum.min(hard));
        let limit = Rlimit {
            current: Some(soft.min(hard)),
            maximum: Some(hard),
        };
        rustix::process::setrlimit(resource, limit)?;
    }
    Ok(())
}

/// Gives up every capability for good, also for root. The user stays the same: a toolchain in root's
/// home is readable to root only.
pub(super) fn drop_capabilities() -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    // Without the privilege to shrink it the bounding set stays; nothing can be gained from it
    // once new privileges are off.
    for number in 0..64 {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, none)?;
    if rustix::thread::capabilities(None)? != none {
        return Err(io::Error::other("capabilities are left"));
    }
    Ok(())
}

/// Hides this process's memory from others of the same user, and turns core files off.
pub(super) fn hide_memory() -> io::Result<()> {
    Ok(rustix::process::set_dumpable_behavior(
        DumpableBehavior::NotDumpable,
    )?)
}
