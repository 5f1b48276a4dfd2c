//! The reasons why there is no result of an agent.

use std::path::Path;

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

/// Words of the system, and of git, where a disk is full. Git does not always say why it could not write.
const FULL: [&str; 3] = [
    "No space left on device",
    "Disk quota exceeded",
    "unable to write",
];

fn is_of_full_disk(text: &str) -> bool {
    FULL.iter().any(|words| text.contains(words))
}

impl AgentError {
    /// Returns the error of a command of git that failed: the user can change that, unless a disk is full.
    pub(crate) fn of_git(text: String) -> Self {
        if is_of_full_disk(&text) {
            Self::Machine(text)
        } else {
            Self::Usage(text)
        }
    }

    /// Returns the error with what to do where a disk is full. `folder` is that of the experiment.
    pub(crate) fn with_room_for(self, folder: &Path) -> Self {
        match self {
            Self::Machine(text) if is_of_full_disk(&text) => Self::Machine(format!(
                "a disk seems to be full, that of {} or that of temporary files, {}: {text}. Make room there, and the same command \
                 goes on; `bakeoff worktrees` says how large each worktree is",
                folder.display(),
                std::env::temp_dir().display()
            )),
            other => other,
        }
    }
}

impl From<std::io::Error> for AgentError {
    fn from(error: std::io::Error) -> Self {
        Self::Machine(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_full_disk_names_the_folder_and_what_to_do_and_is_nothing_that_the_user_typed() {
        let folder = Path::new("/repository/.bakeoff/agents");
        let full = io::Error::from_raw_os_error(28);
        for error in [
            AgentError::from(full),
            AgentError::of_git("git checkout-index says: unable to write file a".to_owned()),
        ] {
            let said = error.with_room_for(folder).to_string();
            assert!(said.contains("/repository/.bakeoff/agents"), "{said}");
            assert!(is_of_full_disk(&said), "{said}");
            assert!(
                said.contains("Make room there, and the same command goes on"),
                "{said}"
            );
        }
        let other = AgentError::of_git("git log says: bad object".to_owned());
        assert_eq!(other.clone().with_room_for(folder), other);
        assert!(matches!(other, AgentError::Usage(_)));
    }
}
