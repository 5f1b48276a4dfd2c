//! Programs of an experiment, in any language: each runs below a host, a child of its own fence, which passes requests
//! on to it and measures what each takes. A runner asks the host by a [`ProgramLink`].

mod link;
pub(crate) mod protocol;

pub use link::{ProgramError, ProgramLink};
pub use protocol::{HostSetup, MeasuredAnswer, ProgramFailure, ProgramFile, ProgramStart};
