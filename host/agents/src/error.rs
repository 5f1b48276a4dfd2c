//! The reasons why there is no result of an agent.

/// The reason why worktrees cannot be made, read or removed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// The user can change it: a name, the repository, what stands in a worktree.
    #[error("{0}")]
    Usage(String),
    /// This machine cannot do it.
    #[error("{0}")]
    Machine(String),
    /// The user interrupted it.
    #[error("interrupted: the same command goes on with what is not done")]
    Interrupted,
}

impl From<std::io::Error> for AgentError {
    fn from(error: std::io::Error) -> Self {
        Self::Machine(error.to_string())
    }
}
