//! Programs of an experiment, in any language: each runs below a host, a child of its own fence, which passes requests
//! on to it and measures what each takes. A runner asks the host by a [`ProgramLink`].

#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod host;
mod link;
mod protocol;
#[cfg(target_os = "linux")]
mod running;

#[cfg(target_os = "linux")]
pub use host::PROGRAM_HOST;
pub use link::{ProgramError, ProgramLink};
pub use protocol::{Answered, HostSetup, ProgramFailure, ProgramFile, ProgramStart};
