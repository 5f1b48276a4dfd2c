//! This room on systems without Landlock and seccomp: what would start a child behind a fence, or a program under a keeper,
//! is refused.
//!
//! The types of what cannot be there have no values, so that no code of other rooms can come to use one.

mod confinement;
mod entry;
mod programs;
mod sockets;

pub use confinement::{Announced, Child, Confinement, PROBE, PROGRAM_HOST};
pub use entry::{
    HeldProcess, bubblewrap_is_installed, enter_if_child, enter_if_keeper, in_open_folder,
    in_own_session, kill_with_parent, pin, usable_cores,
};
pub use programs::{FileFence, Keeper, Measurement, kept, kept_in, measured, measured_in, sink};
pub(crate) use sockets::next_socket;
pub use sockets::socket_pair;

use crate::error::ConfinementError;
use std::io;

/// The reason why nothing untrusted is started here.
const REASON: &str =
    "this system has no fences for untrusted code (Landlock and seccomp are Linux's)";

/// The next step for the user.
const NEXT: &str = "run it on a Linux machine with `--on ssh:HOST`, or with `--on container`";

fn confinement_error() -> ConfinementError {
    ConfinementError {
        reason: REASON.to_owned(),
        next: NEXT.to_owned(),
    }
}

fn refused() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, format!("{REASON}: {NEXT}"))
}
