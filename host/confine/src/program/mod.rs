//! Programs of an experiment, in any language: each runs below a host, a child of its own fence, which passes requests
//! on to it and measures what each takes. A runner asks the host by a [`ProgramLink`].

mod filter;
mod host;
mod link;
mod protocol;
mod running;

pub use host::{HostSetup, PROGRAM_HOST};
pub use link::{ProgramError, ProgramLink};
pub use protocol::{Answered, ProgramFailure, ProgramFile, ProgramStart};
