//! A package of a git repository at a revision: read by git behind a fence, and found among its files.
//!
//! A repository is somebody else's in all its parts: its settings, its hooks, the names in its trees. Git reads objects
//! here, and does nothing else; it runs in a child that reads the repository's objects, writes one temporary folder and
//! reaches no network.

mod checkout;
mod contents;
mod error;
mod git;
mod own_settings;
mod package;
mod paths;
mod protocol;
mod reading;
mod repository;
mod special;

pub use checkout::Checkout;
pub use error::RevisionError;
pub use git::git_command_line;
pub use own_settings::write_own_settings;
pub use package::Package;
pub use reading::git_role;
pub use repository::Repository;
