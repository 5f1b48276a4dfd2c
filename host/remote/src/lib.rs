//! A command of bakeoff on another machine: the files that it names go there, it runs there, and what it writes comes
//! back.
//!
//! Two ends speak through one pair of pipes, those of `ssh` or of what starts a container. The near end ([`run`]) sends the command and the files; the
//! far end ([`serve`]) has them in a temporary folder, starts the command in it, passes on what it prints, and sends the
//! files that it wrote. Where the near end is gone, the command is interrupted and the folder removed.
//!
//! The near end trusts nothing that comes: sizes and numbers of files are bounded, and files come to a place where nothing
//! else is ([`ReturnedFiles`]).

mod arriving_files;
mod channel;
mod connection;
mod container;
mod error;
mod far;
mod file_places;
mod files;
mod messages;
mod near;
mod program;
mod returned_files;
mod ssh;
mod stderr;
mod target;
mod way;

pub use connection::Connection;
pub use container::ContainerTarget;
pub use error::RemoteError;
pub use far::{AGAIN_VARIABLE, serve};
pub use file_places::Placed;
pub use files::{NamedFiles, plain_path};
pub use near::{RemoteCommand, RemoteOutcome, Stream, run};
pub use returned_files::ReturnedFiles;
pub use ssh::SshTarget;
pub use stderr::OnStderr;
pub use target::RemoteTarget;
pub use way::connect;
