//! Sockets that the parent makes in pairs, so that two of its children can speak to each other.

use rustix::io::FdFlags;
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

/// Sockets that this process got from the parent and that nobody took yet, in order.
static RECEIVED: Mutex<VecDeque<OwnedFd>> = Mutex::new(VecDeque::new());

/// Makes a pair of connected sockets, one for each of two children.
///
/// # Errors
/// Too many open files.
pub fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let (one, other) = UnixStream::pair()?;
    Ok((one.into(), other.into()))
}

/// Takes the next socket that the parent passed to this process; `None` if there is no other.
pub(crate) fn next_socket() -> Option<OwnedFd> {
    let mut received = RECEIVED.lock().unwrap_or_else(PoisonError::into_inner);
    received.pop_front()
}

/// Passes sockets to the child that `command` starts: their numbers are arguments, and only this child inherits them.
pub(super) fn pass(sockets: &[Arc<OwnedFd>], command: &mut Command) {
    for socket in sockets {
        command.arg(socket.as_raw_fd().to_string());
        let socket = Arc::clone(socket);
        let keep = move || Ok(rustix::io::fcntl_setfd(&*socket, FdFlags::empty())?);
        // SAFETY: between fork and exec only one system call is made, on a descriptor that the closure owns, and
        // nothing is allocated: an error of a plain kind holds no memory.
        unsafe { command.pre_exec(keep) };
    }
}

/// Takes over the sockets that the parent passed under these numbers, so that no program started from here inherits
/// them.
///
/// # Errors
/// One of them is not open, or a standard stream.
pub(super) fn receive(numbers: &[RawFd]) -> io::Result<()> {
    let mut received = RECEIVED.lock().unwrap_or_else(PoisonError::into_inner);
    for &number in numbers {
        if number <= libc::STDERR_FILENO {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: the parent left this descriptor open for this process, and nothing else owns it. A number that is not
        // open only fails below.
        let socket = unsafe { OwnedFd::from_raw_fd(number) };
        rustix::io::fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
        received.push_back(socket);
    }
    Ok(())
}
