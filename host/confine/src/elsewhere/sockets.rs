//! Sockets between children, which there are none of on this system.

use super::refused;
use std::io;
use std::os::fd::OwnedFd;

/// Refuses to make a pair of sockets for two children.
///
/// # Errors
/// Always.
pub fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Err(refused())
}

/// Returns `None`: no parent passed a socket to this process.
pub(crate) fn next_socket() -> Option<OwnedFd> {
    None
}
