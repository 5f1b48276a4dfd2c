//! The reasons why a package at a revision cannot be read.

/// The reason why a package at a revision cannot be read. Names from outside are shown with their active characters
/// escaped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevisionError {
    /// No folder above is a git repository.
    #[error(
        "{0:?} is in no git repository: start this in the repository, or compare files instead of revisions"
    )]
    NoRepository(String),
    /// The repository's own files do not say where it is.
    #[error("the git repository {folder:?} cannot be read: {reason}")]
    Repository {
        /// Folder of the repository.
        folder: String,
        /// Reason, without anything that stands in its files.
        reason: String,
    },
    /// There is no git on this machine.
    #[error(
        "revisions are read by git, and there is none in a folder of PATH that nobody else can write: install git"
    )]
    NoGit,
    /// The text cannot name a revision.
    #[error(
        "{0:?} is no name of a revision: give what git knows a commit by, such as main, HEAD~1, v1.2 or the start of its id"
    )]
    Name(String),
    /// Git failed to read the revision.
    #[error("{revision:?} cannot be read: {reason}")]
    Git {
        /// Revision as the user named it.
        revision: String,
        /// Reason, with the next step.
        reason: String,
    },
    /// The package is not among the files.
    #[error("there is no package {name:?} at {commit}{others}")]
    NoPackage {
        /// Name that was asked for.
        name: String,
        /// Start of the commit's id.
        commit: String,
        /// The packages that are there, in words; empty if there are none.
        others: String,
    },
    /// The package's manifest cannot be used.
    #[error("the package {name:?} cannot be built: {reason}")]
    Package {
        /// Name of the package.
        name: String,
        /// Reason, with the next step.
        reason: String,
    },
    /// This machine cannot do it.
    #[error("{0}")]
    Machine(String),
}
